//! The plots of a run.

use super::chart::{Bar, Scale, bars};
use super::data::{Reader, Run, TMPFS, WRITE};
use super::shown::{mebibytes, median, seconds, thousands};

/// Each with the name of its file.
pub(crate) fn plots(run: &Run) -> [(&'static str, String); 4] {
    let of_readers = |figure: fn(&Reader) -> Option<f64>, shown: fn(f64) -> String| -> Vec<Bar> {
        let readers = run.reading.readers.iter();
        let bar = |reader: &Reader| {
            let value = figure(reader)?;
            Some(Bar { label: reader.name.clone(), value, shown: shown(value), ours: reader.ours })
        };
        readers.filter_map(bar).collect()
    };
    let on_tmpfs = run.writing.writers.iter().filter(|writer| writer.into == TMPFS);
    let written = on_tmpfs.filter_map(|writer| {
        let value = median(writer.seconds)?;
        let ours = writer.name == WRITE;
        Some(Bar { label: writer.name.clone(), value, shown: seconds(value), ours })
    });
    let peaks = run.memory.iter().filter_map(|memory| {
        let kib = memory.peak_kib?;
        Some(Bar {
            label: format!("{}, {}", memory.name, thousands(memory.entries as f64)),
            value: kib as f64 / 1024.0,
            shown: mebibytes(kib),
            ours: memory.ours,
        })
    });
    [
        (
            "documents-instructions.svg",
            bars(
                "Reading: instructions per entry",
                "instructions",
                Scale::Logarithmic,
                &of_readers(|reader| reader.instructions_per_entry, thousands),
            ),
        ),
        (
            "documents-time.svg",
            bars(
                &format!("Reading {} entries: CPU time", thousands(run.reading.entries as f64)),
                "seconds",
                Scale::Logarithmic,
                &of_readers(|reader| median(reader.cpu), seconds),
            ),
        ),
        (
            "documents-write.svg",
            bars(
                &format!("Writing {} entries to tmpfs", thousands(run.writing.entries as f64)),
                "seconds",
                Scale::Linear,
                &written.collect::<Vec<_>>(),
            ),
        ),
        (
            "documents-memory.svg",
            bars(
                "Reading: peak memory by number of entries",
                "MiB",
                Scale::Linear,
                &peaks.collect::<Vec<_>>(),
            ),
        ),
    ]
}
