//! Lists of webfeeds: given to another reader, and taken over from one.

use std::collections::HashSet;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, Response};
use axum::response::IntoResponse;
use tidings_feed::Outline;
use tidings_http::listener::Peer;
use tidings_store::{Role, SiteFilter, Via};
use tidings_syndication::{ImportPlan, Wishes};

use crate::access::address_of;
use crate::api::Problem;
use crate::pages::{Asking, follow_all};
use crate::posted::Posted;
use crate::state::Shared;

/// How many lines are taken over at once.
const MOST: usize = 2_000;

/// The addresses of all webfeeds, each on a line of its own (RFC 2483, section 5).
pub(super) async fn export(State(state): State<Shared>) -> Result<Response<Body>, Problem> {
    let (mut list, mut after) = (String::new(), None);
    loop {
        let via = Some(Via::Webfeed);
        let filter = SiteFilter { after, via, limit: 500, ..SiteFilter::default() };
        let sites = state.store.sites(filter).await?;
        for site in &sites {
            list.push_str(&site.url);
            list.push_str("\r\n");
        }
        match sites.last() {
            Some(last) => after = Some(last.key.clone()),
            None => break,
        }
    }
    let headers =
        [(CONTENT_TYPE, "text/uri-list; charset=utf-8"), (CACHE_CONTROL, "no-cache, private")];
    Ok((headers, list).into_response())
}

/// Follows all that is in a list.
pub(super) async fn import(
    State(state): State<Shared>,
    Extension(peer): Extension<Peer>,
    visitor: Asking,
    headers: HeaderMap,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let urls = lines(form.get("list"));
    if urls.is_empty() {
        return Err(Problem::bad("there is no address in the list"));
    }
    if urls.len() > MOST {
        return Err(Problem::bad(format!("the list is too long: {MOST} addresses are enough")));
    }
    state.limits.take(address_of(&state, &headers, peer)).map_err(Problem::too_often)?;
    let outline =
        |url: String| Outline { text: url.clone(), xml_url: Some(url), ..Outline::default() };
    let wanted = urls.into_iter().map(outline).collect();
    let plan = ImportPlan { wanted, skipped: Vec::new() };
    let wishes = Wishes { webfeed: true, ..Wishes::default() };
    follow_all(&state, &visitor, plan, wishes).await
}

/// The addresses in a list, each once: what begins with a `#` is a comment.
fn lines(text: &str) -> Vec<String> {
    let mut known = HashSet::new();
    let lines = text.split(['\r', '\n']).map(str::trim);
    let urls = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    urls.filter(|url| known.insert(url.to_owned())).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_an_address_on_each_line() {
        let list = "# mine\r\nhttps://a.example/index.txt\r\n\r\n  https://b.example/\n#x\nhttps://a.example/index.txt";
        assert_eq!(lines(list), ["https://a.example/index.txt", "https://b.example/"]);
    }
}
