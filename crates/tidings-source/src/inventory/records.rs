//! Records as an inventory: what a repository exports of itself, as JSON lines or CSV.

mod csv;
mod error;
mod fields;
mod held;
mod json;
mod judge;
mod links;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use tidings_base::Sorter;

use super::{Inventory, InventoryItem, Passed, SORTED_IN_MEMORY, SharedShow, ShowItem};
use crate::{PublishError, Resource};
pub use error::RecordError;
use fields::Fields;
pub(super) use held::Held;
pub(super) use judge::Judge;

/// The longest line that is looked at, in bytes. What is longer is skipped without being held.
const MAX_RECORD_BYTES: usize = 1 << 20;

/// How much of a reason is kept, in characters: it may quote a line, and there may be many.
const MOST_SAID: usize = 300;
pub use links::LinkFields;

/// How much of the input is read at a time.
const BUFFER: usize = 64 << 10;

/// How records are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON object on each line. Blank lines are skipped.
    JsonLines,
    /// Comma-separated values (RFC 4180) under a header that names the fields.
    Csv,
}

/// Records in a file, as an inventory: resources that somebody else has listed, one record each, in any order.
///
/// The fields of a record are `uri` (or `loc`), `lastmod`, `length`, `type`, `hash` (as in a Resource
/// List: `algorithm:hex`, several with blanks between) and `md5`, `sha1`, `sha256` (hex alone). In JSON
/// `links` is an array of objects with `rel`, `href` and the other attributes of a link; in CSV a column
/// `link:REL` has the targets. All but the URI may be missing; others are ignored. White space around a
/// value does not count, and an empty value is a missing one. A `lastmod` without a time zone is taken
/// as UTC.
#[derive(Debug, Clone)]
pub struct RecordInventory {
    /// The file; none for standard input.
    pub path: Option<PathBuf>,
    /// How the records are written down.
    pub format: Format,
}

impl Inventory for RecordInventory {
    fn place(&self) -> String {
        match &self.path {
            Some(path) => path.display().to_string(),
            None => "standard input".into(),
        }
    }

    fn visit(&self, _base: &str, show: &mut ShowItem<'_>) -> Result<(), PublishError> {
        let scratch = std::env::temp_dir();
        match &self.path {
            None => {
                let input = io::stdin();
                Records::new(input, self.format, &scratch, SORTED_IN_MEMORY).visit(show)
            }
            Some(path) => {
                let input = File::open(path).map_err(PublishError::io("could not read", path))?;
                Records::new(input, self.format, &scratch, SORTED_IN_MEMORY).visit(show)
            }
        }
    }
}

/// Records to be read from any input.
#[derive(Debug)]
pub(super) struct Records<R> {
    input: R,
    format: Format,
    scratch: PathBuf,
    memory: usize,
}

impl<R: Read> Records<R> {
    /// Records to be read from `input`. Up to about `memory` bytes of them are held; what is more
    /// goes into unnamed temporary files in the folder `scratch`, which is not touched otherwise.
    /// Merging those files takes some MiB besides.
    pub(super) fn new(input: R, format: Format, scratch: &Path, memory: usize) -> Self {
        Self { input, format, scratch: scratch.to_owned(), memory }
    }

    /// Shows each resource once, in the byte order of the URIs, after all of the input was read: only
    /// its last line tells that it was in order. Of several records of one URI the last counts.
    ///
    /// What cannot be used is passed over under the path `line N`, in no particular order: a record
    /// that says nothing usable, that a Resource List could not hold, or that a later one replaces. If
    /// its URI at least can be used, that is shown in its place: what was published of it may stay.
    /// The line of a CSV record is that on which it begins.
    ///
    /// An input that cannot be read to its end is an error, and so is CSV without a header that names
    /// `uri` or `loc`: taken for an empty inventory, it would have everything deleted.
    pub(super) fn visit(self, show: &mut ShowItem<'_>) -> Result<(), PublishError> {
        let shared = SharedShow::new(show);
        let passed = |one| shared.pass(one);
        let mut judge = Judge::new()?;
        let mut sorter = Sorter::new(&self.scratch, self.memory);
        let take = |line: u64, fields: Result<Fields, RecordError>| {
            let (uri, resource) = match fields {
                Ok(fields) => (fields.uri(), fields.resource()),
                Err(reason) => (None, Err(reason)),
            };
            let (resource, unknown) = match resource.and_then(|one| judge.accept(one)) {
                Ok(resource) => (Some(resource), false),
                Err(reason) => {
                    passed(passed_over(line, &reason.to_string()));
                    let bare = uri.map(|uri| Resource { uri, ..Resource::default() });
                    (bare.and_then(|bare| judge.accept(bare).ok()), true)
                }
            };
            let Some(resource) = resource else { return Ok(()) };
            let held = Held { line, resource, unknown };
            Ok(sorter.add(held, &mut |held| passed(replaced(held)))?)
        };
        let input = without_mark(self.input).map_err(unreadable(1))?;
        let input = BufReader::with_capacity(BUFFER, input);
        match self.format {
            Format::JsonLines => json::each(input, take)?,
            Format::Csv => csv::each(input, take)?,
        }
        let show = |held: Held| {
            shared.show(match held.unknown {
                false => InventoryItem::Resource(held.resource),
                true => InventoryItem::Unknown(held.resource.uri),
            })
        };
        sorter.finish(show, &mut |held| passed(replaced(held)))?;
        shared.check()
    }
}

/// The input without the byte order mark that it may begin with.
fn without_mark<R: Read>(mut input: R) -> io::Result<impl Read> {
    const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];
    let mut start = Vec::with_capacity(MARK.len());
    input.by_ref().take(MARK.len() as u64).read_to_end(&mut start)?;
    if start == MARK {
        start.clear();
    }
    Ok(Cursor::new(start).chain(input))
}

fn passed_over(line: u64, reason: &str) -> Passed {
    let mut characters = reason.char_indices();
    let reason = match characters.nth(MOST_SAID) {
        None => reason.to_owned(),
        Some((end, _)) => format!("{}…", &reason[..end]),
    };
    Passed { path: format!("line {line}").into(), reason }
}

fn replaced(held: &Held) -> Passed {
    passed_over(held.line, &format!("a later line has the same URI, {}", held.resource.uri))
}

fn unreadable(line: u64) -> impl FnOnce(io::Error) -> PublishError {
    PublishError::io("could not read", format!("line {line}"))
}
