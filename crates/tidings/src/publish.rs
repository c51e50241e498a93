//! `tidings publish`: a folder becomes a Source.

mod options;
mod place;
mod previous;
mod progress;
mod watch;

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use serde::Serialize;
use tidings_base::text::{counted, grouped};
use tidings_source::{
    Options, Outcome as Published, Progress, PublishError, plan_publication, publication_folder,
    publish,
};

use crate::cli::{Global, Publish};
use crate::screen::Screen;
use crate::{Outcome, config};
use progress::Shown;
use watch::Watch;

/// What is published, and into which folder.
struct Publication {
    options: Options,
    out: PathBuf,
}

pub(crate) fn run(arguments: &Publish, global: &Global, screen: &Screen) -> Result<Outcome> {
    let found = config::read(global.config.as_deref())?;
    let mut publication = options::publication(arguments, &found)?;
    place::check(&publication.options, &publication.out)?;
    // Where nothing may be touched, the last publication is only looked at.
    let _elsewhere = match &arguments.previous {
        Some(previous) => {
            previous::fetch(previous, &mut publication, arguments.dry_run, global, screen)?
        }
        None => None,
    };
    if !arguments.watch {
        return once(&publication, arguments, global, screen);
    }
    let watch = Watch::begin(&arguments.folder)?;
    loop {
        match once(&publication, arguments, global, screen) {
            // Only the first publication is one that starts anew.
            Ok(_) => publication.options.full = false,
            // Whoever reads it has seen enough.
            Err(error) if crate::is_broken_pipe(&error) => return Err(error),
            // A file that is just being written, a build that has not begun yet: there is a next time.
            Err(error) => screen.error(&format!("{error:#}")),
        }
        watch.wait()?;
    }
}

/// How a publication is told of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    /// Nothing was touched.
    pub(crate) dry_run: bool,
    /// There are others, so that each has one line of its own.
    pub(crate) one_of_several: bool,
}

/// Publishes, and says what came of it.
fn once(
    publication: &Publication,
    arguments: &Publish,
    global: &Global,
    screen: &Screen,
) -> Result<Outcome> {
    let manner = Manner { dry_run: arguments.dry_run, one_of_several: arguments.watch };
    shown(manner, global, screen, |progress| {
        let Publication { options, out } = publication;
        let mut store = publication_folder(out);
        let outcome = match arguments.dry_run {
            true => plan_publication(options, &store, progress).map(|plan| plan.outcome),
            false => publish(options, &mut store, progress),
        };
        outcome.map_err(with_flags)
    })
}

/// An error with the options by which it may be overruled.
fn with_flags(error: PublishError) -> anyhow::Error {
    match error {
        PublishError::MassDeletion { .. } => {
            anyhow!("{error} with --max-delete or --force-delete")
        }
        PublishError::Emptied { .. } => {
            anyhow!("{error} with --force-delete; --full starts the history anew")
        }
        PublishError::NoSuchSet { .. } => {
            anyhow!("{error}; sets are described in tidings.toml")
        }
        error => with_full(error),
    }
}

/// An error with the option that forgets the last publication, if that would help.
pub(crate) fn with_full(error: PublishError) -> anyhow::Error {
    match error {
        PublishError::OtherBase { .. } => anyhow!("{error}, or with --full to start anew"),
        PublishError::Previous { .. } => anyhow!("{error}; --full starts the history anew"),
        error => error.into(),
    }
}

/// Has something published, and says what came of it.
pub(crate) fn shown(
    manner: Manner,
    global: &Global,
    screen: &Screen,
    publish: impl FnOnce(&mut dyn Progress) -> Result<Published>,
) -> Result<Outcome> {
    let listing = (manner.dry_run || global.verbose) && !global.json && !global.quiet;
    let mut shown = Shown::new(screen, listing);
    let published = publish(&mut shown);
    screen.clear();
    let published = published?;
    shown.finish()?;
    show(&published, manner, global, screen)?;
    Ok(if published.passed.is_empty() { Outcome::Well } else { Outcome::Differs })
}

fn show(published: &Published, manner: Manner, global: &Global, screen: &Screen) -> Result<()> {
    if global.json {
        screen.print(&json(published, manner)?)?;
        return Ok(());
    }
    for passed in &published.passed {
        screen.error(&format!("passed over {}: {}", passed.path.display(), passed.reason));
    }
    for set in &published.abandoned {
        screen.warning(&format!(
            "{set} is no longer published; its documents stay until you delete them, \
             but whoever follows them hears nothing new"
        ));
    }
    for dump in &published.withdrawn {
        screen.warning(&format!(
            "{dump} was withdrawn from the Capability List: the Change Lists no longer tell what \
             changed since; --dump or --change-dump makes another"
        ));
    }
    if !global.quiet {
        screen.print(&summary(published, manner))?;
    }
    Ok(())
}

fn summary(published: &Published, manner: Manner) -> String {
    let resources = counted(published.resources, "resource", "resources");
    let documents = counted(published.written.len() as u64, "document", "documents");
    let verb = if manner.dry_run { "to be written" } else { "written" };
    let unset = match published.unset {
        0 => String::new(),
        count => format!("; {} in no set", grouped(count)),
    };
    if published.first {
        return format!("first publication: {resources}{unset}; {documents} {verb}\n");
    }
    let Published { created, updated, deleted, .. } = published;
    format!(
        "{} created, {} updated, {} deleted; {resources}{unset}; {documents} {verb}\n",
        grouped(*created),
        grouped(*updated),
        grouped(*deleted)
    )
}

#[derive(Serialize)]
struct Output<'a> {
    first: bool,
    dry_run: bool,
    resources: u64,
    created: u64,
    updated: u64,
    deleted: u64,
    unset: u64,
    abandoned: &'a [String],
    withdrawn: &'a [String],
    written: &'a [String],
    passed: Vec<PassedOutput<'a>>,
}

#[derive(Serialize)]
struct PassedOutput<'a> {
    path: String,
    reason: &'a str,
}

fn json(published: &Published, manner: Manner) -> serde_json::Result<String> {
    let output = Output {
        first: published.first,
        dry_run: manner.dry_run,
        resources: published.resources,
        created: published.created,
        updated: published.updated,
        deleted: published.deleted,
        unset: published.unset,
        abandoned: &published.abandoned,
        withdrawn: &published.withdrawn,
        written: &published.written,
        passed: published
            .passed
            .iter()
            .map(|one| PassedOutput { path: one.path.display().to_string(), reason: &one.reason })
            .collect(),
    };
    // Of several publications each is on a line of its own.
    let text = match manner.one_of_several {
        true => serde_json::to_string(&output)?,
        false => serde_json::to_string_pretty(&output)?,
    };
    Ok(text + "\n")
}
