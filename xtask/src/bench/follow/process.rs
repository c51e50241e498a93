//! A server that says when it is ready, and how it is while it runs.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::ask::{self, Answer};

/// So often a second the kernel counts who is running.
const TICKS: f64 = 100.0;
/// How often a server is asked whether it is done.
const LOOK: Duration = Duration::from_millis(50);
/// How long it may take to be.
const PATIENCE: Duration = Duration::from_secs(300);

/// The process, until it is dropped.
pub(crate) struct Process {
    child: Child,
    /// The first line that it printed.
    pub(crate) said: String,
    /// After how many seconds it did.
    pub(crate) ready: f64,
    pub(crate) begun: Instant,
}

/// `tidings serve`, until it is dropped.
pub(crate) struct Served {
    pub(crate) process: Process,
    pub(crate) address: String,
}

impl Process {
    /// Waits for its first line.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let begun = Instant::now();
        // Its input ends when we do, and some end by that.
        let quiet = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = quiet.spawn().context("a server could not be started")?;
        let printed = child.stdout.take().context("a server prints nothing")?;
        let mut said = String::new();
        BufReader::new(printed).read_line(&mut said)?;
        let ready = begun.elapsed().as_secs_f64();
        let process = Self { child, said: said.trim().to_owned(), ready, begun };
        ensure!(!process.said.is_empty(), "a server ended at once");
        Ok(process)
    }

    /// Seconds of CPU time so far.
    pub(crate) fn cpu(&self) -> Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        ticks(&stat).map(|ticks| ticks as f64 / TICKS).context("/proc says something new")
    }

    /// The most memory that it had so far.
    pub(crate) fn peak_kib(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        kib.context("/proc says something new")
    }
}

/// The user's and the system's: the 14th and 15th figure, of which the second may hold anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut figures = rest.split_whitespace().skip(11);
    let user: u64 = figures.next()?.parse().ok()?;
    Some(user + figures.next()?.parse::<u64>().ok()?)
}

impl Drop for Process {
    fn drop(&mut self) {
        // Nothing that it knows is needed any more, and none of them has processes of its own.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    pub(crate) fn metrics(&self) -> Result<Answer> {
        ask::get(&self.address, "/metrics", "")
    }

    /// Waits until a figure is as high as that.
    pub(crate) fn wait(&self, metric: &str, least: u64) -> Result<()> {
        let begun = Instant::now();
        loop {
            let reached = self.metrics()?.metric(metric);
            if reached >= least as f64 {
                return Ok(());
            }
            ensure!(begun.elapsed() < PATIENCE, "{metric} is {reached}, and not {least}");
            sleep(LOOK);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn a_strange_name_is_no_figure() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 9 0 100";
        assert_eq!(ticks(stat), Some(300));
    }
}
