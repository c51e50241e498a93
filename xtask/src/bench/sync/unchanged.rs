//! Copying again when nothing has changed.

use anyhow::{Context as _, ensure};

use super::Size;
use super::data::{AGAIN, BASELINE, RCLONE, RESYNC, RSYNC, UNCHANGED};
use super::ground::{Ground, complete, said};
use super::peers::{self, folder};
use crate::bench::contest::{Contestant, rounds};
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;

/// Over the copies that the contest before has left there.
pub(super) fn run(ground: &Ground<'_>, size: &Size, place: &Place) -> Work {
    let files = ground.tree.files;
    let ours = |name, does, more: &[&str]| {
        let words = ground.words("sync", &place.at("list"), more);
        ground
            .counted(Contestant::new(name, does, Ok(words)))
            .ours()
            .received(|taken| Ok(said(taken)?.bytes))
            .after(move |taken| {
                let said = said(taken).context("no report")?;
                let changes = said.created + said.updated;
                ensure!(changes == 0, "{changes} resources copied though nothing has changed");
                ensure!(said.resources == files, "{} resources of {files}", said.resources);
                Ok(None)
            })
    };
    let peer = |name, does, words| {
        let copy = folder(place, name);
        Contestant::new(name, does, words).after(move |_| {
            complete(&copy, files)?;
            Ok(None)
        })
    };
    let at = |name| folder(place, name);
    let mut contestants = [
        ours(AGAIN, "asks whether anything is new", &[]),
        ours(BASELINE, "compares the whole list, and the files", &["--baseline"]),
        peer(RSYNC, "compares all files", peers::rsync(ground, &at(RSYNC))),
        ground.counted(peer(RCLONE, "compares all files", peers::rclone(ground, &at(RCLONE)))),
        ground
            .counted(peer(RESYNC, "compares the whole list", peers::resync(ground, &at(RESYNC))))
            .at_most(size.slow_rounds),
    ];
    rounds(UNCHANGED, size.rounds, &mut contestants);
    Work {
        id: UNCHANGED.to_owned(),
        title: "Nothing changed, copied again".to_owned(),
        about: format!(
            "The same {} files, {}, with the copies of the first run.",
            thousands(files as f64),
            place.shown
        ),
        resources: files,
        bytes: 0,
        sides: contestants.into_iter().map(Contestant::end).collect(),
    }
}
