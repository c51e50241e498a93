//! Polls that bring changes.

use anyhow::Result;

use super::Size;
use super::data::{CHANGES, SERVE};
use super::ground::{Crowd, Figures, Ground};
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;

/// On each site.
const EACH: u64 = 20;

pub(super) fn run(ground: &Ground<'_>, size: &Size) -> Result<Work> {
    let place = Place::on_disk(100, 1 << 30)?;
    let farm = ground.farm(EACH, 0)?;
    let changes = size.busy * EACH;
    let mut figures = Figures::default();
    for round in 0..=size.rounds {
        let data = place.at(&format!("changes-{round}"));
        let crowd = Crowd { count: size.busy, every: 3_600, ..Crowd::default() };
        ground.follow(&data, &farm, &crowd)?;
        eprintln!("bench: {CHANGES}, round {round} of {}", size.rounds);
        let served = ground.serve(&data, "", &[])?;
        served.wait("tidings_changes_total", changes)?;
        let process = &served.process;
        // It polls as soon as it is ready.
        let wall = process.begun.elapsed().as_secs_f64() - process.ready;
        if round > 0 {
            figures.add(wall, process.cpu()?, process.peak_kib()?);
        }
    }
    let does = "from when it is ready until the last is in its feed";
    Ok(Work {
        id: CHANGES.to_owned(),
        title: "Changes, until they are in the feeds".to_owned(),
        about: format!(
            "{} sites with {EACH} changes each, polled for the first time, which takes a request for \
             robots.txt, too; SQLite, on a disk. Titles are not asked for. Resources are changes.",
            thousands(size.busy as f64)
        ),
        resources: changes,
        bytes: 0,
        sides: vec![figures.side(SERVE, does, true)],
    })
}
