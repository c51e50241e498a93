//! Who publishes, and the floors.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use anyhow::ensure;

use super::data::{HASH, RESYNC, STAT, STAT_ONE};
use crate::bench::contest::Contestant;
use crate::bench::field::{BASE, Field, Tree, published, variable};
use crate::bench::measure::Words;
use crate::bench::place::remove;

impl Field<'_> {
    /// The first publication of a tree, each time anew.
    pub(super) fn first<'c>(
        &self,
        (name, does): (&str, &str),
        tree: &'c Tree,
        (out, cache): (PathBuf, PathBuf),
        more: &[&str],
    ) -> Contestant<'c> {
        let words = self.publish(BASE, [&tree.folder, &out, &cache], more);
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
}
