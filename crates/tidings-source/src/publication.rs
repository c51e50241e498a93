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

use std::fs;

use tidings_bytes::{ByteStore, StagingArea};

use crate::layout::Layout;
use crate::{Options, Outcome, Progress, PublishError};
use desk::Desk;
pub use fixed::documents_in;
pub(crate) use fixed::is_ours;
pub use plan::PublicationPlan;
use run::{Memory, OpenMemory};

/// Publishes an inventory into a store: finds out what has changed since the last publication, and writes
/// the documents that say so. A crash or an error anywhere leaves a whole publication: the last one, or
/// the last one with the changes since.
pub fn publish(
    options: &Options,
    store: &mut dyn ByteStore,
    progress: &mut dyn Progress,
) -> Result<Outcome, PublishError> {
    let layout = check(options, store)?;
    // From here on nobody else writes to the store.
    let desk = Desk::new(&layout, store.staging_area()?);
    sweep::unfinished(options, store);
    prepare(options, &desk, Memory::open, progress)?.execute(options, store, progress)
}

/// Finds out what [`publish`] would do now, and touches nothing.
pub fn plan_publication(
    options: &Options,
    store: &dyn ByteStore,
    progress: &mut dyn Progress,
) -> Result<PublicationPlan, PublishError> {
    let layout = check(options, store)?;
    let desk = Desk::new(&layout, StagingArea::temporary());
    prepare(options, &desk, |_, _, _| Memory::default(), progress)?.with_dumps(options)
}

fn prepare(
    options: &Options,
    desk: &Desk,
    open_memory: OpenMemory,
    progress: &mut dyn Progress,
) -> Result<PublicationPlan, PublishError> {
    match PublicationPlan::prepare(options, desk, open_memory, progress) {
        // Nothing was written yet, and nothing depends on it.
        Err(PublishError::Cache { path }) => {
            let _ = fs::remove_file(path);
            PublicationPlan::prepare(options, desk, open_memory, progress)
        }
        result => result,
    }
}

/// Sees before anything is made that what is asked for can be done.
fn check(options: &Options, store: &dyn ByteStore) -> Result<Layout, PublishError> {
    let layout = Layout::new(store, &options.base)?;
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
