//! The directory at the end of a package.

use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};

use rawzip::{
    CompressionMethod, ErrorKind, FileReader, RECOMMENDED_BUFFER_SIZE, ZipArchive,
    ZipFileHeaderRecord,
};

use super::{Fault, PackageError, PackageLimits, end, header, name};

/// The longest name that is kept: no path is longer.
const LONGEST_NAME: usize = 4096;

/// The types of files in Unix modes.
const TYPE: u32 = 0o170_000;
const FILE: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

/// The members of a package, by their names.
#[derive(Debug)]
pub(super) struct Directory {
    entries: Vec<Entry>,
    /// All names, one after the other.
    names: Vec<u8>,
}

/// What the directory says of a member.
#[derive(Debug)]
pub(super) struct Entry {
    /// Where its header begins.
    pub(super) start: u64,
    /// Where the next one begins: no byte of the member lies there or further.
    pub(super) end: u64,
    /// How many bytes it has in the package.
    pub(super) stored: u64,
    /// How many bytes it has.
    pub(super) length: u64,
    pub(super) sum: u32,
    name: u32,
    name_length: u16,
    /// The general purpose flags (APPNOTE 4.4.4).
    pub(super) flags: u16,
    pub(super) method: u16,
}

impl Entry {
    pub(super) fn is_deflated(&self) -> bool {
        self.method == CompressionMethod::DEFLATE.as_u16()
    }
}

impl Directory {
    /// Reads it all, and refuses what is not sound; gives the file back, too.
    pub(super) fn read(
        file: File,
        limits: &PackageLimits,
    ) -> Result<(FileReader, Self), PackageError> {
        let length = file.metadata().map_err(|source| PackageError::Read { source })?.len();
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let archive = ZipArchive::from_file(file, &mut buffer)
            .map_err(|error| refused(error, |reason| PackageError::NotZip { reason }))?;
        end::check(&archive, length)?;
        let most = limits.entries;
        let said = archive.entries_hint();
        if said > most as u64 {
            return Err(PackageError::Entries { entries: said, most });
        }
        let damaged = |reason: String| PackageError::Directory { reason };
        let mut directory = Self { entries: Vec::new(), names: Vec::new() };
        let mut count = 0;
        let mut entries = archive.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(|error| refused(error, damaged))? {
            count += 1;
            if count > most as u64 {
                return Err(PackageError::Entries { entries: count, most });
            }
            directory.add(&entry, limits).map_err(|fault| PackageError::Member {
                name: name::shown(entry.file_path().as_bytes()),
                fault,
            })?;
        }
        if count != said {
            return Err(damaged(format!("it has {count} entries, and says that it has {said}")));
        }
        directory.check_places(archive.directory_offset())?;
        directory.check_total(limits)?;
        let names = &directory.names;
        directory
            .entries
            .sort_unstable_by(|one, other| name_in(names, one).cmp(name_in(names, other)));
        directory.check_names()?;
        Ok((archive.into_inner(), directory))
    }

    /// How many members there are, folders not counted.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The place of the member of this name.
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        self.entries.binary_search_by(|entry| self.name(entry).cmp(name)).ok()
    }

    pub(super) fn entry(&self, place: usize) -> Option<&Entry> {
        self.entries.get(place)
    }

    /// The members with their names, in the order of these.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Entry, &[u8])> {
        self.entries.iter().map(|entry| (entry, self.name(entry)))
    }

    pub(super) fn name(&self, entry: &Entry) -> &[u8] {
        name_in(&self.names, entry)
    }

    /// Takes an entry, unless it is that of a folder.
    fn add(
        &mut self,
        record: &ZipFileHeaderRecord<'_>,
        limits: &PackageLimits,
    ) -> Result<(), Fault> {
        let (name, flags) = (record.file_path(), record.flags());
        let (stored, length) = (record.compressed_size_hint(), record.uncompressed_size_hint());
        let is_folder = name.as_bytes().ends_with(b"/");
        // Whatever system it is said to be from: other readers may not ask.
        match record.external_attributes() >> 16 & TYPE {
            0 | FILE if !is_folder || length == 0 => {}
            FOLDER if is_folder && length == 0 => {}
            _ => return Err(Fault::NotAFile),
        }
        if is_folder {
            return Ok(());
        }
        if flags.is_encrypted() || flags.has_strong_encryption() || flags.is_masked() {
            return Err(Fault::Encrypted);
        }
        let method = record.compression_method().as_u16();
        match record.compression_method() {
            CompressionMethod::DEFLATE => {}
            CompressionMethod::STORE if stored == length => {}
            CompressionMethod::STORE => return Err(Fault::Length),
            _ => return Err(Fault::Method { method }),
        }
        limits.check_member(length, stored)?;
        if name.as_bytes().len() > LONGEST_NAME {
            return Err(Fault::Name);
        }
        self.entries.push(Entry {
            start: record.local_header_offset(),
            end: 0,
            stored,
            length,
            sum: record.crc32(),
            name: u32::try_from(self.names.len()).map_err(|_| Fault::Name)?,
            name_length: u16::try_from(name.as_bytes().len()).map_err(|_| Fault::Name)?,
            flags: flags.bits(),
            method,
        });
        self.names.extend_from_slice(name.as_bytes());
        Ok(())
    }

    /// Refuses members that lie over each other or over the directory, which begins there; and sets
    /// where each has to end. Only its header tells how long the header is: what was not seen here is
    /// seen when the member is read.
    fn check_places(&mut self, directory: u64) -> Result<(), PackageError> {
        self.entries.sort_unstable_by_key(|entry| entry.start);
        for place in 0..self.entries.len() {
            let end = self.entries.get(place + 1).map_or(directory, |next| next.start);
            let entry = &mut self.entries[place];
            entry.end = end;
            let least = (header::FIXED as u64 + u64::from(entry.name_length))
                .checked_add(entry.stored)
                .and_then(|least| entry.start.checked_add(least));
            let entry = &self.entries[place];
            let name = name::shown(self.name(entry));
            if least.is_none_or(|least| least > directory) {
                return Err(PackageError::Member { name, fault: Fault::Outside });
            }
            if let Some(next) = self.entries.get(place + 1)
                && least.is_none_or(|least| least > next.start)
            {
                return Err(PackageError::Overlap { name, other: name::shown(self.name(next)) });
            }
        }
        Ok(())
    }

    fn check_total(&self, limits: &PackageLimits) -> Result<(), PackageError> {
        let sum = |of: fn(&Entry) -> u64| self.entries.iter().map(of).fold(0, u64::saturating_add);
        let (length, stored) = (sum(|entry| entry.length), sum(|entry| entry.stored));
        limits.check_total(length, stored).map_err(|fault| PackageError::Total { fault })
    }

    /// Refuses names that are there twice, or are one on some systems. Only short digests of them are
    /// compared, with a key that nobody outside knows.
    fn check_names(&self) -> Result<(), PackageError> {
        let state = RandomState::new();
        let digest = |entry: &Entry| state.hash_one(name::key(self.name(entry)));
        let mut digests: Vec<u64> = self.entries.iter().map(digest).collect();
        digests.sort_unstable();
        let Some(twice) = digests.windows(2).find(|pair| pair[0] == pair[1]) else { return Ok(()) };
        let mut twins = self.entries.iter().filter(|entry| digest(entry) == twice[0]);
        let mut next = || twins.next().map(|e| name::shown(self.name(e))).unwrap_or_default();
        Err(PackageError::Twins { name: next(), other: next() })
    }
}

fn name_in<'n>(names: &'n [u8], entry: &Entry) -> &'n [u8] {
    &names[entry.name as usize..][..usize::from(entry.name_length)]
}

fn refused(error: rawzip::Error, why: impl Fn(String) -> PackageError) -> PackageError {
    match error.into_kind() {
        ErrorKind::IO(source) => PackageError::Read { source },
        other => why(other.to_string()),
    }
}
