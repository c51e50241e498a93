//! Any number of records in order, with little of the memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use crate::Merge;

/// How many runs are merged at a time. It bounds the files that are open and the buffers before them.
const MERGED_RUNS: usize = 64;

/// How much of each run is read or written at a time.
const BUFFER_BYTES: usize = 64 << 10;

const MAKE: &str = "could not make a temporary file in";
const READ: &str = "could not read a temporary file in";
const WRITE: &str = "could not write a temporary file in";

/// A record that can be sorted, also if not all of them fit into memory. The order is that of the keys; of
/// records with one key the greatest stays.
pub trait SpillRecord: Ord + Sized {
    /// The key.
    type Key: Ord;

    /// The key by which records are told apart.
    fn key(&self) -> &Self::Key;

    /// The same of a record that is of no more use.
    fn into_key(self) -> Self::Key;

    /// About how many bytes it takes in memory.
    fn size(&self) -> usize;

    /// Writes it down.
    ///
    /// # Errors
    /// If it cannot be written.
    fn write(&self, out: &mut impl Write) -> io::Result<()>;

    /// Reads the next one that was written; none at the end.
    ///
    /// # Errors
    /// If it cannot be read, or is not as it was written.
    fn read(input: &mut impl BufRead) -> io::Result<Option<Self>>;
}

/// A temporary file that could not be used.
#[derive(Debug)]
pub struct SpillError {
    /// What was tried, as in "could not make a temporary file in".
    pub action: &'static str,
    /// The folder of temporary files.
    pub folder: PathBuf,
    /// The cause.
    pub source: io::Error,
}

/// Gathers records, and shows them sorted, one of each key. As many as fit the memory are sorted there; each
/// time it is full they become a run in a temporary file.
#[derive(Debug)]
pub struct Sorter<'a, R: SpillRecord> {
    folder: &'a Path,
    memory: usize,
    held: Vec<R>,
    /// About how many bytes the records that are held take.
    size: usize,
    /// Runs, fewer than [`MERGED_RUNS`] on each level. That many become one on the next, so that even the
    /// largest input leaves few files open and is copied only once for each level.
    levels: Vec<Vec<Run<R::Key>>>,
}

/// Records in order, in a file.
#[derive(Debug)]
struct Run<K> {
    file: File,
    /// The last key in it.
    last: Option<K>,
}

/// The records of a run.
struct RunReader<'a, R> {
    input: BufReader<File>,
    folder: &'a Path,
    record: std::marker::PhantomData<R>,
}

impl<R: SpillRecord> Iterator for RunReader<'_, R> {
    type Item = Result<R, SpillError>;

    fn next(&mut self) -> Option<Self::Item> {
        R::read(&mut self.input).map_err(failed(READ, self.folder)).transpose()
    }
}

fn failed(action: &'static str, folder: &Path) -> impl FnOnce(io::Error) -> SpillError {
    move |source| SpillError { action, folder: folder.to_owned(), source }
}

impl<'a, R: SpillRecord> Sorter<'a, R> {
    /// Gathers about `memory` bytes at a time; runs go to temporary files in that folder.
    #[must_use]
    pub fn new(folder: &'a Path, memory: usize) -> Self {
        Self { folder, memory, held: Vec::new(), size: 0, levels: vec![Vec::new()] }
    }

    /// Adds a record. Here and at the end, each record that another one of its key replaces goes to
    /// `replaced`, once.
    ///
    /// # Errors
    /// If a temporary file cannot be made, written or read.
    pub fn add(&mut self, record: R, replaced: &mut impl FnMut(&R)) -> Result<(), SpillError> {
        let size = record.size();
        if !self.held.is_empty() && self.size + size > self.memory {
            self.spill(replaced)?;
        }
        self.size += size;
        self.held.push(record);
        Ok(())
    }

    /// Shows one record of each key, the greatest, in the order of the keys.
    ///
    /// # Errors
    /// If a temporary file cannot be made, written or read, and whatever `each` fails by.
    pub fn finish<E: From<SpillError>>(
        mut self,
        each: impl FnMut(R) -> Result<(), E>,
        replaced: &mut impl FnMut(&R),
    ) -> Result<(), E> {
        if self.levels.iter().all(Vec::is_empty) {
            self.held.sort_unstable();
            return last_of_each(self.held.into_iter().map(Ok), each, replaced);
        }
        self.spill(replaced)?;
        // The small ones last, as those are merged first.
        let mut runs: Vec<Run<R::Key>> =
            std::mem::take(&mut self.levels).into_iter().rev().flatten().collect();
        while runs.len() > MERGED_RUNS {
            let few = runs.split_off(runs.len() - MERGED_RUNS);
            runs.push(self.merge(few, replaced)?);
        }
        last_of_each(self.sorted(runs)?, each, replaced)
    }

    /// Puts the held records into a file.
    fn spill(&mut self, replaced: &mut impl FnMut(&R)) -> Result<(), SpillError> {
        let mut held = std::mem::take(&mut self.held);
        self.size = 0;
        held.sort_unstable();
        let first = held.first().map(R::key);
        // What goes on where the last run ended is one run with it: sorted input needs no merging.
        let run = match self.levels[0].pop_if(|run| run.last.as_ref() < first) {
            Some(run) => run,
            None => self.begin()?,
        };
        let run = self.write(run, held.into_iter().map(Ok), replaced)?;
        self.levels[0].push(run);
        for level in 0.. {
            if self.levels[level].len() < MERGED_RUNS {
                break;
            }
            let full = std::mem::take(&mut self.levels[level]);
            let run = self.merge(full, replaced)?;
            if self.levels.len() == level + 1 {
                self.levels.push(Vec::new());
            }
            self.levels[level + 1].push(run);
        }
        Ok(())
    }

    fn begin(&self) -> Result<Run<R::Key>, SpillError> {
        let file = tempfile::tempfile_in(self.folder).map_err(failed(MAKE, self.folder))?;
        Ok(Run { file, last: None })
    }

    /// The run with these records at its end.
    fn write(
        &self,
        mut run: Run<R::Key>,
        sorted: impl Iterator<Item = Result<R, SpillError>>,
        replaced: &mut impl FnMut(&R),
    ) -> Result<Run<R::Key>, SpillError> {
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, &run.file);
        let write = |record: R| {
            record.write(&mut out).map_err(failed(WRITE, self.folder))?;
            run.last = Some(record.into_key());
            Ok(())
        };
        last_of_each(sorted, write, replaced)?;
        out.flush().map_err(failed(WRITE, self.folder))?;
        drop(out);
        Ok(run)
    }

    /// One run of several.
    fn merge(
        &self,
        runs: Vec<Run<R::Key>>,
        replaced: &mut impl FnMut(&R),
    ) -> Result<Run<R::Key>, SpillError> {
        self.write(self.begin()?, self.sorted(runs)?, replaced)
    }

    /// The records of several runs, in order.
    fn sorted(&self, runs: Vec<Run<R::Key>>) -> Result<Merge<RunReader<'a, R>, R>, SpillError> {
        let reader = |mut run: Run<R::Key>| {
            run.file.rewind().map_err(failed(READ, self.folder))?;
            let input = BufReader::with_capacity(BUFFER_BYTES, run.file);
            Ok(RunReader { input, folder: self.folder, record: std::marker::PhantomData })
        };
        Ok(Merge::new(runs.into_iter().map(reader).collect::<Result<Vec<_>, _>>()?))
    }
}

/// Shows the last record of each key. The others go to `replaced`.
fn last_of_each<R: SpillRecord, E: From<SpillError>>(
    sorted: impl Iterator<Item = Result<R, SpillError>>,
    mut each: impl FnMut(R) -> Result<(), E>,
    replaced: &mut impl FnMut(&R),
) -> Result<(), E> {
    let mut last: Option<R> = None;
    for record in sorted {
        let record = record?;
        let key = record.key();
        match last.take_if(|last| last.key() == key) {
            Some(last) => replaced(&last),
            None => last.take().map_or(Ok(()), &mut each)?,
        }
        last = Some(record);
    }
    last.map_or(Ok(()), each)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name and its number.
    #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
    struct Name(String, u64);

    impl SpillRecord for Name {
        type Key = String;

        fn key(&self) -> &String {
            &self.0
        }

        fn into_key(self) -> String {
            self.0
        }

        fn size(&self) -> usize {
            self.0.len()
        }

        fn write(&self, out: &mut impl Write) -> io::Result<()> {
            writeln!(out, "{} {}", self.0, self.1)
        }

        fn read(input: &mut impl BufRead) -> io::Result<Option<Self>> {
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            let (name, number) =
                line.trim_end().split_once(' ').ok_or(io::ErrorKind::InvalidData)?;
            Ok(Some(Self(name.to_owned(), number.parse().map_err(io::Error::other)?)))
        }
    }

    /// How many runs there are on each level when each record is one.
    fn runs(names: impl Iterator<Item = usize>) -> Vec<usize> {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(folder.path(), 0);
        for name in names {
            let record = Name(format!("{name:05}"), 0);
            sorter.add(record, &mut |_| panic!("each is there once")).unwrap();
        }
        sorter.levels.iter().map(Vec::len).collect()
    }

    #[test]
    fn runs_are_merged_level_by_level() {
        assert_eq!(runs((0..MERGED_RUNS).rev()), [MERGED_RUNS - 1]);
        // The last record is still held.
        assert_eq!(runs((0..=MERGED_RUNS).rev()), [0, 1]);
        assert_eq!(runs((0..(MERGED_RUNS * MERGED_RUNS + 3)).rev()), [2, 0, 1]);
    }

    #[test]
    fn what_is_in_order_stays_one_run() {
        assert_eq!(runs(0..1_000), [1]);
    }

    #[test]
    fn records_are_sorted_and_the_greatest_of_a_key_stays() {
        for memory in [0, 7, 50, 1_000_000] {
            let folder = tempfile::tempdir().unwrap();
            let mut sorter = Sorter::new(folder.path(), memory);
            let mut replaced = 0;
            for number in 0..500_u64 {
                let name = Name((number * 7919 % 250).to_string(), number);
                sorter.add(name, &mut |_| replaced += 1).unwrap();
            }
            let mut sorted = Vec::new();
            let each = |name| {
                sorted.push(name);
                Ok::<_, SpillError>(())
            };
            sorter.finish(each, &mut |_| replaced += 1).unwrap();
            assert!(sorted.is_sorted());
            assert_eq!((sorted.len(), replaced), (250, 250), "{memory}");
            assert!(sorted.iter().all(|name| name.1 >= 250));
            // The files have no names.
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_folder_that_is_missing_is_named() {
        let folder = Path::new("/missing");
        let mut sorter = Sorter::new(folder, 0);
        sorter.add(Name("b".into(), 0), &mut |_| {}).unwrap();
        let error = sorter.add(Name("a".into(), 0), &mut |_| {}).unwrap_err();
        assert_eq!((error.action, error.folder.as_path()), (MAKE, folder));
        assert_eq!(error.source.kind(), io::ErrorKind::NotFound);
    }
}
