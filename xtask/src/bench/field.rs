//! The programs that take part, and the trees they work on.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use super::measure::{Taken, Words, timed_from};
use super::programs::Programs;
use super::works::Written;
use crate::command::{output, works};

/// The site that is published and never asked.
pub(crate) const BASE: &str = "https://example.org/";

/// Files changed so shortly before are not remembered: what is written next could have the same
/// times.
const SETTLED: Duration = Duration::from_secs(4);

pub(crate) struct Field<'a> {
    pub(crate) programs: &'a Programs,
    pub(crate) tidings: &'a Path,
    pub(crate) cores: usize,
}

/// A tree of files to be published.
pub(crate) struct Tree {
    pub(crate) folder: PathBuf,
    pub(crate) files: u64,
    pub(crate) bytes: u64,
}

/// How a tree is to be.
pub(crate) struct Plan {
    pub(crate) folders: u64,
    /// In each folder.
    pub(crate) files: u64,
    /// In each file.
    pub(crate) bytes: u64,
    pub(crate) kind: &'static str,
}

impl Plan {
    pub(crate) fn make(&self, field: &Field<'_>, folder: PathBuf) -> Result<Tree> {
        eprintln!("bench: making {} files", self.folders * self.files);
        let figures = [self.folders, self.files, self.bytes].map(|figure| figure.to_string());
        let mut make = Command::new(field.programs.peer("make-tree"));
        output(make.arg(&folder).args(figures).arg(self.kind))
            .context("a tree could not be made: is there no more room?")?;
        sleep(SETTLED);
        let files = self.folders * self.files;
        Ok(Tree { folder, files, bytes: files * self.bytes })
    }
}

/// What `tidings publish --json` says.
#[derive(Deserialize)]
struct Outcome {
    resources: u64,
    written: Vec<PathBuf>,
}

impl<'a> Field<'a> {
    pub(crate) fn new(programs: &'a Programs, tidings: &'a Path, cores: usize) -> Self {
        Self { programs, tidings, cores: cores.max(1) }
    }

    /// `tidings publish` of a tree as that site, with its cache in a folder of its own.
    pub(crate) fn publish(
        &self,
        base: &str,
        [from, out, cache]: [&Path; 3],
        more: &[&str],
    ) -> Words {
        let home = variable("XDG_CACHE_HOME", cache);
        let mut words: Words = vec!["env".into(), home, self.tidings.into()];
        words.extend(["publish".into(), from.into(), "--out".into(), out.into()]);
        words.extend(["--base", base, "--json"].iter().chain(more).map(OsString::from));
        words
    }

    /// Runs a publication with records of resources of that site coming in.
    pub(crate) fn fed(&self, words: &Words, count: u64, base: &str) -> Result<Taken> {
        let mut maker = Command::new(self.programs.peer("make-records"))
            .args([&count.to_string(), base])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("make-records could not be started")?;
        let records = maker.stdout.take().context("make-records prints nothing")?;
        let taken = timed_from(words, records.into());
        let made = maker.wait()?;
        let taken = taken?;
        ensure!(made.success(), "make-records failed ({made})");
        Ok(taken)
    }

    /// The interpreter that knows resync.
    pub(crate) fn python(&self) -> Result<&PathBuf, String> {
        let hint = |error| format!("{error:#}: run `cargo xtask setup --bench`, with a network");
        self.programs.python.as_ref().map_err(hint)
    }
}

/// A name and its path, as `env` and resync take them.
pub(crate) fn variable(name: &str, value: &Path) -> OsString {
    let mut words = OsString::from(name);
    words.push("=");
    words.push(value);
    words
}

/// A program of the system, or why it is not there.
pub(crate) fn tool(name: &str, probe: &str) -> Result<OsString, String> {
    let missing = || format!("there is no {name}: run `cargo xtask setup --bench`");
    works(name, &[probe]).then(|| name.into()).ok_or_else(missing)
}

/// Sees that all was published; what was written, and how much that is.
pub(crate) fn published(taken: &Taken, out: &Path, resources: u64) -> Result<Written> {
    let outcome: Outcome =
        serde_json::from_str(&taken.printed).context("tidings did not print what it did")?;
    let seen = outcome.resources;
    ensure!(seen == resources, "{seen} resources published of {resources}");
    let mut bytes = 0;
    for path in &outcome.written {
        // What was put away again in the same run is not there to be weighed.
        bytes += fs::metadata(out.join(path)).map_or(0, |file| file.len());
    }
    Ok(Written { documents: outcome.written.len() as u64, bytes })
}
