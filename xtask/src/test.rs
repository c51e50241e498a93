//! `cargo xtask test`: every test of the workspace.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use anyhow::Result;

use crate::command::{cargo, run as run_command, works};
use crate::postgres::{self, Postgres};
use crate::{setup, workspace};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// For the test runner, after `--`: names of tests, its options. Leaves the doc tests out
    #[arg(last = true)]
    runner: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    setup::for_tests()?;
    let (server, url) = server()?;
    let done = tests(&arguments.runner, &url);
    drop(server);
    println!("{}", corpus());
    done
}

/// The PostgreSQL server to test with, and its URL: the one that is given, or one of our own.
fn server() -> Result<(Option<Postgres>, OsString)> {
    if let Some(given) = env::var_os(postgres::VARIABLE) {
        return Ok((None, given));
    }
    let server = Postgres::start()?;
    let url = server.url().into();
    Ok((Some(server), url))
}

fn tests(narrowed: &[OsString], server: &OsStr) -> Result<()> {
    let cargo = || {
        let mut cargo = cargo();
        cargo.env(postgres::VARIABLE, server);
        cargo
    };
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
