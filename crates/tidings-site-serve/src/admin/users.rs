//! The people who may sign in.

use std::collections::BTreeSet;

use askama::Template;
use axum::body::Body;
use axum::http::StatusCode;
use tidings_http::form::Form;
use tidings_site::{Account, AccountsError};

use super::fields::items;
use super::frame::{Frame, Result, Visit, failed, sentence};
use super::tags;
use crate::sign_in::MAX_FORM_BYTES;
use crate::site_response::go;

/// How long a role may be.
const LONGEST_ROLE: usize = 100;

#[derive(Template)]
#[template(path = "admin/users.html")]
struct Page {
    f: Frame,
    users: Vec<User>,
    known_roles: Vec<String>,
    problem: Option<String>,
    /// What was typed for a new one.
    name: String,
    roles: String,
    is_admin: bool,
}

struct User {
    name: String,
    roles: String,
    is_admin: bool,
    is_own: bool,
}

async fn shown(visit: &Visit<'_>, problem: Option<(StatusCode, String)>, form: &Form) -> Result {
    let (accounts, known_roles) =
        visit.blocking(|state| (state.accounts.list(), tags::known(state).1)).await?;
    let accounts = accounts.map_err(|error| failed(&error))?;
    let users = accounts.into_iter().map(|account| User {
        is_own: is_own(visit, &account.name),
        roles: account.roles.into_iter().collect::<Vec<_>>().join(", "),
        name: account.name,
        is_admin: account.is_admin,
    });
    let is_new = form.is("new");
    let typed = |name| if is_new { form.get(name).to_owned() } else { String::new() };
    let (status, problem) =
        problem.map_or((StatusCode::OK, None), |(status, problem)| (status, Some(problem)));
    let page = Page {
        f: visit.frame("users", "Accounts"),
        users: users.collect(),
        known_roles,
        problem,
        name: typed("name"),
        roles: typed("roles"),
        is_admin: is_new && form.is("admin"),
    };
    Ok(visit.show(status, &page))
}

/// `Ann` and `ann` are the same.
fn is_own(visit: &Visit<'_>, name: &str) -> bool {
    name.eq_ignore_ascii_case(visit.user())
}

/// The page with why the accounts did not take it.
async fn refused(visit: &Visit<'_>, error: &AccountsError, form: &Form) -> Result {
    let status = match error {
        AccountsError::Unknown(_) => StatusCode::NOT_FOUND,
        AccountsError::LastAdmin(_) | AccountsError::Exists(_) => StatusCode::CONFLICT,
        AccountsError::NoName => StatusCode::UNPROCESSABLE_ENTITY,
        error => return Err(failed(error)),
    };
    shown(visit, Some((status, sentence(&error.to_string()))), form).await
}

async fn wrong(visit: &Visit<'_>, problem: &str, form: &Form) -> Result {
    shown(visit, Some((StatusCode::UNPROCESSABLE_ENTITY, sentence(problem))), form).await
}

pub(super) async fn page(visit: &Visit<'_>) -> Result {
    shown(visit, None, &Form::default()).await
}

/// The roles that were typed; none if one cannot be one.
fn roles(form: &Form) -> Option<BTreeSet<String>> {
    let roles = items(form.get("roles"));
    let is_fit = |role: &String| role.len() <= LONGEST_ROLE && !role.chars().any(char::is_control);
    roles.iter().all(is_fit).then(|| roles.into_iter().collect())
}

pub(super) async fn add(visit: &Visit<'_>, body: Body) -> Result {
    let mut form = visit.form(body, MAX_FORM_BYTES).await?;
    form.push("new", "");
    let name = form.get("name").to_owned();
    let Some(roles) = roles(&form) else { return wrong(visit, "a role is too long", &form).await };
    let typed = [form.exact("password"), form.exact("again")];
    let hash = match visit.state.authenticator.hash_new(typed, &name).await {
        Ok(hash) => hash,
        Err(error) => return wrong(visit, &error.to_string(), &form).await,
    };
    let account = Account { name, roles, is_admin: form.is("admin") };
    let added = visit.blocking(move |state| state.accounts.add(&account, &hash)).await?;
    match added {
        Ok(()) => Ok(visit.go("users?said=user-added")),
        Err(error) => refused(visit, &error, &form).await,
    }
}

/// Changes what somebody may see and do.
pub(super) async fn change(visit: &Visit<'_>, body: Body) -> Result {
    let form = visit.form(body, MAX_FORM_BYTES).await?;
    let (name, is_admin) = (form.get("name").to_owned(), form.is("admin"));
    let Some(roles) = roles(&form) else { return wrong(visit, "a role is too long", &form).await };
    let is_own = is_own(visit, &name);
    let changed =
        visit.blocking(move |state| state.accounts.set_roles(&name, &roles, is_admin)).await?;
    match changed {
        // Who is no admin any more is not told where the administration is.
        Ok(()) if is_own && !is_admin => Ok(go(StatusCode::SEE_OTHER, "/")),
        Ok(()) => Ok(visit.go("users?said=user-changed")),
        Err(error) => refused(visit, &error, &form).await,
    }
}

/// Gives somebody else another password.
pub(super) async fn password(visit: &Visit<'_>, body: Body) -> Result {
    let form = visit.form(body, MAX_FORM_BYTES).await?;
    let name = form.get("name").to_owned();
    if is_own(visit, &name) {
        return wrong(visit, "your own password is changed under Account, with the old one", &form)
            .await;
    }
    let hash = match visit.state.authenticator.hash_new([form.exact("password"); 2], &name).await {
        Ok(hash) => hash,
        Err(error) => return wrong(visit, &error.to_string(), &form).await,
    };
    let set = visit.blocking(move |state| state.accounts.set_password(&name, &hash)).await?;
    match set {
        Ok(()) => Ok(visit.go("users?said=user-password")),
        Err(error) => refused(visit, &error, &form).await,
    }
}

pub(super) async fn remove(visit: &Visit<'_>, body: Body) -> Result {
    let form = visit.form(body, MAX_FORM_BYTES).await?;
    let name = form.get("name").to_owned();
    let is_own = is_own(visit, &name);
    let removed = visit.blocking(move |state| state.accounts.remove(&name)).await?;
    match removed {
        Ok(()) if is_own => Ok(go(StatusCode::SEE_OTHER, "/")),
        Ok(()) => Ok(visit.go("users?said=user-removed")),
        Err(error) => refused(visit, &error, &form).await,
    }
}
