//! Where trees are made: in memory when there is room, so that no disk is measured.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::command::output;
use crate::workspace;

/// Left to everyone else, in bytes.
const SPARE: u64 = 2 << 30;

/// What the kernel keeps for a file beside its content.
const PER_FILE: u64 = 1 << 10;

/// Where a tmpfs is.
const MEMORY: &str = "/dev/shm";

/// A folder that goes away with all that is in it.
pub(crate) struct Place {
    folder: TempDir,
    /// For the report.
    pub(crate) shown: &'static str,
}

impl Place {
    /// With room for so many files and bytes; the documents made of them are to be counted, too.
    pub(crate) fn for_about(files: u64, bytes: u64) -> Result<Self> {
        if Self::fits_memory(files, bytes) {
            let folder = TempDir::with_prefix_in("tidings-bench-", MEMORY)?;
            return Ok(Self { folder, shown: "on a tmpfs" });
        }
        let place = Self::on(TempDir::with_prefix("tidings-bench-")?, files, bytes)
            .context("there is none in /dev/shm, either; TMPDIR may name a larger place")?;
        Ok(Self { shown: "on a disk, as there is no room on a tmpfs", ..place })
    }

    /// The same where the programs are built: on a disk, as a rule.
    pub(crate) fn on_disk(files: u64, bytes: u64) -> Result<Self> {
        let target = workspace::target();
        fs::create_dir_all(&target)?;
        Self::on(TempDir::with_prefix_in("tidings-bench-", target)?, files, bytes)
    }

    /// Whether there is so much room in memory.
    pub(crate) fn fits_memory(files: u64, bytes: u64) -> bool {
        let room = room(Path::new(MEMORY), files);
        room.is_some_and(|room| room.min(free_memory()) > needed(files, bytes) + SPARE)
    }

    fn on(folder: TempDir, files: u64, bytes: u64) -> Result<Self> {
        let needed = needed(files, bytes);
        ensure!(
            room(folder.path(), files).is_some_and(|room| room > needed),
            "no room for {files} files, {} MiB, in {}: make room there",
            needed >> 20,
            folder.path().display()
        );
        Ok(Self { folder, shown: "on a disk" })
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn needed(files: u64, bytes: u64) -> u64 {
    bytes + files * PER_FILE
}

/// The bytes that are free there; none when there cannot be so many more files.
fn room(folder: &Path, files: u64) -> Option<u64> {
    let mut df = Command::new("df");
    let said = output(df.args(["--block-size=1", "--output=avail,iavail"]).arg(folder)).ok()?;
    let mut figures = said.lines().last()?.split_whitespace();
    let (bytes, left) = (figures.next()?.parse().ok()?, figures.next()?);
    // Some file systems do not count files: they say 0 or a dash.
    let enough = left.parse().map_or(true, |left: u64| left == 0 || left > files + 10_000);
    enough.then_some(bytes)
}

/// A tmpfs may be said to be larger than what is left of the memory it lies in.
fn free_memory() -> u64 {
    let info = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or_default() << 10
}

/// Removes a file, or a folder with all that is in it, if it is there.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} could not be removed", path.display()))
        }
        _ => Ok(()),
    }
}
