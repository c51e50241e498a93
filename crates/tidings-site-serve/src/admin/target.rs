//! The object that a page of the administration is about.

use std::sync::Arc;

use tidings_site::{FrontMatter, Kind, ObjectId, PageMeta, Place};

use super::frame::{Refused, Visit};
use crate::state::SiteState;

/// How much of a file is read for its front matter.
const OPENING: usize = 64 << 10;

/// An object: one of the books, or one that is left out of them for what it says of itself.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) id: ObjectId,
    pub(super) place: Place,
    /// None if it is left out.
    pub(super) meta: Option<Arc<PageMeta>>,
}

impl Target {
    /// What has that id.
    pub(super) fn find(state: &SiteState, id: ObjectId) -> Option<Self> {
        if let Some(meta) = state.cache.any(id) {
            return Some(Self { id, place: meta.place.clone(), meta: Some(meta) });
        }
        if let Some(number) = state.cache.versions(id).last() {
            return Some(Self { id, place: Place::Version { number: *number }, meta: None });
        }
        let findings = state.cache.findings();
        let mut left_out = findings.iter().filter(|finding| !finding.fault.is_served());
        let path = left_out.find_map(|finding| {
            let path = finding.place.strip_prefix("pages/")?;
            let own = pinned(state, path);
            let is_it = ObjectId::of_path(path) == id || own == Some(id);
            is_it.then(|| (path, own.unwrap_or(id)))
        });
        let (path, id) = path?;
        Some(Self { id, place: Place::File { path: path.into() }, meta: None })
    }

    /// The same by what a URL says.
    pub(super) async fn named(visit: &Visit<'_>, id: &str) -> Result<Self, Refused> {
        let found = match ObjectId::parse(id) {
            Some(id) => visit.blocking(move |state| Self::find(state, id)).await?,
            None => None,
        };
        found.ok_or_else(|| {
            visit.missing("There is no such page or file; it may have been deleted.")
        })
    }

    pub(super) fn is_plain(&self) -> bool {
        matches!(self.place, Place::File { .. })
    }

    /// Whether it is sent as it is. What is left out can only be mended as a page.
    pub(super) fn is_file(&self) -> bool {
        self.meta.as_ref().is_some_and(|meta| meta.kind == Kind::Blob)
    }

    /// What it is called in messages.
    pub(super) fn title(&self) -> String {
        let title = self.meta.as_ref().map(|meta| meta.title.to_string());
        title.filter(|title| !title.is_empty()).unwrap_or_else(|| self.place.path(self.id))
    }

    /// Where it is served, if it is.
    pub(super) fn url(&self, state: &SiteState) -> Option<String> {
        state.cache.get(self.id).map(|meta| meta.url_path())
    }
}

/// The id that a file names, so that it keeps it.
fn pinned(state: &SiteState, path: &str) -> Option<ObjectId> {
    let (bytes, _) = state.cache.root().read(&format!("pages/{path}"), OPENING).ok()?;
    let (matter, _) = FrontMatter::read(&bytes).ok()?;
    ObjectId::parse(&matter.id?)
}
