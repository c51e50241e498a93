//! What a run in which programs do the same work found: the data file, and all that the report is
//! made from.

use serde::{Deserialize, Serialize};

use super::data::Spread;
use super::machine::Machine;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) command: String,
    pub(crate) quick: bool,
    pub(crate) machine: Machine,
    pub(crate) works: Vec<Work>,
}

/// Something to be done, and everyone who did it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Work {
    pub(crate) id: String,
    pub(crate) title: String,
    /// What there was to do, and where.
    pub(crate) about: String,
    /// Files or records.
    pub(crate) resources: u64,
    pub(crate) bytes: u64,
    pub(crate) sides: Vec<Side>,
}

/// One who does the work.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Side {
    pub(crate) name: String,
    pub(crate) does: String,
    pub(crate) ours: bool,
    /// Runs that count.
    pub(crate) runs: usize,
    /// Seconds.
    pub(crate) wall: Option<Spread>,
    /// Seconds, the user's and the system's, of all its processes.
    pub(crate) cpu: Option<Spread>,
    pub(crate) peak_kib: Option<u64>,
    pub(crate) written: Option<Written>,
    /// What the server counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) requests: Option<u64>,
    /// Bytes that came over the network, as the program says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) received: Option<u64>,
    /// In how many seconds nineteen runs of twenty were done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) most: Option<f64>,
    /// Bytes of one answer as it goes over the network, its headers among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sent: Option<u64>,
    /// Why there are no figures.
    pub(crate) problem: Option<String>,
}

/// What a publication wrote.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Written {
    pub(crate) documents: u64,
    pub(crate) bytes: u64,
}

impl Run {
    pub(crate) fn work(&self, id: &str) -> Option<&Work> {
        self.works.iter().find(|work| work.id == id)
    }

    /// What could not be measured, and why; first whether it is ours.
    pub(crate) fn problems(&self) -> Vec<(bool, String)> {
        let sides =
            self.works.iter().flat_map(|work| work.sides.iter().map(move |side| (work, side)));
        let problem = |(work, side): (&Work, &Side)| {
            let why = side.problem.as_ref()?;
            Some((side.ours, format!("{}, {}: {why}", work.title, side.name)))
        };
        sides.filter_map(problem).collect()
    }
}

impl Work {
    pub(crate) fn side(&self, name: &str) -> Option<&Side> {
        self.sides.iter().find(|side| side.name == name)
    }
}
