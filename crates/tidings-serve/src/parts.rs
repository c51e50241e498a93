//! What several pages show: changes, links, pictures of activity.

mod heat;
mod spark;

use tidings_base::text::{counted, grouped};
use tidings_http::text_format::Time;
use tidings_store::{Kind, Millis, NewChange, Site, State};

pub(crate) use heat::{Heat, days_of};
pub(crate) use spark::Spark;

/// A day in milliseconds.
pub(crate) const DAY: Millis = 86_400_000;

/// How long something takes, to one unit.
pub(crate) fn lasting(millis: Millis) -> String {
    match millis / 1000 {
        0 => format!("{millis} ms"),
        seconds @ 1..120 => counted(seconds, "second", "seconds"),
        seconds @ 120..7_200 => counted(seconds / 60, "minute", "minutes"),
        seconds @ 7_200..172_800 => counted(seconds / 3_600, "hour", "hours"),
        seconds => counted(seconds / 86_400, "day", "days"),
    }
}

/// `2 pages created, 1 deleted`; empty if there is nothing.
pub(crate) fn summed([created, updated, deleted]: [i64; 3]) -> String {
    let mut text = String::new();
    for (number, word) in [(created, "created"), (updated, "updated"), (deleted, "deleted")] {
        if number == 0 {
            continue;
        }
        if text.is_empty() {
            text = format!("{} {word}", counted(number, "page", "pages"));
        } else {
            text.push_str(&format!(", {} {word}", grouped(number)));
        }
    }
    text
}

/// A URL that came from elsewhere: only what leads to the web is a link.
pub(crate) fn web(url: &str) -> Option<&str> {
    let is =
        |scheme: &str| url.get(..scheme.len()).is_some_and(|it| it.eq_ignore_ascii_case(scheme));
    (is("http://") || is("https://")).then_some(url)
}

/// A text that is not longer than that many characters.
pub(crate) fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A value in a query.
pub(crate) fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// A site in a few words.
pub(crate) fn name_of(site: &Site) -> String {
    let title = site.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    short(title.unwrap_or(&site.url), 200)
}

/// What a state is called: for a class, and in words.
pub(crate) fn state_of(state: State) -> (&'static str, &'static str) {
    match state {
        State::New => ("new", "not polled yet"),
        State::Well => ("well", "well"),
        State::PartlyFailing => ("partly-failing", "partly failing"),
        State::Failing => ("failing", "failing"),
        State::Paused => ("paused", "paused"),
    }
}

/// What happened, in a word.
pub(crate) fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Created => "created",
        Kind::Updated => "updated",
        Kind::Deleted => "deleted",
    }
}

/// One change, as pages list it.
#[derive(Debug)]
pub(crate) struct ChangeLine {
    pub(crate) word: &'static str,
    pub(crate) name: String,
    pub(crate) uri: String,
    pub(crate) href: Option<String>,
    pub(crate) time: Time,
    pub(crate) note: Option<String>,
    pub(crate) diff: Vec<DiffLine>,
}

/// A line of what is different.
#[derive(Debug)]
pub(crate) struct DiffLine {
    /// `plus`, `minus`, `at` or nothing.
    pub(crate) class: &'static str,
    pub(crate) text: String,
}

impl ChangeLine {
    pub(crate) fn of(change: &NewChange, now: Millis) -> Self {
        let note = change.note.as_deref().filter(|note| !note.is_empty());
        let is_diff = note.is_some_and(|note| note.starts_with("@@"));
        let title = change.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
        let href = web(&change.uri).filter(|_| change.kind != Kind::Deleted);
        Self {
            word: word(change.kind),
            name: short(title.unwrap_or(&change.uri), 300),
            uri: change.uri.clone(),
            href: href.map(str::to_owned),
            time: Time::of(change.time, now),
            note: note.filter(|_| !is_diff).map(|note| short(note, 500)),
            diff: note.filter(|_| is_diff).map(diff).unwrap_or_default(),
        }
    }

    /// Whether the address says more than the name.
    pub(crate) fn has_title(&self) -> bool {
        self.name != self.uri
    }
}

fn diff(note: &str) -> Vec<DiffLine> {
    let class = |line: &str| match line.as_bytes().first() {
        Some(b'+') => "plus",
        Some(b'-') => "minus",
        Some(b'@') => "at",
        _ => "same",
    };
    note.lines().map(|line| DiffLine { class: class(line), text: line.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_counted_by_kind() {
        assert_eq!(summed([1, 0, 2]), "1 page created, 2 deleted");
        assert_eq!(summed([0; 3]), "");
    }

    #[test]
    fn only_what_leads_to_the_web_is_a_link() {
        for bad in
            ["javascript:alert(1)", "JaVaScRiPt://x", "data:text/html,x", " http://x", "//x", ""]
        {
            assert_eq!(web(bad), None, "{bad}");
        }
        assert!(web("https://x/").is_some() && web("HTTP://x/").is_some());
    }
}
