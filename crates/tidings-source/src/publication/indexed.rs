//! A document of entries that are all known, under an index if they are too many for one.

use tidings_document::{Capability, Entry, Form, Head, Link, Moment};

use super::place::Staged;
use crate::PublishError;

/// Stages the entries under the name, in parts of at most that many if they are more. A part keeps
/// its name when others follow it, so that one that is full never changes again.
pub(super) fn stage(
    staged: &mut Staged,
    name: &str,
    head: &Head<'static>,
    entries: &[Entry<'_>],
    most: u64,
) -> Result<(), PublishError> {
    let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
    if entries.len() <= most {
        return staged.document(name, head, entries);
    }
    let stem = name.strip_suffix(".xml").map_or_else(
        // A name without an ending, such as the well-known one, has its parts elsewhere.
        || "resourcesync/description".to_owned(),
        ToOwned::to_owned,
    );
    let url = staged.desk.layout.url(name);
    let count = entries.len().div_ceil(most);
    let mut parts = Vec::new();
    for (number, chunk) in entries.chunks(most).enumerate() {
        let part = format!("{stem}-part-{:05}.xml", number + 1);
        let mut head = head.clone().with_link(Link::new("index", url.clone()));
        let mut entry = Entry::new(staged.desk.layout.url(&part));
        if head.capability() == Some(Capability::Description) {
            // Nothing is above a Source Description but its index.
            entry.links.clear();
        }
        let times = Times::of(chunk);
        if head.metadata.at.is_some() {
            head.metadata.at = times.at.or(head.metadata.at);
            entry.metadata.at = head.metadata.at;
        }
        if head.metadata.from.is_some() {
            head.metadata.from = if number == 0 { head.metadata.from } else { times.from };
            head.metadata.until = times.until.filter(|_| number + 1 < count);
            entry.metadata.from = head.metadata.from;
            entry.metadata.until = head.metadata.until;
        }
        staged.document(&part, &head, chunk)?;
        parts.push(entry);
    }
    let mut head = head.clone();
    head.form = Form::Index;
    staged.document(name, &head, &parts)
}

/// The times that entries have in common.
struct Times {
    at: Option<Moment>,
    from: Option<Moment>,
    until: Option<Moment>,
}

impl Times {
    fn of(entries: &[Entry<'_>]) -> Self {
        Self {
            at: entries.iter().filter_map(|entry| entry.metadata.at).min(),
            from: entries.first().and_then(|entry| entry.metadata.from),
            until: entries.last().and_then(|entry| entry.metadata.until),
        }
    }
}
