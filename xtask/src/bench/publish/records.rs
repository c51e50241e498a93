//! Publishing from JSON lines that come in no order.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::Size;
use super::contest::Contestant;
use super::data::{AGAIN, FIRST, RECORDS, Work};
use super::field::{Field, published, variable};
use super::place::Place;
use crate::bench::measure::{Taken, Words, timed_from};
use crate::bench::shown::thousands;

pub(super) fn run(field: &Field<'_>, size: &Size) -> Result<Work> {
    let count = size.records;
    // A list and the Sitemap, both anew beside the old ones, and what is sorted.
    let place = Place::for_about(1_000, count * 1_000)?;
    let (out, cache) = (place.at("out"), place.at("cache"));
    let mut words = field.publish(&out, &out, &cache, &["--from-jsonl", "-"]);
    // What is sorted lies with the rest, not on a disk.
    words.insert(1, variable("TMPDIR", &place.at("")));
    let side = |name, does| {
        Contestant::new(name, does, Ok(words.clone()))
            .ours()
            .after(|taken| published(taken, &out, count).map(Some))
    };
    let mut sides = [
        side(FIRST, "sorts records and writes all documents"),
        side(AGAIN, "sorts records and sees that all are as before"),
    ];
    for contestant in &mut sides {
        eprintln!("bench: {RECORDS}, {count} of them");
        contestant.take_with(true, |words| fed(field, words, count));
    }
    Ok(Work {
        id: RECORDS.to_owned(),
        title: "Records as JSON lines".to_owned(),
        about: format!(
            "{} records with a digest each, through a pipe and in no order, {}. CPU time is without \
             that of the program that makes them; wall time may be its.",
            thousands(count as f64),
            place.shown
        ),
        resources: count,
        bytes: 0,
        sides: sides.into_iter().map(Contestant::end).collect(),
    })
}

/// Runs it with records coming in.
fn fed(field: &Field<'_>, words: &Words, count: u64) -> Result<Taken> {
    let mut maker = Command::new(field.programs.peer("make-records"))
        .arg(count.to_string())
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
