//! Writing: Tidings and its floor, over the same entries, into the same sinks.
//!
//! Only the writing is timed, from inside: the entries are made before the clock starts. A list
//! holds at most 50,000 of them, so a larger count is written as several documents, as it would
//! be in life. Into memory, each document goes into the same buffer after the one before it.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::Result;
use crate::sample::Sample;
use crate::{floor, plug};

/// The most entries in one document.
const DOCUMENT: u64 = 50_000;
/// Different entries; they are written again and again. Few enough to stay in a core's cache:
/// what is measured is writing, not waiting for memory.
const DIFFERENT: u64 = 1_000;
const BUFFER: usize = 1 << 16;

/// Where it goes.
#[derive(Clone, Copy)]
pub(crate) enum Target<'a> {
    /// One buffer in memory, used again.
    Memory,
    /// Files beside this path, numbered when there is more than one.
    File(&'a Path),
}

/// Who writes. Generic over the sink, so that each is compiled for the very one it writes to.
trait Writer {
    fn write(&self, entries: usize, out: &mut impl Write) -> Result<()>;
}

struct Tidings(Vec<plug::Prepared>);

impl Writer for Tidings {
    fn write(&self, entries: usize, out: &mut impl Write) -> Result<()> {
        plug::write(self.0.iter().cycle().take(entries), out)
    }
}

struct Floor(Vec<Sample>);

impl Writer for Floor {
    fn write(&self, entries: usize, out: &mut impl Write) -> Result<()> {
        floor::write(self.0.iter().cycle().take(entries), out)
    }
}

fn samples(count: u64) -> Vec<Sample> {
    (0..count.min(DIFFERENT)).map(Sample::new).collect()
}

/// Writes `count` entries with Tidings and prints `BYTES SECONDS`.
pub(crate) fn with_tidings(count: u64, target: Target<'_>) -> Result<()> {
    timed(&Tidings(plug::prepare(&samples(count))?), count, target)
}

/// Writes `count` entries by hand and prints `BYTES SECONDS`.
pub(crate) fn by_hand(count: u64, target: Target<'_>) -> Result<()> {
    timed(&Floor(samples(count)), count, target)
}

/// Fails with the first difference when the two do not write the same bytes.
pub(crate) fn same(count: usize) -> Result<()> {
    let samples = samples(DIFFERENT);
    let (mut ours, mut floors) = (Vec::new(), Vec::new());
    Tidings(plug::prepare(&samples)?).write(count, &mut ours)?;
    Floor(samples).write(count, &mut floors)?;
    if ours == floors {
        return Ok(());
    }
    let at = ours.iter().zip(&floors).take_while(|(ours, floors)| ours == floors).count();
    let around = |bytes: &[u8]| {
        let part = &bytes[at.saturating_sub(40)..bytes.len().min(at + 40)];
        String::from_utf8_lossy(part).into_owned()
    };
    Err(format!("at byte {at}: written {:?}, floor {:?}", around(&ours), around(&floors)).into())
}

fn timed(writer: &impl Writer, count: u64, target: Target<'_>) -> Result<()> {
    let parts = count.div_ceil(DOCUMENT);
    if let Target::File(path) = target {
        for part in 0..parts {
            // A file that is there would have to be emptied within the time.
            let _ = fs::remove_file(numbered(path, part, parts));
        }
    }
    let mut memory = Vec::new();
    let mut bytes = 0;
    let start = Instant::now();
    for part in 0..parts {
        let entries = usize::try_from(DOCUMENT.min(count - part * DOCUMENT))?;
        match target {
            Target::Memory => {
                memory.clear();
                writer.write(entries, &mut memory)?;
                bytes += black_box(&memory).len() as u64;
            }
            Target::File(path) => {
                let file = File::create_new(numbered(path, part, parts))?;
                let mut file = BufWriter::with_capacity(BUFFER, file);
                writer.write(entries, &mut file)?;
                bytes += file.into_inner()?.metadata()?.len();
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{bytes} {seconds:.6}");
    Ok(())
}

fn numbered(path: &Path, part: u64, parts: u64) -> PathBuf {
    if parts == 1 { path.to_owned() } else { path.with_added_extension(part.to_string()) }
}
