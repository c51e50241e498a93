//! A body on its way into a file.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use flate2::read::MultiGzDecoder;
use tidings_bytes::{FileStamp, StagedFile, StagingArea};
use tidings_document::Moment;

use super::Failure;
use super::partial::{MIN_KEPT_BYTES, Note, Partial};
use crate::bytes::{Expected, Measure, Measured};

/// Up to so many bytes a body is in memory, and its file is written at once.
const IN_MEMORY: usize = 256 << 10;

/// How many bytes a compressed byte may become, beyond the first MiB.
const INFLATION: u64 = 200;

/// The bytes of a resource as they come.
pub(super) struct Body {
    memory: Vec<u8>,
    file: Option<(StagedFile, File)>,
    measure: Measure,
    /// What the file is of, if it is to be kept when it breaks off.
    note: Option<Note>,
}

/// A file with verified bytes.
pub(super) struct Finished {
    pub(super) file: StagedFile,
    pub(super) measured: Measured,
    pub(super) stamp: FileStamp,
}

impl Body {
    pub(super) fn new(expected: &Expected, announced: Option<u64>) -> Self {
        let room = announced.map_or(0, |length| length.min(IN_MEMORY as u64) as usize);
        Self {
            memory: Vec::with_capacity(room),
            file: None,
            measure: Measure::for_expected(expected),
            note: None,
        }
    }

    /// Goes on with what was kept; the file is at its end.
    pub(super) fn resumed(partial: Partial, measure: Measure) -> Self {
        let Partial { draft, file, note } = partial;
        Self { memory: Vec::new(), file: Some((draft, file)), measure, note: Some(note) }
    }

    /// Has a body that did not begin yet written where it can be kept.
    pub(super) fn write_to(&mut self, partial: Partial) {
        let Partial { draft, file, note } = partial;
        self.file = Some((draft, file));
        self.note = Some(note);
    }

    /// Gives up for now.
    pub(super) fn keep(self) {
        if self.length() < MIN_KEPT_BYTES || self.note.is_none() {
            return self.discard();
        }
        let length = self.length();
        if let (Some((_, file)), Some(note)) = (self.file, self.note)
            && file.sync_data().is_ok()
        {
            // Without it, the bytes are taken only if a digest says that they are right.
            let _ = note.keep(length);
        }
    }

    pub(super) fn length(&self) -> u64 {
        self.measure.length()
    }

    /// Takes in a piece.
    pub(super) fn push(&mut self, piece: &[u8], temporary: &mut StagingArea) -> io::Result<()> {
        self.measure.update(piece);
        if let Some((_, file)) = &mut self.file {
            return file.write_all(piece);
        }
        self.memory.extend_from_slice(piece);
        if self.memory.len() > IN_MEMORY {
            let (draft, mut file) = temporary.create()?;
            file.write_all(&self.memory)?;
            self.memory = Vec::new();
            self.file = Some((draft, file));
        }
        Ok(())
    }

    /// The verified file, if these are the right bytes.
    pub(super) fn finish(
        mut self,
        expected: &Expected,
        lastmod: Option<Moment>,
        temporary: &mut StagingArea,
    ) -> io::Result<Result<Finished, Failure>> {
        let measured = self.measured();
        if let Some(reason) = expected.mismatch(&measured) {
            self.discard();
            return Ok(Err(Failure::moved_on(reason)));
        }
        self.store(measured, lastmod, temporary).map(Ok)
    }

    /// The same for bytes that came with `Content-Encoding: gzip`. If the Source speaks of the bytes
    /// as they came, as it may of a `.tar.gz` on a server that says too much of it, they stay so.
    pub(super) fn finish_gzip(
        mut self,
        expected: &Expected,
        lastmod: Option<Moment>,
        limit: u64,
        temporary: &mut StagingArea,
    ) -> io::Result<Result<Finished, Failure>> {
        let measured = self.measured();
        let says_something = expected.length.is_some() || expected.is_certain();
        if says_something && expected.mismatch(&measured).is_none() {
            return self.store(measured, lastmod, temporary).map(Ok);
        }
        let mut inflated = Self::new(expected, None);
        let result = inflated.inflate(&mut self, measured.length, limit, temporary);
        self.discard();
        match result {
            Ok(()) => inflated.finish(expected, lastmod, temporary),
            Err(error) => {
                inflated.discard();
                let reason = format!("it came compressed and cannot be inflated: {error}");
                Ok(Err(Failure::new(reason)))
            }
        }
    }

    fn measured(&mut self) -> Measured {
        let nothing = Measure::for_expected(&Expected::default());
        std::mem::replace(&mut self.measure, nothing).finish()
    }

    fn store(
        self,
        measured: Measured,
        lastmod: Option<Moment>,
        temporary: &mut StagingArea,
    ) -> io::Result<Finished> {
        let (draft, file) = match self.file {
            Some(file) => file,
            None => {
                let (draft, mut file) = temporary.create()?;
                file.write_all(&self.memory)?;
                (draft, file)
            }
        };
        let draft = match self.note {
            Some(note) => {
                // Nobody else is to find it where it was kept.
                let taken = temporary.take_in(&draft)?;
                note.discard();
                taken
            }
            None => draft,
        };
        let stamp = StagingArea::finish(&file, lastmod)?;
        Ok(Finished { file: draft, measured, stamp })
    }

    fn inflate(
        &mut self,
        from: &mut Self,
        compressed: u64,
        limit: u64,
        temporary: &mut StagingArea,
    ) -> io::Result<()> {
        let most = limit.min((compressed * INFLATION).max(1 << 20));
        let source: Box<dyn Read + '_> = match &mut from.file {
            Some((_, file)) => {
                file.rewind()?;
                Box::new(io::BufReader::new(file))
            }
            None => Box::new(from.memory.as_slice()),
        };
        let mut decoder = MultiGzDecoder::new(source);
        let mut buffer = vec![0; 64 << 10];
        loop {
            let count = decoder.read(&mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            if self.length() + count as u64 > most {
                return Err(io::Error::other(format!("it becomes more than {most} bytes")));
            }
            self.push(&buffer[..count], temporary)?;
        }
    }

    /// Gives up.
    pub(super) fn discard(self) {
        if let Some((draft, _)) = self.file {
            draft.discard();
        }
        if let Some(note) = self.note {
            note.discard();
        }
    }
}
