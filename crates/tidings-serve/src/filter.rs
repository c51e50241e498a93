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
    /// `created`, `updated` or `deleted`, or several of them with commas between them.
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
        let path = self.path.trim();
        let text = short(self.text.trim(), LONGEST);
        let from = self.date().and_then(|date| {
            let zoned = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
            Some(zoned.timestamp().as_millisecond())
        });
        ChangeFilter {
            collection_id,
            site_id: None,
            without_left_out_by: None,
            without_removed_posts: false,
            kinds: self.kinds().flatten().collect(),
            path: (!path.is_empty()).then(|| path.chars().take(LONGEST).collect()),
            words: text.split_whitespace().take(MOST_WORDS).map(str::to_owned).collect(),
            from,
            to: from.map(|from| from + crate::parts::DAY),
        }
    }

    /// The kinds that are asked for; nothing for each that is none.
    fn kinds(&self) -> impl Iterator<Item = Option<Kind>> {
        let words = self.kind.split(',').map(str::trim).filter(|word| !word.is_empty());
        words.map(|word| {
            let kinds = [Kind::Created, Kind::Updated, Kind::Deleted].into_iter();
            kinds.into_iter().find(|kind| crate::parts::word(*kind) == word)
        })
    }

    /// A filter as it stands in a query, with or without its question mark.
    pub(crate) fn read(query: &str) -> Self {
        let mut filter = Self::default();
        let query = query.trim_start_matches('?');
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "kind" => filter.kind = value.into_owned(),
                "path" => filter.path = value.into_owned(),
                "text" => filter.text = value.into_owned(),
                "day" => filter.day = value.into_owned(),
                _ => {}
            }
        }
        filter
    }

    /// Why the filter cannot be read, if it cannot.
    pub(crate) fn problem(&self) -> Option<String> {
        if self.kinds().any(|kind| kind.is_none()) {
            return Some(format!(
                "kind: {:?} is none; give created, updated or deleted, or several with commas",
                short(&self.kind, 40)
            ));
        }
        if self.is_day_wrong() {
            return Some("day: give a day such as 2026-01-31".to_owned());
        }
        (!self.before.is_empty() && self.cursor().is_none())
            .then(|| "before: this is no place in a feed; go on from its `next` link".to_owned())
    }

    /// In words, for a title.
    pub(crate) fn words(&self) -> String {
        let texts = [&self.kind, &self.path, &self.text, &self.day];
        let given = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
        let words: Vec<String> = given.map(|text| short(text, 60)).collect();
        words.join(", ")
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

    /// As a query, from its own place on.
    pub(crate) fn whole_query(&self) -> String {
        self.cursor().map_or_else(|| self.query(), |cursor| self.after(cursor))
    }

    /// As a query, from the beginning.
    pub(crate) fn query(&self) -> String {
        let fields =
            [("kind", &self.kind), ("path", &self.path), ("text", &self.text), ("day", &self.day)];
        let given = fields.iter().map(|(name, value)| (name, value.trim()));
        let given = given.filter(|(_, value)| !value.is_empty());
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
        let several = Filter { kind: "created,deleted".to_owned(), ..Filter::default() };
        assert_eq!(several.of(None).kinds, [Kind::Created, Kind::Deleted]);
        assert!(several.problem().is_none());
        assert_eq!(Filter::read(&filter.query()).query(), filter.query());
        for odd in ["?kind=x", "?day=today"] {
            assert!(Filter::read(odd).problem().is_some(), "{odd}");
        }
        let odd = Filter { day: "yesterday".to_owned(), kind: "x".to_owned(), ..Filter::default() };
        assert!(odd.of(None).from.is_none() && odd.of(None).kinds.is_empty());
    }
}
