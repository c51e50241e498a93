//! Sites that are not there, state in which they are followed, and a server for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use super::process::{Process, Served};
use crate::bench::data::Spread;
use crate::bench::works::Side;
use crate::command::output;

/// What takes part.
pub(crate) struct Ground<'a> {
    pub(crate) tidings: &'a Path,
    /// The sites, and what follows them in bulk.
    pub(crate) following: PathBuf,
    /// The peer that says hello.
    pub(crate) hello: PathBuf,
}

/// Which sites are followed, and when they are due. Times are in seconds.
#[derive(Default)]
pub(crate) struct Crowd {
    pub(crate) count: u64,
    pub(crate) every: u64,
    /// Until the first is due; it may have been for a while.
    pub(crate) lead: i64,
    pub(crate) spread: u64,
    /// They are webfeeds.
    pub(crate) webfeeds: bool,
}

/// What is known of the crowd when it is followed.
pub(crate) struct Known {
    /// When the first is due, in milliseconds since 1970.
    pub(crate) first: String,
    /// The keys of feeds.
    pub(crate) feeds: Vec<String>,
}

/// What `tidings serve --json` says.
#[derive(Deserialize)]
struct Ready {
    address: String,
}

/// What was seen of a side.
#[derive(Clone, Default)]
pub(crate) struct Figures {
    /// Seconds.
    pub(crate) wall: Vec<f64>,
    pub(crate) cpu: Vec<f64>,
    pub(crate) peak_kib: u64,
}

impl Ground<'_> {
    /// Sites with so many changes each, of which one in so many hangs; none of 0.
    pub(crate) fn farm(&self, changes: u64, hanging_every: u64) -> Result<Process> {
        let mut command = Command::new(&self.following);
        command.arg("farm").args([changes, hanging_every].map(|figure| figure.to_string()));
        Process::start(&mut command).context("no sites")
    }

    /// Follows sites of a farm, in a new folder.
    pub(crate) fn follow(&self, data: &Path, farm: &Process, crowd: &Crowd) -> Result<Known> {
        eprintln!("bench: following {} sites", crowd.count);
        let mut command = Command::new(&self.following);
        let verb = if crowd.webfeeds { "webfeeds" } else { "crowd" };
        command.arg(verb).arg(data).arg(&farm.said);
        command.args([crowd.count, crowd.every].map(|figure| figure.to_string()));
        command.args([crowd.lead.to_string(), crowd.spread.to_string()]);
        let said = output(&mut command).context("the sites could not be followed")?;
        let mut lines = said.lines().map(str::to_owned);
        let first = lines.next().context("nothing is due")?;
        Ok(Known { first, feeds: lines.collect() })
    }

    /// `tidings serve` of a folder, with that configuration.
    pub(crate) fn serve(&self, data: &Path, config: &str, more: &[&str]) -> Result<Served> {
        let file = data.with_extension("toml");
        fs::write(&file, config)?;
        let mut command = self.server();
        command.arg("--data").arg(data).arg("--config").arg(&file).args(more);
        served(&mut command)
    }

    /// The same of a database, without any.
    pub(crate) fn serve_database(&self, url: &str, more: &[&str]) -> Result<Served> {
        served(self.server().args(["--database", url, "--config", "/dev/null"]).args(more))
    }

    fn server(&self) -> Command {
        let mut command = Command::new(self.tidings);
        command.args(["serve", "--listen", "127.0.0.1:0", "--allow-private", "--json"]);
        command
    }
}

fn served(command: &mut Command) -> Result<Served> {
    let process = Process::start(command).context("tidings serve")?;
    let ready: Ready = serde_json::from_str(&process.said)
        .with_context(|| format!("tidings serve says {:?}", process.said))?;
    Ok(Served { process, address: ready.address })
}

impl Figures {
    pub(crate) fn add(&mut self, wall: f64, cpu: f64, peak_kib: u64) {
        self.wall.push(wall);
        self.cpu.push(cpu);
        self.peak_kib = self.peak_kib.max(peak_kib);
    }

    pub(crate) fn side(&self, name: &str, does: &str, ours: bool) -> Side {
        Side {
            name: name.to_owned(),
            does: does.to_owned(),
            ours,
            runs: self.wall.len(),
            wall: Spread::of(&self.wall),
            cpu: Spread::of(&self.cpu),
            peak_kib: Some(self.peak_kib).filter(|peak| *peak > 0),
            ..Side::default()
        }
    }
}
