//! Publishing again when nothing has changed, or next to nothing.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use super::Size;
use super::data::{AGAIN, FIND, FIRST, MANY_FOLDERS, ONE_FOLDER, TEN};
use crate::bench::contest::{Contestant, rounds};
use crate::bench::field::{BASE, Field, Plan, Tree, published, tool};
use crate::bench::measure::Words;
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;

/// Files changed before each run of that kind.
const CHANGES: u64 = 10;

pub(super) fn run(field: &Field<'_>, size: &Size) -> Result<[Work; 2]> {
    let many = Plan { folders: size.unchanged, files: 1_000, bytes: 32, kind: "text" };
    let one = Plan { folders: 1, files: size.unchanged * 1_000, ..many };
    Ok([
        contest(field, size, &many, (MANY_FOLDERS, "Nothing changed"))?,
        contest(field, size, &one, (ONE_FOLDER, "Nothing changed, all in one folder"))?,
    ])
}

fn contest(field: &Field<'_>, size: &Size, plan: &Plan, (id, title): (&str, &str)) -> Result<Work> {
    let files = plan.folders * plan.files;
    // A file takes a page at the least; lists, the Sitemap and the cache are about another 1 KiB.
    let place = Place::for_about(files, files * (6 << 10))?;
    let tree = plan.make(field, place.at("tree"))?;
    let (out, cache) = (place.at("out"), place.at("cache"));
    let words = || field.publish(BASE, [&tree.folder, &out, &cache], &[]);
    let mut first = field.first(
        (FIRST, "reads all, once: what the others begin with"),
        &tree,
        (out.clone(), cache.clone()),
        &[],
    );
    eprintln!("bench: {id}, first publication");
    first.take(true);
    let again = Contestant::new(AGAIN, "sees that there is nothing to write", Ok(words()))
        .ours()
        .after(|taken| {
            let written = published(taken, &out, tree.files)?;
            ensure!(written.documents == 0, "{} documents written", written.documents);
            Ok(Some(written))
        });
    let find = Contestant::new(FIND, "the sizes, to nowhere", find(&tree));
    let mut contestants: Vec<_> =
        [again].into_iter().chain(field.stat(&tree)).chain([find]).collect();
    rounds(id, size.rounds, &mut contestants);
    let round = Cell::new(0);
    let mut ten = Contestant::new(TEN, "reads ten files and writes what that changes", Ok(words()))
        .ours()
        .before(|| {
            round.set(round.get() + 1);
            change(&tree, plan, round.get())
        })
        .after(|taken| published(taken, &out, tree.files).map(Some));
    for round in 0..=size.slow_rounds {
        eprintln!("bench: {id}, ten changes, round {round} of {}", size.slow_rounds);
        ten.take(round > 0);
    }
    contestants.extend([ten, first]);
    Ok(Work {
        id: id.to_owned(),
        title: title.to_owned(),
        about: format!(
            "{} files of 32 bytes in {}, {}, with the cache of the publication before.",
            thousands(files as f64),
            if plan.folders == 1 {
                "one folder".to_owned()
            } else {
                format!("{} folders", thousands(plan.folders as f64))
            },
            place.shown
        ),
        resources: files,
        bytes: tree.bytes,
        sides: contestants.into_iter().map(Contestant::end).collect(),
    })
}

/// Gives ten files, far from each other, other contents.
fn change(tree: &Tree, plan: &Plan, round: u64) -> Result<()> {
    for number in 0..CHANGES {
        let at = number * (tree.files / CHANGES) + round;
        let (folder, file) = (at / plan.files, at % plan.files);
        let path = Path::new(&tree.folder).join(format!("folder-{folder:04}/file-{file:06}.txt"));
        ensure!(path.is_file(), "no {}: make-tree names files otherwise now", path.display());
        fs::write(&path, format!("changed in round {round}\n")).context("no file to change")?;
    }
    Ok(())
}

fn find(tree: &Tree) -> Result<Words, String> {
    let mut words: Words = vec![tool("find", "--version")?, (&tree.folder).into()];
    words.extend(["-type", "f", "-fprintf", "/dev/null", "%s"].map(OsString::from));
    Ok(words)
}
