//! `cargo xtask bench follow`: polling very many sites, and serving their feeds.

pub(crate) mod ask;
pub(crate) mod asked;
mod changes;
pub(crate) mod data;
mod feeds;
pub(crate) mod ground;
mod hanging;
pub(crate) mod polls;
pub(crate) mod process;
mod report;
mod sitemap;
mod start;
mod targets;
pub(crate) mod wrk;

use anyhow::Result;

use self::ground::Ground;
use self::report::SECTION;
use super::frame::{self, Arguments};
use super::works::Run;
use crate::setup;

/// How much of everything.
struct Size {
    /// Sites of which nothing is new.
    quiet: u64,
    /// For how long they are polled, in seconds.
    window: u64,
    /// Sites that have changed.
    busy: u64,
    /// Sites that are known to a server that starts.
    known: u64,
    /// Sites, a tenth of which hangs.
    hanging: u64,
    /// Over how many seconds their polls are spread, where they are not due at once.
    spread: u64,
    /// Sitemaps of 50,000 pages.
    sitemaps: u64,
    /// For how long a feed is asked for, in seconds.
    load: u64,
    /// After one that does not count.
    rounds: usize,
    /// The same for what takes long.
    slow_rounds: usize,
}

const FULL: Size = Size {
    quiet: 10_000,
    window: 10,
    busy: 1_000,
    known: 100_000,
    hanging: 10_000,
    spread: 20,
    sitemaps: 20,
    load: 4,
    rounds: 3,
    slow_rounds: 2,
};

const QUICK: Size = Size {
    quiet: 5_000,
    window: 2,
    busy: 100,
    known: 2_000,
    hanging: 500,
    spread: 3,
    sitemaps: 1,
    load: 1,
    rounds: 1,
    slow_rounds: 1,
};

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
    let mut works = feeds::run(&ground, &size)?;
    works.push(polls::run(&ground, &size)?);
    works.push(changes::run(&ground, &size)?);
    works.extend(hanging::run(&ground, &size)?);
    works.push(start::run(&ground, &size)?);
    works.push(sitemap::run(&ground, &size)?);
    Ok(started.end("follow", arguments, works))
}
