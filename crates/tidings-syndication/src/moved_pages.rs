//! The one change that tells of many pages or entries that moved.

use tidings_store::{Kind, Millis, NewChange};
use tidings_web::Url;

use crate::key::change_key;

/// What moved, in the plural.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Things {
    Pages,
    Entries,
}

/// A change that tells of `count` pages that moved, the first of which are named: where they were, and
/// where they are. None if none is named.
pub(crate) fn moved_change(
    things: Things,
    count: u64,
    named: &[(&str, &str)],
    now: Millis,
) -> Option<NewChange> {
    let (old, new) = *named.first()?;
    let uri = if count == 1 { new.to_owned() } else { root(new) };
    let (one, many) = match things {
        Things::Pages => ("page", "pages"),
        Things::Entries => ("entry", "entries"),
    };
    let (from, to) = (root(old), root(new));
    let title = match (count, from == to) {
        (1, _) if old == new => format!("1 {one} has a new id"),
        (_, true) if named.iter().all(|(old, new)| old == new) => {
            format!("{count} {many} have new ids")
        }
        (1, _) => format!("1 {one} moved from {old} to {new}"),
        (_, true) => format!("{count} {many} moved to new addresses"),
        (_, false) => format!("{count} {many} moved from {from} to {to}"),
    };
    let pairs: Vec<String> = named.iter().map(|(old, new)| format!("{old} → {new}")).collect();
    let more = if count > named.len() as u64 { ", …" } else { "" };
    let number = count.to_string();
    Some(NewChange {
        key: change_key(&["moved", old, new, &number, &now.to_string()]),
        uri,
        kind: Kind::Updated,
        time: now,
        time_text: None,
        title: Some(title),
        note: (count > 1).then(|| format!("{}{more}", pairs.join(", "))),
    })
}

/// The root of the host that a page is on.
fn root(page: &str) -> String {
    let root = Url::parse(page).and_then(|url| url.join("/"));
    root.map_or_else(|_| page.to_owned(), String::from)
}
