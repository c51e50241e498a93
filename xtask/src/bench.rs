//! `cargo xtask bench`: measured beside other programs in one run, and written down.
//!
//! A run is first a data file, then a report made from nothing but that file. Each kind of
//! benchmark has a data file and a section of `docs/benchmarks.md` of its own.

mod chart;
mod contest;
mod data;
mod documents;
mod field;
mod follow;
mod frame;
mod gate;
mod machine;
mod measure;
mod pages;
mod place;
mod plots;
mod programs;
mod publish;
mod report;
mod section;
mod shown;
mod site;
mod sync;
mod targets;
mod turn;
mod verdict;
mod webfeeds;
mod works;

use anyhow::Result;

#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// Reading and writing documents
    Documents(documents::Arguments),
    /// Publishing: first, again with nothing changed, dumps, and from records
    Publish(frame::Arguments),
    /// Copying: first, again with nothing changed or little, and over a slow network
    Sync(frame::Arguments),
    /// Following: polls, feeds, memory, and sites that hang
    Follow(frame::Arguments),
    /// Pages: how soon they are there, and how large they are, with much to show
    Pages(frame::Arguments),
    /// A live site: its sitemap beside a file, its pages beside hello, and a million of them
    Site(frame::Arguments),
    /// Webfeeds: polls, posts made safe beside ammonia, and a grid of 1,000 leads in a browser
    Webfeeds(frame::Arguments),
}

pub(crate) fn run(bench: &Bench) -> Result<()> {
    match bench {
        Bench::Documents(arguments) => documents::run(arguments),
        Bench::Publish(arguments) => publish::run(arguments),
        Bench::Sync(arguments) => sync::run(arguments),
        Bench::Follow(arguments) => follow::run(arguments),
        Bench::Pages(arguments) => pages::run(arguments),
        Bench::Site(arguments) => site::run(arguments),
        Bench::Webfeeds(arguments) => webfeeds::run(arguments),
    }
}
