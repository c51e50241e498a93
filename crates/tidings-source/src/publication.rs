//! One publication: all of it, or the one before.

mod change_log;
mod dump;
mod fixed;
mod lists;
mod place;
mod snapshot;
mod sweep;

use std::fs::{self, File, TryLockError};
use std::path::PathBuf;

use tidings_document::{Algorithm, Change};

use crate::changes::{Join, Step};
use crate::clock::moment_after;
use crate::inventory::{Folder, Format, Passed, Records};
use crate::layout::{self, Layout};
use crate::previous::Previous;
use crate::{PublishError, Resource};
use change_log::ChangeLog;
use place::{Desk, Staged};
use snapshot::Snapshot;

/// Where it is said what is there.
#[derive(Debug, Clone)]
pub enum Inventory {
    /// The files of a folder.
    Folder(PathBuf),
    /// Records in a file; none for standard input.
    Records(Option<PathBuf>, Format),
}

/// How to publish.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is published.
    pub inventory: Inventory,
    /// Where the documents go: below this folder, as below the base. Usually the folder whose files are
    /// published.
    pub out: PathBuf,
    /// The URL under which the folder is served.
    pub base: String,
    /// The digests of each file.
    pub algorithms: Vec<Algorithm>,
    /// How many entries one document may hold, 50,000 at the most.
    pub max_entries: u64,
    /// Forget the last publication, and start the history anew.
    pub full: bool,
    /// Put all resources into packages, too: a Resource Dump. Only for folders.
    pub dump: bool,
    /// Find out what would change, and touch nothing.
    pub dry_run: bool,
}

/// What a publication came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// How many resources there are now.
    pub resources: u64,
    /// How many are new.
    pub created: u64,
    /// How many are other than before.
    pub updated: u64,
    /// How many are gone.
    pub deleted: u64,
    /// True if there was no publication before, or it was to be forgotten.
    pub first: bool,
    /// The documents that were written, by their names below the base.
    pub written: Vec<String>,
    /// The files that were passed over, and why.
    pub passed: Vec<Passed>,
}

/// Is told how far a publication is.
pub trait Progress {
    /// So many files were looked at, of so many bytes.
    fn looked_at(&mut self, files: u64, bytes: u64);
    /// One resource came, changed or went.
    fn changed(&mut self, change: Change, uri: &str);
}

/// How many files that were passed over are kept; a folder of nothing else must not fill the memory.
const MOST_PASSED: usize = 10_000;

/// Publishes an inventory: finds out what has changed since the last publication, and writes the
/// documents that say so. A crash or an error anywhere leaves a whole publication: the last one, or
/// the last one with the changes since.
pub fn publish(options: &Options, progress: &mut dyn Progress) -> Result<Outcome, PublishError> {
    let layout = Layout::new(&options.out, &options.base)?;
    // Before anything is made: a folder that is not there must not become an empty Source.
    if let Inventory::Folder(root) = &options.inventory {
        fs::read_dir(root).map_err(PublishError::io("could not list", root))?;
    }
    let _lock = if options.dry_run { None } else { Some(lock(&layout)?) };
    if !options.dry_run {
        sweep::unfinished(&layout);
    }
    let previous = if options.full { None } else { Previous::open(&layout)? };
    // A run that was cut off may have left a list that is behind its changes.
    let behind = previous.as_ref().is_some_and(Previous::is_behind);
    let mut outcome = Outcome { first: previous.is_none(), ..Outcome::default() };
    let now = moment_after(previous.as_ref().map(|previous| previous.latest));
    let desk = Desk::new(&layout, options.dry_run);
    let mut staged = Staged::new(desk.clone());
    let mut snapshot = Snapshot::begin(&desk, now, options.max_entries)?;
    let logs = previous.as_ref().map(|previous| previous.logs.clone()).unwrap_or_default();
    let mut log = ChangeLog::begin(&desk, logs, now, options.max_entries)?;

    let first = outcome.first;
    let published: Box<dyn Iterator<Item = Result<Resource, PublishError>>> = match previous {
        Some(previous) => Box::new(previous.resources()),
        None => Box::new(std::iter::empty()),
    };
    let mut join = Join::new(published);
    let mut passed = Vec::new();
    let (mut files, mut bytes) = (0, 0);
    let mut step = |step: Step| -> Result<(), PublishError> {
        let (change, resource) = match step {
            Step::Kept(resource) => {
                outcome.resources += 1;
                return snapshot.add(&resource);
            }
            Step::Changed(change, resource) => {
                outcome.resources += 1;
                snapshot.add(&resource)?;
                (change, resource)
            }
            Step::Gone(resource) => (Change::Deleted, resource),
        };
        match change {
            Change::Created => outcome.created += 1,
            Change::Updated => outcome.updated += 1,
            Change::Deleted => outcome.deleted += 1,
        }
        progress.changed(change, &resource.uri);
        // A first publication is a beginning, not a change.
        if first { Ok(()) } else { log.add(change, &resource) }
    };
    let each = |found: Result<Resource, String>| match found {
        Ok(resource) => {
            files += 1;
            bytes += resource.length.unwrap_or(0);
            join.take(Some(resource), &mut step)
        }
        Err(uri) => join.keep(&uri, &mut step),
    };
    let pass = |one| {
        if passed.len() < MOST_PASSED {
            passed.push(one);
        }
    };
    take(options, &layout, each, pass)?;
    join.take(None, &mut step)?;
    progress.looked_at(files, bytes);
    outcome.passed = passed;

    if outcome.resources == 0 && outcome.deleted > 0 {
        return Err(PublishError::Emptied { published: outcome.deleted });
    }
    let changed = first || outcome.created + outcome.updated + outcome.deleted > 0;
    let at = log.now();
    if changed {
        log.stage(&mut staged)?;
    }
    if changed || behind {
        snapshot.stage(&mut staged, at)?;
    }
    outcome.written = staged.commit()?;
    let undumped = !layout.path(layout::RESOURCE_DUMP).exists();
    if let Inventory::Folder(root) = &options.inventory
        && options.dump
        && (changed || behind || undumped)
        && !options.dry_run
    {
        let mut staged = Staged::new(desk.clone());
        dump::stage(&desk, root, &mut staged)?;
        outcome.written.extend(staged.commit()?);
    }
    let mut staged = Staged::new(desk);
    fixed::stage(&layout, &mut staged)?;
    outcome.written.extend(staged.commit()?);
    if !options.dry_run {
        sweep::superseded(&layout)?;
    }
    Ok(outcome)
}

/// Takes the inventory, in the order of the URIs.
fn take(
    options: &Options,
    layout: &Layout,
    mut each: impl FnMut(Result<Resource, String>) -> Result<(), PublishError>,
    pass: impl FnMut(Passed),
) -> Result<(), PublishError> {
    let (path, format) = match &options.inventory {
        Inventory::Folder(root) => {
            let folder = Folder {
                root: root.clone(),
                base: layout.base().to_owned(),
                algorithms: options.algorithms.clone(),
                leave_out: fixed::own_files(layout),
            };
            return folder.each(each, pass);
        }
        Inventory::Records(path, format) => (path, *format),
    };
    let scratch = std::env::temp_dir();
    let each = |resource| each(Ok(resource));
    match path {
        None => Records::new(std::io::stdin(), format, &scratch, SORTED_IN_MEMORY).each(each, pass),
        Some(path) => {
            let file = File::open(path).map_err(PublishError::io("could not read", path))?;
            Records::new(file, format, &scratch, SORTED_IN_MEMORY).each(each, pass)
        }
    }
}

/// How many bytes of records are sorted in memory before they go to a file.
const SORTED_IN_MEMORY: usize = 32 << 20;

/// The lock that keeps two runs apart. It goes with the process, however that ends.
fn lock(layout: &Layout) -> Result<File, PublishError> {
    let path = layout.path(layout::LOCK);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .map_err(PublishError::io("could not make the folder", folder))?;
    }
    // Opened, not truncated: a run that changes nothing leaves its time alone, too.
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(PublishError::io("could not write", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(PublishError::Busy { path }),
        Err(TryLockError::Error(error)) => Err(PublishError::io("could not lock", &path)(error)),
    }
}
