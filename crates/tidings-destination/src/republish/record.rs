//! One resource of a copy, as the publisher reads it.

use std::path::Path;

use serde::Serialize;
use tidings_document::{Hash, Link};
use tidings_source::encoded;

use crate::digests::verified_digests;
use crate::links;
use crate::moments::moment;
use crate::state::Published;
use crate::verified::to_attribute;

/// The relations that hold of the copy as they do of the original (section 14.8): they speak of the
/// content, which is the same. `canonical` and `collection` speak of the original's place; mementos and
/// their time gates are of the original; patches lead from one of its versions to the next.
const INHERITED: [&str; 8] =
    ["via", "duplicate", "describedby", "describes", "profile", "license", "author", "alternate"];

/// One resource, as records are written down.
#[derive(Serialize)]
pub(super) struct Record<'a> {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lastmod: Option<String>,
    length: u64,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    media_type: Option<&'a str>,
    hash: String,
    links: serde_json::Value,
}

impl<'a> Record<'a> {
    /// The record of a row whose file is at that path below the base. If the copy `prefers` other
    /// representations, the Source's digests may be of other bytes than those of the file.
    pub(super) fn from_row(
        row: &'a Published,
        file: &str,
        base: &str,
        prefers: bool,
    ) -> Option<Self> {
        let hash = Hash::new(&verified_digests(row, prefers)?);
        let kept = links_of(row);
        Some(Self {
            uri: format!("{base}{}", uri_path(file)),
            lastmod: row.lastmod.and_then(moment).map(|moment| moment.to_string()),
            length: row.length,
            media_type: row.media_type.as_deref(),
            hash: hash.as_str().to_owned(),
            links: serde_json::from_str(&links::to_text(&kept)?).ok()?,
        })
    }
}

/// The URI's path of a file's.
fn uri_path(path: &str) -> String {
    let segments = Path::new(path).iter().map(encoded);
    segments.collect::<Vec<_>>().join("/")
}

/// What is to be said of its relations: the origin, and what holds of the copy as it does of the
/// original. A `via` that is there already is the origin; the chain is not told.
fn links_of(row: &Published) -> Vec<Link<'static>> {
    let inherited = row.links.as_deref().map(links::of_text).unwrap_or_default();
    let still_holds = |link: &Link<'static>| INHERITED.iter().any(|rel| link.is(rel));
    let mut kept: Vec<Link<'static>> = inherited.into_iter().filter(still_holds).collect();
    if !kept.iter().any(|link| link.is("via")) {
        let mut via = Link::new("via", row.uri.clone());
        via.modified = row.lastmod.and_then(moment);
        via.hash = Some(to_attribute(row.hash.as_deref(), &row.sha256));
        via.length = Some(row.length);
        via.media_type = row.media_type.clone().map(Into::into);
        kept.push(via);
    }
    kept
}
