//! `tidings republish`: a copy as a Source of its own.

use anyhow::Result;
use tidings_destination::{RepublishOptions, SyncError, plan_republication, republish};

use crate::Outcome;
use crate::cli::{Global, Republish};
use crate::publish::{self, Manner};
use crate::screen::Screen;
use crate::sync::mapping;

pub(crate) fn run(arguments: &Republish, global: &Global, screen: &Screen) -> Result<Outcome> {
    let options = RepublishOptions {
        folder: arguments.folder.clone(),
        base: arguments.base.clone(),
        mapping: mapping(&arguments.map)?,
        dump: arguments.dump,
        change_dump: arguments.change_dump,
        full: arguments.full,
    };
    let manner = Manner { dry_run: arguments.dry_run, one_of_several: false };
    publish::shown(manner, global, screen, |progress| {
        let outcome = match arguments.dry_run {
            true => plan_republication(&options, progress).map(|plan| plan.outcome),
            false => republish(&options, progress),
        };
        outcome.map_err(|error| match error {
            SyncError::Publish(error) => publish::with_full(error),
            error => error.into(),
        })
    })
}
