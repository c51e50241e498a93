//! Any number of records in order, with little of the memory.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::BUFFER;
use super::held::Held;
use super::merge::{Merge, last_of_each};
use crate::PublishError;

/// How many runs are merged at a time. It bounds the files that are open and the buffers before them.
const FAN: usize = 64;

/// Gathers records, and shows them sorted. As many as fit the memory are sorted there; each time it is
/// full they become a run in a file.
pub(in crate::inventory) struct Sorter<'a> {
    scratch: &'a Path,
    memory: usize,
    held: Vec<Held>,
    /// About how many bytes the records that are held take.
    size: usize,
    /// Runs, fewer than [`FAN`] on each level. That many become one on the next, so that even the
    /// largest input leaves few files open and is copied only once for each level.
    levels: Vec<Vec<Run>>,
}

/// Records in order, in a file.
struct Run {
    file: File,
    /// The last URI in it.
    last: String,
}

impl<'a> Sorter<'a> {
    pub(in crate::inventory) fn new(scratch: &'a Path, memory: usize) -> Self {
        Self { scratch, memory, held: Vec::new(), size: 0, levels: vec![Vec::new()] }
    }

    /// Takes a record from a line after those before. Here and at the end, the line and URI of each
    /// record that another replaces go to `replaced`, once.
    pub(in crate::inventory) fn add(
        &mut self,
        held: Held,
        replaced: &mut impl FnMut(u64, &str),
    ) -> Result<(), PublishError> {
        let size = held.size();
        if !self.held.is_empty() && self.size + size > self.memory {
            self.spill(replaced)?;
        }
        self.size += size;
        self.held.push(held);
        Ok(())
    }

    /// Shows one record of each URI, the one of its last line, in the order of the URIs.
    pub(in crate::inventory) fn finish(
        mut self,
        each: impl FnMut(Held) -> Result<(), PublishError>,
        replaced: &mut impl FnMut(u64, &str),
    ) -> Result<(), PublishError> {
        if self.levels.iter().all(Vec::is_empty) {
            self.held.sort_unstable();
            return last_of_each(self.held.into_iter().map(Ok), each, replaced);
        }
        self.spill(replaced)?;
        // The small ones last, as those are merged first.
        let mut runs: Vec<Run> =
            std::mem::take(&mut self.levels).into_iter().rev().flatten().collect();
        while runs.len() > FAN {
            let few = runs.split_off(runs.len() - FAN);
            runs.push(self.merged(few, replaced)?);
        }
        last_of_each(self.sorted(runs)?, each, replaced)
    }

    /// Puts what is held into a file.
    fn spill(&mut self, replaced: &mut impl FnMut(u64, &str)) -> Result<(), PublishError> {
        let mut held = std::mem::take(&mut self.held);
        self.size = 0;
        held.sort_unstable();
        let first = held.first().map_or("", |held| &held.resource.uri);
        // What goes on where the last run ended is one run with it: sorted input needs no merging.
        let run = match self.levels[0].pop_if(|run| run.last.as_str() < first) {
            Some(run) => run,
            None => self.begin()?,
        };
        let run = self.written(run, held.into_iter().map(Ok), replaced)?;
        self.levels[0].push(run);
        for level in 0.. {
            if self.levels[level].len() < FAN {
                break;
            }
            let full = std::mem::take(&mut self.levels[level]);
            let run = self.merged(full, replaced)?;
            if self.levels.len() == level + 1 {
                self.levels.push(Vec::new());
            }
            self.levels[level + 1].push(run);
        }
        Ok(())
    }

    fn begin(&self) -> Result<Run, PublishError> {
        let file = tempfile::tempfile_in(self.scratch)
            .map_err(PublishError::io("could not make a temporary file in", self.scratch))?;
        Ok(Run { file, last: String::new() })
    }

    /// The run with these records at its end.
    fn written(
        &self,
        mut run: Run,
        sorted: impl Iterator<Item = Result<Held, PublishError>>,
        replaced: &mut impl FnMut(u64, &str),
    ) -> Result<Run, PublishError> {
        let failed = || PublishError::io("could not write a temporary file in", self.scratch);
        let mut out = BufWriter::with_capacity(BUFFER, &run.file);
        let write = |held: Held| {
            held.write(&mut out).map_err(failed())?;
            run.last = held.resource.uri;
            Ok(())
        };
        last_of_each(sorted, write, replaced)?;
        out.flush().map_err(failed())?;
        drop(out);
        Ok(run)
    }

    /// One run of several.
    fn merged(
        &self,
        runs: Vec<Run>,
        replaced: &mut impl FnMut(u64, &str),
    ) -> Result<Run, PublishError> {
        self.written(self.begin()?, self.sorted(runs)?, replaced)
    }

    /// The records of several runs, in order.
    fn sorted(
        &self,
        runs: Vec<Run>,
    ) -> Result<impl Iterator<Item = Result<Held, PublishError>> + use<'a>, PublishError> {
        let scratch = self.scratch;
        let failed = move || PublishError::io("could not read a temporary file in", scratch);
        let merge = Merge::new(runs.into_iter().map(|run| run.file)).map_err(failed())?;
        Ok(merge.map(move |held| held.map_err(failed())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resource;

    /// How many runs there are on each level when each record is one.
    fn runs(names: impl Iterator<Item = u32>) -> Vec<usize> {
        let scratch = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(scratch.path(), 0);
        for (line, name) in names.enumerate() {
            let resource =
                Resource { uri: format!("http://e.example/{name:05}"), ..Resource::default() };
            let held = Held { line: line as u64, resource, unknown: false };
            sorter.add(held, &mut |_, _| panic!("each is there once")).unwrap();
        }
        sorter.levels.iter().map(Vec::len).collect()
    }

    #[test]
    fn runs_are_merged_level_by_level() {
        assert_eq!(runs((0..FAN as u32).rev()), [FAN - 1]);
        // The last record is still held.
        assert_eq!(runs((0..=FAN as u32).rev()), [0, 1]);
        assert_eq!(runs((0..(FAN * FAN + 3) as u32).rev()), [2, 0, 1]);
    }

    #[test]
    fn what_is_in_order_stays_one_run() {
        assert_eq!(runs(0..1_000), [1]);
    }
}
