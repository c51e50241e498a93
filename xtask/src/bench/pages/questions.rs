//! Which pages are asked for.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::data::{COLLECTION, COLLECTION_NOWHERE, HOME, SEARCH_NOWHERE};
use super::{DAY, now, visit};
use crate::bench::follow::ask;
use crate::command::output;

/// In the title of some sites.
const SOME: &str = "harbour";
/// In every change, and in none.
const EVERYWHERE: &str = "report";
const NOWHERE: &str = "xylophone";

/// A page that is asked for.
pub(super) struct Question {
    pub(super) name: &'static str,
    pub(super) does: &'static str,
    pub(super) path: String,
}

pub(super) struct Questions {
    pub(super) all: Vec<Question>,
}

impl Question {
    pub(super) fn new(name: &'static str, does: &'static str, path: impl Into<String>) -> Self {
        Self { name, does, path: path.into() }
    }
}

impl Questions {
    /// Each was asked once, and answered as it should be.
    pub(super) fn of(address: &str, key: &str) -> Result<Self> {
        let headers = visit()? + "\r\n";
        let page = |path: &str| -> Result<String> {
            let answer = ask::get(address, path, &headers)?;
            Ok(String::from_utf8_lossy(&answer.body).into_owned())
        };
        let after = |path: &str| {
            next(&page(path)?).with_context(|| format!("{path}: no page comes after it"))
        };
        let collection = format!("/collections/{key}");
        let day = format!("@{}", (now()? - DAY * 365 / 2) / 1_000);
        let day = output(Command::new("date").args(["-u", "+%Y-%m-%d", "-d", &day]))?;
        let of = |query: &str| format!("{collection}?{query}");
        let listed = "class=\"name\"";
        let found = ">Batch ";
        let empty = "class=\"empty\"";
        let asked = [
            (HOME, "the first 50 sites, and all news", "/".to_owned(), "Since your last visit"),
            ("Tidings, home, by text", "a word in some titles", format!("/?text={SOME}"), listed),
            (
                "Tidings, home, by state",
                "those that fail",
                "/?state=failing".to_owned(),
                "503 Service Unavailable",
            ),
            ("Tidings, home, second page", "the next 50 sites", after("/")?, listed),
            (
                "Tidings, site",
                "the one that has the most",
                format!("/sites/{key}"),
                &*format!("collections/{key}"),
            ),
            (
                COLLECTION,
                "the newest 20 batches, 8 changes of each, and the days of a year",
                collection.clone(),
                " more</a>",
            ),
            (
                "Tidings, collection, everywhere",
                "a word in each: the newest 50",
                of(&format!("text={EVERYWHERE}")),
                found,
            ),
            (
                COLLECTION_NOWHERE,
                "a word in none: looks at 10,000",
                of(&format!("text={NOWHERE}")),
                empty,
            ),
            ("Tidings, collection, deleted", "one in ten", of("kind=deleted"), found),
            (
                "Tidings, collection, a day",
                "half a year ago",
                of(&format!("day={}", day.trim())),
                found,
            ),
            ("Tidings, collection, older", "the next 20 batches", after(&collection)?, " more</a>"),
            ("Tidings, batch", "all its changes", format!("{collection}/batches/20"), "<h2"),
            ("Tidings, search", "the newest 50 of all", "/search".to_owned(), "<h1>Search</h1>"),
            (
                SEARCH_NOWHERE,
                "a word in none: looks at 10,000",
                format!("/search?text={NOWHERE}"),
                empty,
            ),
            ("Tidings, check", "the form", "/check".to_owned(), "Check a document"),
            ("Tidings, login", "the form", "/login".to_owned(), "<h1>Sign in</h1>"),
        ];
        let mut all = Vec::new();
        for (name, does, path, has) in asked {
            ensure!(page(&path)?.contains(has), "{path} has no {has}");
            all.push(Question { name, does, path });
        }
        Ok(Self { all })
    }

    /// Those that are asked of both kinds of state.
    pub(super) fn of_both(mut self) -> Vec<Question> {
        let both = [HOME, COLLECTION, COLLECTION_NOWHERE, SEARCH_NOWHERE];
        self.all.retain(|question| both.contains(&question.name));
        self.all
    }
}

/// The path of the page that comes after that one.
fn next(page: &str) -> Option<String> {
    let (_, link) = page.split_once("rel=\"next\" href=\"")?;
    let (link, _) = link.split_once('"')?;
    let link = link.replace("&#38;", "&").replace("&amp;", "&");
    let path = link
        .split_once("://")
        .map_or(link.as_str(), |(_, rest)| rest.find('/').map_or("/", |path| &rest[path..]));
    Some(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn the_next_page_is_linked() {
        let page = |link: &str| format!("<nav><a class=\"x\" rel=\"next\" href=\"{link}\">");
        assert_eq!(next(&page("/?a=1&#38;b=2")).as_deref(), Some("/?a=1&b=2"));
        assert_eq!(next(&page("http://[::1]:80/x?a=1")).as_deref(), Some("/x?a=1"));
        assert_eq!(next("<a rel=\"prev\" href=\"/\">"), None);
    }
}
