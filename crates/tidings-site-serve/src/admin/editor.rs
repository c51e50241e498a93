//! The editor of a page.

use askama::Template;
use axum::body::Body;
use axum::http::StatusCode;
use tidings_site::{Draft, EditError, Layout, Seen, render};

use super::frame::{Frame, Refused, Result, Visit, sentence};
use super::page_form::{Of, Written, Wrong};
use super::pages::Shown;
use super::target::Target;
use super::versions::{self, Past};
use super::{findings, tags};
use crate::state::SiteState;

/// How much the form may be: 4 MiB of text, each byte of which may be sent as three.
const MOST_FORM: usize = 13 << 20;

#[derive(Template)]
#[template(path = "admin/edit.html")]
struct Page {
    f: Frame,
    /// Where the form goes, below the administration.
    action: String,
    id: Option<String>,
    seen: String,
    written: Written,
    wrong: Wrong,
    is_plain: bool,
    /// What is there, as against what is typed.
    about: About,
    preview: Option<String>,
    theirs: Option<Theirs>,
    /// It was removed while it was edited.
    is_gone: bool,
    past: Past,
    tags: Vec<String>,
    roles: Vec<String>,
}

/// What is known of the page.
#[derive(Default)]
struct About {
    place: String,
    url: Option<String>,
    access: Option<Shown>,
    findings: Vec<String>,
    /// Its tags that say nothing.
    unknown_tags: Vec<String>,
}

/// What somebody else saved meanwhile.
struct Theirs {
    /// Name of the field, mine, theirs; only those that differ.
    fields: Vec<(&'static str, String, String)>,
    body: String,
}

impl Page {
    async fn new(
        visit: &Visit<'_>,
        target: Option<&Target>,
        written: Written,
        seen: String,
    ) -> std::result::Result<Self, Refused> {
        let title = match target {
            Some(target) => format!("Edit {}", target.title()),
            None => "New page".to_owned(),
        };
        let (editor, looked) = (visit.editor(), target.cloned());
        let (layout, tags, roles, about, past) = visit
            .blocking(move |state| {
                let (tags, roles) = tags::known(state);
                let about = looked.as_ref().map(|target| About::of(state, target, &tags));
                let past = looked.as_ref().map(|target| versions::list(state, target));
                (editor.layout(), tags, roles, about.unwrap_or_default(), past.unwrap_or_default())
            })
            .await?;
        Ok(Self {
            f: visit.frame(if target.is_some() { "pages" } else { "new" }, title),
            action: target.map_or_else(|| "new".to_owned(), |target| format!("edit/{}", target.id)),
            id: target.map(|target| target.id.to_string()),
            seen,
            is_plain: target.map_or(layout == Layout::Plain, Target::is_plain),
            about,
            written,
            wrong: Wrong::default(),
            preview: None,
            theirs: None,
            is_gone: false,
            past,
            tags,
            roles,
        })
    }
}

impl About {
    fn of(state: &SiteState, target: &Target, known: &[String]) -> Self {
        let place = target.place.path(target.id);
        let meta = target.meta.as_ref();
        let own = findings::by_object(state.cache.findings()).remove(&place).unwrap_or_default();
        let unknown = |tag: &str| !known.iter().any(|known| known == tag);
        Self {
            url: target.url(state),
            access: meta.map(|meta| Shown::of(&meta.access)),
            findings: own.iter().map(|finding| sentence(&finding.message)).collect(),
            unknown_tags: meta
                .iter()
                .flat_map(|meta| meta.tags.iter())
                .filter(|tag| unknown(tag))
                .map(ToString::to_string)
                .collect(),
            place,
        }
    }
}

/// The form for a new page.
pub(super) async fn new(visit: &Visit<'_>) -> Result {
    let page = Page::new(visit, None, Written::default(), String::new()).await?;
    Ok(visit.show(StatusCode::OK, &page))
}

pub(super) async fn create(visit: &Visit<'_>, body: Body) -> Result {
    let form = visit.form(body, MOST_FORM).await?;
    let written = Written::of_form(&form);
    if form.get("do") == "preview" {
        return previewed(visit, None, written, String::new()).await;
    }
    let editor = visit.editor();
    let of = Of { id: None, place: None, is_plain: editor.layout() == Layout::Plain };
    let draft = match written.draft(visit.state, of, Draft::default()) {
        Ok(draft) => draft,
        Err(wrong) => return refused(visit, None, written, String::new(), wrong).await,
    };
    match visit.changing(move |_| editor.create(&draft)).await? {
        Ok((id, _)) => Ok(visit.go(&format!("edit/{id}?said=created"))),
        Err(error) => not_saved(visit, None, written, String::new(), &error).await,
    }
}

/// The form with what is there.
pub(super) async fn page(visit: &Visit<'_>, id: &str) -> Result {
    let target = Target::named(visit, id).await?;
    if target.is_file() {
        return Ok(visit.go(&format!("file/{}", target.id)));
    }
    let (editor, place, id) = (visit.editor(), target.place.clone(), target.id);
    let read = visit.blocking(move |_| editor.read(id, &place)).await?;
    let (draft, seen) = read.map_err(|error| visit.edit_failed(&error))?;
    let page = Page::new(visit, Some(&target), Written::of_draft(&draft), seen.to_string()).await?;
    Ok(visit.show(StatusCode::OK, &page))
}

pub(super) async fn save(visit: &Visit<'_>, id: &str, body: Body) -> Result {
    let form = visit.form(body, MOST_FORM).await?;
    let written = Written::of_form(&form);
    let seen_text = form.get("seen").to_owned();
    let Ok(target) = Target::named(visit, id).await else {
        return gone(visit, written).await;
    };
    if form.get("do") == "preview" {
        return previewed(visit, Some(&target), written, seen_text).await;
    }
    let Some(seen) = Seen::parse(&seen_text) else {
        let message =
            "The form does not say which state of the page it was made of. Load it again.";
        return Err(visit.problem(StatusCode::BAD_REQUEST, "Not saved", message));
    };
    let (editor, place, id) = (visit.editor(), target.place.clone(), target.id);
    let known = visit.blocking(move |_| editor.head(id, &place)).await?;
    let known = match known {
        Ok((known, _)) => known,
        Err(EditError::Missing(_)) => return gone(visit, written).await,
        Err(error) => return Err(visit.edit_failed(&error)),
    };
    let of = Of { id: Some(id), place: Some(&target.place), is_plain: target.is_plain() };
    let draft = match written.draft(visit.state, of, known) {
        Ok(draft) => draft,
        Err(wrong) => return refused(visit, Some(&target), written, seen_text, wrong).await,
    };
    let (editor, place) = (visit.editor(), target.place.clone());
    match visit.changing(move |_| editor.save(id, &place, seen, &draft)).await? {
        Ok(_) => Ok(visit.go(&format!("edit/{id}?said=saved"))),
        Err(EditError::Changed(_)) => conflict(visit, id, written).await,
        Err(EditError::Missing(_)) => gone(visit, written).await,
        Err(error) => not_saved(visit, Some(&target), written, seen_text, &error).await,
    }
}

/// The page as it would be, below the form with what was typed.
async fn previewed(
    visit: &Visit<'_>,
    target: Option<&Target>,
    written: Written,
    seen: String,
) -> Result {
    let body = written.body.clone();
    let html = visit.blocking(move |_| render(&body).html).await?;
    let mut page = Page::new(visit, target, written, seen).await?;
    page.preview = Some(html);
    Ok(visit.show(StatusCode::OK, &page))
}

/// The form with what is wrong, at its field.
async fn refused(
    visit: &Visit<'_>,
    target: Option<&Target>,
    written: Written,
    seen: String,
    wrong: Wrong,
) -> Result {
    let mut page = Page::new(visit, target, written, seen).await?;
    page.wrong = wrong;
    Ok(visit.show(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

/// The form with why the editor did not take it.
async fn not_saved(
    visit: &Visit<'_>,
    target: Option<&Target>,
    written: Written,
    seen: String,
    error: &EditError,
) -> Result {
    let field = match error {
        EditError::Exists(_) | EditError::Name { .. } | EditError::NoName => "alias",
        EditError::RolesNeedTag => "roles",
        EditError::Parent(_) => "nav_parent",
        EditError::TooLarge { .. } | EditError::Encoding => "body",
        EditError::Sidecar(_) | EditError::FrontMatter(_) | EditError::Link(_) => "form",
        error => return Err(visit.edit_failed(error)),
    };
    let mut wrong = Wrong::default();
    wrong.add(field, sentence(&error.to_string()));
    refused(visit, target, written, seen, wrong).await
}

/// Both versions, for whoever was slower to decide.
async fn conflict(visit: &Visit<'_>, id: tidings_site::ObjectId, written: Written) -> Result {
    let found = visit.blocking(move |state| Target::find(state, id)).await?;
    let Some(target) = found else { return gone(visit, written).await };
    let (editor, place) = (visit.editor(), target.place.clone());
    let (theirs, seen) = match visit.blocking(move |_| editor.read(id, &place)).await? {
        Ok(read) => read,
        Err(error) => return Err(visit.edit_failed(&error)),
    };
    let theirs = Written::of_draft(&theirs);
    let robots = |one: &Written| one.told().unwrap_or_default();
    let fields = [
        ("Title", &written.title, &theirs.title),
        ("Alias", &written.alias, &theirs.alias),
        ("Tags", &written.tags, &theirs.tags),
        ("Roles", &written.roles, &theirs.roles),
        ("Menu title", &written.nav_title, &theirs.nav_title),
        ("Menu parent", &written.nav_parent, &theirs.nav_parent),
        ("Menu order", &written.nav_order, &theirs.nav_order),
        ("Search engines", &robots(&written), &robots(&theirs)),
    ];
    let fields = fields.into_iter().filter(|(_, mine, theirs)| mine != theirs);
    let fields = fields.map(|(name, mine, theirs)| (name, mine.clone(), theirs.clone())).collect();
    // With what is there now as seen: who saves this once more has seen theirs.
    let mut page = Page::new(visit, Some(&target), written, seen.to_string()).await?;
    page.theirs = Some(Theirs { fields, body: theirs.body });
    Ok(visit.show(StatusCode::CONFLICT, &page))
}

/// What was typed about a page that is not there any more: it can be made again of it.
async fn gone(visit: &Visit<'_>, written: Written) -> Result {
    let mut page = Page::new(visit, None, written, String::new()).await?;
    page.is_gone = true;
    Ok(visit.show(StatusCode::NOT_FOUND, &page))
}
