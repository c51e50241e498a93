//! A sample: a small site with something new every few hours, for whoever has none at hand.
//!
//! Nothing of it is kept. What is there, and what changed when, follows from the clock: so it is the
//! same each time that somebody asks, and older changes never change.

mod notes;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Response;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use notes::{FIRST_DAYS, News, page, slot_at};
use tidings_document::{
    Capability, Change, Entry, Form, Head, Link, Metadata, Moment, Precision, Writer,
};
use tidings_store::Kind;

use crate::api::Problem;
use crate::state::{Shared, State as Server};

/// The routes below `/sample`, where it is offered: to whoever is at this machine.
pub(crate) fn router(state: &Server) -> Router<Shared> {
    if !state.is_local || state.is_proxied {
        return Router::new();
    }
    Router::new()
        .route("/sample/", get(home))
        .route("/.well-known/resourcesync", get(description))
        .route("/sample/.well-known/resourcesync", get(description))
        .route("/sample/capabilitylist.xml", get(capabilities))
        .route("/sample/changelist.xml", get(changes))
        .route("/sample/{name}", get(one))
}

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

async fn home(State(state): State<Shared>) -> Html<String> {
    let root = &state.root;
    let notes = News::until(now()).into_iter().rev().filter(|news| news.kind != Kind::Deleted);
    let items: String = notes
        .take(12)
        .map(|news| format!("<li><a href=\"{root}sample/{0}\">{0}</a></li>\n", news.name))
        .collect();
    Html(format!(
        "<!doctype html>\n<html lang=\"en\">\n<title>The lighthouse</title>\n\
         <link rel=\"resourcesync\" href=\"{root}sample/capabilitylist.xml\">\n\
         <meta name=\"description\" content=\"Notes of a keeper who does not exist\">\n\
         <meta name=\"author\" content=\"The keeper\">\n\
         <h1>The lighthouse</h1>\n<p>A sample site of Tidings: something changes on it every few \
         hours.</p>\n<ul>\n{items}</ul>\n</html>\n"
    ))
}

async fn one(Path(name): Path<String>) -> Result<Html<String>, Problem> {
    let html = page(&name, now());
    html.map(Html).ok_or_else(|| Problem::not_found("the sample has no such page"))
}

async fn description(State(state): State<Shared>) -> Result<Response<Body>, Problem> {
    let own = |path: &str| format!("{}sample/{path}", state.base);
    let mut entry = Entry::new(own("capabilitylist.xml"));
    entry.metadata.capability = Some(Capability::CapabilityList);
    entry.links = vec![link("describes", own("")), link("describedby", own(""))];
    let mut head = head(Capability::Description);
    head.links.push(link("describedby", own("")));
    written(&head, &[entry])
}

async fn capabilities(State(state): State<Shared>) -> Result<Response<Body>, Problem> {
    let own = |path: &str| format!("{}sample/{path}", state.base);
    let mut head = head(Capability::CapabilityList);
    head.links.push(link("describes", own("")));
    head.links.push(link("describedby", own("")));
    // The well-known place is at the root of the host, which may be somebody else's.
    let up = if state.root == "/" { ".well-known" } else { "sample/.well-known" };
    head.links.push(link("up", format!("{}{up}/resourcesync", state.base)));
    let mut entry = Entry::new(own("changelist.xml"));
    entry.metadata.capability = Some(Capability::ChangeList);
    written(&head, &[entry])
}

async fn changes(State(state): State<Shared>) -> Result<Response<Body>, Problem> {
    let now = now();
    let mut head = head(Capability::ChangeList);
    head.metadata.from = moment(slot_at(now - FIRST_DAYS * 86_400));
    head.links.push(link("up", format!("{}sample/capabilitylist.xml", state.base)));
    let entries: Vec<Entry<'_>> = News::until(now).iter().map(|news| entry(&state, news)).collect();
    written(&head, &entries)
}

fn entry<'a>(state: &Server, news: &News) -> Entry<'a> {
    let mut entry = Entry::new(format!("{}sample/{}", state.base, news.name));
    entry.lastmod = moment(news.time);
    entry.metadata.datetime = moment(news.time);
    entry.metadata.change = Some(match news.kind {
        Kind::Created => Change::Created,
        Kind::Updated => Change::Updated,
        Kind::Deleted => Change::Deleted,
    });
    entry
}

fn head(capability: Capability) -> Head<'static> {
    let metadata = Metadata { capability: Some(capability), ..Metadata::default() };
    Head { metadata, ..Head::sitemap(Form::List) }
}

fn link(rel: &'static str, href: String) -> Link<'static> {
    Link::new(rel, href)
}

fn moment(seconds: i64) -> Option<Moment> {
    Moment::from_unix(seconds, 0, Precision::Second)
}

fn written(head: &Head<'_>, entries: &[Entry<'_>]) -> Result<Response<Body>, Problem> {
    let mut writer = Writer::new(Vec::new(), head).map_err(Problem::ours)?;
    for entry in entries {
        writer.write(entry).map_err(Problem::ours)?;
    }
    let (bytes, _) = writer.finish().map_err(Problem::ours)?;
    let headers = [(CONTENT_TYPE, "application/xml"), (CACHE_CONTROL, "no-cache")];
    Ok((headers, bytes).into_response())
}
