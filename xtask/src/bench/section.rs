//! A section of `benchmarks.md` on programs that do the same work, and its plots, made from a run's
//! data.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::chart::{Bar, Scale, bars};
use super::report::{origin, put};
use super::shown::{mebibytes, median, milliseconds, or_dash, seconds, thousands};
use super::verdict::Verdict;
use super::works::{Run, Side, Work};

/// What one section has that others do not.
pub(crate) struct Section {
    /// In the names of files and marks.
    pub(crate) name: &'static str,
    pub(crate) heading: &'static str,
    /// The same as a noun, for "not measured of".
    pub(crate) about: &'static str,
    /// What is to be known to read its tables.
    pub(crate) notes: &'static str,
    pub(crate) plots: &'static [Plot],
    pub(crate) verdicts: fn(&Run) -> Vec<Verdict>,
}

/// The wall times of a work.
pub(crate) struct Plot {
    /// The end of its file's name.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) work: &'static str,
    pub(crate) scale: Scale,
}

/// A column that not all tables have.
struct Column {
    name: &'static str,
    rule: &'static str,
    cell: fn(&Side) -> String,
}

const WRITTEN: Column = Column {
    name: "written",
    rule: "---|",
    cell: |side| {
        or_dash(side.written, |written| {
            format!("{} documents, {:.2} MB", written.documents, written.bytes as f64 / 1e6)
        })
    },
};

const REQUESTS: Column = Column {
    name: "requests",
    rule: "---:|",
    cell: |side| or_dash(side.requests, |requests| thousands(requests as f64)),
};

const RECEIVED: Column = Column {
    name: "received MB",
    rule: "---:|",
    cell: |side| or_dash(side.received, |bytes| format!("{:.2}", bytes as f64 / 1e6)),
};

const MILLISECONDS: Column = Column {
    name: "wall ms",
    rule: "---:|",
    cell: |side| or_dash(median(side.wall), milliseconds),
};

const MOST: Column =
    Column { name: "95 % within ms", rule: "---:|", cell: |side| or_dash(side.most, milliseconds) };

const SENT: Column = Column {
    name: "bytes sent",
    rule: "---:|",
    cell: |side| or_dash(side.sent, |bytes| thousands(bytes as f64)),
};

impl Section {
    /// Writes the section and the plots; other sections stay.
    pub(crate) fn write(&self, run: &Run, out: &Path) -> Result<()> {
        let folder = out.join("benchmarks");
        fs::create_dir_all(&folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        for shown in self.plots {
            let file = format!("{}-{}.svg", self.name, shown.name);
            fs::write(folder.join(file), plot(run, shown))?;
        }
        put(out, self.name, &self.text(run))
    }

    fn text(&self, run: &Run) -> String {
        let mut text = format!("\n## {}\n\n", self.heading);
        let data = format!("{}.json", self.name);
        origin(&run.command, run.quick, &run.machine, &data, &mut text);
        targets(&(self.verdicts)(run), &mut text);
        let _ = write!(text, "{}\n\n", self.notes);
        for work in &run.works {
            table(work, &mut text);
        }
        for plot in self.plots {
            let (title, file) = (plot.title, format!("{}-{}", self.name, plot.name));
            let _ = write!(text, "![{title}](benchmarks/{file}.svg)\n\n");
        }
        let problems = run.problems();
        if !problems.is_empty() {
            let _ = write!(text, "### Not measured of {}\n\n", self.about);
            for (_, problem) in problems {
                let _ = writeln!(text, "- {problem}");
            }
            text.push('\n');
        }
        text
    }
}

fn targets(verdicts: &[Verdict], text: &mut String) {
    text.push_str(
        "| # | work | measured | floor or peer | ratio | target | verdict |\n\
         |---|---|---:|---|---:|---|---|\n",
    );
    for verdict in verdicts {
        let met = match verdict.met {
            Some(true) => "met",
            Some(false) => "**not met**",
            None => "unknown",
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {met} |",
            or_dash(verdict.number, |number| number.to_string()),
            verdict.work,
            verdict.measured,
            verdict.against,
            verdict.ratio,
            verdict.target
        );
    }
    text.push('\n');
}

fn table(work: &Work, text: &mut String) {
    // Only where somebody has such a figure.
    let any = |has: fn(&Side) -> bool| work.sides.iter().any(has);
    let extra: Vec<Column> = [
        any(|side| side.written.is_some()).then_some(WRITTEN),
        any(|side| side.requests.is_some()).then_some(REQUESTS),
        any(|side| side.received.is_some()).then_some(RECEIVED),
        any(|side| side.most.is_some()).then_some(MILLISECONDS),
        any(|side| side.most.is_some()).then_some(MOST),
        any(|side| side.sent.is_some()).then_some(SENT),
    ]
    .into_iter()
    .flatten()
    .collect();
    let names: String = extra.iter().map(|column| format!("{} | ", column.name)).collect();
    let rules: String = extra.iter().map(|column| column.rule).collect();
    let _ = write!(
        text,
        "### {}\n\n{}\n\n\
         | program | does | runs | wall s | CPU s | peak MiB | resources/s | MB/s | {names}\
         wall, ours to it | CPU, ours to it |\n\
         |---|---|---:|---:|---:|---:|---:|---:|{rules}---:|---:|\n",
        work.title, work.about
    );
    for side in &work.sides {
        row(work, side, &extra, text);
    }
    text.push('\n');
}

fn row(work: &Work, side: &Side, extra: &[Column], text: &mut String) {
    let ours = work.sides.first();
    let ratio = |figure: fn(&Side) -> Option<f64>| {
        let ratio = ours.and_then(|ours| Some(figure(ours)? / figure(side)?));
        // GNU time rounds CPU time, and may round it to nothing.
        let ratio = ratio.filter(|ratio| ratio.is_finite());
        or_dash(ratio, |ratio| format!("{ratio:.2}x"))
    };
    let wall = median(side.wall);
    let extra: String = extra.iter().map(|column| (column.cell)(side) + " | ").collect();
    let _ = writeln!(
        text,
        "| {} | {} | {} | {} | {} | {} | {} | {} | {extra}{} | {} |",
        side.name,
        side.does,
        side.runs,
        or_dash(wall, seconds),
        or_dash(median(side.cpu), seconds),
        or_dash(side.peak_kib, mebibytes),
        or_dash(wall, |wall| thousands(work.resources as f64 / wall)),
        or_dash(wall.filter(|_| work.bytes > 0), |wall| {
            thousands(work.bytes as f64 / wall / 1e6)
        }),
        ratio(|side| median(side.wall)),
        ratio(|side| median(side.cpu))
    );
}

fn plot(run: &Run, plot: &Plot) -> String {
    let work = run.work(plot.work);
    let sides = work.map_or(&[][..], |work| &work.sides);
    let bar = |side: &Side| {
        let value = median(side.wall)?;
        Some(Bar { label: side.name.clone(), value, shown: seconds(value), ours: side.ours })
    };
    let title = work.map_or(plot.work, |work| &work.title);
    let shown: Vec<Bar> = sides.iter().filter_map(bar).collect();
    bars(&format!("{title}: wall time"), "seconds", plot.scale, &shown)
}
