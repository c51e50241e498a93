//! How the site is.

use std::collections::BTreeMap;

use askama::Template;
use axum::http::StatusCode;
use tidings_base::text::grouped;
use tidings_http::text_format::{Time, now};
use tidings_site::documents::CAPABILITY_LIST;
use tidings_site::{Fault, Kind};

use super::findings;
use super::frame::{Frame, Result, Visit, failed};
use crate::state::SiteState;

/// How many findings of a kind are shown.
const MOST: usize = 20;
/// How many changes are.
const CHANGES: usize = 20;

#[derive(Template)]
#[template(path = "admin/overview.html")]
struct Page {
    f: Frame,
    counts: Vec<Count>,
    groups: Vec<Group>,
    changes: Vec<Changed>,
    documents: [(&'static str, &'static str); 5],
}

struct Count {
    words: &'static str,
    number: String,
    /// What lists them: a query of the list of objects.
    query: &'static str,
}

struct Group {
    heading: &'static str,
    name: &'static str,
    remedy: &'static str,
    is_served: bool,
    shown: Vec<Found>,
    count: usize,
}

struct Found {
    place: String,
    message: String,
    edit: Option<String>,
}

struct Changed {
    word: &'static str,
    title: String,
    path: String,
    is_there: bool,
    time: Time,
}

pub(super) async fn page(visit: &Visit<'_>) -> Result {
    let (counts, groups, changes) = visit
        .blocking(|state| (counts(state), groups(state), state.cache.journal().recent(CHANGES)))
        .await?;
    let now = now();
    let changes = changes.map_err(|error| failed(&error))?.into_iter().map(|entry| Changed {
        word: entry.change.name(),
        title: if entry.title.is_empty() { entry.path.clone() } else { entry.title },
        is_there: entry.change != tidings_document::Change::Deleted,
        path: entry.path,
        time: Time::of(entry.at, now),
    });
    let page = Page {
        f: visit.frame("overview", "Overview"),
        counts,
        groups,
        changes: changes.collect(),
        documents: [
            ("/robots.txt", "what crawlers may have"),
            ("/sitemap.xml", "all pages for search engines"),
            ("/feed.atom", "what is new, for people"),
            ("/.well-known/resourcesync", "for those who keep a copy"),
            (CAPABILITY_LIST, "what copies can be kept by"),
        ],
    };
    Ok(visit.show(StatusCode::OK, &page))
}

fn counts(state: &SiteState) -> Vec<Count> {
    let [mut pages, mut files, mut restricted, mut unlisted] = [0; 4];
    state.cache.each(|meta| {
        match meta.kind {
            Kind::Markdown => pages += 1,
            Kind::Blob => files += 1,
        }
        restricted += i64::from(!meta.is_public());
        unlisted += i64::from(!meta.is_indexed());
    });
    let listed = i64::try_from(state.cache.sitemap().len()).unwrap_or(i64::MAX);
    let one_or = |number: i64, one, many| if number == 1 { one } else { many };
    [
        (one_or(pages, "page", "pages"), pages, "kind=page"),
        (one_or(files, "file", "files"), files, "kind=file"),
        ("in the sitemap", listed, "kind=page&access=public&index=yes"),
        ("restricted", restricted, "access=restricted"),
        ("noindex", unlisted, "index=no"),
    ]
    .map(|(words, number, query)| Count { words, number: grouped(number), query })
    .into()
}

fn groups(state: &SiteState) -> Vec<Group> {
    let findings = findings::all(state);
    let known = findings::editable(state, &findings);
    let mut kinds: BTreeMap<Fault, Group> = BTreeMap::new();
    for finding in findings {
        let fault = finding.fault;
        let edit = findings::object(&known, &finding).map(ToString::to_string);
        let group = kinds.entry(fault).or_insert_with(|| Group {
            heading: findings::heading(fault),
            name: fault.name(),
            remedy: findings::remedy(fault),
            is_served: fault.is_served(),
            shown: Vec::new(),
            count: 0,
        });
        group.count += 1;
        if group.shown.len() < MOST {
            group.shown.push(Found { place: finding.place, message: finding.message, edit });
        }
    }
    kinds.into_values().collect()
}
