//! Deleting an object, which is asked for twice.

use askama::Template;
use axum::body::Body;
use axum::http::StatusCode;
use tidings_site::Seen;

use super::frame::{Frame, Result, Visit};
use super::target::Target;
use crate::sign_in::MAX_FORM_BYTES;

#[derive(Template)]
#[template(path = "admin/delete.html")]
struct Page {
    f: Frame,
    id: String,
    title: String,
    place: String,
    url: Option<String>,
    seen: String,
    versions: usize,
    /// Where to go back to.
    back: String,
}

/// Asks whether it is meant.
pub(super) async fn page(visit: &Visit<'_>, id: &str) -> Result {
    let target = Target::named(visit, id).await?;
    let (editor, place, id) = (visit.editor(), target.place.clone(), target.id);
    let (seen, versions) =
        visit.blocking(move |state| (editor.seen(&place), state.cache.versions(id).len())).await?;
    let seen = seen.map_err(|error| visit.edit_failed(&error))?;
    let page = Page {
        f: visit.frame("pages", format!("Delete {}?", target.title())),
        id: id.to_string(),
        title: target.title(),
        place: target.place.path(id),
        url: target.url(visit.state),
        seen: seen.to_string(),
        versions,
        back: format!("{}/{id}", if target.is_file() { "file" } else { "edit" }),
    };
    Ok(visit.show(StatusCode::OK, &page))
}

pub(super) async fn remove(visit: &Visit<'_>, id: &str, body: Body) -> Result {
    let form = visit.form(body, MAX_FORM_BYTES).await?;
    let target = Target::named(visit, id).await?;
    let Some(seen) = Seen::parse(form.get("seen")) else {
        let message = "The form does not say which state it is about. Load the page again.";
        return Err(visit.problem(StatusCode::BAD_REQUEST, "Not deleted", message));
    };
    let editor = visit.editor();
    let removed = visit.changing(move |_| editor.remove(target.id, &target.place, seen)).await?;
    removed.map_err(|error| visit.edit_failed(&error))?;
    Ok(visit.go("pages?said=deleted"))
}
