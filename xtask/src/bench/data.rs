//! What a run of `bench documents` found: the data file, and all that the report is made from.

use serde::{Deserialize, Serialize};

use super::machine::Machine;

/// Tidings' reader, in the tables and in the targets.
pub(crate) const READ: &str = "Tidings, read";
/// Tidings' reader with every rule applied.
pub(crate) const CHECK: &str = "Tidings, check";
/// The yardstick for instructions.
pub(crate) const EVENTS: &str = "quick-xml, events";
/// The yardstick for time.
pub(crate) const RESYNC: &str = "Python resync";
/// Tidings' writer.
pub(crate) const WRITE: &str = "Tidings";
/// Prepared text, copied.
pub(crate) const FLOOR: &str = "by hand";
/// Into a buffer.
pub(crate) const MEMORY: &str = "memory";
/// Into files that no disk slows down.
pub(crate) const TMPFS: &str = "tmpfs";

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) command: String,
    pub(crate) quick: bool,
    pub(crate) machine: Machine,
    pub(crate) reading: Reading,
    pub(crate) writing: Writing,
    pub(crate) memory: Vec<Memory>,
    pub(crate) start: Start,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Reading {
    /// In the list that is timed.
    pub(crate) entries: u64,
    /// Its size.
    pub(crate) bytes: u64,
    /// In the list whose instructions are counted.
    pub(crate) counted_entries: u64,
    /// Timed, after one that is not.
    pub(crate) rounds: usize,
    pub(crate) readers: Vec<Reader>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Reader {
    pub(crate) name: String,
    /// What it does to each entry.
    pub(crate) does: String,
    pub(crate) ours: bool,
    /// Seconds for the list once.
    pub(crate) wall: Option<Spread>,
    pub(crate) cpu: Option<Spread>,
    pub(crate) peak_kib: Option<u64>,
    pub(crate) instructions_per_entry: Option<f64>,
    /// Why there are no figures.
    pub(crate) problem: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Writing {
    pub(crate) entries: u64,
    pub(crate) writers: Vec<Writer>,
    /// How the two differ in what they write, when they do.
    pub(crate) difference: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Writer {
    pub(crate) name: String,
    pub(crate) into: String,
    pub(crate) ours: bool,
    pub(crate) bytes: Option<u64>,
    /// Seconds, of writing alone.
    pub(crate) seconds: Option<Spread>,
    pub(crate) problem: Option<String>,
}

/// The peak of a reader's memory over a list of some length.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) name: String,
    pub(crate) ours: bool,
    pub(crate) entries: u64,
    pub(crate) peak_kib: Option<u64>,
    pub(crate) problem: Option<String>,
}

/// The program itself.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) runs: usize,
    /// The fastest `tidings --version`, in milliseconds.
    pub(crate) version_ms: Option<f64>,
    /// The fastest `true`: what starting any program costs here.
    pub(crate) true_ms: Option<f64>,
    pub(crate) binary_bytes: Option<u64>,
    pub(crate) problem: Option<String>,
}

/// Figures of the same thing, several times over.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// None of nothing.
    pub(crate) fn of(figures: &[f64]) -> Option<Self> {
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let (min, max, high) = (sorted.first()?, sorted.last()?, sorted.get(middle)?);
        let low = if sorted.len().is_multiple_of(2) { &sorted[middle - 1] } else { high };
        let rounded = |figure: f64| (figure * 1e6).round() / 1e6;
        Some(Self { median: rounded((low + high) / 2.0), min: rounded(*min), max: rounded(*max) })
    }
}

impl Run {
    pub(crate) fn reader(&self, name: &str) -> Option<&Reader> {
        self.reading.readers.iter().find(|reader| reader.name == name)
    }

    pub(crate) fn writer(&self, name: &str, into: &str) -> Option<&Writer> {
        self.writing.writers.iter().find(|writer| writer.name == name && writer.into == into)
    }

    /// What could not be measured, and why; first whether it is ours.
    pub(crate) fn problems(&self) -> Vec<(bool, String)> {
        let said = |what: &str, why: &Option<String>| Some(format!("{what}: {}", why.as_ref()?));
        let readers = self.reading.readers.iter();
        let writers = self.writing.writers.iter();
        let memory = self.memory.iter();
        readers
            .map(|reader| (reader.ours, said(&reader.name, &reader.problem)))
            .chain(writers.map(|writer| {
                let what = format!("{}, writing, {}", writer.name, writer.into);
                (writer.ours, said(&what, &writer.problem))
            }))
            .chain(memory.map(|memory| {
                let what = format!("{}, {} entries", memory.name, memory.entries);
                (memory.ours, said(&what, &memory.problem))
            }))
            .chain([(true, said("tidings --version", &self.start.problem))])
            .filter_map(|(ours, problem)| Some((ours, problem?)))
            .collect()
    }
}

impl Writer {
    /// In bytes a second.
    pub(crate) fn rate(&self) -> Option<f64> {
        Some(self.bytes? as f64 / self.seconds?.median)
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn the_median_is_the_middle() {
        let odd = Spread::of(&[3.0, 1.0, 2.0]);
        assert_eq!(odd, Some(Spread { median: 2.0, min: 1.0, max: 3.0 }));
        let even = Spread::of(&[4.0, 1.0]);
        assert_eq!(even, Some(Spread { median: 2.5, min: 1.0, max: 4.0 }));
        assert_eq!(Spread::of(&[]), None);
    }
}
