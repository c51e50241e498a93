//! A server that is asked for one thing by wrk, and how it was while that went on.

use anyhow::Result;

use super::ground::Figures;
use super::process::Process;
use super::wrk::{self, Load};
use crate::bench::measure::problem;
use crate::bench::works::Side;

/// A server that is asked.
#[derive(Clone)]
pub(crate) struct Asked<'a> {
    process: &'a Process,
    url: String,
    /// What takes as long as is said.
    requests: u64,
    figures: Figures,
    problem: Option<String>,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(process: &'a Process, url: String, requests: u64) -> Self {
        Self { process, url, requests, figures: Figures::default(), problem: None }
    }

    pub(crate) fn take(&mut self, load: &Load<'_>, counts: bool) {
        if self.problem.is_none()
            && let Err(error) = self.try_take(load, counts)
        {
            self.problem = Some(problem(&error));
        }
    }

    fn try_take(&mut self, load: &Load<'_>, counts: bool) -> Result<()> {
        let before = self.process.cpu()?;
        let rate = wrk::rate(&self.url, load)?;
        let cpu = (self.process.cpu()? - before) / load.seconds as f64;
        if counts {
            let wall = self.requests as f64 / rate;
            self.figures.add(wall, cpu * wall, self.process.peak_kib()?);
        }
        Ok(())
    }

    pub(crate) fn end(self, name: &str, does: &str, ours: bool) -> Side {
        Side { problem: self.problem, ..self.figures.side(name, does, ours) }
    }
}
