//! Tokens: made, listed, taken back.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use tidings_store::Scope;

use super::Problem;
use super::sites::time;
use crate::access::managing;
use crate::state::Shared;
use crate::token::NewToken;

#[derive(Debug, Serialize)]
pub(super) struct Token {
    name: String,
    scope: Scope,
    created_at: String,
    used_at: Option<String>,
}

pub(super) async fn list(
    State(state): State<Shared>,
    headers: HeaderMap,
) -> Result<Json<Vec<Token>>, Problem> {
    managing(&state, &headers).await?;
    let tokens = state.store.tokens().await?.into_iter();
    let shown = tokens.map(|token| Token {
        name: token.name,
        scope: token.scope,
        created_at: time(token.created_at),
        used_at: token.used_at.map(time),
    });
    Ok(Json(shown.collect()))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    name: String,
    scope: Scope,
}

#[derive(Debug, Serialize)]
pub(super) struct Made {
    name: String,
    scope: Scope,
    /// Shown once, and never again.
    token: String,
}

pub(super) async fn add(
    State(state): State<Shared>,
    headers: HeaderMap,
    wanted: Result<Json<Wanted>, JsonRejection>,
) -> Result<(StatusCode, Json<Made>), Problem> {
    let actor = managing(&state, &headers).await?;
    let Json(Wanted { name, scope }) = wanted?;
    let name = name.trim().to_owned();
    if name.is_empty() || name.len() > 100 {
        return Err(Problem::bad("name: 1 to 100 characters"));
    }
    let token = NewToken::make()
        .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    if !state.store.add_token(&name, scope, token.hash()).await? {
        let message = format!("there is a token {name:?} already");
        return Err(Problem::new(StatusCode::CONFLICT, message));
    }
    let token = token.text().to_owned();
    state.done_by(&actor.0, "token", &name, scope.name()).await;
    Ok((StatusCode::CREATED, Json(Made { name, scope, token })))
}

pub(super) async fn remove(
    State(state): State<Shared>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, Problem> {
    let actor = managing(&state, &headers).await?;
    if state.store.remove_token(&name).await? {
        state.done_by(&actor.0, "take token back", &name, "").await;
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(Problem::not_found(format!("there is no token {name:?}")))
    }
}
