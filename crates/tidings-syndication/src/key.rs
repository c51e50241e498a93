//! Short names for URLs, and what changes are known by.

use sha2::{Digest as _, Sha256};
use url::Url;

/// How long the readable part of a key may be.
const LONGEST: usize = 48;

/// A name for a URL that can stand in another URL: what is readable of it, and six digits that tell it
/// from all others. The same URL has the same name.
pub(crate) fn key(url: &Url, within: Option<&str>) -> String {
    let mut key = String::new();
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let port = url.port().map(|port| format!("-{port}")).unwrap_or_default();
    for character in host.chars().chain(port.chars()).chain(url.path().chars()) {
        let character = character.to_ascii_lowercase();
        if character.is_ascii_alphanumeric() || (character == '.' && !key.ends_with(['.', '-'])) {
            key.push(character);
        } else if !key.is_empty() && !key.ends_with(['-', '.']) {
            key.push('-');
        }
        if key.len() >= LONGEST {
            break;
        }
    }
    let key = key.trim_end_matches(['-', '.']);
    let mut hash = Sha256::new();
    hash.update(within.unwrap_or_default());
    hash.update([0]);
    hash.update(url.as_str());
    let hash = hash.finalize();
    format!("{key}-{}", tidings_base::to_hex(&hash[..3]))
}

/// What a change is known by: the same words give the same key.
pub(crate) fn change_key(parts: &[&str]) -> [u8; 16] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let mut key = [0; 16];
    key.copy_from_slice(&hash.finalize()[..16]);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_readable_and_tell_apart() {
        let of = |url: &str| key(&Url::parse(url).unwrap(), None);
        assert!(of("https://www.example.com/my-shrine/").starts_with("example.com-my-shrine-"));
        assert!(of("http://127.0.0.1:8080/").starts_with("127.0.0.1-8080-"));
        assert_ne!(of("https://example.com/a?b"), of("https://example.com/a?c"));
        assert_eq!(of("https://example.com/%C3%BC/x"), of("https://example.com/%C3%BC/x"));
        assert!(of(&format!("https://example.com/{}", "x".repeat(500))).len() < 60);
    }

    #[test]
    fn change_keys_do_not_run_together() {
        assert_ne!(change_key(&["ab", "c"]), change_key(&["a", "bc"]));
        assert_eq!(change_key(&["a", "b"]), change_key(&["a", "b"]));
    }
}
