//! How soon a server is ready, and what it takes to know very many sites.

use anyhow::Result;

use super::data::{EMPTY, KNOWN, START};
use super::ground::{Crowd, Figures, Ground};
use super::{Size, ask};
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;

const WELL: &str = "tidings_polls_total{result=\"well\"}";
/// How many feeds are asked for.
const FEEDS: usize = 1_000;
const DAY: u64 = 24 * 60 * 60;
/// The changes of each site.
const EACH: u64 = 20;

pub(super) fn run(ground: &Ground<'_>, size: &Size) -> Result<Work> {
    let place = Place::on_disk(100, 2 << 30)?;
    let mut empty = Figures::default();
    for round in 0..=size.rounds {
        eprintln!("bench: {START}, nothing followed, round {round} of {}", size.rounds);
        let served = ground.serve(&place.at(&format!("empty-{round}")), "", &[])?;
        if round > 0 {
            let process = &served.process;
            empty.add(process.ready, process.cpu()?, process.peak_kib()?);
        }
    }
    let farm = ground.farm(EACH, 0)?;
    let data = place.at("known");
    // Each is polled once a day, and the first feeds are wanted soon.
    let feeds = FEEDS.min(usize::try_from(size.known)? / 4);
    let since = 2 * i64::try_from(DAY * feeds as u64 / size.known)?;
    let crowd =
        Crowd { count: size.known, every: DAY, lead: -since, spread: DAY, ..Crowd::default() };
    let followed = ground.follow(&data, &farm, &crowd)?;
    let mut known = Figures::default();
    for round in 0..=size.rounds {
        eprintln!("bench: {START}, many sites, round {round} of {}", size.rounds);
        let served = ground.serve(&data, "", &[])?;
        let (ready, cpu) = (served.process.ready, served.process.cpu()?);
        if round == size.rounds {
            read(&served, &followed.feeds[..feeds])?;
        }
        if round > 0 {
            known.add(ready, cpu, served.process.peak_kib()?);
        }
    }
    Ok(Work {
        id: START.to_owned(),
        title: "Start, and memory".to_owned(),
        about: format!(
            "Until `tidings serve` says that it is ready: in a new folder, and with {} sites that are \
             polled once a day. Of the latter, after the last start, sites are polled, and then the \
             first page and {} feeds are asked for; the peak is that of all of it. SQLite, on a disk.",
            thousands(size.known as f64),
            thousands(feeds as f64)
        ),
        resources: 1,
        bytes: 0,
        sides: vec![
            empty.side(EMPTY, "makes its folder", true),
            known.side(KNOWN, "begins to poll, and serves feeds", true),
        ],
    })
}

fn read(served: &super::process::Served, feeds: &[String]) -> Result<()> {
    served.wait(WELL, feeds.len() as u64)?;
    ask::get(&served.address, "/", "")?;
    for key in feeds {
        ask::get(&served.address, &format!("/feeds/{key}.atom"), "Accept-Encoding: gzip\r\n")?;
    }
    Ok(())
}
