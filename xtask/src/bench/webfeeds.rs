//! `cargo xtask bench webfeeds`: polls of webfeeds, making posts safe, and the grid of leads.

mod browser;
mod data;
mod report;
mod targets;

use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use self::browser::Browser;
use self::data::{
    AMMONIA, CSS, GRID, MEDIAN_SECOND, PAINT, POLLS, POST, SAFE, SCROLL, SERVE, SHEET,
    SLOWEST_SECOND, TOKENIZER, WHOLE,
};
use self::report::SECTION;
use super::data::Spread;
use super::follow::ground::{Crowd, Ground};
use super::follow::polls::quiet;
use super::frame::{self, Arguments};
use super::place::Place;
use super::shown::thousands;
use super::works::{Run, Side, Work};
use crate::command::output;
use crate::setup;

/// How much of everything.
struct Size {
    webfeeds: u64,
    /// For how long they are polled, in seconds.
    window: u64,
    leads: u64,
    rounds: usize,
}

const FULL: Size = Size { webfeeds: 10_000, window: 10, leads: 1_000, rounds: 3 };
const QUICK: Size = Size { webfeeds: 2_000, window: 2, leads: 100, rounds: 1 };

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    frame::run(arguments, &SECTION, measure)
}

fn measure(arguments: &Arguments) -> Result<Run> {
    setup::with_peers()?;
    let mut started = frame::start(arguments)?;
    started.machine.ask_versions_for_following();
    let size = if arguments.quick { QUICK } else { FULL };
    let following = started.programs.provide_following()?;
    let hello = started.programs.peer("axum-hello");
    let ground = Ground { tidings: &started.tidings, following, hello };
    let mut works = vec![polls(&ground, &size)?, safe(&ground, POST)?, safe(&ground, CSS)?];
    works.extend(grid(&ground, &size)?);
    Ok(started.end("webfeeds", arguments, works))
}

/// Webfeeds of which nothing is new.
fn polls(ground: &Ground<'_>, size: &Size) -> Result<Work> {
    let crowd = Crowd { count: size.webfeeds, every: 1, webfeeds: true, ..Crowd::default() };
    let (figures, sites) = quiet(ground, &crowd, POLLS, size.rounds, size.window)?;
    let does = "HEAD, recorded, durable when it counts; one poll in 13 reads all of it";
    Ok(Work {
        id: POLLS.to_owned(),
        title: "Polls of webfeeds that have nothing new".to_owned(),
        about: format!(
            "{} polls of as many webfeeds, each on a host of its own; SQLite, on a disk. The hosts run \
             on the same cores.",
            thousands(size.webfeeds as f64)
        ),
        resources: size.webfeeds,
        bytes: 0,
        sides: vec![figures.side(SERVE, does, true), sites],
    })
}

/// Posts, or style sheets, that are made safe to be shown, on one core.
fn safe(ground: &Ground<'_>, what: &str) -> Result<Work> {
    eprintln!("bench: {SAFE}, {what}");
    let said = output(Command::new(&ground.following).args(["sanitise", what]))?;
    let mut sides: Vec<Side> = Vec::new();
    let mut bytes = 0;
    // A line for each round: who, how many bytes, and in how many seconds.
    for line in said.lines() {
        let mut words = line.split('\t');
        let (Some(name), Some(size), Some(seconds)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        bytes = size.parse()?;
        let seconds: Vec<f64> =
            seconds.split(' ').map(str::parse).collect::<Result<_, _>>().context("no figure")?;
        let does = match name {
            WHOLE => "takes the page apart, lets through what it knows, finds leads",
            SHEET => "lets through what can load and cover nothing",
            AMMONIA => "the same elements and attributes; no sections, no style sheets",
            TOKENIZER => "only finds the tags",
            _ => "",
        };
        sides.push(Side {
            name: name.to_owned(),
            does: does.to_owned(),
            ours: name == WHOLE || name == SHEET,
            runs: seconds.len(),
            wall: Spread::of(&seconds),
            ..Side::default()
        });
    }
    let title = if what == POST { "Posts made safe" } else { "Style sheets made safe" };
    Ok(Work {
        id: what.to_owned(),
        title: title.to_owned(),
        about: "In memory, on one core. MB are of what goes in.".to_owned(),
        resources: 1,
        bytes,
        sides,
    })
}

/// How many tiles of the grid come at once.
const TILES_AT_ONCE: u64 = 60;

/// A grid of very many leads, in a real browser: how long it takes until it is there, and how smoothly it is scrolled.
fn grid(ground: &Ground<'_>, size: &Size) -> Result<[Work; 2]> {
    let place = Place::on_disk(10, 1 << 30)?;
    let data = place.at("grid");
    let mut fill = Command::new(&ground.following);
    fill.arg("leads").arg(&data).arg(size.leads.to_string());
    output(&mut fill).context("no leads")?;
    let served = ground.serve(&data, "", &[])?;
    let (mut paint, mut whole) = (Vec::new(), Vec::new());
    let (mut median, mut slowest) = (Vec::new(), Vec::new());
    for round in 0..=size.rounds {
        eprintln!("bench: {GRID}, round {round} of {}", size.rounds);
        // A new one each time: it has nothing in its cache.
        let browser = Browser::start()?;
        let seen = browser.look(&format!("http://{}/webfeeds", served.address))?;
        let expected = size.leads.min(TILES_AT_ONCE);
        ensure!(seen.tiles == expected, "{} tiles instead of {expected}", seen.tiles);
        let mut frames = browser.scroll(size.leads)?;
        frames.sort_unstable();
        let (Some(least), Some(middle)) = (frames.first(), frames.get(frames.len() / 2)) else {
            bail!("the grid was scrolled through in less than a second");
        };
        // A second without any frame counts as one with a frame.
        let seconds_each = |frames: u64| 1.0 / frames.max(1) as f64;
        if round > 0 {
            paint.push(seen.paint);
            whole.push(seen.first_leads);
            median.push(seconds_each(*middle));
            slowest.push(seconds_each(*least));
        }
    }
    let side = |name: &str, does: &str, seconds: &[f64]| Side {
        name: name.to_owned(),
        does: does.to_owned(),
        ours: true,
        runs: seconds.len(),
        wall: Spread::of(seconds),
        ..Side::default()
    };
    let leads = thousands(size.leads as f64);
    let grid = Work {
        id: GRID.to_owned(),
        title: "The grid".to_owned(),
        about: format!(
            "The first {TILES_AT_ONCE} of {leads} leads of 50 webfeeds, in a headless Chromium on the same cores, \
             1280 × 900; resources are tiles. Frames that are not in sight are loaded when they come near."
        ),
        resources: size.leads.min(TILES_AT_ONCE),
        bytes: 0,
        sides: vec![
            side(PAINT, "until the browser has painted something of the page", &paint),
            side(data::LEADS, "until all leads in sight are loaded", &whole),
        ],
    };
    let scroll = Work {
        id: SCROLL.to_owned(),
        title: "Scrolling through the grid".to_owned(),
        about: format!(
            "From the first of {leads} leads to the last in the same browser, more than three screens in a second, while \
             the others are loaded; resources are frames, without a graphics card."
        ),
        resources: 1,
        bytes: 0,
        sides: vec![
            side(MEDIAN_SECOND, "a frame of the median second", &median),
            side(SLOWEST_SECOND, "a frame of the slowest second", &slowest),
        ],
    };
    Ok([grid, scroll])
}
