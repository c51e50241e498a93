//! A list in as many documents as it takes, of which only those are written that changed.

use std::collections::VecDeque;

use tidings_document::{Capacity, Entry, Form, Head, Link, Moment, WriteError};

use super::desk::{Desk, Sheet, Spooled};
use super::fixed::MARK;
use super::staged::Staged;
use crate::PublishError;
use crate::layout::stamp;
use crate::previous::{Entries, Leaf, each_entry, entries_before};

/// A list of all resources, one document or several under an index.
///
/// It is told of each resource in the order of the URIs what became of it, and keeps the documents of
/// the last publication in which nothing did: those are not even read. Documents split and merge as
/// the leaves of a B-tree do: one that is too long becomes two halves, one that is too short takes in
/// the next. All others keep their first URIs, whatever comes and goes elsewhere.
pub(super) struct Leaves {
    desk: Desk,
    /// The name of the only document, or of the index.
    name: String,
    /// The head of a document that is not under an index.
    head: Head<'static>,
    capacity: Capacity,
    /// How many documents there were.
    before: usize,
    /// Documents of the last publication that were not come to yet.
    ahead: VecDeque<Leaf>,
    /// What is older than that is written anew: the changes since are no longer told.
    renew: Option<Moment>,
    /// True if its own documents say what is in it, and not who speaks of each resource.
    merging: bool,
    open: Open,
    done: Vec<Done>,
}

/// The document that the last resource belonged to.
#[derive(Default)]
struct Open {
    /// What it was, if it was there, and still is while there is no sheet.
    old: Option<Leaf>,
    /// Documents that are full already.
    full: Vec<Spooled>,
    sheet: Option<(Spooled, Sheet)>,
    entries: u64,
    /// What it was, as far as it was not copied yet, while it is merged with what is new.
    source: Option<Entries>,
}

enum Done {
    Kept(Leaf),
    New(Spooled),
}

impl Leaves {
    /// Begins a list, of which `old` is the last publication. What of it is from before `renew` is
    /// written anew.
    pub(super) fn begin(
        desk: &Desk,
        name: String,
        head: Head<'static>,
        capacity: Capacity,
        old: Vec<Leaf>,
        renew: Option<Moment>,
    ) -> Result<Self, PublishError> {
        let (before, mut ahead) = (old.len(), VecDeque::from(old));
        let first = ahead.pop_front();
        let (desk, open, done) = (desk.clone(), Open::default(), Vec::new());
        let mut leaves =
            Self { desk, name, head, capacity, before, ahead, renew, merging: false, open, done };
        if let Some(first) = first {
            leaves.open(first)?;
        }
        Ok(leaves)
    }

    fn open(&mut self, leaf: Leaf) -> Result<(), PublishError> {
        let old = self.renew.zip(leaf.at).is_some_and(|(renew, at)| at.is_before(renew));
        self.open.old = Some(leaf);
        if old {
            self.open.sheet = Some(self.sheet()?);
        }
        Ok(())
    }

    /// The same list, of which not every resource is spoken of: what it had stays, unless it is said
    /// otherwise.
    pub(super) fn merging(mut self) -> Self {
        self.merging = true;
        self
    }

    /// A resource is as it was.
    pub(super) fn keep<'e>(
        &mut self,
        uri: &str,
        entry: impl FnOnce() -> Result<Entry<'e>, PublishError>,
    ) -> Result<(), PublishError> {
        self.arrive(uri)?;
        if (self.open.sheet.is_none() || self.merging) && self.open.old.is_some() {
            return Ok(());
        }
        self.write(&entry()?)
    }

    /// A resource is new, or something else is to be said of it.
    pub(super) fn put(&mut self, entry: &Entry<'_>) -> Result<(), PublishError> {
        self.arrive(&entry.loc)?;
        self.touch(&entry.loc)?;
        self.write(entry)
    }

    /// A resource is gone.
    pub(super) fn drop(&mut self, uri: &str) -> Result<(), PublishError> {
        self.arrive(uri)?;
        self.touch(uri)
    }

    /// Goes on to the document that has the URI.
    fn arrive(&mut self, uri: &str) -> Result<(), PublishError> {
        while let Some(next) = self.ahead.pop_front_if(|next| next.first.as_str() <= uri) {
            let short = self.open.entries.saturating_mul(4) < self.capacity.entries;
            if self.open.sheet.is_none() || !short {
                self.close()?;
                self.open(next)?;
            } else if self.merging {
                self.copy_rest()?;
                let next = self.desk.layout.document(&next.name);
                self.open.source = Some(Entries::open(next)?);
            }
        }
        Ok(())
    }

    /// From that URI on the document is not what it was.
    fn touch(&mut self, uri: &str) -> Result<(), PublishError> {
        if self.open.sheet.is_none()
            && let Some(old) = self.open.old.clone()
        {
            self.open.sheet = Some(self.sheet()?);
            let old = self.desk.layout.document(&old.name);
            match self.merging {
                true => self.open.source = Some(Entries::open(old)?),
                false => entries_before(&old, uri, |entry| self.write(entry))?,
            }
        }
        if self.merging {
            self.copy(|entry| entry.loc.as_ref() < uri)?;
            let same = |entry: &Entry<'_>| entry.loc.as_ref() == uri;
            if let Some(source) = &mut self.open.source
                && source.peek().is_some_and(same)
            {
                source.advance()?;
            }
        }
        Ok(())
    }

    /// Copies what it was, as long as that is so.
    fn copy(&mut self, while_so: impl Fn(&Entry<'_>) -> bool) -> Result<(), PublishError> {
        let Some(mut source) = self.open.source.take() else { return Ok(()) };
        while source.peek().is_some_and(&while_so) {
            if let Some(entry) = source.advance()? {
                self.write(&entry)?;
            }
        }
        self.open.source = Some(source);
        Ok(())
    }

    fn copy_rest(&mut self) -> Result<(), PublishError> {
        self.copy(|_| true)
    }

    fn write(&mut self, entry: &Entry<'_>) -> Result<(), PublishError> {
        for _ in 0..2 {
            let (file, mut sheet) = match self.open.sheet.take() {
                Some(sheet) => sheet,
                None => self.sheet()?,
            };
            match sheet.write(entry) {
                Err(WriteError::Full) => {
                    sheet.finish().map_err(|source| self.failed(source))?;
                    self.open.full.push(file);
                }
                result => {
                    self.open.sheet = Some((file, sheet));
                    self.open.entries += 1;
                    return result.map_err(|source| self.failed(source));
                }
            }
        }
        Err(self.failed(WriteError::Full))
    }

    fn sheet(&self) -> Result<(Spooled, Sheet), PublishError> {
        let several = self.before > 1 || !self.open.full.is_empty() || !self.done.is_empty();
        self.desk.begin(&self.name, &self.head_under(several), self.capacity)
    }

    fn failed(&self, source: WriteError) -> PublishError {
        self.desk.failed(&self.name, source)
    }

    fn is_plain(&self) -> bool {
        self.head.capability().is_none()
    }

    /// The head of a document, under an index or not.
    fn head_under(&self, index: bool) -> Head<'static> {
        let head = self.head.clone();
        if index && !self.is_plain() {
            return head.with_link(Link::new("index", self.desk.layout.url(&self.name)));
        }
        head
    }

    fn close(&mut self) -> Result<(), PublishError> {
        self.copy_rest()?;
        let Open { old, mut full, sheet, entries, .. } = std::mem::take(&mut self.open);
        let Some((file, sheet)) = sheet else {
            self.done.extend(old.map(Done::Kept));
            return Ok(());
        };
        sheet.finish().map_err(|source| self.failed(source))?;
        full.push(file);
        if old.is_some() && full.len() > 1 {
            full = self.halved(&full, entries)?;
        }
        if entries > 0 {
            self.done.extend(full.into_iter().map(Done::New));
        }
        Ok(())
    }

    /// The same entries in as many documents, of equal length: one that has just got too long would
    /// else be too long again with the next resource.
    fn halved(&self, full: &[Spooled], entries: u64) -> Result<Vec<Spooled>, PublishError> {
        let each = entries.div_ceil(full.len() as u64);
        let mut halves = Vec::new();
        let mut sheet: Option<(Spooled, Sheet)> = None;
        for file in full {
            each_entry(file.document(), |entry| {
                if sheet.as_ref().is_some_and(|(_, sheet)| sheet.written().entries == each)
                    && let Some((file, sheet)) = sheet.take()
                {
                    sheet.finish().map_err(|source| self.failed(source))?;
                    halves.push(file);
                }
                let begin = || self.desk.begin(&self.name, &self.head_under(true), self.capacity);
                let (file, mut open) = match sheet.take() {
                    Some(open) => open,
                    None => begin()?,
                };
                match open.write(entry) {
                    // Long entries may fill it before it has its share of them.
                    Err(WriteError::Full) => {
                        open.finish().map_err(|source| self.failed(source))?;
                        halves.push(file);
                        let (file, mut next) = begin()?;
                        next.write(entry).map_err(|source| self.failed(source))?;
                        sheet = Some((file, next));
                    }
                    result => {
                        result.map_err(|source| self.failed(source))?;
                        sheet = Some((file, open));
                    }
                }
                Ok(())
            })?;
        }
        if let Some((file, sheet)) = sheet {
            sheet.finish().map_err(|source| self.failed(source))?;
            halves.push(file);
        }
        Ok(halves)
    }

    /// Stages what is new: parts first, under new names, then what points to them. The new documents
    /// speak of `at`, the index of the earliest of its parts.
    pub(super) fn stage(mut self, staged: &mut Staged, at: Moment) -> Result<(), PublishError> {
        self.close()?;
        // Those at the end in which nothing was left, or nothing was looked at.
        let rest = std::mem::take(&mut self.ahead);
        self.done.extend(rest.into_iter().map(Done::Kept));
        let begun = self.head.metadata.at;
        if !self.is_plain() {
            self.head.metadata.at = Some(at);
        }
        let kept = self.done.iter().all(|done| matches!(done, Done::Kept(_)));
        if kept && self.before > 0 && self.done.len() == self.before {
            return Ok(());
        }
        match self.done.len() {
            0 => {
                let (file, sheet) =
                    self.desk.begin(&self.name, &self.head_under(false), self.capacity)?;
                sheet.finish().map_err(|source| self.failed(source))?;
                self.put_top(staged, file)
            }
            1 => {
                let head = self.head_under(false);
                let file = match self.done.pop() {
                    Some(Done::New(file)) if self.before <= 1 && begun == self.head.metadata.at => {
                        file
                    }
                    Some(Done::New(file)) => {
                        self.desk.copied(&self.name, file.document(), &head)?
                    }
                    Some(Done::Kept(leaf)) => {
                        let leaf = self.desk.layout.document(&leaf.name);
                        self.desk.copied(&self.name, &leaf, &head)?
                    }
                    None => return Ok(()),
                };
                self.put_top(staged, file)
            }
            _ => self.stage_parts(staged, at, begun),
        }
    }

    fn stage_parts(
        mut self,
        staged: &mut Staged,
        at: Moment,
        begun: Option<Moment>,
    ) -> Result<(), PublishError> {
        let head = self.head_under(true);
        let stem = self.name.strip_suffix(".xml").unwrap_or(&self.name).to_owned();
        let mut entries: Vec<Entry<'static>> = Vec::new();
        let mut number = 0;
        for (place, done) in std::mem::take(&mut self.done).into_iter().enumerate() {
            let (name, at) = match done {
                // The only document until now: its name is the index's now.
                Done::Kept(leaf) if leaf.name == self.name => {
                    number += 1;
                    let name = format!("{stem}-{}-{number:05}.xml", stamp(at));
                    let leaf = self.desk.layout.document(&leaf.name);
                    staged.put(&name, self.desk.copied(&name, &leaf, &head)?)?;
                    (name, Some(at))
                }
                Done::Kept(leaf) => (leaf.name, leaf.at),
                Done::New(file) => {
                    number += 1;
                    let name = format!("{stem}-{}-{number:05}.xml", stamp(at));
                    // The first was perhaps begun before there was an index to link to, and the
                    // moment may have moved on since.
                    let alone = place == 0 && self.before <= 1;
                    let stale = !self.is_plain() && (alone || begun != Some(at));
                    let file = match stale {
                        true => self.desk.copied(&name, file.document(), &head)?,
                        false => file,
                    };
                    staged.put(&name, file)?;
                    (name, Some(at))
                }
            };
            let mut entry = Entry::new(self.desk.layout.url(&name));
            entry.metadata.at = at.filter(|_| !self.is_plain());
            entries.push(entry);
        }
        let mut index = self.head.clone();
        index.form = Form::Index;
        index.metadata.at = entries.iter().filter_map(|entry| entry.metadata.at).min();
        let (file, mut writer) = self.desk.begin(&self.name, &index, Capacity::default())?;
        let written = entries.iter().try_for_each(|entry| writer.write(entry));
        written.and_then(|()| writer.finish()).map_err(|source| self.failed(source))?;
        self.put_top(staged, file)
    }

    fn put_top(&self, staged: &mut Staged, file: Spooled) -> Result<(), PublishError> {
        if self.is_plain() {
            // Who wrote it is said at the end.
            file.append(MARK.as_bytes())?;
        }
        staged.put(&self.name, file)
    }
}
