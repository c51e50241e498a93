//! The digests of a file that were verified.

use tidings_document::{Algorithm, Digest};

use crate::state::Published;

/// The SHA-256 of the file, and the digests of other algorithms that the Source gave and that were
/// verified when the file came. If the copy `prefers` other representations, the Source's digests may be
/// of other bytes than those of the file.
pub(crate) fn verified_digests(row: &Published, prefers: bool) -> Option<Vec<Digest>> {
    let own = Digest::new(Algorithm::Sha256, &row.sha256)?;
    let mut digests = vec![own];
    let told: Vec<Digest> = row
        .hash
        .as_deref()
        .unwrap_or_default()
        .split_ascii_whitespace()
        .filter_map(|token| Digest::parse(token).ok())
        .collect();
    let sha256 = told.iter().find(|digest| digest.algorithm() == Algorithm::Sha256);
    let is_of_file = sha256.map_or(!prefers, |digest| digest.bytes() == row.sha256);
    if is_of_file {
        for digest in told {
            if !digests.iter().any(|known| known.algorithm() == digest.algorithm()) {
                digests.push(digest);
            }
        }
    }
    digests.sort_unstable_by_key(Digest::algorithm);
    Some(digests)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(hash: Option<&str>) -> Published {
        Published {
            id: 1,
            set: 1,
            uri: "https://e.example/".into(),
            path: None,
            length: 1,
            sha256: [7; 32],
            hash: hash.map(str::to_owned),
            lastmod: None,
            media_type: None,
            links: None,
        }
    }

    fn names(hash: Option<&str>, prefers: bool) -> Vec<&'static str> {
        let digests = verified_digests(&row(hash), prefers).unwrap();
        digests.iter().map(|digest| digest.algorithm().name()).collect()
    }

    #[test]
    fn digests_count_if_they_are_of_the_file() {
        let md5 = "md5:00000000000000000000000000000000";
        let own = format!("sha-256:{} {md5}", "07".repeat(32));
        let other = format!("sha-256:{} {md5}", "08".repeat(32));
        assert_eq!(names(None, false), ["sha-256"]);
        assert_eq!(names(Some(md5), false), ["md5", "sha-256"]);
        assert_eq!(names(Some(md5), true), ["sha-256"]);
        assert_eq!(names(Some(&own), true), ["md5", "sha-256"]);
        assert_eq!(names(Some(&other), false), ["sha-256"]);
        assert_eq!(names(Some("crc32:1 md5:xyz"), false), ["sha-256"]);
    }
}
