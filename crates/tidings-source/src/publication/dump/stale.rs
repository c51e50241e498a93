//! Dumps that the Change Lists no longer reach.

use std::io;

use tidings_bytes::ByteStore;
use tidings_document::{Entry, Head, Moment};

use super::super::desk::Desk;
use super::super::indexed;
use super::super::staged::Staged;
use crate::layout::{CAPABILITY_LIST, CHANGE_DUMP, CHANGE_LIST, Layout, RESOURCE_DUMP};
use crate::previous::{each_entry, head};
use crate::{Options, PublishError};

/// The documents that list packages.
const DUMPS: [&str; 2] = [RESOURCE_DUMP, CHANGE_DUMP];

/// True if the options ask for that dump.
pub(in super::super) fn is_asked(options: &Options, document: &str) -> bool {
    match document {
        RESOURCE_DUMP => options.dump,
        CHANGE_DUMP => options.change_dump,
        _ => true,
    }
}

/// True if a dump ends before the Change Lists begin, by the documents that are in their places: a
/// Destination that takes it never learns of the changes between the two.
pub(in super::super) fn is_stale(own: &Layout, document: &str) -> Result<bool, PublishError> {
    if !DUMPS.contains(&document) || !own.has_own(document) {
        return Ok(false);
    }
    let first = head(&own.own_document(CHANGE_LIST))?.and_then(|head| head.metadata.from);
    Ok(first.is_some_and(|first| ends_before(own, document, first)))
}

/// True if a dump has no changes from that moment on. One that cannot be read is judged by nobody.
fn ends_before(own: &Layout, document: &str, first: Moment) -> bool {
    let Ok(Some(head)) = head(&own.own_document(document)) else { return false };
    let end = match document {
        CHANGE_DUMP => {
            let entries = indexed::entries(own, &own.own(document)).unwrap_or_default();
            change_dump_end(&entries).or(head.metadata.from)
        }
        _ => head.metadata.at,
    };
    end.is_some_and(|end| end.is_before(first))
}

/// Up to when the packages of a Change Dump tell the changes.
pub(super) fn change_dump_end(entries: &[Entry<'_>]) -> Option<Moment> {
    entries.last().and_then(|entry| entry.metadata.until)
}

/// Stages a Capability List without the dumps that end before `first`, the moment since which the
/// Change Lists of this publication tell all changes. It goes into its place before the Change Lists
/// do, so that a reader never finds a dump from which no Change List leads on. The answer is the names
/// of the dumps that this publication does not refresh.
pub(in super::super) fn withdraw(
    options: &Options,
    own: &Layout,
    first: Option<Moment>,
    staged: &mut Staged,
) -> Result<Vec<String>, PublishError> {
    let Some(first) = first else { return Ok(Vec::new()) };
    let stale = |document: &&str| ends_before(own, document, first);
    let stale: Vec<&str> = DUMPS.into_iter().filter(stale).collect();
    let Some((head, entries)) = capabilities(own)?.filter(|_| !stale.is_empty()) else {
        return Ok(Vec::new());
    };
    let (mut kept, mut withdrawn) = (Vec::new(), Vec::new());
    for entry in entries {
        match stale.iter().find(|document| entry.loc == own.own_url(document)) {
            Some(document) if is_asked(options, document) => {}
            Some(document) => withdrawn.push(own.own(document)),
            None => kept.push(entry),
        }
    }
    staged.document(&own.own(CAPABILITY_LIST), &head, &kept)?;
    Ok(withdrawn)
}

/// True if a dump is there, but the Capability List does not name it.
pub(in super::super) fn is_withdrawn(own: &Layout, document: &str) -> Result<bool, PublishError> {
    let named = |entry: &Entry<'_>| entry.loc == own.own_url(document);
    Ok(DUMPS.contains(&document)
        && own.has_own(document)
        && capabilities(own)?.is_some_and(|(_, entries)| !entries.iter().any(named)))
}

/// The Capability List as it is in its place; none if there is none.
fn capabilities(
    own: &Layout,
) -> Result<Option<(Head<'static>, Vec<Entry<'static>>)>, PublishError> {
    if !own.has_own(CAPABILITY_LIST) {
        return Ok(None);
    }
    let mut entries = Vec::new();
    let head = each_entry(&own.own_document(CAPABILITY_LIST), |entry| {
        entries.push(entry.clone().into_owned());
        Ok(())
    })?;
    Ok(Some((head, entries)))
}

/// Superseded files are removed by their age: a dump is superseded now, whenever it was written. So it is
/// put into its place again.
pub(in super::super) fn begin_grace_period(desk: &Desk, name: &str, store: &mut dyn ByteStore) {
    let mut again = || -> Result<(), PublishError> {
        let path = desk.layout.path(name);
        let failed = |error| PublishError::io("could not copy", &path)(error);
        let Some(mut bytes) = desk.layout.files().open(name).map_err(failed)? else {
            return Ok(());
        };
        let mut out = desk.file(name)?;
        io::copy(&mut bytes, &mut out).map_err(failed)?;
        let file = out.into_spooled().into_staged();
        Ok(store.commit_all(file.map(|file| (file, name.to_owned())).into_iter().collect())?)
    };
    // Without it the files go sooner; nothing else depends on it.
    let _ = again();
}
