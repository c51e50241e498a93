//! Looks for pages by what they are called.

use std::sync::Arc;

use askama::Template;
use axum::http::StatusCode;
use tidings_site::{Account, Kind, PageMeta};

use super::page::own_page;
use super::site_request::Asked;
use super::site_response::{Answer, busy};
use super::state::{SharedSite, SiteState};

/// How many results are shown.
const MOST: usize = 100;
/// How much may be looked for.
const LONGEST: usize = 200;

#[derive(Template)]
#[template(path = "search.html")]
struct Results<'a> {
    wanted: &'a str,
    found: Vec<Found>,
    is_more: bool,
}

struct Found {
    title: String,
    path: String,
    tags: Vec<String>,
}

/// Pages whose title, URL or tags have all the words.
pub(super) async fn search(state: &SharedSite, asked: &Asked) -> Answer {
    let wanted = asked.queried("q").unwrap_or_default();
    let end = wanted.floor_char_boundary(LONGEST);
    let wanted = wanted[..end].trim();
    let words: Vec<String> = wanted.split_whitespace().map(str::to_lowercase).collect();
    let found = if words.is_empty() {
        Vec::new()
    } else {
        let Some(turn) = state.searches.turn().await else { return busy() };
        let (shared, who) = (Arc::clone(state), asked.account.clone());
        let looked = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            look(&shared, who.as_ref(), &words)
        });
        looked.await.unwrap_or_default()
    };
    // One that has lost its alias to another is not served.
    let mut found: Vec<_> =
        found.into_iter().filter(|meta| state.cache.get(meta.id).is_some()).collect();
    let is_more = found.len() > MOST;
    found.truncate(MOST);
    found.sort_by(|one, other| one.title.cmp(&other.title));
    let found = found.iter().map(|meta| Found {
        title: meta.title.to_string(),
        path: meta.url_path(),
        tags: meta.tags.iter().map(ToString::to_string).collect(),
    });
    let results = Results { wanted, found: found.collect(), is_more };
    let content = results.render().unwrap_or_default();
    own_page(state, asked, StatusCode::OK, "Search", &content)
}

/// All that have the words, one more than is shown.
fn look(state: &SiteState, who: Option<&Account>, words: &[String]) -> Vec<Arc<PageMeta>> {
    let has = |meta: &PageMeta| {
        let title = meta.title.to_lowercase();
        let alias = meta.alias.as_ref().map(|alias| alias.as_str()).unwrap_or_default();
        let is_tag = |word: &str| meta.tags.iter().any(|tag| tag.to_lowercase().contains(word));
        let has = |word: &String| title.contains(word) || alias.contains(word) || is_tag(word);
        meta.kind == Kind::Markdown && words.iter().all(has)
    };
    match who {
        // What is public is in a listing that nobody has to wait for.
        None => {
            let listing = state.cache.source();
            listing.metas().filter(|meta| has(meta)).take(MOST + 1).cloned().collect()
        }
        Some(account) => state.cache.select(MOST + 1, |meta| {
            (account.is_admin || meta.access.allows(&account.roles)) && has(meta)
        }),
    }
}
