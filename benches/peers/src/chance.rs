//! Numbers that look random and are the same in each run.

/// A number of its own for each number.
pub fn scattered(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// All numbers below `count`, each once, as if shuffled; without keeping them.
pub fn shuffled(count: u64) -> impl Iterator<Item = u64> {
    let bits = 64 - count.saturating_sub(1).leading_zeros().min(62);
    let mask = u64::MAX >> (64 - bits);
    // Both steps can be undone modulo a power of two, so that no two numbers become one.
    let mix = move |number: u64| {
        let half = bits.div_ceil(2);
        let mut mixed = number;
        for factor in [0xd1b5_4a32_d192_ed03_u64, 0x9e6c_63d0_876a_3f6b, 0xe703_7ed1_a0b4_28db] {
            mixed ^= mixed >> half;
            mixed = mixed.wrapping_mul(factor) & mask;
        }
        mixed ^ (mixed >> half)
    };
    (0..=mask).map(mix).filter(move |number| *number < count)
}

#[cfg(test)]
mod tests {
    use super::shuffled;

    #[test]
    fn each_number_comes_once() {
        for count in [0, 1, 2, 5, 1_000, 1_024] {
            let mut numbers: Vec<u64> = shuffled(count).collect();
            assert!(count < 1_000 || !numbers.is_sorted());
            numbers.sort_unstable();
            assert_eq!(numbers, (0..count).collect::<Vec<u64>>());
        }
    }
}
