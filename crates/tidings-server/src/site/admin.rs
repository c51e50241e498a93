//! The administration.

use axum::body::Body;

use super::answer::Answer;
use super::asked::Asked;
use super::state::SharedSite;

/// The answer for a path below that of the administration, to somebody who may administer.
pub(super) async fn admin(_state: &SharedSite, _asked: &Asked, _rest: &str, _body: Body) -> Answer {
    super::answer::text(axum::http::StatusCode::OK, "soon\n")
}

/// What its pages are shown with, below `/builtin/`.
pub(super) fn asset(_asked: &Asked) -> Option<Answer> {
    None
}
