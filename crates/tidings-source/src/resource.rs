//! One thing that is there.

use tidings_document::{Entry, Hash, Link, Moment};

/// A resource of the inventory: what its entry in a list says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resource {
    /// Its URI.
    pub uri: String,
    /// When it was last modified.
    pub lastmod: Option<Moment>,
    /// Its length in bytes.
    pub length: Option<u64>,
    /// Its media type.
    pub media_type: Option<String>,
    /// Its digests.
    pub hash: Option<Hash<'static>>,
    /// What it is related to (section 14).
    pub links: Vec<Link<'static>>,
}

impl Resource {
    /// What a Resource List says of it.
    pub fn entry(&self) -> Entry<'_> {
        let mut entry = Entry::new(self.uri.as_str());
        entry.lastmod = self.lastmod;
        entry.metadata.length = self.length;
        entry.metadata.media_type = self.media_type.as_deref().map(Into::into);
        let hash = self.hash.as_ref().map(|hash| Hash::from_attribute(hash.as_str().into()));
        entry.metadata.hash = hash;
        entry.links.clone_from(&self.links);
        entry
    }

    /// True for what a person reads in a browser: what search engines want to know of.
    pub(crate) fn is_page(&self) -> bool {
        let essence = self.media_type.as_deref().and_then(|value| value.split(';').next());
        matches!(essence.map(str::trim), Some("text/html" | "application/xhtml+xml"))
    }

    /// What a Resource List said of it.
    pub(crate) fn of_entry(entry: &Entry<'_>) -> Self {
        Self {
            uri: entry.loc.clone().into_owned(),
            lastmod: entry.lastmod,
            length: entry.metadata.length,
            media_type: entry.metadata.media_type.clone().map(std::borrow::Cow::into_owned),
            hash: entry.metadata.hash.clone().map(Hash::into_owned),
            links: entry.links.iter().map(|link| link.clone().into_owned()).collect(),
        }
    }

    /// True if this is the same representation as the one published before. A digest that both have
    /// decides, whatever the times say: site generators touch every file at each build. Without one,
    /// length and time have to do.
    pub(crate) fn is_unchanged_from(&self, published: &Self) -> bool {
        if let (Some(now), Some(then)) = (&self.hash, &published.hash) {
            if now == then {
                return true;
            }
            let then: Vec<_> = then.digests().flatten().collect();
            let mut common = now.digests().flatten().filter_map(|digest| {
                then.iter()
                    .find(|other| other.algorithm() == digest.algorithm())
                    .map(|other| *other == digest)
            });
            if let Some(first) = common.next() {
                return first && common.all(|same| same);
            }
        }
        self.length == published.length && self.lastmod == published.lastmod
    }

    /// The same, where what is published is known by a Change List alone, whose time is that of the
    /// change: then the length has to do.
    pub(crate) fn is_unchanged_since_change(&self, published: &Self) -> bool {
        let lastmod = self.lastmod;
        self.is_unchanged_from(&Self { lastmod, ..published.clone() })
    }
}

#[cfg(test)]
mod tests {
    use tidings_document::{Algorithm, Digest, Precision};

    use super::*;

    fn resource(byte: u8, seconds: i64, algorithm: Algorithm) -> Resource {
        let digest = Digest::new(algorithm, &vec![byte; algorithm.size()]);
        Resource {
            uri: "http://example.com/".into(),
            lastmod: Moment::from_unix(seconds, 0, Precision::Second),
            length: Some(1),
            media_type: None,
            hash: digest.map(|digest| Hash::new(&[digest])),
            links: Vec::new(),
        }
    }

    #[test]
    fn the_digest_decides_and_the_time_only_without_one() {
        let sha = |byte, seconds| resource(byte, seconds, Algorithm::Sha256);
        assert!(sha(1, 10).is_unchanged_from(&sha(1, 99)));
        assert!(!sha(1, 10).is_unchanged_from(&sha(2, 10)));
        let md5 = resource(1, 10, Algorithm::Md5);
        assert!(sha(1, 10).is_unchanged_from(&md5));
        assert!(!sha(1, 11).is_unchanged_from(&md5));
    }
}
