//! A collection: its batches as a timeline, or those of its changes that are looked for.

use askama::Template;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::Response;
use tidings_base::text::{counted, grouped};
use tidings_http::text_format::{Time, now};
use tidings_store::{Batch, Collection, Site};
use tidings_syndication::{CollectionReport, report};

use super::Asking;
use crate::api::Problem;
use crate::filter::Filter;
use crate::frame::{Frame, show};
use crate::parts::{ChangeLine, DAY, Heat, days_of, name_of, short, summed, web};
use crate::state::{Shared, State as Server};

/// How many batches one page has, and how many changes of each.
const MOST_BATCHES: i64 = 20;
const MOST_CHANGES: u32 = 8;
/// How many changes that are looked for one page has.
pub(super) const MOST_FOUND: u32 = 50;
/// How many years back can be chosen.
const MOST_YEARS: i16 = 9;
/// How many changes are looked at for them.
pub(super) const MOST_LOOKED_AT: u32 = 10_000;

#[derive(Template)]
#[template(path = "collection.html")]
struct Page {
    f: Frame,
    name: String,
    site_key: String,
    site_name: String,
    told: CollectionReport,
    href: Option<String>,
    number: String,
    is_muted: bool,
    heat: Heat,
    years: Vec<Year>,
    filter: Filter,
    is_filtered: bool,
    batches: Vec<BatchLine>,
    found: Vec<FoundLine>,
    /// What more there is to look at.
    looked: Option<String>,
    next: Option<String>,
}

struct Year {
    year: i16,
    is_on: bool,
}

pub(super) struct BatchLine {
    sequence: i64,
    words: String,
    seen: Time,
    changes: Vec<ChangeLine>,
    more: String,
}

struct FoundLine {
    batch: i64,
    change: ChangeLine,
}

/// A collection and its site.
pub(super) async fn named(state: &Server, key: &str) -> Result<(Collection, Site), Problem> {
    let unknown = || {
        Problem::not_found(
            "this collection is not followed; maybe its site was removed, and its feeds with it",
        )
    };
    let collection = state.store.collection(key).await?.ok_or_else(unknown)?;
    let site = state.store.site_by_id(collection.site_id).await?.ok_or_else(unknown)?;
    Ok((collection, site))
}

pub(super) fn title_of(collection: &Collection) -> String {
    short(collection.title.as_deref().unwrap_or(&collection.identity), 200)
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
    Path(key): Path<String>,
    Query(filter): Query<Filter>,
) -> Result<Response<Body>, Problem> {
    let (collection, site) = named(&state, &key).await?;
    let now = now();
    let name = title_of(&collection);
    let told = report(&site, std::slice::from_ref(&collection), &state.base).collections.pop();
    let told = told.ok_or_else(|| Problem::not_found("this collection is not followed"))?;
    let (heat, years) = year(&state, &collection, &filter, now).await?;
    let mut page = Page {
        f: Frame::new(&state, &visitor, "home", name.clone()),
        name,
        site_key: site.key.clone(),
        site_name: name_of(&site),
        href: web(&told.identity).map(str::to_owned),
        told,
        number: format!(
            "{} in {}",
            counted(collection.changes, "change", "changes"),
            counted(collection.batches, "batch", "batches")
        ),
        is_muted: collection.is_muted,
        heat,
        years,
        is_filtered: filter.is_on(),
        batches: Vec::new(),
        found: Vec::new(),
        looked: None,
        next: None,
        filter,
    };
    if page.is_filtered {
        search(&state, &mut page, &collection, now).await?;
    } else {
        timeline(&state, &mut page, &collection, now).await?;
    }
    show(&page)
}

/// Its batches, the newest first.
async fn timeline(
    state: &Server,
    page: &mut Page,
    collection: &Collection,
    now: i64,
) -> Result<(), Problem> {
    let before = page.filter.before.parse::<i64>().unwrap_or(i64::MAX);
    let last = before.saturating_sub(1).clamp(0, collection.batches);
    let first = (last - MOST_BATCHES + 1).max(1);
    let batches = state.store.batches(collection.id, first, last, MOST_CHANGES).await?;
    page.batches = batches.iter().map(|batch| batch_line(batch, now)).collect();
    page.next = (first > 1).then(|| format!("?before={first}"));
    Ok(())
}

fn batch_line(batch: &Batch, now: i64) -> BatchLine {
    let total = batch.created + batch.updated + batch.deleted;
    let shown = batch.changes.len() as i64;
    let changes = batch.changes.iter().rev().map(|change| ChangeLine::of(change, now));
    BatchLine {
        sequence: batch.sequence,
        words: summed([batch.created, batch.updated, batch.deleted]),
        seen: Time::of(batch.seen_at, now),
        changes: changes.collect(),
        more: if total > shown { grouped(total - shown) } else { String::new() },
    }
}

/// Those of its changes that are looked for, the newest first.
async fn search(
    state: &Server,
    page: &mut Page,
    collection: &Collection,
    now: i64,
) -> Result<(), Problem> {
    let filter = page.filter.of(Some(collection.id));
    let cursor = page.filter.cursor();
    let found = state.store.search(&filter, cursor, MOST_FOUND, MOST_LOOKED_AT).await?;
    let is_short = found.next.is_some() && found.found.len() < MOST_FOUND as usize;
    page.looked = is_short.then(|| counted(found.looked_at as i64, "change", "changes"));
    page.next = found.next.map(|cursor| page.filter.after(cursor));
    let lines = found.found.iter().map(|found| FoundLine {
        batch: found.change.batch,
        change: ChangeLine::of(&found.change.change, now),
    });
    page.found = lines.collect();
    Ok(())
}

/// The year that is asked for, or that of the newest change; and those that there are.
async fn year(
    state: &Server,
    collection: &Collection,
    filter: &Filter,
    now: i64,
) -> Result<(Heat, Vec<Year>), Problem> {
    let of = |millis: i64| {
        let time = jiff::Timestamp::from_millisecond(millis).unwrap_or_default();
        time.to_zoned(jiff::tz::TimeZone::UTC).year()
    };
    let this = of(now);
    let newest = collection.changed_at.map_or(this, of).clamp(1970, this);
    let year = filter.year.parse().ok().filter(|year| (1970..=this).contains(year));
    let year = year.unwrap_or(newest);
    let (first, last) = days_of(year);
    let days = state.store.activity(collection.id, first, last).await?;
    let oldest =
        state.store.batch(collection.id, 1).await?.map_or(newest, |batch| of(batch.oldest));
    let lowest = (this - MOST_YEARS).max(1970).min(year);
    let years = (oldest.clamp(lowest, year)..=newest.max(year)).rev().take(MOST_YEARS as usize + 1);
    let years = years.map(|one| Year { year: one, is_on: one == year }).collect();
    Ok((Heat::of(year, &days, now / DAY), years))
}
