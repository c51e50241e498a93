//! One's own account.

use askama::Template;
use axum::body::Body;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use tidings_http::authenticator::SignInError;
use tidings_http::cookies::append_cookies;

use super::frame::{Frame, Result, Visit, failed, sentence};
use crate::sign_in::MAX_FORM_BYTES;
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
    let form = visit.form(body, MAX_FORM_BYTES).await?;
    let (old, new) = (form.exact("old"), [form.exact("password"), form.exact("again")]);
    let (authenticator, browser) = (&visit.state.authenticator, visit.asked.browser());
    let changed = authenticator.change_password(browser, visit.user(), old, new).await;
    let refused = |problem: &str| shown(visit, StatusCode::UNPROCESSABLE_ENTITY, Some(problem));
    match changed {
        Ok(signed_in) => {
            let mut answer = visit.go("account?said=password");
            append_cookies(answer.headers_mut(), &signed_in.cookies);
            Ok(answer)
        }
        Err(SignInError::TooOften(wait)) => {
            let problem = "That was too often. Try again in a minute.";
            let mut answer = shown(visit, StatusCode::TOO_MANY_REQUESTS, Some(problem));
            let seconds = HeaderValue::from(wait.as_secs() + 1);
            answer.headers_mut().insert(RETRY_AFTER, seconds);
            Ok(answer)
        }
        Err(SignInError::Wrong(_)) => Ok(refused("The old password is not right.")),
        Err(SignInError::Password(error)) => Ok(refused(&error.to_string())),
        Err(error) => Err(failed(&error)),
    }
}
