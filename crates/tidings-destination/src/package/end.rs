//! The record at the end of a ZIP file, which says where its directory is.

use rawzip::{FileReader, ReaderAt, ZipArchive};

use super::PackageError;
use super::number::{number16, number32, number64};

/// The length of the record (APPNOTE 4.3.16), and of the one before it in a ZIP64 file (4.3.15).
const RECORD: usize = 22;
const LOCATOR: usize = 20;

/// The part of a ZIP64 record that is always there (APPNOTE 4.3.14).
const RECORD64: usize = 56;

/// How a ZIP64 locator and record begin.
const LOCATOR_SIGNATURE: &[u8] = b"PK\x06\x07";
const RECORD64_SIGNATURE: &[u8] = b"PK\x06\x06";

/// Refuses a file whose end speaks of other files, or of a directory that is elsewhere than where it
/// was found: readers differ in which of the two they believe.
pub(super) fn check(archive: &ZipArchive<FileReader>, length: u64) -> Result<(), PackageError> {
    let directory = |reason: &str| PackageError::Directory { reason: reason.to_owned() };
    let file = archive.get_ref();
    let place = archive.eocd_offset();
    let mut bytes = [0; RECORD + LOCATOR];
    // The room of a locator is there in every file that has a member.
    let start = place.checked_sub(LOCATOR as u64).ok_or(PackageError::NoManifest)?;
    file.read_exact_at(&mut bytes, start).map_err(|source| PackageError::Read { source })?;
    let (locator, record) = bytes.split_at(LOCATOR);
    let is_zip64 = locator.starts_with(LOCATOR_SIGNATURE);

    let (disk, directory_disk) = (number16(record, 4), number16(record, 6));
    let (here, total) = (number16(record, 8), number16(record, 10));
    let is_first = |disk: u16| disk == 0 || is_zip64 && disk == u16::MAX;
    if !is_first(disk) || !is_first(directory_disk) || here != total {
        return Err(PackageError::Parts);
    }
    if is_zip64 {
        check_zip64(archive, locator)?;
    }
    let said = number32(record, 16);
    if u64::from(said) != archive.directory_offset() && !(is_zip64 && said == u32::MAX) {
        return Err(directory("it is not where the end of the file says"));
    }
    if archive.end_offset() != length {
        return Err(directory("something follows the end of the file"));
    }
    Ok(())
}

/// The same for the record of ZIP64: a reader that does not believe it falls back to the other one.
fn check_zip64(archive: &ZipArchive<FileReader>, locator: &[u8]) -> Result<(), PackageError> {
    if number32(locator, 4) != 0 || number32(locator, 16) > 1 {
        return Err(PackageError::Parts);
    }
    let mut record = [0; RECORD64];
    let is_there = archive.get_ref().read_exact_at(&mut record, number64(locator, 8)).is_ok();
    if !is_there || !record.starts_with(RECORD64_SIGNATURE) {
        let reason = "there is no ZIP64 record where the end of the file says".to_owned();
        return Err(PackageError::Directory { reason });
    }
    if number32(&record, 16) != 0 || number32(&record, 20) != 0 {
        return Err(PackageError::Parts);
    }
    let entries = [number64(&record, 24), number64(&record, 32)];
    let place = number64(&record, 48);
    if entries != [archive.entries_hint(); 2] || place != archive.directory_offset() {
        let reason = "its ZIP64 record says other things than the end of the file".to_owned();
        return Err(PackageError::Directory { reason });
    }
    Ok(())
}
