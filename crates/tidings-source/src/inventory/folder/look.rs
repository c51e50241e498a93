//! One file, looked at.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::SystemTime;

use tidings_document::{Algorithm, Hash, Moment, Precision};

use super::super::{Found, Passed, Sight};
use super::Answer;
use super::children::OpenFolder;
use super::media_type::{by_content, by_name};
use super::walk::Seen;
use crate::cache::{Remembered, Stamp};
use crate::{Resource, fixity};

/// How files are looked at.
#[derive(Clone)]
pub(super) struct Look<'f> {
    pub(super) algorithms: &'f [Algorithm],
}

impl Look<'_> {
    pub(super) fn at(&self, seen: Seen, buffer: &mut Vec<u8>) -> Answer {
        let sight = match seen {
            Seen::File { folder, name, uri } => {
                return self.read_for(&folder, &name, uri, None, buffer);
            }
            Seen::Known { folder, name, remembered } => {
                match self.as_remembered(&folder, &name, &remembered) {
                    Some(lastmod) => Sight::Same(remembered, lastmod),
                    None => {
                        let uri = remembered.record.resource.uri.clone();
                        return self.read_for(&folder, &name, uri, Some(remembered), buffer);
                    }
                }
            }
            Seen::Unknown(remembered) => {
                Sight::Unknown(remembered.record.resource.uri.clone(), Some(remembered))
            }
            Seen::Fault { uri, passed } => {
                let sight = Some(Sight::Unknown(uri, None));
                return Answer { sight, passed: Some(passed) };
            }
            Seen::Passed(passed) => return Answer { sight: None, passed: Some(passed) },
            Seen::Gone(remembered) => Sight::Gone(remembered),
            Seen::Damaged => Sight::Damaged,
        };
        Answer { sight: Some(sight), passed: None }
    }

    /// When a file was modified, if it still is as it is remembered, and all that is wanted is known
    /// of it.
    fn as_remembered(
        &self,
        folder: &OpenFolder,
        name: &OsStr,
        Remembered { record, .. }: &Remembered,
    ) -> Option<Option<Moment>> {
        let stamp = record.stamp.filter(|_| self.has_all(record.resource.hash.as_ref()))?;
        let now = Stamp::of_stat(&folder.stat(name).ok()?);
        (now == stamp).then(|| moment(now.modified.div_euclid(1_000_000_000)))
    }

    fn read_for(
        &self,
        folder: &OpenFolder,
        name: &OsStr,
        uri: String,
        remembered: Option<Remembered>,
        buffer: &mut Vec<u8>,
    ) -> Answer {
        let path = folder.path.join(name);
        match self.read(&path, &uri, buffer) {
            Ok(found) => Answer { sight: Some(Sight::Read(found, remembered)), passed: None },
            Err(reason) => {
                let sight = Some(Sight::Unknown(uri, remembered));
                Answer { sight, passed: Some(Passed { path, reason }) }
            }
        }
    }

    /// True if these are just the digests that are wanted.
    fn has_all(&self, hash: Option<&Hash<'_>>) -> bool {
        let tokens = || hash.map(Hash::tokens).into_iter().flatten();
        let has = |algorithm: &Algorithm| {
            tokens().any(|token| {
                token.strip_prefix(algorithm.name()).is_some_and(|rest| rest.starts_with(':'))
            })
        };
        tokens().count() == self.algorithms.len() && self.algorithms.iter().all(has)
    }

    /// Reads a file until it did not change while it was read: twice at the most.
    fn read(&self, path: &Path, uri: &str, buffer: &mut Vec<u8>) -> Result<Found, String> {
        for _ in 0..2 {
            let at = SystemTime::now();
            let read = || -> io::Result<(Metadata, Metadata, fixity::Content)> {
                let mut file = File::open(path)?;
                let before = file.metadata()?;
                let content = fixity::of_file(&mut file, before.len(), self.algorithms, buffer)?;
                Ok((before, file.metadata()?, content))
            };
            let (before, after, content) = { read }().map_err(|error| error.to_string())?;
            let stamp = Stamp::of(&after);
            if Stamp::of(&before) != stamp || stamp.size != content.length {
                continue;
            }
            let media_type = by_name(path).unwrap_or_else(|| by_content(&content.start));
            return Ok(Found {
                resource: Resource {
                    uri: uri.to_owned(),
                    lastmod: moment(after.mtime()),
                    length: Some(content.length),
                    media_type: Some(media_type.to_owned()),
                    hash: (!self.algorithms.is_empty()).then_some(content.hash),
                    links: Vec::new(),
                },
                stamp: Some(stamp).filter(|stamp| stamp.is_settled(at)),
            });
        }
        Err("it changed while it was read".into())
    }
}

fn moment(seconds: i64) -> Option<Moment> {
    Moment::from_unix(seconds, 0, Precision::Second)
}
