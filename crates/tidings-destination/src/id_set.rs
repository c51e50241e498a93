//! A set of resource ids.

/// One bit for each id: ids are small numbers without gaps, so 10,000,000 of them are 1.25 MB.
#[derive(Debug, Default)]
pub(crate) struct IdSet {
    bits: Vec<u64>,
}

impl IdSet {
    /// Adds an id; false if it was there.
    pub(crate) fn insert(&mut self, id: i64) -> bool {
        let Some((word, bit)) = place(id) else { return false };
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        let is_new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        is_new
    }

    /// Takes over all ids of another set, which is empty then.
    pub(crate) fn absorb(&mut self, other: &mut Self) {
        let bits = std::mem::take(&mut other.bits);
        if self.bits.len() < bits.len() {
            self.bits.resize(bits.len(), 0);
        }
        self.bits.iter_mut().zip(bits).for_each(|(word, others)| *word |= others);
    }

    /// Removes an id; false if it was not there.
    pub(crate) fn remove(&mut self, id: i64) -> bool {
        let was_there = self.contains(id);
        if let Some((word, bit)) = place(id).filter(|_| was_there) {
            self.bits[word] &= !bit;
        }
        was_there
    }

    pub(crate) fn contains(&self, id: i64) -> bool {
        place(id).is_some_and(|(word, bit)| self.bits.get(word).is_some_and(|bits| bits & bit != 0))
    }
}

fn place(id: i64) -> Option<(usize, u64)> {
    let id = usize::try_from(id).ok()?;
    Some((id / 64, 1 << (id % 64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_there_from_insert_to_remove() {
        let mut ids = IdSet::default();
        assert!(!ids.contains(7) && !ids.remove(7) && ids.insert(7) && !ids.insert(7));
        assert!(ids.insert(1_000) && ids.contains(7) && !ids.contains(8) && !ids.contains(5_000));
        assert!(ids.remove(7) && !ids.contains(7) && ids.contains(1_000));
        assert!(!ids.insert(-1) && !ids.contains(-1));
    }
}
