//! A list of as many documents as it takes.

use std::io::{self, Seek as _, SeekFrom, Write as _};

use tempfile::NamedTempFile;
use tidings_document::{Capacity, Entry, Head, Link, Moment, WriteError};

use super::fixed::MARK;
use super::place::{Desk, Sheet, Staged};
use crate::PublishError;

/// One document, or several under an index, all of the same kind.
pub(super) struct Lists {
    desk: Desk,
    /// The name of the only document, or of the index.
    name: &'static str,
    head: Head<'static>,
    capacity: Capacity,
    full: Vec<NamedTempFile>,
    file: NamedTempFile,
    writer: Sheet,
}

impl Lists {
    pub(super) fn begin(
        desk: &Desk,
        name: &'static str,
        head: Head<'static>,
        capacity: Capacity,
    ) -> Result<Self, PublishError> {
        let (file, writer) = desk.begin(name, &head, capacity)?;
        Ok(Self { desk: desk.clone(), name, head, capacity, full: Vec::new(), file, writer })
    }

    pub(super) fn write(&mut self, entry: &Entry<'_>) -> Result<(), PublishError> {
        match self.writer.write(entry) {
            Err(WriteError::Full) => {}
            result => return result.map_err(|source| self.desk.failed(self.name, source)),
        }
        // Only now it is known that there is to be an index.
        if self.full.is_empty() && !self.is_plain() {
            self.head.links.push(Link::new("index", self.desk.layout.url(self.name)));
        }
        let (file, writer) = self.desk.begin(self.name, &self.head, self.capacity)?;
        let full = std::mem::replace(&mut self.writer, writer);
        full.finish().map_err(|source| self.desk.failed(self.name, source))?;
        self.full.push(std::mem::replace(&mut self.file, file));
        self.writer.write(entry).map_err(|source| self.desk.failed(self.name, source))
    }

    fn is_plain(&self) -> bool {
        self.head.capability().is_none()
    }

    /// Stages the documents: parts first, under new names, then what points to them.
    pub(super) fn stage(
        self,
        staged: &mut Staged,
        index: &Head<'_>,
        at: Moment,
    ) -> Result<(), PublishError> {
        let plain = self.is_plain();
        let Self { desk, name, mut head, mut full, mut file, writer, .. } = self;
        writer.finish().map_err(|source| desk.failed(name, source))?;
        // The moment may have moved on since the documents were begun.
        let moved = !plain && head.metadata.at.replace(at) != Some(at);
        if full.is_empty() {
            if moved {
                file = desk.copied(name, &file, &head)?;
            }
            if plain {
                marked(&mut file).map_err(PublishError::io("could not write", file.path()))?;
            }
            return staged.put(name, file);
        }
        full.push(file);
        let stem = name.strip_suffix(".xml").unwrap_or(name);
        let stamp: String = at.to_string().chars().filter(char::is_ascii_digit).collect();
        let mut entries = Vec::new();
        for (place, part) in full.into_iter().enumerate() {
            let part_name = format!("{stem}-{stamp}-{:05}.xml", place + 1);
            // The first was begun before there was an index to link to.
            let begun_alone = place == 0 && !plain;
            let part =
                if begun_alone || moved { desk.copied(&part_name, &part, &head)? } else { part };
            staged.put(&part_name, part)?;
            let mut entry = Entry::new(desk.layout.url(&part_name));
            entry.metadata.at = (!plain).then_some(at);
            entries.push(entry);
        }
        let (mut file, mut writer) = desk.begin(name, index, Capacity::default())?;
        let written = entries.iter().try_for_each(|entry| writer.write(entry));
        written.and_then(|()| writer.finish()).map_err(|source| desk.failed(name, source))?;
        if plain {
            marked(&mut file).map_err(PublishError::io("could not write", file.path()))?;
        }
        staged.put(name, file)
    }
}

/// Says at the end of a document who wrote it; the document was written through a handle of its own.
fn marked(file: &mut NamedTempFile) -> io::Result<()> {
    file.seek(SeekFrom::End(0))?;
    file.write_all(MARK.as_bytes())
}
