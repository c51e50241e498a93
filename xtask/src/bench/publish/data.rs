//! What a run of `bench publish` found: the data file, and all that the report is made from.

use serde::{Deserialize, Serialize};

use crate::bench::data::Spread;
use crate::bench::machine::Machine;

/// Every file read, none remembered.
pub(crate) const NO_CACHE: &str = "Tidings, --no-cache";
/// Every file read, and remembered.
pub(crate) const EMPTY_CACHE: &str = "Tidings, empty cache";
/// Walk, read and SHA-256, on all cores.
pub(crate) const HASH: &str = "bare walk, read, SHA-256";
/// Walk and stat, on all cores.
pub(crate) const STAT: &str = "bare walk and stat, all cores";
/// The same on one.
pub(crate) const STAT_ONE: &str = "bare walk and stat, one thread";
pub(crate) const FIND: &str = "find -printf %s";
pub(crate) const RESYNC: &str = "resync-build";
pub(crate) const OPENSSL: &str = "openssl dgst";
/// Nothing has changed since.
pub(crate) const AGAIN: &str = "Tidings, nothing changed";
/// The first publication, before that.
pub(crate) const FIRST: &str = "Tidings, first publication";
/// Ten files have changed.
pub(crate) const TEN: &str = "Tidings, ten changes";
/// Only the dump is missing.
pub(crate) const DUMP: &str = "Tidings, --dump";
pub(crate) const ZIP_0: &str = "zip -0";
pub(crate) const ZIP_1: &str = "zip -1";
pub(crate) const ZIPFILE: &str = "Python zipfile, stored";

/// A tree of small files.
pub(crate) const SMALL_FILES: &str = "small-files";
/// A tree of large ones.
pub(crate) const LARGE_FILES: &str = "large-files";
/// One very large one.
pub(crate) const LARGEST_FILE: &str = "largest-file";
/// Files that stay as they are, in many folders.
pub(crate) const MANY_FOLDERS: &str = "unchanged";
/// The same in one folder.
pub(crate) const ONE_FOLDER: &str = "unchanged-one-folder";
/// Packages of what cannot be compressed.
pub(crate) const DUMP_OF_NOISE: &str = "dump-noise";
/// Packages of text.
pub(crate) const DUMP_OF_TEXT: &str = "dump-text";
/// From JSON lines.
pub(crate) const RECORDS: &str = "records";

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) command: String,
    pub(crate) quick: bool,
    pub(crate) machine: Machine,
    pub(crate) works: Vec<Work>,
}

/// Something to be done, and everyone who did it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Work {
    pub(crate) id: String,
    pub(crate) title: String,
    /// What there was to do, and where.
    pub(crate) about: String,
    /// Files or records.
    pub(crate) resources: u64,
    pub(crate) bytes: u64,
    pub(crate) sides: Vec<Side>,
}

/// One who does the work.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Side {
    pub(crate) name: String,
    pub(crate) does: String,
    pub(crate) ours: bool,
    /// Runs that count.
    pub(crate) runs: usize,
    /// Seconds.
    pub(crate) wall: Option<Spread>,
    /// Seconds, the user's and the system's, of all its processes.
    pub(crate) cpu: Option<Spread>,
    pub(crate) peak_kib: Option<u64>,
    pub(crate) written: Option<Written>,
    /// Why there are no figures.
    pub(crate) problem: Option<String>,
}

/// What a publication wrote.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Written {
    pub(crate) documents: u64,
    pub(crate) bytes: u64,
}

impl Run {
    pub(crate) fn work(&self, id: &str) -> Option<&Work> {
        self.works.iter().find(|work| work.id == id)
    }

    /// What could not be measured, and why; first whether it is ours.
    pub(crate) fn problems(&self) -> Vec<(bool, String)> {
        let sides =
            self.works.iter().flat_map(|work| work.sides.iter().map(move |side| (work, side)));
        let problem = |(work, side): (&Work, &Side)| {
            let why = side.problem.as_ref()?;
            Some((side.ours, format!("{}, {}: {why}", work.title, side.name)))
        };
        sides.filter_map(problem).collect()
    }
}

impl Work {
    pub(crate) fn side(&self, name: &str) -> Option<&Side> {
        self.sides.iter().find(|side| side.name == name)
    }
}
