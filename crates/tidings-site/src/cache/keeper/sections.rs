//! Folders that are for nobody because of the page of their section: Zola's `draft`, and Hugo's `cascade`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::folders::path_of;
use super::{Keeper, Look, Wanted};

/// The pages that close the folder they are in, by folder and name, with the time since when their file is gone.
#[derive(Debug, Default)]
pub(super) struct Sections {
    closing: BTreeMap<Box<str>, BTreeMap<Box<str>, Option<Instant>>>,
    /// Folders that were closed or opened since their files were looked at.
    changed: BTreeSet<Box<str>>,
}

impl Sections {
    /// The page of a section was read.
    pub(super) fn put(&mut self, folder: &str, name: &str, is_closing: bool) {
        let was_closed = self.is_closed(folder);
        if is_closing {
            self.closing.entry(folder.into()).or_default().insert(name.into(), None);
        } else if let Some(pages) = self.closing.get_mut(folder) {
            pages.remove(name);
        }
        self.closing.retain(|_, pages| !pages.is_empty());
        if was_closed != self.is_closed(folder) {
            self.changed.insert(folder.into());
        }
    }

    /// A page is gone: what it says counts for a while.
    pub(super) fn leave(&mut self, folder: &str, name: &str) {
        let pages = self.closing.get_mut(folder);
        if let Some(gone) = pages.and_then(|pages| pages.get_mut(name)) {
            gone.get_or_insert_with(Instant::now);
        }
    }

    pub(super) fn is_closed(&self, folder: &str) -> bool {
        self.closing.contains_key(folder)
    }

    /// Forgets pages that have been gone for so long from folders that are there.
    fn expire(&mut self, settle: Duration, has_folder: impl Fn(&str) -> bool) {
        for (folder, pages) in &mut self.closing {
            let is_there = pages.values().any(Option::is_some) && has_folder(folder);
            pages.retain(|_, gone| match gone {
                Some(gone) if !is_there => {
                    *gone = Instant::now();
                    true
                }
                Some(gone) => gone.elapsed() < settle,
                None => true,
            });
            if pages.is_empty() {
                self.changed.insert(folder.clone());
            }
        }
        self.closing.retain(|_, pages| !pages.is_empty());
    }
}

impl Keeper {
    /// What is to be read again because the page of its section was.
    pub(super) fn files_below_changed_sections(&mut self) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        for folder in std::mem::take(&mut self.sections.changed) {
            self.want_below(&folder, &mut wanted);
        }
        wanted
    }

    pub(super) fn expire_sections(&mut self, look: &Look<'_>) {
        self.sections.expire(self.settle, |folder| {
            look.root.has_folder(&path_of(folder)).unwrap_or_default()
        });
    }
}
