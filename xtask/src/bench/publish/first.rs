//! The first publication of many small files.

use anyhow::Result;

use super::Size;
use super::data::{EMPTY_CACHE, NO_CACHE, SMALL_FILES};
use crate::bench::contest::{Contestant, rounds};
use crate::bench::field::{Field, Plan};
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;

pub(super) fn run(field: &Field<'_>, size: &Size) -> Result<Work> {
    let plan = Plan { folders: size.small, files: 100, bytes: 4 << 10, kind: "text" };
    let files = plan.folders * plan.files;
    let place = Place::for_about(files, files * (8 << 10))?;
    let tree = plan.make(field, place.at("tree"))?;
    let paths = |name: &str| (place.at(&format!("out-{name}")), place.at(&format!("cache-{name}")));
    let [stat, _] = field.stat(&tree);
    let mut contestants = [
        field.first((NO_CACHE, "all documents of a Source"), &tree, paths("read"), &["--no-cache"]),
        field.first((EMPTY_CACHE, "the same, and a cache"), &tree, paths("remembered"), &[]),
        field.hash(&tree),
        stat,
        field.resync(&tree, place.at("resync")).at_most(size.slow_rounds),
    ];
    rounds("small files", size.rounds, &mut contestants);
    Ok(Work {
        id: SMALL_FILES.to_owned(),
        title: "Small files, first publication".to_owned(),
        about: format!(
            "{} files of 4 KiB in {} folders, {}, with SHA-256.",
            thousands(files as f64),
            thousands(plan.folders as f64),
            place.shown
        ),
        resources: files,
        bytes: tree.bytes,
        sides: contestants.into_iter().map(Contestant::end).collect(),
    })
}
