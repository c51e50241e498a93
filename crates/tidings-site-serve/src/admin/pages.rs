//! The list of all objects, also of those that not everybody may see, or nobody gets.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::http::StatusCode;
use tidings_base::text::grouped;
use tidings_http::text_format::{Time, now};
use tidings_site::{Access, Fault, Finding, Kind, ObjectId, PageMeta};
use url::form_urlencoded::Serializer;

use super::findings;
use super::frame::{Frame, Result, Visit};
use crate::site_request::Asked;
use crate::state::SiteState;

/// How many are on a page.
const EACH: usize = 100;
/// How much may be looked for.
const LONGEST: usize = 200;

#[derive(Template)]
#[template(path = "admin/pages.html")]
struct Page {
    f: Frame,
    wanted: Wanted,
    faults: Vec<(&'static str, &'static str)>,
    rows: Vec<Row>,
    count: String,
    from: String,
    to: String,
    before: Option<String>,
    after: Option<String>,
}

struct Row {
    title: String,
    /// Where it is in the content root.
    place: String,
    url: Option<String>,
    edit: Option<String>,
    /// For what can only be deleted here.
    delete: Option<String>,
    kind: String,
    access: Shown,
    tags: Vec<String>,
    is_noindex: bool,
    modified: Option<Time>,
    findings: Vec<(&'static str, String)>,
}

/// Who may see something, in words.
pub(super) struct Shown {
    pub(super) class: &'static str,
    pub(super) words: String,
}

impl Shown {
    pub(super) fn of(access: &Access) -> Self {
        match access {
            Access::Public => Self { class: "good", words: "public".to_owned() },
            Access::AnyOf(roles) => {
                let roles: Vec<&str> = roles.iter().map(String::as_str).collect();
                Self { class: "held", words: roles.join(", ") }
            }
            Access::Deny => Self { class: "bad", words: "nobody".to_owned() },
        }
    }
}

/// What is looked for.
#[derive(Debug, Clone, Default)]
struct Wanted {
    text: String,
    kind: String,
    access: String,
    index: String,
    finding: String,
    /// From zero.
    page: usize,
}

impl Wanted {
    fn of(asked: &Asked) -> Self {
        let text = |name| {
            let value = asked.queried(name).unwrap_or_default();
            value[..value.floor_char_boundary(LONGEST)].trim().to_owned()
        };
        let page = text("page").parse::<usize>().unwrap_or(1).saturating_sub(1);
        let (kind, access) = (text("kind"), text("access"));
        let (index, finding) = (text("index"), text("finding"));
        Self { text: text("q"), kind, access, index, finding, page }
    }

    fn query(&self, page: usize) -> String {
        let mut query = Serializer::new(String::new());
        for (name, value) in [
            ("q", &self.text),
            ("kind", &self.kind),
            ("access", &self.access),
            ("index", &self.index),
            ("finding", &self.finding),
        ] {
            if !value.is_empty() {
                query.append_pair(name, value);
            }
        }
        query.append_pair("page", &(page + 1).to_string());
        query.finish()
    }

    fn takes(&self, words: &[String], meta: &PageMeta) -> bool {
        let kind = match self.kind.as_str() {
            "page" => meta.kind == Kind::Markdown,
            "file" => meta.kind == Kind::Blob,
            _ => true,
        };
        let access = match self.access.as_str() {
            "public" => meta.is_public(),
            "restricted" => !meta.is_public(),
            "roles" => matches!(meta.access, Access::AnyOf(_)),
            "nobody" => matches!(meta.access, Access::Deny),
            _ => true,
        };
        let index = match self.index.as_str() {
            "yes" => meta.is_indexed(),
            "no" => !meta.is_indexed(),
            _ => true,
        };
        kind && access && index && has_words(words, meta)
    }

    fn takes_findings(&self, findings: &[Finding]) -> bool {
        match self.finding.as_str() {
            "" => true,
            "some" => !findings.is_empty(),
            name => findings.iter().any(|finding| finding.fault.name() == name),
        }
    }
}

fn has_words(words: &[String], meta: &PageMeta) -> bool {
    if words.is_empty() {
        return true;
    }
    let title = meta.title.to_lowercase();
    let url = meta.url_path().to_lowercase();
    let alias = meta.alias.as_ref().map_or("", |alias| alias.as_str());
    let place = meta.place.path(meta.id).to_lowercase();
    words.iter().all(|word| {
        let has = |text: &str| text.contains(word);
        has(&title)
            || has(alias)
            || has(&url)
            || has(&place)
            || meta.tags.iter().any(|tag| has(&tag.to_lowercase()))
    })
}

/// An object, or what is known of one that is left out of the books.
enum Item {
    Known(Arc<PageMeta>),
    LeftOut(String),
}

pub(super) async fn page(visit: &Visit<'_>) -> Result {
    let mut wanted = Wanted::of(visit.asked);
    let looked = wanted.clone();
    let (rows, count, page) = visit.blocking(move |state| look(state, &looked)).await?;
    wanted.page = page;
    let first = page * EACH;
    let shown = |number: usize| grouped(number as u64);
    let page = Page {
        f: visit.frame("pages", "Pages and files"),
        faults: findings::OF_OBJECTS.map(|fault| (fault.name(), findings::heading(fault))).into(),
        count: shown(count),
        from: shown(first + 1),
        to: shown(first + rows.len()),
        before: (page > 0).then(|| wanted.query(page - 1)),
        after: (first + rows.len() < count).then(|| wanted.query(page + 1)),
        rows,
        wanted,
    };
    Ok(visit.show(StatusCode::OK, &page))
}

/// The rows of a page, how many objects there are in all, and which page it is.
fn look(state: &SiteState, wanted: &Wanted) -> (Vec<Row>, usize, usize) {
    let all = state.cache.findings();
    let editable = findings::editable(state, &all);
    let mut found = findings::by_object(all);
    found.retain(|place, _| place.starts_with("pages/") || place.starts_with("content/"));
    let words: Vec<String> = wanted.text.split_whitespace().map(str::to_lowercase).collect();
    let metas = state.cache.select(usize::MAX, |meta| {
        let is_found = || match found.get(&meta.place.path(meta.id)) {
            Some(findings) => wanted.takes_findings(findings),
            None => wanted.takes_findings(&[]),
        };
        wanted.takes(&words, meta) && (wanted.finding.is_empty() || is_found())
    });
    let mut items: Vec<(String, Item)> =
        metas.into_iter().map(|meta| (meta.url_path(), Item::Known(meta))).collect();
    items.extend(left_out(state, wanted, &words, &found));
    items.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    let count = items.len();
    let page = wanted.page.min(count.saturating_sub(1) / EACH);
    let now = now();
    let shown = items.into_iter().skip(page * EACH).take(EACH).map(|(_, item)| match item {
        Item::Known(meta) => known(state, &meta, &found, now),
        Item::LeftOut(place) => {
            let edit = editable.get(&place).map(ToString::to_string);
            unknown(place, edit, &found)
        }
    });
    (shown.collect(), count, page)
}

/// What is on disk, and in no book.
fn left_out(
    state: &SiteState,
    wanted: &Wanted,
    words: &[String],
    found: &BTreeMap<String, Vec<Finding>>,
) -> Vec<(String, Item)> {
    // Nothing is known of it but where it is.
    if !(wanted.kind.is_empty() && wanted.access.is_empty() && wanted.index.is_empty()) {
        return Vec::new();
    }
    let is_wanted = |place: &str, findings: &[Finding]| {
        let lower = place.to_lowercase();
        findings.iter().any(|finding| !finding.fault.is_served())
            && wanted.takes_findings(findings)
            && words.iter().all(|word| lower.contains(word))
    };
    let mut places: BTreeMap<&str, &[Finding]> = found
        .iter()
        .filter(|(place, findings)| is_wanted(place, findings))
        .map(|(place, findings)| (place.as_str(), findings.as_slice()))
        .collect();
    // One that lost its alias to another is in the books.
    for meta in state.cache.select(usize::MAX, |meta| {
        !places.is_empty() && places.contains_key(meta.place.path(meta.id).as_str())
    }) {
        places.remove(meta.place.path(meta.id).as_str());
    }
    places.into_keys().map(|place| (format!("/{place}"), Item::LeftOut(place.to_owned()))).collect()
}

fn faults(found: &BTreeMap<String, Vec<Finding>>, place: &str) -> Vec<(&'static str, String)> {
    let findings = found.get(place).into_iter().flatten();
    findings.map(|finding| (findings::heading(finding.fault), finding.message.clone())).collect()
}

fn known(
    state: &SiteState,
    meta: &PageMeta,
    found: &BTreeMap<String, Vec<Finding>>,
    now: i64,
) -> Row {
    let place = meta.place.path(meta.id);
    let is_page = meta.kind == Kind::Markdown;
    let verb = if is_page { "edit" } else { "file" };
    let title = if meta.title.is_empty() { place.clone() } else { meta.title.to_string() };
    Row {
        title,
        url: state.cache.get(meta.id).map(|meta| meta.url_path()),
        edit: Some(format!("{verb}/{}", meta.id)),
        delete: None,
        kind: if is_page { "page".to_owned() } else { meta.mime.to_string() },
        access: Shown::of(&meta.access),
        tags: meta.tags.iter().map(ToString::to_string).collect(),
        is_noindex: !meta.is_indexed(),
        modified: Some(Time::of(meta.last_modified().saturating_mul(1000), now)),
        findings: faults(found, &place),
        place,
    }
}

fn unknown(place: String, edit: Option<String>, found: &BTreeMap<String, Vec<Finding>>) -> Row {
    Row {
        title: place.clone(),
        url: None,
        delete: mendable(&place, found).filter(|_| edit.is_none()).map(|id| format!("delete/{id}")),
        edit: edit.map(|id| format!("edit/{id}")),
        kind: String::new(),
        access: Shown { class: "bad", words: "not served".to_owned() },
        tags: Vec::new(),
        is_noindex: false,
        modified: None,
        findings: faults(found, &place),
        place,
    }
}

/// What is left out for what it says of itself: it is there, and can be deleted.
fn mendable(place: &str, found: &BTreeMap<String, Vec<Finding>>) -> Option<ObjectId> {
    let path = place.strip_prefix("pages/")?;
    let findings = found.get(place)?;
    let is_page = findings.iter().any(|finding| finding.fault == Fault::Metadata);
    is_page.then(|| ObjectId::of_path(path))
}
