//! Words that are probably misspelt forms of others.

use icu_normalizer::ComposingNormalizerBorrowed;

/// A word without the differences that people make by mistake: case, hyphens, underscores and blanks.
pub(crate) fn folded(word: &str) -> String {
    let composed = ComposingNormalizerBorrowed::new_nfkc().normalize(word);
    let letters = composed.chars().filter(|letter| !matches!(letter, '-' | '_' | ' '));
    letters.collect::<String>().to_lowercase()
}

/// Whether a word is probably meant to be the other: the same but for case and hyphens, or one letter
/// away from it; two letters away from words of at least 7.
pub(crate) fn is_near(word: &str, meant: &str) -> bool {
    let (word, meant) = (folded(word), folded(meant));
    if word == meant {
        return true;
    }
    let [word, meant] = [word, meant].map(|word| word.chars().collect::<Vec<char>>());
    let limit = match meant.len() {
        0..=3 => return false,
        4..=6 => 1,
        _ => 2,
    };
    word.len().abs_diff(meant.len()) <= limit && distance(&word, &meant) <= limit
}

/// Whether at most so many letters of a word are others than those of the one that was meant, whatever their case.
pub(crate) fn is_within(word: &str, meant: &str, limit: usize) -> bool {
    let composed = ComposingNormalizerBorrowed::new_nfkc().normalize(word).to_lowercase();
    let [word, meant] = [&composed, meant].map(|word| word.chars().collect::<Vec<char>>());
    word.len().abs_diff(meant.len()) <= limit && distance(&word, &meant) <= limit
}

/// How many letters have to be put in, left out, replaced or swapped with the next one.
fn distance(one: &[char], other: &[char]) -> usize {
    let width = other.len() + 1;
    let mut rows = vec![vec![0; width]; one.len() + 1];
    for (at, row) in rows.iter_mut().enumerate() {
        row[0] = at;
    }
    rows[0] = (0..width).collect();
    for at in 1..=one.len() {
        for to in 1..width {
            let is_other = usize::from(one[at - 1] != other[to - 1]);
            let mut least = (rows[at - 1][to] + 1)
                .min(rows[at][to - 1] + 1)
                .min(rows[at - 1][to - 1] + is_other);
            let is_swapped =
                at > 1 && to > 1 && one[at - 1] == other[to - 2] && one[at - 2] == other[to - 1];
            if is_swapped {
                least = least.min(rows[at - 2][to - 2] + 1);
            }
            rows[at][to] = least;
        }
    }
    rows[one.len()][width - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_nearly_the_same_are_near() {
        for (word, meant) in [
            ("Roles", "roles"),
            ("role", "roles"),
            ("rolse", "roles"),
            ("publish-Date", "publishDate"),
            ("publsihdat", "publishdate"),
            ("STAFF", "staff"),
            ("stafff", "staff"),
        ] {
            assert!(is_near(word, meant), "{word} {meant}");
        }
        for (word, meant) in [("title", "roles"), ("a", "b"), ("in", "on"), ("date", "draft")] {
            assert!(!is_near(word, meant), "{word} {meant}");
        }
    }
}
