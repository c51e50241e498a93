//! One's own account: password and sessions.

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode};
use tidings_http::authenticator::SignInError;
use tidings_http::cookies::append_cookies;
use tidings_http::text_format::{Time, now};
use tidings_store::UserSession;

use super::{Asking, setup};
use crate::api::Problem;
use crate::frame::{Frame, go, show, show_as};
use crate::posted::Posted;
use crate::state::{Shared, State as Server};
use crate::visitor::{Visitor, Who};

#[derive(Template)]
#[template(path = "account.html")]
struct Page {
    f: Frame,
    name: String,
    role: &'static str,
    sessions: Vec<Line>,
    problem: Option<String>,
}

struct Line {
    about: String,
    since: Time,
    used: Time,
    ends: Time,
}

fn user(visitor: &Visitor) -> Result<&UserSession, Problem> {
    match &visitor.who {
        Who::User(session) => Ok(session),
        Who::Nobody | Who::Local | Who::Program(_) => {
            Err(Problem::unauthorized("sign in to see your account"))
        }
    }
}

async fn shown(
    state: &Server,
    visitor: &Visitor,
    problem: Option<String>,
) -> Result<Page, Problem> {
    let session = user(visitor)?;
    let sessions = state.store.sessions(session.user.id).await?;
    let now = now();
    let line = |session: &UserSession| Line {
        about: session.about.clone(),
        since: Time::of(session.created_at, now),
        used: Time::of(session.used_at, now),
        ends: Time::of(session.expires_at, now),
    };
    Ok(Page {
        f: Frame::new(state, visitor, "account", "Your account"),
        name: session.user.name.clone(),
        role: session.user.role.name(),
        sessions: sessions.iter().map(line).collect(),
        problem,
    })
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
) -> Result<Response<Body>, Problem> {
    if matches!(visitor.who, Who::Local) {
        return Ok(go(&state, "setup"));
    }
    show(&shown(&state, &visitor, None).await?)
}

/// Changes the password; all sessions end, and this browser gets a new one.
pub(super) async fn password(
    State(state): State<Shared>,
    visitor: Asking,
    headers: HeaderMap,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    let session = user(&visitor)?;
    let name = &session.user.name;
    let refused = async |problem: String| {
        let page = shown(&state, &visitor, Some(problem)).await?;
        show_as(StatusCode::UNPROCESSABLE_ENTITY, &page)
    };
    let browser = visitor.browser(&state, &headers);
    let typed = [form.exact("password"), form.exact("again")];
    let changed =
        state.authenticator.change_password(browser, name, form.exact("old"), typed).await;
    match changed {
        Ok(signed_in) => {
            let mut response = go(&state, "account?said=password");
            append_cookies(response.headers_mut(), &signed_in.cookies);
            state.did(&visitor, "password", name, "").await;
            Ok(response)
        }
        Err(SignInError::Wrong(_)) => refused("The old password is wrong.".to_owned()).await,
        Err(SignInError::Password(error)) => refused(setup::sentence(&error)).await,
        Err(error) => Err(error.into()),
    }
}

/// Ends all other sessions.
pub(super) async fn sessions(
    State(state): State<Shared>,
    visitor: Asking,
    _: Posted,
) -> Result<Response<Body>, Problem> {
    let session = user(&visitor)?;
    state.store.end_sessions(session.user.id, visitor.session).await?;
    state.did(&visitor, "end sessions", &session.user.name, "").await;
    Ok(go(&state, "account?said=sessions"))
}
