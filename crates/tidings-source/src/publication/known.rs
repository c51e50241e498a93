//! What is known when a publication begins.

use std::path::PathBuf;

use tidings_document::Moment;

use super::run::active;
use crate::cache::{self, CacheReader, Generation};
use crate::clock::moment_after;
use crate::layout::{CHANGE_LIST, Layout, RESOURCE_LIST};
use crate::previous::{Merged, Previous, Published};
use crate::{Inventory, Options, PublishError};

/// The last publication, from its documents and from what is remembered of it.
pub(super) struct Known {
    /// Of each set that is to be published, in the order of the options.
    pub(super) previous: Vec<(usize, Option<Previous>)>,
    /// The moment of this publication: after all moments of those before.
    pub(super) now: Moment,
    pub(super) memory: Memory,
}

/// The cache.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    /// Where it is, if it is used.
    pub(super) path: Option<PathBuf>,
    /// True if it is of the documents that are there.
    pub(super) current: bool,
}

impl Memory {
    /// What to say if it cannot be read.
    pub(super) fn damaged(&self) -> PublishError {
        PublishError::Cache { path: self.path.clone().unwrap_or_default() }
    }
}

/// What was published, resource by resource.
pub(super) type PublishedResources = Box<dyn Iterator<Item = Result<Published, PublishError>>>;

impl Known {
    pub(super) fn open(options: &Options, layout: &Layout) -> Result<Self, PublishError> {
        let (mut previous, mut latest) = (Vec::new(), None);
        for set in active(options, layout) {
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
        let cached = options.cache.as_ref().filter(|_| {
            // Only files have something by which they are known to be the same.
            matches!(options.inventory, Inventory::Folder(_))
        });
        let path = cached.map(|folder| {
            cache::file(folder, &options.out, layout.base(), options.only.as_deref())
        });
        // It remembers one set of each resource.
        let current = !options.full
            && !options.shares()
            && path
                .as_deref()
                .and_then(CacheReader::open)
                .is_some_and(|cache| *cache.generation() == generation(options, layout, &previous));
        Ok(Self { previous, now, memory: Memory { path, current } })
    }

    /// What was published, in the order of the URIs. Nothing if it is remembered: then it comes with the
    /// files.
    pub(super) fn published(
        previous: Vec<Previous>,
        sets: &[usize],
        memory: &Memory,
    ) -> PublishedResources {
        if memory.current {
            return Box::new(std::iter::empty());
        }
        let sets = sets.to_vec();
        let merged = Merged::new(previous.into_iter().map(Previous::resources).collect());
        Box::new(merged.map(move |published| {
            published.map(|published| Published { set: sets[published.set], ..published })
        }))
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
        documents.extend([layout.own_path(RESOURCE_LIST), layout.own_path(CHANGE_LIST)]);
        if let Some(last) = last {
            documents.extend(last.leaves.iter().map(|leaf| layout.path(&leaf.name)));
            documents.extend(last.logs.last().map(|log| log.path.clone()));
        }
    }
    cache::generation(&manner, documents.iter().map(PathBuf::as_path))
}
