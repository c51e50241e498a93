//! `cargo xtask bench sync`: copying Sources, beside other programs that copy.

mod copy;
mod data;
mod far;
mod ground;
mod increment;
mod memory;
mod peers;
mod proxy;
mod report;
pub(crate) mod servers;
mod targets;
mod unchanged;

use anyhow::Result;

use self::report::SECTION;
use super::field::Field;
use super::frame::{self, Arguments};
use super::works::Run;
use crate::setup;

/// How much of everything.
struct Size {
    /// Folders of 100 files of 4 KiB.
    copied: u64,
    /// The same over a slow network.
    far: u64,
    /// Folders of 1,000 tiny files.
    many: u64,
    records: u64,
    /// After one that does not count.
    rounds: usize,
    /// The same for what takes long.
    slow_rounds: usize,
}

const FULL: Size =
    Size { copied: 200, far: 20, many: 1_000, records: 10_000_000, rounds: 5, slow_rounds: 2 };

const QUICK: Size =
    Size { copied: 10, far: 5, many: 20, records: 200_000, rounds: 3, slow_rounds: 1 };

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    frame::run(arguments, &SECTION, measure)
}

fn measure(arguments: &Arguments) -> Result<Run> {
    setup::with_peers()?;
    let mut started = frame::start(arguments)?;
    started.machine.ask_versions_for_copying(&started.programs);
    let size = if arguments.quick { QUICK } else { FULL };
    let field = Field::new(&started.programs, &started.tidings, started.machine.cores);
    let mut works = copy::run(&field, &size)?;
    works.push(far::run(&field, &size)?);
    works.push(increment::run(&field, &size)?);
    works.push(memory::run(&field, &size)?);
    Ok(started.end("sync", arguments, works))
}
