//! Sites that take a connection and never answer: what the others notice of them.

use std::process::Command;

use anyhow::{Result, ensure};

use super::Size;
use super::data::{ALL_ANSWER, HANGING, HANGING_SPREAD, SOME_HANG};
use super::ground::{Crowd, Figures, Ground};
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;
use crate::command::output;

const WELL: &str = "tidings_polls_total{result=\"well\"}";
/// One in so many.
const EVERY: u64 = 10;

pub(super) fn run(ground: &Ground<'_>, size: &Size) -> Result<Vec<Work>> {
    Ok(vec![
        work(ground, size, (HANGING, "Sites that hang, all due at once"), 0)?,
        work(ground, size, (HANGING_SPREAD, "Sites that hang, due in turn"), size.spread)?,
    ])
}

fn work(ground: &Ground<'_>, size: &Size, (id, title): (&str, &str), spread: u64) -> Result<Work> {
    let sides = [(ALL_ANSWER, 0), (SOME_HANG, EVERY)];
    let mut figures = [Figures::default(), Figures::default()];
    for round in 1..=size.slow_rounds {
        for ((name, hanging), figures) in sides.iter().zip(&mut figures) {
            eprintln!("bench: {id}, round {round} of {}, {name}", size.slow_rounds);
            once(ground, size, *hanging, spread, figures)?;
        }
    }
    let due = match spread {
        0 => "all due at the same time".to_owned(),
        seconds => format!("due one after the other within {seconds} s"),
    };
    let does = ["nobody hangs", "1 in 10 never answers"];
    let sides = sides.iter().zip(&figures).zip(does);
    Ok(Work {
        id: id.to_owned(),
        title: title.to_owned(),
        about: format!(
            "{} sites, {due}. The time is that from when a site is due until its poll is recorded, \
             the 95th percentile of all sites that answer; resources/s say nothing here.",
            thousands(size.hanging as f64)
        ),
        resources: size.hanging,
        bytes: 0,
        sides: sides.map(|(((name, _), figures), does)| figures.side(name, does, true)).collect(),
    })
}

fn once(
    ground: &Ground<'_>,
    size: &Size,
    hanging: u64,
    spread: u64,
    figures: &mut Figures,
) -> Result<()> {
    let place = Place::on_disk(10, 1 << 30)?;
    let farm = ground.farm(1, hanging)?;
    let data = place.at("hanging");
    let count = size.hanging;
    // All of them are to be there before the first is due.
    let lead = 4 + i64::try_from(count / 3_000)?;
    let crowd = Crowd { count, every: 86_400, lead, spread, ..Crowd::default() };
    let known = ground.follow(&data, &farm, &crowd)?;
    let served = ground.serve(&data, "", &[])?;
    let good = count - count.checked_div(hanging).unwrap_or(0);
    served.wait(WELL, good)?;
    let (cpu, peak) = (served.process.cpu()?, served.process.peak_kib()?);
    drop(served);
    let mut lags = Command::new(&ground.following);
    lags.arg("lags").arg(&data).arg(&known.first);
    let said = output(lags.args([count, spread].map(|figure| figure.to_string())))?;
    eprintln!("bench: sites, median, 95th percentile and maximum in ms: {}", said.trim());
    let said: Vec<u64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [sites, _, most, _] = said[..] else { anyhow::bail!("no lags: {said:?}") };
    ensure!(sites == good, "{sites} sites are well of {good}");
    figures.add(std::time::Duration::from_millis(most).as_secs_f64(), cpu, peak);
    Ok(())
}
