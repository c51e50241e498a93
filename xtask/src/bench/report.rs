//! The report: a section of `benchmarks.md` and its plots, made from a run's data.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::data::{FLOOR, Run};
use super::machine::Machine;
use super::plots::plots;
use super::shown::{mebibytes, median, or_dash, seconds, thousands};
use super::targets::verdicts;

const INTRODUCTION: &str = "\
# Benchmarks

Made by `cargo xtask bench`; do not edit. What is compared was measured in one run on one machine,
in turns. On a machine that others use, times are upper bounds and a ratio under 2 is a tie;
instructions, counted by callgrind, do not depend on what else runs.
";

/// Writes the section and the plots; other sections stay.
pub(crate) fn write(run: &Run, out: &Path) -> Result<()> {
    let folder = out.join("benchmarks");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    for (name, svg) in plots(run) {
        fs::write(folder.join(name), svg)?;
    }
    put(out, "documents", &section(run))
}

/// Puts the section of that name into the page.
pub(crate) fn put(out: &Path, name: &str, section: &str) -> Result<()> {
    let page = out.join("benchmarks.md");
    let before = fs::read_to_string(&page).unwrap_or_else(|_| INTRODUCTION.to_owned());
    fs::write(&page, spliced(&before, name, section))
        .with_context(|| format!("{} cannot be written", page.display()))
}

/// The page with a section in the place of the old one, or at its end.
fn spliced(page: &str, name: &str, section: &str) -> String {
    let (opening, closing) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->\n"));
    let (before, after) = match (page.find(&opening), page.find(&closing)) {
        (Some(begin), Some(end)) if begin < end => (&page[..begin], &page[end + closing.len()..]),
        _ => (page, ""),
    };
    let gap = if before.ends_with("\n\n") { "" } else { "\n" };
    format!("{before}{gap}{opening}{section}{closing}{after}")
}

fn section(run: &Run) -> String {
    let mut text = String::from("\n## Documents\n\n");
    origin(&run.command, run.quick, &run.machine, "documents.json", &mut text);
    targets(run, &mut text);
    reading(run, &mut text);
    writing(run, &mut text);
    memory(run, &mut text);
    start(run, &mut text);
    let problems = run.problems();
    if !problems.is_empty() {
        text.push_str("### Not measured\n\n");
        for (_, problem) in problems {
            let _ = writeln!(text, "- {problem}");
        }
        text.push('\n');
    }
    text
}

/// How and where the figures were made.
pub(crate) fn origin(command: &str, quick: bool, machine: &Machine, data: &str, text: &mut String) {
    let versions: Vec<_> =
        machine.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let quick = if quick { " (small inputs: not to be published)" } else { "" };
    let _ = write!(
        text,
        "- made by: `{command}`{quick}, {}, Tidings at {}\n\
         - machine: {}, {} cores, load {} at the start\n\
         - versions: {}\n\
         - data: [{data}](benchmarks/{data})\n\n",
        machine.date,
        machine.tidings,
        machine.cpu,
        machine.cores,
        machine.load,
        versions.join(", ")
    );
}

fn targets(run: &Run, text: &mut String) {
    text.push_str("| # | work | target | measured | verdict |\n|---|---|---|---|---|\n");
    for verdict in verdicts(run) {
        let met = match verdict.met {
            Some(true) => "met",
            Some(false) => "**not met**",
            None => "unknown",
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {met} |",
            verdict.number, verdict.work, verdict.target, verdict.measured
        );
    }
    text.push('\n');
}

fn reading(run: &Run, text: &mut String) {
    let reading = &run.reading;
    let _ = write!(
        text,
        "### Reading\n\n\
         A Resource List of {} entries, {:.1} MB. Seconds for the list once, median of {} rounds \
         after one that does not count, each process reading it as often as takes a second; \
         instructions over {} entries, start and end of the process not counted.\n\n\
         | reader | of each entry | instructions per entry | CPU s | wall s | entries/s | peak MiB |\n\
         |---|---|---:|---:|---:|---:|---:|\n",
        thousands(reading.entries as f64),
        reading.bytes as f64 / 1e6,
        reading.rounds,
        thousands(reading.counted_entries as f64)
    );
    for reader in &reading.readers {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            reader.name,
            reader.does,
            or_dash(reader.instructions_per_entry, thousands),
            or_dash(median(reader.cpu), seconds),
            or_dash(median(reader.wall), seconds),
            or_dash(median(reader.cpu), |cpu| thousands(reading.entries as f64 / cpu)),
            or_dash(reader.peak_kib, mebibytes)
        );
    }
    text.push_str(
        "\nEntries/s are of CPU time.\n\n\
         ![Instructions per entry](benchmarks/documents-instructions.svg)\n\n\
         ![CPU time](benchmarks/documents-time.svg)\n\n",
    );
}

fn writing(run: &Run, text: &mut String) {
    let _ = write!(
        text,
        "### Writing\n\n\
         {} entries as Resource Lists of at most 50,000. By hand: the same bytes, copied from \
         prepared text with nothing escaped, formatted or checked.\n\n\
         | writer | into | bytes | s | GB/s | to by hand |\n|---|---|---:|---:|---:|---:|\n",
        thousands(run.writing.entries as f64)
    );
    for writer in &run.writing.writers {
        let floor = run.writer(FLOOR, &writer.into).and_then(|floor| median(floor.seconds));
        let ratio = median(writer.seconds).and_then(|time| Some(time / floor?));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            writer.name,
            writer.into,
            or_dash(writer.bytes, |bytes| thousands(bytes as f64)),
            or_dash(median(writer.seconds), seconds),
            or_dash(writer.rate(), |rate| format!("{:.2}", rate / 1e9)),
            or_dash(ratio, |ratio| format!("{ratio:.2}x"))
        );
    }
    if let Some(difference) = &run.writing.difference {
        let _ = write!(text, "\nThe two did not write the same bytes: {difference}\n");
    }
    text.push_str("\n![Time of writing](benchmarks/documents-write.svg)\n\n");
}

fn memory(run: &Run, text: &mut String) {
    text.push_str(
        "### Memory\n\nThe peak while reading a list of so many entries.\n\n\
         | reader | entries | peak MiB |\n|---|---:|---:|\n",
    );
    for memory in &run.memory {
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            memory.name,
            thousands(memory.entries as f64),
            or_dash(memory.peak_kib, mebibytes)
        );
    }
    text.push_str("\n![Memory](benchmarks/documents-memory.svg)\n\n");
}

fn start(run: &Run, text: &mut String) {
    let start = &run.start;
    let _ = write!(
        text,
        "### Start\n\n\
         | what | measured |\n|---|---:|\n\
         | `tidings --version`, fastest of {runs} | {} |\n\
         | `true`, fastest of {runs}: what starting any program costs | {} |\n\
         | release binary, as built | {} |\n\n",
        or_dash(start.version_ms, |time| format!("{time:.2} ms")),
        or_dash(start.true_ms, |time| format!("{time:.2} ms")),
        or_dash(start.binary_bytes, |bytes| format!("{:.2} MB", bytes as f64 / 1e6)),
        runs = start.runs
    );
}

#[cfg(test)]
mod tests {
    use super::spliced;

    #[test]
    fn a_section_takes_the_place_of_the_old_one() {
        let shown = |text| format!("<!-- it -->\n{text}\n<!-- end of it -->\n");
        let first = spliced("# Page\n", "it", "one\n");
        assert_eq!(first, format!("# Page\n\n{}", shown("one")));
        let page = spliced(&first, "other", "other\n");
        let second = spliced(&page, "it", "two\n");
        assert_eq!(second, page.replace("one", "two"));
    }
}
