//! Past versions of an object, and one of them again.

use axum::body::Body;
use axum::http::StatusCode;
use tidings_http::text_format::{Time, now};
use tidings_site::memento::MEMENTO;
use tidings_site::{Place, Seen};

use super::frame::{Result, Visit};
use super::page_form::{Of, check_alias};
use super::pages::Shown;
use super::target::Target;
use crate::sign_in::MAX_FORM_BYTES;
use crate::state::SiteState;

/// How many are shown: each is read from disk.
const MOST: usize = 50;

/// Those that there are, the latest first.
#[derive(Default)]
pub(super) struct Past {
    pub(super) versions: Vec<Version>,
    /// How many more there are.
    pub(super) more: usize,
    /// What a form has to say that it has seen.
    pub(super) seen: String,
}

pub(super) struct Version {
    pub(super) number: u32,
    pub(super) title: String,
    pub(super) url: String,
    pub(super) time: Time,
    pub(super) access: Shown,
    pub(super) is_current: bool,
}

/// Only the versioned layout has any.
pub(super) fn list(state: &SiteState, target: &Target) -> Past {
    let Place::Version { number: current } = target.place else { return Past::default() };
    let numbers = state.cache.versions(target.id);
    let now = now();
    let versions = numbers.iter().rev().take(MOST).filter_map(|number| {
        let meta = state.cache.version(target.id, *number)?;
        Some(Version {
            number: *number,
            title: meta.title.to_string(),
            url: format!("{MEMENTO}{}.{number}", target.id),
            time: Time::of(meta.last_modified().saturating_mul(1000), now),
            access: Shown::of(&meta.access),
            is_current: *number == current,
        })
    });
    Past {
        versions: versions.collect(),
        more: numbers.len().saturating_sub(MOST),
        seen: Seen::Version(current).to_string(),
    }
}

/// Makes a past version the current one, as a new version.
pub(super) async fn restore(visit: &Visit<'_>, id: &str, body: Body) -> Result {
    let form = visit.form(body, MAX_FORM_BYTES).await?;
    let target = Target::named(visit, id).await?;
    let (Ok(number), Some(seen)) = (form.get("version").parse(), Seen::parse(form.get("seen")))
    else {
        let message = "The form does not say which version it is about. Load the page again.";
        return Err(visit.problem(StatusCode::BAD_REQUEST, "Not restored", message));
    };
    let (editor, id) = (visit.editor(), target.id);
    let wanted = Place::Version { number };
    let known = visit
        .blocking({
            let (editor, wanted) = (editor.clone(), wanted.clone());
            move |_| editor.head(id, &wanted)
        })
        .await?;
    let (draft, _) = known.map_err(|error| visit.edit_failed(&error))?;
    let of = Of { id: Some(id), place: Some(&target.place), is_plain: false };
    let alias = draft.alias.clone().unwrap_or_default();
    if let Err(problem) = check_alias(visit.state, of, &alias, "") {
        return Err(visit.problem(StatusCode::CONFLICT, "Not restored", &problem));
    }
    let place = target.place.clone();
    let restored = visit.changing(move |state| {
        let (file, _) = state.cache.root().open(&wanted.path(id))?;
        Ok::<_, std::io::Error>(editor.replace(id, &place, seen, &draft, file, u64::MAX))
    });
    match restored.await? {
        Ok(Ok(_)) => {
            let verb = if target.is_file() { "file" } else { "edit" };
            Ok(visit.go(&format!("{verb}/{id}?said=restored")))
        }
        Ok(Err(error)) => Err(visit.edit_failed(&error)),
        Err(error) => {
            let message = format!("Version {number} could not be read: {error}.");
            Err(visit.problem(StatusCode::NOT_FOUND, "Not restored", &message))
        }
    }
}
