//! What a form sent, if it is one of ours.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use tidings_http::same_origin::is_foreign;
use tidings_http::secret::{is_same, unmasked};

use crate::api::Problem;
use crate::state::{Shared, State};
use crate::visitor::Visitor;

/// How much a form without a file may be.
const MOST_BYTES: usize = 256 << 10;

/// The fields of a form that one of our own pages sent.
///
/// Three things are asked of each: that the browser does not say that it comes from elsewhere
/// (`Origin`, `Sec-Fetch-Site`), that it carries what only a page of ours could know (`guard`), and
/// that this belongs to the cookie that came with it.
#[derive(Debug)]
pub(crate) struct Posted(Vec<(String, String)>);

impl Posted {
    /// The first field of that name; empty if there is none.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.trim())
    }

    /// The same as it was typed: for passwords.
    pub(crate) fn exact(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// All fields of that name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether a box is ticked.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }
}

impl FromRequest<Shared> for Posted {
    type Rejection = Problem;

    async fn from_request(request: Request<Body>, state: &Shared) -> Result<Self, Problem> {
        let visitor = visitor(&request)?;
        comes_from_here(state, request.headers())?;
        let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is_form = kind.is_some_and(|kind| {
            let kind = kind.split(';').next().unwrap_or_default().trim();
            kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
        });
        if !is_form {
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "this is no form"));
        }
        let body = axum::body::to_bytes(request.into_body(), MOST_BYTES).await.map_err(|_| {
            let message = format!("the form is too long: {MOST_BYTES} bytes are enough");
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        })?;
        let fields = url::form_urlencoded::parse(&body).into_owned().collect();
        let posted = Self(fields);
        guarded(&visitor, posted.get("guard"))?;
        Ok(posted)
    }
}

/// Whoever sent a request, as the layer around all pages found out.
pub(crate) fn visitor(request: &Request<Body>) -> Result<Arc<Visitor>, Problem> {
    let visitor = request.extensions().get::<Arc<Visitor>>().cloned();
    visitor.ok_or_else(|| Problem::forbidden("it is not known who asks"))
}

/// Whether what a form carries is what this visitor's forms carry.
pub(crate) fn guarded(visitor: &Visitor, given: &str) -> Result<(), Problem> {
    if unmasked(given).is_some_and(|given| is_same(&given, &visitor.guard)) {
        return Ok(());
    }
    Err(Problem::forbidden(
        "this form is too old, or was not made by this server; go back, load the page again and send \
         it once more",
    ))
}

/// Refuses what a page of another site sent, as far as the browser says so.
pub(crate) fn comes_from_here(state: &State, headers: &HeaderMap) -> Result<(), Problem> {
    let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
    let is_elsewhere = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
    if is_elsewhere || is_foreign(headers, &state.base) {
        return Err(Problem::forbidden("the request comes from a page of another site"));
    }
    Ok(())
}
