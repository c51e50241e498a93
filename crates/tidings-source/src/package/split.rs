//! More than one package may hold.

use std::io::{self, Write};
use std::path::Path;

use tidings_document::{Entry, Head, TimeUse};

use super::contents::Contents;
use super::{Package, PackageCapacity, PackageError};

/// Writes as many packages as the files need, in the order in which they are given, each full before
/// the next is begun. `open` is asked for the place of package 0, 1, 2 …, when all that goes into it
/// is known.
///
/// Equal input gives equal bytes. Each file is verified against its entry while it is copied, by its
/// length and by all digests of the entry's `hash`: if one changed since it was listed, its package
/// fails. Then what was written of that package is to be thrown away, and the writer takes nothing
/// more.
///
/// ```
/// use tidings_document::{Capability, Entry, Form, Head, Moment};
/// use tidings_source::{PackageCapacity, PackageWriter};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("a.html");
/// std::fs::write(&file, "<p>Hello")?;
///
/// let at = Moment::parse("2026-11-15T10:00:00Z")?;
/// let up = "http://example.com/capabilitylist.xml";
/// let head = Head::snapshot(Capability::ResourceDumpManifest, Form::List, at, up);
/// let mut writer = PackageWriter::new(head, PackageCapacity::default(), |number| {
///     std::fs::File::create(folder.path().join(format!("{number}.zip")))
/// })?;
/// let mut entry = Entry::new("http://example.com/a.html");
/// entry.metadata.length = Some(8);
/// assert!(writer.add(&entry, &file)?.is_none());
/// let package = writer.finish()?;
/// assert_eq!(package.entries, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PackageWriter<'h, O> {
    head: Head<'h>,
    capacity: PackageCapacity,
    open: O,
    number: usize,
    /// True if no bitstream is read, nor any package written.
    is_plan: bool,
    /// None after a failure.
    contents: Option<Contents>,
}

impl<'h, W: Write, O: FnMut(usize) -> io::Result<W>> PackageWriter<'h, O> {
    /// Checks the head, which is that of a Resource Dump Manifest or a Change Dump Manifest.
    pub fn new(head: Head<'h>, capacity: PackageCapacity, open: O) -> Result<Self, PackageError> {
        let contents = Some(Contents::new(&head, capacity)?);
        Ok(Self { head, capacity, open, number: 0, is_plan: false, contents })
    }

    /// The same, but the packages have only their manifests: how the files are shared out is known without
    /// reading them. The places that `open` gives stay empty.
    pub(crate) fn planned(self, is_plan: bool) -> Self {
        Self { is_plan, ..self }
    }

    /// Takes what the manifest is to say of a file, and the file; the path in the package is given
    /// here. The file is not opened before its package is written.
    ///
    /// Returns a package if one was full and had to be written first. Where the head is of an
    /// interval, that is an error, [`PackageError::Full`]: two packages of one interval would each
    /// claim all of its changes. Then [`PackageWriter::begin`] goes on.
    pub fn add(
        &mut self,
        entry: &Entry<'_>,
        file: &Path,
    ) -> Result<Option<Package<W>>, PackageError> {
        let mut entry = entry.clone();
        self.take(|contents| contents.add(&mut entry, file))
    }

    /// Takes an entry that has no bitstream: a deletion, of a Change Dump Manifest. Else as
    /// [`PackageWriter::add`].
    pub fn mention(&mut self, entry: &Entry<'_>) -> Result<Option<Package<W>>, PackageError> {
        self.take(|contents| contents.mention(entry))
    }

    /// Writes the package that is under way and begins another, under that head.
    pub fn begin(&mut self, head: Head<'h>) -> Result<Package<W>, PackageError> {
        let contents = Contents::new(&head, self.capacity)?;
        let package = self.close()?;
        self.head = head;
        self.contents = Some(contents);
        Ok(package)
    }

    /// Writes the last package. There always is one, if an empty one.
    pub fn finish(mut self) -> Result<Package<W>, PackageError> {
        self.close()
    }

    fn take(
        &mut self,
        mut add: impl FnMut(&mut Contents) -> Result<(), PackageError>,
    ) -> Result<Option<Package<W>>, PackageError> {
        let contents = self.contents.as_mut().ok_or(PackageError::Failed)?;
        match add(contents) {
            Err(PackageError::Full) if !self.is_of_interval() => {}
            result => return result.map(|()| None),
        }
        let mut contents = Contents::new(&self.head, self.capacity)?;
        add(&mut contents)?;
        let package = self.close()?;
        self.contents = Some(contents);
        Ok(Some(package))
    }

    fn is_of_interval(&self) -> bool {
        self.head.capability().is_some_and(|capability| capability.times() == TimeUse::Interval)
    }

    fn close(&mut self) -> Result<Package<W>, PackageError> {
        let contents = self.contents.take().ok_or(PackageError::Failed)?;
        let number = self.number;
        let out = (self.open)(number).map_err(|source| PackageError::Write { number, source })?;
        let package = match self.is_plan {
            true => contents.plan(number, out)?,
            false => contents.write(number, out)?,
        };
        self.number += 1;
        Ok(package)
    }
}
