//! Which elements of two sequences correspond.

use std::hash::Hash;
use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, Interner, Token};

/// The most elements to compare for one patch: those of both sides between the first and the last
/// change. What the search takes grows faster than its input: 100,000 random lines a side take some
/// 0.5 s.
pub(crate) const ROOM: usize = 200_000;

/// Elements of the old sequence, and those that stand in their place in the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// The changes from `old` to `new`, in order, with something unchanged between any two. What is
/// compared is taken from `room`; `None` if there is not enough of it.
///
/// Myers' algorithm with the heuristics of GNU diff. The histogram algorithm of the same crate took
/// 15 s for 100,000 lines of which every second differed; `similar` bounds its time by a deadline,
/// and the result would depend on the clock.
pub(crate) fn align<T: Eq + Hash>(old: &[T], new: &[T], room: &mut usize) -> Option<Vec<Change>> {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[prefix..], &new[prefix..]);
    let suffix = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - suffix], &new[..new.len() - suffix]);
    *room = room.checked_sub(old.len() + new.len())?;
    let mut interner = Interner::new(old.len() + new.len());
    let before: Vec<Token> = old.iter().map(|element| interner.intern(element)).collect();
    let after: Vec<Token> = new.iter().map(|element| interner.intern(element)).collect();
    let mut diff = Diff::default();
    diff.compute_with(Algorithm::Myers, &before, &after, interner.num_tokens());
    let place = |range: Range<u32>| range.start as usize + prefix..range.end as usize + prefix;
    Some(diff.hunks().map(|h| Change { old: place(h.before), new: place(h.after) }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_where_they_are() {
        let mut room = 100;
        let changes = align(b"abcdef", b"abXdefg", &mut room).unwrap();
        assert_eq!(changes, [Change { old: 2..3, new: 2..3 }, Change { old: 6..6, new: 6..7 }]);
        assert_eq!(align(b"same", b"same", &mut room).unwrap(), []);
    }

    #[test]
    fn too_much_is_refused() {
        let old: Vec<usize> = (0..100).collect();
        let mut new = old.clone();
        new[7] = 0;
        // What is equal at both ends takes no room.
        let mut room = 5;
        assert_eq!(align(&old, &new, &mut room).unwrap(), [Change { old: 7..8, new: 7..8 }]);
        assert_eq!(room, 3);
        new[9] = 0;
        assert_eq!(align(&old, &new, &mut room), None);
    }
}
