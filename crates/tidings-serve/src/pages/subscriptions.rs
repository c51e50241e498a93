//! Lists of subscriptions: taken over from a feed reader, and given to one.

use std::convert::Infallible;

use askama::Template;
use axum::body::Body;
use axum::extract::{Extension, Path, Request, State};
use axum::http::header::CONTENT_LENGTH;
use axum::http::{Response, StatusCode};
use futures_util::StreamExt as _;
use tidings_feed::{Opml, Outline};
use tidings_http::listener::Peer;
use tidings_store::Role;
use tidings_syndication::{Follower, ImportPlan, SkippedOutline, Wishes, import_outline};

use super::Asking;
use crate::access::{address_of, is_trusted};
use crate::api::Problem;
use crate::frame::{Frame, go, show};
use crate::live;
use crate::state::Shared;
use crate::visitor::Visitor;

/// How large a list may be.
const MOST_BYTES: usize = 4 << 20;
/// How many sites are looked at at once.
const AT_ONCE: usize = 8;

/// What came of taking over a list.
#[derive(Debug, Default)]
pub(crate) struct Imported {
    lines: Vec<Line>,
    skipped: Vec<SkippedOutline>,
}

#[derive(Debug, Clone)]
struct Line {
    url: String,
    /// The key of the site, and whether it was followed already.
    result: Result<(String, bool), String>,
    /// The settings of the list that were not understood.
    skipped_settings: String,
}

#[derive(Template)]
#[template(path = "subscriptions.html")]
struct Page {
    f: Frame,
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
) -> Result<Response<Body>, Problem> {
    show(&Page { f: Frame::new(&state, &visitor, "add", "Subscriptions") })
}

/// Begins to follow all that a list has.
pub(super) async fn import(
    State(state): State<Shared>,
    Extension(peer): Extension<Peer>,
    visitor: Asking,
    request: Request,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let (parts, body) = request.into_parts();
    let headers = parts.headers;
    let too_large = || {
        let message = format!("the list is too large: {} MiB are enough", MOST_BYTES >> 20);
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    };
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if length.and_then(|length| length.parse::<usize>().ok()).is_some_and(|it| it > MOST_BYTES) {
        return Err(too_large());
    }
    let guard = state.form_guard(&visitor);
    let mut form = guard.open_multipart(&headers, body, MOST_BYTES).await?;
    let mut list = None;
    while let Some(field) =
        form.next_field().await.map_err(|error| Problem::new(error.status(), error.body_text()))?
    {
        let is_list = field.name() == Some("list");
        let bytes = field.bytes().await.map_err(|_| too_large())?;
        if is_list {
            list = Some(bytes);
        }
    }
    let list = list.filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| Problem::bad("no file was chosen"))?;
    let opml = Opml::read(&list).map_err(|error| Problem::bad(error.to_string()))?;
    state.limits.take(address_of(&state, &headers, peer)).map_err(Problem::too_often)?;
    follow_all(&state, &visitor, ImportPlan::from_opml(&opml), Wishes::default()).await
}

/// Begins to follow all of these, and shows how far that is.
pub(crate) async fn follow_all(
    state: &Shared,
    visitor: &Visitor,
    plan: ImportPlan,
    wishes: Wishes,
) -> Result<Response<Body>, Problem> {
    let (follower, trusted) = (state.follower.clone(), is_trusted(visitor));
    let server = std::sync::Arc::clone(state);
    let address = visitor.address;
    let ImportPlan { wanted: feeds, skipped } = plan;
    let number = feeds.len();
    let job = state.imports.begin("a list", async move |teller| {
        let total = feeds.len() as u64;
        let lines = futures_util::stream::iter(feeds)
            .map(async |feed| {
                // As often as anybody may, however long the list is.
                while let Err(wait) = server.limits.take(address) {
                    tokio::time::sleep(wait).await;
                }
                take(&follower, feed, &wishes, trusted).await
            })
            .buffer_unordered(AT_ONCE);
        let mut lines = std::pin::pin!(lines);
        let mut imported = Imported { lines: Vec::new(), skipped };
        while let Some(line) = lines.next().await {
            teller.say(line.url.clone());
            imported.lines.push(line);
            teller.count(imported.lines.len() as u64, total);
            server.worker.wake.notify_one();
        }
        Ok::<_, Infallible>(imported)
    })?;
    state.did(visitor, "import", &format!("{number} subscriptions"), "").await;
    Ok(go(state, &format!("subscriptions/{}", job.id)))
}

async fn take(follower: &Follower, outline: Outline, wishes: &Wishes, trusted: bool) -> Line {
    match import_outline(follower, &outline, wishes, trusted).await {
        Some(tidings_syndication::Imported { url, result, skipped_settings }) => Line {
            url,
            result: result.map_err(|error| error.to_string()),
            skipped_settings: skipped_settings.join(", "),
        },
        None => Line {
            url: outline.text,
            result: Err("it names no address".to_owned()),
            skipped_settings: String::new(),
        },
    }
}

#[derive(Template)]
#[template(path = "imported.html")]
struct ImportedPage {
    f: Frame,
    id: String,
    is_done: bool,
    line: String,
    done: u64,
    total: u64,
    new: usize,
    known: usize,
    failed: Vec<(String, String)>,
    skipped: Vec<(String, String)>,
}

/// How far it is, or what came of it.
pub(super) async fn imported(
    State(state): State<Shared>,
    visitor: Asking,
    Path(id): Path<String>,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let job = state.imports.get(&id).ok_or_else(forgotten)?;
    let told = job.told().borrow().clone();
    let mut f = Frame::new(&state, &visitor, "add", "Subscriptions");
    let (lines, skipped) = match job.outcome() {
        None => (None, &[][..]),
        Some(Ok(imported)) => (Some(&imported.lines), &imported.skipped[..]),
        Some(Err(problem)) => {
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, problem.to_string()));
        }
    };
    f.again = lines.is_none().then_some(2);
    let is_done = lines.is_some();
    let lines = lines.map(Vec::as_slice).unwrap_or_default();
    let number = |wanted: bool| {
        lines.iter().filter(move |line| matches!(line.result, Ok((_, is_new)) if is_new == wanted))
    };
    let failed = lines.iter().filter_map(|line| {
        line.result.as_ref().err().map(|problem| (line.url.clone(), problem.clone()))
    });
    let of_list = skipped.iter().map(|one| (one.text.clone(), one.reason.to_owned()));
    let settings = lines.iter().filter(|line| !line.skipped_settings.is_empty()).map(|line| {
        (line.url.clone(), format!("settings that are not understood: {}", line.skipped_settings))
    });
    let skipped = of_list.chain(settings).collect();
    show(&ImportedPage {
        skipped,
        f,
        id,
        is_done,
        line: told.line,
        done: told.done,
        total: told.total,
        new: number(true).count(),
        known: number(false).count(),
        failed: failed.collect(),
    })
}

fn forgotten() -> Problem {
    Problem::not_found(
        "what came of this import is not remembered any more (a server that was started again, or another one, does not know of it)",
    )
}

pub(super) async fn events(
    State(state): State<Shared>,
    visitor: Asking,
    Path(id): Path<String>,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let job = state.imports.get(&id).ok_or_else(forgotten)?;
    live::of_job(&state, &visitor, &job)
}
