//! A list, or all the parts of one.

use tidings_document::{
    Capability, DocumentRequest, FailurePolicy, SourceWalk, WalkLimits, WalkOrder, WalkPolicy,
    WalkScope,
};
use tidings_web::Validators;
use url::Url;

use crate::SyncError;
use crate::documents::{Document, Documents, Summary};

/// A list with all its parts, in their order: without its first document there is no list, and a part
/// that is missing is reported.
pub(crate) const LIST_POLICY: WalkPolicy = WalkPolicy {
    limits: WalkLimits {
        max_levels: WalkLimits::MAX_INDEX_LEVELS,
        max_listed: 200_000,
        ..WalkLimits::DEFAULT
    },
    order: WalkOrder::DepthFirst,
    scope: WalkScope::Parts,
    on_failure: FailurePolicy::EndWithAnyStart,
};

/// The documents of a list that are still to be read, in their order.
pub(crate) struct Parts {
    walk: SourceWalk<Url, ()>,
    /// Documents that could not be had, or not used in full: which, and why. Who glances at documents has
    /// to look at their entries for it.
    pub(crate) missing: Vec<(String, SyncError)>,
    /// What a document must say of itself, if it says anything.
    expected: Option<Capability>,
    /// The first document: of an index, what all parts are of.
    pub(crate) top: Option<Top>,
    /// That document, if it is there already.
    first: Option<Document>,
    /// True if documents are read once, and not to their end first.
    glances: bool,
}

/// A document that is to be read.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) url: Url,
    pub(crate) level: usize,
}

/// What there is to know of the first document.
#[derive(Debug, Clone)]
pub(crate) struct Top {
    pub(crate) url: Url,
    pub(crate) summary: Summary,
    pub(crate) validators: Validators,
    /// True if each of its parts says when it changed.
    pub(crate) dates_parts: bool,
}

impl Parts {
    pub(crate) fn new(urls: impl IntoIterator<Item = Url>, expected: Option<Capability>) -> Self {
        let mut walk = SourceWalk::new(LIST_POLICY);
        for url in urls {
            walk.start(url, ());
        }
        Self { walk, missing: Vec::new(), expected, top: None, first: None, glances: false }
    }

    /// The same for whoever changes nothing: documents are not read to their end before they are
    /// handed out, and do not say how many entries they have.
    pub(crate) fn to_look_at(
        urls: impl IntoIterator<Item = Url>,
        expected: Option<Capability>,
    ) -> Self {
        Self { glances: true, ..Self::new(urls, expected) }
    }

    /// The same, with the first document at hand.
    pub(crate) fn with(url: Url, document: Document, expected: Option<Capability>) -> Self {
        Self { first: Some(document), ..Self::new([url], expected) }
    }

    /// The same, with more documents after the first.
    pub(crate) fn and(mut self, urls: &[Url]) -> Self {
        for url in urls {
            self.walk.start(url.clone(), ());
        }
        self
    }

    /// The next document that lists something else than documents, read to its end once. `skip` says
    /// which parts of an index need not be read.
    ///
    /// The first document has to be there. Of an index, a part that is missing is only remembered.
    pub(crate) fn next(
        &mut self,
        documents: &mut Documents,
        mut skip: impl FnMut(&Part) -> bool,
    ) -> Result<Option<(Part, Document, Summary)>, SyncError> {
        while let Some(DocumentRequest { url, depth: level, .. }) = self.walk.next_request() {
            let part = Part { url, level };
            if level > 0 && skip(&part) {
                continue;
            }
            let (mut document, summary) = match self.read(documents, &part) {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                Err(error) if !self.walk.fail(level, false) => return Err(error),
                Err(error) => {
                    self.missing.push((part.url.to_string(), error));
                    continue;
                }
            };
            let is_index = summary.is_index();
            if self.top.is_none() {
                self.top = Some(Top {
                    url: part.url.clone(),
                    summary: summary.clone(),
                    validators: document.validators.clone(),
                    dates_parts: true,
                });
            }
            if is_index {
                self.unfold(&part, &mut document)?;
            }
            if let Err(error) = document.check_entries(&part.url) {
                self.missing.push((part.url.to_string(), error));
            }
            if !is_index {
                return Ok(Some((part, document, summary)));
            }
        }
        Ok(None)
    }

    fn read(
        &mut self,
        documents: &mut Documents,
        part: &Part,
    ) -> Result<Option<(Document, Summary)>, SyncError> {
        let url = part.url.to_string();
        let mut document = match self.first.take() {
            Some(document) => document,
            None => match documents.get(&part.url, Validators::default())? {
                Some(document) => document,
                None => return Ok(None),
            },
        };
        let summary = if self.glances { document.glance()? } else { document.summary()? };
        let found = summary.head.capability();
        if let (Some(expected), Some(found)) = (self.expected, found)
            && expected != found
            && !is_sibling(expected, found)
        {
            let reason =
                format!("it is {}, and should be a {}", summary.head.title(), expected.name());
            return Err(SyncError::Document { url, reason });
        }
        // A page of something else may well look like that, and would have everything deleted.
        if found.is_none() && summary.entries == 0 && !self.glances {
            let reason = "it is empty, and does not say what it is".to_owned();
            return Err(SyncError::Document { url, reason });
        }
        Ok(Some((document, summary)))
    }

    /// Puts the parts of an index in its place.
    fn unfold(&mut self, part: &Part, document: &mut Document) -> Result<(), SyncError> {
        if !LIST_POLICY.allows_below(part.level) {
            self.miss(part.url.as_str(), "indexes are nested too deep");
            return Ok(());
        }
        let limit = LIST_POLICY.limits.max_listed;
        let (mut parts, mut unusable, mut all_dated) = (Vec::new(), Vec::new(), true);
        document.each(|entry, base| {
            let Ok(mut url) = base.join(entry.loc.trim()) else {
                unusable.push(entry.loc.to_string());
                return Ok(());
            };
            url.set_fragment(None);
            let metadata = &entry.metadata;
            let has_time = entry.lastmod.is_some() || metadata.at.is_some();
            all_dated &= has_time || metadata.until.is_some();
            // One more than the limit is enough to see that there are too many.
            if parts.len() <= limit {
                parts.push((url, ()));
            }
            Ok(())
        })?;
        unusable.iter().for_each(|loc| self.miss(loc, "it is no URL"));
        if let Some(top) = &mut self.top {
            top.dates_parts &= all_dated;
        }
        if self.walk.list(part.level, parts) > 0 {
            self.miss(part.url.as_str(), &format!("the list has more than {limit} documents"));
        }
        Ok(())
    }

    fn miss(&mut self, url: &str, reason: &str) {
        let (url, reason) = (url.to_owned(), reason.to_owned());
        self.missing.push((url.clone(), SyncError::Unreadable { url, reason }));
    }
}

/// A document that came under another name than it should, in the wild forms that are known.
fn is_sibling(expected: Capability, found: Capability) -> bool {
    use Capability::{ChangeList, ChangeListArchive, ResourceList, ResourceListArchive};
    matches!(
        (expected, found),
        (ChangeList, ChangeListArchive) | (ResourceList, ResourceListArchive)
    )
}
