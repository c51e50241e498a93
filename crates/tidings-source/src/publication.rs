//! One publication: all of it, or the one before.

mod change_log;
mod desk;
mod dump;
mod fixed;
mod indexed;
mod inventory_scan;
mod leaves;
mod pages;
mod patches;
mod plan;
mod prior_state;
mod run;
mod set_to_publish;
mod staged;
mod sweep;
mod tally;

use std::fs::{self, File, TryLockError};

use crate::layout::{self, Layout};
use crate::{Options, Outcome, Progress, PublishError};
use desk::PlanPurpose;
pub use fixed::documents_in;
pub(crate) use fixed::is_ours;
pub use plan::PublicationPlan;
pub(crate) use staged::is_same;

/// Publishes an inventory: finds out what has changed since the last publication, and writes the
/// documents that say so. A crash or an error anywhere leaves a whole publication: the last one, or
/// the last one with the changes since.
pub fn publish(options: &Options, progress: &mut dyn Progress) -> Result<Outcome, PublishError> {
    let layout = check(options)?;
    let _lock = lock(&layout)?;
    sweep::unfinished(&layout, options);
    let plan = prepare(options, &layout, PlanPurpose::Execution, progress)?;
    plan.execute(options, progress)
}

/// Finds out what [`publish`] would do now, and touches nothing.
pub fn plan_publication(
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<PublicationPlan, PublishError> {
    let layout = check(options)?;
    prepare(options, &layout, PlanPurpose::Preview, progress)
}

fn prepare(
    options: &Options,
    layout: &Layout,
    purpose: PlanPurpose,
    progress: &mut dyn Progress,
) -> Result<PublicationPlan, PublishError> {
    match PublicationPlan::prepare(options, layout.clone(), purpose, progress) {
        // Nothing was written yet, and nothing depends on it.
        Err(PublishError::Cache { path }) => {
            let _ = fs::remove_file(path);
            PublicationPlan::prepare(options, layout.clone(), purpose, progress)
        }
        result => result,
    }
}

/// Sees before anything is made that what is asked for can be done.
fn check(options: &Options) -> Result<Layout, PublishError> {
    let layout = Layout::new(&options.out, &options.base)?;
    // A folder that is not there must not become an empty Source.
    if let Some(root) = options.inventory.folder() {
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
        _ => Ok(layout),
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
