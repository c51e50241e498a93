//! Links as they are kept in the state.

use serde::{Deserialize, Serialize};
use tidings_document::{Hash, Link, Moment};
use url::Url;

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    rel: String,
    href: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pri: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
}

/// The links as text; none if there are none.
pub(crate) fn to_text(links: &[Link<'_>]) -> Option<String> {
    if links.is_empty() {
        return None;
    }
    let kept: Vec<Kept> = links.iter().map(keep).collect();
    serde_json::to_string(&kept).ok()
}

/// The links of such a text.
pub(crate) fn of_text(text: &str) -> Vec<Link<'static>> {
    let kept: Vec<Kept> = serde_json::from_str(text).unwrap_or_default();
    kept.into_iter().map(link).collect()
}

/// A link that stands for itself: what it leads to does not depend on its document any more.
pub(crate) fn resolved(link: &Link<'_>, base: &Url) -> Option<Link<'static>> {
    let mut link = link.clone().into_owned();
    link.href = base.join(link.href.trim()).ok()?.to_string().into();
    Some(link)
}

fn keep(link: &Link<'_>) -> Kept {
    Kept {
        rel: link.rel.clone().into_owned(),
        href: link.href.clone().into_owned(),
        pri: link.pri,
        modified: link.modified.map(|modified| modified.to_string()),
        encoding: link.encoding.as_deref().map(ToOwned::to_owned),
        hash: link.hash.as_ref().map(|hash| hash.as_str().to_owned()),
        length: link.length,
        media_type: link.media_type.as_deref().map(ToOwned::to_owned),
    }
}

fn link(kept: Kept) -> Link<'static> {
    let mut link = Link::new(kept.rel, kept.href);
    link.pri = kept.pri;
    link.modified = kept.modified.and_then(|text| Moment::parse(&text).ok());
    link.encoding = kept.encoding.map(Into::into);
    link.hash = kept.hash.map(|hash| Hash::from_attribute(hash.into()));
    link.length = kept.length;
    link.media_type = kept.media_type.map(Into::into);
    link
}
