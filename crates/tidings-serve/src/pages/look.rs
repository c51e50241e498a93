//! How pages look in this browser, and the keys.

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderValue, Response};

use super::{Asking, back};
use crate::api::Problem;
use crate::cookie_names::LOOK;
use crate::frame::{Frame, show};
use crate::posted::Posted;
use crate::state::Shared;
use crate::visitor::{A_YEAR, Look, Theme};

#[derive(Template)]
#[template(path = "shortcuts.html")]
struct Shortcuts {
    f: Frame,
}

pub(super) async fn shortcuts(
    State(state): State<Shared>,
    visitor: Asking,
) -> Result<Response<Body>, Problem> {
    show(&Shortcuts { f: Frame::new(&state, &visitor, "", "Keyboard shortcuts") })
}

/// Has the browser keep it. What is not sent stays as it was.
pub(super) async fn save(
    State(state): State<Shared>,
    visitor: Asking,
    form: Posted,
) -> Response<Body> {
    let mut look: Look = visitor.look;
    if !form.get("theme").is_empty() {
        look.theme = Theme::by_name(form.get("theme"));
    }
    if !form.get("keys").is_empty() {
        look.keys = form.get("keys") != "off";
    }
    let mut response = back(&state, form.get("next"));
    let cookie = state.jar.set(LOOK, &look.write(), Some(A_YEAR));
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
