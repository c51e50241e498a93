//! The grid: the leads of all webfeeds, the newest first.

use askama::Template;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::Response;
use serde::Deserialize;
use tidings_base::text::counted;
use tidings_http::text_format::now;
use tidings_store::{GridFilter, Millis, Site, SiteFilter, State as SiteState, Via};

use super::tile::{Shown, shown, whose};
use super::{NO_READER, author_of, cursor, cursor_of, details, reader, show_framed};
use crate::api::Problem;
use crate::frame::Frame;
use crate::pages::Asking;
use crate::parts::short;
use crate::state::{Shared, State as Server};

/// How many tiles one page has.
pub(super) const MOST: u32 = 60;
/// How many webfeeds or posts are counted.
pub(super) const MAX_COUNTED: u32 = 1_000;
/// How many webfeeds that fail are named.
const MOST_FAILING: usize = 20;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    /// `unread`, or all.
    #[serde(default)]
    pub(super) show: String,
    /// Where the last page ended.
    #[serde(default)]
    pub(super) after: String,
}

#[derive(Template)]
#[template(path = "webfeeds/grid.html")]
struct Grid {
    f: Frame,
    tiles: Vec<Shown>,
    /// What frames are asked for with.
    frames: String,
    failing: Vec<Failing>,
    failing_words: String,
    unread: bool,
    is_first: bool,
    /// How many webfeeds are followed, in words, if there is no post.
    followed: Option<String>,
    has_reader: bool,
    until: Millis,
    next: Option<String>,
    /// What links to posts end with.
    from: &'static str,
}

struct Failing {
    key: String,
    name: String,
    reason: String,
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
    Query(wanted): Query<Wanted>,
) -> Result<Response<Body>, Problem> {
    let reader = reader(&visitor);
    let unread = wanted.show == "unread" && reader.is_some();
    let after = cursor_of(&wanted.after);
    let filter = GridFilter {
        reader: reader.unwrap_or(NO_READER),
        site_id: None,
        unread,
        after,
        // One more says whether there are more.
        limit: MOST + 1,
    };
    let until = state.store.now().await?;
    let mut tiles = state.store.grid(&filter).await?;
    let has_more = tiles.len() > MOST as usize;
    tiles.truncate(MOST as usize);
    let last = tiles.last().filter(|_| has_more).map(|tile| cursor(tile.cursor()));
    let show = if unread { "show=unread&" } else { "" };
    let whose = whose(&state, &tiles).await?;
    let is_first = after.is_none();
    let followed = match tiles.is_empty() && is_first && !unread {
        true => number_followed(&state).await?,
        false => 0,
    };
    let (failing, number) = failing(&state).await?;
    show_framed(&Grid {
        f: Frame::new(&state, &visitor, "reader", "Reader"),
        tiles: shown(&tiles, &whose, now()),
        frames: state.pictures.name().to_owned(),
        failing,
        failing_words: counted(
            number as i64,
            "webfeed could not be polled",
            "webfeeds could not be polled",
        ),
        unread,
        is_first,
        followed: (followed > 0).then(|| counted(followed, "webfeed is", "webfeeds are")),
        has_reader: reader.is_some(),
        until,
        next: last.map(|last| format!("?{show}after={last}")),
        from: "",
    })
}

/// Webfeeds of which the last poll failed: the first of them, and how many.
async fn failing(state: &Server) -> Result<(Vec<Failing>, usize), Problem> {
    let filter = SiteFilter {
        state: Some(SiteState::Failing),
        via: Some(Via::Webfeed),
        limit: MAX_COUNTED,
        ..SiteFilter::default()
    };
    let webfeeds = state.store.sites(filter).await?;
    let line = |site: &Site| Failing {
        key: site.key.clone(),
        name: author_of(site, &details(site)),
        reason: short(site.reason.as_deref().unwrap_or_default(), 300),
    };
    Ok((webfeeds.iter().take(MOST_FAILING).map(line).collect(), webfeeds.len()))
}

/// How many webfeeds are followed, or very many. It is asked only while there are no posts.
async fn number_followed(state: &Server) -> Result<i64, Problem> {
    let filter =
        SiteFilter { via: Some(Via::Webfeed), limit: MAX_COUNTED, ..SiteFilter::default() };
    Ok(state.store.sites(filter).await?.len() as i64)
}
