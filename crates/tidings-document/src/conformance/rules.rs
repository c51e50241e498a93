//! The rules at work on one document.

use super::seen::Seen;
use super::{Profile, Spec};
use crate::{Capability, Entry, Form, Head, Metadata, Moment, Rule, Severity, rule};

/// A rule that is broken, before it is known where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) rule: &'static Rule,
    /// What the line to blame holds.
    pub(crate) about: &'static str,
    pub(crate) detail: String,
}

/// Holds a document against the rules, entry by entry.
pub(crate) struct Rules {
    pub(super) spec: Spec,
    pub(super) profile: Profile,
    pub(super) capability: Option<Capability>,
    pub(super) form: Form,
    pub(super) document: Metadata<'static>,
    /// The document's URL, where it is known.
    pub(super) url: Option<String>,
    /// The URIs met so far; none where they are not looked at.
    pub(super) seen: Option<Seen>,
    /// The time of the last change that had one.
    pub(super) latest: Option<Moment>,
    /// True once a change had a `datetime`: then `lastmod` says nothing about the order.
    pub(super) dated: bool,
    /// The last entry's interval, in an index or a dump of changes.
    pub(super) interval: Option<(Moment, Option<Moment>)>,
    /// The media type of the first package.
    pub(super) format: Option<String>,
    /// The capabilities listed so far.
    pub(super) listed: Vec<Capability>,
    pub(super) change_lists: u64,
    /// True once ResourceSync's elements were met.
    pub(super) resourcesync: bool,
    has_metadata: bool,
}

impl Rules {
    /// The rules for a document with that head; what its head breaks goes into `hits`.
    /// `has_metadata` is false where it has no `rs:md` of its own.
    pub(crate) fn new(
        head: &Head<'_>,
        has_metadata: bool,
        spec: Spec,
        profile: Profile,
        url: Option<&str>,
        hits: &mut Vec<Hit>,
    ) -> Self {
        let rules = Self {
            spec,
            profile,
            capability: head.capability(),
            form: head.form,
            document: head.metadata.clone().into_owned(),
            url: url.map(str::to_owned),
            seen: None,
            latest: None,
            dated: false,
            interval: None,
            format: None,
            listed: Vec::new(),
            change_lists: 0,
            resourcesync: has_metadata || !head.links.is_empty(),
            has_metadata,
        };
        rules.head(head, has_metadata, hits);
        rules
    }

    /// The same, looking for URIs that are listed twice as well.
    pub(crate) fn with_duplicates(mut self) -> Self {
        self.seen = Some(Seen::default());
        self
    }

    /// Holds the next entry against the rules.
    pub(crate) fn entry(&mut self, entry: &Entry<'_>, hits: &mut Vec<Hit>) {
        self.check_entry(entry, hits);
    }

    /// Holds an entry against the rules as if it came next, but remembers it only if it breaks none
    /// that counts as an error.
    pub(crate) fn admit(&mut self, entry: &Entry<'_>, hits: &mut Vec<Hit>) {
        let (latest, dated, interval) = (self.latest, self.dated, self.interval);
        let (listed, change_lists) = (self.listed.len(), self.change_lists);
        let (has_format, resourcesync) = (self.format.is_some(), self.resourcesync);
        self.check_entry(entry, hits);
        if hits.iter().any(|hit| hit.rule.severity == Severity::Error) {
            (self.latest, self.dated, self.interval) = (latest, dated, interval);
            self.listed.truncate(listed);
            (self.change_lists, self.resourcesync) = (change_lists, resourcesync);
            if !has_format {
                self.format = None;
            }
        }
    }

    /// What can be said only at the end.
    pub(crate) fn finish(&mut self, entries: u64, bytes: u64, hits: &mut Vec<Hit>) {
        let mut hit = |rule, detail: String| hits.push(Hit { rule, about: "", detail });
        if entries > 50_000 {
            hit(rule::sitemap::ENTRIES, format!("{entries} entries"));
        }
        if bytes > 50 << 20 {
            hit(rule::sitemap::BYTES, format!("{bytes} bytes"));
        }
        let wanted = matches!(self.profile, Profile::ResourceSync | Profile::Ifcc);
        if !self.has_metadata && self.profile != Profile::Sitemap && (wanted || self.resourcesync) {
            hit(rule::resourcesync::MD_MISSING, "the document has no rs:md of its own".into());
        } else if !self.has_metadata && entries == 0 {
            hit(rule::sitemap::NO_ENTRIES, "the Sitemap is empty".into());
        }
        if self.profile == Profile::Sitemap && self.resourcesync {
            hit(rule::sitemap::RESOURCESYNC, "ResourceSync's elements in a Sitemap".into());
        }
        let capability_list = self.capability == Some(Capability::CapabilityList);
        if self.profile == Profile::Ifcc && capability_list && self.change_lists != 1 {
            hit(
                rule::ifcc::CAPABILITYLIST_CHANGELIST,
                format!("{} Change Lists", self.change_lists),
            );
        }
    }
}
