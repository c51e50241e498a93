//! The cache, written anew behind the first record that changed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tidings_base::{Access, Replacement};

use super::{CachePosition, Generation, HEAD, MAGIC, Stamp, Totals, record};
use crate::Resource;

/// Writes what is to be remembered. It is given every resource in the order of the URIs; as long as
/// each is as it was remembered, nothing is written.
pub(crate) struct CacheWriter {
    path: PathBuf,
    /// How much of the old cache is right, and the last URI in that.
    kept: u64,
    last: String,
    new: Option<BufWriter<Replacement>>,
    /// Of the record that is written.
    body: Vec<u8>,
}

impl CacheWriter {
    /// A cache to be written to that path. With `known`, what is there is of the documents that are
    /// published; else it is not to be kept.
    pub(crate) fn new(path: PathBuf, known: bool) -> io::Result<Self> {
        let mut writer = Self { path, kept: 0, last: String::new(), new: None, body: Vec::new() };
        if !known {
            writer.touch()?;
        }
        Ok(writer)
    }

    /// Remembers what is remembered already, up to that place; false if it has to be written again.
    pub(crate) fn keep(&mut self, uri: &str, end: u64) -> bool {
        if self.new.is_some() {
            return false;
        }
        self.kept = end;
        self.last.clear();
        self.last.push_str(uri);
        true
    }

    /// Remembers a resource. `before` is what is remembered of it already, if that is all still so.
    pub(crate) fn add(
        &mut self,
        set: usize,
        resource: &Resource,
        stamp: Option<&Stamp>,
        before: Option<CachePosition>,
    ) -> io::Result<()> {
        match (before, &self.new) {
            (Some(before), None) => self.kept = before.end,
            _ => {
                self.touch()?;
                if let Some(new) = &mut self.new {
                    record::write(new, &mut self.body, &self.last, set, resource, stamp)?;
                }
            }
        }
        self.last.clone_from(&resource.uri);
        Ok(())
    }

    /// From here on it is another one.
    pub(crate) fn touch(&mut self) -> io::Result<()> {
        if self.new.is_some() {
            return Ok(());
        }
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let new = Replacement::new(&self.path, Access::Owner)?;
        let mut new = BufWriter::with_capacity(256 << 10, new);
        if self.kept > 0 {
            io::copy(&mut File::open(&self.path)?.take(self.kept), &mut new)?;
        } else {
            new.write_all(MAGIC)?;
            // Written when they are known.
            new.write_all(&[0; HEAD - MAGIC.len()])?;
        }
        self.new = Some(new);
        Ok(())
    }

    /// Puts the cache into its place, if it is another one, as that of a generation.
    pub(crate) fn finish(mut self, generation: &Generation, totals: Totals) -> io::Result<()> {
        let Some(mut new) = self.new.take() else { return Ok(()) };
        new.write_all(&[0])?;
        let mut file = new.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(MAGIC.len() as u64))?;
        file.write_all(generation)?;
        file.write_all(&totals.files.to_le_bytes())?;
        file.write_all(&totals.bytes.to_le_bytes())?;
        // Else a machine that stops may leave a file of zeros under a good name.
        file.commit()
    }
}
