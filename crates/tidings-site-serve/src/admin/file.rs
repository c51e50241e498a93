//! The form of a file that is no page.

use std::fs::File;

use askama::Template;
use axum::body::Body;
use axum::http::StatusCode;
use tidings_base::text::grouped;
use tidings_http::form::Form;
use tidings_http::text_format::{Time, now};
use tidings_site::{Draft, EditError, Seen};

use super::fields::{items, some};
use super::frame::{Frame, Refused, Result, Visit, sentence};
use super::multipart::{MOST_FILE, Part, Parts, Spooled};
use super::page_form::{Of, Written, Wrong, check_alias};
use super::pages::Shown;
use super::tags;
use super::target::Target;
use super::versions::{self, Past};

#[derive(Template)]
#[template(path = "admin/file.html")]
struct Page {
    f: Frame,
    id: String,
    seen: String,
    written: Written,
    wrong: Wrong,
    is_plain: bool,
    mime: String,
    original: String,
    place: String,
    url: Option<String>,
    access: Option<Shown>,
    length: String,
    modified: Option<Time>,
    past: Past,
    tags: Vec<String>,
    is_image: bool,
}

impl Page {
    async fn new(
        visit: &Visit<'_>,
        target: &Target,
        draft: &Draft,
        seen: String,
    ) -> std::result::Result<Self, Refused> {
        let looked = target.clone();
        let (past, tags) = visit
            .blocking(move |state| (versions::list(state, &looked), tags::known(state).0))
            .await?;
        let meta = target.meta.as_ref();
        let length = meta.map_or(0, |meta| meta.blob.length);
        let url = target.url(visit.state);
        Ok(Self {
            f: visit.frame("pages", format!("File {}", target.title())),
            id: target.id.to_string(),
            seen,
            written: Written::of_draft(draft),
            wrong: Wrong::default(),
            is_plain: target.is_plain(),
            is_image: url.is_some() && draft.mime.starts_with("image/"),
            mime: draft.mime.clone(),
            original: draft.original_filename.clone().unwrap_or_default(),
            place: target.place.path(target.id),
            url,
            access: meta.map(|meta| Shown::of(&meta.access)),
            length: grouped(length),
            modified: meta.map(|meta| Time::of(meta.last_modified().saturating_mul(1000), now())),
            past,
            tags,
        })
    }
}

async fn head(visit: &Visit<'_>, target: &Target) -> std::result::Result<(Draft, Seen), Refused> {
    let (editor, place, id) = (visit.editor(), target.place.clone(), target.id);
    let head = visit.blocking(move |_| editor.head(id, &place)).await?;
    head.map_err(|error| visit.edit_failed(&error))
}

pub(super) async fn page(visit: &Visit<'_>, id: &str) -> Result {
    let target = Target::named(visit, id).await?;
    if !target.is_file() {
        return Ok(visit.go(&format!("edit/{}", target.id)));
    }
    let (draft, seen) = head(visit, &target).await?;
    let page = Page::new(visit, &target, &draft, seen.to_string()).await?;
    Ok(visit.show(StatusCode::OK, &page))
}

/// Saves what is said of it, and perhaps something else in its place.
pub(super) async fn save(visit: &Visit<'_>, id: &str, body: Body) -> Result {
    let mut parts = Parts::of(visit, body).await?;
    let (mut form, mut file) = (Form::default(), None);
    while let Some(part) = parts.next().await? {
        match part {
            Part::Text(name, value) => form.push(name, value),
            Part::File(spooled) => file = Some(spooled),
            Part::TooLarge(message) => {
                let status = StatusCode::PAYLOAD_TOO_LARGE;
                return Err(visit.problem(status, "Not replaced", &message));
            }
        }
    }
    let target = Target::named(visit, id).await?;
    if !target.is_file() {
        return Err(visit.missing("This is a page, and no file."));
    }
    let Some(seen) = Seen::parse(form.get("seen")) else {
        let message = "The form does not say which state it is about. Load the page again.";
        return Err(visit.problem(StatusCode::BAD_REQUEST, "Not saved", message));
    };
    let (known, _) = head(visit, &target).await?;
    let draft = typed(&target, known, &form, file.as_ref());
    let of = Of { id: Some(target.id), place: Some(&target.place), is_plain: target.is_plain() };
    let mut wrong = Wrong::default();
    if !target.is_plain()
        && let Err(problem) = check_alias(visit.state, of, form.get("alias"), "")
    {
        wrong.add("alias", problem);
    }
    if wrong.is_empty() {
        if target.is_plain() && file.is_none() {
            return Ok(visit.go(&format!("file/{}?said=nothing", target.id)));
        }
        let said = if file.is_some() { "replaced" } else { "saved" };
        match put(visit, &target, seen, &draft, file.map(|file| file.file)).await? {
            Ok(()) => return Ok(visit.go(&format!("file/{}?said={said}", target.id))),
            Err(error @ (EditError::Sidecar(_) | EditError::Mime(_))) => {
                wrong.add("form", sentence(&error.to_string()));
            }
            Err(error) => return Err(visit.edit_failed(&error)),
        }
    }
    let mut page = Page::new(visit, &target, &draft, seen.to_string()).await?;
    page.wrong = wrong;
    Ok(visit.show(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

/// What the form says, over what it does not have.
fn typed(target: &Target, known: Draft, form: &Form, file: Option<&Spooled>) -> Draft {
    if target.is_plain() {
        return known;
    }
    let written = Written::of_form(form);
    let mut draft = Draft {
        title: some(&written.title),
        alias: some(&written.alias),
        tags: items(&written.tags),
        robots: written.told(),
        ..known
    };
    if let Some(file) = file {
        draft.original_filename = some(&file.name);
        // Where the browser does not know, it stays what it was.
        if file.mime != "application/octet-stream" {
            draft.mime.clone_from(&file.mime);
        }
    }
    draft
}

/// Saves it: with what came, or with what is there.
async fn put(
    visit: &Visit<'_>,
    target: &Target,
    seen: Seen,
    draft: &Draft,
    file: Option<File>,
) -> std::result::Result<std::result::Result<(), EditError>, Refused> {
    let (editor, target, draft) = (visit.editor(), target.clone(), draft.clone());
    let saved = visit.changing(move |state| {
        let limit = if file.is_some() { MOST_FILE } else { u64::MAX };
        let file = match file {
            Some(file) => file,
            None => state.cache.root().open(&target.place.path(target.id))?.0,
        };
        let saved = editor.replace(target.id, &target.place, seen, &draft, file, limit);
        Ok::<_, std::io::Error>(saved.map(drop))
    });
    saved.await?.map_err(|error| {
        let message = format!("The file could not be read: {error}.");
        visit.problem(StatusCode::NOT_FOUND, "Not saved", &message)
    })
}
