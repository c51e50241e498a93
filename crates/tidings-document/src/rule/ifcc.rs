//! IFCC-0001, Sitemap Update Syndication: what a followed site has to add to ResourceSync.

use super::rules;

rules! {
    DESCRIPTION_PLACE = Error "IFCC-description-place", "IFCC-0001, Source Descriptions", "The Source Description is at /.well-known/resourcesync.", "Publish it there too.";
    DESCRIPTION_CAPABILITY = Error "IFCC-description-capability-missing", "IFCC-0001, Source Descriptions", "Each entry of a Source Description has the capability capabilitylist.", "Add <rs:md capability=\"capabilitylist\"/> to the entry.";
    DESCRIPTION_DESCRIBES = Error "IFCC-description-describes-missing", "IFCC-0001, Source Descriptions", "Each entry of a Source Description links to the collection that it describes.", "Add <rs:ln rel=\"describes\" href=\"…\"/> to the entry.";
    DESCRIPTION_DESCRIBEDBY = Note "IFCC-description-describedby", "IFCC-0001, Source Descriptions", "A link describedby to the title and author of the collection is recommended.", "Add <rs:ln rel=\"describedby\" href=\"…\"/> to the entry.";
    CAPABILITYLIST_DESCRIBES = Error "IFCC-capabilitylist-describes-missing", "IFCC-0001, Capability Lists", "A Capability List links to the collection that it describes.", "Add <rs:ln rel=\"describes\" href=\"…\"/> before the first entry.";
    CAPABILITYLIST_CHANGELIST = Error "IFCC-capabilitylist-changelist", "IFCC-0001, Capability Lists", "A Capability List has exactly one Change List.", "List one Change List or Change List Index.";
    CHANGELIST_DATETIME = Error "IFCC-changelist-datetime-missing", "IFCC-0001, Change Lists", "Each change has a datetime; changes without one are ignored.", "Add datetime=\"…\" to the entry's rs:md.";
    DESCRIBES_DIFFERS = Error "IFCC-describes-differs", "IFCC-0001, Source Descriptions and Capability Lists", "The Source Description and the Capability List name the same collection.", "Give both the same describes link.";
    DESCRIBES_DUPLICATE = Error "IFCC-describes-duplicate", "IFCC-0001, Source Descriptions", "No two Capability Lists describe the same collection.", "Give each collection one Capability List.";
    DESCRIBEDBY_ABSENT = Warning "IFCC-describedby-absent", "IFCC-0001, Source Descriptions", "What a link describedby leads to is there.", "Publish the metadata there, or remove the link.";
}
