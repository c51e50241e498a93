//! Two sorted sequences side by side.

use std::cmp::Ordering;
use std::iter::Fuse;

/// The next items of two sorted sequences: one of a side, or one of each that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joined<L, R> {
    /// Only the left side has it.
    Left(L),
    /// Only the right side has it.
    Right(R),
    /// Both sides have it.
    Both(L, R),
}

/// The heads of two sorted sequences. It asks nobody for items: its caller puts the next item of a side in
/// place of the one that was taken, be it by iterating, waiting or otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinHeads<L, R> {
    /// The next item of the left side; none at its end.
    pub left: Option<L>,
    /// The next item of the right side; none at its end.
    pub right: Option<R>,
}

impl<L, R> JoinHeads<L, R> {
    /// Takes what comes next; none when both sides have ended. `compare` says how the left head stands to
    /// the right one.
    pub fn take(&mut self, compare: impl FnOnce(&L, &R) -> Ordering) -> Option<Joined<L, R>> {
        let order = match (&self.left, &self.right) {
            (Some(left), Some(right)) => compare(left, right),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        match order {
            Ordering::Less => self.left.take().map(Joined::Left),
            Ordering::Greater => self.right.take().map(Joined::Right),
            Ordering::Equal => {
                self.left.take().zip(self.right.take()).map(|(l, r)| Joined::Both(l, r))
            }
        }
    }
}

/// Two sorted iterators as one.
#[derive(Debug)]
pub struct MergeJoin<L: Iterator, R: Iterator, F> {
    left: Fuse<L>,
    right: Fuse<R>,
    heads: JoinHeads<L::Item, R::Item>,
    compare: F,
}

impl<L, R, F> MergeJoin<L, R, F>
where
    L: Iterator,
    R: Iterator,
    F: FnMut(&L::Item, &R::Item) -> Ordering,
{
    /// Joins two iterators, both in the order that `compare` goes by. An item that cannot be compared, such
    /// as an error, goes out at once if `compare` says that it comes first.
    pub fn new(left: L, right: R, compare: F) -> Self {
        let heads = JoinHeads { left: None, right: None };
        Self { left: left.fuse(), right: right.fuse(), heads, compare }
    }
}

impl<L, R, F> Iterator for MergeJoin<L, R, F>
where
    L: Iterator,
    R: Iterator,
    F: FnMut(&L::Item, &R::Item) -> Ordering,
{
    type Item = Joined<L::Item, R::Item>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.heads.left.is_none() {
            self.heads.left = self.left.next();
        }
        if self.heads.right.is_none() {
            self.heads.right = self.right.next();
        }
        self.heads.take(&mut self.compare)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// What the join of two sets is, by way of a map.
    fn expected(left: &[u8], right: &[u8]) -> Vec<Joined<u8, u8>> {
        let mut sides: BTreeMap<u8, (bool, bool)> = BTreeMap::new();
        for item in left {
            sides.entry(*item).or_default().0 = true;
        }
        for item in right {
            sides.entry(*item).or_default().1 = true;
        }
        let joined = |(item, sides)| match sides {
            (true, true) => Joined::Both(item, item),
            (true, false) => Joined::Left(item),
            _ => Joined::Right(item),
        };
        sides.into_iter().map(joined).collect()
    }

    #[test]
    fn all_pairs_of_small_sets_are_joined() {
        let sets: Vec<Vec<u8>> =
            (0..32_u8).map(|bits| (0..5).filter(|bit| bits >> bit & 1 == 1).collect()).collect();
        for left in &sets {
            for right in &sets {
                let joined: Vec<Joined<u8, u8>> =
                    MergeJoin::new(left.iter().copied(), right.iter().copied(), u8::cmp).collect();
                assert_eq!(joined, expected(left, right));
            }
        }
    }

    #[test]
    fn an_item_that_comes_first_goes_out_at_once() {
        let left = [Ok(1), Err("bad"), Ok(3)];
        let compare = |left: &Result<i32, &str>, right: &i32| {
            left.as_ref().map_or(Ordering::Less, |left| left.cmp(right))
        };
        let joined: Vec<_> =
            MergeJoin::new(left.into_iter(), [2, 3].into_iter(), compare).collect();
        assert_eq!(
            joined,
            [
                Joined::Left(Ok(1)),
                Joined::Left(Err("bad")),
                Joined::Right(2),
                Joined::Both(Ok(3), 3)
            ]
        );
    }
}
