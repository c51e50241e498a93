//! What a person sees of a copy.

use std::fmt::Write as _;
use std::time::Instant;

use tidings_base::text::{
    counted, duration, grouped, measured_seconds, nonzero, rounded_size, visible_in_terminal,
};
use tidings_destination::{CountLabel, Progress, Report, Step, SyncCounts, SyncError, SyncOptions};

use crate::screen::Screen;

/// How many failures are shown one by one, unless all are asked for.
const SHOWN: usize = 10;

/// Shows progress.
pub(crate) struct Shown<'s> {
    screen: &'s Screen,
    begun: Instant,
}

impl<'s> Shown<'s> {
    pub(crate) fn new(screen: &'s Screen) -> Self {
        Self { screen, begun: Instant::now() }
    }
}

impl Progress for Shown<'_> {
    fn show(&mut self, step: &Step<'_>) {
        let elapsed = self.begun.elapsed();
        let seconds = elapsed.as_secs_f64().max(0.001);
        let mut line = format!(
            "{}: {} of {}, {}; {}/s, {}/s",
            step.doing,
            grouped(step.done),
            grouped(step.total.max(step.done)),
            rounded_size(step.bytes),
            grouped((step.done as f64 / seconds) as u64),
            rounded_size((step.bytes as f64 / seconds) as u64),
        );
        if step.done > 0 && step.total > step.done {
            let left = elapsed.mul_f64((step.total - step.done) as f64 / step.done as f64);
            line = format!("{line}, about {} left", duration(left));
        }
        self.screen.progress(&line);
    }
}

/// An error with the option that helps, where there is one.
pub(super) fn with_remedy(error: SyncError, options: &SyncOptions) -> anyhow::Error {
    match error {
        SyncError::OtherSource { .. } => {
            let (url, folder) = (&options.source, options.folder.display());
            let command = format!("tidings sync --moved {url} {folder}");
            anyhow::anyhow!("{error}; or, if the Source has moved there: {command}")
        }
        error if error.suggests_sitemap() => anyhow::anyhow!("{error} (--via sitemap)"),
        error => error.into(),
    }
}

/// Says what went wrong.
pub(crate) fn warn(report: &Report, options: &SyncOptions, screen: &Screen) {
    for failed in report.failures.iter().take(SHOWN) {
        screen.warning(&format!(
            "{}: {}",
            visible_in_terminal(&failed.uri),
            visible_in_terminal(&failed.reason)
        ));
    }
    let more = report.failed.saturating_sub(SHOWN.min(report.failures.len()) as u64);
    if more > 0 {
        let more = counted(more, "more resource", "more resources");
        screen.warning(&format!("{more} could not be fetched; --json names them"));
    }
    for gap in &report.gaps {
        screen.warning(&format!(
            "{}: {}; the copy may be wrong until the Source publishes a newer Resource List or Resource Dump",
            visible_in_terminal(&gap.set),
            visible_in_terminal(&gap.reason)
        ));
    }
    if report.occupied > 0 {
        let occupied = counted(report.occupied, "file", "files");
        screen.warning(&format!(
            "{occupied} that the copy did not write left as found; --overwrite replaces such"
        ));
    }
    if report.held > 0 {
        let held = counted(report.held, "resource", "resources");
        screen.warning(&format!(
            "the Source has {held} no more, which is too much of the copy to be believed; nothing was \
             removed from {}. If it is right, --force-delete removes them",
            options.folder.display()
        ));
    }
}

/// What was done.
pub(super) fn summary(
    report: &Report,
    options: &SyncOptions,
    verbose: bool,
    screen: &Screen,
) -> String {
    let mut out = String::new();
    for way in &report.ways {
        let _ = writeln!(out, "{}", visible_in_terminal(&way.to_string()));
    }
    // The plan is all that a dry run has to show for itself.
    if verbose || report.dry_run {
        for plan in &report.plans {
            let _ = writeln!(out, "{}", screen.dim(&visible_in_terminal(plan)));
        }
    }
    if verbose {
        for note in &report.notes {
            let _ = writeln!(out, "{}", screen.dim(&visible_in_terminal(note)));
        }
    }
    // What is in no history, as it is no outcome for the copy, comes after the rest.
    let others = [
        (report.adopted, "already there"),
        (report.to_compare, "compared with the Source"),
        (report.passed, "passed over"),
    ];
    let others = others.map(|(count, word)| CountLabel { count, word, is_of_resources: true });
    let labels = SyncCounts::from_report(report).labels();
    let mut parts: Vec<String> = labels
        .into_iter()
        .chain(others.into_iter().filter(|label| label.count > 0))
        .map(|label| match report.dry_run && label.is_of_resources {
            true => format!("{} would be {}", grouped(label.count), label.word),
            false => label.to_string(),
        })
        .collect();
    if report.uncounted_packages > 0 {
        let packages = counted(report.uncounted_packages, "package", "packages");
        parts.push(format!(
            "the resources in {packages} are not counted, as their number is not known beforehand"
        ));
    }
    if parts.is_empty() {
        parts.push("nothing changed".to_owned());
    }
    let _ = writeln!(
        out,
        "{}: {}",
        screen.bold(&options.folder.display().to_string()),
        parts.join(", ")
    );
    if report.kept > 0 {
        let kept = counted(report.kept, "resource", "resources");
        let remedy = match options.delete {
            true => "a run that can read every entry of its documents removes such",
            false => "--delete removes such",
        };
        let _ = writeln!(out, "{kept} kept that the Source has no more; {remedy}");
    }
    if report.unchecked_digests > 0 {
        let digests = counted(report.unchecked_digests, "digest", "digests");
        let _ = writeln!(out, "{digests} could not be checked: unknown algorithm, or malformed");
    }
    let ways = nonzero([
        (report.patched, "by patch"),
        (report.mirrored, "from mirrors"),
        (report.mementos, "as mementos"),
        (report.unpacked, "out of packages"),
    ]);
    let ways = if ways.is_empty() { String::new() } else { format!(" ({})", ways.join(", ")) };
    let _ = writeln!(
        out,
        "{}, {} in {}{ways}",
        counted(report.requests, "request", "requests"),
        rounded_size(report.bytes),
        measured_seconds(report.seconds),
    );
    out
}
