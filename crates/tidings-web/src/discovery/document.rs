//! Reads what is at a URL, as far as discovery needs it.

use std::io::{BufRead, Seek};
use std::sync::Arc;

use tidings_document::{Capability, Entry, Form, Head, ReadError, ReadOptions, Reader};
use url::Url;

use super::DiscoveryFailure;
use super::source::{Offer, SourceSet};
use crate::body::sha256;
use crate::charset::charset;
use crate::html_links::{MOST_BYTES, html_links};
use crate::link_header::link_header;
use crate::opening::opening;
use crate::{Fetched, Validators, WebLink};

/// What was found at a URL.
#[derive(Clone)]
pub(super) enum ProbeResult {
    Document(Arc<ProbedDocument>),
    Other(Arc<NonDocument>),
}

/// Something that is not a document, with its links.
pub(super) struct NonDocument {
    /// Those of the answer's head.
    pub(super) header: Vec<WebLink>,
    /// Those of the page, if it is one.
    pub(super) page: Vec<WebLink>,
    /// Why it is not a document.
    pub(super) failure: DiscoveryFailure,
}

/// A document of a Source, or a Sitemap.
pub(super) struct ProbedDocument {
    /// The URL that was asked for.
    pub(super) asked: Url,
    /// The URLs on the way from there to the one that answered, which is the last.
    places: Vec<Url>,
    pub(super) head: Head<'static>,
    /// Its entries, where they are documents; those of a list are not looked at.
    pub(super) entries: Vec<Entry<'static>>,
    /// How many more entries it has that name nothing.
    pub(super) lost_entries: u64,
    /// True if it says nothing of its own kind, and its first entry is a document of ResourceSync.
    pub(super) lists_capabilities: bool,
    /// What it can be asked for again by.
    pub(super) validators: Validators,
    /// The digest of a Source Description, a Capability List, or an index of such.
    pub(super) digest: Option<String>,
}

impl ProbeResult {
    /// Looks at what was fetched, from `asked` on.
    pub(super) fn new(asked: &Url, fetched: Fetched) -> std::io::Result<Self> {
        // One that was changed a moment ago may change again without another validator.
        let validators =
            if fetched.is_fresh { Validators::default() } else { fetched.validators() };
        let url = fetched.url;
        let options = ReadOptions {
            charset: fetched.content_type.as_deref().and_then(charset),
            ..ReadOptions::default()
        };
        let mut body = fetched.body.into_reader();
        let reason = match read(&mut body, options) {
            Ok(Content { head, entries, lost_entries, lists_capabilities }) => {
                let digest = if is_of_documents(&head) && head.capability().is_some() {
                    body.rewind()?;
                    Some(sha256(&mut body)?)
                } else {
                    None
                };
                let places = fetched.redirects.into_iter().chain([url]).collect();
                let document = ProbedDocument {
                    asked: asked.clone(),
                    places,
                    head,
                    entries,
                    lost_entries,
                    lists_capabilities,
                    validators,
                    digest,
                };
                return Ok(Self::Document(Arc::new(document)));
            }
            Err(ReadError::Document(finding)) => {
                // It may quote the document, which is not to reach a terminal as it is.
                let detail = tidings_base::text::visible_in_terminal(&finding.detail);
                format!("{url} is no such document: {detail}")
            }
            Err(ReadError::Io(error)) => return Err(error),
            Err(error) => format!("{url} cannot be read: {error}"),
        };
        body.rewind()?;
        let header = link_header(fetched.links.iter().map(String::as_str), &url);
        let page = html_links(&opening(body, MOST_BYTES)?, &url);
        let failure = DiscoveryFailure::Unusable(reason);
        Ok(Self::Other(Arc::new(NonDocument { header, page, failure })))
    }
}

/// The head of a document, and its entries where they are documents.
fn read(body: &mut impl BufRead, options: ReadOptions) -> Result<Content, ReadError> {
    let mut reader = Reader::with_options(body, options);
    let head = reader.head()?.clone();
    let (mut entries, mut lost_entries) = (Vec::new(), 0);
    let mut lists_capabilities = false;
    if is_of_documents(&head) {
        while let Some(entry) = reader.next_entry()? {
            entries.push(entry.into_owned());
        }
        lost_entries = reader.entries().saturating_sub(entries.len() as u64);
    } else if head.capability().is_none()
        && let Some(entry) = reader.next_entry()?
    {
        lists_capabilities = entry.metadata.capability.is_some();
    }
    if head.capability().is_none() {
        lists_capabilities |= entries.iter().any(|entry| entry.metadata.capability.is_some());
    }
    Ok(Content { head, entries, lost_entries, lists_capabilities })
}

/// The parts of a document that are looked at.
struct Content {
    head: Head<'static>,
    entries: Vec<Entry<'static>>,
    lost_entries: u64,
    lists_capabilities: bool,
}

fn is_of_documents(head: &Head<'_>) -> bool {
    head.form == Form::Index
        || matches!(head.capability(), Some(Capability::Description | Capability::CapabilityList))
}

impl ProbedDocument {
    pub(super) fn capability(&self) -> Option<Capability> {
        self.head.capability()
    }

    /// Why a document is not one of ResourceSync though it should be: it does not say of which kind it
    /// is. A plain Sitemap is fine anywhere but at the well-known place.
    pub(super) fn missing_root(&self, is_well_known: bool) -> Option<DiscoveryFailure> {
        if self.capability().is_some() || !(is_well_known || self.lists_capabilities) {
            return None;
        }
        let asked = &self.asked;
        Some(DiscoveryFailure::Unusable(if is_well_known {
            format!(
                "{asked} is not a Source Description: its root has no <rs:md \
                 capability=\"description\"/> (ResourceSync, 8); add it before the first entry"
            )
        } else {
            format!(
                "{asked} lists documents of ResourceSync, and its root has no <rs:md \
                 capability=\"…\"/>; add it before the first entry"
            )
        }))
    }

    pub(super) fn is_index(&self) -> bool {
        self.head.form == Form::Index
    }

    /// The URL that a reference in this document means; relative ones are seen.
    pub(super) fn resolve(&self, reference: &str) -> Option<Url> {
        let base = self.places.last().unwrap_or(&self.asked);
        let mut url = base.join(reference.trim()).ok()?;
        url.set_fragment(None);
        Some(url)
    }

    /// What there is to say of entries that name nothing.
    pub(super) fn entries_failure(&self) -> Option<DiscoveryFailure> {
        let unusable = self.entries.iter().filter(|entry| self.resolve(&entry.loc).is_none());
        let lost = self.lost_entries + unusable.count() as u64;
        let reason = format!(
            "{} cannot be relied on: {lost} of its entries cannot be used, as their loc is no URL",
            self.asked
        );
        (lost > 0).then_some(DiscoveryFailure::Unusable(reason))
    }

    /// Where its first link of that relation type leads.
    pub(super) fn link(&self, rel: &str) -> Option<Url> {
        self.resolve(&self.head.link(rel)?.href)
    }

    /// Whether that URL leads to this document.
    pub(super) fn is_at(&self, url: &Url) -> bool {
        self.asked == *url || self.places.contains(url)
    }

    /// Whether it has an entry for another document.
    pub(super) fn lists(&self, other: &Self) -> bool {
        let locs = self.entries.iter().filter_map(|entry| self.resolve(&entry.loc));
        locs.into_iter().any(|url| other.is_at(&url))
    }

    /// What the document offers by itself.
    pub(super) fn offer(&self) -> Offer {
        Offer {
            capability: self.capability().unwrap_or(Capability::ResourceList),
            url: self.asked.clone(),
            is_sitemap: self.capability().is_none(),
            metadata: self.head.metadata.clone(),
            is_index: Some(self.is_index()),
        }
    }

    /// The set of a document that stands alone.
    pub(super) fn alone(&self) -> SourceSet {
        SourceSet {
            name: String::new(),
            capability_list: None,
            describes: self.link("describes"),
            described_otherwise: None,
            described_by: self.link("describedby"),
            described_also_by: None,
            offers: vec![self.offer()],
            links: self.head.links.clone(),
        }
    }
}
