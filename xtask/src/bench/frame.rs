//! What every run has in which programs do the same work.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};

use super::machine::Machine;
use super::programs::Programs;
use super::section::Section;
use super::works::{Run, Work};
use crate::command::{cargo, run as run_command};
use crate::workspace;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A twentieth of everything, and few rounds: to see that it runs, not to publish
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measure nothing: make the report again from its data file
    #[arg(long, conflicts_with = "quick")]
    render: bool,
    /// Where benchmarks.md and its data go
    #[arg(long, value_name = "DIR", default_value = "docs")]
    out: PathBuf,
    /// Measure this program of ours, and build none
    #[arg(long, value_name = "FILE", env = "TIDINGS_BENCH_PROGRAM")]
    program: Option<PathBuf>,
}

/// What there is before anything is measured.
pub(crate) struct Started {
    pub(crate) machine: Machine,
    pub(crate) programs: Programs,
    /// The program that is measured.
    pub(crate) tidings: PathBuf,
}

/// Measures, or reads what was measured, and writes it down.
pub(crate) fn run(
    arguments: &Arguments,
    section: &Section,
    measure: impl FnOnce(&Arguments) -> Result<Run>,
) -> Result<()> {
    let (name, out) = (section.name, workspace::root().join(&arguments.out));
    let data = out.join(format!("benchmarks/{name}.json"));
    if !arguments.render {
        let run = measure(arguments)?;
        fs::create_dir_all(out.join("benchmarks"))?;
        fs::write(&data, serde_json::to_string_pretty(&run)? + "\n")?;
    }
    let run = fs::read_to_string(&data).with_context(|| {
        format!("no {}: run `cargo xtask bench {name}` without --render", data.display())
    })?;
    let run: Run = serde_json::from_str(&run)
        .with_context(|| format!("{} is from another version: measure again", data.display()))?;
    section.write(&run, &out)?;
    println!("written: {}", out.join("benchmarks.md").display());
    for (_, problem) in run.problems() {
        println!("not measured: {problem}");
    }
    if run.problems().iter().any(|(ours, _)| *ours) {
        bail!("something of ours could not be measured: see above; the report says so, too");
    }
    Ok(())
}

/// Looks at the machine, and builds what is measured.
pub(crate) fn start(arguments: &Arguments) -> Result<Started> {
    let mut machine = Machine::now();
    eprintln!("bench: building");
    let tidings = if let Some(program) = &arguments.program {
        ensure!(program.is_file(), "there is no {}", program.display());
        machine.tidings = "an unknown commit, as the program was given".to_owned();
        // It is started from other folders, too.
        program.canonicalize()?
    } else {
        let package = ["build", "--release", "--quiet", "--locked", "--package=tidings"];
        run_command(cargo().args(package))?;
        workspace::target().join("release/tidings")
    };
    Ok(Started { machine, programs: Programs::provide_peers()?, tidings })
}

impl Started {
    pub(crate) fn end(self, name: &str, arguments: &Arguments, works: Vec<Work>) -> Run {
        let quick = arguments.quick;
        let command = format!("cargo xtask bench {name}{}", if quick { " --quick" } else { "" });
        Run { command, quick, machine: self.machine, works }
    }
}
