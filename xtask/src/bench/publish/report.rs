//! The section on publishing in `benchmarks.md` and its plots, made from a run's data.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::data::{Run, Side, Work};
use super::plots::plots;
use super::targets::verdicts;
use crate::bench::report::{origin, put};
use crate::bench::shown::{mebibytes, median, or_dash, seconds, thousands};

/// Writes the section and the plots; other sections stay.
pub(super) fn write(run: &Run, out: &Path) -> Result<()> {
    let folder = out.join("benchmarks");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    for (name, svg) in plots(run) {
        fs::write(folder.join(name), svg)?;
    }
    put(out, "publish", &section(run))
}

fn section(run: &Run) -> String {
    let mut text = String::from("\n## Publishing\n\n");
    origin(&run.command, run.quick, &run.machine, "publish.json", &mut text);
    targets(run, &mut text);
    text.push_str(
        "Times are medians over the runs that count, after one that does not; CPU time is the \
         user's and the system's, of all processes; the peak is the highest of all runs. The last \
         columns: how much the first line takes for each second of that line.\n\n",
    );
    for work in &run.works {
        table(work, &mut text);
    }
    for (name, title) in [
        ("small", "Small files"),
        ("unchanged", "Nothing changed"),
        ("dump", "Dump of what cannot be compressed"),
    ] {
        let _ = write!(text, "![{title}](benchmarks/publish-{name}.svg)\n\n");
    }
    let problems = run.problems();
    if !problems.is_empty() {
        text.push_str("### Not measured of publishing\n\n");
        for (_, problem) in problems {
            let _ = writeln!(text, "- {problem}");
        }
        text.push('\n');
    }
    text
}

fn targets(run: &Run, text: &mut String) {
    text.push_str(
        "| # | work | measured | floor or peer | ratio | target | verdict |\n\
         |---|---|---:|---|---:|---|---|\n",
    );
    for verdict in verdicts(run) {
        let met = match verdict.met {
            Some(true) => "met",
            Some(false) => "**not met**",
            None => "unknown",
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {met} |",
            verdict.number,
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
    let _ = write!(
        text,
        "### {}\n\n{}\n\n\
         | program | does | runs | wall s | CPU s | peak MiB | resources/s | MB/s | written | \
         wall, ours to it | CPU, ours to it |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---|---:|---:|\n",
        work.title, work.about
    );
    let ours = work.sides.first();
    for side in &work.sides {
        let ratio = |figure: fn(&Side) -> Option<f64>| {
            let ratio = ours.and_then(|ours| Some(figure(ours)? / figure(side)?));
            // GNU time rounds CPU time, and may round it to nothing.
            let ratio = ratio.filter(|ratio| ratio.is_finite());
            or_dash(ratio, |ratio| format!("{ratio:.2}x"))
        };
        let wall = median(side.wall);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
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
            or_dash(side.written, |written| {
                format!("{} documents, {:.2} MB", written.documents, written.bytes as f64 / 1e6)
            }),
            ratio(|side| median(side.wall)),
            ratio(|side| median(side.cpu))
        );
    }
    text.push('\n');
}
