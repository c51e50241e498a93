//! Forms of pages, as the functions that answer them take them.

use std::ops::Deref;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use tidings_http::form::{Form, FormError, FormGuard};

use crate::api::Problem;
use crate::state::{Shared, State};
use crate::visitor::Visitor;

/// The number of bytes that a form without a file may have.
const MAX_FORM_BYTES: usize = 256 << 10;

/// A form that a page of this server sent.
#[derive(Debug)]
pub(crate) struct Posted(Form);

impl Deref for Posted {
    type Target = Form;

    fn deref(&self) -> &Form {
        &self.0
    }
}

impl State {
    /// What the forms of a visitor are checked against.
    pub(crate) fn form_guard<'a>(&'a self, visitor: &'a Visitor) -> FormGuard<'a> {
        FormGuard { base: &self.base, token: Some(&visitor.guard) }
    }
}

impl FromRequest<Shared> for Posted {
    type Rejection = Problem;

    async fn from_request(request: Request<Body>, state: &Shared) -> Result<Self, Problem> {
        let visitor = visitor(&request)?;
        let (parts, body) = request.into_parts();
        let guard = state.form_guard(&visitor);
        Ok(Self(guard.read(&parts.headers, body, MAX_FORM_BYTES).await?))
    }
}

/// Whoever sent a request, as the layer around all pages found out.
pub(crate) fn visitor(request: &Request<Body>) -> Result<Arc<Visitor>, Problem> {
    let visitor = request.extensions().get::<Arc<Visitor>>().cloned();
    visitor.ok_or_else(|| Problem::forbidden("it is not known who asks"))
}

impl From<FormError> for Problem {
    fn from(error: FormError) -> Self {
        Self::new(error.status(), error.to_string())
    }
}
