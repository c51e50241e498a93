//! `--watch`: one run after another.

use std::time::Duration;

use anyhow::Result;
use tidings_destination::{SyncError, SyncOptions, sync};
use tidings_web::jitter;

use super::show::with_remedy;
use super::{Entered, tell};
use crate::Outcome;
use crate::cli::Global;
use crate::screen::Screen;

/// The longest time between two polls, as a multiple of the shortest.
const LONGEST: u32 = 60;

/// Polls for ever: soon after something changed, and ever more seldom while nothing does.
pub(super) fn run(
    options: &SyncOptions,
    interval: u64,
    global: &Global,
    screen: &Screen,
) -> Result<Outcome> {
    let shortest = Duration::from_secs(interval.max(1));
    let mut wait = shortest;
    let mut options = options.clone();
    let mut first = true;
    let mut told: Vec<String> = Vec::new();
    loop {
        let mut run = Entered::sync(&options, global, screen);
        let report = sync(&options, &mut run);
        run.synced(&report);
        screen.clear();
        match report {
            Ok(report) => {
                let changed = report.has_changes();
                // What was told is not told again.
                let failures = report.failures.iter().map(|failed| failed.uri.clone()).collect();
                if changed || first || failures != told {
                    told = failures;
                    tell(&report, &options, true, global, screen)?;
                }
                wait = if changed { shortest } else { (wait * 3 / 2).min(shortest * LONGEST) };
            }
            // What is wrong with the network may pass; what is wrong here will not.
            Err(
                error @ (SyncError::Fetch(_)
                | SyncError::Document { .. }
                | SyncError::Unreadable { .. }
                | SyncError::Discovery(_)
                | SyncError::OnlySitemap { .. }
                | SyncError::Locked { .. }),
            ) if !first => {
                screen.warning(&error.to_string());
                wait = (wait * 2).min(shortest * LONGEST);
            }
            Err(error) => return Err(with_remedy(error, &options)),
        }
        first = false;
        options.baseline = false;
        options.moved = false;
        screen.progress(&format!("next poll in about {} s", wait.as_secs()));
        std::thread::sleep(wait.mul_f64(0.9) + jitter(wait / 5));
    }
}
