//! Check: what is wrong with a document, and what to do about it.

use askama::Template;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{Response, StatusCode};
use serde::Deserialize;
use tidings_document::{CheckOptions, Profile, check};
use tidings_web::{Client, GetOptions, Url, charset};

use super::asked::{Asked, Coming};
use super::check_error::CheckError;
use super::checked::{Against, Checked, Choice, PROFILES, SPECS, View};
use super::{Working, address, check_webfeed, settle};
use crate::api::Problem;
use crate::frame::{Frame, go, show, show_as};
use crate::jobs::{Job, Teller};
use crate::live;
use crate::parts::encoded;
use crate::state::Shared;

/// After so many milliseconds it is worth while to look again.
const SOON: i64 = 5_000;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    url: String,
    #[serde(default)]
    spec: String,
    #[serde(default)]
    profile: String,
    #[serde(default)]
    severity: String,
    /// Look again, though it is known.
    #[serde(default)]
    again: String,
}

#[derive(Template)]
#[template(path = "check.html")]
pub(super) struct Page {
    f: Frame,
    url: String,
    choice: Choice,
    problem: Option<String>,
    /// A link of another site led here: a person has to say that it is to be checked.
    asks: bool,
    working: Option<Working>,
    found: Option<View>,
    /// This page below the root.
    bare: String,
    /// The same with what further values are added by.
    here: String,
    /// The URL in a query.
    query: String,
    /// The link that can be passed on.
    share: String,
    is_upload: bool,
}

impl Page {
    /// The form alone.
    pub(super) fn form(f: Frame, url: String, choice: Choice) -> Self {
        Self {
            f,
            url,
            choice,
            problem: None,
            asks: false,
            working: None,
            found: None,
            bare: String::new(),
            here: String::new(),
            query: String::new(),
            share: String::new(),
            is_upload: false,
        }
    }

    /// The form, and why nothing could be done.
    pub(super) fn refused(
        f: Frame,
        url: String,
        choice: Choice,
        problem: &str,
    ) -> Result<Response<Body>, Problem> {
        let form = Self::form(f, url, choice);
        let page = Self { problem: Some(problem.to_owned()), ..form };
        show_as(StatusCode::BAD_REQUEST, &page)
    }

    fn specs(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> + '_ {
        SPECS.iter().map(|(name, words, spec)| (*name, *words, *spec == self.choice.spec))
    }

    fn profiles(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> + '_ {
        PROFILES.iter().map(|(name, words, it)| (*name, *words, *it == self.choice.against))
    }
}

/// Shows a check that is under way or done.
pub(super) fn shown(
    state: &Shared,
    asked: &Asked,
    job: &Job<Checked>,
    form: (String, Choice),
    here: String,
    severity: &str,
) -> Result<Response<Body>, Problem> {
    let (url, choice) = form;
    let is_upload = url.is_empty();
    let mut page = Page::form(asked.frame(state, "check", "Check", false), url, choice);
    match job.outcome() {
        None => {
            page.f.again = Some(2);
            page.working = Some(Working::of(job, format!("check/{}/events", job.id)));
        }
        Some(Ok(checked)) => {
            let url = Some(page.url.as_str()).filter(|_| !is_upload);
            let view = View::of(checked, url, severity);
            page.f.title = format!("Check of {}", view.name);
            page.found = Some(view);
        }
        Some(Err(error)) => page.problem = Some(error.to_string()),
    }
    page.share = format!("{}{here}", state.base);
    let link = if here.contains('?') { '&' } else { '?' };
    page.here = format!("{here}{link}");
    page.bare = here;
    page.query = encoded(&page.url);
    page.is_upload = is_upload;
    show(&page)
}

pub(super) async fn page(
    State(state): State<Shared>,
    asked: Asked,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response<Body>, Problem> {
    let Query(wanted) = wanted?;
    let choice = Choice::of(&wanted.spec, &wanted.profile);
    let frame = |is_wrong| asked.frame(&state, "check", "Check", is_wrong);
    if wanted.url.is_empty() {
        return show(&Page::form(frame(false), String::new(), choice));
    }
    let url = match address::parse(&wanted.url) {
        Ok(url) => url,
        Err(reason) => {
            return Page::refused(frame(true), address::shown(&wanted.url), choice, reason);
        }
    };
    let about = asked.about(&url) + &choice.query();
    let coming = asked.coming(&state)?;
    let known = state.tools.checks.about(&about);
    let is_again = coming == Coming::Here && !wanted.again.is_empty();
    let here = format!("check?url={}{}", encoded(url.as_str()), choice.query());
    let job = match known.filter(|job| !(is_again && job.is_old(SOON))) {
        Some(job) => job,
        None if coming == Coming::Link => {
            let form = Page::form(frame(false), url.into(), choice);
            return show(&Page { asks: true, ..form });
        }
        None => {
            asked.take(&state)?;
            let (client, get) = (state.tools.client()?.clone(), asked.getting(&url));
            let url = url.clone();
            match choice.against {
                Against::Sitemaps(profile) => {
                    let had = |teller| had(client, url, get, (choice, profile), teller);
                    state.tools.checks.begin(about, had)?
                }
                Against::Webfeeds => {
                    let had = |teller| check_webfeed::fetched(client, url, get, choice, teller);
                    state.tools.checks.begin(about, had)?
                }
            }
        }
    };
    if !wanted.again.is_empty() {
        return Ok(go(&state, &here));
    }
    settle(&job).await;
    shown(&state, &asked, &job, (url.into(), choice), here, &wanted.severity)
}

async fn had(
    client: Client,
    url: Url,
    get: GetOptions,
    (choice, profile): (Choice, Profile),
    teller: Teller,
) -> Result<Checked, CheckError> {
    teller.say(format!("Getting {url}"));
    let fetched = client.get(&url, &get).await?;
    teller.say(format!("Checking {url}"));
    // Rules about the place of a document are about where it is published, not where that leads.
    let place = fetched.redirects.first().unwrap_or(&fetched.url).to_string();
    let mut options =
        CheckOptions { spec: choice.spec, profile, url: Some(place), ..CheckOptions::default() };
    options.read.charset = fetched.content_type.as_deref().and_then(charset);
    let body = fetched.body.into_reader();
    let report = tokio::task::spawn_blocking(move || check(body, &options))
        .await
        .map_err(|_| CheckError::Broken)?
        .map_err(|error| CheckError::Read { url: url.clone(), error })?;
    Ok(Checked::new(url.into(), choice, report))
}

pub(super) async fn events(
    State(state): State<Shared>,
    asked: Asked,
    Path(id): Path<String>,
) -> Result<Response<Body>, Problem> {
    let job = state.tools.checks.get(&id);
    let job = job.ok_or_else(|| Problem::not_found("there is no such check any more"))?;
    live::of_job(&state, &asked.visitor, &job)
}
