//! `cargo xtask bench publish`: making Sources, beside other programs for the same work and beside
//! floors, programs that do only what nobody can leave out.

mod data;
mod dump;
mod first;
mod large;
mod records;
mod report;
mod sides;
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
    small: u64,
    /// Folders of 20 files of 1 MiB.
    large: u64,
    /// The bytes of the one large file.
    largest: u64,
    /// Folders of 1,000 tiny files.
    unchanged: u64,
    /// Folders of 100 files of 4 KiB, to be packed.
    dumped: u64,
    records: u64,
    /// After one that does not count.
    rounds: usize,
    /// The same for what takes many times as long as the others.
    slow_rounds: usize,
}

const FULL: Size = Size {
    small: 1_000,
    large: 100,
    largest: 1 << 30,
    unchanged: 1_000,
    dumped: 200,
    records: 10_000_000,
    rounds: 5,
    slow_rounds: 2,
};

const QUICK: Size = Size {
    small: 50,
    large: 5,
    largest: 50 << 20,
    unchanged: 50,
    dumped: 10,
    records: 200_000,
    rounds: 3,
    slow_rounds: 1,
};

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    frame::run(arguments, &SECTION, measure)
}

fn measure(arguments: &Arguments) -> Result<Run> {
    setup::for_benchmarks()?;
    let mut started = frame::start(arguments)?;
    started.machine.ask_versions_for_publishing(&started.programs);
    let size = if arguments.quick { QUICK } else { FULL };
    let field = Field::new(&started.programs, &started.tidings, started.machine.cores);
    let mut works = vec![first::run(&field, &size)?];
    works.extend(large::run(&field, &size)?);
    works.extend(unchanged::run(&field, &size)?);
    works.extend(dump::run(&field, &size)?);
    works.push(records::run(&field, &size)?);
    Ok(started.end("publish", arguments, works))
}
