//! The Change Dump: the bitstreams of changes, in packages that each have an interval.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use tidings_document::{Capability, Change, Entry, Form, Hash, Head, Moment, PATCH};

use super::super::indexed;
use super::super::staged::Staged;
use super::stale::{change_dump_end, is_stale};
use super::{DumpSource, failed, file, is_readable, place, put};
use crate::clock::is_older;
use crate::layout::{CAPABILITY_LIST, CHANGE_DUMP, Layout, stamp};
use crate::package::{PackageCapacity, PackageWriter};
use crate::previous::{Previous, each_entry, head};
use crate::{Progress, PublishError};

/// A package that is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Plan {
    from: Moment,
    until: Moment,
    changes: u64,
}

/// Stages packages of the changes since the last one: of those that the Change Lists tell.
pub(super) fn stage(
    source: DumpSource<'_>,
    published: &Previous,
    staged: &mut Staged,
    progress: &mut dyn Progress,
) -> Result<(), PublishError> {
    let DumpSource { desk, root, options, .. } = source;
    let layout = &desk.layout;
    // What lies between the last package and the first Change List can no longer be packed: the dump
    // begins with the first Change List, then.
    let unreached = is_stale(layout, CHANGE_DUMP)?;
    let first = options.full || unreached || !layout.has_own(CHANGE_DUMP);
    let mut entries = match first {
        false => indexed::entries(layout, &layout.own(CHANGE_DUMP))?,
        true => Vec::new(),
    };
    // It begins with the first publication that was asked for it: of what was before, there are no
    // bitstreams any more.
    let begun = match (first, unreached) {
        (false, _) => first_moment(layout)?,
        (true, true) => published.logs.first().map(|log| log.from),
        (true, false) => None,
    };
    let begun = begun.unwrap_or(published.latest);
    let since = change_dump_end(&entries).unwrap_or(begun);
    let before = entries.len();
    if let Some(keep) = options.retention.changes {
        let now = published.latest;
        entries
            .retain(|entry| !entry.metadata.until.is_some_and(|until| is_older(until, keep, now)));
    }
    let forgotten = entries.len() < before;
    let changes = Changes::since(layout, root, published, since)?;
    let plans = changes.plans(published, since)?;
    if plans.is_empty() && !first && !forgotten {
        return Ok(());
    }
    progress.writing(CHANGE_DUMP);
    entries.extend(changes.put(source, published, &plans, staged)?);
    let from = entries.first().and_then(|entry| entry.metadata.from).unwrap_or(begun);
    let up = layout.own_url(CAPABILITY_LIST);
    let head = Head::interval(Capability::ChangeDump, Form::List, from, None, up);
    indexed::stage(staged, &layout.own(CHANGE_DUMP), &head, &entries, options.max_entries)
}

/// How long a manifest is planned to be; it may have 50 MB.
const MOST_MANIFEST: u64 = 40 << 20;

/// About how many bytes an entry has in a manifest, or more.
fn weight(entry: &Entry<'_>) -> u64 {
    let hash = |hash: Option<&Hash<'_>>| hash.map_or(0, |hash| hash.as_str().len());
    let links = entry
        .links
        .iter()
        .map(|link| 300 + link.rel.len() + 2 * link.href.len() + hash(link.hash.as_ref()));
    let own = 600 + 2 * entry.loc.len() + hash(entry.metadata.hash.as_ref());
    (own + links.sum::<usize>()) as u64
}

fn fingerprint(uri: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    uri.hash(&mut hasher);
    hasher.finish()
}

/// When the Change Dump began.
fn first_moment(layout: &Layout) -> Result<Option<Moment>, PublishError> {
    Ok(head(&layout.own_document(CHANGE_DUMP))?.and_then(|head| head.metadata.from))
}

/// The changes after a moment. Where one resource changed more than once, only the last of them can
/// still be had.
struct Changes {
    layout: Layout,
    root: PathBuf,
    since: Moment,
    /// Of a resource that changed more than once, when last.
    last: HashMap<String, Moment>,
}

impl Changes {
    fn since(
        layout: &Layout,
        root: &Path,
        published: &Previous,
        since: Moment,
    ) -> Result<Self, PublishError> {
        let (layout, root) = (layout.clone(), root.to_owned());
        let mut changes = Self { layout, root, since, last: HashMap::new() };
        let mut times = Vec::new();
        changes.each(published, |_, time| {
            if times.len() < 2 && times.last() != Some(&time) {
                times.push(time);
            }
            Ok(())
        })?;
        // All at one moment, as after a single publication: then each is of a resource of its own.
        if times.len() > 1 {
            let (mut once, mut last) = (HashSet::new(), HashMap::new());
            changes.each(published, |entry, time| {
                // In doubt twice: then it is only looked up in vain.
                if !once.insert(fingerprint(&entry.loc)) {
                    last.insert(entry.loc.clone().into_owned(), time);
                }
                Ok(())
            })?;
            changes.last = last;
        }
        Ok(changes)
    }

    /// Shows each change, the superseded ones left out.
    fn each(
        &self,
        published: &Previous,
        mut each: impl FnMut(&Entry<'_>, Moment) -> Result<(), PublishError>,
    ) -> Result<(), PublishError> {
        for log in &published.logs {
            if log.until.is_some_and(|until| !self.since.is_before(until)) {
                continue;
            }
            each_entry(&log.document, |entry| {
                let Some(time) = entry.change_time() else { return Ok(()) };
                let last = self.last.get(entry.loc.as_ref()).is_none_or(|last| *last == time);
                let gone = entry.metadata.change == Some(Change::Deleted);
                let path = file(&self.layout, &self.root, &entry.loc);
                let there = gone || path.is_some_and(|path| is_readable(&path));
                match self.since.is_before(time) && last && there {
                    true => each(entry, time),
                    false => Ok(()),
                }
            })?;
        }
        Ok(())
    }

    /// Which changes go into which package: a manifest says first up to when it is, so that has to be
    /// known before.
    fn plans(&self, published: &Previous, since: Moment) -> Result<Vec<Plan>, PublishError> {
        let most = PackageCapacity::default();
        let mut plans: Vec<Plan> = Vec::new();
        let (mut content, mut manifest) = (0_u64, 0_u64);
        self.each(published, |entry, time| {
            let length = entry.metadata.length.unwrap_or(0);
            let weight = weight(entry);
            match plans.last_mut() {
                Some(plan)
                    if plan.changes < most.entries
                        && manifest + weight <= MOST_MANIFEST
                        && content.saturating_add(length) <= most.content =>
                {
                    plan.changes += 1;
                    plan.until = time;
                    content += length;
                    manifest += weight;
                }
                last => {
                    let from = last.map_or(since, |plan| plan.until);
                    plans.push(Plan { from, until: time, changes: 1 });
                    content = length;
                    manifest = weight;
                }
            }
            Ok(())
        })?;
        Ok(plans)
    }

    /// Writes the packages; the answers are their entries in the dump.
    fn put(
        &self,
        source: DumpSource<'_>,
        published: &Previous,
        plans: &[Plan],
        staged: &mut Staged,
    ) -> Result<Vec<Entry<'static>>, PublishError> {
        let DumpSource { desk, root, is_plan, .. } = source;
        let layout = &desk.layout;
        let mut entries = Vec::new();
        let mut plans = plans.iter().enumerate();
        let mut current: Option<(usize, Plan, PackageWriter<'static, _>)> = None;
        let mut left = 0;
        let mut finish = |number: usize, plan: Plan, writer: PackageWriter<'static, _>| {
            let package = writer.finish().map_err(failed(layout, CHANGE_DUMP))?;
            let stem = format!("changedump-{}-{:05}", stamp(plan.until), number + 1);
            let mut entry = put(staged, &stem, package)?;
            entry.metadata.from = Some(plan.from);
            entry.metadata.until = Some(plan.until);
            entries.push(entry);
            Ok::<(), PublishError>(())
        };
        self.each(published, |entry, _| {
            if left == 0 {
                if let Some((number, plan, writer)) = current.take() {
                    finish(number, plan, writer)?;
                }
                let Some((number, plan)) = plans.next() else { return Ok(()) };
                let up = layout.own_url(CAPABILITY_LIST);
                let head = Head::interval(
                    Capability::ChangeDumpManifest,
                    Form::List,
                    plan.from,
                    Some(plan.until),
                    up,
                );
                let open = |_: usize| place(desk, CHANGE_DUMP);
                let writer = PackageWriter::new(head, PackageCapacity::default(), open);
                let writer = writer.map_err(failed(layout, CHANGE_DUMP))?.planned(is_plan);
                current = Some((number, *plan, writer));
                left = plan.changes;
            }
            left -= 1;
            let Some((_, _, writer)) = &mut current else { return Ok(()) };
            let path = match entry.metadata.change {
                Some(Change::Deleted) => None,
                _ => file(layout, root, &entry.loc),
            };
            // The bitstream is there: how it changed need not be said as well (section 14.4).
            let mut entry = entry.clone();
            entry.links.retain(|link| !link.is(PATCH));
            let added = match path {
                Some(path) => writer.add(&entry, &path),
                None => writer.mention(&entry),
            };
            added.map(|_| ()).map_err(failed(layout, CHANGE_DUMP))
        })?;
        if let Some((number, plan, writer)) = current {
            finish(number, plan, writer)?;
        }
        Ok(entries)
    }
}
