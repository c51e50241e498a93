//! The part of a set's history that each of its documents covers.
//!
//! A Resource List or Resource Dump gives the state at a time. A Change List, or a package of a Change
//! Dump, gives every change of an interval (section 7, `from` and `until`). Times are the Source's, and
//! are compared only with each other.

use tidings_document::Moment;

use crate::moments::instant;

/// All that the documents of one set cover.
#[derive(Debug, Clone, Default)]
pub(crate) struct Coverage {
    pub(crate) baselines: Vec<Baseline>,
    pub(crate) changes: Vec<Interval>,
}

/// A document that gives the state of the set at one time.
#[derive(Debug, Clone)]
pub(crate) struct Baseline {
    pub(crate) kind: BaselineKind,
    /// None where the document does not say.
    pub(crate) at: Option<Moment>,
    /// An estimate of what the copy has to transfer, in bytes.
    pub(crate) cost: u64,
}

/// The kind of a document that gives a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BaselineKind {
    ResourceList,
    ResourceDump,
}

/// A document that gives all changes of an interval.
#[derive(Debug, Clone)]
pub(crate) struct Interval {
    pub(crate) kind: IntervalKind,
    /// None where the document does not say; it is then taken to reach back to the beginning.
    pub(crate) from: Option<Moment>,
    /// None while the document is open: it covers all changes up to now.
    pub(crate) until: Option<Moment>,
    /// True if the document begins with the very entries that the copy has read: it leads on from the
    /// copy, whatever its times say.
    pub(crate) follows_on: bool,
    /// True if entries of the document name nothing: its changes are worth to be applied, and nothing leads
    /// across the interval.
    pub(crate) is_lossy: bool,
    /// An estimate of what the copy has to transfer, in bytes.
    pub(crate) cost: u64,
}

/// The kind of a document that gives changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IntervalKind {
    ChangeList,
    ChangeDump,
}

/// The time up to which a copy has all changes of a set.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Position {
    /// None where nobody knows: nothing was copied, or the baseline did not say when it was true.
    pub(crate) reached: Option<Moment>,
    /// True if a baseline of the set was copied to its end.
    pub(crate) is_complete: bool,
    /// True if changes led further than the baseline.
    pub(crate) is_past_baseline: bool,
    /// False if a change may be missing: an earlier run met a gap, or a document contradicts what was
    /// read of it before.
    pub(crate) is_sound: bool,
    /// Set if changes up to that time may be in the copy without all those before them, as after a gap or
    /// a run that was interrupted. Only a chain that leads that far makes the copy a state of the Source.
    pub(crate) unsettled_until: Option<Edge>,
}

/// A span of time in which no document tells what changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) after: Option<Moment>,
    pub(crate) before: Option<Moment>,
}

/// A time that may be unbounded: the beginning, a time of the Source, or now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge(i64);

impl Edge {
    pub(crate) const BEGINNING: Self = Self(i64::MIN);
    pub(crate) const NOW: Self = Self(i64::MAX);

    pub(crate) fn at(moment: Moment) -> Self {
        Self(instant(moment))
    }
}

impl Interval {
    pub(crate) fn start(&self) -> Edge {
        self.from.map_or(Edge::BEGINNING, Edge::at)
    }

    pub(crate) fn end(&self) -> Edge {
        self.until.map_or(Edge::NOW, Edge::at)
    }
}

impl std::fmt::Display for Gap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.after, self.before) {
            (Some(after), Some(before)) => {
                write!(f, "no document tells what changed between {after} and {before}")
            }
            (Some(after), None) => write!(f, "no document tells what changed after {after}"),
            (None, Some(before)) => write!(f, "no document tells what changed before {before}"),
            (None, None) => f.write_str("the documents do not tell all that changed"),
        }
    }
}
