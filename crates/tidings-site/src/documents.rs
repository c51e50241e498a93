//! The site as a ResourceSync Source, written while it is sent.
//!
//! Parts of lists and packages are named by the paths between which they lie, and not by numbers: what is
//! added or removed while somebody takes them one after the other moves nothing from one to another.

use std::io::Write;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tidings_document::{
    Capability, Entry, Form, Head, Link, Metadata, Moment, Precision, WriteError, Writer,
};

use crate::journal::{Journal, JournalError, MOST_CHANGES, Millis};
use crate::listing::Listing;
use crate::origin::Origin;
use crate::page_meta::{Kind, PageMeta};
use crate::place::Place;

/// The Source Description (section 8).
pub const DESCRIPTION: &str = "/.well-known/resourcesync";
/// The Capability List.
pub const CAPABILITY_LIST: &str = "/resourcesync/capabilitylist.xml";
/// The Resource List, or the index of its parts.
pub const RESOURCE_LIST: &str = "/resourcesync/resourcelist.xml";
/// A part of the Resource List.
pub const RESOURCE_LIST_PART: &str = "/resourcesync/resourcelist-part.xml";
/// The Change List.
pub const CHANGE_LIST: &str = "/resourcesync/changelist.xml";
/// The Resource Dump.
pub const RESOURCE_DUMP: &str = "/resourcesync/resourcedump.xml";
/// A package of the Resource Dump.
pub const PACKAGE: &str = "/resourcesync/resourcedump-part.zip";
/// A TimeGate; the id of an object follows.
pub const TIMEGATE: &str = "/builtin/timegate/";

/// Resources in one part of a list: with room for those that are added before it is taken.
const MOST_ENTRIES: usize = 40_000;
/// The bytes of one part, with room for what is around.
const MOST_BYTES: usize = 45 << 20;
/// What an entry has besides its path, at the most.
const EACH: usize = 800;
/// Resources in one package.
const MOST_PACKED: usize = 5_000;

/// Why a document could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// Who reads it went away, or it cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Between which paths something lies: from the first, up to the second and without it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Between {
    /// None: from the beginning.
    pub from: Option<String>,
    /// None: to the end.
    pub until: Option<String>,
}

impl Between {
    fn query(&self) -> String {
        let named = |name: &str, path: &Option<String>| {
            path.as_ref()
                .map(|path| format!("{name}={}", utf8_percent_encode(path, NON_ALPHANUMERIC)))
        };
        let both = [named("from", &self.from), named("until", &self.until)];
        let both: Vec<String> = both.into_iter().flatten().collect();
        if both.is_empty() { String::new() } else { format!("?{}", both.join("&")) }
    }
}

fn moment(at: Millis) -> Option<Moment> {
    let nanos = u32::try_from(at.rem_euclid(1_000)).unwrap_or_default() * 1_000_000;
    Moment::from_unix(at.div_euclid(1_000), nanos, Precision::Fraction(3))
}

fn second(seconds: i64) -> Option<Moment> {
    Moment::from_unix(seconds, 0, Precision::Second)
}

fn at(millis: Millis) -> Moment {
    // Only years beyond 9999 have none.
    moment(millis).or_else(|| second(0)).unwrap_or_else(|| unreachable!("1970 is a year"))
}

/// Documents for whoever came by an origin.
#[derive(Debug, Clone)]
pub struct Documents<'a> {
    /// What all URLs begin with.
    pub origin: &'a Origin,
    /// Since when all pages have had around them what they have now, in seconds since 1970.
    pub shell_since: i64,
}

impl Documents<'_> {
    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// The Source Description.
    pub fn description(&self, out: impl Write) -> Result<(), DocumentError> {
        let mut writer = Writer::new(out, &Head::description(Form::List))?;
        let mut entry = self.capability(CAPABILITY_LIST, Capability::CapabilityList);
        entry.links.push(Link::new("describes", self.url("/")));
        writer.write(&entry)?;
        writer.finish()?;
        Ok(())
    }

    /// The Capability List.
    pub fn capability_list(&self, out: impl Write) -> Result<(), DocumentError> {
        let head = Head::capability_list(self.url(DESCRIPTION));
        // What feeds of changes are told to be about (IFCC-0001).
        let head = head.with_link(Link::new("describes", self.url("/")));
        let mut writer = Writer::new(out, &head)?;
        writer.write(&self.capability(RESOURCE_LIST, Capability::ResourceList))?;
        writer.write(&self.capability(RESOURCE_DUMP, Capability::ResourceDump))?;
        writer.write(&self.capability(CHANGE_LIST, Capability::ChangeList))?;
        writer.finish()?;
        Ok(())
    }

    fn capability(&self, path: &str, capability: Capability) -> Entry<'static> {
        let mut entry = Entry::new(self.url(path));
        entry.metadata.capability = Some(capability);
        entry
    }

    /// The Resource List, or the index of its parts if there is more than one list can have.
    pub fn resource_list(
        &self,
        listing: &Listing,
        now: Millis,
        out: impl Write,
    ) -> Result<(), DocumentError> {
        let parts = cut(listing, MOST_ENTRIES, MOST_BYTES);
        if parts.len() == 1 {
            return self.resource_list_part(listing, &Between::default(), now, false, out);
        }
        let up = self.url(CAPABILITY_LIST);
        let head = Head::snapshot(Capability::ResourceList, Form::Index, at(now), up);
        let mut writer = Writer::new(out, &head)?;
        for part in parts {
            let mut entry = Entry::new(self.url(&format!("{RESOURCE_LIST_PART}{}", part.query())));
            entry.metadata.at = Some(at(now));
            writer.write(&entry)?;
        }
        writer.finish()?;
        Ok(())
    }

    /// One part of the Resource List.
    pub fn resource_list_part(
        &self,
        listing: &Listing,
        between: &Between,
        now: Millis,
        is_part: bool,
        out: impl Write,
    ) -> Result<(), DocumentError> {
        let up = self.url(CAPABILITY_LIST);
        let mut head = Head::snapshot(Capability::ResourceList, Form::List, at(now), up);
        if is_part {
            head = head.with_link(Link::new("index", self.url(RESOURCE_LIST)));
        }
        let mut writer = Writer::new(out, &head)?;
        for meta in listing.between(between.from.as_deref(), between.until.as_deref()) {
            // If so many were added since the index was made that there is no room, the list is broken
            // off, so that nobody takes it for whole; the next look finds another cut.
            writer.write(&self.resource(meta))?;
        }
        writer.finish()?;
        Ok(())
    }

    /// What is said of a resource.
    fn resource(&self, meta: &PageMeta) -> Entry<'static> {
        let mut entry = Entry::new(self.url(&meta.url_path()));
        // A page is changed by what is around it, too. The sitemap does not say so: it is for those who
        // look for what people wrote.
        let around = if meta.kind == Kind::Markdown { self.shell_since } else { i64::MIN };
        entry.lastmod = second(meta.last_modified().max(around));
        entry.metadata = Metadata {
            media_type: Some(essence(meta.sent_type()).to_owned().into()),
            length: meta.sent_length(),
            ..Metadata::default()
        };
        if matches!(meta.place, Place::Version { .. }) {
            let timegate = self.url(&format!("{TIMEGATE}{}", meta.id));
            entry.links.push(Link::new("timegate", timegate));
        }
        entry
    }

    /// What is said of a resource in the manifest of a package.
    pub(crate) fn packed(&self, meta: &PageMeta, path: String, length: u64) -> Entry<'static> {
        let mut entry = self.resource(meta);
        entry.links.clear();
        entry.metadata.path = Some(path.into());
        entry.metadata.length = Some(length);
        entry
    }

    /// The head of a manifest.
    pub(crate) fn manifest(&self, now: Millis) -> Head<'static> {
        let up = self.url(CAPABILITY_LIST);
        Head::snapshot(Capability::ResourceDumpManifest, Form::List, at(now), up)
    }

    /// The Change List: all changes that are kept, and those to come.
    pub fn change_list(&self, journal: &Journal, out: impl Write) -> Result<(), DocumentError> {
        let up = self.url(CAPABILITY_LIST);
        let from = journal.from()?;
        let head = Head::interval(Capability::ChangeList, Form::List, at(from), None, up);
        let mut writer = Writer::new(out, &head)?;
        let mut after = from - 1;
        loop {
            let some = journal.changes(after, 1_000)?;
            let Some(last) = some.last().map(|change| change.at) else { break };
            after = last;
            for change in some {
                let mut entry = Entry::new(self.url(&change.path));
                entry.lastmod = second(change.modified);
                entry.metadata = Metadata {
                    change: Some(change.change),
                    datetime: moment(change.at),
                    ..Metadata::default()
                };
                if change.change != tidings_document::Change::Deleted {
                    entry.metadata.media_type = Some(essence(&change.mime).to_owned().into());
                    entry.metadata.length = change.length;
                }
                writer.write(&entry)?;
            }
        }
        writer.finish()?;
        Ok(())
    }

    /// The Resource Dump: packages that are made when they are asked for.
    pub fn resource_dump(
        &self,
        listing: &Listing,
        now: Millis,
        out: impl Write,
    ) -> Result<(), DocumentError> {
        let up = self.url(CAPABILITY_LIST);
        let head = Head::snapshot(Capability::ResourceDump, Form::List, at(now), up);
        let mut writer = Writer::new(out, &head)?;
        for part in cut(listing, MOST_PACKED, usize::MAX) {
            let mut entry = Entry::new(self.url(&format!("{PACKAGE}{}", part.query())));
            entry.metadata.media_type = Some("application/zip".into());
            entry.metadata.at = Some(at(now));
            writer.write(&entry)?;
        }
        writer.finish()?;
        Ok(())
    }
}

/// A media type without its parameters, which have no place in a document.
fn essence(mime: &str) -> &str {
    mime.split(';').next().unwrap_or(mime).trim()
}

fn cut(listing: &Listing, most: usize, bytes: usize) -> Vec<Between> {
    let parts = listing.parts(most, bytes, EACH);
    let last = parts.len() - 1;
    let first = |chunk: usize| listing.chunks()[chunk].metas().next().map(|meta| meta.url_path());
    let each = parts.iter().enumerate().map(|(number, chunks)| Between {
        from: if number == 0 { None } else { first(chunks.start) },
        until: if number == last { None } else { first(chunks.end) },
    });
    each.collect()
}

const _: () =
    assert!(MOST_CHANGES <= 50_000, "a Change List has room for all changes that are kept");
