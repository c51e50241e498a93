//! What is different from one snapshot to the next.

use std::cmp::Ordering;

use tidings_store::Kind;

use super::{Merge, Page};
use crate::PollError;

/// A page that is new, different or gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) page: Page,
    pub(crate) kind: Kind,
}

/// How much there was of everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) before: u64,
    pub(crate) after: u64,
    pub(crate) deleted: u64,
}

/// Walks two snapshots side by side and shows each difference.
///
/// A page counts as updated if its stamp is another one, and there was one before: that a Sitemap
/// begins or ceases to say when its pages changed does not change them.
pub(crate) async fn compare(
    mut before: Merge<'_>,
    mut after: Merge<'_>,
    mut each: impl FnMut(Difference),
) -> Result<Counted, PollError> {
    let mut counted = Counted::default();
    let (mut old, mut new) = (before.next().await?, after.next().await?);
    loop {
        let order = match (&old, &new) {
            (None, None) => return Ok(counted),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.uri.cmp(&new.uri),
        };
        let is_other = matches!((&old, &new), (Some(old), Some(new))
            if order.is_eq() && old.stamp != new.stamp && !old.stamp.is_empty() && !new.stamp.is_empty());
        let gone = if order.is_le() { old.take() } else { None };
        let there = if order.is_ge() { new.take() } else { None };
        counted.before += u64::from(gone.is_some());
        counted.after += u64::from(there.is_some());
        let difference = match (gone, there) {
            (Some(page), None) => {
                counted.deleted += 1;
                Some(Difference { page, kind: Kind::Deleted })
            }
            (None, Some(page)) => Some(Difference { page, kind: Kind::Created }),
            (Some(_), Some(page)) if is_other => Some(Difference { page, kind: Kind::Updated }),
            _ => None,
        };
        if let Some(difference) = difference {
            each(difference);
        }
        if order.is_le() {
            old = before.next().await?;
        }
        if order.is_ge() {
            new = after.next().await?;
        }
    }
}
