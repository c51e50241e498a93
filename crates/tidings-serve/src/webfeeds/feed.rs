//! One webfeed: whose it is, and all its posts.

use askama::Template;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::Response;
use tidings_base::text::{counted, grouped};
use tidings_http::text_format::{Time, now};
use tidings_store::{GridFilter, Millis, Role};
use tidings_syndication::report;

use super::grid::{MAX_COUNTED, MOST, Wanted};
use super::tile::{Shown, Whose};
use super::{NO_READER, cursor, cursor_of, details, reader, show_framed, webfeed};
use crate::api::Problem;
use crate::frame::{Frame, is_passing};
use crate::pages::{Asking, is_under_way, problem};
use crate::parts::{encoded, short, state_of, web};
use crate::state::Shared;

#[derive(Template)]
#[template(path = "webfeeds/feed.html")]
struct Feed {
    f: Frame,
    key: String,
    whose: Whose,
    bio: Option<String>,
    url: String,
    /// The same in a query.
    query: String,
    href: Option<String>,
    /// How many posts there are, in words.
    posts: String,
    /// How many of them were not read.
    unread_posts: Option<String>,
    state: (&'static str, &'static str),
    reason: Option<String>,
    /// Why the last poll that somebody asked for could not even begin.
    problem: Option<String>,
    polled: Option<Time>,
    is_polling: bool,
    is_paused: bool,
    since: String,
    atom: String,
    tiles: Vec<Shown>,
    frames: String,
    left_out: Option<String>,
    odd: Vec<String>,
    unread: bool,
    is_first: bool,
    has_reader: bool,
    until: Millis,
    next: Option<String>,
    from: &'static str,
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
    Path(key): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<Response<Body>, Problem> {
    let site = webfeed(&state, &key).await?;
    let details = details(&site);
    let reader = reader(&visitor);
    let unread = wanted.show == "unread" && reader.is_some();
    let after = cursor_of(&wanted.after);
    let filter = GridFilter {
        reader: reader.unwrap_or(NO_READER),
        site_id: Some(site.id),
        unread,
        after,
        limit: MOST + 1,
    };
    let until = state.store.now().await?;
    let mut tiles = state.store.grid(&filter).await?;
    let has_more = tiles.len() > MOST as usize;
    tiles.truncate(MOST as usize);
    let posts = state.store.count_posts(site.id).await?;
    let unread_posts = match reader {
        Some(_) => Some(unread_of(&state, &filter).await?),
        None => None,
    };
    let last = tiles.last().filter(|_| has_more).map(|tile| cursor(tile.cursor()));
    let show = if unread { "show=unread&" } else { "" };
    let (whose, now) = (Whose::of(&state, &site), now());
    let is_polling = is_under_way(&state, &site);
    let mut f = Frame::new(&state, &visitor, "reader", whose.author.clone());
    f.again = is_polling.then_some(5);
    if !is_polling {
        // What was under way is over.
        f.said = f.said.filter(|said| !is_passing(said));
    }
    let can_edit = visitor.must(Role::Editor).is_ok();
    show_framed(&Feed {
        f,
        bio: details.description.as_deref().map(|bio| short(bio, 500)),
        href: web(&site.url).map(str::to_owned),
        posts: counted(posts, "post", "posts"),
        unread_posts,
        state: state_of(site.state),
        reason: site.reason.as_deref().map(|reason| short(reason, 400)),
        problem: problem(&state, &site),
        polled: site.polled_at.map(|polled| Time::of(polled, now)),
        is_polling,
        is_paused: site.state == tidings_store::State::Paused,
        since: site.polled_at.map(|polled| polled.to_string()).unwrap_or_default(),
        atom: report(&site, &[], &state.base).feeds.atom,
        tiles: tiles.iter().map(|tile| Shown::of(tile, &whose, now)).collect(),
        frames: state.pictures.name().to_owned(),
        left_out: (details.left_out > 0).then(|| grouped(details.left_out)),
        // What is wrong with the file matters to whoever can do something about it.
        odd: details
            .odd
            .iter()
            .chain(&details.below)
            .filter(|_| can_edit)
            .map(|line| short(line, 300))
            .collect(),
        query: encoded(&site.url),
        url: site.url,
        whose,
        key,
        unread,
        is_first: after.is_none(),
        has_reader: reader.is_some(),
        until,
        next: last.map(|last| format!("?{show}after={last}")),
        from: "?from=feed",
    })
}

/// How many posts of a webfeed were not read, in words.
async fn unread_of(state: &Shared, filter: &GridFilter) -> Result<String, Problem> {
    let filter = GridFilter { unread: true, after: None, limit: MAX_COUNTED, ..filter.clone() };
    let number = state.store.grid(&filter).await?.len();
    let words = grouped(number as i64);
    Ok(if number < MAX_COUNTED as usize { words } else { format!("{words} or more") })
}
