//! State in a folder of this machine.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::task::spawn_blocking;

use super::lite::{Lite, PATIENCE};
use super::readers::Readers;
use super::schema::{self, Tables};
use super::writer::Writer;
use super::{Now, Operation, params};
use crate::error::Result;
use crate::{Identity, StoreError};

/// The file in the folder.
pub(super) const FILE: &str = "tidings.db";

/// How a SQLite file begins.
const HEADER: &[u8] = b"SQLite format 3\0";

/// Files up to that size are checked when they are opened: it is done before anybody notices.
const CHECKED: u64 = 32 << 20;

/// How each connection that writes is set up. `FULL`: what was answered survives a loss of power.
const SETUP: &str = "PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA journal_size_limit = 67108864;";

/// A SQLite file: one who writes, and some who read.
#[derive(Debug)]
pub(crate) struct Sqlite {
    writer: Writer,
    readers: Readers,
}

impl Sqlite {
    pub(super) async fn open(
        folder: PathBuf,
        create: bool,
        authority: Option<String>,
    ) -> Result<(Self, Identity)> {
        let place: Arc<str> = folder.display().to_string().into();
        let stopped = StoreError::Stopped { place: place.to_string() };
        let path = folder.join(FILE);
        let work = {
            let (path, place) = (path.clone(), Arc::clone(&place));
            move || open(&folder, &path, &place, create, authority)
        };
        let (lite, identity) = spawn_blocking(work).await.map_err(|_| stopped)??;
        let writer = Writer::start(lite)?;
        Ok((Self { writer, readers: Readers::new(path, place) }, identity))
    }

    pub(super) async fn read<O: Operation>(&self, operation: O) -> Result<O::Output> {
        self.readers.run(operation).await
    }

    pub(super) async fn write<O: Operation>(&self, operation: O) -> Result<O::Output> {
        self.writer.run(operation).await
    }
}

pub(super) fn open(
    folder: &Path,
    path: &Path,
    place: &Arc<str>,
    create: bool,
    authority: Option<String>,
) -> Result<(Lite, Identity)> {
    let inaccessible = |source: io::Error| match source.kind() {
        io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly { place: place.to_string() },
        io::ErrorKind::NotFound if !create => StoreError::Missing { place: place.to_string() },
        _ => StoreError::Inaccessible { place: place.to_string(), source: Arc::new(source) },
    };
    if create {
        make(folder, path).map_err(inaccessible)?;
    }
    let length = fs::metadata(path).map_err(inaccessible)?.len();
    if length > 0 && !has_header(path).map_err(inaccessible)? {
        let detail = "its file is no database".to_owned();
        return Err(StoreError::Damaged { place: place.to_string(), detail });
    }
    let mut lite = Lite::open(path, place)?;
    if lite.is_readonly() {
        return Err(StoreError::ReadOnly { place: place.to_string() });
    }
    lite.script(SETUP)?;
    if length < CHECKED {
        check(&mut lite)?;
    }
    let version = version(&mut lite)?;
    if version.is_none() && !create {
        return Err(StoreError::Missing { place: place.to_string() });
    }
    // Readers go on while somebody writes.
    let is_busy = |error: &StoreError| matches!(error, StoreError::Busy { .. });
    tidings_base::retry_while_busy(PATIENCE, is_busy, || lite.script("PRAGMA journal_mode = WAL"))?;
    if version != Some(schema::VERSION) {
        migrate(&mut lite, authority)?;
    }
    let identity = lite.run(&schema::ReadIdentity)?;
    Ok((lite, identity))
}

/// Makes what is not there. What is followed is nobody else's business.
pub(super) fn make(folder: &Path, path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        builder.mode(0o700);
        options.mode(0o600);
    }
    builder.recursive(true).create(folder)?;
    if !path.exists() {
        options.write(true).create(true).truncate(false).open(path)?;
    }
    Ok(())
}

/// Whether the file begins as a SQLite file does. SQLite itself takes a very short file for an empty
/// one, and would write over it.
fn has_header(path: &Path) -> io::Result<bool> {
    let mut header = Vec::new();
    fs::File::open(path)?.take(HEADER.len() as u64).read_to_end(&mut header)?;
    Ok(header == HEADER)
}

/// Looks for damage: better now than in the middle of a poll.
pub(super) fn check(lite: &mut Lite) -> Result<()> {
    let mut rows = lite.query("PRAGMA quick_check(1)", &[])?;
    let said = rows.first_mut().map_or_else(|| Ok(String::new()), |row| row.text())?;
    if said == "ok" {
        return Ok(());
    }
    Err(StoreError::Damaged { place: lite.place.to_string(), detail: said })
}

/// The version of the tables; none if the file is empty.
fn version(lite: &mut Lite) -> Result<Option<i64>> {
    const TABLES: &str = "SELECT count(*), count(CASE WHEN name = 'meta' THEN 1 END)
        FROM sqlite_master WHERE type = 'table'";
    let mut tables = lite.query(TABLES, &[])?;
    let (all, ours) = match tables.first_mut() {
        Some(row) => (row.int()?, row.int()?),
        None => (0, 0),
    };
    if ours == 0 && all > 0 {
        let detail = "it has the tables of another program".to_owned();
        return Err(StoreError::Damaged { place: lite.place.to_string(), detail });
    }
    if ours == 0 { Ok(None) } else { lite.run(&schema::ReadVersion).map(Some) }
}

/// Brings the tables up to date. Others may be about to do the same.
fn migrate(lite: &mut Lite, authority: Option<String>) -> Result<()> {
    lite.script("BEGIN IMMEDIATE")?;
    let done = steps(lite, authority).and_then(|()| lite.script("COMMIT"));
    if done.is_err() && !lite.is_idle() {
        drop(lite.script("ROLLBACK"));
    }
    done
}

fn steps(lite: &mut Lite, authority: Option<String>) -> Result<()> {
    let found = version(lite)?;
    for script in schema::scripts(found, Tables::Sqlite, &lite.place)? {
        lite.script(&script)?;
    }
    if found.is_none() {
        let identity = Identity::new(authority, lite.run(&Now)?, &lite.place)?;
        lite.execute(schema::SET, &params!["authority", &identity.authority])?;
        lite.execute(schema::SET, &params!["date", &identity.date])?;
    }
    lite.execute(schema::SET, &params!["schema", &schema::VERSION.to_string()]).map(drop)
}
