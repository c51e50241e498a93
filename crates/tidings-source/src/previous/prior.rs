//! All that is known when a publication begins, as one stream beside which the inventory is read.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use super::PublishedResource;
use crate::PublishError;
use crate::cache::{CacheReader, CachedFile};

/// What the documents say was published, in the order of the URIs, then of the sets.
pub(crate) type PublishedResources =
    Box<dyn Iterator<Item = Result<PublishedResource, PublishError>> + Send>;

/// The next of what is known, seen from a resource of the inventory.
pub(crate) enum Prior {
    /// It was published, and stands before that resource.
    Before(PublishedResource),
    /// All that was published of that resource: in no set, in one, or in several.
    Here(Vec<PublishedResource>),
}

/// What was published, and what the cache has, in the order of the URIs. The inventory is joined with both
/// here and nowhere else.
///
/// The cache is lent, not given: of a million files that did not change no record is copied but into
/// the batch that it travels in.
pub(crate) struct PriorStream {
    published: Peekable<PublishedResources>,
    cache: Option<CacheReader>,
    cache_path: PathBuf,
    is_current: bool,
    /// True if the record that the cache is at is of the resource that was last arrived at.
    is_here: bool,
}

impl PriorStream {
    /// The documents alone.
    pub(crate) fn new(published: PublishedResources) -> Self {
        let (published, cache_path) = (published.peekable(), PathBuf::new());
        Self { published, cache: None, cache_path, is_current: false, is_here: false }
    }

    /// The same with a cache. If it `is_current`, that of the documents that are there, its records are what
    /// was published; else they only tell of files.
    pub(crate) fn with_cache(
        self,
        cache: CacheReader,
        cache_path: PathBuf,
        is_current: bool,
    ) -> Result<Self, PublishError> {
        let mut prior = Self { cache: Some(cache), cache_path, is_current, ..self };
        prior.next_record()?;
        Ok(prior)
    }

    /// True if the records of the cache are what was published.
    pub(crate) fn is_cache_current(&self) -> bool {
        self.is_current
    }

    /// Where the cache is.
    pub(crate) fn cache_path(&self) -> &Path {
        &self.cache_path
    }

    /// The error for a cache that cannot be read.
    fn damaged_cache(&self) -> PublishError {
        PublishError::Cache { path: self.cache_path.clone() }
    }

    /// Goes one step towards the resource with which `order` compares a URI.
    pub(crate) fn advance(
        &mut self,
        order: impl Fn(&str) -> Ordering,
    ) -> Result<Prior, PublishError> {
        if std::mem::take(&mut self.is_here) {
            self.next_record()?;
        }
        let is_before = |next: &Result<PublishedResource, _>| match next {
            Ok(next) => order(&next.resource.uri).is_lt(),
            Err(_) => true,
        };
        // A current cache stands for the documents.
        if !self.is_current
            && let Some(published) = self.published.next_if(is_before)
        {
            return Ok(Prior::Before(published?));
        }
        while let Some(cache) = &self.cache {
            match order(cache.uri()) {
                Ordering::Less if self.is_current => {
                    let published = PublishedResource::from_cache(&cache.file());
                    let published = published.map_err(|_| self.damaged_cache())?;
                    self.next_record()?;
                    return Ok(Prior::Before(published));
                }
                Ordering::Less => self.next_record()?,
                Ordering::Equal => {
                    self.is_here = true;
                    break;
                }
                Ordering::Greater => break,
            }
        }
        let mut here = Vec::new();
        if self.is_current {
            return Ok(Prior::Here(here));
        }
        let is_here = |next: &Result<PublishedResource, _>| match next {
            Ok(next) => order(&next.resource.uri).is_eq(),
            Err(_) => true,
        };
        while let Some(published) = self.published.next_if(is_here) {
            here.push(published?);
        }
        Ok(Prior::Here(here))
    }

    /// What the cache has of the resource that was last arrived at.
    pub(crate) fn cached(&self) -> Option<CachedFile<'_>> {
        self.cache.as_ref().filter(|_| self.is_here).map(CacheReader::file)
    }

    fn next_record(&mut self) -> Result<(), PublishError> {
        match self.cache.as_mut().map(CacheReader::advance) {
            Some(Ok(true)) | None => {}
            Some(Ok(false)) => self.cache = None,
            Some(Err(_)) => {
                self.cache = None;
                // Else what is behind the damage is only found out again.
                if self.is_current {
                    return Err(self.damaged_cache());
                }
            }
        }
        Ok(())
    }
}
