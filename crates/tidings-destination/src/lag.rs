//! How far a copy is behind its Source.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tidings_document::{Moment, Precision};

use crate::moments::instant;

/// A change that is dated later than this, in microseconds after our own time, has a wrong date: some
/// Sources write 9999 for "never".
const MAX_CLOCK_DIFFERENCE: i64 = 86_400 * 1_000_000;

/// The newest change that reached the copy, and how long that took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lag {
    /// The resource that changed.
    pub uri: String,
    /// When it changed, by the Source's clock.
    pub changed: String,
    /// The seconds from then until the change was in the copy, by the clock of this machine. Below zero
    /// if the Source's clock is ahead.
    pub seconds: f64,
}

/// Collects changes while they are applied. Only the newest is kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct LagMeter {
    newest: Option<(i64, Lag)>,
    /// The newest delete that is not carried out yet.
    deleted: Option<(String, Moment)>,
}

impl LagMeter {
    /// A change was recorded in the copy. One without a time says nothing, nor does one that is only
    /// dated by the day.
    pub(crate) fn arrived(&mut self, uri: &str, changed: Option<Moment>) {
        self.arrived_at(uri, changed, Timestamp::now());
    }

    fn arrived_at(&mut self, uri: &str, changed: Option<Moment>, now: Timestamp) {
        let Some(changed) = changed.filter(|changed| is_exact(*changed)) else { return };
        let (when, now) = (instant(changed), now.as_microsecond());
        let is_older = self.newest.as_ref().is_some_and(|(newest, _)| when <= *newest);
        if is_older || when > now.saturating_add(MAX_CLOCK_DIFFERENCE) {
            return;
        }
        let seconds = now.saturating_sub(when) as f64 / 1e6;
        let lag = Lag { uri: uri.to_owned(), changed: changed.to_string(), seconds };
        self.newest = Some((when, lag));
    }

    /// The Source says that a resource is gone. The copy has it until the deletes are carried out.
    pub(crate) fn is_to_be_deleted(&mut self, uri: &str, changed: Option<Moment>) {
        let Some(changed) = changed else { return };
        let newest = self.deleted.as_ref().map(|(_, newest)| instant(*newest));
        if newest < Some(instant(changed)) {
            self.deleted = Some((uri.to_owned(), changed));
        }
    }

    /// The deletes were carried out.
    pub(crate) fn deletes_arrived(&mut self) {
        if let Some((uri, changed)) = self.deleted.take() {
            self.arrived(&uri, Some(changed));
        }
    }

    /// The newest change, if one arrived.
    pub(crate) fn lag(&self) -> Option<Lag> {
        self.newest.as_ref().map(|(_, lag)| lag.clone())
    }
}

fn is_exact(moment: Moment) -> bool {
    matches!(moment.precision(), Precision::Minute | Precision::Second | Precision::Fraction(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lag_is_that_of_the_newest_change() {
        let now: Timestamp = "2026-01-01T12:00:10Z".parse().unwrap();
        let mut meter = LagMeter::default();
        let mut arrives = |uri: &str, time: &str| {
            meter.arrived_at(uri, Moment::parse(time).ok(), now);
            meter.lag()
        };
        assert_eq!(arrives("a", "no time"), None);
        assert_eq!(arrives("a", "2026-01-01"), None);
        assert_eq!(arrives("a", "9999-12-31T00:00:00Z"), None);
        let first = arrives("b", "2026-01-01T12:00:00Z").unwrap();
        assert_eq!((first.uri.as_str(), first.seconds), ("b", 10.0));
        assert_eq!(arrives("c", "2026-01-01T11:59:59Z").unwrap().uri, "b");
        let ahead = arrives("d", "2026-01-01T13:00:15+01:00").unwrap();
        assert_eq!((ahead.uri.as_str(), ahead.seconds), ("d", -5.0));
    }
}
