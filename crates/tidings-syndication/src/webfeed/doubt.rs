//! What of a difference is believed, and when.
//!
//! An index may be wrong for a while: its server is being moved, a file is being written. What looks like
//! that removes nothing until it has been so for some time. It is not asked for the same bytes then: an
//! index may say in a comment when it was made, and its author may go on to write.

use std::collections::HashSet;

use tidings_store::{Millis, NewPost};

use super::difference::Difference;
use crate::details::Held;

/// What is believed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Believed {
    pub(super) added: Vec<NewPost>,
    /// Their numbers and addresses.
    pub(super) removed: Vec<(i64, String)>,
    /// What is not.
    pub(super) held: Option<Held>,
    /// Why it is not.
    pub(super) reason: Option<String>,
}

/// Decides what of a difference is believed, if what was held back was so long enough after `doubt`.
pub(super) fn believed(
    difference: Difference,
    held: Option<Held>,
    now: Millis,
    doubt: Millis,
) -> Believed {
    let Difference { mut added, cut, removed, doubt: reason, is_suspect, .. } = difference;
    if reason.is_none() {
        added.extend(cut);
        return Believed { added, removed, ..Believed::default() };
    }
    let missing: HashSet<i64> = removed.iter().map(|(id, _)| *id).collect();
    let held = held.and_then(|held| {
        let missing: Vec<i64> =
            held.missing.into_iter().filter(|id| missing.contains(id)).collect();
        (!missing.is_empty()).then_some(Held { missing, ..held })
    });
    match held {
        Some(held) if now - held.since >= doubt => {
            added.extend(cut);
            let still: HashSet<i64> = held.missing.into_iter().collect();
            let (removed, rest): (Vec<_>, Vec<_>) =
                removed.into_iter().partition(|(id, _)| still.contains(id));
            let missing: Vec<i64> = rest.into_iter().map(|(id, _)| id).collect();
            let held = (!missing.is_empty()).then_some(Held { since: now, missing });
            let reason = reason.filter(|_| held.is_some());
            Believed { added, removed, held, reason }
        }
        held => {
            let new = || Held { since: now, missing: missing.into_iter().collect() };
            let added = if is_suspect { Vec::new() } else { added };
            Believed { added, removed: Vec::new(), held: Some(held.unwrap_or_else(new)), reason }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Millis = 60 * 60 * 1000;

    fn gone(ids: &[i64]) -> Difference {
        Difference {
            removed: ids.iter().map(|id| (*id, format!("https://a.example/{id}"))).collect(),
            doubt: Some("that may be a mistake".to_owned()),
            ..Difference::default()
        }
    }

    fn ids(believed: &Believed) -> Vec<i64> {
        believed.removed.iter().map(|(id, _)| *id).collect()
    }

    #[test]
    fn f2_what_stays_away_for_long_is_gone_whatever_else_happens() {
        let first = believed(gone(&[1, 2, 3]), None, 0, HOUR);
        assert_eq!((ids(&first), first.reason.is_some()), (vec![], true));
        let soon = believed(gone(&[1, 2, 3]), first.held.clone(), 2_000, HOUR);
        assert_eq!((ids(&soon), soon.held.as_ref().unwrap().since), (vec![], 0));
        // One has come back, and two others are gone.
        let later = believed(gone(&[2, 3, 7, 8]), soon.held, HOUR, HOUR);
        assert_eq!((ids(&later), later.reason.is_some()), (vec![2, 3], true));
        let held = later.held.unwrap();
        assert_eq!((held.since, &held.missing[..]), (HOUR, &[7, 8][..]));
        let last = believed(gone(&[7, 8]), Some(held), 2 * HOUR, HOUR);
        assert_eq!((ids(&last), last.held, last.reason), (vec![7, 8], None, None));
    }

    #[test]
    fn f2_another_doubt_takes_its_own_time() {
        let first = believed(gone(&[1, 2, 3]), None, 0, HOUR);
        let other = believed(gone(&[4, 5]), first.held, 2 * HOUR, HOUR);
        assert_eq!((ids(&other), other.held.unwrap().since), (vec![], 2 * HOUR));
    }

    #[test]
    fn f2_what_comes_with_a_wrong_index_is_not_believed_either() {
        let post =
            NewPost { url: "https://a.example/Sorry".to_owned(), place: 1, is_repost: false };
        let wrong =
            || Difference { added: vec![post.clone()], is_suspect: true, ..gone(&[1, 2, 3]) };
        let first = believed(wrong(), None, 0, HOUR);
        assert_eq!(first.added, []);
        assert_eq!(believed(wrong(), first.held, HOUR, HOUR).added, std::slice::from_ref(&post));
        let partly = Difference { is_suspect: false, ..wrong() };
        assert_eq!(believed(partly, None, 0, HOUR).added, [post]);
    }
}
