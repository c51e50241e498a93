//! Looks for pages by what they are called.

use askama::Template;
use axum::http::StatusCode;
use tidings_site::Kind;

use super::answer::Answer;
use super::asked::Asked;
use super::page::own_page;
use super::state::SharedSite;

/// How many results are shown.
const MOST: usize = 100;
/// How much may be looked for.
const LONGEST: usize = 200;

#[derive(Template)]
#[template(path = "site/search.html")]
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
        state.cache.select(MOST + 1, |meta| {
            if meta.kind != Kind::Markdown || !asked.may_see(meta) {
                return false;
            }
            let title = meta.title.to_lowercase();
            let alias = meta.alias.as_ref().map(|alias| alias.as_str()).unwrap_or_default();
            words.iter().all(|word| {
                title.contains(word)
                    || alias.contains(word)
                    || meta.tags.iter().any(|tag| tag.to_lowercase().contains(word))
            })
        })
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
