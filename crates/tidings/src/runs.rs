//! `tidings runs`: the history of a copy.

use std::time::Duration;

use anyhow::Result;
use serde::Serialize;
use tidings_destination::{AuditCounts, Run, RunCounts, SyncCounts, runs};

use crate::Outcome;
use crate::cli::{self, Global};
use crate::screen::{Screen, bytes, duration, present};
use crate::validate::visible;

/// The columns of the table.
const HEADINGS: [&str; 8] =
    ["ENDED", "RUN", "OUTCOME", "BYTES", "TIME", "LAG", "ACCURACY", "COUNTS"];

/// The columns whose values are numbers, and stand at the right.
const NUMBERS: std::ops::RangeInclusive<usize> = 3..=6;

pub(crate) fn run(arguments: &cli::Runs, global: &Global, screen: &Screen) -> Result<Outcome> {
    #[derive(Serialize)]
    struct Output {
        runs: Vec<Run>,
    }
    let runs = runs(&arguments.folder)?;
    if global.json {
        screen.print(&(serde_json::to_string_pretty(&Output { runs })? + "\n"))?;
    } else if runs.is_empty() {
        if !global.quiet {
            screen.print("no runs yet\n")?;
        }
    } else {
        let rows: Vec<[String; 8]> = runs.iter().map(row).collect();
        screen.print(&table(&rows, screen))?;
    }
    Ok(Outcome::Well)
}

/// The rows below their headings, in columns that are as wide as they need to be.
fn table(rows: &[[String; 8]], screen: &Screen) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([HEADINGS[column].len()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..HEADINGS.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded = cells.iter().enumerate().map(|(column, cell)| match widths[column] {
            width if NUMBERS.contains(&column) => format!("{cell:>width$}"),
            width => format!("{cell:<width$}"),
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut text = screen.bold(&line(&HEADINGS.map(str::to_owned))) + "\n";
    for row in rows {
        text.push_str(&line(row));
        text.push('\n');
    }
    text
}

fn row(run: &Run) -> [String; 8] {
    let measures = &run.measures;
    let unknown = || "-".to_owned();
    let lag = measures.lag.as_ref().map_or_else(unknown, |lag| spent(lag.seconds));
    let accuracy = measures.accuracy.map_or_else(unknown, percent);
    [
        run.ended.clone(),
        run.kind.name().to_owned(),
        run.outcome.name().to_owned(),
        bytes(measures.bytes),
        spent(measures.seconds),
        lag,
        accuracy,
        told(run),
    ]
}

/// The counts of a run in words, or why it failed.
fn told(run: &Run) -> String {
    if let Some(error) = &run.error {
        return visible(error);
    }
    let mut parts = match &run.counts {
        RunCounts::Sync(SyncCounts {
            created,
            updated,
            deleted,
            kept,
            held,
            unchanged,
            failed,
            gaps,
            ..
        }) => present(&[
            (*created, "created"),
            (*updated, "updated"),
            (*deleted, "deleted"),
            (*failed, "failed"),
            (*gaps, "gaps"),
            (*held, "held"),
            (*kept, "kept"),
            (*unchanged, "unchanged"),
        ]),
        RunCounts::Audit(AuditCounts {
            checked,
            missing,
            changed,
            extra,
            corrupt,
            stray,
            gaps,
            ..
        }) => present(&[
            (*missing, "missing"),
            (*changed, "changed"),
            (*extra, "extra"),
            (*corrupt, "corrupt"),
            (*stray, "stray"),
            (*gaps, "gaps"),
            (*checked, "checked"),
        ]),
    };
    if let RunCounts::Audit(AuditCounts { deep: true, .. }) = &run.counts {
        parts.push("every byte read".to_owned());
    }
    if parts.is_empty() { "nothing new".to_owned() } else { parts.join(", ") }
}

fn spent(seconds: f64) -> String {
    match seconds {
        seconds if seconds.abs() < 10.0 => format!("{seconds:.2} s"),
        seconds if seconds < 0.0 => format!("-{}", duration(Duration::from_secs_f64(-seconds))),
        seconds => duration(Duration::from_secs_f64(seconds)),
    }
}

/// A share as people read it. What is not all is never shown as 100%.
fn percent(share: f64) -> String {
    let tenths = (share * 1000.0).floor() / 10.0;
    if share >= 1.0 { "100%".to_owned() } else { format!("{tenths:.1}%") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_times_are_short() {
        for (share, shown) in [(1.0, "100%"), (0.999_99, "99.9%"), (0.5, "50.0%"), (0.0, "0.0%")] {
            assert_eq!(percent(share), shown);
        }
        for (seconds, shown) in
            [(0.123, "0.12 s"), (42.0, "42 s"), (-3.0, "-3.00 s"), (-60.0, "-60 s")]
        {
            assert_eq!(spent(seconds), shown);
        }
    }
}
