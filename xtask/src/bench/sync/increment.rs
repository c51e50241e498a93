//! A hundred changes among very many resources, and the proof that the copy is right.

use std::cell::Cell;
use std::fs;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use super::Size;
use super::data::{AUDIT, CHANGES, FULL, INCREMENT};
use super::ground::{Ground, said};
use crate::bench::contest::Contestant;
use crate::bench::field::{Field, Plan};
use crate::bench::measure::Taken;
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;

/// Files changed before each run of that kind.
const CHANGED: u64 = 100;

/// A file and its copy take a page each; lists, Sitemap, cache and state are the rest.
const PER_RESOURCE: u64 = 12 << 10;

/// What `tidings audit --json` says.
#[derive(Deserialize)]
struct Audited {
    in_sync: bool,
    checked: u64,
}

pub(super) fn run(field: &Field<'_>, size: &Size) -> Result<Work> {
    let full = size.many;
    let room = |folders: u64| Place::fits_memory(folders * 2_000, folders * 1_000 * PER_RESOURCE);
    let folders = [full, full / 2, full / 4].into_iter().find(|folders| room(*folders));
    let folders = folders.unwrap_or(full / 10);
    let plan = Plan { folders, files: 1_000, bytes: 100, kind: "text" };
    let files = folders * plan.files;
    let place = Place::for_about(files * 2, files * PER_RESOURCE)?;
    let ground = Ground::make(field, &plan, &place, &[], None)?;
    let copy = place.at("copy");
    let again = |verb, name, does| {
        let words = ground.words(verb, &copy, &[]);
        ground.counted(Contestant::new(name, does, Ok(words))).ours()
    };
    let round = Cell::new(0);
    let mut sides = [
        ground
            .ours((FULL, "all of it, verified, recorded"), copy.clone(), &["--via", "list"])
            .received(|taken| Ok(said(taken)?.bytes)),
        again("sync", CHANGES, "reads the changes and copies what they name")
            .before(|| {
                round.set(round.get() + 1);
                change(&ground, &plan, round.get())?;
                ground.publish(&[])
            })
            .received(|taken| Ok(said(taken)?.bytes))
            .after(|taken| {
                let updated = said(taken)?.updated;
                ensure!(updated == CHANGED, "{updated} resources updated of {CHANGED}");
                Ok(None)
            }),
        again("audit", AUDIT, "compares the list, the records and all files' lengths and times")
            .after(|taken| audited(taken, files)),
    ];
    let [first, others @ ..] = &mut sides;
    eprintln!("bench: {INCREMENT}, first copy of {files}");
    first.take(true);
    for contestant in others {
        for round in 0..=size.slow_rounds {
            eprintln!("bench: {INCREMENT}, round {round} of {}", size.slow_rounds);
            contestant.take(round > 0);
        }
    }
    let less = if folders == full { "" } else { " There is no room for more of them in memory." };
    Ok(Work {
        id: INCREMENT.to_owned(),
        title: "Few changes among many resources".to_owned(),
        about: format!(
            "{} files of 100 bytes in {} folders, {}.{less} Before each run with changes, {CHANGED} \
             files are changed and published.",
            thousands(files as f64),
            thousands(folders as f64),
            place.shown
        ),
        resources: files,
        bytes: 0,
        sides: sides.into_iter().map(Contestant::end).collect(),
    })
}

fn audited(taken: &Taken, files: u64) -> Result<Option<crate::bench::works::Written>> {
    let audited: Audited =
        serde_json::from_str(&taken.printed).context("tidings did not print what it found")?;
    ensure!(audited.in_sync, "the copy is not in sync");
    ensure!(audited.checked == files, "{} resources checked of {files}", audited.checked);
    Ok(None)
}

/// Gives files, far from each other, other contents.
fn change(ground: &Ground<'_>, plan: &Plan, round: u64) -> Result<()> {
    for number in 0..CHANGED {
        let at = number * (ground.tree.files / CHANGED) + round;
        let (folder, file) = (at / plan.files, at % plan.files);
        let path = ground.tree.folder.join(format!("folder-{folder:04}/file-{file:06}.txt"));
        ensure!(path.is_file(), "no {}: make-tree names files otherwise now", path.display());
        fs::write(&path, format!("changed in round {round}\n")).context("no file to change")?;
    }
    Ok(())
}
