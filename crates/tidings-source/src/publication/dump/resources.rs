//! The Resource Dump: all resources in packages, of which only those are written that changed.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use tidings_document::{Capability, Entry, Form, Head, Moment};

use super::super::desk::{Desk, SpoolFile};
use super::super::indexed;
use super::super::staged::Staged;
use super::{DumpSource, failed, file, is_readable, place, put};
use crate::document_file::DocumentFile;
use crate::layout::{CAPABILITY_LIST, RESOURCE_DUMP, stamp};
use crate::package::{PackageCapacity, PackageWriter};
use crate::previous::{Entries, Previous, each_entry};
use crate::{Progress, PublishError, Resource};

/// A package of the last dump.
struct Old {
    /// Its entry in the dump.
    entry: Entry<'static>,
    /// What its manifest says, in the order of the URIs.
    resources: VecDeque<Resource>,
}

/// Where packages go that are written.
type Open<'d> = Box<dyn FnMut(usize) -> std::io::Result<SpoolFile> + 'd>;

/// A dump that is being made.
struct Dump<'d> {
    source: DumpSource<'d>,
    desk: &'d Desk,
    at: Moment,
    /// Since when the Change Lists tell the changes.
    first: Option<Moment>,
    /// The URLs of all packages of the last dump.
    taken: HashSet<String>,
    /// The packages of the last dump that were not come to yet, by their first URI and manifest.
    ahead: VecDeque<(String, Entry<'static>)>,
    /// The one that the last resource belonged to; while all is as it was.
    old: Option<Old>,
    writer: PackageWriter<'static, Open<'d>>,
    number: usize,
    entries: Vec<Entry<'static>>,
    kept: usize,
}

/// Stages a dump of what the Resource List names, from the files below `root`: packages first, each
/// with a copy of its manifest, then the document that points to them.
pub(super) fn stage(
    source: DumpSource<'_>,
    published: Previous,
    staged: &mut Staged,
    progress: &mut dyn Progress,
) -> Result<(), PublishError> {
    let DumpSource { desk, root, options, .. } = source;
    let layout = &desk.layout;
    // A dump that cannot be read is made anew.
    let old = match options.full {
        false => indexed::entries(layout, &layout.own(RESOURCE_DUMP)).unwrap_or_default(),
        true => Vec::new(),
    };
    let first = published.logs.first().map(|log| log.from);
    let of_dump = old.iter().filter_map(|entry| entry.metadata.at).max();
    if of_dump >= Some(published.latest) && !old.iter().any(|entry| is_unreached(entry, first)) {
        return Ok(());
    }
    progress.writing(RESOURCE_DUMP);
    let at = published.latest;
    let before = old.len();
    let taken = old.iter().map(|entry| entry.loc.clone().into_owned()).collect();
    let ahead: Option<VecDeque<_>> =
        old.into_iter().map(|entry| first_uri(desk, &entry).map(|first| (first, entry))).collect();
    let mut dump = Dump {
        source,
        desk,
        at,
        first,
        taken,
        ahead: ahead.unwrap_or_default(),
        old: None,
        writer: writer(source, at)?,
        number: 0,
        entries: Vec::new(),
        kept: 0,
    };
    if let Some((_, entry)) = dump.ahead.pop_front() {
        dump.open(entry);
    }
    for resource in published.resources() {
        let (_, resource) = resource?;
        if let Some(path) = file(layout, root, &resource.uri).filter(|path| is_readable(path)) {
            dump.add(staged, &resource, &path)?;
        }
    }
    dump.close(staged)?;
    if dump.kept == before && dump.entries.len() == before && before > 0 {
        return Ok(());
    }
    let up = layout.own_url(CAPABILITY_LIST);
    let at = dump.entries.iter().filter_map(|entry| entry.metadata.at).min().unwrap_or(at);
    let head = Head::snapshot(Capability::ResourceDump, Form::List, at, up);
    indexed::stage(staged, &layout.own(RESOURCE_DUMP), &head, &dump.entries, options.max_entries)
}

impl Dump<'_> {
    /// Goes on to a package of the last dump, which may stay if it is not too old.
    fn open(&mut self, entry: Entry<'static>) {
        let reached = !is_unreached(&entry, self.first);
        self.old = reached.then(|| open(self.desk, entry)).flatten();
    }

    fn add(
        &mut self,
        staged: &mut Staged,
        resource: &Resource,
        path: &Path,
    ) -> Result<(), PublishError> {
        while let Some((_, next)) =
            self.ahead.pop_front_if(|(first, _)| first.as_str() <= resource.uri.as_str())
        {
            self.close(staged)?;
            self.open(next);
        }
        if let Some(old) = &mut self.old
            && old.resources.pop_front().as_ref() != Some(resource)
        {
            self.old = None;
        }
        let full = self.writer.add(&resource.entry(), path);
        if let Some(package) = full.map_err(failed(&self.desk.layout, RESOURCE_DUMP))? {
            self.put(staged, package)?;
        }
        Ok(())
    }

    /// Ends a package: the old one if it is the same, else a new one is written.
    fn close(&mut self, staged: &mut Staged) -> Result<(), PublishError> {
        let writer = std::mem::replace(&mut self.writer, writer(self.source, self.at)?);
        match self.old.take() {
            Some(old) if old.resources.is_empty() => {
                self.entries.push(old.entry);
                self.kept += 1;
                Ok(())
            }
            _ => {
                let package = writer.finish();
                let package = package.map_err(failed(&self.desk.layout, RESOURCE_DUMP))?;
                // An empty one says something only if it is alone.
                if package.entries == 0 && !(self.entries.is_empty() && self.ahead.is_empty()) {
                    return Ok(());
                }
                self.put(staged, package)
            }
        }
    }

    fn put(
        &mut self,
        staged: &mut Staged,
        package: crate::Package<SpoolFile>,
    ) -> Result<(), PublishError> {
        let stem = loop {
            self.number += 1;
            let stem = format!("resourcedump-{}-{:05}", stamp(self.at), self.number);
            // One of the same moment may stay as it is.
            let url = self.desk.layout.own_url(&format!("{stem}.zip"));
            if !self.taken.contains(&url) {
                break stem;
            }
        };
        let mut entry = put(staged, &stem, package)?;
        entry.metadata.at = Some(self.at);
        self.entries.push(entry);
        Ok(())
    }
}

/// True for a package from before the first Change List: the changes since are no longer told.
fn is_unreached(entry: &Entry<'_>, first: Option<Moment>) -> bool {
    entry.metadata.at.zip(first).is_some_and(|(at, first)| at.is_before(first))
}

fn writer(
    DumpSource { desk, is_plan, .. }: DumpSource<'_>,
    at: Moment,
) -> Result<PackageWriter<'static, Open<'_>>, PublishError> {
    let up = desk.layout.own_url(CAPABILITY_LIST);
    let head = Head::snapshot(Capability::ResourceDumpManifest, Form::List, at, up);
    let open: Open<'_> = Box::new(|_| place(desk, RESOURCE_DUMP));
    let writer = PackageWriter::new(head, PackageCapacity::default(), open);
    Ok(writer.map_err(failed(&desk.layout, RESOURCE_DUMP))?.planned(is_plan))
}

/// The manifest of a package, as it lies beside it.
fn manifest(desk: &Desk, entry: &Entry<'_>) -> Option<DocumentFile> {
    let contents = entry.link("contents")?;
    let is_there = desk.layout.has(desk.layout.name(&entry.loc)?);
    desk.layout.name(&contents.href).filter(|_| is_there).map(|name| desk.layout.document(name))
}

fn first_uri(desk: &Desk, entry: &Entry<'_>) -> Option<String> {
    let entries = Entries::open(manifest(desk, entry)?).ok()?;
    entries.peek().map(|first| first.loc.clone().into_owned())
}

fn open(desk: &Desk, entry: Entry<'static>) -> Option<Old> {
    let mut resources = VecDeque::new();
    each_entry(&manifest(desk, &entry)?, |entry| {
        resources.push_back(Resource::of_entry(entry));
        Ok(())
    })
    .ok()?;
    Some(Old { entry, resources })
}
