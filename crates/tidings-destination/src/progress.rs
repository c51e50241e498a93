//! Reports how far a run is.

use std::time::{Duration, Instant};

/// The time between two reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);

/// Who is told. The library never prints.
pub trait Progress {
    /// This is what is being done now.
    fn show(&mut self, step: &Step<'_>);
}

/// How far a run is.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// What is being done.
    pub doing: &'a str,
    /// How many resources are done.
    pub done: u64,
    /// Of how many, as far as that is known.
    pub total: u64,
    /// How many bytes came over the network.
    pub bytes: u64,
}

/// Nobody is told.
impl Progress for () {
    fn show(&mut self, _: &Step<'_>) {}
}

/// Counts the resources of a run, and reports the counts now and then.
pub(crate) struct ProgressMeter<'a> {
    sink: &'a mut dyn Progress,
    reported: Instant,
    /// The number of resources to look at, as far as it is known.
    pub(crate) total: u64,
    /// The number of resources that were looked at.
    pub(crate) done: u64,
}

impl<'a> ProgressMeter<'a> {
    pub(crate) fn new(sink: &'a mut dyn Progress) -> Self {
        Self { sink, reported: Instant::now(), total: 0, done: 0 }
    }

    /// Reports, unless it did a moment ago.
    pub(crate) fn report(&mut self, doing: &str, bytes: u64) {
        if self.reported.elapsed() >= REPORT_INTERVAL {
            self.reported = Instant::now();
            self.sink.show(&Step { doing, done: self.done, total: self.total, bytes });
        }
    }
}
