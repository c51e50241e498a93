//! One file, looked at.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use tidings_document::{Algorithm, Hash, Moment, Precision};

use super::super::{Found, Passed};
use super::Answer;
use super::media_type::{by_content, by_name};
use super::walk::Seen;
use crate::cache::{Record, Stamp};
use crate::{Resource, fixity};

/// How files are looked at.
#[derive(Clone)]
pub(super) struct Look<'f> {
    pub(super) root: &'f Path,
    pub(super) algorithms: &'f [Algorithm],
}

impl Look<'_> {
    pub(super) fn at(&self, seen: Seen, buffer: &mut Vec<u8>) -> Answer {
        let (path, uri, record) = match seen {
            Seen::File { path, uri, record } => (path, uri, record),
            Seen::Fault { uri, passed } => return Answer::Kept(uri, passed),
            Seen::Passed(passed) => return Answer::Passed(passed),
        };
        let path = self.root.join(path);
        if let Some(record) = record
            && let Some(found) = self.as_remembered(&path, record)
        {
            return Answer::Found(found);
        }
        match self.read(&path, &uri, buffer) {
            Ok(found) => Answer::Found(found),
            Err(reason) => Answer::Kept(uri, Passed { path, reason }),
        }
    }

    /// The file as it is remembered, if it still is the same, and all that is wanted is known of it.
    fn as_remembered(&self, path: &Path, record: Record) -> Option<Found> {
        let stamp = record.stamp?;
        let metadata = fs::metadata(path).ok()?;
        let same = Stamp::of(&metadata) == stamp && self.has_all(record.resource.hash.as_ref());
        same.then(|| {
            let lastmod = modified(&metadata);
            let resource = Resource { lastmod, ..record.resource };
            Found { resource, stamp: Some(stamp) }
        })
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
                    lastmod: modified(&after),
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

fn modified(metadata: &Metadata) -> Option<Moment> {
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Moment::from_unix(i64::try_from(since.as_secs()).ok()?, 0, Precision::Second)
}
