//! `tidings sync`: a copy, and keeping it in step.

mod credentials;
mod entered;
mod options;
mod show;
mod watch;

use anyhow::Result;
use tidings_destination::{Report, SyncOptions, sync};

use crate::Outcome;
use crate::cli::{Global, Sync};
use crate::screen::Screen;
pub(crate) use entered::Entered;
pub(crate) use options::{mapping, max_delete, of_common};
pub(crate) use show::{Shown, warn};

pub(crate) fn run(arguments: &Sync, global: &Global, screen: &Screen) -> Result<Outcome> {
    let options = options::of(arguments, global)?;
    if arguments.watch {
        return watch::run(&options, arguments.interval, global, screen);
    }
    once(&options, global, screen)
}

/// One run, with what it says.
fn once(options: &SyncOptions, global: &Global, screen: &Screen) -> Result<Outcome> {
    let mut run = Entered::sync(options, global, screen);
    let report = sync(options, &mut run);
    run.synced(&report);
    screen.clear();
    let report = report.map_err(|error| show::with_remedy(error, options))?;
    tell(&report, options, false, global, screen)?;
    Ok(if report.is_well() { Outcome::Well } else { Outcome::Differs })
}

fn tell(
    report: &Report,
    options: &SyncOptions,
    one_of_several: bool,
    global: &Global,
    screen: &Screen,
) -> Result<()> {
    if global.json {
        let text = match one_of_several {
            true => serde_json::to_string(report)?,
            false => serde_json::to_string_pretty(report)?,
        };
        screen.print(&(text + "\n"))?;
        return Ok(());
    }
    warn(report, options, screen);
    if !global.quiet {
        screen.print(&show::summary(report, options, global.verbose, screen))?;
    }
    Ok(())
}
