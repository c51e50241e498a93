//! ResourceSync: ANSI/NISO Z39.99, 1.0 (2014) and 1.1 (2017), with Archives and Notifications.

use super::rules;
use crate::{Capability, Form, Rule};

rules! {
    NAMESPACE = Error "RS-4-namespace", "ResourceSync, 4", "ResourceSync's elements are in the namespace http://www.openarchives.org/rs/terms/.", "Bind the prefix rs to exactly that URI.";
    MD_MISSING = Error "RS-7-md-missing", "ResourceSync, 7", "A document has an rs:md that says what it is.", "Add <rs:md capability=\"…\"/> before the first entry.";
    MD_TWICE = Error "RS-7-md-twice", "ResourceSync, 7", "A document has one rs:md of its own.", "Merge their attributes into one.";
    MD_LATE = Error "RS-7-md-late", "ResourceSync, 7; sitemap.xsd", "The document's own rs:md stands before the first entry.", "Move it up.";
    LN_LATE = Error "RS-7-ln-late", "ResourceSync, 7; sitemap.xsd", "The document's own links stand before the first entry.", "Move it up.";
    ENTRY_MD_TWICE = Error "RS-7-entry-md-twice", "ResourceSync, 7", "An entry has at most one rs:md.", "Merge their attributes into one.";
    CAPABILITY_MISSING = Error "RS-7-capability-missing", "ResourceSync, 7", "The document's rs:md has a capability.", "Add the attribute.";
    CAPABILITY = Error "RS-7-capability", "ResourceSync, 7", "A document's capability is one that the standard defines.", "Use one of description, capabilitylist, resourcelist, resourcedump, resourcedump-manifest, changelist, changedump, changedump-manifest.";
    CAPABILITY_UNKNOWN = Warning "RS-7-capability-unknown", "ResourceSync, 7", "An entry's capability is one that the standard defines; others are passed over.", "Check the spelling.";
    ELEMENT = Warning "RS-7-element-unknown", "ResourceSync, 7", "ResourceSync's elements are rs:md and rs:ln.", "Say it in their attributes.";
    ATTRIBUTE = Warning "RS-7-attribute-unknown", "ResourceSync, 7", "Attributes beyond those of the standard have a namespace of their own.", "Check the spelling, or give it a prefix bound to your namespace.";
    ATTRIBUTE_PREFIXED = Error "RS-7-attribute-prefixed", "ResourceSync, 7", "The standard's attributes have no prefix.", "Remove the prefix.";
    ATTRIBUTE_DROPPED = Note "RS-7-attribute-dropped", "limit of this reader", "A prefix of an attribute is bound on the root element, where a rewritten document can bind it again.", "Declare the prefix on the root element.";
    MODIFIED = Warning "RS-7-md-modified", "ResourceSync, 7", "A modification time is given in lastmod; modified is an attribute of rs:ln only (drafts before 1.0 had it here).", "Use lastmod.";
    TIME = Error "RS-7-time", "ResourceSync, 7", "Times are W3C datetimes.", "Write it as YYYY-MM-DDThh:mm:ssZ.";
    TIME_FORM = Error "RS-7-time-form", "ResourceSync, 7", "Times are W3C datetimes, with a T before and a zone after the time of day.", "Write it as YYYY-MM-DDThh:mm:ssZ.";
    AT_NOT_USED = Error "RS-7-at-not-used", "ResourceSync, 7 and Appendix A", "The attributes at and completed are for snapshots, not for this document.", "Remove it; a record of changes has from and until.";
    FROM_NOT_USED = Error "RS-7-from-not-used", "ResourceSync, 7 and Appendix A", "The attributes from and until are for records of changes, not for this document.", "Remove it; a snapshot has at and completed.";
    ENTRY_AT_NOT_USED = Error "RS-7-entry-at-not-used", "ResourceSync, 7 and Appendix A", "An entry has at and completed only in Resource List Indexes, Resource Dumps and their indexes.", "Remove it.";
    ENTRY_FROM_NOT_USED = Error "RS-7-entry-from-not-used", "ResourceSync, 7 and Appendix A", "An entry has from and until only in Change List Indexes, Change Dumps and their indexes.", "Remove it.";
    COMPLETED_BEFORE_AT = Error "RS-7-completed-before-at", "ResourceSync, 7", "A snapshot is completed after it is begun.", "Swap or correct the times.";
    UNTIL_BEFORE_FROM = Error "RS-7-until-before-from", "ResourceSync, 7", "An interval ends after it begins.", "Swap or correct the times.";
    CHANGE = Error "RS-7-change", "ResourceSync, 7", "A change is created, updated or deleted.", "Use one of the three words.";
    CHANGE_NOT_USED = Warning "RS-7-change-not-used", "ResourceSync, 7", "The attribute change is for Change Lists and Change Dump Manifests.", "Remove it, or publish a Change List.";
    DATETIME_NOT_USED = Warning "RS-7-datetime-not-used", "ResourceSync 1.1, 7", "The attribute datetime is for Change Lists and Change Dump Manifests.", "Use lastmod.";
    DATETIME_RANGE = Error "RS-7-datetime-range", "ResourceSync 1.1, 7", "A change's datetime lies between the document's from and until.", "Correct the datetime, or widen the interval.";
    HASH = Warning "RS-7-hash", "ResourceSync, 7", "A hash is a list of algorithm:digest with white space between.", "Write it like md5:1584abdf8ebdc9802ac0c6a7402c03b6.";
    HASH_ALGORITHM = Warning "RS-7-hash-algorithm", "ResourceSync, 7", "A digest can be verified where its algorithm is known: md5, sha-1, sha-224, sha-256, sha-384, sha-512.", "Add a digest of one of these.";
    HASH_BASE64 = Warning "RS-7-hash-base64", "ResourceSync, 7", "Digests are hex-encoded; one in base64 is read, but others may not be able to.", "Write the digest in hexadecimal.";
    HASH_HEX = Warning "RS-7-hash-hex", "ResourceSync, 7", "Digests are hex-encoded; others cannot be verified.", "Write the digest in hexadecimal.";
    HASH_LENGTH = Warning "RS-7-hash-length", "ResourceSync, 7", "A digest has as many digits as its algorithm gives.", "Write the whole digest.";
    HASH_TWICE = Warning "RS-7-hash-twice", "ResourceSync, 7", "A hash has one digest for each algorithm.", "Remove all but the right one.";
    LENGTH = Error "RS-7-length", "ResourceSync, 7; RFC 2616, 4.4", "A length is a number of bytes.", "Write it in digits.";
    MEDIA_TYPE = Error "RS-7-type", "ResourceSync, 7", "A type is a media type.", "Write it like text/html.";
    PATH_NOT_USED = Warning "RS-7-path-not-used", "ResourceSync, 7", "The attribute path is for the manifests of packages.", "Remove it.";
    PRI = Error "RS-7-pri", "ResourceSync, 7", "A pri is a whole number from 1 to 999,999.", "Use a number in that range, or leave it out.";
    HREF_MISSING = Error "RS-7-href-missing", "ResourceSync, 7", "A link has an href.", "Add the attribute, or remove the link.";
    HREF = Error "RS-7-href", "ResourceSync, 7; RFC 3986", "An href is an absolute URI.", "Write the URI out in full, percent-encoded.";
    REL_MISSING = Error "RS-7-rel-missing", "ResourceSync, 7", "A link has a rel.", "Add the attribute, or remove the link.";
    REL = Warning "RS-7-rel", "ResourceSync, 7; RFC 8288, 2.1", "A relation type is registered, or a URI.", "Use a registered relation type, or name yours by a URI.";
    REL_CASE = Note "RS-7-rel-case", "ResourceSync, 7; RFC 8288, 3.3", "Registered relation types are written in lower case.", "Write it in lower case.";

    DESCRIPTION_CAPABILITY = Error "RS-8-entry-capability", "ResourceSync, 8", "The entries of a Source Description are Capability Lists.", "Set capability=\"capabilitylist\" on the entry, and point it to one.";
    DESCRIPTION_DESCRIBEDBY = Note "RS-8-describedby", "ResourceSync, 8", "A link describedby to a document about the Source is recommended.", "Add <rs:ln rel=\"describedby\" href=\"…\"/>.";

    CAPABILITYLIST_UP = Error "RS-9-up-missing", "ResourceSync, 9", "A Capability List links up to the Source Description.", "Add <rs:ln rel=\"up\" href=\"…\"/>.";
    CAPABILITYLIST_DESCRIBEDBY = Note "RS-9-describedby", "ResourceSync, 9", "A link describedby to a document about the set of resources is recommended.", "Add <rs:ln rel=\"describedby\" href=\"…\"/>.";
    CAPABILITYLIST_ENTRY = Error "RS-9-entry-capability-missing", "ResourceSync, 9", "Each entry of a Capability List has a capability.", "Add <rs:md capability=\"…\"/> to the entry.";
    CAPABILITYLIST_WRONG = Error "RS-9-entry-capability", "ResourceSync, 9", "A Capability List points to lists, dumps, their archives and notification channels.", "Remove the entry, or correct its capability.";
    CAPABILITYLIST_TWICE = Error "RS-9-entry-capability-twice", "ResourceSync, 9", "A Capability List has one entry for each capability.", "Group several documents of one capability in an index, and list that.";
    CAPABILITYLIST_INDEX = Warning "RS-9-index", "ResourceSync, 9", "There are no indexes of Capability Lists.", "Publish one Capability List for each set, and list them in the Source Description.";

    RESOURCELIST_AT = Error "RS-10.1-at-missing", "ResourceSync, 10.1", "A Resource List says when its snapshot was begun.", "Add at=\"…\" to the document's rs:md.";
    RESOURCELIST_UP = Error "RS-10.1-up-missing", "ResourceSync, 10.1", "A Resource List links up to its Capability List.", "Add <rs:ln rel=\"up\" href=\"…\"/>.";
    RESOURCELIST_DUPLICATE = Error "RS-10.1-loc-duplicate", "ResourceSync, 10.1", "A Resource List has one entry for each resource.", "Remove the second entry.";
    RESOURCELISTINDEX_AT = Error "RS-10.2-at-missing", "ResourceSync, 10.2", "A Resource List Index says when its snapshot was begun.", "Add at=\"…\" to the document's rs:md.";
    RESOURCELISTINDEX_UP = Error "RS-10.2-up-missing", "ResourceSync, 10.2", "A Resource List Index links up to its Capability List.", "Add <rs:ln rel=\"up\" href=\"…\"/>.";

    RESOURCEDUMP_AT = Error "RS-11.1-at-missing", "ResourceSync, 11.1", "A Resource Dump says when its snapshot was begun.", "Add at=\"…\" to the document's rs:md.";
    RESOURCEDUMP_UP = Error "RS-11.1-up-missing", "ResourceSync, 11.1", "A Resource Dump links up to its Capability List.", "Add <rs:ln rel=\"up\" href=\"…\"/>.";
    RESOURCEDUMP_FORMAT = Warning "RS-11.1-format-mixed", "ResourceSync, 11.1", "The packages of a Resource Dump are of one format.", "Use ZIP for all of them.";
    RESOURCEDUMP_TYPE = Note "RS-11.1-type-missing", "ResourceSync, 11.1", "The type and length of each package are recommended.", "Add type=\"application/zip\" and length=\"…\" to the entry's rs:md.";
    MANIFEST_AT = Error "RS-11.2-at-missing", "ResourceSync, 11.2", "A Resource Dump Manifest says when its snapshot was begun.", "Add at=\"…\" to the document's rs:md.";
    MANIFEST_UP = Error "RS-11.2-up-missing", "ResourceSync, 11.2", "A Resource Dump Manifest links up to its Capability List.", "Add <rs:ln rel=\"up\" href=\"…\"/>.";
    MANIFEST_PATH = Error "RS-11.2-path-missing", "ResourceSync, 11.2", "Each entry of a Resource Dump Manifest has a path.", "Add path=\"/…\" to the entry's rs:md.";
    MANIFEST_SLASH = Error "RS-11.2-path-slash", "ResourceSync, 11.2", "A path begins with a slash.", "Add the slash.";
    MANIFEST_UNSAFE = Error "RS-11.2-path-unsafe", "ResourceSync, 11.2", "A path is relative to the root of the package and stays inside.", "Remove . and .. and empty parts, backslashes and drive letters.";
    MANIFEST_INDEX = Error "RS-11.2-index", "ResourceSync, 11.2", "A Resource Dump Manifest is a urlset; there is one in each package.", "Put each manifest into its own package.";

    CHANGELIST_FROM = Error "RS-12.1-from-missing", "ResourceSync, 12.1", "A Change List says since when it lists all changes.", "Add from=\"…\" to the document's rs:md.";
    CHANGELIST_UP = Error "RS-12.1-up-missing", "ResourceSync, 12.1", "A Change List links up to its Capability List.", "Add <rs:ln rel=\"up\" href=\"…\"/>.";
    CHANGELIST_CHANGE = Error "RS-12.1-change-missing", "ResourceSync, 12.1", "Each entry of a Change List says what kind of change it is.", "Add <rs:md change=\"…\"/> to the entry.";
    CHANGELIST_ORDER = Error "RS-12.1-order", "ResourceSync, 12.1", "The entries of a Change List are in forward chronological order.", "Sort the entries, the oldest change first.";
    CHANGELIST_ORDER_LASTMOD = Warning "RS-12.1-order-lastmod", "ResourceSync, 12.1 and 13.2", "The changes are in forward chronological order; in version 1.0, which this may be, lastmod is the time of the change.", "Sort the entries, the oldest change first, or give each a datetime.";
    CHANGELIST_LASTMOD = Error "RS-12.1-lastmod-missing", "ResourceSync 1.0, 12.1", "In version 1.0 each entry of a Change List has a lastmod, the time of the change.", "Add the lastmod.";
    CHANGELISTINDEX_FROM = Error "RS-12.2-from-missing", "ResourceSync, 12.2", "A Change List Index says since when it covers all changes.", "Add from=\"…\" to the document's rs:md.";
    CHANGELISTINDEX_UP = Error "RS-12.2-up-missing", "ResourceSync, 12.2", "A Change List Index links up to its Capability List.", "Add <rs:ln rel=\"up\" href=\"…\"/>.";
    CHANGELISTINDEX_ENTRY = Note "RS-12.2-entry-from-missing", "ResourceSync, 12.2 and Appendix A", "The entries of a Change List Index should say which interval they cover, so that readers can pass over what they know.", "Add from, and until where the list is closed, to the entry's rs:md.";
    CHANGELISTINDEX_ORDER = Error "RS-12.2-order", "ResourceSync, 12.2", "A Change List Index enumerates its Change Lists in forward chronological order.", "Sort the entries, the oldest first.";
    CHANGELISTINDEX_OPEN = Error "RS-12.2-until-missing", "ResourceSync, 12.2", "Only the last Change List of an index is open; each one before it has until.", "Close the list, and give its until in the index.";

    CHANGEDUMP_FROM = Error "RS-13.1-from-missing", "ResourceSync, 13.1", "A Change Dump says since when it covers all changes.", "Add from=\"…\" to the document's rs:md.";
    CHANGEDUMP_UP = Error "RS-13.1-up-missing", "ResourceSync, 13.1", "A Change Dump links up to its Capability List.", "Add <rs:ln rel=\"up\" href=\"…\"/>.";
    CHANGEDUMP_ORDER = Warning "RS-13.1-order", "ResourceSync, 13.1", "The packages of a Change Dump should be in forward chronological order.", "Sort the entries, the oldest first.";
    CHANGEDUMP_FORMAT = Warning "RS-13.1-format-mixed", "ResourceSync, 13.1", "The packages of a Change Dump are of one format.", "Use ZIP for all of them.";
    CHANGEDUMP_TYPE = Note "RS-13.1-type-missing", "ResourceSync, 13.1", "The type and length of each package are recommended.", "Add type=\"application/zip\" and length=\"…\" to the entry's rs:md.";
    CHANGEDUMP_ENTRY = Note "RS-13.1-entry-from-missing", "ResourceSync, 13.1 and Appendix A", "The entries of a Change Dump should say which interval they cover.", "Add from and until to the entry's rs:md.";
    CHANGEMANIFEST_FROM = Error "RS-13.2-from-missing", "ResourceSync, 13.2", "A Change Dump Manifest says since when it lists all changes.", "Add from=\"…\" to the document's rs:md.";
    CHANGEMANIFEST_UP = Error "RS-13.2-up-missing", "ResourceSync, 13.2", "A Change Dump Manifest links up to its Capability List.", "Add <rs:ln rel=\"up\" href=\"…\"/>.";
    CHANGEMANIFEST_CHANGE = Error "RS-13.2-change-missing", "ResourceSync, 13.2", "Each entry of a Change Dump Manifest says what kind of change it is.", "Add change=\"…\" to the entry's rs:md.";
    CHANGEMANIFEST_ORDER = Error "RS-13.2-order", "ResourceSync, 13.2", "The entries of a Change Dump Manifest are in forward chronological order.", "Sort the entries, the oldest change first.";
    CHANGEMANIFEST_LASTMOD = Error "RS-13.2-lastmod-missing", "ResourceSync 1.0, 13.2", "In version 1.0 each entry of a Change Dump Manifest has a lastmod, the time of the change.", "Add the lastmod.";
    CHANGEMANIFEST_PATH = Error "RS-13.2-path-missing", "ResourceSync, 13.2", "Each entry of a Change Dump Manifest that is not a deletion has a path.", "Add path=\"/…\" to the entry's rs:md.";
    CHANGEMANIFEST_DELETED = Warning "RS-13.2-path-deleted", "ResourceSync, 13.2", "A deletion has no bitstream, and so no path.", "Remove the path.";
    CHANGEMANIFEST_SLASH = Error "RS-13.2-path-slash", "ResourceSync, 13.2", "A path begins with a slash.", "Add the slash.";
    CHANGEMANIFEST_UNSAFE = Error "RS-13.2-path-unsafe", "ResourceSync, 13.2", "A path is relative to the root of the package and stays inside.", "Remove . and .. and empty parts, backslashes and drive letters.";
    CHANGEMANIFEST_INDEX = Error "RS-13.2-index", "ResourceSync, 13.2", "A Change Dump Manifest is a urlset; there is one in each package.", "Put each manifest into its own package.";

    PATCH_TYPE = Error "RS-14.4-type-missing", "ResourceSync, 14.4", "A link to a patch has the media type of the patch.", "Add type=\"…\" to the link.";
    PATCH_NOT_USED = Error "RS-14.4-not-used", "ResourceSync, 14.4", "Links to patches are for Change Lists and Change Dump Manifests only.", "Remove the link.";
    PATCH_PATH = Error "RS-14.4-path-missing", "ResourceSync, 14.4", "In a Change Dump Manifest a link to a patch has the path of the patch in the package.", "Add path=\"/…\" to the link.";

    MEMENTO_LASTMOD = Error "RS-14.6-lastmod-missing", "ResourceSync 1.0, 14.6", "In version 1.0 an entry with links to versions has a lastmod.", "Add the lastmod.";

    ARCHIVE_UP = Error "RSA-up-missing", "ResourceSync Archives, 3 to 6", "An archive links up to its Capability List.", "Add <rs:ln rel=\"up\" href=\"…\"/>.";
    ARCHIVE_ENTRY = Note "RSA-entry-time-missing", "ResourceSync Archives, 3 to 6", "The entries of an archive should say which time they speak of.", "Add at, or from and until, to the entry's rs:md.";
    NOTIFICATION_CHANGE = Error "RSN-change-missing", "ResourceSync Notification, 3", "Each entry of a notification says what kind of change it is.", "Add <rs:md change=\"…\"/> to the entry.";
}

/// The rule that asks this kind of document for its `up` link, if one does.
pub(crate) fn up_missing(capability: Capability, form: Form) -> Option<&'static Rule> {
    Some(match (capability, form) {
        (Capability::CapabilityList, _) => CAPABILITYLIST_UP,
        (Capability::ResourceList, Form::List) => RESOURCELIST_UP,
        (Capability::ResourceList, Form::Index) => RESOURCELISTINDEX_UP,
        (Capability::ResourceDump, _) => RESOURCEDUMP_UP,
        (Capability::ResourceDumpManifest, _) => MANIFEST_UP,
        (Capability::ChangeList, Form::List) => CHANGELIST_UP,
        (Capability::ChangeList, Form::Index) => CHANGELISTINDEX_UP,
        (Capability::ChangeDump, _) => CHANGEDUMP_UP,
        (Capability::ChangeDumpManifest, _) => CHANGEMANIFEST_UP,
        (capability, _) if capability.is_archive() => ARCHIVE_UP,
        _ => return None,
    })
}

/// The rule that asks this kind of document for its mandatory time, `at` or `from`, if one does.
pub(crate) fn time_missing(capability: Capability, form: Form) -> Option<&'static Rule> {
    Some(match (capability, form) {
        (Capability::ResourceList, Form::List) => RESOURCELIST_AT,
        (Capability::ResourceList, Form::Index) => RESOURCELISTINDEX_AT,
        (Capability::ResourceDump, _) => RESOURCEDUMP_AT,
        (Capability::ResourceDumpManifest, _) => MANIFEST_AT,
        (Capability::ChangeList, Form::List) => CHANGELIST_FROM,
        (Capability::ChangeList, Form::Index) => CHANGELISTINDEX_FROM,
        (Capability::ChangeDump, _) => CHANGEDUMP_FROM,
        (Capability::ChangeDumpManifest, _) => CHANGEMANIFEST_FROM,
        _ => return None,
    })
}
