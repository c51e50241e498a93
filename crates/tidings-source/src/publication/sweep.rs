//! What is no longer needed.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::{SystemTime, UNIX_EPOCH};

use tidings_base::TEMPORARY_PREFIX;
use tidings_bytes::{ByteStore, FolderEntry};
use tidings_document::{Capability, Form};

use super::dump::is_withdrawn;
use super::fixed::is_ours;
use crate::layout::{self, Layout, PATCHES};
use crate::previous::{each_entry, head};
use crate::{Options, PublishError, Set};

/// Removes what runs before this one left half done beside its place. Only for the holder of the lock.
pub(super) fn unfinished(options: &Options, store: &mut dyn ByteStore) {
    for name in names_of_files(options, store, |name| is_temporary(last_of(name))) {
        // What cannot be removed is in nobody's way.
        let _ = store.delete(&name);
    }
}

/// Removes parts of lists and packages that are not named any more, after a while.
pub(super) fn superseded(
    layout: &Layout,
    options: &Options,
    store: &mut dyn ByteStore,
) -> Result<(), PublishError> {
    let mut named = HashSet::new();
    let before = SystemTime::now()
        .checked_sub(options.retention.superseded)
        .and_then(|before| before.duration_since(UNIX_EPOCH).ok())
        .and_then(|before| i64::try_from(before.as_nanos()).ok());
    let is_old = |name: &str| {
        let modified = layout.files().modified(name);
        modified.is_some_and(|time| before.is_some_and(|before| time < before))
    };
    let layouts = layouts(layout, store);
    // Also of sets that are no longer published: their documents stay whole.
    for own in &layouts {
        for list in
            [layout::RESOURCE_LIST, layout::CHANGE_LIST, layout::RESOURCE_DUMP, layout::CHANGE_DUMP]
        {
            let name = own.own(list);
            // Its packages go with it.
            if is_withdrawn(own, list)? && is_old(&name) {
                let _ = store.delete(&name);
            } else {
                names_in(layout, &name, &mut named)?;
            }
        }
    }
    // A Sitemap of somebody else may be anything.
    if is_ours(layout, layout::SITEMAP) {
        names_in(layout, layout::SITEMAP, &mut named)?;
    }
    let first = first_change(&layouts)?;
    let is_superseded = |name: &str| {
        let last = last_of(name);
        let stems = ["resourcelist", "resourcedump", "changedump", "sitemap"];
        let part = stems.iter().any(|stem| layout::is_part(last, stem));
        // A patch is named by the time of the change that it is of.
        let patch = name.starts_with(PATCHES)
            && first
                .as_deref()
                .is_some_and(|first| last.get(..17).is_some_and(|time| time < first));
        let ours = part || patch || layout::is_change_list(last) || layout::is_dump_part(last);
        ours && !named.contains(name)
    };
    for name in names_of_files(options, store, is_superseded) {
        if is_old(&name) {
            let _ = store.delete(&name);
        }
    }
    Ok(())
}

/// True for the name of a temporary file: of this program, or of one before it. Others have files of their
/// own that begin so, such as the list of a webfeed's posts.
fn is_temporary(name: &str) -> bool {
    let is = |random: &str, length: usize, of: fn(&u8) -> bool| {
        random.len() == length && random.as_bytes().iter().all(of)
    };
    name.strip_prefix(TEMPORARY_PREFIX).is_some_and(|random| {
        is(random, 16, u8::is_ascii_hexdigit) || is(random, 6, u8::is_ascii_alphanumeric)
    })
}

/// The name without its folders.
fn last_of(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The layouts of all sets that have documents, whether they are published now or not.
fn layouts(layout: &Layout, store: &mut dyn ByteStore) -> Vec<Layout> {
    let mut layouts = Vec::new();
    // A folder that cannot be listed has none.
    let _ = store.list_folder(layout::OWN, &mut |entry| {
        if let FolderEntry::Folder(name) = entry
            && Set::is_name(name)
        {
            layouts.push(layout.of_set(Some(name)));
        }
        ControlFlow::Continue(())
    });
    layouts.push(layout.of_set(None));
    layouts
}

/// Since when changes are told, in all sets, as it stands in names.
fn first_change(layouts: &[Layout]) -> Result<Option<String>, PublishError> {
    let mut first = None;
    for own in layouts {
        let head = head(&own.own_document(layout::CHANGE_LIST))?;
        let from = head.and_then(|head| head.metadata.from).map(layout::stamp);
        first = match (first, from) {
            (Some(first), Some(from)) => Some(std::cmp::min::<String>(first, from)),
            (first, from) => first.or(from),
        };
    }
    Ok(first)
}

/// The names of all documents and packages that a list leads to: parts below an index, packages and
/// manifests of a dump.
fn names_in(layout: &Layout, list: &str, named: &mut HashSet<String>) -> Result<(), PublishError> {
    let Some(head) = head(&layout.document(list))? else { return Ok(()) };
    let dump = head.capability().is_some_and(Capability::lists_packages);
    // The entries of other lists are resources.
    if head.form == Form::List && !dump {
        return Ok(());
    }
    let mut below = Vec::new();
    each_entry(&layout.document(list), |entry| {
        let contents = entry.link("contents").map(|link| &link.href);
        let uris = contents.into_iter().chain([&entry.loc]);
        below.extend(uris.filter_map(|uri| layout.name(uri)).map(str::to_owned));
        Ok(())
    })?;
    if head.form == Form::Index && dump {
        below.iter().try_for_each(|part| names_in(layout, part, named))?;
    }
    named.extend(below);
    Ok(())
}

/// The names below the base of those files that are asked for, in the folders that documents are written into.
fn names_of_files(
    options: &Options,
    store: &mut dyn ByteStore,
    is_asked: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut folders =
        vec![String::new(), ".well-known/".into(), "resourcesync/".into(), PATCHES.into()];
    let sets = options.sets.iter().filter_map(|set| set.name.as_ref());
    folders.extend(sets.map(|name| format!("resourcesync/{name}/")));
    let mut names = Vec::new();
    for folder in folders {
        // A folder that cannot be listed has none.
        let _ = store.list_folder(folder.trim_end_matches('/'), &mut |entry| {
            if let FolderEntry::File(name) = entry {
                let name = format!("{folder}{name}");
                if is_asked(&name) {
                    names.push(name);
                }
            }
            ControlFlow::Continue(())
        });
    }
    names
}
