//! Polls of sites that have nothing new.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::Size;
use super::data::{POLLS, SERVE};
use super::ground::{Crowd, Figures, Ground};
use crate::bench::data::Spread;
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::{Side, Work};

const WELL: &str = "tidings_polls_total{result=\"well\"}";
const FAILED: &str = "tidings_polls_total{result=\"failed\"}";

/// Each is due again at once, or nearly so: there is always more to do.
const CONFIG: &str = "[follow]\nevery = \"1s\"\nshortest = \"1s\"\n";

pub(super) fn run(ground: &Ground<'_>, size: &Size) -> Result<Work> {
    let crowd = Crowd { count: size.quiet, every: 1, ..Crowd::default() };
    let (figures, theirs) = quiet(ground, &crowd, POLLS, size.rounds, size.window)?;
    let does = "304, recorded, durable when it counts";
    Ok(Work {
        id: POLLS.to_owned(),
        title: "Polls of sites that have nothing new".to_owned(),
        about: format!(
            "{} polls of as many sites, each a host of its own that answers 304 at once; SQLite, on a \
             disk. The sites run on the same cores.",
            thousands(size.quiet as f64)
        ),
        resources: size.quiet,
        bytes: 0,
        sides: vec![figures.side(SERVE, does, true), theirs],
    })
}

/// Polls a crowd again and again of which nothing is new, in so many rounds of so many seconds: what it
/// took for a poll of each, and what it took the sites.
pub(crate) fn quiet(
    ground: &Ground<'_>,
    crowd: &Crowd,
    what: &str,
    rounds: usize,
    window: u64,
) -> Result<(Figures, Side)> {
    let place = Place::on_disk(10, 1 << 30)?;
    let farm = ground.farm(1, 0)?;
    let data = place.at("polls");
    ground.follow(&data, &farm, crowd)?;
    let served = ground.serve(&data, CONFIG, &[])?;
    eprintln!("bench: {what}, the first time");
    // What is new at first is not to be counted; the one that waits longest is always next.
    served.wait(WELL, crowd.count * 2)?;
    let mut figures = Figures::default();
    let mut sites = Vec::new();
    for round in 1..=rounds {
        eprintln!("bench: {what}, round {round} of {rounds}");
        let look = || -> Result<_> {
            let metrics = served.metrics()?;
            let cpu = (served.process.cpu()?, farm.cpu()?);
            Ok((metrics.metric(WELL), metrics.metric(FAILED), cpu, Instant::now()))
        };
        let (before, _, cpu_before, begun) = look()?;
        sleep(Duration::from_secs(window));
        let (after, failed, cpu, ended) = look()?;
        ensure!(failed == 0.0, "{failed} polls failed");
        let polls = (after - before) / crowd.count as f64;
        let wall = ended.duration_since(begun).as_secs_f64() / polls;
        figures.add(wall, (cpu.0 - cpu_before.0) / polls, served.process.peak_kib()?);
        sites.push((cpu.1 - cpu_before.1) / polls);
    }
    let mut theirs = figures.side("the sites", "all of them, in one process", false);
    (theirs.cpu, theirs.peak_kib) = (Spread::of(&sites), Some(farm.peak_kib()?));
    Ok((figures, theirs))
}
