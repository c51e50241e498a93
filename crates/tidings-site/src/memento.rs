//! Past versions, by the time at which they were current (RFC 7089).
//!
//! A page, its TimeGate and its past versions have URLs of their own (pattern 2.1), so that a page stays
//! the same whatever a client says about time.

use std::fmt::Write as _;

use jiff::Timestamp;

use crate::cache::PageMetaCache;
use crate::documents::TIMEGATE;
use crate::object_id::ObjectId;
use crate::origin::Origin;
use crate::page_meta::PageMeta;
use crate::place::Place;

/// A TimeMap; the id of an object follows.
pub const TIMEMAP: &str = "/builtin/timemap/";
/// A past version; the id of an object, a dot and a number follow.
pub const MEMENTO: &str = "/builtin/memento/";

/// One version of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memento {
    /// Which.
    pub number: u32,
    /// Since when it was the one that was served, in seconds since 1970.
    pub since: i64,
    /// Its own metadata.
    pub meta: PageMeta,
}

/// The versions of an object, the oldest first.
#[derive(Debug, Clone)]
pub struct Mementos {
    id: ObjectId,
    path: String,
    all: Vec<Memento>,
}

impl Mementos {
    /// Those of an object that somebody may see who may see what `is_visible` says.
    #[must_use]
    pub fn of(
        cache: &PageMetaCache,
        current: &PageMeta,
        is_visible: impl Fn(&PageMeta) -> bool,
    ) -> Option<Self> {
        if !matches!(current.place, Place::Version { .. }) {
            return None;
        }
        let mut since = i64::MIN;
        let mut all = Vec::new();
        for number in cache.versions(current.id) {
            let Some(meta) = cache.version(current.id, number) else { continue };
            // Files that were copied may be younger than those that came after them.
            since = since.max(meta.last_modified());
            if is_visible(&meta) {
                all.push(Memento { number, since, meta });
            }
        }
        Some(Self { id: current.id, path: current.url_path(), all })
    }

    /// The version that was current at that time; the first for times before it, the last if no time was
    /// named (RFC 7089, section 4.5.3).
    #[must_use]
    pub fn at(&self, wanted: Option<i64>) -> Option<&Memento> {
        let Some(wanted) = wanted else { return self.all.last() };
        let before = self.all.partition_point(|memento| memento.since <= wanted);
        self.all.get(before.saturating_sub(1))
    }

    /// The version of that number.
    #[must_use]
    pub fn number(&self, number: u32) -> Option<&Memento> {
        self.all.iter().find(|memento| memento.number == number)
    }

    /// The URL of a version.
    #[must_use]
    pub fn url(&self, origin: &Origin, memento: &Memento) -> String {
        format!("{origin}{MEMENTO}{}.{}", self.id, memento.number)
    }

    /// The `Link` header of the page itself: where its TimeGate and its TimeMap are. It does not call
    /// itself the original, which a page that is none but its own must not (section 4.2.1).
    #[must_use]
    pub fn links_of_page(origin: &Origin, id: ObjectId) -> String {
        format!(
            "<{origin}{TIMEGATE}{id}>; rel=\"timegate\", \
             <{origin}{TIMEMAP}{id}>; rel=\"timemap\"; type=\"application/link-format\""
        )
    }

    /// The `Link` header of the TimeGate, and of a version: the page, both of the above, and the first,
    /// last, previous and next versions.
    #[must_use]
    pub fn links(&self, origin: &Origin, chosen: Option<&Memento>) -> String {
        let mut text = format!("<{origin}{}>; rel=\"original\", ", self.path);
        text += &Self::links_of_page(origin, self.id);
        let place =
            chosen.and_then(|chosen| self.all.iter().position(|it| it.number == chosen.number));
        for (number, memento) in self.all.iter().enumerate() {
            let mut relations = Vec::new();
            if number == 0 {
                relations.push("first");
            }
            if number + 1 == self.all.len() {
                relations.push("last");
            }
            if place == Some(number + 1) {
                relations.push("prev");
            }
            if number > 0 && place == Some(number - 1) {
                relations.push("next");
            }
            if relations.is_empty() && place != Some(number) {
                continue;
            }
            relations.push("memento");
            // Writing into a text does not fail.
            let _ = write!(text, ", {}", self.link(origin, memento, &relations.join(" ")));
        }
        text
    }

    fn link(&self, origin: &Origin, memento: &Memento, relations: &str) -> String {
        let time = http_date(memento.since);
        format!("<{}>; rel=\"{relations}\"; datetime=\"{time}\"", self.url(origin, memento))
    }

    /// The TimeMap (section 5).
    #[must_use]
    pub fn timemap(&self, origin: &Origin) -> String {
        let mut text = format!("<{origin}{}>; rel=\"original\",\n", self.path);
        let mut range = String::new();
        if let (Some(first), Some(last)) = (self.all.first(), self.all.last()) {
            range = format!(
                "; from=\"{}\"; until=\"{}\"",
                http_date(first.since),
                http_date(last.since)
            );
        }
        text += &format!(
            "<{origin}{TIMEMAP}{}>; rel=\"self\"; type=\"application/link-format\"{range},\n\
             <{origin}{TIMEGATE}{}>; rel=\"timegate\"",
            self.id, self.id
        );
        for (number, memento) in self.all.iter().enumerate() {
            let relations = match (number, number + 1 == self.all.len()) {
                (0, true) => "first last memento",
                (0, false) => "first memento",
                (_, true) => "last memento",
                (_, false) => "memento",
            };
            text += ",\n";
            text += &self.link(origin, memento, relations);
        }
        text + "\n"
    }
}

/// Seconds since 1970 as HTTP has it (RFC 9110, section 5.6.7).
#[must_use]
pub fn http_date(seconds: i64) -> String {
    let time = Timestamp::from_second(seconds).unwrap_or_default();
    let text = jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&time);
    text.unwrap_or_else(|_| "Thu, 01 Jan 1970 00:00:00 GMT".to_owned())
}

/// What `Accept-Datetime` names: `rfc1123-date`, in GMT, and nothing else (section 2.1.1).
#[must_use]
pub fn accept_datetime(value: &str) -> Option<i64> {
    if !value.is_ascii() || !value.ends_with(" GMT") || value.len() != 29 {
        return None;
    }
    let time = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    Some(time.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::tests::meta;

    fn mementos() -> Mementos {
        let memento = |number, since| Memento { number, since, meta: (*meta("a", since)).clone() };
        let all = vec![memento(0, 1_000), memento(1, 2_000), memento(4, 3_000)];
        Mementos { id: ObjectId(1), path: "/a".into(), all }
    }

    #[test]
    fn the_version_of_a_time_is_the_one_that_was_current() {
        let mementos = mementos();
        for (wanted, number) in [
            (None, 4),
            (Some(0), 0),
            (Some(1_000), 0),
            (Some(1_999), 0),
            (Some(2_000), 1),
            (Some(2_999), 1),
            (Some(3_000), 4),
            (Some(9_999), 4),
        ] {
            assert_eq!(mementos.at(wanted).unwrap().number, number, "{wanted:?}");
        }
    }

    #[test]
    fn versions_are_linked_with_each_other() {
        let (mementos, origin) = (mementos(), Origin::new(false, "a.example").unwrap());
        let middle = mementos.number(1).unwrap();
        let links = mementos.links(&origin, Some(middle));
        assert_eq!(links.matches("rel=\"original\"").count(), 1);
        for part in [
            "<http://a.example/a>; rel=\"original\"",
            "<http://a.example/builtin/timegate/0000000000000001>; rel=\"timegate\"",
            "<http://a.example/builtin/memento/0000000000000001.0>; rel=\"first prev memento\"; \
             datetime=\"Thu, 01 Jan 1970 00:16:40 GMT\"",
            "0000000000000001.1>; rel=\"memento\"",
            "0000000000000001.4>; rel=\"last next memento\"",
        ] {
            assert!(links.contains(part), "{part}\n{links}");
        }
        let timemap = mementos.timemap(&origin);
        assert_eq!(timemap.lines().count(), 6);
        assert!(
            timemap.contains("rel=\"first memento\"") && timemap.contains("rel=\"last memento\"")
        );
    }

    #[test]
    fn only_dates_of_http_are_dates() {
        assert_eq!(accept_datetime("Thu, 01 Jan 1970 00:16:40 GMT"), Some(1_000));
        for wrong in [
            "",
            "yesterday",
            "Thu, 01 Jan 1970 00:16:40 +0000",
            "1970-01-01T00:16:40Z",
            "Thu, 1 Jan 1970 00:16:40 GMT",
        ] {
            assert_eq!(accept_datetime(wrong), None, "{wrong}");
        }
    }
}
