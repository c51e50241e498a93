//! Many sorted sequences made one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, Seek};

use super::BUFFER;
use super::held::Held;
use crate::PublishError;

/// The records of several files, each of which is in order, in order.
pub(super) struct Merge {
    files: Vec<BufReader<File>>,
    /// The next record of each file that has one, with the file's place.
    next: BinaryHeap<Reverse<(Held, usize)>>,
}

impl Merge {
    pub(super) fn new(files: impl IntoIterator<Item = File>) -> io::Result<Self> {
        let mut merge = Self { files: Vec::new(), next: BinaryHeap::new() };
        for (place, mut file) in files.into_iter().enumerate() {
            file.rewind()?;
            merge.files.push(BufReader::with_capacity(BUFFER, file));
            merge.fetch(place)?;
        }
        Ok(merge)
    }

    fn fetch(&mut self, place: usize) -> io::Result<()> {
        if let Some(held) = Held::read(&mut self.files[place])? {
            self.next.push(Reverse((held, place)));
        }
        Ok(())
    }
}

impl Iterator for Merge {
    type Item = io::Result<Held>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((held, place)) = self.next.pop()?;
        Some(self.fetch(place).map(|()| held))
    }
}

/// Shows of each URI the record of its last line. The line and URI of each other one go to
/// `replaced`.
pub(super) fn last_of_each(
    sorted: impl IntoIterator<Item = Result<Held, PublishError>>,
    mut each: impl FnMut(Held) -> Result<(), PublishError>,
    replaced: &mut impl FnMut(u64, &str),
) -> Result<(), PublishError> {
    let mut last: Option<Held> = None;
    for held in sorted {
        let held = held?;
        if let Some(last) = last.take() {
            if last.resource.uri == held.resource.uri {
                replaced(last.line, &last.resource.uri);
            } else {
                each(last)?;
            }
        }
        last = Some(held);
    }
    last.map_or(Ok(()), each)
}
