//! Pages: what people look at. A file per page, with its template of the same name.

mod account;
mod add;
mod batch;
mod collection;
mod home;
mod layer;
mod log;
mod login;
mod look;
mod search;
mod searches;
mod setup;
mod site;
mod site_forms;
mod subscriptions;
mod tokens;
mod users;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Response;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::api::Problem;
use crate::frame::go;
use crate::state::Shared;
use crate::visitor::Visitor;

pub(crate) use add::Looked;
pub(crate) use site::{is_under_way, named, problem};
pub(crate) use subscriptions::{Imported, follow_all};

/// What the layer around all pages found out about who asks.
pub(crate) type Asking = axum::extract::Extension<Arc<Visitor>>;

/// All pages, and the forms on them.
pub(crate) fn router(state: &Shared) -> Router<Shared> {
    Router::new()
        .route("/", get(home::page))
        .route("/add", get(add::page).post(add::look))
        .route("/add/{id}", get(add::looked))
        .route("/add/{id}/events", get(add::events))
        .route("/add/{id}/follow", post(add::follow))
        .route("/search", get(search::page))
        .route("/searches", post(searches::add))
        .route("/searches/{id}/remove", post(searches::remove))
        .route("/sites/{key}", get(site::page))
        .route("/sites/{key}/events", get(site::events))
        .route("/sites/{key}/poll", post(site_forms::poll))
        .route("/sites/{key}/pause", post(site_forms::pause))
        .route("/sites/{key}/settings", post(site_forms::settings))
        .route("/sites/{key}/collections", post(site_forms::collections))
        .route("/sites/{key}/feed", post(site_forms::feed))
        .route("/sites/{key}/remove", get(site_forms::ask).post(site_forms::remove))
        .route("/collections/{key}", get(collection::page))
        .route("/collections/{key}/batches/{sequence}", get(batch::page))
        .route("/subscriptions", get(subscriptions::page).post(subscriptions::import))
        .route("/subscriptions/{id}", get(subscriptions::imported))
        .route("/subscriptions/{id}/events", get(subscriptions::events))
        .route("/login", get(login::page).post(login::sign_in))
        .route("/logout", post(login::sign_out))
        .route("/setup", get(setup::page).post(setup::begin))
        .route("/account", get(account::page))
        .route("/account/password", post(account::password))
        .route("/account/sessions", post(account::sessions))
        .route("/tokens", get(tokens::page).post(tokens::add))
        .route("/tokens/remove", post(tokens::remove))
        .route("/users", get(users::page).post(users::add))
        .route("/users/{id}", post(users::change))
        .route("/users/{id}/remove", post(users::remove))
        .route("/log", get(log::page))
        .route("/look", post(look::save))
        .route("/shortcuts", get(look::shortcuts))
        .merge(crate::tools::router())
        .merge(crate::webfeeds::router())
        .fallback(async || Problem::not_found("there is no such page"))
        .layer(from_fn_with_state(Arc::clone(state), layer::around))
}

/// Sends the browser back to where it was: a path of ours, whatever else it says.
fn back(state: &Shared, next: &str) -> Response<Body> {
    let is_ours = next.starts_with('/')
        && !next.starts_with("//")
        && !next.contains(['\\', '\r', '\n'])
        && next.bytes().all(|byte| byte.is_ascii_graphic());
    // What the browser asked us for has no root before it, and what pages link to has.
    let rest = next.strip_prefix(state.root.as_str()).or_else(|| next.strip_prefix('/'));
    go(state, rest.filter(|_| is_ours).unwrap_or_default())
}
