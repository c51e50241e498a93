//! One's own account: password and sessions.

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode};
use tidings_http::password::is_right;
use tidings_http::text_format::{Time, now};
use tidings_store::UserSession;

use super::{Asking, login, setup};
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
    state.limits.password(session.user.id).map_err(Problem::too_often)?;
    let kept = state.store.user(name).await?.map(|(_, kept)| kept);
    if !is_right(&state.passwords, form.exact("old"), kept).await {
        return refused("The old password is wrong.".to_owned()).await;
    }
    match setup::checked(&state, &form, name).await {
        Err(problem) => refused(problem).await,
        Ok(hash) => {
            state.store.set_password(session.user.id, &hash).await?;
            let mut response = go(&state, "account?said=password");
            login::begin(&state, &session.user, &headers, &mut response).await?;
            state.did(&visitor, "password", name, "").await;
            Ok(response)
        }
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
