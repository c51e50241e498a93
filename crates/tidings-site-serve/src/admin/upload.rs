//! Files that are new to the site.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::http::StatusCode;
use tidings_http::form::Form;
use tidings_site::{Alias, AliasOf, Layout, ObjectId, Place};

use super::fields::items;
use super::frame::{Frame, Refused, Result, Visit, sentence};
use super::multipart::{MOST_FILE, Part, Parts, Spooled};
use super::{findings, tags};
use crate::state::SiteState;

#[derive(Template)]
#[template(path = "admin/upload.html")]
struct Page {
    f: Frame,
    is_plain: bool,
    most: u64,
    tags: Vec<String>,
    folder: String,
    alias: String,
    typed_tags: String,
    done: Vec<Done>,
    refused: Vec<(String, String)>,
}

/// A file that was taken.
struct Done {
    name: String,
    edit: String,
    url: Option<String>,
    /// What is wrong with it all the same.
    findings: Vec<String>,
}

async fn shown(
    visit: &Visit<'_>,
    status: StatusCode,
    form: &Form,
    done: Vec<Done>,
    refused: Vec<(String, String)>,
) -> Result {
    let editor = visit.editor();
    let (layout, tags) =
        visit.blocking(move |state| (editor.layout(), tags::known(state).0)).await?;
    let page = Page {
        f: visit.frame("upload", "Upload"),
        is_plain: layout == Layout::Plain,
        most: MOST_FILE >> 20,
        tags,
        folder: form.get("folder").to_owned(),
        alias: form.get("alias").to_owned(),
        typed_tags: form.get("tags").to_owned(),
        done,
        refused,
    };
    Ok(visit.show(status, &page))
}

pub(super) async fn page(visit: &Visit<'_>) -> Result {
    shown(visit, StatusCode::OK, &Form::default(), Vec::new(), Vec::new()).await
}

/// Takes one file after the other: what was taken before one that is not, stays.
pub(super) async fn take(visit: &Visit<'_>, body: Body) -> Result {
    let mut parts = Parts::of(visit, body).await?;
    let (mut form, mut done, mut refused) = (Form::default(), Vec::new(), Vec::new());
    while let Some(part) = parts.next().await? {
        match part {
            Part::Text(name, value) => form.push(name, value),
            Part::File(file) => {
                let (name, is_first) = (file.name.clone(), done.is_empty());
                match add(visit, &form, file, is_first).await? {
                    Ok(one) => done.push(one),
                    Err(reason) => refused.push((name, reason)),
                }
            }
            Part::TooLarge(reason) => {
                refused.push((String::new(), reason));
                return shown(visit, StatusCode::PAYLOAD_TOO_LARGE, &form, done, refused).await;
            }
        }
    }
    if done.is_empty() && refused.is_empty() {
        refused.push((String::new(), "Choose a file.".to_owned()));
    }
    let is_well = refused.is_empty() && done.iter().all(|one| one.findings.is_empty());
    match (is_well, &done[..]) {
        (true, [one]) => Ok(visit.go(&format!("{}?said=uploaded", one.edit))),
        (true, _) => Ok(visit.go("pages?said=uploaded")),
        (false, []) => shown(visit, StatusCode::UNPROCESSABLE_ENTITY, &form, done, refused).await,
        (false, _) => shown(visit, StatusCode::OK, &form, done, refused).await,
    }
}

/// Adds a file, or says why not.
async fn add(
    visit: &Visit<'_>,
    form: &Form,
    file: Spooled,
    is_first: bool,
) -> std::result::Result<std::result::Result<Done, String>, Refused> {
    if !is_first && !form.get("alias").is_empty() {
        return Ok(Err("Only one file can have that address; send the others without.".to_owned()));
    }
    let editor = visit.editor();
    let alias = address(visit.state, editor.layout(), form, &file.name);
    let alias = match alias {
        Ok(alias) => alias,
        Err(problem) => return Ok(Err(problem)),
    };
    let (name, tags) = (file.name.clone(), items(form.get("tags")));
    let added = visit
        .changing(move |_| {
            let Spooled { name, mime, file } = file;
            editor.upload(&name, &mime, file, MOST_FILE, alias.as_deref(), &tags)
        })
        .await?;
    let (id, place) = match added {
        Ok(added) => added,
        Err(error) => return Ok(Err(sentence(&error.to_string()))),
    };
    visit.blocking(move |state| Ok(told(state, name, id, &place))).await
}

/// What became of a file that is there.
fn told(state: &Arc<SiteState>, name: String, id: ObjectId, place: &Place) -> Done {
    let path = place.path(id);
    let own = findings::by_object(state.cache.findings()).remove(&path).unwrap_or_default();
    let is_page = state.cache.any(id).is_none_or(|meta| meta.kind == tidings_site::Kind::Markdown);
    Done {
        name,
        edit: format!("{}/{id}", if is_page { "edit" } else { "file" }),
        url: state.cache.get(id).map(|meta| meta.url_path()),
        findings: own.iter().map(|finding| sentence(&finding.message)).collect(),
    }
}

/// The alias that a file is to have; none if it goes by its name or its id.
fn address(
    state: &SiteState,
    layout: Layout,
    form: &Form,
    name: &str,
) -> std::result::Result<Option<String>, String> {
    let (folder, alias) = (form.get("folder").trim_matches('/'), form.get("alias"));
    let safe = safe(name);
    let wanted = match (folder.is_empty(), alias.is_empty()) {
        (false, true) => format!("{folder}/{safe}"),
        (false, false) => format!("{folder}/{alias}"),
        (true, false) => alias.to_owned(),
        (true, true) => String::new(),
    };
    // Whatever it is called by, it has to be one that can be served.
    let tried = if wanted.is_empty() && layout == Layout::Plain { &safe } else { &wanted };
    // A page goes by its name without the end of it.
    let is_page = |path: &str| layout == Layout::Plain && path.to_lowercase().ends_with(".md");
    let found = if is_page(tried) {
        Alias::of_page(tried, state.cache.reserved()).map(Some)
    } else {
        Alias::parse(tried, AliasOf::Text, state.cache.reserved())
    };
    let found = found.map_err(|error| sentence(&error.to_string()))?;
    let other = found.as_ref().and_then(|alias| state.cache.find(alias.as_str()));
    // One of the same name gets a number, where nothing else was asked for.
    let is_numbered = wanted.is_empty() && layout == Layout::Plain;
    let is_taken = |other: &tidings_site::PageMeta| match &other.place {
        Place::File { path } => !(is_numbered && path.eq_ignore_ascii_case(&safe)),
        Place::Version { .. } => true,
    };
    match other.filter(|other| is_taken(other)) {
        Some(other) => Err(format!(
            "{:?} is at {} already; take another address, or replace that file.",
            &*other.title,
            other.url_path()
        )),
        None => Ok(Some(wanted).filter(|wanted| !wanted.is_empty())),
    }
}

/// The name of a file as a part of an address.
fn safe(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_fit = |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '-' | '_');
    let safe: String = last.chars().map(|one| if is_fit(one) { one } else { '-' }).collect();
    let safe = safe.trim_matches(['.', '-']);
    if safe.is_empty() { "file".to_owned() } else { safe.to_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_a_part_of_an_address() {
        assert_eq!(safe("C:\\My Photo (1).PNG"), "my-photo--1-.png");
        assert_eq!(safe("../../.htaccess"), "htaccess");
        assert_eq!(safe(".."), "file");
    }
}
