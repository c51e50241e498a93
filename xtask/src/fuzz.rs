//! `cargo xtask fuzz`: libFuzzer on each target, and what it did.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};

use crate::command::{cargo, run as run_command, shown, works};
use crate::workspace;

const CARGO_FUZZ: &str = "0.13.2";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How long, for each target
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u32,
    /// Which targets; all, when none is named
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let known = known()?;
    if let Some(unknown) = arguments.targets.iter().find(|name| !known.contains(name)) {
        bail!("no fuzz target `{unknown}`: there are {}", known.join(", "));
    }
    provide()?;
    let targets = if arguments.targets.is_empty() { &known } else { &arguments.targets };
    let mut reports = Vec::new();
    for target in targets {
        reports.push((target, fuzz(target, arguments.seconds)?));
    }
    println!(
        "{:<16} {:>12} {:>8} {:>8} {:>8}",
        "target", "executions", "exec/s", "seconds", "crashes"
    );
    for (target, Report { executions, seconds, crashes }) in &reports {
        let rate = *executions as f64 / seconds;
        println!("{target:<16} {executions:>12} {rate:>8.0} {seconds:>8.0} {:>8}", crashes.len());
    }
    let crashes: Vec<_> = reports.into_iter().flat_map(|(_, report)| report.crashes).collect();
    ensure!(
        crashes.is_empty(),
        "inputs that fail: {}. Run one again with `cargo +nightly fuzz run TARGET FILE`",
        crashes.join(", ")
    );
    Ok(())
}

/// The targets there are, by name.
fn known() -> Result<Vec<String>> {
    let folder = workspace::root().join("fuzz/fuzz_targets");
    let mut names = Vec::new();
    let files = fs::read_dir(&folder).with_context(|| {
        format!("no fuzz targets: {} is to hold one file for each", folder.display())
    })?;
    for file in files {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

/// Sees to it that there are a nightly compiler and cargo-fuzz.
fn provide() -> Result<()> {
    if !works("cargo", &["+nightly", "--version"]) {
        run_command(Command::new("rustup").args([
            "toolchain",
            "install",
            "nightly",
            "--profile=minimal",
        ]))
        .context("fuzzing needs a nightly toolchain: install one")?;
    }
    if !works("cargo", &["fuzz", "--version"]) {
        run_command(cargo().args(["install", "cargo-fuzz", "--locked", "--version", CARGO_FUZZ]))?;
    }
    Ok(())
}

/// What libFuzzer said of its run.
#[derive(Debug, Default, PartialEq)]
struct Report {
    executions: u64,
    seconds: f64,
    /// The files that hold the inputs.
    crashes: Vec<String>,
}

impl Report {
    fn note(&mut self, line: &str) {
        if let Some(number) = line.strip_prefix("stat::number_of_executed_units:") {
            self.executions = number.trim().parse().unwrap_or_default();
        } else if let Some((_, file)) = line.split_once("Test unit written to ") {
            self.crashes.push(file.trim().to_owned());
        }
    }
}

fn fuzz(target: &str, seconds: u32) -> Result<Report> {
    let root = workspace::root();
    // Built apart, so that the time is the fuzzer's.
    run_command(cargo().args(["+nightly", "fuzz", "build", target]))?;
    let found = root.join("fuzz/corpus").join(target);
    fs::create_dir_all(&found).with_context(|| format!("{} cannot be made", found.display()))?;
    let mut command = cargo();
    command.args(["+nightly", "fuzz", "run", target]).arg(found);
    // LibFuzzer writes to the first folder only; of the others it reads.
    let seeds = root.join("tests/conformance");
    if seeds.is_dir() {
        command.arg(seeds);
    } else {
        println!("fuzz {target}: no seeds, there is no tests/conformance");
    }
    command.arg("--").arg(format!("-max_total_time={seconds}"));
    command.args(["-rss_limit_mb=512", "-timeout=10", "-max_len=65536", "-print_final_stats=1"]);

    let start = Instant::now();
    let mut child = command
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{} could not be started", shown(&command)))?;
    let mut report = Report::default();
    if let Some(words) = child.stderr.take() {
        for line in BufReader::new(words).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            eprintln!("{line}");
            report.note(&line);
        }
    }
    let status = child.wait()?;
    report.seconds = start.elapsed().as_secs_f64();
    // A crash is a result; anything else that ends the run badly is not.
    ensure!(
        status.success() || !report.crashes.is_empty(),
        "{} failed ({status}): see above",
        shown(&command)
    );
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::Report;

    #[test]
    fn the_report_is_taken_from_what_libfuzzer_says() {
        let mut report = Report::default();
        for line in [
            "#2048\tpulse  cov: 12 ft: 13 corp: 4/8b exec/s: 1024 rss: 40Mb",
            "artifact_prefix='./'; Test unit written to fuzz/artifacts/read/crash-0a1b",
            "stat::number_of_executed_units: 123456",
        ] {
            report.note(line);
        }
        assert_eq!(
            report,
            Report {
                executions: 123_456,
                seconds: 0.0,
                crashes: vec!["fuzz/artifacts/read/crash-0a1b".to_owned()],
            }
        );
    }
}
