//! `cargo xtask test`: every test of the workspace.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;

use crate::command::{cargo, run as run_command, works};
use crate::{setup, workspace};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// For the test runner, after `--`: names of tests, its options. Leaves the doc tests out
    #[arg(last = true)]
    runner: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    setup::for_tests()?;
    let done = tests(&arguments.runner);
    println!("{}", corpus());
    done
}

fn tests(narrowed: &[OsString]) -> Result<()> {
    if works("cargo", &["nextest", "--version"]) {
        run_command(cargo().args(["nextest", "run", "--workspace", "--locked"]).args(narrowed))?;
        // Nextest does not know doc tests, and its arguments mean nothing to them.
        if narrowed.is_empty() {
            run_command(cargo().args(["test", "--doc", "--workspace", "--locked"]))?;
        } else {
            println!("doc tests: skipped, there are arguments for the runner");
        }
        Ok(())
    } else {
        run_command(cargo().args(["test", "--workspace", "--locked"]).args(narrowed))
    }
}

/// Whether the tests over the shared corpus could run: they pass in silence when it is not there.
fn corpus() -> String {
    let (place, shown) = match env::var_os("TIDINGS_CORPUS") {
        Some(set) => (PathBuf::from(&set), set.to_string_lossy().into_owned()),
        None => (workspace::root().join("../shared/corpus"), "../shared/corpus".to_owned()),
    };
    if place.is_dir() {
        "corpus tests: run".to_owned()
    } else {
        format!("corpus tests: skipped, no {shown}")
    }
}
