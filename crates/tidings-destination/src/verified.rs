//! The digests by which the bytes of a resource were verified, as the state keeps them.
//!
//! They are tokens as in a `hash` attribute. The SHA-256, which the state has of everything anyway, is only
//! named, as `sha-256`, if it is all that the Source gave: then it is the Source's, too.

use tidings_document::{Algorithm, Digest, Hash};

/// Says that the SHA-256 of the state is one that the Source gave.
pub(crate) const OWN_SHA256: &str = "sha-256";

/// True if the bytes of a resource were verified by a digest of the Source.
pub(crate) fn is_verified(hash: Option<&str>) -> bool {
    let usable = |token: &str| token == OWN_SHA256 || Digest::parse(token).is_ok();
    hash.is_some_and(|hash| hash.split_ascii_whitespace().any(usable))
}

/// The digests as an attribute has them: those of the Source, else the SHA-256.
pub(crate) fn to_attribute(hash: Option<&str>, sha256: &[u8; 32]) -> Hash<'static> {
    let own = || Digest::new(Algorithm::Sha256, sha256).map(|digest| digest.to_string());
    let tokens = hash.unwrap_or(OWN_SHA256).split_ascii_whitespace();
    let tokens = tokens.filter_map(|token| match token {
        OWN_SHA256 => own(),
        // Some come in base64.
        token => Some(Digest::parse(token).map_or_else(|_| token.to_owned(), |it| it.to_string())),
    });
    Hash::from_attribute(tokens.collect::<Vec<_>>().join(" ").into())
}

/// All digests that bytes were verified by: those of before, and those that the Source gives now. Of one
/// algorithm the later counts.
pub(crate) fn union(before: Option<&str>, now: Option<&str>) -> Option<String> {
    let Some(now) = now else { return before.map(str::to_owned) };
    let algorithm = |token: &str| match token {
        OWN_SHA256 => Some(Algorithm::Sha256),
        token => Digest::parse(token).ok().map(|digest| digest.algorithm()),
    };
    let has = |algorithm_before| {
        now.split_ascii_whitespace().any(|token| algorithm(token) == Some(algorithm_before))
    };
    let mut all = now.to_owned();
    for token in before.unwrap_or_default().split_ascii_whitespace() {
        if algorithm(token).is_some_and(|algorithm| !has(algorithm)) {
            all = format!("{all} {token}");
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "md5:1e0d5cb8ef6ba40c99b14c0237be735e";
    const OTHER: &str = "md5:00000000000000000000000000000000";

    #[test]
    fn digests_of_each_algorithm_are_kept_and_the_later_counts() {
        assert_eq!(union(Some(MD5), Some(OWN_SHA256)).unwrap(), format!("sha-256 {MD5}"));
        assert_eq!(union(Some(MD5), Some(OTHER)).unwrap(), OTHER);
        assert_eq!(union(Some("crc32:0"), Some(MD5)).unwrap(), MD5, "of no use to anybody");
        assert_eq!(union(Some(MD5), None).unwrap(), MD5);
        assert_eq!(union(None, None), None);
    }

    #[test]
    fn what_is_only_named_is_told_in_full() {
        let sha = format!("sha-256:{}", "00".repeat(32));
        assert_eq!(to_attribute(None, &[0; 32]).as_str(), sha);
        let both = to_attribute(Some("sha-256 md5:x"), &[0; 32]);
        assert_eq!(both.as_str(), format!("{sha} md5:x"));
        assert!(is_verified(Some(OWN_SHA256)) && is_verified(Some(MD5)));
        assert!(!is_verified(Some("crc32:0")) && !is_verified(None));
    }
}
