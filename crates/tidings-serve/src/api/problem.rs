//! What is said when something is not done.

use std::time::Duration;

use axum::body::Body;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use tidings_store::StoreError;
use tidings_syndication::FollowError;

/// Why something was not done: a status, and a sentence.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    wait: Option<Duration>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), wait: None }
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// Something of ours does not work, and nobody else can do anything about it.
    pub(crate) fn ours(error: impl std::fmt::Display) -> Self {
        tracing::error!(%error, "a request could not be answered");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "the server's log says what is wrong with it")
    }

    pub(crate) fn unauthorized(message: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, message)
    }

    pub(crate) fn forbidden(message: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    /// How long to wait before the next try.
    pub(crate) fn seconds(&self) -> Option<u64> {
        self.wait.map(|wait| wait.as_secs() + 1)
    }

    pub(crate) fn too_often(wait: Duration) -> Self {
        let seconds = wait.as_secs() + 1;
        let message = format!("that was too often: try again in {seconds} s");
        Self { wait: Some(wait), ..Self::new(StatusCode::TOO_MANY_REQUESTS, message) }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        // Where the state is, is nobody's business but the log's.
        tracing::error!(%error, "the state could not be read or changed");
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "what is known could not be read or changed; the server's log says why",
        )
    }
}

impl From<FollowError> for Problem {
    fn from(error: FollowError) -> Self {
        let status = match &error {
            FollowError::Url { .. } => StatusCode::BAD_REQUEST,
            FollowError::NotFound(_) | FollowError::DoubtfulIndex(_) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            FollowError::Unknown(_) => StatusCode::NOT_FOUND,
            FollowError::Busy(_) => StatusCode::CONFLICT,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        match error {
            FollowError::Store(error) => error.into(),
            error => Self::new(status, error.to_string()),
        }
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        Self::new(rejection.status(), rejection.body_text())
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        Self::new(rejection.status(), rejection.body_text())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let body = serde_json::json!({ "error": self.message }).to_string();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.status == StatusCode::UNAUTHORIZED {
            let realms = "Bearer realm=\"tidings\", Basic realm=\"tidings\"";
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(realms));
        }
        if let Some(seconds) = self.seconds() {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        // Pages say it in their own way.
        response.extensions_mut().insert(self);
        response
    }
}
