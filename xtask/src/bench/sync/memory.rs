//! More resources than can be kept in memory.

use anyhow::{Context as _, Result};

use super::Size;
use super::data::{DRY_RUN, MEMORY};
use super::ground::{said, words};
use super::servers::Nginx;
use crate::bench::contest::Contestant;
use crate::bench::field::{Field, published, variable};
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;

pub(super) fn run(field: &Field<'_>, size: &Size) -> Result<Work> {
    let count = size.records;
    // The list and the Sitemap, and what is sorted.
    let place = Place::for_about(1_000, count * 1_000)?;
    let (out, cache) = (place.at("out"), place.at("cache"));
    let nginx = Nginx::start(&place.at("nginx"), &out, &out)?;
    let url = format!("http://127.0.0.1:{}/", nginx.port);
    eprintln!("bench: {MEMORY}, publishing {count} records");
    let mut publish = field.publish(&url, [&out, &out, &cache], &["--from-jsonl", "-"]);
    // What is sorted lies with the rest, not on a disk.
    publish.insert(1, variable("TMPDIR", &place.at("")));
    let taken = field.fed(&publish, count, &url).context("nothing was published")?;
    published(&taken, &out, count)?;
    let copy = place.at("copy");
    let dry_run = words(field, "sync", (&url, &copy), &["--via", "list", "--dry-run"]);
    let mut side = Contestant::new(DRY_RUN, "reads all and compares; copies nothing", Ok(dry_run))
        .ours()
        .meter(|| nginx.requests())
        .received(|taken| Ok(said(taken)?.bytes));
    eprintln!("bench: {MEMORY}, {DRY_RUN}");
    side.take(true);
    Ok(Work {
        id: MEMORY.to_owned(),
        title: "Very many resources".to_owned(),
        about: format!(
            "A Source of {} records under an index, {}. Nothing is copied yet.",
            thousands(count as f64),
            place.shown
        ),
        resources: count,
        bytes: 0,
        sides: vec![side.end()],
    })
}
