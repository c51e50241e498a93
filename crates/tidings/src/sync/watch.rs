//! `--watch`: one run after another.

use std::time::Duration;

use anyhow::Result;
use tidings_destination::{SyncError, SyncOptions, sync};

use super::{Shown, tell};
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
    loop {
        let mut shown = Shown::new(screen);
        let report = sync(&options, &mut shown);
        screen.clear();
        match report {
            Ok(report) => {
                let changed = report.has_changes() || !report.is_well();
                if changed || first {
                    tell(&report, &options, true, global, screen)?;
                }
                wait = if changed { shortest } else { (wait * 3 / 2).min(shortest * LONGEST) };
            }
            // What is wrong with the network may pass; what is wrong here will not.
            Err(
                error @ (SyncError::Fetch(_)
                | SyncError::Document { .. }
                | SyncError::Discovery(_)
                | SyncError::Locked { .. }),
            ) if !first => {
                screen.warning(&error.to_string());
                wait = (wait * 2).min(shortest * LONGEST);
            }
            Err(error) => return Err(error.into()),
        }
        first = false;
        options.baseline = false;
        screen.progress(&format!("next poll in {} s", wait.as_secs()));
        std::thread::sleep(jittered(wait));
    }
}

/// A tenth more or less, so that many copies do not poll together.
fn jittered(wait: Duration) -> Duration {
    use std::hash::{BuildHasher, RandomState};
    let random = (RandomState::new().hash_one(0) >> 11) as f64 / (1_u64 << 53) as f64;
    wait.mul_f64(0.9 + 0.2 * random)
}
