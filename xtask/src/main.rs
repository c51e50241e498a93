//! The chores of the workspace: `cargo xtask setup | test | prove | fuzz | bench | judge`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for people at a terminal: what it prints is its result"
)]

mod bench;
mod command;
#[cfg(test)]
mod floors;
mod fuzz;
mod judge;
mod postgres;
mod prove;
mod setup;
mod test;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The chores of the workspace")]
enum Chore {
    /// Install what the tests need and this system lacks
    Setup(setup::Arguments),
    /// Run every test of the workspace
    Test(test::Arguments),
    /// Try random histories, many more than the tests do
    #[command(subcommand)]
    Prove(prove::Prove),
    /// Feed the fuzz targets for a while
    Fuzz(fuzz::Arguments),
    /// Measure, beside other programs, and write docs/benchmarks.md
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Let other people's programs read what we publish
    Judge(judge::Arguments),
}

fn main() -> ExitCode {
    let done = match Chore::parse() {
        Chore::Setup(arguments) => setup::run(&arguments),
        Chore::Test(arguments) => test::run(&arguments),
        Chore::Prove(prove) => prove::run(&prove),
        Chore::Fuzz(arguments) => fuzz::run(&arguments),
        Chore::Bench(bench) => bench::run(&bench),
        Chore::Judge(arguments) => judge::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
