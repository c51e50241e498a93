//! How far a publication is, for a person who waits for it.

use std::io;
use std::time::{Duration, Instant};

use tidings_base::text::{duration, grouped, rounded_size};
use tidings_document::Change;
use tidings_source::Progress;

use crate::screen::Screen;

/// How often something else is shown.
const OFTEN: Duration = Duration::from_millis(100);

/// Shows progress, and with `--dry-run` each change.
pub(super) struct Shown<'s> {
    screen: &'s Screen,
    listing: bool,
    changes: u64,
    begun: Instant,
    last: Instant,
    expected: Option<(u64, u64)>,
    error: Option<io::Error>,
}

impl<'s> Shown<'s> {
    pub(super) fn new(screen: &'s Screen, listing: bool) -> Self {
        let now = Instant::now();
        Self { screen, listing, changes: 0, begun: now, last: now, expected: None, error: None }
    }

    /// Says whether all that was to be shown could be.
    pub(super) fn finish(self) -> io::Result<()> {
        self.error.map_or(Ok(()), Err)
    }

    /// What is left, if it takes as long for each file and byte as until now, and all is about as much
    /// as the last time.
    fn left(&self, files: u64, read: u64) -> Option<Duration> {
        let (all_files, all_bytes) = self.expected?;
        let share = |done: u64, all: u64| if all == 0 { 1.0 } else { done as f64 / all as f64 };
        let done = (share(files, all_files) + share(read, all_bytes)) / 2.0;
        let elapsed = self.begun.elapsed();
        (done > 0.01 && done < 1.0).then(|| elapsed.mul_f64((1.0 - done) / done))
    }
}

impl Progress for Shown<'_> {
    fn expected(&mut self, files: u64, bytes: u64) {
        self.expected = Some((files, bytes));
    }

    fn looked_at(&mut self, files: u64, read: u64) {
        if self.last.elapsed() < OFTEN {
            return;
        }
        self.last = Instant::now();
        let seconds = self.begun.elapsed().as_secs_f64().max(0.001);
        let mut line = format!(
            "{} files, {}, {} changes; {} files/s",
            grouped(files),
            rounded_size(read),
            grouped(self.changes),
            grouped((files as f64 / seconds) as u64),
        );
        if let Some(left) = self.left(files, read) {
            line = format!("{line}, about {} left", duration(left));
        }
        self.screen.progress(&line);
    }

    fn changed(&mut self, change: Change, uri: &str) {
        self.changes += 1;
        if self.listing
            && let Err(error) = self.screen.print(&format!("{change} {uri}\n"))
        {
            self.error = Some(error);
        }
    }

    fn writing(&mut self, name: &str) {
        self.screen.progress(&format!("writing {name}"));
    }
}
