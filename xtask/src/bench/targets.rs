//! The targets, and whether a run met them.

use super::data::{EVENTS, FLOOR, MEMORY, READ, RESYNC, Run, TMPFS, WRITE};

/// One line of the table of targets.
pub(crate) struct Verdict {
    /// In the list of targets.
    pub(crate) number: u32,
    pub(crate) work: &'static str,
    pub(crate) target: &'static str,
    pub(crate) measured: String,
    /// Unknown when it could not be measured.
    pub(crate) met: Option<bool>,
}

impl Verdict {
    fn new(
        (number, work, target): (u32, &'static str, &'static str),
        figure: Option<f64>,
        shown: impl Fn(f64) -> String,
        met: impl Fn(f64) -> bool,
    ) -> Self {
        let measured = figure.map_or_else(|| "not measured".to_owned(), shown);
        Self { number, work, target, measured, met: figure.map(met) }
    }
}

/// All targets that `bench documents` can judge.
pub(crate) fn verdicts(run: &Run) -> Vec<Verdict> {
    let instructions = |name: &str| run.reader(name)?.instructions_per_entry;
    let cpu = |name: &str| Some(run.reader(name)?.cpu?.median);
    let seconds = |name: &str| Some(run.writer(name, TMPFS)?.seconds?.median);
    let ratio = |of: Option<f64>, to: Option<f64>| Some(of? / to?);
    let times = |figure: f64| format!("{figure:.2}x");

    let to_events = ratio(instructions(READ), instructions(EVENTS));
    let to_resync = ratio(cpu(RESYNC), cpu(READ));
    let rate = run.writer(WRITE, MEMORY).and_then(|writer| Some(writer.rate()? / 1e9));
    let to_floor = ratio(seconds(WRITE), seconds(FLOOR));
    let bytes = run.start.binary_bytes.map(|bytes| bytes as f64 / 1e6);
    let events = "read: instructions, to quick-xml's event loop";
    vec![
        Verdict::new((1, events, "<= 1.6x"), to_events, times, |figure| figure <= 1.6),
        Verdict::new((1, events, "then < 1x"), to_events, times, |figure| figure < 1.0),
        Verdict::new(
            (1, "read: CPU time, Python resync's to ours", ">= 60x"),
            to_resync,
            |figure| format!("{figure:.0}x"),
            |figure| figure >= 60.0,
        ),
        Verdict::new(
            (2, "write into memory", ">= 1 GB/s"),
            rate,
            |figure| format!("{figure:.2} GB/s"),
            |figure| figure >= 1.0,
        ),
        Verdict::new(
            (2, "write to tmpfs: time, to the bytes copied by hand", "<= 2x"),
            to_floor,
            times,
            |figure| figure <= 2.0,
        ),
        Verdict::new(
            (13, "memory of reading, longest list to shortest", "flat (<= 1.1x)"),
            growth(run),
            times,
            |figure| figure <= 1.1,
        ),
        Verdict::new(
            (14, "`tidings --version`, fastest", "< 5 ms"),
            run.start.version_ms,
            |figure| format!("{figure:.2} ms"),
            |figure| figure < 5.0,
        ),
        Verdict::new(
            (14, "release binary", "< 40 MB"),
            bytes,
            |figure| format!("{figure:.1} MB"),
            |figure| figure < 40.0,
        ),
    ]
}

/// The peak over the longest list to that over the shortest.
fn growth(run: &Run) -> Option<f64> {
    let ours = || run.memory.iter().filter(|memory| memory.name == READ);
    let shortest = ours().min_by_key(|memory| memory.entries)?.peak_kib?;
    let longest = ours().max_by_key(|memory| memory.entries)?.peak_kib?;
    Some(longest as f64 / shortest as f64)
}
