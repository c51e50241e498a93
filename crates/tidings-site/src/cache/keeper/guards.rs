//! The last restrictions of objects, which stay while their files say nothing.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use crate::folder_rules::FOLDER_RULES;
use crate::guard::Guard;
use crate::journal::Journal;

/// The restrictions, by the place of each object.
#[derive(Debug, Default)]
pub(super) struct Guards {
    known: HashMap<Box<str>, Guard>,
    /// Those that are not in the journal yet.
    unsaved: BTreeMap<Box<str>, Option<Guard>>,
    /// Those whose files are gone, with the time since when.
    leaving: BTreeMap<Box<str>, Instant>,
}

impl Guards {
    /// The restrictions that were known when the program ended.
    pub(super) fn from_journal(journal: &Journal) -> Self {
        let known = journal.guards().unwrap_or_else(|error| {
            tracing::error!(%error, "the last restrictions could not be read");
            BTreeMap::new()
        });
        // Whether their files are there is found out by the first look.
        let leaving = known.keys().map(|place| (place.clone(), Instant::now())).collect();
        Self { known: known.into_iter().collect(), leaving, ..Self::default() }
    }

    pub(super) fn get(&self, place: &str) -> Option<&Guard> {
        self.known.get(place)
    }

    /// The files of the object are there, and say this; none if it is for everybody.
    pub(super) fn set(&mut self, place: &str, guard: Option<Guard>) {
        self.leaving.remove(place);
        if self.known.get(place) == guard.as_ref() {
            return;
        }
        match &guard {
            Some(guard) => drop(self.known.insert(place.into(), guard.clone())),
            None => drop(self.known.remove(place)),
        }
        self.unsaved.insert(place.into(), guard);
    }

    /// The files of the object are there, and say nothing.
    pub(super) fn hold(&mut self, place: &str) {
        self.leaving.remove(place);
    }

    /// The files of the object are gone.
    pub(super) fn leave(&mut self, place: &str) {
        if self.known.contains_key(place) && !self.leaving.contains_key(place) {
            self.leaving.insert(place.into(), Instant::now());
        }
    }

    /// Forgets the restrictions of objects whose files have been gone for so long, and names them.
    pub(super) fn expire(&mut self, settle: Duration) -> Vec<Box<str>> {
        let due = |since: &Instant| since.elapsed() >= settle;
        let gone: Vec<Box<str>> = self
            .leaving
            .iter()
            // Those of folders end with the rules of the folder.
            .filter(|(place, since)| due(since) && !place.ends_with(FOLDER_RULES))
            .map(|(place, _)| place.clone())
            .collect();
        for place in &gone {
            self.set(place, None);
        }
        gone
    }

    /// Writes those down that are not yet. They are used even if that fails: what is restricted stays so.
    pub(super) fn save(&mut self, journal: Option<&Journal>) {
        let Some(journal) = journal.filter(|_| !self.unsaved.is_empty()) else { return };
        match journal.keep_guards(&self.unsaved) {
            Ok(()) => self.unsaved.clear(),
            Err(error) => tracing::error!(%error, "restrictions could not be kept"),
        }
    }
}
