//! Tokens: what programs show to be let in.

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};
use tidings_http::text_format::{Time, now};
use tidings_store::{Role, Scope};

use super::Asking;
use crate::api::Problem;
use crate::frame::{Frame, go, show_as};
use crate::posted::Posted;
use crate::state::{Shared, State as Server};
use crate::token::NewToken;
use crate::visitor::Visitor;

#[derive(Template)]
#[template(path = "tokens.html")]
struct Page {
    f: Frame,
    tokens: Vec<Line>,
    /// The one that was just made: its name, and itself.
    made: Option<(String, String)>,
    problem: Option<String>,
}

struct Line {
    name: String,
    scope: &'static str,
    created: Time,
    used: Option<Time>,
}

async fn shown(
    state: &Server,
    visitor: &Visitor,
    made: Option<(String, String)>,
    problem: Option<String>,
) -> Result<Response<Body>, Problem> {
    let now = now();
    let tokens = state.store.tokens().await?.into_iter().map(|token| Line {
        name: token.name,
        scope: token.scope.name(),
        created: Time::of(token.created_at, now),
        used: token.used_at.map(|used| Time::of(used, now)),
    });
    let f = Frame::new(state, visitor, "account", "Tokens");
    let status = if problem.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let mut response = show_as(status, &Page { f, tokens: tokens.collect(), made, problem })?;
    // A token may be on it.
    let none = axum::http::HeaderValue::from_static("no-store");
    response.headers_mut().insert(axum::http::header::CACHE_CONTROL, none);
    Ok(response)
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Admin)?;
    shown(&state, &visitor, None, None).await
}

pub(super) async fn add(
    State(state): State<Shared>,
    visitor: Asking,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Admin)?;
    let name = form.get("name").to_owned();
    let scopes = [Scope::Read, Scope::Write, Scope::Admin];
    let scope = scopes.into_iter().find(|scope| scope.name() == form.get("scope"));
    let (Some(scope), 1..=100) = (scope, name.len()) else {
        let problem = "Give a name of 1 to 100 characters, and what the token is for.".to_owned();
        return shown(&state, &visitor, None, Some(problem)).await;
    };
    let token = NewToken::make().map_err(Problem::ours)?;
    if !state.store.add_token(&name, scope, token.hash()).await? {
        let problem = format!("There is a token {name:?} already.");
        return shown(&state, &visitor, None, Some(problem)).await;
    }
    state.did(&visitor, "token", &name, scope.name()).await;
    shown(&state, &visitor, Some((name, token.text().to_owned())), None).await
}

pub(super) async fn remove(
    State(state): State<Shared>,
    visitor: Asking,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Admin)?;
    let name = form.get("name");
    if !state.store.remove_token(name).await? {
        return Err(Problem::not_found("there is no such token any more"));
    }
    state.did(&visitor, "take token back", name, "").await;
    Ok(go(&state, "tokens?said=token-removed"))
}
