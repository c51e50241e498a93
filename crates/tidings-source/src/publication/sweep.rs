//! What is no longer needed.

use std::collections::HashSet;
use std::fs::{self, DirEntry};
use std::io;
use std::time::SystemTime;

use tidings_document::{Capability, Form};

use super::dump::is_withdrawn;
use super::fixed::is_ours;
use crate::layout::{self, Layout, PATCHES};
use crate::previous::{each_entry, head};
use crate::{Options, PublishError, Set};

/// Removes what runs before this one left half done. Only for the holder of the lock.
pub(super) fn unfinished(layout: &Layout, options: &Options) {
    each_file(layout, options, |name, file| {
        if name.rsplit('/').next().is_some_and(|name| name.starts_with(".tidings-")) {
            // What cannot be removed is in nobody's way.
            let _ = fs::remove_file(file.path()).or_else(|_| fs::remove_dir_all(file.path()));
        }
    });
}

/// Removes parts of lists and packages that are not named any more, after a while.
pub(super) fn superseded(layout: &Layout, options: &Options) -> Result<(), PublishError> {
    let mut named = HashSet::new();
    let before = SystemTime::now().checked_sub(options.retention.superseded);
    let is_old = |metadata: io::Result<fs::Metadata>| {
        let modified = metadata.and_then(|metadata| metadata.modified());
        modified.is_ok_and(|time| before.is_some_and(|before| time < before))
    };
    // Also of sets that are no longer published: their documents stay whole.
    for own in layouts(layout) {
        for list in
            [layout::RESOURCE_LIST, layout::CHANGE_LIST, layout::RESOURCE_DUMP, layout::CHANGE_DUMP]
        {
            let path = own.own_path(list);
            // Its packages go with it.
            if is_withdrawn(&own, list)? && is_old(fs::metadata(&path)) {
                let _ = fs::remove_file(&path);
            } else {
                names_in(layout, &own.own(list), &mut named)?;
            }
        }
    }
    // A Sitemap of somebody else may be anything.
    if is_ours(layout, layout::SITEMAP) {
        names_in(layout, layout::SITEMAP, &mut named)?;
    }
    let first = first_change(layout)?;
    each_file(layout, options, |name, file| {
        let last = name.rsplit('/').next().unwrap_or(&name);
        let stems = ["resourcelist", "resourcedump", "changedump", "sitemap"];
        let part = stems.iter().any(|stem| layout::is_part(last, stem));
        let old = is_old(file.metadata());
        // A patch is named by the time of the change that it is of.
        let patch = name.starts_with(PATCHES)
            && first
                .as_deref()
                .is_some_and(|first| last.get(..17).is_some_and(|time| time < first));
        let ours = part || patch || layout::is_change_list(last) || layout::is_dump_part(last);
        if ours && old && !named.contains(&name) {
            let _ = fs::remove_file(file.path());
        }
    });
    Ok(())
}

/// The layouts of all sets that have documents, whether they are published now or not.
fn layouts(layout: &Layout) -> Vec<Layout> {
    let folders = fs::read_dir(layout.path("resourcesync")).into_iter().flatten().flatten();
    let names = folders
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| Set::is_name(name));
    let mut layouts: Vec<Layout> = names.map(|name| layout.of_set(Some(&name))).collect();
    layouts.push(layout.of_set(None));
    layouts
}

/// Since when changes are told, in all sets, as it stands in names.
fn first_change(layout: &Layout) -> Result<Option<String>, PublishError> {
    let mut first = None;
    for own in layouts(layout) {
        let head = head(&own.own_path(layout::CHANGE_LIST))?;
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
    let Some(head) = head(&layout.path(list))? else { return Ok(()) };
    let dump = head.capability().is_some_and(Capability::lists_packages);
    // The entries of other lists are resources.
    if head.form == Form::List && !dump {
        return Ok(());
    }
    let mut below = Vec::new();
    each_entry(&layout.path(list), |entry| {
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

/// Shows the files in the folders that documents are written into, with their names below the base.
fn each_file(layout: &Layout, options: &Options, mut each: impl FnMut(String, &DirEntry)) {
    let mut folders =
        vec![String::new(), ".well-known/".into(), "resourcesync/".into(), PATCHES.into()];
    let sets = options.sets.iter().filter_map(|set| set.name.as_ref());
    folders.extend(sets.map(|name| format!("resourcesync/{name}/")));
    for folder in folders {
        let Ok(entries) = fs::read_dir(layout.path(&folder)) else { continue };
        for entry in entries.flatten() {
            if let Ok(name) = entry.file_name().into_string() {
                each(format!("{folder}{name}"), &entry);
            }
        }
    }
}
