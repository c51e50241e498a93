//! A batch: all changes that one poll found in one collection.

use askama::Template;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::Response;
use serde::Deserialize;
use tidings_base::text::grouped;
use tidings_http::text_format::{Time, now};
use tidings_store::{Change, Kind};

use super::Asking;
use super::collection::{named, title_of};
use crate::api::Problem;
use crate::frame::{Frame, show};
use crate::parts::{ChangeLine, name_of, summed};
use crate::state::Shared;

/// How many changes one page has.
const MOST: u32 = 200;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    /// The place of the first change that is shown.
    #[serde(default)]
    from: String,
}

#[derive(Template)]
#[template(path = "batch.html")]
struct Page {
    f: Frame,
    words: String,
    key: String,
    name: String,
    site_key: String,
    site_name: String,
    sequence: i64,
    seen: Time,
    sections: Vec<Section>,
    /// How many are known by their number alone.
    unnamed: String,
    next: Option<i64>,
    newer: Option<i64>,
    older: Option<i64>,
    is_first: bool,
}

struct Section {
    heading: &'static str,
    changes: Vec<ChangeLine>,
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
    Path((key, sequence)): Path<(String, i64)>,
    Query(wanted): Query<Wanted>,
) -> Result<Response<Body>, Problem> {
    let (collection, site) = named(&state, &key).await?;
    let none = || Problem::not_found("there is no such batch in this collection");
    let batch = state.store.batch(collection.id, sequence).await?.ok_or_else(none)?;
    let from = wanted.from.parse().unwrap_or(0).max(0);
    // One more says whether there are more.
    let mut changes = state.store.batch_changes(collection.id, sequence, from, MOST + 1).await?;
    let is_full = changes.len() > MOST as usize;
    changes.truncate(MOST as usize);
    let now = now();
    let counts = [batch.created, batch.updated, batch.deleted];
    let words = summed(counts);
    let end = from.saturating_add(changes.len() as i64);
    let unnamed = if is_full { 0 } else { (counts.iter().sum::<i64>() - end).max(0) };
    let name = title_of(&collection);
    show(&Page {
        f: Frame::new(&state, &visitor, "home", format!("{words} · {name}")),
        words,
        key,
        name,
        site_key: site.key.clone(),
        site_name: name_of(&site),
        sequence,
        seen: Time::of(batch.seen_at, now),
        sections: sections(&changes, now),
        unnamed: if unnamed > 0 { grouped(unnamed) } else { String::new() },
        next: is_full.then_some(end),
        newer: (sequence < collection.batches).then_some(sequence + 1),
        older: (sequence > 1).then_some(sequence - 1),
        is_first: from == 0,
    })
}

/// Changes by what happened, in their order.
fn sections(changes: &[Change], now: i64) -> Vec<Section> {
    let kinds =
        [(Kind::Created, "Created"), (Kind::Updated, "Updated"), (Kind::Deleted, "Deleted")];
    let section = |(kind, heading)| {
        let of_kind = changes.iter().filter(|change| change.change.kind == kind);
        let changes = of_kind.map(|change| ChangeLine::of(&change.change, now)).collect();
        Section { heading, changes }
    };
    kinds.into_iter().map(section).filter(|section| !section.changes.is_empty()).collect()
}
