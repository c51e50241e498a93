//! What is known when a publication begins: the last publication, and the cache.

use std::path::PathBuf;

use tidings_document::Moment;

use super::set_to_publish::sets_to_publish;
use crate::cache::{self, CacheReader, Generation, Totals};
use crate::clock::moment_after;
use crate::layout::{CHANGE_LIST, Layout, RESOURCE_LIST};
use crate::previous::{Previous, PriorStream, PublishedResource, PublishedResources, merged};
use crate::{Options, PublishError};

/// The last publication, from its documents and from the cache.
pub(super) struct PriorState {
    /// Of each set that is to be published, in the order of the options.
    pub(super) previous: Vec<(usize, Option<Previous>)>,
    /// The moment of this publication: after all moments of those before.
    pub(super) now: Moment,
    pub(super) cache: CacheState,
    reader: Option<CacheReader>,
}

/// The cache.
#[derive(Debug, Clone, Default)]
pub(super) struct CacheState {
    /// Where it is, if it is used.
    pub(super) path: Option<PathBuf>,
    /// True if it is of the documents that are there.
    pub(super) is_current: bool,
}

impl CacheState {
    /// The error for a cache that cannot be read.
    pub(super) fn damaged(&self) -> PublishError {
        PublishError::Cache { path: self.path.clone().unwrap_or_default() }
    }
}

impl PriorState {
    pub(super) fn open(options: &Options, layout: &Layout) -> Result<Self, PublishError> {
        let (mut previous, mut latest) = (Vec::new(), None);
        for set in sets_to_publish(options, layout) {
            let last = match options.full {
                // Forgotten, but for its times: these never run backwards.
                true => {
                    let last = Previous::open(&set.layout).ok().flatten();
                    latest = latest.max(last.map(|last| last.latest));
                    None
                }
                false => Previous::open(&set.layout)?,
            };
            latest = latest.max(last.as_ref().map(|last| last.latest));
            previous.push((set.number, last));
        }
        let now = moment_after(latest);
        let folder = options.cache.as_ref().filter(|_| {
            // Only files have something by which they are known to be the same.
            options.inventory.folder().is_some()
        });
        let path = folder.map(|folder| {
            cache::file(folder, layout.place(), layout.base(), options.only.as_deref())
        });
        let reader = path.as_deref().and_then(CacheReader::open);
        // It has one set of each resource.
        let is_current = !options.full
            && !options.shares()
            && reader
                .as_ref()
                .is_some_and(|cache| *cache.generation() == generation(options, layout, &previous));
        Ok(Self { previous, now, cache: CacheState { path, is_current }, reader })
    }

    /// How much there was the last time, if the cache tells.
    pub(super) fn totals(&self) -> Option<Totals> {
        self.reader.as_ref().map(CacheReader::totals)
    }

    /// All that was published and cached, in the order of the URIs, with the state of each set.
    pub(super) fn into_stream(self) -> Result<PriorStream, PublishError> {
        let Self { previous, cache: CacheState { path, is_current }, reader, .. } = self;
        let (mut sets, mut resources) = (Vec::new(), Vec::new());
        for (set, last) in previous {
            if let Some(last) = last {
                sets.push(set);
                resources.push(last.resources());
            }
        }
        // A cache that is of the very documents says the same, and sooner.
        let published: PublishedResources = match is_current {
            true => Box::new(std::iter::empty()),
            false => Box::new(merged(resources).map(move |published| {
                let published = published?;
                Ok(PublishedResource { set: sets[published.set], ..published })
            })),
        };
        let prior = PriorStream::new(published);
        match reader.zip(path) {
            Some((reader, path)) => prior.with_cache(reader, path, is_current),
            None => Ok(prior),
        }
    }
}

/// Of what a cache would be: the documents of the last publication, and how they were made.
pub(super) fn generation<'p>(
    options: &Options,
    layout: &Layout,
    previous: impl IntoIterator<Item = &'p (usize, Option<Previous>)>,
) -> Generation {
    let Options { algorithms, sets, links, selection, patches, .. } = options;
    let base = layout.base();
    let manner = format!("{base} {algorithms:?} {sets:?} {links:?} {selection:?} {patches}");
    let mut documents = Vec::new();
    for (number, last) in previous {
        let layout = layout.of_set(options.sets[*number].name.as_deref());
        documents.extend([layout.own(RESOURCE_LIST), layout.own(CHANGE_LIST)]);
        if let Some(last) = last {
            documents.extend(last.leaves.iter().map(|leaf| leaf.name.clone()));
            documents.extend(last.logs.last().map(|log| log.name.clone()));
        }
    }
    let versions = documents.iter().map(|name| (layout.path(name), layout.files().version(name)));
    cache::generation(&manner, versions)
}
