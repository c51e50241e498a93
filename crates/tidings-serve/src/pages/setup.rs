//! The first account, made on this machine.

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode};
use tidings_http::cookies::append_cookies;
use tidings_http::password::PasswordError;
use tidings_http::text_format::capitalised;

use super::Asking;
use crate::api::Problem;
use crate::frame::{Frame, go, show, show_as};
use crate::posted::Posted;
use crate::state::{Shared, State as Server};
use crate::visitor::Visitor;

#[derive(Template)]
#[template(path = "setup.html")]
struct Page {
    f: Frame,
    name: String,
    problem: Option<String>,
}

fn only_here(state: &Server, visitor: &Visitor) -> Result<(), Problem> {
    if visitor.is_here && !visitor.has_accounts {
        return Ok(());
    }
    let can_be_opened = state.is_local && !state.is_proxied;
    Err(Problem::forbidden(match (visitor.has_accounts, can_be_opened) {
        (true, _) => "there are accounts already; an admin can make more of them",
        (false, true) => {
            "the first account is made on the machine that this server runs on: open it there, or run \
             `tidings user add NAME --role admin`"
        }
        (false, false) => {
            "the first account is made on the machine that this server runs on: `tidings user add NAME \
             --role admin`"
        }
    }))
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
) -> Result<Response<Body>, Problem> {
    only_here(&state, &visitor)?;
    let f = Frame::new(&state, &visitor, "account", "Set up");
    show(&Page { f, name: String::new(), problem: None })
}

pub(super) async fn begin(
    State(state): State<Shared>,
    visitor: Asking,
    headers: HeaderMap,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    only_here(&state, &visitor)?;
    let name = form.get("name").to_owned();
    match checked(&state, &form, &name).await {
        Err(problem) => {
            let f = Frame::new(&state, &visitor, "account", "Set up");
            let page = Page { f, name, problem: Some(problem) };
            show_as(StatusCode::UNPROCESSABLE_ENTITY, &page)
        }
        Ok(password) => {
            let user = state.store.add_first_user(&name, &password).await?;
            let taken =
                || Problem::new(StatusCode::CONFLICT, "somebody else made the first account");
            let user = user.ok_or_else(taken)?;
            let browser = visitor.browser(&state, &headers);
            let signed_in = state.authenticator.begin(browser, user, &password).await?;
            let mut response = go(&state, "?said=welcome");
            append_cookies(response.headers_mut(), &signed_in.cookies);
            state.did(&visitor, "set up", &signed_in.account.name, "admin").await;
            Ok(response)
        }
    }
}

/// The hash of a password that is given twice, for a name that can be one.
pub(super) async fn checked(state: &Server, form: &Posted, name: &str) -> Result<String, String> {
    let typed = [form.exact("password"), form.exact("again")];
    state.authenticator.hash_new(typed, name).await.map_err(|error| sentence(&error))
}

/// Why a password is not taken, as a sentence.
pub(super) fn sentence(error: &PasswordError) -> String {
    format!("{}.", capitalised(&error.to_string()))
}
