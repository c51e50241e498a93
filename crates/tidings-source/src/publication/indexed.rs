//! A document of entries that are all known, under an index if they are too many for one.

use sha2::{Digest as _, Sha256};
use tidings_document::{Entry, Form, Head, Link, Moment};

use super::staged::Staged;
use crate::PublishError;
use crate::layout::{Layout, stamp};
use crate::previous::each_entry;

/// Stages the entries under the name, in parts of at most that many if they are more.
///
/// Whoever reads an old index finds the parts that it speaks of: a part that says something else of
/// its times has another name. Only one that is open grows where it is.
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
    let url = staged.desk.layout.url(name);
    let count = entries.len().div_ceil(most);
    let mut parts = Vec::new();
    for (number, chunk) in entries.chunks(most).enumerate() {
        let mut head = head.clone().with_link(Link::new("index", url.clone()));
        let times = Times::of(chunk);
        let mut kind = String::new();
        if head.metadata.at.is_some() {
            head.metadata.at = times.at.or(head.metadata.at);
            kind = format!("-{:016x}", fingerprint(chunk));
        }
        if head.metadata.from.is_some() {
            head.metadata.from = if number == 0 { head.metadata.from } else { times.from };
            head.metadata.until = times.until.filter(|_| number + 1 < count);
            kind = match (head.metadata.from, head.metadata.until) {
                (Some(from), Some(until)) => {
                    format!("-{}-{}-{:016x}", stamp(from), stamp(until), fingerprint(chunk))
                }
                _ => "-open".to_owned(),
            };
        }
        let part = part_name(name, number, &kind);
        let mut entry = Entry::new(staged.desk.layout.url(&part));
        entry.metadata.at = head.metadata.at;
        entry.metadata.from = head.metadata.from;
        entry.metadata.until = head.metadata.until;
        staged.document(&part, &head, chunk)?;
        parts.push(entry);
    }
    let mut head = head.clone();
    head.form = Form::Index;
    staged.document(name, &head, &parts)
}

/// A number that is another one when the entries are.
fn fingerprint(entries: &[Entry<'_>]) -> u64 {
    let mut hash = Sha256::new();
    for entry in entries {
        hash.update(entry.loc.as_bytes());
        hash.update([0]);
    }
    let digest: [u8; 32] = hash.finalize().into();
    digest[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The entries of a document, of all parts if it is an index, in their order; none if there is no such
/// document.
pub(super) fn entries(layout: &Layout, name: &str) -> Result<Vec<Entry<'static>>, PublishError> {
    let (mut documents, mut all) = (vec![name.to_owned()], Vec::new());
    if !layout.has(name) {
        return Ok(all);
    }
    while let Some(name) = documents.pop() {
        let mut entries = Vec::new();
        let head = each_entry(&layout.document(&name), |entry| {
            entries.push(entry.clone().into_owned());
            Ok(())
        })?;
        match head.form {
            Form::List => all.extend(entries),
            Form::Index => {
                let parts = entries.iter().filter_map(|entry| layout.name(&entry.loc));
                documents.extend(parts.map(ToOwned::to_owned).rev());
            }
        }
    }
    Ok(all)
}

/// The name of a part, by its place from 0.
fn part_name(name: &str, place: usize, kind: &str) -> String {
    // A name without an ending, the well-known one, has its parts with the other documents.
    let stem = name.strip_suffix(".xml").unwrap_or("resourcesync/description");
    format!("{stem}-part-{:05}{kind}.xml", place + 1)
}

/// The name of the document that has the entry at that place, of so many.
pub(super) fn document_of(name: &str, place: usize, count: usize, most: u64) -> String {
    let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
    if count <= most { name.to_owned() } else { part_name(name, place / most, "") }
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
