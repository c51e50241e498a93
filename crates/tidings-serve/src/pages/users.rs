//! Accounts, for admins.

use askama::Template;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{Response, StatusCode};
use tidings_http::text_format::{Time, now};
use tidings_store::{Role, User, UserChange};

use super::{Asking, setup};
use crate::api::Problem;
use crate::frame::{Frame, go, show_as};
use crate::posted::Posted;
use crate::state::{Shared, State as Server};
use crate::visitor::{Visitor, Who};

#[derive(Template)]
#[template(path = "users.html")]
struct Page {
    f: Frame,
    users: Vec<Line>,
    problem: Option<String>,
}

struct Line {
    id: i64,
    name: String,
    role: &'static str,
    created: Time,
    signed_in: Option<Time>,
    is_own: bool,
}

const ROLES: [Role; 3] = [Role::Reader, Role::Editor, Role::Admin];

async fn shown(
    state: &Server,
    visitor: &Visitor,
    problem: Option<String>,
) -> Result<Response<Body>, Problem> {
    let now = now();
    let own = match &visitor.who {
        Who::User(session) => session.user.id,
        Who::Nobody | Who::Local | Who::Program(_) => 0,
    };
    let users = state.store.users().await?.into_iter().map(|user| Line {
        id: user.id,
        name: user.name,
        role: user.role.name(),
        created: Time::of(user.created_at, now),
        signed_in: user.signed_in_at.map(|at| Time::of(at, now)),
        is_own: user.id == own,
    });
    let f = Frame::new(state, visitor, "account", "Accounts");
    let status = if problem.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    show_as(status, &Page { f, users: users.collect(), problem })
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Admin)?;
    if !visitor.has_accounts {
        return Ok(go(&state, "setup"));
    }
    shown(&state, &visitor, None).await
}

fn role(form: &Posted) -> Result<Role, Problem> {
    let role = ROLES.into_iter().find(|role| role.name() == form.get("role"));
    role.ok_or_else(|| Problem::bad("role: reader, editor or admin"))
}

pub(super) async fn add(
    State(state): State<Shared>,
    visitor: Asking,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Admin)?;
    // The first account is made elsewhere, by whoever will have it.
    if !visitor.has_accounts {
        return Ok(go(&state, "setup"));
    }
    let (name, role) = (form.get("name").to_owned(), role(&form)?);
    match setup::checked(&state, &form, &name).await {
        Err(problem) => shown(&state, &visitor, Some(problem)).await,
        Ok(hash) => match state.store.add_user(&name, role, &hash).await? {
            None => {
                shown(&state, &visitor, Some(format!("Somebody is called {name} already."))).await
            }
            Some(user) => {
                state.did(&visitor, "add user", &user.name, role.name()).await;
                Ok(go(&state, "users?said=user-added"))
            }
        },
    }
}

async fn named(state: &Server, id: i64) -> Result<User, Problem> {
    let user = state.store.user_by_id(id).await?;
    user.ok_or_else(|| Problem::not_found("there is no such account any more"))
}

fn done(change: UserChange) -> Result<(), Problem> {
    match change {
        UserChange::Done => Ok(()),
        UserChange::Unknown => Err(Problem::not_found("there is no such account any more")),
        UserChange::LastAdmin => Err(Problem::new(
            StatusCode::CONFLICT,
            "this is the last admin: make somebody else one first",
        )),
    }
}

/// Changes what somebody may do. Their sessions end, so that it holds from now on.
pub(super) async fn change(
    State(state): State<Shared>,
    visitor: Asking,
    Path(id): Path<i64>,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Admin)?;
    let (user, role) = (named(&state, id).await?, role(&form)?);
    done(state.store.set_role(id, role).await?)?;
    if role < user.role {
        state.store.end_sessions(id, None).await?;
    }
    state.did(&visitor, "role", &user.name, role.name()).await;
    Ok(go(&state, "users?said=user-changed"))
}

pub(super) async fn remove(
    State(state): State<Shared>,
    visitor: Asking,
    Path(id): Path<i64>,
    _: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Admin)?;
    let user = named(&state, id).await?;
    done(state.store.remove_user(id).await?)?;
    state.did(&visitor, "remove user", &user.name, "").await;
    Ok(go(&state, "users?said=user-removed"))
}
