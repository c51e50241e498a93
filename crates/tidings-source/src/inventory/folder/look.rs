//! One file, looked at.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use tidings_document::{Algorithm, Hash};

use super::super::{Found, Passed, Sight};
use super::batch::{Answer, Batch, Known, Seen, is_exhausted};
use super::children::{OpenFolder, file_name};
use super::media_type::{by_content, by_name};
use crate::cache::{Record, Remembered, Stamp};
use crate::{Resource, fixity};

/// How files are looked at.
#[derive(Clone)]
pub(super) struct Look<'f> {
    pub(super) algorithms: &'f [Algorithm],
    /// True if what is remembered has just the digests that are wanted.
    pub(super) trusting: bool,
}

impl Look<'_> {
    /// Looks at each file of a batch. What is remembered of them stays in it.
    pub(super) fn at(&self, batch: &mut Batch, buffer: &mut Vec<u8>) -> Vec<Answer> {
        let seen = std::mem::take(&mut batch.seen);
        let batch = &*batch;
        seen.into_iter().map(|seen| self.at_one(batch, seen, buffer)).collect()
    }

    fn at_one(&self, batch: &Batch, seen: Seen, buffer: &mut Vec<u8>) -> Answer {
        let sight = match seen {
            Seen::Known(known) => return self.at_known(batch, known, buffer),
            Seen::File { folder, name, uri } => {
                return self.read_for(batch.folder(folder), &name, uri, None, buffer);
            }
            Seen::Unknown(remembered) => {
                Sight::Unknown(remembered.record.resource.uri.clone(), Some(*remembered))
            }
            Seen::Fault { uri, passed } => {
                return Answer::Other(Some(Box::new(Sight::Unknown(uri, None))), Some(passed));
            }
            Seen::Passed(passed) => return Answer::Other(None, Some(passed)),
            Seen::Gone(remembered) => Sight::Gone(*remembered),
            Seen::Damaged => Sight::Damaged,
            Seen::Exhausted(path, error) => Sight::Exhausted(path, error.to_string()),
        };
        Answer::Other(Some(Box::new(sight)), None)
    }

    fn at_known(&self, batch: &Batch, known: Known, buffer: &mut Vec<u8>) -> Answer {
        let (folder, segment) = (batch.folder_of(&known), batch.segment(&known));
        let remembered = batch.same(&known);
        // Most names stand in a URI as they are.
        let decoded;
        let name = match segment.contains('%') {
            false => OsStr::new(segment),
            true => {
                decoded = file_name(segment);
                &decoded
            }
        };
        let record = || remembered.body.record(remembered.set, remembered.uri);
        let stat = folder.stat(name);
        if stat.is_ok_and(|stat| remembered.body.is_of(&Stamp::of_stat(&stat))) {
            let wanted = |record: Record| self.has_all(record.resource.hash.as_ref());
            if self.trusting || record().is_ok_and(wanted) {
                return Answer::Same(known);
            }
        }
        match record() {
            Ok(record) => {
                let remembered = Remembered { record, end: remembered.end };
                let uri = remembered.record.resource.uri.clone();
                self.read_for(folder, name, uri, Some(remembered), buffer)
            }
            Err(_) => Answer::Other(Some(Box::new(Sight::Damaged)), None),
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

    fn read_for(
        &self,
        folder: &OpenFolder,
        name: &OsStr,
        uri: String,
        remembered: Option<Remembered>,
        buffer: &mut Vec<u8>,
    ) -> Answer {
        match self.read(folder, name, &uri, buffer) {
            Ok(found) => Answer::Other(Some(Box::new(Sight::Read(found, remembered))), None),
            Err(error) if is_exhausted(&error) => {
                let sight = Sight::Exhausted(folder.path.join(name), error.to_string());
                Answer::Other(Some(Box::new(sight)), None)
            }
            Err(error) => {
                let reason = error.to_string();
                let (path, sight) = (folder.path.join(name), Sight::Unknown(uri, remembered));
                Answer::Other(Some(Box::new(sight)), Some(Passed { path, reason }))
            }
        }
    }

    /// Reads a file until it did not change while it was read: twice at the most.
    fn read(
        &self,
        folder: &OpenFolder,
        name: &OsStr,
        uri: &str,
        buffer: &mut Vec<u8>,
    ) -> io::Result<Found> {
        let named = by_name(Path::new(name));
        for _ in 0..2 {
            let at = SystemTime::now();
            let read = folder.file(name).and_then(|mut file| {
                fixity::of_file(&mut file, self.algorithms, named.is_none(), buffer)
            });
            let (content, metadata) = read?;
            let stamp = Stamp::of(&metadata);
            // One that was last changed before it was opened is what was read. Of one that may have
            // been changed since, it is asked again.
            let settled = stamp.is_settled(at);
            let same = || folder.stat(name).is_ok_and(|stat| Stamp::of_stat(&stat) == stamp);
            let unchanged = settled || self.is_as_read(folder, name, &content, buffer) && same();
            if stamp.size != content.length || !unchanged {
                continue;
            }
            let media_type = named.unwrap_or_else(|| by_content(&content.start));
            return Ok(Found {
                resource: Resource {
                    uri: uri.to_owned(),
                    lastmod: stamp.lastmod(),
                    length: Some(content.length),
                    media_type: Some(media_type.to_owned()),
                    hash: (!self.algorithms.is_empty()).then_some(content.hash),
                    links: Vec::new(),
                },
                stamp: Some(stamp).filter(|_| settled),
            });
        }
        Err(io::Error::other("it changed while it was read"))
    }

    /// True if a file that may just be written is the same when it is read again.
    fn is_as_read(
        &self,
        folder: &OpenFolder,
        name: &OsStr,
        content: &fixity::Content,
        buffer: &mut Vec<u8>,
    ) -> bool {
        let again = folder
            .file(name)
            .and_then(|mut file| fixity::of_file(&mut file, self.algorithms, false, buffer));
        again.is_ok_and(|(again, _)| again.hash == content.hash && again.length == content.length)
    }
}
