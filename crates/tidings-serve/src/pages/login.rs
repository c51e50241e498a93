//! Signing in and out.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Response, StatusCode};
use serde::Deserialize;
use tidings_http::authenticator::{SignInError, SignedIn};
use tidings_http::cookies::append_cookies;

use super::{Asking, back};
use crate::api::Problem;
use crate::frame::{Frame, go, show, show_as};
use crate::parts::short;
use crate::posted::Posted;
use crate::state::Shared;
use crate::user_accounts::UserAccounts;
use crate::visitor::Who;

#[derive(Template)]
#[template(path = "login.html")]
struct Page {
    f: Frame,
    next: String,
    name: String,
    problem: Option<&'static str>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    next: String,
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
    Query(wanted): Query<Wanted>,
) -> Result<Response<Body>, Problem> {
    if matches!(visitor.who, Who::User(_)) {
        return Ok(back(&state, &wanted.next));
    }
    let f = Frame::new(&state, &visitor, "account", "Sign in");
    show(&Page { f, next: short(&wanted.next, 2_000), name: String::new(), problem: None })
}

/// Lets somebody in who knows a name and its password. Which of the two is wrong is not said, and takes
/// as long to find out.
pub(super) async fn sign_in(
    State(state): State<Shared>,
    visitor: Asking,
    headers: HeaderMap,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    let (name, address) = (form.get("name"), visitor.address.to_string());
    let browser = visitor.browser(&state, &headers);
    let signed_in = state.authenticator.sign_in(browser, name, form.exact("password")).await;
    match signed_in {
        Ok(SignedIn { account, cookies }) => {
            let mut response = back(&state, form.get("next"));
            append_cookies(response.headers_mut(), &cookies);
            state.done_by(&account.name, "sign-in", &account.name, &address).await;
            Ok(response)
        }
        Err(SignInError::Wrong(user)) => {
            if let Some(user) = user {
                // Not before the answer: how long it takes would say that there is such a user.
                let (state, visitor) = (Arc::clone(&state), Arc::clone(&visitor));
                tokio::spawn(async move {
                    state.did(&visitor, "refused sign-in", &user.name, &address).await;
                });
            }
            let f = Frame::new(&state, &visitor, "account", "Sign in");
            let problem = Some("The name or the password is wrong.");
            let (name, next) = (short(name, 100), form.get("next").to_owned());
            show_as(StatusCode::UNAUTHORIZED, &Page { f, next, name, problem })
        }
        Err(error) => Err(error.into()),
    }
}

impl From<SignInError<UserAccounts>> for Problem {
    fn from(error: SignInError<UserAccounts>) -> Self {
        match error {
            SignInError::TooOften(wait) => Self::too_often(wait),
            SignInError::Store(error) => error.into(),
            SignInError::Password(error) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
            }
            SignInError::Wrong(_) => Self::unauthorized("the name or the password is wrong"),
            error => Self::ours(error),
        }
    }
}

pub(super) async fn sign_out(
    State(state): State<Shared>,
    visitor: Asking,
    _: Posted,
) -> Result<Response<Body>, Problem> {
    let cookies = state.authenticator.sign_out(state.jar, visitor.session).await?;
    if visitor.session.is_some() {
        state.did(&visitor, "sign-out", visitor.name(), "").await;
    }
    let mut response = go(&state, "login?said=signed-out");
    append_cookies(response.headers_mut(), &cookies);
    Ok(response)
}
