//! A site that offers nothing but its pages.

use tidings_feed::Page;
use tidings_store::{NewCollection, Via};
use tidings_web::{Glance, Url};

use super::Found;
use crate::details::{Details, Progress};
use crate::fetch::Fetch;
use crate::key::key;

/// The site of a page, which is read from that page on.
pub(super) async fn with_pages(fetch: &Fetch<'_>, asked: &Url, details: Details) -> Option<Found> {
    let is_html = |kind: Option<&str>| kind.is_none_or(|kind| kind.contains("html"));
    let Glance { bytes, content_type, mut url } = fetch.glance(asked, is_html).await.ok()?;
    if bytes.is_empty() {
        return None;
    }
    url.set_fragment(None);
    let page = Page::read(&bytes, content_type.as_deref(), &url);
    let collection = NewCollection {
        key: key(&url, Some("pages")),
        identity: url.to_string(),
        title: page.title.clone(),
        language: page.language,
        progress: Progress::default().write(),
        ..NewCollection::default()
    };
    let (title, collections) = (page.title, vec![collection]);
    let (via, tried, missing) = (Via::Pages, Vec::new(), Vec::new());
    Some(Found { via, url, title, details, collections, tried, missing })
}
