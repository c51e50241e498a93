//! The names of works and sides in the data file of `bench sync`.

/// Resource by resource.
pub(crate) const LIST: &str = "Tidings, --via list";
/// The same with as many requests at once as curl.
pub(crate) const LIST_32: &str = "Tidings, --via list --jobs 32";
/// In packages.
pub(crate) const DUMP: &str = "Tidings, --via dump";
/// Nothing has changed since.
pub(crate) const AGAIN: &str = "Tidings, nothing changed";
/// The same, compared with all that there is.
pub(crate) const BASELINE: &str = "Tidings, --baseline";
pub(crate) const FULL: &str = "Tidings, first copy";
/// A hundred resources have changed.
pub(crate) const CHANGES: &str = "Tidings, 100 changes";
pub(crate) const AUDIT: &str = "Tidings, audit";
pub(crate) const DRY_RUN: &str = "Tidings, --dry-run";
pub(crate) const CURL: &str = "curl --parallel";
pub(crate) const WGET2: &str = "wget2";
pub(crate) const ARIA2C: &str = "aria2c";
pub(crate) const RCLONE: &str = "rclone copy";
pub(crate) const RSYNC: &str = "rsync daemon";
pub(crate) const CP: &str = "cp -a";
/// The same, and on the disk when it ends.
pub(crate) const CP_SYNC: &str = "cp -a, then sync -f";
pub(crate) const RESYNC: &str = "resync-sync --baseline";

/// All that speak HTTP.
pub(crate) const HTTP: &[&str] = &[CURL, WGET2, ARIA2C, RCLONE, RESYNC];

/// A first copy, into memory.
pub(crate) const COPY_TMPFS: &str = "copy-tmpfs";
/// The same onto a disk.
pub(crate) const COPY_DISK: &str = "copy-disk";
/// Over a slow network.
pub(crate) const FAR: &str = "copy-far";
pub(crate) const UNCHANGED: &str = "copy-unchanged";
/// Few changes among many resources.
pub(crate) const INCREMENT: &str = "increment";
/// More resources than can be kept in memory.
pub(crate) const MEMORY: &str = "memory";
