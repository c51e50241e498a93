//! `cargo xtask prove`: tests in numbers that no ordinary test run has time for.

use std::process::Command;

use anyhow::Result;

use crate::command::{cargo, run as run_command};

#[derive(clap::Subcommand)]
pub(crate) enum Prove {
    /// Copies of random legal Sources: no run that ends well may leave a wrong copy
    Sync(SyncArguments),
    /// Followers of random sites that change their documents, their means and their habits: each real change must be
    /// told exactly once
    Following(FollowingArguments),
    /// Both servers while one address opens many connections and sends on each a byte a second
    Servers(ServersArguments),
    /// A live site that a stranger reads while programs and people work on its files, and whose disk loses
    /// its power
    Site(SiteArguments),
}

#[derive(clap::Args)]
pub(crate) struct SiteArguments {
    /// How long they work, in seconds
    #[arg(long, value_name = "N", default_value_t = 300)]
    seconds: u64,
    /// The number of power cuts for each file system
    #[arg(long, value_name = "N", default_value_t = 250)]
    cuts: usize,
    /// How many answers a second the stranger has to get of each document: it asks 25 times a second. 0 on
    /// a machine that is busy with other things
    #[arg(long, value_name = "N", default_value_t = 20)]
    rate: u32,
    /// The number of random trees of pages that programs bring in the place of each other
    #[arg(long, value_name = "N", default_value_t = 20)]
    histories: u64,
    /// The seed of the first history, each having the next number, and of the power cuts
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(clap::Args)]
pub(crate) struct SyncArguments {
    /// The number of histories
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    histories: u64,
    /// The seed of the first history; each has the next number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(clap::Args)]
pub(crate) struct FollowingArguments {
    /// The number of histories
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    histories: u64,
    /// The number of the first history; each has the next one
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

#[derive(clap::Args)]
pub(crate) struct ServersArguments {
    /// The number of connections
    #[arg(long, value_name = "N", default_value_t = 10_060)]
    connections: usize,
}

pub(crate) fn run(prove: &Prove) -> Result<()> {
    match prove {
        Prove::Sync(SyncArguments { histories, seed }) => {
            let mut tests = end_to_end("sync_sources");
            tests.env("TIDINGS_HISTORIES", histories.to_string());
            tests.env("TIDINGS_SEED", seed.to_string());
            run_command(&mut tests)
        }
        Prove::Following(FollowingArguments { histories, seed }) => {
            let mut tests = end_to_end("following_truth");
            tests.env("TIDINGS_HISTORIES", histories.to_string());
            tests.env("TIDINGS_SEED", seed.to_string());
            run_command(&mut tests)
        }
        Prove::Servers(ServersArguments { connections }) => {
            let mut tests = end_to_end("servers_attacked");
            tests.arg("--test-threads=1");
            tests.env("TIDINGS_ATTACK_CONNECTIONS", connections.to_string());
            run_command(&mut tests)
        }
        Prove::Site(SiteArguments { seconds, cuts, rate, histories, seed }) => {
            let mut tests = end_to_end("site_stranger");
            tests.env("TIDINGS_STRANGER_SECONDS", seconds.to_string());
            tests.env("TIDINGS_STRANGER_RATE", rate.to_string());
            tests.env("TIDINGS_HISTORIES", histories.to_string());
            tests.env("TIDINGS_SEED", seed.to_string());
            // One after the other: the histories would take answers from the stranger.
            tests.arg("--test-threads=1");
            run_command(&mut tests)?;
            let mut tests = end_to_end("site_power");
            tests.env("TIDINGS_SEED", seed.to_string());
            tests.env("TIDINGS_POWER_CUTS", cuts.to_string());
            run_command(&mut tests)
        }
    }
}

/// One of the end-to-end tests, whose output is shown.
fn end_to_end(name: &str) -> Command {
    let mut tests = cargo();
    tests.args(["test", "--package", "tidings", "--test", name, "--", "--nocapture"]);
    tests
}
