//! `cargo xtask bench`: measured beside other programs in one run, and written down.
//!
//! A run is first a data file, then a report made from nothing but that file. Each kind of
//! benchmark has a data file and a section of `docs/benchmarks.md` of its own.

mod chart;
mod data;
mod documents;
mod gate;
mod machine;
mod measure;
mod plots;
mod programs;
mod publish;
mod report;
mod shown;
mod targets;
mod turn;

use anyhow::Result;

#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// Reading and writing documents
    Documents(documents::Arguments),
    /// Publishing: first, again with nothing changed, dumps, and from records
    Publish(publish::Arguments),
}

pub(crate) fn run(bench: &Bench) -> Result<()> {
    match bench {
        Bench::Documents(arguments) => documents::run(arguments),
        Bench::Publish(arguments) => publish::run(arguments),
    }
}
