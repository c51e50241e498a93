//! What is different from one snapshot to the next.

use std::collections::HashMap;

use tidings_base::{JoinHeads, Joined};
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
    pub(crate) created: u64,
    pub(crate) updated: u64,
    /// How many pages have a stamp, and had none.
    pub(crate) stamped: u64,
    /// How many pages are as they were because nobody could read what is said of them now.
    pub(crate) carried: u64,
    /// How many pages got which new stamp, as far as there are few.
    stamps: HashMap<String, u64>,
}

/// How many different stamps are counted: programs that stamp all pages have few.
const MOST_STAMPS: usize = 1_000;

impl Counted {
    fn count_update(&mut self, stamp: &str) {
        self.updated += 1;
        if self.stamps.len() < MOST_STAMPS || self.stamps.contains_key(stamp) {
            *self.stamps.entry(stamp.to_owned()).or_default() += 1;
        }
    }

    /// True if most of the pages that were there before claim to have changed, as far as that could be read.
    pub(crate) fn has_most_updated(&self) -> bool {
        self.updated * 2 > (self.after - self.created).saturating_sub(self.carried)
    }

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
    let mut heads = JoinHeads { left: before.next().await?, right: after.next().await? };
    while let Some(joined) = heads.take(|old, new| old.uri.cmp(&new.uri)) {
        let difference = match joined {
            Joined::Left(page) => {
                counted.before += 1;
                counted.deleted += 1;
                Some(Difference { page, kind: Kind::Deleted })
            }
            Joined::Right(page) => {
                counted.after += 1;
                counted.created += 1;
                Some(Difference { page, kind: Kind::Created })
            }
            Joined::Both(old, page) => {
                counted.before += 1;
                counted.after += 1;
                counted.stamped += u64::from(old.stamp.is_empty() && !page.stamp.is_empty());
                if is_other(&old.stamp, &page.stamp) {
                    counted.count_update(&page.stamp);
                    Some(Difference { page, kind: Kind::Updated })
                } else {
                    None
                }
            }
        };
        if let Some(difference) = difference {
            each(difference);
        }
        if heads.left.is_none() {
            heads.left = before.next().await?;
        }
        if heads.right.is_none() {
            heads.right = after.next().await?;
        }
    }
    Ok(counted)
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
