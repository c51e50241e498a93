//! One's own account.

use askama::Template;
use axum::body::Body;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderValue, StatusCode};
use tidings_http::password::is_right;
use tidings_http::secret::{hash, random};

use super::frame::{Frame, Result, Visit, failed, sentence};
use super::users::hashed;
use crate::sign_in::{LASTS, MOST_FORM};
use crate::site_request::SESSION;
use crate::site_request::now;
use crate::site_response::Answer;

#[derive(Template)]
#[template(path = "admin/account.html")]
struct Page {
    f: Frame,
    roles: String,
    problem: Option<String>,
}

fn shown(visit: &Visit<'_>, status: StatusCode, problem: Option<&str>) -> Answer {
    let roles = visit.asked.account.iter().flat_map(|account| account.roles.iter());
    let page = Page {
        f: visit.frame("account", "Your account"),
        roles: roles.map(String::as_str).collect::<Vec<_>>().join(", "),
        problem: problem.map(sentence),
    };
    visit.show(status, &page)
}

pub(super) fn page(visit: &Visit<'_>) -> Answer {
    shown(visit, StatusCode::OK, None)
}

/// Changes one's own password, for which the old one is asked: a session that was left open is not enough.
pub(super) async fn change(visit: &Visit<'_>, body: Body) -> Result {
    let form = visit.form(body, MOST_FORM).await?;
    let (state, name) = (visit.state, visit.user().to_owned());
    if state.limits.sign_in(visit.asked.address, &name).is_err() {
        let problem = "That was too often. Try again in a minute.";
        return Ok(shown(visit, StatusCode::TOO_MANY_REQUESTS, Some(problem)));
    }
    let known = state.accounts.password_hash(&name).map_err(|error| failed(&error))?;
    if !is_right(&state.passwords, form.exact("old"), known).await {
        let problem = "The old password is not right.";
        return Ok(shown(visit, StatusCode::UNPROCESSABLE_ENTITY, Some(problem)));
    }
    if form.exact("password") != form.exact("again") {
        let problem = "The two new passwords are not the same.";
        return Ok(shown(visit, StatusCode::UNPROCESSABLE_ENTITY, Some(problem)));
    }
    let made = match hashed(visit, form.exact("password"), &name).await? {
        Ok(made) => made,
        Err(problem) => {
            return Ok(shown(visit, StatusCode::UNPROCESSABLE_ENTITY, Some(&problem)));
        }
    };
    let secret = random(32).map_err(|error| failed(&error))?;
    let digest = hash(&secret);
    let changed = visit.blocking(move |state| {
        // It ends all sessions; this browser gets another.
        state.accounts.set_password(&name, &made)?;
        state.accounts.begin_session(&name, digest, now(), now() + LASTS)
    });
    changed.await?.map_err(|error| failed(&error))?;
    let mut answer = visit.go("account?said=password");
    let cookie = visit.asked.jar().set(SESSION, &secret, Some(LASTS));
    let cookie = HeaderValue::from_str(&cookie).map_err(|error| failed(&error))?;
    answer.headers_mut().append(SET_COOKIE, cookie);
    Ok(answer)
}
