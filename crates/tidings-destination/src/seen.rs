//! Which resources of the copy a list spoke of.

/// One bit for each resource that the copy had when the run began, by its id: 10,000,000 resources
/// are 1.25 MB.
#[derive(Debug)]
pub(crate) struct Seen {
    bits: Vec<u64>,
    last: i64,
}

impl Seen {
    /// For ids up to that one.
    pub(crate) fn new(last: i64) -> Self {
        let words = usize::try_from(last).unwrap_or_default() / 64 + 1;
        Self { bits: vec![0; words], last }
    }

    pub(crate) fn insert(&mut self, id: i64) {
        if let Some((word, bit)) = self.place(id) {
            self.bits[word] |= bit;
        }
    }

    /// True for what came later, too: that was listed.
    pub(crate) fn contains(&self, id: i64) -> bool {
        self.place(id).is_none_or(|(word, bit)| self.bits[word] & bit != 0)
    }

    fn place(&self, id: i64) -> Option<(usize, u64)> {
        let within = id <= self.last;
        let id = usize::try_from(id).ok().filter(|_| within)?;
        Some((id / 64, 1 << (id % 64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_there_at_first_counts_as_seen() {
        let mut seen = Seen::new(100);
        seen.insert(7);
        seen.insert(100);
        seen.insert(101);
        assert!(
            seen.contains(7) && seen.contains(100) && seen.contains(101) && seen.contains(5000)
        );
        assert!(!seen.contains(6) && !seen.contains(64));
    }
}
