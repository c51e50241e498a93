//! What is different from one snapshot to the next.

use std::cmp::Ordering;
use std::collections::HashMap;

use tidings_document::Moment;
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) before: u64,
    pub(crate) after: u64,
    pub(crate) deleted: u64,
    /// How many pages got which new stamp, as far as there are few.
    stamps: HashMap<String, u64>,
}

/// How many different stamps are counted: programs that stamp all pages have few.
const MOST_STAMPS: usize = 1_000;

impl Counted {
    /// The new stamp that most of the updated pages have, and how many have it.
    pub(crate) fn common_stamp(&self) -> Option<(&str, u64)> {
        let most = self.stamps.iter().max_by_key(|(_, count)| **count)?;
        Some((most.0, *most.1))
    }
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
            if order.is_eq() && is_other(&old.stamp, &new.stamp));
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
            (Some(_), Some(page)) if is_other => {
                if counted.stamps.len() < MOST_STAMPS || counted.stamps.contains_key(&page.stamp) {
                    *counted.stamps.entry(page.stamp.clone()).or_default() += 1;
                }
                Some(Difference { page, kind: Kind::Updated })
            }
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

/// Whether a page is another one by its stamps. Times are compared as far as both were written down, and
/// not with digests.
fn is_other(old: &str, new: &str) -> bool {
    if old == new || old.is_empty() || new.is_empty() {
        return false;
    }
    match (Moment::parse(old), Moment::parse(new)) {
        (Ok(old), Ok(new)) => old.is_before(new) || new.is_before(old),
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_other;

    #[test]
    fn stamps_are_compared_as_far_as_they_go() {
        for (old, new, other) in [
            ("2020-01-01", "2020-01-02", true),
            ("2020-01-02", "2020-01-01", true),
            ("2020-01-01", "2020-01-01T10:00:00Z", false),
            ("2020-01-01T10:00:00Z", "2020-01-01T10:00:01Z", true),
            ("2020-01-01T10:00:00Z", "2020-01-01T11:00:00+01:00", false),
            ("", "2020-01-01", false),
            ("2020-01-01", "md5:1", false),
            ("md5:1", "md5:2", true),
        ] {
            assert_eq!(is_other(old, new), other, "{old} {new}");
        }
    }
}
