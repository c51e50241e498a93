//! The names of works and sides in the data file of `bench publish`.

/// Every file read, none remembered.
pub(crate) const NO_CACHE: &str = "Tidings, --no-cache";
/// Every file read, and remembered.
pub(crate) const EMPTY_CACHE: &str = "Tidings, empty cache";
/// Walk, read and SHA-256, on all cores.
pub(crate) const HASH: &str = "bare walk, read, SHA-256";
/// Walk and stat, on all cores.
pub(crate) const STAT: &str = "bare walk and stat, all cores";
/// The same on one.
pub(crate) const STAT_ONE: &str = "bare walk and stat, one thread";
pub(crate) const FIND: &str = "find -printf %s";
pub(crate) const RESYNC: &str = "resync-build";
pub(crate) const OPENSSL: &str = "openssl dgst";
/// Nothing has changed since.
pub(crate) const AGAIN: &str = "Tidings, nothing changed";
/// The first publication, before that.
pub(crate) const FIRST: &str = "Tidings, first publication";
/// Ten files have changed.
pub(crate) const TEN: &str = "Tidings, ten changes";
/// Only the dump is missing.
pub(crate) const DUMP: &str = "Tidings, --dump";
pub(crate) const ZIP_0: &str = "zip -0";
pub(crate) const ZIP_1: &str = "zip -1";
pub(crate) const ZIPFILE: &str = "Python zipfile, stored";

/// A tree of small files.
pub(crate) const SMALL_FILES: &str = "small-files";
/// A tree of large ones.
pub(crate) const LARGE_FILES: &str = "large-files";
/// One very large one.
pub(crate) const LARGEST_FILE: &str = "largest-file";
/// Files that stay as they are, in many folders.
pub(crate) const MANY_FOLDERS: &str = "unchanged";
/// The same in one folder.
pub(crate) const ONE_FOLDER: &str = "unchanged-one-folder";
/// Packages of what cannot be compressed.
pub(crate) const DUMP_OF_NOISE: &str = "dump-noise";
/// Packages of text.
pub(crate) const DUMP_OF_TEXT: &str = "dump-text";
/// From JSON lines.
pub(crate) const RECORDS: &str = "records";
