//! From files to an archive, with all cores.

use std::io::Write;
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tidings_base::{PackedFile, Packer};

use super::PackageError;
use super::archive::Archive;
use super::contents::Item;
use super::pack::{LEVEL, Stop, read, stream};

/// Up to this length a file is read into memory; what is longer is copied piece by piece.
const SMALL: u64 = 4 << 20;

/// How many files a worker packs before it hands them on: enough that the handing on does not count.
const RUN: usize = 64;

/// How many runs of each worker may wait: with the one that is packed and the one that is written,
/// each worker has 16 MiB under way at the most.
const WAITING: usize = 2;

/// Files that stand one after the other in the package.
enum Run {
    /// Small ones, `SMALL` bytes together at the most.
    Packed(Range<usize>),
    /// A long one.
    Streamed(usize),
}

/// Writes the files in their order. The workers read, verify and compress; the caller's thread hashes
/// and writes the package. Run after run goes to the workers in turn, so that it is known whose
/// comes next, and the package is the same however many workers there are.
pub(super) fn write<W: Write>(
    items: &[Item],
    number: usize,
    archive: &mut Archive<W>,
) -> Result<(), PackageError> {
    let runs = runs(items);
    let small = runs.iter().filter(|run| matches!(run, Run::Packed(_))).count();
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(small);
    std::thread::scope(|scope| {
        let from: Vec<Receiver<_>> = (0..workers)
            .map(|worker| {
                let (to, from) = sync_channel(WAITING);
                let small = runs.iter().filter_map(|run| match run {
                    Run::Packed(range) => Some(&items[range.clone()]),
                    Run::Streamed(_) => None,
                });
                let mine = small.skip(worker).step_by(workers);
                scope.spawn(move || pack(mine, &to));
                from
            })
            .collect();
        let failed = |source| PackageError::Write { number, source };
        let mut turn = from.iter().cycle();
        for run in &runs {
            match run {
                Run::Streamed(place) => {
                    stream(&items[*place], archive).map_err(|stop| match stop {
                        Stop::Item(error) => error,
                        Stop::Out(source) => failed(source),
                    })?;
                }
                Run::Packed(range) => {
                    // None comes from a worker that panicked; so does the scope then.
                    let packed = turn.next().and_then(|from| from.recv().ok());
                    let packed = packed.ok_or(PackageError::Failed)??;
                    for (item, packed) in items[range.clone()].iter().zip(&packed) {
                        archive.put(&item.name, packed).map_err(failed)?;
                    }
                }
            }
        }
        Ok(())
    })
}

/// Packs runs of files until one cannot be packed, or nobody takes them any more.
fn pack<'i>(
    runs: impl Iterator<Item = &'i [Item]>,
    to: &SyncSender<Result<Vec<PackedFile>, PackageError>>,
) {
    let mut packer = Packer::new(LEVEL);
    for items in runs {
        let packed: Result<Vec<_>, _> = items.iter().map(|item| read(&mut packer, item)).collect();
        let last = packed.is_err();
        if to.send(packed).is_err() || last {
            return;
        }
    }
}

fn runs(items: &[Item]) -> Vec<Run> {
    let mut runs = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (place, item) in items.iter().enumerate() {
        let length = item.expected.length;
        let ends = length > SMALL || bytes + length > SMALL || place - start == RUN;
        if ends && start < place {
            runs.push(Run::Packed(start..place));
        }
        if ends {
            (start, bytes) = (place, 0);
        }
        if length > SMALL {
            runs.push(Run::Streamed(place));
            start = place + 1;
        } else {
            bytes += length;
        }
    }
    if start < items.len() {
        runs.push(Run::Packed(start..items.len()));
    }
    runs
}
