//! What of the Source is wanted.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tidings_document::{Change, Entry};
use tidings_source::Selection;

use crate::mapping::Uri;
use crate::{SyncError, SyncOptions};

/// What a copy has of its Source, as the state remembers it: who chooses otherwise has everything compared
/// again, and an audit looks for nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Choice {
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) collection: Option<String>,
    pub(crate) prefer: Option<String>,
    pub(crate) descriptions: bool,
}

/// The same, ready to choose by.
#[derive(Debug)]
pub(crate) struct Chooser {
    selection: Option<Selection>,
    collection: Option<String>,
}

impl Choice {
    pub(crate) fn of(options: &SyncOptions) -> Self {
        let sorted = |globs: &[String]| {
            let mut globs = globs.to_vec();
            globs.sort();
            globs
        };
        Self {
            include: sorted(&options.include),
            exclude: sorted(&options.exclude),
            collection: options.collection.clone(),
            prefer: options.prefer.clone(),
            descriptions: options.descriptions,
        }
    }

    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(crate) fn of_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Puts it into the options of a run.
    pub(crate) fn apply(self, options: &mut SyncOptions) {
        options.include = self.include;
        options.exclude = self.exclude;
        options.collection = self.collection;
        options.prefer = self.prefer;
        options.descriptions = self.descriptions;
    }

    pub(crate) fn chooser(&self) -> Result<Chooser, SyncError> {
        let selection = match self.include.is_empty() && self.exclude.is_empty() {
            true => None,
            false => Some(Selection::new(&self.include, &self.exclude, true)?),
        };
        Ok(Chooser { selection, collection: self.collection.clone() })
    }
}

impl Chooser {
    /// True if some of the Source is not wanted.
    pub(crate) fn is_partial(&self) -> bool {
        self.selection.is_some() || self.collection.is_some()
    }

    /// True if the resource of an entry is wanted. What was deleted seldom says to which collection it
    /// belonged.
    pub(crate) fn takes(&self, entry: &Entry<'_>, uri: &Uri<'_>) -> bool {
        let selected = self
            .selection
            .as_ref()
            .is_none_or(|selection| selection.takes_path(Path::new(path_of(uri.as_str()))));
        let is_deleted = entry.metadata.change == Some(Change::Deleted);
        selected
            && self.collection.as_deref().is_none_or(|collection| {
                let belongs = |link: &&tidings_document::Link<'_>| link.is("collection");
                is_deleted || entry.links.iter().filter(belongs).any(|link| link.href == collection)
            })
    }
}

/// The path of a URI, without the slash at its beginning.
fn path_of(uri: &str) -> &str {
    let path = uri.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
    let path = path.map_or("", |(_, path)| path);
    path.split('?').next().unwrap_or_default()
}
