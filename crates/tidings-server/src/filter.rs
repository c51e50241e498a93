//! What changes somebody wants to see, as it stands in a URL.

use serde::Deserialize;
use tidings_store::{ChangeCursor, ChangeFilter, Kind};

use crate::parts::{encoded, short};

/// How many characters of what somebody types are used.
const LONGEST: usize = 200;
/// How many words.
const MOST_WORDS: usize = 8;

/// What changes somebody wants to see. All of it is looked for as it is typed, in any case: nothing in
/// it is a pattern, so that nothing in it takes long.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Filter {
    /// `created`, `updated` or `deleted`.
    #[serde(default)]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) text: String,
    /// A day, such as 2026-11-15.
    #[serde(default)]
    pub(crate) day: String,
    /// The place after which to go on.
    #[serde(default)]
    pub(crate) before: String,
    /// The year whose days are shown.
    #[serde(default)]
    pub(crate) year: String,
}

impl Filter {
    /// Whether anything is left out by it.
    pub(crate) fn is_on(&self) -> bool {
        let all = [&self.kind, &self.path, &self.text, &self.day];
        all.iter().any(|text| !text.trim().is_empty())
    }

    /// As the store takes it.
    pub(crate) fn of(&self, collection_id: Option<i64>) -> ChangeFilter {
        let kind = [Kind::Created, Kind::Updated, Kind::Deleted]
            .into_iter()
            .find(|kind| crate::parts::word(*kind) == self.kind);
        let path = self.path.trim();
        let text = short(self.text.trim(), LONGEST);
        let from = self.date().and_then(|date| {
            let zoned = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
            Some(zoned.timestamp().as_millisecond())
        });
        ChangeFilter {
            collection_id,
            site_id: None,
            kinds: kind.into_iter().collect(),
            path: (!path.is_empty()).then(|| path.chars().take(LONGEST).collect()),
            words: text.split_whitespace().take(MOST_WORDS).map(str::to_owned).collect(),
            from,
            to: from.map(|from| from + crate::parts::DAY),
        }
    }

    /// Whether a day is asked for that is none.
    pub(crate) fn is_day_wrong(&self) -> bool {
        !self.day.trim().is_empty() && self.date().is_none()
    }

    fn date(&self) -> Option<jiff::civil::Date> {
        self.day.trim().parse().ok()
    }

    /// Where to go on.
    pub(crate) fn cursor(&self) -> Option<ChangeCursor> {
        let mut parts = self.before.split('.').map(|part| part.parse().ok());
        let mut next = || parts.next().flatten();
        Some(ChangeCursor {
            seen_at: next()?,
            collection_id: next()?,
            batch: next()?,
            position: next()?,
        })
    }

    /// The same from there on, as a query.
    pub(crate) fn after(&self, cursor: ChangeCursor) -> String {
        let ChangeCursor { seen_at, collection_id, batch, position } = cursor;
        let mut query = self.query();
        query.push_str(&format!("&before={seen_at}.{collection_id}.{batch}.{position}"));
        query
    }

    /// As a query, from the beginning.
    pub(crate) fn query(&self) -> String {
        let fields =
            [("kind", &self.kind), ("path", &self.path), ("text", &self.text), ("day", &self.day)];
        let given = fields.iter().filter(|(_, value)| !value.is_empty());
        let pairs: Vec<String> =
            given.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        format!("?{}", pairs.join("&"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_what_its_query_says() {
        let filter = Filter {
            kind: "deleted".to_owned(),
            text: "  Two words ".to_owned(),
            day: "2026-11-15".to_owned(),
            ..Filter::default()
        };
        let found = filter.of(Some(7));
        assert_eq!(found.kinds, [Kind::Deleted]);
        assert_eq!(found.words, ["Two", "words"]);
        assert_eq!(found.from, Some(1_794_700_800_000));
        assert!(filter.is_on() && !Filter::default().is_on());
        let cursor = ChangeCursor { seen_at: 5, collection_id: 7, batch: 3, position: 0 };
        let query = filter.after(cursor);
        assert!(query.ends_with("&before=5.7.3.0"), "{query}");
        let again = Filter { before: "5.7.3.0".to_owned(), ..Filter::default() };
        assert_eq!(again.cursor(), Some(cursor));
        for bad in ["", "1", "1.2.3", "a.b.c.d", "1.2.3.99999999999999999999"] {
            assert_eq!(Filter { before: bad.to_owned(), ..Filter::default() }.cursor(), None);
        }
        let odd = Filter { day: "yesterday".to_owned(), kind: "x".to_owned(), ..Filter::default() };
        assert!(odd.of(None).from.is_none() && odd.of(None).kinds.is_empty());
    }
}
