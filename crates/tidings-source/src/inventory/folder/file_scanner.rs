//! Looks at files: whether they are as the cache has them, and if not, what they are.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use tidings_document::{Algorithm, Hash};

use super::super::{Passed, ScanEvent, ScannedResource};
use super::batch::{FileBatch, WalkItem, WalkedFile, is_exhausted};
use super::children::{OpenFolder, file_name};
use super::media_type::{by_content, by_name};
use crate::cache::{CachedFile, Stamp};
use crate::previous::PublishedResource;
use crate::{PublishError, Resource, fixity};

/// How files are looked at.
#[derive(Clone)]
pub(super) struct FileScanner<'f> {
    pub(super) algorithms: &'f [Algorithm],
    /// True if the cache is what was published, and so has just the digests that are wanted.
    pub(super) is_cache_current: bool,
    pub(super) cache_path: &'f Path,
}

impl FileScanner<'_> {
    /// Looks at each file of a batch. What the cache has of them stays in it.
    pub(super) fn scan_batch(&self, batch: &mut FileBatch, buffer: &mut Vec<u8>) {
        let items = std::mem::take(&mut batch.items);
        let mut scanned = Vec::with_capacity(items.len());
        for item in items {
            match item {
                WalkItem::File(file) => {
                    if let Err(error) = self.scan_file(batch, file, buffer, &mut scanned) {
                        scanned.push(WalkItem::Failed(Box::new(error)));
                    }
                }
                other => scanned.push(other),
            }
        }
        batch.items = scanned;
    }

    fn scan_file(
        &self,
        batch: &FileBatch,
        mut file: WalkedFile,
        buffer: &mut Vec<u8>,
        scanned: &mut Vec<WalkItem>,
    ) -> Result<(), PublishError> {
        let (folder, segment) = (batch.folder(&file), batch.segment(&file));
        // Most names stand in a URI as they are.
        let decoded;
        let name = match segment.contains('%') {
            false => OsStr::new(segment),
            true => {
                decoded = file_name(segment);
                &decoded
            }
        };
        if let Some(cached) = batch.cached(&file) {
            let stat = folder.stat(name);
            if stat.is_ok_and(|stat| cached.body.is_of(&Stamp::of_stat(&stat))) {
                if self.is_cache_current {
                    scanned.push(WalkItem::Unchanged(file));
                    return Ok(());
                }
                if let Some(resource) = self.known_resource(&cached)? {
                    let published = file.published;
                    scanned.push(WalkItem::event(ScanEvent::Present { resource, published }));
                    return Ok(());
                }
            }
            if self.is_cache_current {
                let published = PublishedResource::from_cache(&cached);
                file.published.push(published.map_err(|_| self.damaged_cache())?);
            }
        }
        let read = self.read(folder, name, batch.uri(&file), buffer);
        let (path, published) = (|| folder.path.join(name), file.published);
        match read {
            Ok(resource) => {
                scanned.push(WalkItem::event(ScanEvent::Present { resource, published }));
            }
            Err(source) if is_exhausted(&source) => {
                return Err(PublishError::TooManyOpenFiles { path: path(), source });
            }
            Err(error) => {
                let events = published.into_iter().map(ScanEvent::Kept);
                let passed = Passed { path: path(), reason: error.to_string() };
                let events = events.chain([ScanEvent::Passed(passed)]);
                scanned.extend(events.map(WalkItem::event));
            }
        }
        Ok(())
    }

    /// The resource that a file is which is as the cache has it; none if other digests are wanted.
    fn known_resource(
        &self,
        cached: &CachedFile<'_>,
    ) -> Result<Option<ScannedResource>, PublishError> {
        let record = cached.record().map_err(|_| self.damaged_cache())?;
        if !self.has_all(record.resource.hash.as_ref()) {
            return Ok(None);
        }
        // What is published may have another time; the file has this one.
        let lastmod = record.stamp.and_then(Stamp::lastmod);
        let resource = Resource { lastmod, ..record.resource };
        Ok(Some(ScannedResource { resource, stamp: record.stamp }))
    }

    fn damaged_cache(&self) -> PublishError {
        PublishError::Cache { path: self.cache_path.to_owned() }
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
    fn read(
        &self,
        folder: &OpenFolder,
        name: &OsStr,
        uri: &str,
        buffer: &mut Vec<u8>,
    ) -> io::Result<ScannedResource> {
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
            return Ok(ScannedResource {
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
