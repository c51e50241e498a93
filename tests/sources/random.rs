//! Random numbers from a seed.

/// A small generator (SplitMix64): the same seed gives the same history on every machine.
pub struct Random(u64);

impl Random {
    /// The seed is mixed, and not multiplied by the step: else the numbers of each seed would be those of the
    /// seed before it but for the first, and neighbours would soon tell the same history.
    pub fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// A number below that one.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    /// A number from one to the other, both included.
    pub fn within(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
