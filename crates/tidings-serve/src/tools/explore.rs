//! Explore: what a Source has, as a tree.

use askama::Template;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{Response, StatusCode};
use serde::Deserialize;
use tidings_base::text::visible_on_page;
use tidings_http::text_format::{Time, now};
use tidings_web::explore::{ExploreOptions, explore};
use tidings_web::{Client, DiscoveryError, GetOptions, Url, discover};

use super::asked::{Asked, Coming};
use super::explored::Explored;
use super::{Working, address, settle};
use crate::api::Problem;
use crate::frame::{Frame, go, show, show_as};
use crate::jobs::Teller;
use crate::live;
use crate::parts::{encoded, short};
use crate::state::Shared;

/// How many documents are looked at.
const MOST: usize = 300;
/// After so many milliseconds it is worth while to look again.
const SOON: i64 = 5_000;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    url: String,
    /// Look again, though it is known.
    #[serde(default)]
    again: String,
}

#[derive(Template)]
#[template(path = "explore.html")]
struct Page<'a> {
    f: Frame,
    url: String,
    query: String,
    problem: Option<Trouble>,
    asks: bool,
    working: Option<Working>,
    found: Option<(&'a Explored, Time)>,
    share: String,
}

/// Why nothing was found: a sentence, the places, and what to do.
struct Trouble {
    sentence: String,
    places: Vec<String>,
    remedy: String,
}

impl Trouble {
    fn of(text: &str) -> Self {
        let mut lines: Vec<String> =
            text.lines().map(|line| short(&visible_on_page(line.trim()), 600)).collect();
        let remedy = if lines.len() > 1 { lines.pop() } else { None };
        let mut lines = lines.into_iter();
        let sentence = lines.next().unwrap_or_default();
        Self { sentence, places: lines.collect(), remedy: remedy.unwrap_or_default() }
    }
}

pub(super) async fn page(
    State(state): State<Shared>,
    asked: Asked,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response<Body>, Problem> {
    let Query(wanted) = wanted?;
    let form = |is_wrong, url: String| Page {
        f: asked.frame(&state, "explore", "Explore", is_wrong),
        query: encoded(&url),
        url,
        problem: None,
        asks: false,
        working: None,
        found: None,
        share: String::new(),
    };
    if wanted.url.is_empty() {
        return show(&form(false, String::new()));
    }
    let url = match address::parse(&wanted.url) {
        Ok(url) => url,
        Err(reason) => {
            let problem = Some(Trouble::of(reason));
            let page = Page { problem, ..form(true, address::shown(&wanted.url)) };
            return show_as(StatusCode::BAD_REQUEST, &page);
        }
    };
    let about = asked.about(&url);
    let coming = asked.coming(&state)?;
    let known = state.tools.explorations.about(&about);
    let is_again = coming == Coming::Here && !wanted.again.is_empty();
    let job = match known.filter(|job| !(is_again && job.is_old(SOON))) {
        Some(job) => job,
        None if coming == Coming::Link => {
            return show(&Page { asks: true, ..form(false, url.into()) });
        }
        None => {
            asked.take(&state)?;
            let (client, get) = (state.tools.client()?.clone(), asked.getting(&url));
            let url = url.clone();
            state.tools.explorations.begin(about, |teller| seen(client, url, get, teller))?
        }
    };
    let mut page = form(false, url.into());
    let here = format!("explore?url={}", page.query);
    if !wanted.again.is_empty() {
        return Ok(go(&state, &here));
    }
    settle(&job).await;
    match job.outcome() {
        None => {
            page.f.again = Some(2);
            page.working = Some(Working::of(&job, format!("explore/{}/events", job.id)));
        }
        Some(Ok(explored)) => page.found = Some((explored, Time::of(explored.at, now()))),
        Some(Err(error)) => page.problem = Some(Trouble::of(&error.to_string())),
    }
    page.share = format!("{}{here}", state.base);
    page.f.title = format!("Explore {}", short(&page.url, 100));
    show(&page)
}

async fn seen(
    client: Client,
    url: Url,
    get: GetOptions,
    teller: Teller,
) -> Result<Explored, DiscoveryError> {
    teller.say(format!("Looking for a Source at {url}"));
    let source = discover(&client, &url, &get).await?;
    let options = ExploreOptions { levels: usize::MAX, documents: MOST };
    let progress = |number: usize, url: &Url| {
        teller.say(format!(
            "{} looked at; now {url}",
            tidings_base::text::counted(number as u64, "document", "documents")
        ));
    };
    let tree = explore(&client, &source, &get, None, &options, &progress).await;
    Ok(Explored::new(&source, &tree))
}

pub(super) async fn events(
    State(state): State<Shared>,
    asked: Asked,
    Path(id): Path<String>,
) -> Result<Response<Body>, Problem> {
    let job = state.tools.explorations.get(&id);
    let job = job.ok_or_else(|| Problem::not_found("this is not under way any more"))?;
    live::of_job(&state, &asked.visitor, &job)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_nothing_was_found_has_a_line_for_each_place() {
        let trouble = Trouble::of("nothing at x:\n  one: a\n  two: b\ntry again");
        assert_eq!(trouble.sentence, "nothing at x:");
        assert_eq!(trouble.places, ["one: a", "two: b"]);
        assert_eq!(trouble.remedy, "try again");
        let short = Trouble::of("only this");
        assert_eq!((short.sentence.as_str(), short.remedy.as_str()), ("only this", ""));
    }
}
