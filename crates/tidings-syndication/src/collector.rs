//! Takes the new changes out of Change Lists.

use std::collections::VecDeque;

use tidings_document::{Change, Entry, Moment, Precision};
use tidings_store::{Kind, Millis, NewChange};
use url::Url;

use crate::key::change_key;

/// Of how many changes of one poll more than their number is kept.
pub(crate) const MOST: usize = 10_000;

/// How many bytes they may take, over all collections of a site.
pub(crate) const ROOM: usize = 16 << 20;

/// How far behind the newest change that was processed a change may come late, where several write a
/// list and their clocks differ. What comes twice by it is known by its key.
const OVERLAP: Millis = 24 * 60 * 60 * 1000;

/// How far ahead of ours a site's clock may be.
const AHEAD: Millis = 5 * 60 * 1000;

/// The changes of one poll, as they come up.
#[derive(Debug)]
pub(crate) struct Collector {
    cursor: Option<Millis>,
    now: Millis,
    strict: bool,
    /// True if nothing was processed yet.
    is_first: bool,
    /// The time of the newest change that there was no room for: what is not newer was told by number.
    floor: Option<Millis>,
    kept: VecDeque<NewChange>,
    /// The newest that had to be dropped this time.
    dropped: Option<Millis>,
    /// How many bytes those take, and may take.
    bytes: usize,
    room: usize,
    /// Changes that there was no room for: created, updated, deleted.
    more: [i64; 3],
    /// Changes without a time, or without saying what happened.
    pub(crate) ignored: i64,
    /// Changes whose time is yet to come.
    pub(crate) future: u64,
    /// The newest time in the lists, ours at the most.
    newest: Option<Millis>,
}

impl Collector {
    /// From the newest change that was processed. With `strict`, changes without `datetime` are
    /// ignored (IFCC-0001, "Processing the Change List Index and Change List"), else `lastmod` will
    /// do, which was the place for it in ResourceSync 1.0. Changes are kept in `room` bytes.
    pub(crate) fn new(
        cursor: Option<Millis>,
        now: Millis,
        strict: bool,
        is_first: bool,
        floor: Option<Millis>,
        room: usize,
    ) -> Self {
        Self {
            cursor,
            now,
            strict,
            is_first,
            floor,
            kept: VecDeque::new(),
            dropped: None,
            bytes: 0,
            room,
            more: [0; 3],
            ignored: 0,
            future: 0,
            newest: None,
        }
    }

    /// Takes an entry of a Change List at `base`, if it is new.
    pub(crate) fn take(&mut self, entry: &Entry<'_>, base: &Url) {
        let time = if self.strict { entry.metadata.datetime } else { entry.change_time() };
        let (Some(moment), Some(change)) = (time, entry.metadata.change) else {
            self.ignored += 1;
            return;
        };
        let mut time = millis(moment);
        if time > self.now + AHEAD {
            // As the cursor it would put all that follows into the past.
            self.future += 1;
            time = self.now;
        } else {
            self.newest = self.newest.max(Some(time));
        }
        if let Some(cursor) = self.cursor
            && moment.is_before(instant(cursor - OVERLAP))
        {
            return;
        }
        if self.floor.is_some_and(|floor| time <= floor) {
            return;
        }
        let uri = match Url::parse(&entry.loc) {
            Ok(_) => entry.loc.clone().into_owned(),
            Err(_) => match base.join(entry.loc.trim()) {
                Ok(url) => url.into(),
                Err(_) => {
                    self.ignored += 1;
                    return;
                }
            },
        };
        let text = without_empty_fraction(moment).to_string();
        // Two changes of one day may be told apart by what came of them.
        let hash = entry.metadata.hash.as_ref().and_then(|hash| hash.tokens().next());
        let key = match hash {
            Some(hash) => change_key(&[&uri, change.name(), &text, hash]),
            None => change_key(&[&uri, change.name(), &text]),
        };
        let kind = kind(change);
        let time_text = Some(text);
        let change = NewChange { key, uri, kind, time, time_text, title: None, note: None };
        self.bytes += size(&change);
        self.kept.push_back(change);
        // Lists have the newest last, but for those that do not.
        if self.kept.len() > 2 * MOST || self.bytes > 2 * self.room {
            self.drop_oldest();
        }
    }

    /// Counts what there is no room for.
    fn drop_oldest(&mut self) {
        self.kept.make_contiguous().sort_by_key(|change| change.time);
        while self.kept.len() > MOST || self.bytes > self.room {
            let Some(dropped) = self.kept.pop_front() else { break };
            self.bytes -= size(&dropped);
            self.dropped = self.dropped.max(Some(dropped.time));
            // One from the overlap was counted when it was new, and one of the future is always new.
            let is_past = dropped.time < self.now;
            let is_new = is_past && self.cursor.is_none_or(|cursor| dropped.time > cursor);
            if is_new || self.is_first {
                self.more[dropped.kind as usize] += 1;
            }
        }
    }

    /// Where the next poll goes on: the newest time that was seen.
    pub(crate) fn cursor(&self) -> Option<Millis> {
        self.cursor.max(self.newest)
    }

    /// True if the lists end before what was processed: an older one is being served.
    pub(crate) fn is_behind(&self) -> bool {
        match (self.cursor, self.newest) {
            (Some(cursor), Some(newest)) => newest < cursor - OVERLAP,
            _ => false,
        }
    }

    /// The changes, the newest last; those of one time in the order of the list. And how many there are
    /// beyond those (created, updated, deleted), and the time of the newest of these.
    pub(crate) fn finish(mut self) -> (Vec<NewChange>, [i64; 3], Option<Millis>) {
        self.drop_oldest();
        (Vec::from(self.kept), self.more, self.dropped.max(self.floor))
    }
}

/// How many bytes a change takes.
pub(crate) fn size(change: &NewChange) -> usize {
    size_of::<NewChange>() + change.uri.len() + change.time_text.as_ref().map_or(0, String::len)
}

pub(crate) fn millis(moment: Moment) -> Millis {
    moment.unix_seconds().saturating_mul(1000) + i64::from(moment.nanos() / 1_000_000)
}

pub(crate) fn instant(time: Millis) -> Moment {
    let nanos = u32::try_from(time.rem_euclid(1000)).unwrap_or(0) * 1_000_000;
    Moment::from_unix(time.div_euclid(1000), nanos, Precision::Fraction(3))
        .or_else(|| Moment::from_unix(0, 0, Precision::Second))
        .unwrap_or_else(|| unreachable!("1970 is in range"))
}

fn kind(change: Change) -> Kind {
    match change {
        Change::Created => Kind::Created,
        Change::Updated => Kind::Updated,
        Change::Deleted => Kind::Deleted,
    }
}

/// The same moment with no more digits than it has: a program that begins to write them makes no new change.
fn without_empty_fraction(moment: Moment) -> Moment {
    let (mut nanos, mut digits) = (moment.nanos(), 9);
    while digits > 0 && nanos.is_multiple_of(10) {
        (nanos, digits) = (nanos / 10, digits - 1);
    }
    let precision = match moment.precision() {
        Precision::Fraction(_) if digits == 0 => Precision::Second,
        Precision::Fraction(_) => Precision::Fraction(digits),
        rough => rough,
    };
    Moment::from_unix(moment.unix_seconds(), moment.nanos(), precision).unwrap_or(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = 1_700_000_000_000;

    fn entry(loc: &str, time: Option<&str>) -> Entry<'static> {
        let mut entry = Entry::new(loc.to_owned());
        entry.metadata.change = Some(Change::Updated);
        entry.metadata.datetime = time.map(|time| Moment::parse(time).unwrap());
        entry
    }

    fn uris(collector: Collector) -> Vec<String> {
        collector.finish().0.into_iter().map(|change| change.uri).collect()
    }

    fn base() -> Url {
        Url::parse("http://a.example/rs/changelist.xml").unwrap()
    }

    fn at(text: &str) -> Millis {
        millis(Moment::parse(text).unwrap())
    }

    #[test]
    fn only_what_is_new_is_taken_in_the_order_of_time() {
        let mut collector =
            Collector::new(Some(at("2022-11-06T12:00:00Z")), NOW, true, true, None, ROOM);
        for (loc, time) in [
            ("http://a.example/old", Some("2022-11-04T00:00:00Z")),
            ("http://a.example/b", Some("2022-11-07T00:00:00Z")),
            ("/a", Some("2022-11-06T13:00:00Z")),
            ("http://a.example/none", None),
        ] {
            collector.take(&entry(loc, time), &base());
        }
        assert_eq!(collector.ignored, 1);
        assert_eq!(collector.cursor(), Some(at("2022-11-07T00:00:00Z")));
        assert_eq!(uris(collector), ["http://a.example/a", "http://a.example/b"]);
    }

    #[test]
    fn a_day_is_not_over_when_something_of_it_was_processed() {
        let mut collector = Collector::new(Some(at("2022-11-06")), NOW, true, true, None, ROOM);
        collector.take(&entry("http://a.example/late", Some("2022-11-06")), &base());
        collector.take(&entry("http://a.example/yesterday", Some("2022-11-05")), &base());
        // The day before ends within the overlap.
        assert_eq!(uris(collector).len(), 2);
        let mut collector =
            Collector::new(Some(at("2022-11-06T10:00:00Z")), NOW, true, true, None, ROOM);
        collector.take(&entry("http://a.example/before", Some("2022-11-04")), &base());
        assert!(uris(collector).is_empty());
    }

    #[test]
    fn lastmod_will_do_only_where_nobody_is_strict() {
        let mut old = entry("http://a.example/", None);
        old.lastmod = Some(Moment::parse("2022-11-06").unwrap());
        for (strict, ignored) in [(true, 1), (false, 0)] {
            let mut collector = Collector::new(None, NOW, strict, true, None, ROOM);
            collector.take(&old, &base());
            assert_eq!((collector.ignored, uris(collector).len()), (ignored, 1 - ignored as usize));
        }
    }

    #[test]
    fn a_clock_a_year_ahead_does_not_hide_what_follows() {
        let mut collector = Collector::new(None, at("2022-01-01"), true, true, None, ROOM);
        collector.take(&entry("http://a.example/x", Some("2023-01-01")), &base());
        assert_eq!(collector.cursor(), None);
        assert_eq!(collector.future, 1);
        assert_eq!(collector.finish().0[0].time, at("2022-01-01"));
    }

    #[test]
    fn a_list_that_goes_backwards_is_noticed() {
        let mut collector = Collector::new(Some(at("2022-11-06")), NOW, true, true, None, ROOM);
        collector.take(&entry("http://a.example/x", Some("2022-10-01T00:00:00Z")), &base());
        assert!(collector.is_behind());
        assert_eq!(collector.cursor(), Some(at("2022-11-06")));
    }

    #[test]
    fn more_than_there_is_room_for_is_counted() {
        let mut collector = Collector::new(None, NOW, true, true, None, ROOM);
        for number in 0..MOST + 7 {
            collector
                .take(&entry(&format!("http://a.example/{number}"), Some("2022-11-06")), &base());
        }
        let (changes, more, _) = collector.finish();
        assert_eq!((changes.len(), more), (MOST, [0, 7, 0]));
    }
}
