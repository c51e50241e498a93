//! Publishing from JSON lines that come in no order.

use anyhow::Result;

use super::Size;
use super::data::{AGAIN, FIRST, RECORDS};
use crate::bench::contest::Contestant;
use crate::bench::field::{BASE, Field, published, variable};
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;

pub(super) fn run(field: &Field<'_>, size: &Size) -> Result<Work> {
    let count = size.records;
    // A list and the Sitemap, both anew beside the old ones, and what is sorted.
    let place = Place::for_about(1_000, count * 1_000)?;
    let (out, cache) = (place.at("out"), place.at("cache"));
    let mut words = field.publish(BASE, [&out, &out, &cache], &["--from-jsonl", "-"]);
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
        contestant.take_with(true, |words| field.fed(words, count, BASE));
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
