//! The first account, made on this machine.

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode};

use super::{Asking, login};
use crate::api::Problem;
use crate::frame::{Frame, go, show, show_as};
use crate::password::hash_password;
use crate::posted::Posted;
use crate::state::Shared;
use crate::visitor::{Visitor, Who};

/// How long a name may be.
const LONGEST: usize = 60;

#[derive(Template)]
#[template(path = "setup.html")]
struct Page {
    f: Frame,
    name: String,
    problem: Option<String>,
}

fn only_here(visitor: &Visitor) -> Result<(), Problem> {
    if matches!(visitor.who, Who::Local) {
        return Ok(());
    }
    Err(Problem::forbidden(if visitor.has_accounts {
        "there are accounts already; an admin can make more of them"
    } else {
        "the first account is made on the machine that this server runs on: open it there, or run \
         `tidings user add NAME --role admin`"
    }))
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
) -> Result<Response<Body>, Problem> {
    only_here(&visitor)?;
    let f = Frame::new(&state, &visitor, "account", "Set up");
    show(&Page { f, name: String::new(), problem: None })
}

pub(super) async fn begin(
    State(state): State<Shared>,
    visitor: Asking,
    headers: HeaderMap,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    only_here(&visitor)?;
    let name = form.get("name").to_owned();
    match checked(&form, &name).await {
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
            let mut response = go(&state, "?said=welcome");
            login::begin(&state, &user, &headers, &mut response).await?;
            state.did(&visitor, "set up", &user.name, "admin").await;
            Ok(response)
        }
    }
}

/// The hash of a password that is given twice, for a name that can be one.
pub(super) async fn checked(form: &Posted, name: &str) -> Result<String, String> {
    let is_name =
        name.chars().all(|one| one.is_alphanumeric() || matches!(one, '.' | '-' | '_' | '@'));
    if name.is_empty() || name.chars().count() > LONGEST || !is_name {
        return Err(format!(
            "A name has 1 to {LONGEST} letters, digits, dots, hyphens, underscores or @."
        ));
    }
    let password = form.exact("password").to_owned();
    if password != form.exact("again") {
        return Err("The two passwords are not the same.".to_owned());
    }
    let name = name.to_owned();
    let hashed = tokio::task::spawn_blocking(move || hash_password(&password, &name)).await;
    match hashed {
        Ok(Ok(hash)) => Ok(hash),
        Ok(Err(error)) => {
            let text = error.to_string();
            Err(format!("{}{}.", text[..1].to_uppercase(), &text[1..]))
        }
        Err(_) => Err("The password could not be hashed.".to_owned()),
    }
}
