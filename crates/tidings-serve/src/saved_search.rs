//! Saves searches, and names their feeds.

use axum::http::StatusCode;
use tidings_feed::FeedFormat;
use tidings_store::SavedSearch;
use tidings_syndication::{FeedName, Variant};

use crate::api::Problem;
use crate::filter::Filter;
use crate::state::State;
use crate::visitor::{Visitor, Who};

/// The number by which what a visitor saves is known to be theirs; none if they are nobody in particular.
pub(crate) fn owner_of(visitor: &Visitor) -> Option<i64> {
    match &visitor.who {
        Who::Local => Some(0),
        Who::User(session) => Some(session.user.id),
        Who::Nobody | Who::Program(_) => None,
    }
}

/// The URLs of the feed of a search: Atom, RSS, JSON Feed.
pub(crate) fn feed_urls(state: &State, id: i64) -> [String; 3] {
    let feed = FeedName::Search(id);
    FeedFormat::ALL.map(|format| format!("{}{}", state.base, feed.path(Variant::Digest, format)))
}

/// Saves a search under a name.
pub(crate) async fn save(
    state: &State,
    owner: i64,
    name: &str,
    filter: &Filter,
) -> Result<SavedSearch, Problem> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > SavedSearch::MAX_NAME_CHARS {
        let most = SavedSearch::MAX_NAME_CHARS;
        return Err(Problem::bad(format!("name: give 1 to {most} characters")));
    }
    if let Some(problem) = filter.problem() {
        return Err(Problem::bad(problem));
    }
    if !filter.is_on() {
        return Err(Problem::bad("nothing is searched for; give a kind, a path, a text or a day"));
    }
    let query = filter.query();
    if query.len() > SavedSearch::MAX_QUERY_BYTES {
        return Err(Problem::bad("the search is too long to be saved; leave something out"));
    }
    let saved = state.store.save_search(owner, name, &query).await?;
    saved.ok_or_else(|| {
        let most = SavedSearch::MAX_PER_OWNER;
        let message = format!("{most} searches are saved already; remove one first");
        Problem::new(StatusCode::CONFLICT, message)
    })
}
