//! Several programs at the same work, in turns, so that a busy spell of the machine hits them all.

use anyhow::Result;

use super::data::Spread;
use super::measure::{Taken, Words, problem, timed};
use super::works::{Side, Written};

/// Puts things as they have to be before a run.
type Before<'a> = Box<dyn FnMut() -> Result<()> + 'a>;
/// Sees that a run did its work.
type After<'a> = Box<dyn Fn(&Taken) -> Result<Option<Written>> + 'a>;
/// The requests that a server has had so far.
type Meter<'a> = Box<dyn Fn() -> Result<u64> + 'a>;
/// The bytes that a run says to have received.
type Received<'a> = Box<dyn Fn(&Taken) -> Result<u64> + 'a>;

/// A program that takes part, and what has been seen of it so far.
pub(crate) struct Contestant<'a> {
    side: Side,
    words: Words,
    before: Before<'a>,
    after: After<'a>,
    meter: Option<Meter<'a>>,
    received: Option<Received<'a>>,
    /// It runs no more often than this.
    most: usize,
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

impl<'a> Contestant<'a> {
    /// An error in the place of the words says why it cannot take part.
    pub(crate) fn new(name: &str, does: &str, words: Result<Words, String>) -> Self {
        let side = Side {
            name: name.to_owned(),
            does: does.to_owned(),
            problem: words.as_ref().err().cloned(),
            ..Side::default()
        };
        Self {
            side,
            words: words.unwrap_or_default(),
            before: Box::new(|| Ok(())),
            after: Box::new(|_| Ok(None)),
            meter: None,
            received: None,
            most: usize::MAX,
            wall: Vec::new(),
            cpu: Vec::new(),
        }
    }

    pub(crate) fn ours(self) -> Self {
        Self { side: Side { ours: true, ..self.side }, ..self }
    }

    pub(crate) fn before(self, before: impl FnMut() -> Result<()> + 'a) -> Self {
        Self { before: Box::new(before), ..self }
    }

    /// After what it does before a run.
    pub(crate) fn and_before(self, then: impl Fn() -> Result<()> + 'a) -> Self {
        let mut first = self.before;
        Self { before: Box::new(move || first().and_then(|()| then())), ..self }
    }

    pub(crate) fn after(self, after: impl Fn(&Taken) -> Result<Option<Written>> + 'a) -> Self {
        Self { after: Box::new(after), ..self }
    }

    pub(crate) fn meter(self, meter: impl Fn() -> Result<u64> + 'a) -> Self {
        Self { meter: Some(Box::new(meter)), ..self }
    }

    pub(crate) fn received(self, received: impl Fn(&Taken) -> Result<u64> + 'a) -> Self {
        Self { received: Some(Box::new(received)), ..self }
    }

    pub(crate) fn at_most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// Once, measured; it counts unless it is the first time round.
    pub(crate) fn take(&mut self, counts: bool) {
        self.take_with(counts, timed);
    }

    /// The same with another way to run it.
    pub(crate) fn take_with(&mut self, counts: bool, run: impl FnOnce(&Words) -> Result<Taken>) {
        if self.side.problem.is_none()
            && let Err(error) = self.try_take(counts, run)
        {
            self.side.problem = Some(problem(&error));
        }
    }

    fn try_take(&mut self, counts: bool, run: impl FnOnce(&Words) -> Result<Taken>) -> Result<()> {
        (self.before)()?;
        let meter = || self.meter.as_ref().map(|meter| meter()).transpose();
        let asked = meter()?;
        let taken = run(&self.words)?;
        self.side.requests = asked.zip(meter()?).map(|(before, after)| after - before);
        self.side.written = (self.after)(&taken)?;
        self.side.received = self.received.as_ref().map(|bytes| bytes(&taken)).transpose()?;
        if counts {
            self.wall.push(taken.wall);
            self.cpu.push(taken.cpu);
        }
        self.side.peak_kib = self.side.peak_kib.max(Some(taken.peak_kib));
        Ok(())
    }

    /// All that was seen.
    pub(crate) fn end(self) -> Side {
        Side {
            runs: self.wall.len(),
            wall: Spread::of(&self.wall),
            cpu: Spread::of(&self.cpu),
            ..self.side
        }
    }
}

/// So many rounds, after one for the caches that does not count.
pub(crate) fn rounds(what: &str, rounds: usize, contestants: &mut [Contestant<'_>]) {
    for round in 0..=rounds {
        eprintln!("bench: {what}, round {round} of {rounds}");
        for contestant in contestants.iter_mut().filter(|contestant| round <= contestant.most) {
            contestant.take(round > 0);
        }
    }
}
