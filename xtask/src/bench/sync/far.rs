//! The first copy over a network where everything takes its time.

use std::time::Duration;

use anyhow::Result;

use super::Size;
use super::data::{DUMP, FAR, LIST, LIST_32};
use super::ground::{Ground, said};
use super::peers;
use crate::bench::contest::{Contestant, rounds};
use crate::bench::field::{Field, Plan};
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;

/// Of one direction.
const DELAY: Duration = Duration::from_millis(10);

pub(super) fn run(field: &Field<'_>, size: &Size) -> Result<Work> {
    let plan = Plan { folders: size.far, files: 100, bytes: 4 << 10, kind: "text" };
    let files = plan.folders * plan.files;
    let place = Place::for_about(files * 6, files * (36 << 10))?;
    let ground = Ground::make(field, &plan, &place, &["--dump"], Some(DELAY))?;
    let ours = |name, does, folder, more: &[&str]| {
        ground.ours((name, does), place.at(folder), more).received(|taken| Ok(said(taken)?.bytes))
    };
    let mut contestants = [
        ours(DUMP, "verified, from packages", "dump", &["--via", "dump"]),
        ours(LIST, "verified, 16 at once", "list", &["--via", "list"]),
        ours(LIST_32, "verified, 32 at once", "list-32", &["--via", "list", "--jobs", "32"]),
        peers::curl(&ground, &place)?,
        peers::rsync_copying(&ground, &place),
    ];
    rounds(FAR, size.slow_rounds, &mut contestants);
    Ok(Work {
        id: FAR.to_owned(),
        title: "First copy, 20 ms there and back".to_owned(),
        about: format!(
            "{} files of 4 KiB of text, {}, through a proxy that holds back all bytes for 10 ms in \
             each direction, those that open a connection, too, and does not slow them down \
             otherwise.",
            thousands(files as f64),
            place.shown
        ),
        resources: files,
        bytes: ground.tree.bytes,
        sides: contestants.into_iter().map(Contestant::end).collect(),
    })
}
