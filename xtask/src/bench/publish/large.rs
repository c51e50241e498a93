//! The first publication of large files, where hashing is all there is to do.

use std::ffi::OsString;
use std::fs;

use anyhow::Result;

use super::Size;
use super::data::{LARGE_FILES, LARGEST_FILE, NO_CACHE, OPENSSL};
use crate::bench::contest::{Contestant, rounds};
use crate::bench::field::{Field, Plan, Tree, tool};
use crate::bench::measure::Words;
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;
use crate::command::output;

pub(super) fn run(field: &Field<'_>, size: &Size) -> Result<[Work; 2]> {
    let many = Plan { folders: size.large, files: 20, bytes: 1 << 20, kind: "noise" };
    let one = Plan { folders: 1, files: 1, bytes: size.largest, kind: "noise" };
    let about = format!("{} files of 1 MiB", thousands((many.folders * many.files) as f64));
    let largest =
        format!("One file of {} MiB, whose digest only one core can make", one.bytes >> 20);
    Ok([
        contest(field, size, &many, (LARGE_FILES, "Large files, first publication", &about))?,
        contest(field, size, &one, (LARGEST_FILE, "One very large file", &largest))?,
    ])
}

fn contest(
    field: &Field<'_>,
    size: &Size,
    plan: &Plan,
    (id, title, about): (&str, &str, &str),
) -> Result<Work> {
    let place =
        Place::for_about(plan.folders * plan.files, plan.folders * plan.files * plan.bytes)?;
    let tree = plan.make(field, place.at("tree"))?;
    let paths = (place.at("out"), place.at("cache"));
    let mut contestants = [
        field.first((NO_CACHE, "all documents of a Source"), &tree, paths, &["--no-cache"]),
        field.hash(&tree),
        Contestant::new(
            OPENSSL,
            "digests alone, a process for each core",
            openssl(field, &place, &tree)?,
        ),
        field.resync(&tree, place.at("resync")).at_most(size.slow_rounds),
    ];
    rounds(id, size.rounds, &mut contestants);
    Ok(Work {
        id: id.to_owned(),
        title: title.to_owned(),
        about: format!("{about}, {}, with SHA-256.", place.shown),
        resources: tree.files,
        bytes: tree.bytes,
        sides: contestants.into_iter().map(Contestant::end).collect(),
    })
}

/// As many processes as there are cores, each with its share of the files.
fn openssl(field: &Field<'_>, place: &Place, tree: &Tree) -> Result<Result<Words, String>> {
    let mut find = std::process::Command::new("find");
    let names = output(find.arg(&tree.folder).args(["-type", "f", "-print0"]))?;
    let list = place.at("names");
    fs::write(&list, names)?;
    let share = tree.files.div_ceil(field.cores as u64);
    let figures = [format!("-P{}", field.cores), format!("-n{share}")];
    Ok(tool("openssl", "version").map(|openssl| {
        let mut words: Words = ["xargs", "-0", "-s1000000"].map(OsString::from).to_vec();
        words.extend(figures.map(OsString::from));
        words.extend([OsString::from("-a"), list.into(), openssl]);
        words.extend(["dgst", "-sha256"].map(OsString::from));
        words
    }))
}
