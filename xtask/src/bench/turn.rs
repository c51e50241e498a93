//! Readers take turns, so that a busy spell of the machine hits them all.

use std::path::Path;

use anyhow::Result;

use super::data::{Reader, Spread};
use super::measure::{instructions_for_one_more, problem, timed};
use super::programs;

/// A process is to last about this long, in seconds, to be timed.
const LONG_ENOUGH: f64 = 1.0;

/// A reader and what has been seen of it so far.
pub(crate) struct Turn {
    reader: programs::Reader,
    /// In one process, to be long enough to time.
    times: usize,
    wall: Vec<f64>,
    cpu: Vec<f64>,
    peak_kib: u64,
    instructions_per_entry: Option<f64>,
    problem: Option<String>,
}

impl Turn {
    pub(crate) fn new(reader: programs::Reader) -> Self {
        Self {
            reader,
            times: 1,
            wall: Vec::new(),
            cpu: Vec::new(),
            peak_kib: 0,
            instructions_per_entry: None,
            problem: None,
        }
    }

    /// Once, for the caches and to see how long it takes.
    pub(crate) fn warm_up(&mut self, list: &Path, entries: u64) {
        self.take(list, entries);
        if let Some(seconds) = self.wall.pop() {
            self.cpu.pop();
            self.times = ((LONG_ENOUGH / seconds).ceil() as usize).clamp(1, 1_000);
        }
    }

    /// Once more.
    pub(crate) fn take(&mut self, list: &Path, entries: u64) {
        if self.problem.is_none()
            && let Err(problem) = self.try_take(list, entries)
        {
            self.problem = Some(problem);
        }
    }

    fn try_take(&mut self, list: &Path, entries: u64) -> Result<(), String> {
        let words = self.reader.words(list, self.times)?;
        let taken = timed(&words).map_err(|error| problem(&error))?;
        let expected = (entries * self.times as u64).to_string();
        if self.reader.prints_entries() && taken.printed.trim() != expected {
            return Err(format!("{} entries seen of {expected}", taken.printed.trim()));
        }
        self.wall.push(taken.wall / self.times as f64);
        self.cpu.push(taken.cpu / self.times as f64);
        self.peak_kib = self.peak_kib.max(taken.peak_kib);
        Ok(())
    }

    /// Counts its instructions.
    pub(crate) fn count(&mut self, list: &Path, entries: u64) {
        if self.problem.is_some() || !self.reader.counted {
            return;
        }
        eprintln!("bench: counting instructions, {}", self.reader.name);
        let words = |times| self.reader.words(list, times).map_err(anyhow::Error::msg);
        let counted = words(1).and_then(|once| instructions_for_one_more(&once, &words(2)?));
        match counted {
            Ok(counted) => {
                self.instructions_per_entry =
                    Some((counted / entries as f64 * 10.0).round() / 10.0);
            }
            Err(error) => self.problem = Some(problem(&error)),
        }
    }

    /// All that was seen.
    pub(crate) fn end(self) -> Reader {
        Reader {
            name: self.reader.name.to_owned(),
            does: self.reader.does.to_owned(),
            ours: self.reader.ours,
            wall: Spread::of(&self.wall),
            cpu: Spread::of(&self.cpu),
            peak_kib: (self.peak_kib > 0).then_some(self.peak_kib),
            instructions_per_entry: self.instructions_per_entry,
            problem: self.problem,
        }
    }
}
