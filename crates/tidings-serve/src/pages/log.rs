//! Who did what, for admins.

use askama::Template;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::Response;
use serde::Deserialize;
use tidings_http::text_format::{Time, now};
use tidings_store::Role;

use super::Asking;
use crate::api::Problem;
use crate::frame::{Frame, show};
use crate::parts::short;
use crate::state::Shared;

/// How many acts one page has.
const MOST: u32 = 100;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    before: String,
}

#[derive(Template)]
#[template(path = "log.html")]
struct Page {
    f: Frame,
    acts: Vec<Line>,
    next: Option<i64>,
}

struct Line {
    time: Time,
    actor: String,
    act: String,
    object: String,
    detail: String,
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
    Query(wanted): Query<Wanted>,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Admin)?;
    // One more says whether there are more.
    let mut acts = state.store.acts(wanted.before.parse().ok(), MOST + 1).await?;
    let has_more = acts.len() > MOST as usize;
    acts.truncate(MOST as usize);
    let next = acts.last().filter(|_| has_more).map(|last| last.id);
    let now = now();
    let lines = acts.into_iter().map(|act| Line {
        time: Time::of(act.at, now),
        actor: act.actor,
        act: act.act,
        object: short(&act.object, 200),
        detail: short(&act.detail, 200),
    });
    let f = Frame::new(&state, &visitor, "account", "Who did what");
    show(&Page { f, acts: lines.collect(), next })
}
