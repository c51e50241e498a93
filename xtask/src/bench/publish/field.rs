//! The programs that take part, and the trees they work on.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use super::contest::Contestant;
use super::data::{HASH, RESYNC, STAT, STAT_ONE, Written};
use super::place::remove;
use crate::bench::measure::{Taken, Words};
use crate::bench::programs::Programs;
use crate::command::{output, works};
use crate::workspace;

/// The site that is published.
const BASE: &str = "https://example.org/";

/// Files changed so shortly before are not remembered: what is written next could have the same
/// times.
const SETTLED: Duration = Duration::from_secs(4);

pub(super) struct Field<'a> {
    pub(super) programs: &'a Programs,
    tidings: PathBuf,
    pub(super) cores: usize,
}

/// A tree of files to be published.
pub(super) struct Tree {
    pub(super) folder: PathBuf,
    pub(super) files: u64,
    pub(super) bytes: u64,
}

/// How a tree is to be.
pub(super) struct Plan {
    pub(super) folders: u64,
    /// In each folder.
    pub(super) files: u64,
    /// In each file.
    pub(super) bytes: u64,
    pub(super) kind: &'static str,
}

impl Plan {
    pub(super) fn make(&self, field: &Field<'_>, folder: PathBuf) -> Result<Tree> {
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
    pub(super) fn new(programs: &'a Programs, cores: usize) -> Self {
        let tidings = workspace::target().join("release/tidings");
        Self { programs, tidings, cores: cores.max(1) }
    }

    /// `tidings publish` of a tree, with its cache in a folder of its own.
    pub(super) fn publish(&self, from: &Path, out: &Path, cache: &Path, more: &[&str]) -> Words {
        let home = variable("XDG_CACHE_HOME", cache);
        let mut words: Words = vec!["env".into(), home, (&self.tidings).into()];
        words.extend(["publish".into(), from.into(), "--out".into(), out.into()]);
        words.extend(["--base", BASE, "--json"].iter().chain(more).map(OsString::from));
        words
    }

    /// The first publication of a tree, each time anew.
    pub(super) fn first<'c>(
        &self,
        (name, does): (&str, &str),
        tree: &'c Tree,
        (out, cache): (PathBuf, PathBuf),
        more: &[&str],
    ) -> Contestant<'c> {
        let words = self.publish(&tree.folder, &out, &cache, more);
        let output = out.clone();
        Contestant::new(name, does, Ok(words))
            .ours()
            .before(move || remove(&output).and_then(|()| remove(&cache)))
            .after(move |taken| published(taken, &out, tree.files).map(Some))
    }

    /// Floors: only walk, read and hash.
    pub(super) fn hash<'c>(&self, tree: &'c Tree) -> Contestant<'c> {
        self.floor((HASH, "nothing but that, on all cores"), "hash-tree", self.cores, tree)
    }

    /// Only walk and stat.
    pub(super) fn stat<'c>(&self, tree: &'c Tree) -> [Contestant<'c>; 2] {
        [
            self.floor((STAT, "nothing but that"), "stat-tree", self.cores, tree),
            self.floor((STAT_ONE, "nothing but that"), "stat-tree", 1, tree),
        ]
    }

    fn floor<'c>(
        &self,
        (name, does): (&str, &str),
        program: &str,
        threads: usize,
        tree: &'c Tree,
    ) -> Contestant<'c> {
        let program = self.programs.peer(program);
        let words = vec![program.into(), (&tree.folder).into(), threads.to_string().into()];
        Contestant::new(name, does, Ok(words)).after(|taken| {
            let (seen, expected) = (taken.printed.trim(), format!("{} {}", tree.files, tree.bytes));
            ensure!(seen == expected, "{seen} files and bytes seen of {expected}");
            Ok(None)
        })
    }

    /// The reference implementation writes a Resource List, into a folder of its own.
    pub(super) fn resync<'c>(&self, tree: &'c Tree, folder: PathBuf) -> Contestant<'c> {
        let does = "Resource List alone, all in memory before it is written";
        let list = folder.join("list.xml");
        let words = self.python().map(|python| {
            // An index has to have a URI, too; --multifile would forbid one.
            let site = [(BASE.to_owned(), &tree.folder), (format!("{BASE}lists/"), &folder)];
            let mut words: Words = vec![python.with_file_name("resync-build").into()];
            words.extend(["--write-resourcelist", "--hash=sha-256"].map(OsString::from));
            words.extend(["--outfile".into(), (&list).into()]);
            words.extend(["--paths".into(), (&tree.folder).into()]);
            words.extend(site.map(|(uri, path)| variable(&uri, path)));
            words
        });
        Contestant::new(RESYNC, does, words)
            .before(move || {
                remove(&folder)?;
                Ok(fs::create_dir(&folder)?)
            })
            .after(move |_| {
                ensure!(list.is_file(), "it wrote no list");
                Ok(None)
            })
    }

    /// The interpreter that knows resync.
    pub(super) fn python(&self) -> Result<&PathBuf, String> {
        let hint = |error| format!("{error:#}: run `cargo xtask setup --bench`, with a network");
        self.programs.python.as_ref().map_err(hint)
    }
}

/// A name and its path, as `env` and resync take them.
pub(super) fn variable(name: &str, value: &Path) -> OsString {
    let mut words = OsString::from(name);
    words.push("=");
    words.push(value);
    words
}

/// A program of the system, or why it is not there.
pub(super) fn tool(name: &str, probe: &str) -> Result<OsString, String> {
    let missing = || format!("there is no {name}: run `cargo xtask setup --bench`");
    works(name, &[probe]).then(|| name.into()).ok_or_else(missing)
}

/// Sees that all was published; what was written, and how much that is.
pub(super) fn published(taken: &Taken, out: &Path, resources: u64) -> Result<Written> {
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
