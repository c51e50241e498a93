//! One publication: all of it, or the one before.

mod change_log;
mod desk;
mod dump;
mod fixed;
mod indexed;
mod known;
mod leaves;
mod pages;
mod patches;
mod run;
mod staged;
mod sweep;
mod take;
mod tally;

use std::fs::{self, File, TryLockError};

use crate::changes::Join;
use crate::layout::{self, Layout};
use crate::{Inventory, Options, Outcome, Progress, PublishError};
use desk::Desk;
pub use fixed::documents_in;
pub(crate) use fixed::is_ours;
use known::Known;
use run::Run;
use staged::Staged;
pub(crate) use staged::is_same;

/// Publishes an inventory: finds out what has changed since the last publication, and writes the
/// documents that say so. A crash or an error anywhere leaves a whole publication: the last one, or
/// the last one with the changes since.
pub fn publish(options: &Options, progress: &mut dyn Progress) -> Result<Outcome, PublishError> {
    match attempt(options, progress) {
        // Nothing was written yet, and nothing depends on it.
        Err(PublishError::Cache { path }) => {
            let _ = fs::remove_file(path);
            attempt(options, progress)
        }
        result => result,
    }
}

fn attempt(options: &Options, progress: &mut dyn Progress) -> Result<Outcome, PublishError> {
    let layout = Layout::new(&options.out, &options.base)?;
    check(options)?;
    let _lock = if options.dry_run { None } else { Some(lock(&layout)?) };
    if !options.dry_run {
        sweep::unfinished(&layout, options);
    }
    let known = Known::open(options, &layout)?;
    let (mut run, published) = Run::begin(options, &layout, known, progress)?;
    let mut join = Join::new(published);
    take::each(options, &layout, &mut run, &mut join)?;
    join.take(None, &mut |step| run.step(step))?;
    options.sets.iter().try_for_each(crate::Set::check)?;

    let desk = Desk::new(&layout, options.dry_run);
    let mut outcome = run.commit(&desk)?;
    let root = match &options.inventory {
        Inventory::Folder(root) => Some(root),
        _ => options.files.as_ref(),
    };
    if let Some(root) = root.filter(|_| !options.dry_run) {
        for set in run::active(options, &layout) {
            outcome.written.extend(dump::renew(&set, root, options, progress)?);
        }
    }
    let mut staged = Staged::new(desk);
    outcome.abandoned = fixed::stage(options, &layout, &outcome.withdrawn, &mut staged)?;
    for name in staged.commit()? {
        // A Capability List from which a dump was withdrawn may be written twice.
        if !outcome.written.contains(&name) {
            outcome.written.push(name);
        }
    }
    if !options.dry_run {
        if options.full {
            dump::forget(options, &layout);
        }
        // Where a list cannot be read, nothing is removed.
        let _ = sweep::superseded(&layout, options);
    }
    Ok(outcome)
}

/// Sees before anything is made that what is asked for can be done.
fn check(options: &Options) -> Result<(), PublishError> {
    // A folder that is not there must not become an empty Source.
    if let Inventory::Folder(root) = &options.inventory {
        fs::read_dir(root).map_err(PublishError::io("could not list", root))?;
    }
    let named =
        |name: &str| options.sets.iter().filter(|set| set.name.as_deref() == Some(name)).count();
    for set in &options.sets {
        let right = match &set.name {
            Some(name) => crate::Set::is_name(name) && named(name) == 1,
            None => options.sets.len() == 1,
        };
        if !right {
            let name = set.name.clone().unwrap_or_default();
            return Err(PublishError::SetName { name });
        }
    }
    match &options.only {
        Some(only) if named(only) == 0 => Err(PublishError::NoSuchSet {
            name: only.clone(),
            names: options.sets.iter().filter_map(|set| set.name.clone()).collect(),
        }),
        _ => Ok(()),
    }
}

/// The lock that keeps two runs apart. It goes with the process, however that ends.
pub(crate) fn lock(layout: &Layout) -> Result<File, PublishError> {
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
