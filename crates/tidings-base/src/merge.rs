//! Many sorted sequences as one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The next item of each of many sorted sequences. It asks nobody for items: its caller adds the next item of
/// the sequence from which one was taken, be it by iterating, waiting or otherwise.
#[derive(Debug)]
pub struct MergeHeads<T> {
    heap: BinaryHeap<Reverse<(T, usize)>>,
}

impl<T: Ord> MergeHeads<T> {
    /// Without items.
    #[must_use]
    pub fn new() -> Self {
        Self { heap: BinaryHeap::new() }
    }

    /// Adds the next item of the sequence of that number.
    pub fn push(&mut self, item: T, sequence: usize) {
        self.heap.push(Reverse((item, sequence)));
    }

    /// The least item, and the number of its sequence; of equal ones that of the sequence with the lowest
    /// number.
    #[must_use]
    pub fn peek(&self) -> Option<(&T, usize)> {
        self.heap.peek().map(|Reverse((item, sequence))| (item, *sequence))
    }

    /// Takes the least item. The next of its sequence is to be added before the next is taken.
    pub fn pop(&mut self) -> Option<(T, usize)> {
        self.heap.pop().map(|Reverse(head)| head)
    }
}

impl<T: Ord> Default for MergeHeads<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Many sorted iterators as one. An error of one goes out at once and ends that one.
#[derive(Debug)]
pub struct Merge<I, T> {
    sequences: Vec<I>,
    heads: MergeHeads<T>,
    /// The sequences of which the next item is still to be asked for.
    due: Vec<usize>,
}

impl<I: Iterator<Item = Result<T, E>>, T: Ord, E> Merge<I, T> {
    /// Merges iterators, each of which is sorted. Of equal items, those of the first come first.
    pub fn new(sequences: impl IntoIterator<Item = I>) -> Self {
        let sequences: Vec<I> = sequences.into_iter().collect();
        let due = (0..sequences.len()).collect();
        Self { sequences, heads: MergeHeads::new(), due }
    }
}

impl<I: Iterator<Item = Result<T, E>>, T: Ord, E> Iterator for Merge<I, T> {
    type Item = Result<T, E>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(sequence) = self.due.pop() {
            match self.sequences[sequence].next() {
                Some(Ok(item)) => self.heads.push(item, sequence),
                Some(Err(error)) => return Some(Err(error)),
                None => {}
            }
        }
        let (item, sequence) = self.heads.pop()?;
        self.due.push(sequence);
        Some(Ok(item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_merged_in_order() {
        let sequences: [&[(u8, char)]; 4] =
            [&[(1, 'a'), (4, 'a')], &[], &[(2, 'c'), (4, 'c'), (5, 'c')], &[(0, 'd')]];
        let sequences = sequences.map(|items| items.iter().copied().map(Ok::<_, ()>));
        let merged: Vec<(u8, char)> = Merge::new(sequences).map(Result::unwrap).collect();
        assert_eq!(merged, [(0, 'd'), (1, 'a'), (2, 'c'), (4, 'a'), (4, 'c'), (5, 'c')]);
    }

    #[test]
    fn an_error_ends_its_sequence_alone() {
        let sequences = [vec![Ok(1), Err("bad"), Ok(2)], vec![Ok(3), Ok(4)]];
        let merged: Vec<Result<i32, &str>> = Merge::new(sequences.map(Vec::into_iter)).collect();
        assert_eq!(merged, [Ok(1), Err("bad"), Ok(3), Ok(4)]);
    }

    #[test]
    fn of_equal_items_those_of_the_first_sequence_come_first() {
        let mut heads = MergeHeads::new();
        heads.push(7, 1);
        heads.push(7, 0);
        assert_eq!(heads.peek(), Some((&7, 0)));
        assert_eq!([heads.pop(), heads.pop(), heads.pop()], [Some((7, 0)), Some((7, 1)), None]);
    }
}
