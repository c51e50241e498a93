//! What changed: a resource of the inventory held against what was published of it.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use tidings_base::{Joined, MergeJoin};
use tidings_document::Change;

use crate::Resource;
use crate::cache::Stamp;
use crate::previous::{ListAgreement, PublishedResource};

/// A resource of the inventory, in its set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InventoryResource {
    pub(crate) set: usize,
    pub(crate) resource: Resource,
    pub(crate) stamp: Option<Stamp>,
}

/// The difference between the inventory and the last publication, of one resource in one set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InventoryDiff {
    /// As it was. What is there now, if it could be looked at, may have more digests.
    Kept { published: PublishedResource, current: Option<InventoryResource> },
    /// Another one than before, or a new one.
    Changed { change: Change, current: InventoryResource, published: Option<Resource> },
    /// No longer there.
    Gone(PublishedResource),
}

/// Shows what became of one resource in each of its sets. A file that moved to another set is one that
/// went and one that came.
pub(crate) fn for_each_diff<E>(
    published: Vec<PublishedResource>,
    current: Vec<InventoryResource>,
    show: impl FnMut(InventoryDiff) -> Result<(), E>,
) -> Result<(), E> {
    let compare = |published: &PublishedResource, current: &InventoryResource| {
        match published.set.cmp(&current.set) {
            // It went, and came back.
            Ordering::Equal if published.agreement == ListAgreement::Outlives => Ordering::Less,
            order => order,
        }
    };
    let joined = MergeJoin::new(published.into_iter(), current.into_iter(), compare);
    let diff = |joined| match joined {
        Joined::Left(published) => InventoryDiff::Gone(published),
        Joined::Both(published, current) if is_unchanged(&published, &current) => {
            InventoryDiff::Kept { published, current: Some(current) }
        }
        Joined::Both(published, current) => {
            let published = Some(published.resource);
            InventoryDiff::Changed { change: Change::Updated, current, published }
        }
        Joined::Right(current) => {
            InventoryDiff::Changed { change: Change::Created, current, published: None }
        }
    };
    joined.map(diff).try_for_each(show)
}

fn is_unchanged(published: &PublishedResource, current: &InventoryResource) -> bool {
    match published.agreement {
        ListAgreement::Lags => current.resource.is_unchanged_since_change(&published.resource),
        _ => current.resource.is_unchanged_from(&published.resource),
    }
}
