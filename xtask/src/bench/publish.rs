//! `cargo xtask bench publish`: making Sources, beside other programs for the same work and beside
//! floors, programs that do only what nobody can leave out.

mod contest;
mod data;
mod dump;
mod field;
mod first;
mod large;
mod place;
mod plots;
mod records;
mod report;
mod targets;
mod unchanged;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use self::data::Run;
use self::field::Field;
use super::machine::Machine;
use super::programs::Programs;
use crate::command::{cargo, run as run_command};
use crate::{setup, workspace};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A twentieth of everything, and few rounds: to see that it runs, not to publish
    #[arg(long)]
    quick: bool,
    /// Measure nothing: make the report again from its data file
    #[arg(long, conflicts_with = "quick")]
    render: bool,
    /// Where benchmarks.md and its data go
    #[arg(long, value_name = "DIR", default_value = "docs")]
    out: PathBuf,
}

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
    let out = workspace::root().join(&arguments.out);
    let data = out.join("benchmarks/publish.json");
    if !arguments.render {
        let run = measure(arguments.quick)?;
        fs::create_dir_all(out.join("benchmarks"))?;
        fs::write(&data, serde_json::to_string_pretty(&run)? + "\n")?;
    }
    let run = fs::read_to_string(&data).with_context(|| {
        format!("no {}: run `cargo xtask bench publish` without --render", data.display())
    })?;
    let run: Run = serde_json::from_str(&run)
        .with_context(|| format!("{} is from another version: measure again", data.display()))?;
    report::write(&run, &out)?;
    println!("written: {}", out.join("benchmarks.md").display());
    for (_, problem) in run.problems() {
        println!("not measured: {problem}");
    }
    if run.problems().iter().any(|(ours, _)| *ours) {
        bail!("something of ours could not be measured: see above; the report says so, too");
    }
    Ok(())
}

fn measure(quick: bool) -> Result<Run> {
    let mut machine = Machine::now();
    setup::for_benchmarks()?;
    eprintln!("bench: building");
    run_command(cargo().args(["build", "--release", "--quiet", "--locked", "--package=tidings"]))?;
    let programs = Programs::provide_peers()?;
    machine.ask_versions_for_publishing(&programs);
    let size = if quick { QUICK } else { FULL };
    let field = Field::new(&programs, machine.cores);
    let mut works = vec![first::run(&field, &size)?];
    works.extend(large::run(&field, &size)?);
    works.extend(unchanged::run(&field, &size)?);
    works.extend(dump::run(&field, &size)?);
    works.push(records::run(&field, &size)?);
    Ok(Run {
        command: format!("cargo xtask bench publish{}", if quick { " --quick" } else { "" }),
        quick,
        machine,
        works,
    })
}
