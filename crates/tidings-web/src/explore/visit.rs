//! One document: what is in it, and where it leads.

use std::collections::BTreeMap;

use tidings_document::{CheckOptions, Entry, EntryTarget, Head, check_each};
use url::Url;

use super::{EXPLORE_POLICY, Package, Seen, VisitError};
use crate::{Client, GetOptions, SpooledBody, charset};

/// Fetches and checks a document.
pub async fn visit(client: &Client, get: &GetOptions, url: &Url) -> Result<Seen, VisitError> {
    let fetched = client.get(url, get).await?;
    // Rules about the place of a document are about where it is published, not where that leads.
    let place = fetched.redirects.first().unwrap_or(&fetched.url);
    let mut check = CheckOptions { url: Some(place.to_string()), ..CheckOptions::default() };
    check.read.charset = fetched.content_type.as_deref().and_then(charset);
    let base = fetched.url;
    let body = fetched.body;
    let broken = VisitError::broken(&base);
    // Reading takes time that others on this thread may need.
    let reading = tokio::task::spawn_blocking(move || read(body, base, &check));
    reading.await.unwrap_or(Err(broken))
}

fn read(body: SpooledBody, base: Url, check: &CheckOptions) -> Result<Seen, VisitError> {
    let mut links = BTreeMap::new();
    let mut packages = Vec::new();
    let mut children = Vec::new();
    let report = check_each(body.into_reader(), check, |head, entry| {
        for link in &entry.links {
            *links.entry(link.rel.to_ascii_lowercase()).or_default() += 1;
        }
        if children.len() + packages.len() < EXPLORE_POLICY.limits.max_children {
            take(&base, head, entry, &mut packages, &mut children);
        }
    })
    .map_err(|error| VisitError::Read { url: Box::new(base), error })?;
    for link in report.head.iter().flat_map(|head| &head.links) {
        *links.entry(link.rel.to_ascii_lowercase()).or_default() += 1;
    }
    Ok(Seen { report, links, packages, children })
}

/// Takes what an entry leads to: a document, a package with or without its manifest, or neither.
fn take(
    base: &Url,
    head: &Head<'_>,
    entry: &Entry<'_>,
    packages: &mut Vec<Package>,
    children: &mut Vec<Url>,
) {
    let resolve = |reference: &str| {
        let mut url = base.join(reference.trim()).ok()?;
        url.set_fragment(None);
        Some(url)
    };
    let target = EntryTarget::from_entry(head, entry);
    if target == EntryTarget::Package {
        packages.push(Package {
            url: resolve(&entry.loc).map_or_else(|| entry.loc.to_string(), Url::into),
            length: entry.metadata.length,
            media_type: entry.metadata.media_type.as_deref().map(str::to_owned),
        });
        children.extend(entry.link("contents").and_then(|link| resolve(&link.href)));
    } else if EXPLORE_POLICY.scope.opens(target) {
        children.extend(resolve(&entry.loc));
    }
}
