//! What is remembered of a site as a whole, and how far a collection was processed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tidings_store::Millis;
use tidings_web::{Fetched, Validators};

/// What is remembered of a site: what was found, where, and how good it is.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    /// The URL that a person named.
    pub asked: String,
    /// How it was found, in words that end a sentence.
    pub found_by: String,
    /// When it was looked for last.
    pub looked_at: Millis,
    /// The Source Description, if it has one.
    pub description: Option<String>,
    /// Its Source Descriptions and Capability Lists, as they were when its sets were found.
    pub documents: BTreeMap<String, Known>,
    /// Its Sitemaps, or Resource Lists that are read as such.
    pub sitemaps: Vec<String>,
    /// Its own feed.
    pub feed: Option<String>,
    /// How many collections it has beyond those that are followed.
    pub left_out: u64,
    /// What `validate` says of its documents.
    pub quality: Quality,
    /// The Sitemap indexes as they were last seen.
    pub indexes: BTreeMap<String, Index>,
    /// What its feed, or its one document, was known by when it was last seen.
    pub seen: Option<Known>,
    /// Sitemaps that could never be had yet: what they have is not new when they are there.
    pub unread: Vec<String>,
    /// How many snapshots there were.
    pub snapshots: u64,
    /// How many there were before the site was followed by other means for a while.
    pub earlier_snapshots: u64,
    /// When the last one was made.
    pub snapshot_at: Option<Millis>,
    /// How often in a row a snapshot was held back because too much was gone in it.
    pub held: u32,
    /// True if most pages were claimed to have changed and had not: the `lastmod` of the Sitemaps is not
    /// believed until it is right again.
    pub lastmod_is_doubted: bool,
    /// True since some pages were claimed to have changed and had not, until all that are compared had: where the
    /// content of a page is known, its `lastmod` is not asked.
    pub lastmod_is_suspect: bool,
    /// A few pages whose contents are compared when most claim to have changed.
    pub sample: Vec<SampledPage>,
    /// Of a site that is followed by its pages, what they were like.
    pub pages: BTreeMap<String, SitePage>,
    /// True if there were more pages than are read.
    pub pages_were_cut: bool,
    /// The pages that were known when the site began to be followed by these means, without the scheme of
    /// their addresses, and when each of them changed last.
    pub known_pages: BTreeMap<String, Option<String>>,
    /// What is known of a webfeed.
    pub webfeed: Option<Webfeed>,
}

/// What is known of a webfeed, besides its posts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Webfeed {
    /// Whose it is.
    pub author: Option<String>,
    /// What they say of themselves.
    pub description: Option<String>,
    /// Where their picture is.
    pub icon: Option<String>,
    /// When that was looked up last.
    pub looked_at: Millis,
    /// The `Content-Length` of the index when it was last read.
    pub length: Option<u64>,
    /// Its `ETag` then.
    pub etag: Option<String>,
    /// True if it says another one for the same: then it is not believed.
    pub etag_lies: bool,
    /// The digest of what it said, in hexadecimal digits.
    pub digest: String,
    /// How many polls there were since it was last read in full.
    pub unread: u32,
    /// What the polls compare: `length`, or `answer` if the server says none in answer to `HEAD`.
    pub by: By,
    /// How many addresses it has beyond those that are kept.
    pub left_out: u64,
    /// Lines that are no addresses.
    pub odd: Vec<String>,
    /// Posts that are gone from its index, which may be a mistake.
    pub held: Option<Held>,
    /// True once it had more addresses than are kept.
    pub was_full: bool,
    /// Style sheets that posts name and that could not be had yet, with how often that was tried.
    pub sheets: Vec<(String, u32)>,
    /// When the next post is to be tried again that could not be had.
    pub retry_at: Option<Millis>,
    /// The page that says whose it is.
    pub identity_from: Option<String>,
    /// Lines that lead nowhere from the root of the host, and to a post from the folder of the index.
    pub below: Vec<String>,
}

/// Posts that are gone from an index, and are not removed yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Since when.
    pub since: Millis,
    /// Their numbers.
    pub missing: Vec<i64>,
}

/// What the polls of a webfeed compare.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The `Content-Length` that the server says in answer to `HEAD`.
    #[default]
    Length,
    /// The answer to a conditional `GET`: the server has no `HEAD`, or says no length.
    Answer,
}

/// A Sitemap index, as it was seen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Index {
    /// What it was known by.
    pub known: Known,
    /// The Sitemaps in it, as many as are read.
    pub children: Vec<String>,
    /// How many there are beyond those.
    pub left_out: u64,
}

/// A page of a site that is followed by its pages, as it was last seen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SitePage {
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The digest of its title and text.
    pub digest: String,
}

/// A page of a sample, as it was last seen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SampledPage {
    /// Its address.
    pub uri: String,
    /// What it was known by; the digest is that of its text.
    pub known: Known,
}

/// What an answer was known by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Known {
    /// `ETag`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// `Last-Modified`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// The SHA-256 of its bytes, in hexadecimal digits, where that is compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// How many of its changes were ignored.
    #[serde(skip_serializing_if = "is_zero")]
    pub ignored: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it out so")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

impl Known {
    /// What an answer can be known again by.
    ///
    /// One that was changed a moment ago may change again within the same second, and many servers
    /// would not tell the two apart: it is asked for once more.
    pub(crate) fn of(fetched: &Fetched) -> Self {
        if fetched.is_fresh {
            return Self::default();
        }
        let Validators { etag, last_modified } = fetched.validators();
        Self { etag, last_modified, ..Self::default() }
    }
}

impl From<&Known> for Validators {
    fn from(known: &Known) -> Self {
        Self { etag: known.etag.clone(), last_modified: known.last_modified.clone() }
    }
}

/// What `validate` says of the documents that a site is followed by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Quality {
    /// How many documents were looked at.
    pub documents: u64,
    /// Against a requirement.
    pub errors: u64,
    /// Cannot be used or checked, or likely to trip others.
    pub warnings: u64,
    /// Against a recommendation.
    pub notes: u64,
    /// The first of them.
    pub findings: Vec<Finding>,
}

/// One thing that is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The document.
    pub document: String,
    /// The line in it.
    pub line: u64,
    /// The rule, as in docs/rules.md.
    pub rule: String,
    /// error, warning or note.
    pub severity: String,
    /// What it is.
    pub message: String,
}

/// How far a collection of a Source was processed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Progress {
    /// Its Capability List.
    pub(crate) capability_list: Option<String>,
    /// Its Change List, or the index of them.
    pub(crate) change_list: Option<String>,
    /// What describes it.
    pub(crate) described_by: Option<String>,
    /// True if it says what it `describes`, as IFCC-0001 wants: then its rules hold to the letter.
    pub(crate) is_ifcc: bool,
    /// The time of the newest change that was processed, by the site's clock, and never after ours.
    pub(crate) cursor: Option<Millis>,
    /// The time up to which there were more changes than could be kept.
    pub(crate) floor: Option<Millis>,
    /// What its Change Lists were known by when they were last read.
    pub(crate) documents: BTreeMap<String, Known>,
    /// What is to be known about those lists.
    pub(crate) notes: Option<String>,
}

impl Details {
    /// Reads it back. What cannot be read is forgotten: it can all be found again.
    #[must_use]
    pub fn read(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// As it is put down in [`Site::details`](tidings_store::Site::details).
    #[must_use]
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Progress {
    pub(crate) fn read(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    pub(crate) fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
