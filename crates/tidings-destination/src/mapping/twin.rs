//! Names that some file systems take for one.

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

use super::{Uri, digest};

/// The digits of a digest that tells twins apart.
const DIGITS: usize = 8;

/// What two paths have in common if some file system could take one for the other: file systems may
/// look neither at case nor at how accents are written, each in its own way. The key is coarser than
/// each of them: `ß` is `ss`, and all the letters `i` of Turkish are one.
pub fn folded(path: &str) -> String {
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    // Capitals in between bring together what has no small letters in common, as `ß` and `ss`. By
    // character: the small sigma of a whole text depends on where it stands.
    let decomposed = DecomposingNormalizerBorrowed::new_nfd().normalize(path);
    let small: String = decomposed
        .chars()
        .flat_map(char::to_lowercase)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    let small = small.replace("i\u{307}", "i");
    ComposingNormalizerBorrowed::new_nfc().normalize(&small).into_owned()
}

/// A second path for a resource whose first one is taken by a twin: before the extension, so that the
/// file is still opened as what it is, come eight digits of the SHA-256 of the URI.
///
/// They tell chance twins apart. Somebody who makes URIs for it can find two that share a key again:
/// the new path has to be looked for like the first.
pub fn with_suffix(path: &str, uri: &Uri<'_>) -> String {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    let end = match path[name..].rfind('.') {
        Some(dot) if dot > 0 => name + dot,
        _ => path.len(),
    };
    let mut out = path[..end].to_owned();
    out.push_str(digest::MARK);
    digest::push(&mut out, uri.as_str(), DIGITS);
    out.push_str(&path[end..]);
    out
}

#[cfg(test)]
mod tests {
    use unicase::UniCase;

    use super::*;

    #[test]
    fn the_key_is_coarser_than_unicode_case_folding() {
        // Beyond the second plane no letter has a case.
        for character in '\0'..='\u{1FFFF}' {
            let text = character.to_string();
            let key = folded(&text);
            let case_folded = UniCase::unicode(&text).to_folded_case();
            // One of the two knows a newer Unicode than the other.
            let is_news = text.to_uppercase() == text && text.to_lowercase() == text;
            assert!(folded(&case_folded) == key || is_news, "{text:?}");
            assert_eq!(folded(&text.to_uppercase()), key, "{text:?}");
            assert_eq!(folded(&text.to_lowercase()), key, "{text:?}");
            assert_eq!(folded(&key), key, "{text:?}");
        }
    }
}
