//! One process, measured from outside.
//!
//! CPU time and peak memory come from GNU time, which asks the kernel when the process has ended
//! (`wait4`): exact for memory where polling `/proc` misses a short peak, and without the unsafe
//! call that asking from here would take. It rounds CPU time to 10 ms, so what is timed is run
//! often enough in one process to last about a second. Wall time is taken here.
//!
//! Instructions are counted by callgrind. They do not depend on what else the machine does.

use std::ffi::OsString;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Error, Result, bail};
use tempfile::NamedTempFile;

use crate::command::output_from;

/// The words of a command line.
pub(crate) type Words = Vec<OsString>;

/// What a process took.
pub(crate) struct Taken {
    /// Seconds.
    pub(crate) wall: f64,
    /// Seconds, of the user's and the system's.
    pub(crate) cpu: f64,
    pub(crate) peak_kib: u64,
    /// What it printed.
    pub(crate) printed: String,
}

/// Why something could not be measured, for the report: without the command, whose paths are of
/// this machine.
pub(crate) fn problem(error: &Error) -> String {
    error.root_cause().to_string()
}

/// Runs it once.
pub(crate) fn timed(words: &Words) -> Result<Taken> {
    timed_from(words, Stdio::null())
}

/// Runs it once, with something to read.
pub(crate) fn timed_from(words: &Words, input: Stdio) -> Result<Taken> {
    let figures = NamedTempFile::new()?;
    let mut command = Command::new("time");
    command.args(["--format=%U %S %M", "--output"]).arg(figures.path()).args(words);
    let start = Instant::now();
    let printed = output_from(&mut command, input)?;
    let wall = start.elapsed().as_secs_f64();
    let said = fs::read_to_string(figures.path())?;
    let (cpu, peak_kib) =
        figures_of_time(&said).with_context(|| format!("GNU time said {said:?}"))?;
    Ok(Taken { wall, cpu, peak_kib, printed })
}

fn figures_of_time(said: &str) -> Option<(f64, u64)> {
    let mut figures = said.lines().last()?.split(' ');
    let user: f64 = figures.next()?.parse().ok()?;
    let system: f64 = figures.next()?.parse().ok()?;
    Some((user + system, figures.next()?.parse().ok()?))
}

/// Instructions for one more of something: those of `twice` less those of `once`, so that starting
/// and ending the process are not counted.
pub(crate) fn instructions_for_one_more(once: &Words, twice: &Words) -> Result<f64> {
    let (once, twice) = (instructions(once)?, instructions(twice)?);
    Ok(twice as f64 - once as f64)
}

fn instructions(words: &Words) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(words)
        .stdin(Stdio::null())
        .output()
        .context("valgrind could not be started: run `cargo xtask setup --bench`")?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        // Its own lines begin with ==, the program's do not.
        let why = said.lines().rfind(|line| !line.starts_with("==")).unwrap_or("it says nothing");
        bail!("failed under callgrind ({}): {why}", output.status);
    }
    collected(&said).context("callgrind did not say how many instructions there were")
}

fn collected(said: &str) -> Option<u64> {
    said.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::{collected, figures_of_time};

    #[test]
    fn the_figures_of_gnu_time_are_in_its_last_line() {
        let said = "Command exited with non-zero status 1\n1.25 0.50 2084\n";
        assert_eq!(figures_of_time(said), Some((1.75, 2084)));
        assert_eq!(figures_of_time(""), None);
    }

    #[test]
    fn callgrind_says_what_it_collected() {
        let said = "==7== Events    : Ir\n==7== Collected : 32071802\n==7==\n";
        assert_eq!(collected(said), Some(32_071_802));
    }
}
