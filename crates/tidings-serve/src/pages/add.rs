//! Adding a site: what is there, before it is followed.

use askama::Template;
use axum::body::Body;
use axum::extract::{Extension, Path, Query, State};
use axum::http::{HeaderMap, Response, StatusCode};
use serde::Deserialize;
use tidings_http::listener::Peer;
use tidings_http::text_format::now;
use tidings_store::{Role, Via};
use tidings_syndication::{Look, LookedAt, Quality, Wishes};

use super::Asking;
use crate::access::{address_of, is_trusted};
use crate::api::Problem;
use crate::frame::{Frame, go, show, show_as};
use crate::live;
use crate::parts::{ChangeLine, encoded, short, web};
use crate::posted::Posted;
use crate::state::Shared;

/// How long an address may be that somebody types.
pub(crate) const LONGEST: usize = 2_000;

/// What came of looking at a site that somebody is about to follow.
#[derive(Debug)]
pub(crate) struct Looked {
    look: Look,
}

#[derive(Template)]
#[template(path = "add.html")]
struct Add {
    f: Frame,
    url: String,
    problem: Option<String>,
    /// A webfeed is meant, and nothing else.
    is_webfeed: bool,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    url: String,
    #[serde(default)]
    webfeed: String,
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
    Query(wanted): Query<Wanted>,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let f = Frame::new(&state, &visitor, "add", "Add a site");
    let is_webfeed = !wanted.webfeed.is_empty();
    show(&Add { f, url: short(&wanted.url, LONGEST), problem: None, is_webfeed })
}

/// Begins to look at a site.
pub(super) async fn look(
    State(state): State<Shared>,
    Extension(peer): Extension<Peer>,
    visitor: Asking,
    headers: HeaderMap,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let url = form.get("url").to_owned();
    let is_webfeed = form.is("webfeed");
    if url.is_empty() || url.len() > LONGEST {
        let problem = Some(format!("Give an address of 1 to {LONGEST} characters."));
        let f = Frame::new(&state, &visitor, "add", "Add a site");
        let page = Add { f, url: short(&url, 200), problem, is_webfeed };
        return show_as(StatusCode::UNPROCESSABLE_ENTITY, &page);
    }
    state.limits.take(address_of(&state, &headers, peer)).map_err(Problem::too_often)?;
    let trusted = is_trusted(&visitor);
    let follower = state.follower.clone();
    let wishes = Wishes { webfeed: is_webfeed, ..Wishes::default() };
    let about = url.clone();
    let job = state.looks.begin(about, async move |teller| {
        let tell = |line: &str| teller.say(line);
        let look = follower.look(&url, &wishes, trusted, &tell).await;
        look.map(|look| Looked { look })
    })?;
    let kind = if is_webfeed { "?webfeed=on" } else { "" };
    Ok(go(&state, &format!("add/{}{kind}", job.id)))
}

#[derive(Template)]
#[template(path = "adding.html")]
struct Adding {
    f: Frame,
    id: String,
    url: String,
    line: String,
}

#[derive(Template)]
#[template(path = "added.html")]
struct Added {
    f: Frame,
    id: String,
    name: String,
    url: String,
    href: Option<String>,
    via: &'static str,
    found_by: String,
    tried: Vec<TriedLine>,
    quality: Quality,
    left_out: u64,
    collections: Vec<Offered>,
    is_sitemap: bool,
    is_webfeed: bool,
    /// Its address in a query.
    query: String,
    known: Option<String>,
}

struct TriedLine {
    what: String,
    url: String,
    is_good: bool,
    text: String,
}

struct Offered {
    identity: String,
    name: String,
    about: Option<String>,
    changes: Vec<ChangeLine>,
    problem: Option<String>,
    is_looked_at: bool,
}

/// What was found, or how far that is.
pub(super) async fn looked(
    State(state): State<Shared>,
    visitor: Asking,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let job = state.looks.get(&id).ok_or_else(forgotten)?;
    let mut f = Frame::new(&state, &visitor, "add", "Add a site");
    match job.outcome() {
        None => {
            f.again = Some(2);
            let line = job.told().borrow().line.clone();
            show(&Adding { f, id, url: short(&job.about, 300), line })
        }
        Some(Err(problem)) => {
            // There may be a password in it.
            let url = if job.about.contains('@') { String::new() } else { job.about.clone() };
            let is_webfeed = !wanted.webfeed.is_empty();
            let page = Add { f, url, problem: Some(problem.to_string()), is_webfeed };
            show_as(StatusCode::UNPROCESSABLE_ENTITY, &page)
        }
        Some(Ok(Looked { look })) => {
            let title = look.title.clone().unwrap_or_else(|| look.url.clone());
            f.title = short(&title, 100);
            show(&added(f, id, look))
        }
    }
}

fn forgotten() -> Problem {
    Problem::not_found(
        "what was found there is not remembered any more; look at the site again (a server that was started again, or another one, does not know of it)",
    )
}

fn added(f: Frame, id: String, look: &Look) -> Added {
    let tried = look.tried.iter().map(|tried| TriedLine {
        what: tried.what.clone(),
        url: short(&tried.url, 300),
        is_good: tried.result.is_ok(),
        text: match &tried.result {
            Ok(found) => short(found, 300),
            Err(failure) => short(&failure.to_string(), 300),
        },
    });
    Added {
        f,
        id,
        name: short(look.title.as_deref().unwrap_or(&look.url), 200),
        url: look.url.clone(),
        href: web(&look.url).map(str::to_owned),
        via: via_words(look.via),
        found_by: look.found_by.clone(),
        tried: tried.collect(),
        quality: look.quality.clone(),
        left_out: look.left_out,
        collections: look.collections.iter().map(offered).collect(),
        is_sitemap: look.via == Via::Sitemap,
        is_webfeed: look.via == Via::Webfeed,
        query: encoded(&look.url),
        known: look.known.clone(),
    }
}

/// By what changes are known, as the rest of a sentence.
pub(super) fn via_words(via: Via) -> &'static str {
    match via {
        Via::ResourceSync => "says itself what changes on it (ResourceSync)",
        Via::Sitemap => "has a Sitemap, of which one state is compared with the next",
        Via::Feed => "has a feed, which is taken over",
        Via::Webfeed => "is a webfeed: posts behind a text file",
        Via::Pages => "offers nothing but its pages, which are read and compared",
    }
}

fn offered(collection: &LookedAt) -> Offered {
    let now = now();
    let looked = collection.changes.as_ref();
    let changes = looked.and_then(|looked| looked.as_deref().ok()).unwrap_or_default();
    let title = collection.title.as_deref().unwrap_or(&collection.identity);
    Offered {
        identity: collection.identity.clone(),
        name: short(title, 200),
        about: collection.about.as_deref().map(|about| short(about, 300)),
        changes: changes.iter().map(|change| ChangeLine::of(change, now)).collect(),
        problem: looked
            .and_then(|looked| looked.as_ref().err())
            .map(|problem| short(&problem.to_string(), 300)),
        is_looked_at: looked.is_some(),
    }
}

pub(super) async fn events(
    State(state): State<Shared>,
    visitor: Asking,
    Path(id): Path<String>,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let job = state.looks.get(&id).ok_or_else(forgotten)?;
    live::of_job(&state, &visitor, &job)
}

/// Follows what was found.
pub(super) async fn follow(
    State(state): State<Shared>,
    visitor: Asking,
    Path(id): Path<String>,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let job = state.looks.get(&id).ok_or_else(forgotten)?;
    let Some(Ok(Looked { look })) = job.outcome() else { return Err(forgotten()) };
    let wishes =
        Wishes { split: Some(form.is("split")), diff: Some(form.is("diff")), ..Wishes::default() };
    let ticked: Vec<&str> = form.all("collection").collect();
    // What is not offered cannot be ticked: then all are meant.
    let is_offered = !look.collections.is_empty() && !form.is("split");
    if is_offered && ticked.is_empty() {
        return Err(Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "no collection is ticked, so there is nothing to follow",
        ));
    }
    let wanted = |identity: &str| !is_offered || ticked.contains(&identity);
    let followed = state.follower.follow_look(look, &wishes, wanted).await?;
    state.worker.wake.notify_one();
    let key = &followed.site.key;
    if followed.is_new {
        state.did(&visitor, "follow", &followed.site.url, key).await;
    }
    let said = if followed.is_new { "followed" } else { "known" };
    let place = if followed.site.via == Via::Webfeed { "webfeeds" } else { "sites" };
    Ok(go(&state, &format!("{place}/{key}?said={said}")))
}
