//! A resource that the copy should have.

use serde::{Deserialize, Serialize};
use tidings_document::{Entry, Hash, Link, Moment, PATCH};
use url::Url;

use crate::bytes::Expected;
use crate::links;
use crate::mapping::Uri;
use crate::state::{Row, Validator};
use crate::verified::OWN_SHA256;

/// What is to be had, and all that the Source says of it.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// Its URI, in the form in which equal URIs are equal.
    pub(crate) uri: String,
    /// The set that it belongs to.
    pub(crate) set: i64,
    pub(crate) expected: Expected,
    /// The digests as the Source writes them.
    pub(crate) hash: Option<String>,
    pub(crate) lastmod: Option<Moment>,
    /// When it changed, by the Source's clock.
    pub(crate) changed: Option<Moment>,
    pub(crate) media_type: Option<String>,
    pub(crate) links: Vec<Link<'static>>,
    /// The changes before this one that the copy has not taken in, oldest first, as far as patches lead from
    /// one to the next.
    pub(crate) earlier: Vec<EarlierChange>,
    /// What the copy has of it.
    pub(crate) known: Option<Row>,
    /// How that can be known again by the server, where only that knows.
    pub(crate) validator: Validator,
}

/// A change of a resource that another one came after.
#[derive(Debug, Clone)]
pub(crate) struct EarlierChange {
    /// Its patches.
    pub(crate) links: Vec<Link<'static>>,
    /// What the bytes were then.
    pub(crate) expected: Expected,
}

/// How many changes of one resource are remembered: past that, it is fetched whole.
const MAX_EARLIER_CHANGES: usize = 16;

/// The same as it is kept when it could not be had.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lastmod: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    changed: Option<String>,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    links: Option<String>,
}

impl Wanted {
    /// What an entry of a document at `base` says.
    pub(crate) fn of(entry: &Entry<'_>, uri: &Uri<'_>, set: i64, base: &Url) -> Self {
        let metadata = &entry.metadata;
        let links = entry.links.iter().filter_map(|link| links::resolved(link, base));
        Self {
            uri: uri.as_str().to_owned(),
            set,
            expected: Expected::of(metadata.length, metadata.hash.as_ref()),
            hash: metadata.hash.as_ref().map(|hash| hash.as_str().to_owned()),
            lastmod: entry.lastmod,
            // The time that a list gives is that of the resource, and says nothing about its changes.
            changed: metadata.change.and(entry.change_time()),
            media_type: metadata.media_type.as_deref().map(ToOwned::to_owned),
            links: links.collect(),
            earlier: Vec::new(),
            known: None,
            validator: Validator::default(),
        }
    }

    /// The same, known to come after an earlier change of the resource: where both have patches, it can be
    /// made by one after the other.
    #[must_use]
    pub(crate) fn after(mut self, earlier: Self) -> Self {
        // A version that cannot be told from others is nothing that a patch could be applied to.
        if !self.has_patch() || !earlier.expected.is_certain() {
            return self;
        }
        let goes_on = earlier.has_patch();
        let Self { earlier: mut changes, mut links, expected, .. } = earlier;
        if !goes_on {
            changes.clear();
        }
        links.retain(|link| link.is(PATCH));
        changes.push(EarlierChange { links, expected });
        if changes.len() > MAX_EARLIER_CHANGES {
            changes.remove(0);
        }
        self.earlier = changes;
        self
    }

    fn has_patch(&self) -> bool {
        self.links.iter().any(|link| link.is(PATCH))
    }

    /// Why what the copy has cannot be what an entry speaks of, although the server says that it did not
    /// change: the list may be ahead of the server.
    pub(crate) fn contradiction_with(&self, known: &Row) -> Option<String> {
        let length = self.expected.length.filter(|length| *length != known.length)?;
        Some(format!("it has {} bytes, and should have {length}", known.length))
    }

    /// Forgets what the Source says of the bytes: they are others, which another set speaks of.
    pub(crate) fn forget_statement(&mut self) {
        self.expected = Expected::default();
        self.hash = None;
        self.lastmod = None;
        self.changed = None;
    }

    /// The digests, as the state keeps them ([`verified`](crate::verified)).
    pub(crate) fn other_hash(&self) -> Option<&str> {
        let only_sha256 = self.expected.digests.len() == 1
            && !self.expected.has_unusable
            && self.expected.sha256().is_some();
        if only_sha256 { Some(OWN_SHA256) } else { self.hash.as_deref() }
    }

    pub(crate) fn links_text(&self) -> Option<String> {
        links::to_text(&self.links)
    }

    /// As text, for [`State::owe`](crate::state::State::owe).
    pub(crate) fn to_text(&self) -> String {
        let kept = Kept {
            length: self.expected.length,
            hash: self.hash.clone(),
            lastmod: self.lastmod.map(|lastmod| lastmod.to_string()),
            changed: self.changed.map(|changed| changed.to_string()),
            media_type: self.media_type.clone(),
            links: self.links_text(),
        };
        serde_json::to_string(&kept).unwrap_or_default()
    }

    /// Of such a text.
    pub(crate) fn of_text(uri: String, set: i64, text: &str) -> Option<Self> {
        let kept: Kept = serde_json::from_str(text).ok()?;
        let hash = kept.hash.as_deref().map(|hash| Hash::from_attribute(hash.into()));
        let moment = |text: Option<String>| text.and_then(|text| Moment::parse(&text).ok());
        Some(Self {
            uri,
            set,
            expected: Expected::of(kept.length, hash.as_ref()),
            hash: kept.hash.clone(),
            lastmod: moment(kept.lastmod),
            changed: moment(kept.changed),
            media_type: kept.media_type,
            links: kept.links.as_deref().map(links::of_text).unwrap_or_default(),
            earlier: Vec::new(),
            known: None,
            validator: Validator::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(digest: u8, patch: bool) -> Wanted {
        let mut wanted = Wanted::of_text("http://a.example/".into(), 1, "{}").unwrap();
        let hash =
            Hash::from_attribute(format!("md5:{}", format!("{digest:02x}").repeat(16)).into());
        wanted.expected = Expected::of(None, Some(&hash));
        wanted.links.push(Link::new("describedby", "http://a.example/about"));
        if patch {
            wanted.links.push(Link::new(PATCH, "http://a.example/patch"));
        }
        wanted
    }

    #[test]
    fn changes_are_chained_by_their_patches() {
        let chain = change(3, true).after(change(2, true).after(change(1, true)));
        assert_eq!(chain.earlier.len(), 2);
        assert_eq!(chain.earlier[0].links.len(), 1, "only patches are kept");
        let broken = change(3, true).after(change(2, false).after(change(1, true)));
        assert_eq!(broken.earlier.len(), 1, "the second is what a patch leads from, and no more");
        assert!(change(3, false).after(change(2, true)).earlier.is_empty());
        let mut unknown = change(2, true);
        unknown.expected = Expected::default();
        assert!(change(3, true).after(unknown).earlier.is_empty());
        let long = (0..40).fold(change(0, true), |before, _| change(1, true).after(before));
        assert_eq!(long.earlier.len(), MAX_EARLIER_CHANGES);
    }
}
