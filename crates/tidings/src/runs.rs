//! `tidings runs`: the history of a copy.

use anyhow::Result;
use serde::Serialize;
use tidings_base::text::{measured_seconds, percent, rounded_size, visible_in_terminal};
use tidings_destination::{CountLabel, Run, RunCounts, runs};

use crate::Outcome;
use crate::cli::{self, Global};
use crate::screen::Screen;

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
    let lag = measures.lag.as_ref().map_or_else(unknown, |lag| measured_seconds(lag.seconds));
    let accuracy = measures.accuracy.map_or_else(unknown, percent);
    [
        run.ended.clone(),
        run.kind.name().to_owned(),
        run.outcome.name().to_owned(),
        rounded_size(measures.bytes),
        measured_seconds(measures.seconds),
        lag,
        accuracy,
        told(run),
    ]
}

/// The counts of a run in words, or why it failed.
fn told(run: &Run) -> String {
    if let Some(error) = &run.error {
        return visible_in_terminal(error);
    }
    let labels = match &run.counts {
        RunCounts::Sync(counts) => counts.labels(),
        RunCounts::Audit(counts) => counts.labels(),
    };
    if labels.is_empty() { "nothing new".to_owned() } else { joined(&labels) }
}

/// Counts in words, one after the other.
pub(crate) fn joined(labels: &[CountLabel]) -> String {
    labels.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
