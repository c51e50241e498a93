//! `cargo xtask bench documents`: reading and writing documents, ours and others'.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Error, Result, bail, ensure};
use tempfile::TempDir;

use super::data::{
    EVENTS, FLOOR, MEMORY, Memory, READ, Reading, Run, Spread, Start, TMPFS, WRITE, Writer, Writing,
};
use super::machine::Machine;
use super::measure::{Words, problem, timed};
use super::programs::Programs;
use super::turn::Turn;
use super::{gate, report};
use crate::command::{cargo, output, run as run_command};
use crate::{setup, workspace};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Small inputs and few rounds: to see that it runs, not to publish
    #[arg(long)]
    quick: bool,
    /// Only count our instructions, and fail when there are more than benches/instructions.toml says
    #[arg(long)]
    gate: bool,
    /// Write what the gate counts into benches/instructions.toml
    #[arg(long, requires = "gate")]
    bless: bool,
    /// Measure nothing: make the report again from its data file
    #[arg(long, conflicts_with_all = ["quick", "gate"])]
    render: bool,
    /// Where benchmarks.md and its data go
    #[arg(long, value_name = "DIR", default_value = "docs")]
    out: PathBuf,
}

/// How much of everything.
struct Size {
    entries: u64,
    counted: u64,
    rounds: usize,
    written: u64,
    memory: &'static [u64],
    starts: usize,
}

const FULL: Size = Size {
    entries: 50_000,
    counted: 5_000,
    rounds: 5,
    written: 1_000_000,
    // The last one is a document of 5 GB.
    memory: &[50_000, 1_000_000, 17_000_000],
    starts: 50,
};

const QUICK: Size = Size {
    entries: 5_000,
    counted: 1_000,
    rounds: 3,
    written: 100_000,
    memory: &[5_000, 50_000],
    starts: 10,
};

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if arguments.gate {
        setup::for_benchmarks()?;
        return gate::run(arguments.bless);
    }
    let out = workspace::root().join(&arguments.out);
    let data = out.join("benchmarks/documents.json");
    if !arguments.render {
        let run = measure(arguments.quick)?;
        fs::create_dir_all(out.join("benchmarks"))?;
        fs::write(&data, serde_json::to_string_pretty(&run)? + "\n")?;
    }
    let run = fs::read_to_string(&data).with_context(|| {
        format!("no {}: run `cargo xtask bench documents` without --render", data.display())
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
    let programs = Programs::provide()?;
    machine.ask_versions(&programs);
    let size = if quick { QUICK } else { FULL };
    let scratch = TempDir::with_prefix("tidings-bench-")?;
    Ok(Run {
        command: format!("cargo xtask bench documents{}", if quick { " --quick" } else { "" }),
        quick,
        machine,
        reading: reading(&programs, &size, scratch.path())?,
        writing: writing(&programs, &size)?,
        memory: memory(&programs, &size, scratch.path())?,
        start: start(size.starts)
            .unwrap_or_else(|error| Start { problem: Some(problem(&error)), ..Start::default() }),
    })
}

/// Everyone reads the same list, in turns, so that a busy spell of the machine hits them all.
fn reading(programs: &Programs, size: &Size, scratch: &Path) -> Result<Reading> {
    let (list, short) = (scratch.join("list.xml"), scratch.join("short.xml"));
    programs.generate(size.entries, &list)?;
    programs.generate(size.counted, &short)?;
    let mut turns: Vec<Turn> = programs.readers().into_iter().map(Turn::new).collect();
    eprintln!("bench: reading, a first time");
    for turn in &mut turns {
        turn.warm_up(&list, size.entries);
    }
    for round in 1..=size.rounds {
        eprintln!("bench: reading, round {round} of {}", size.rounds);
        for turn in &mut turns {
            turn.take(&list, size.entries);
        }
    }
    for turn in &mut turns {
        turn.count(&short, size.counted);
    }
    Ok(Reading {
        entries: size.entries,
        bytes: fs::metadata(&list)?.len(),
        counted_entries: size.counted,
        rounds: size.rounds,
        readers: turns.into_iter().map(Turn::end).collect(),
    })
}

/// We and the floor write in turns, into memory and into files on a tmpfs.
fn writing(programs: &Programs, size: &Size) -> Result<Writing> {
    let folder = TempDir::with_prefix_in("tidings-bench-", "/dev/shm")
        .context("no tmpfs at /dev/shm: mount one there")?;
    let file = folder.path().join("list.xml");
    let file = file.to_str().context("/dev/shm has a strange name")?;
    let entries = size.written.to_string();
    let mut writers = Vec::new();
    for (into, target) in [(MEMORY, "memory"), (TMPFS, file)] {
        for (name, verb) in [(WRITE, "write"), (FLOOR, "floor")] {
            let writer = Writer {
                name: name.to_owned(),
                into: into.to_owned(),
                ours: name == WRITE,
                bytes: None,
                seconds: None,
                problem: None,
            };
            writers.push((writer, programs.ours([verb, &entries, target]), Vec::new()));
        }
    }
    for round in 0..=size.rounds {
        eprintln!("bench: writing, round {round} of {}", size.rounds);
        for (writer, words, seconds) in &mut writers {
            match written(words) {
                Ok((bytes, taken)) => {
                    writer.bytes = Some(bytes);
                    if round > 0 {
                        seconds.push(taken);
                    }
                }
                Err(error) => writer.problem = Some(problem(&error)),
            }
        }
    }
    // When one cannot write at all, that is said already.
    let all = writers.iter().all(|(writer, ..)| writer.problem.is_none());
    let same = programs.ours(["same", "1000"]);
    let compared = || output(Command::new(&same[0]).args(&same[1..]));
    let difference = if all { compared().err() } else { None };
    Ok(Writing {
        entries: size.written,
        writers: writers
            .into_iter()
            .map(|(writer, _, seconds)| Writer { seconds: Spread::of(&seconds), ..writer })
            .collect(),
        difference: difference.as_ref().map(problem),
    })
}

/// The bytes and seconds that a writer prints.
fn written(words: &Words) -> Result<(u64, f64)> {
    let printed = output(Command::new(&words[0]).args(&words[1..]))?;
    let (bytes, seconds) = printed.trim().split_once(' ').context("not BYTES SECONDS")?;
    Ok((bytes.parse()?, seconds.parse()?))
}

/// Peaks over lists of more and more entries, ours and the yardstick's.
fn memory(programs: &Programs, size: &Size, scratch: &Path) -> Result<Vec<Memory>> {
    let list = scratch.join("long.xml");
    let mut peaks = Vec::new();
    for &entries in size.memory {
        eprintln!("bench: memory, {entries} entries");
        programs.generate(entries, &list)?;
        for reader in programs.readers() {
            if ![READ, EVENTS].contains(&reader.name) {
                continue;
            }
            let peak = reader.words(&list, 1).map_err(Error::msg).and_then(|words| {
                let taken = timed(&words)?;
                let seen = taken.printed.trim();
                ensure!(seen == entries.to_string(), "{seen} entries seen of {entries}");
                Ok(taken.peak_kib)
            });
            peaks.push(Memory {
                name: reader.name.to_owned(),
                ours: reader.ours,
                entries,
                problem: peak.as_ref().err().map(problem),
                peak_kib: peak.ok(),
            });
        }
    }
    Ok(peaks)
}

fn start(runs: usize) -> Result<Start> {
    eprintln!("bench: starting");
    run_command(cargo().args(["build", "--release", "--quiet", "--locked", "--package=tidings"]))?;
    let binary = workspace::target().join("release/tidings");
    let binary_bytes = fs::metadata(&binary)?.len();
    let (mut version_ms, mut true_ms) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..runs {
        version_ms = version_ms.min(started(&binary)?);
        true_ms = true_ms.min(started(Path::new("true"))?);
    }
    let rounded = |figure: f64| Some((figure * 1e3).round() / 1e3);
    Ok(Start {
        runs,
        version_ms: rounded(version_ms),
        true_ms: rounded(true_ms),
        binary_bytes: Some(binary_bytes),
        problem: None,
    })
}

/// Milliseconds from start to end of `PROGRAM --version`.
fn started(program: &Path) -> Result<f64> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null());
    let start = Instant::now();
    run_command(&mut command)?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
