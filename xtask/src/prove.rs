//! `cargo xtask prove`: random histories in numbers that no ordinary test run has time for.

use anyhow::Result;

use crate::command::{cargo, run as run_command};

#[derive(clap::Subcommand)]
pub(crate) enum Prove {
    /// Copies of random legal Sources: no run that ends well may leave a wrong copy
    Sync(SyncArguments),
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

pub(crate) fn run(prove: &Prove) -> Result<()> {
    let Prove::Sync(SyncArguments { histories, seed }) = prove;
    let mut tests = cargo();
    tests.args(["test", "--package", "tidings", "--test", "sync_sources", "--", "--nocapture"]);
    tests.env("TIDINGS_HISTORIES", histories.to_string()).env("TIDINGS_SEED", seed.to_string());
    run_command(&mut tests)
}
