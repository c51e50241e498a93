//! How changes are told.

use std::borrow::Cow;
use std::collections::HashMap;

use tidings_base::to_hex;
use tidings_document::Moment;
use tidings_feed::{Category, Entry, FeedLink, Item, Section};
use tidings_store::{Batch, Collection, Kind, Millis, NewChange};

use crate::collector::millis;

/// How many changes an entry shows of each kind.
const MOST_SHOWN: usize = 100;
/// How many pages an entry has at the most that is named after one of them.
const MAX_PAGES_OF_A_NAMED_ENTRY: usize = 10;
/// The terms `created`, `updated` and `deleted` are those of ResourceSync.
const SCHEME: &str = "http://www.openarchives.org/rs/terms/";

const KINDS: [Kind; 3] = [Kind::Created, Kind::Updated, Kind::Deleted];

/// What an entry needs to know beside its changes.
pub(crate) struct Around<'a> {
    /// Where the ids begin: `tag:authority,date:`.
    pub(crate) tag: &'a str,
    pub(crate) collection: &'a Collection,
    /// The page about the site.
    pub(crate) page: &'a str,
    /// Where all changes of a large batch are.
    pub(crate) all: &'a str,
    /// True where the entries of other collections stand beside it.
    pub(crate) names_collection: bool,
}

/// One entry for all changes of a batch.
pub(crate) fn digest(batch: &Batch, around: &Around<'_>) -> Entry {
    let net = net(&batch.changes);
    let [mut created, mut updated, mut deleted] = KINDS.map(|kind| count(&net, kind));
    let total =
        usize::try_from(batch.created + batch.updated + batch.deleted).unwrap_or(usize::MAX);
    if total > batch.changes.len() {
        // Not all of them are at hand to see which are about the same page.
        let number = |count: i64| usize::try_from(count).unwrap_or(0);
        (created, updated, deleted) =
            (number(batch.created), number(batch.updated), number(batch.deleted));
    }
    let counts = [created, updated, deleted];
    let is_whole = total == batch.changes.len();
    let only = if let [only] = &net[..] { Some(only).filter(|_| is_whole) } else { None };
    let named = if is_whole { named_page(&net) } else { None };
    let mut title = match (only, named) {
        (Some(change), _) => one(change),
        (None, Some((title, _))) => and_more(title, net.len() - 1),
        (None, None) => summary(counts),
    };
    if around.names_collection {
        title = format!("{}: {title}", name(around.collection));
    }
    let content: Vec<Section> = KINDS
        .into_iter()
        .zip(counts)
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| section(kind, count, &net, around.all, Some(batch.seen_at)))
        .collect();
    let linked = net.iter().filter(|change| change.kind != Kind::Deleted).take(MOST_SHOWN);
    let related =
        if only.is_some() { Vec::new() } else { linked.map(|one| related(one)).collect() };
    let home = home(around.collection, around.page);
    // What is gone cannot be looked at.
    let only_page =
        only.filter(|change| change.kind != Kind::Deleted).map(|change| &change.uri[..]);
    let link = only_page.or_else(|| named.map(|(_, uri)| uri));
    Entry {
        id: format!("{}{}/{}", around.tag, around.collection.key, batch.key),
        title,
        updated: time(batch.newest),
        published: Some(time(batch.seen_at)),
        link: link.map_or(home, str::to_owned),
        related,
        categories: categories(counts),
        summary: Some(told(&net, counts)),
        content,
        author: None,
        html: None,
    }
}

/// One entry for one change.
pub(crate) fn single(change: &NewChange, seen_at: Option<Millis>, around: &Around<'_>) -> Entry {
    let mut counts = [0; 3];
    counts[change.kind as usize] = 1;
    let mut title = one(change);
    if around.names_collection {
        title = format!("{}: {title}", name(around.collection));
    }
    let is_there = change.kind != Kind::Deleted;
    Entry {
        id: format!("{}{}/change/{}", around.tag, around.collection.key, to_hex(&change.key)),
        title,
        updated: time(change.time),
        published: seen_at.map(time),
        link: if is_there { change.uri.clone() } else { home(around.collection, around.page) },
        related: Vec::new(),
        categories: categories(counts),
        summary: Some(one(change)),
        content: vec![section(change.kind, 1, &[Cow::Borrowed(change)], around.all, seen_at)],
        author: None,
        html: None,
    }
}

/// What a collection is called, or what tells it from others.
pub(crate) fn name(collection: &Collection) -> String {
    collection.title.clone().unwrap_or_else(|| collection.identity.clone())
}

/// The collection itself. One that is known by its Capability List has no page: ours is shown.
fn home(collection: &Collection, page: &str) -> String {
    let is_document = collection.identity.ends_with(".xml");
    if is_document { page.to_owned() } else { collection.identity.clone() }
}

/// Of the changes of one page, the last. What was created and then updated is still new.
fn net(changes: &[NewChange]) -> Vec<Cow<'_, NewChange>> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut net: Vec<Cow<'_, NewChange>> = Vec::new();
    // From the newest on.
    for change in changes.iter().rev() {
        match seen.get(&*change.uri) {
            None => {
                seen.insert(&change.uri, net.len());
                net.push(Cow::Borrowed(change));
            }
            Some(index) => {
                let last = &mut net[*index];
                if change.kind == Kind::Created && last.kind == Kind::Updated {
                    last.to_mut().kind = Kind::Created;
                }
            }
        }
    }
    net
}

fn count(changes: &[Cow<'_, NewChange>], kind: Kind) -> usize {
    changes.iter().filter(|change| change.kind == kind).count()
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Created => "created",
        Kind::Updated => "updated",
        Kind::Deleted => "deleted",
    }
}

/// "2 pages created, 3 updated, 1 deleted"
fn summary(counts: [usize; 3]) -> String {
    let mut text = String::new();
    for (kind, count) in KINDS.into_iter().zip(counts).filter(|(_, count)| *count > 0) {
        let pages = match (text.is_empty(), count) {
            (true, 1) => " page",
            (true, _) => " pages",
            (false, _) => "",
        };
        let comma = if text.is_empty() { "" } else { ", " };
        text.push_str(&format!("{comma}{count}{pages} {}", word(kind)));
    }
    text
}

/// "Updated: Title of the page"
fn one(change: &NewChange) -> String {
    let what = match change.kind {
        Kind::Created => "New",
        Kind::Updated => "Updated",
        Kind::Deleted => "Deleted",
    };
    format!("{what}: {}", change.title.as_deref().unwrap_or(&change.uri))
}

/// The page that names a batch of a few pages: its title and its URI. New pages come before others, and of
/// those the newest; pages that are gone, and titles that several pages have, name nothing.
fn named_page<'c>(net: &'c [Cow<'_, NewChange>]) -> Option<(&'c str, &'c str)> {
    if !(2..=MAX_PAGES_OF_A_NAMED_ENTRY).contains(&net.len()) {
        return None;
    }
    let is_of_one = |title: &str| {
        net.iter().filter(|change| change.title.as_deref() == Some(title)).count() == 1
    };
    let titled = |kind| {
        let of_kind = net.iter().filter(move |change| change.kind == kind);
        let mut titles =
            of_kind.filter_map(|change| Some((change.title.as_deref()?, &change.uri[..])));
        titles.find(|(title, _)| is_of_one(title))
    };
    titled(Kind::Created).or_else(|| titled(Kind::Updated))
}

/// "Fog over the harbour, and 2 more pages"
fn and_more(title: &str, more: usize) -> String {
    format!("{title}, and {more} more {}", if more == 1 { "page" } else { "pages" })
}

/// The same as a line of text, with the first titles.
fn told(net: &[Cow<'_, NewChange>], counts: [usize; 3]) -> String {
    let titles: Vec<&str> =
        net.iter().take(5).map(|change| change.title.as_deref().unwrap_or(&change.uri)).collect();
    let more = if net.len() > titles.len() { ", …" } else { "" };
    format!("{}: {}{more}", summary(counts), titles.join(", "))
}

fn section(
    kind: Kind,
    count: usize,
    net: &[Cow<'_, NewChange>],
    all: &str,
    seen_at: Option<Millis>,
) -> Section {
    let items: Vec<Item> = net
        .iter()
        .filter(|change| change.kind == kind)
        .take(MOST_SHOWN)
        .map(|one| item(one, seen_at))
        .collect();
    let more = count.saturating_sub(items.len()) as u64;
    let heading = match kind {
        Kind::Created => "Created",
        Kind::Updated => "Updated",
        Kind::Deleted => "Deleted",
    };
    let more_link = (more > 0).then(|| all.to_owned());
    Section { heading: heading.to_owned(), items, more, more_link }
}

fn item(change: &NewChange, seen_at: Option<Millis>) -> Item {
    let note = change.note.as_deref();
    let is_diff = |note: &&str| note.starts_with("@@");
    if change.kind == Kind::Deleted {
        let said = deletion_time(change);
        // What the site does not say is known from the poll that noticed it.
        let by_us = Some(change.time).filter(|_| said.is_none());
        return Item {
            text: change.title.clone().unwrap_or_else(|| change.uri.clone()),
            href: None,
            time: said,
            note: seen_at.or(by_us).map(noticed).or_else(|| change.note.clone()),
            diff: None,
        };
    }
    Item {
        text: change.title.clone().unwrap_or_else(|| change.uri.clone()),
        href: Some(change.uri.clone()),
        time: change.time_text.clone().or_else(|| Some(time(change.time).to_string())),
        note: note.filter(|note| !is_diff(note)).map(str::to_owned),
        diff: note.filter(is_diff).map(str::to_owned),
    }
}

/// When the site says that the page was deleted. The `lastmod` that a Sitemap had for the page is not that.
fn deletion_time(change: &NewChange) -> Option<String> {
    let text = change.time_text.as_ref()?;
    let moment = Moment::parse(text).ok()?;
    (millis(moment) == change.time).then(|| text.clone())
}

/// "noticed 2026-11-18 20:31 UTC"
fn noticed(seen_at: Millis) -> String {
    time(seen_at).strftime("noticed %Y-%m-%d %H:%M UTC").to_string()
}

fn related(change: &NewChange) -> FeedLink {
    FeedLink {
        rel: "related".to_owned(),
        href: change.uri.clone(),
        media_type: None,
        title: change.title.clone(),
    }
}

fn categories(counts: [usize; 3]) -> Vec<Category> {
    let kinds = KINDS.into_iter().zip(counts).filter(|(_, count)| *count > 0);
    kinds
        .map(|(kind, _)| Category {
            term: word(kind).to_owned(),
            scheme: Some(SCHEME.to_owned()),
            label: None,
        })
        .collect()
}

pub(crate) fn time(millis: Millis) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_said_in_words() {
        assert_eq!(summary([2, 3, 1]), "2 pages created, 3 updated, 1 deleted");
        assert_eq!(summary([0, 1, 0]), "1 page updated");
        assert_eq!(summary([0, 0, 7]), "7 pages deleted");
    }

    #[test]
    fn a_few_pages_are_named_after_one_of_them() {
        let change = |uri: &str, kind, title: Option<&str>| NewChange {
            key: [0; 16],
            uri: uri.to_owned(),
            kind,
            time: 0,
            time_text: None,
            title: title.map(str::to_owned),
            note: None,
        };
        let gone = change("gone", Kind::Deleted, Some("Gone"));
        let old = change("old", Kind::Updated, Some("Old"));
        let new = change("new", Kind::Created, Some("New"));
        let name = |changes: &[&NewChange]| {
            let net: Vec<_> = changes.iter().copied().map(Cow::Borrowed).collect();
            named_page(&net)
                .map(|(title, uri)| format!("{} ({uri})", and_more(title, net.len() - 1)))
        };
        assert_eq!(name(&[&gone, &old, &new]).as_deref(), Some("New, and 2 more pages (new)"));
        assert_eq!(name(&[&gone, &old]).as_deref(), Some("Old, and 1 more page (old)"));
        assert_eq!(name(&[&gone, &gone]), None, "what is gone names no entry");
        assert_eq!(name(&[&new]), None, "one alone has a title of its own");
        assert_eq!(name(&[&new; 11]), None, "these are not few");
        assert_eq!(name(&[&new, &new, &old]).as_deref(), Some("Old, and 2 more pages (old)"));
        assert_eq!(name(&[&new, &new]), None, "a title of all pages is that of none");
        let untitled = change("x", Kind::Created, None);
        assert_eq!(name(&[&untitled, &old]).as_deref(), Some("Old, and 1 more page (old)"));
    }

    #[test]
    fn of_several_changes_of_a_page_the_last_counts() {
        let change = |uri: &str, kind| NewChange {
            key: [0; 16],
            uri: uri.to_owned(),
            kind,
            time: 0,
            time_text: None,
            title: None,
            note: None,
        };
        let changes = [
            change("a", Kind::Created),
            change("b", Kind::Updated),
            change("a", Kind::Updated),
            change("b", Kind::Deleted),
        ];
        let net: Vec<_> = net(&changes).iter().map(|one| (one.uri.clone(), one.kind)).collect();
        assert_eq!(net, [("b".to_owned(), Kind::Deleted), ("a".to_owned(), Kind::Created)]);
    }
}
