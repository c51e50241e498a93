//! Objects of the plain layout: files below `pages/`.

use std::io::Read;

use super::draft::said;
use super::folder::Folder;
use super::removed::Removed;
use super::root::Root;
use super::temporary::{Temporary, random};
use super::{Draft, EditError, LONGEST, MARKDOWN, Result, Seen, name};
use crate::front_matter;
use crate::{FrontMatter, ObjectId, Place};

/// The longest file that is read: a body, and front matter before it.
const LONGEST_FILE: usize = LONGEST + front_matter::LONGEST;

pub(super) fn is_page(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| {
        extension.eq_ignore_ascii_case("md") || extension.eq_ignore_ascii_case("markdown")
    })
}

pub(super) fn place(path: &str) -> Place {
    Place::File { path: path.into() }
}

fn label(path: &str) -> String {
    format!("pages/{path}")
}

/// Opens the folder of a file that is there.
fn folder_of<'p>(root: &Root, path: &'p str) -> Result<(Folder, String, &'p str)> {
    let (folder, file_name) = name::split(path)?;
    let missing = || EditError::Missing(label(path));
    Ok((root.folder(&folder)?.ok_or_else(missing)?, folder, file_name))
}

/// What a draft says, over what the file said that no form has.
fn matter_of(draft: &Draft, id: ObjectId, known: FrontMatter) -> FrontMatter {
    FrontMatter {
        id: Some(id.to_string()),
        title: said(draft.title.as_ref()),
        alias: said(draft.alias.as_ref()),
        tags: draft.tags.clone(),
        roles: draft.roles.clone(),
        nav_title: said(draft.nav_title.as_ref()),
        nav_parent: said(draft.nav_parent.as_ref()),
        nav_order: draft.nav_order,
        robots: said(draft.robots.as_ref()),
        theme: known.theme,
        is_draft: known.is_draft,
    }
}

/// Files that are no pages have nothing that could say so.
fn check_bare(draft: &Draft) -> Result<()> {
    let is_bare = draft.tags.is_empty() && draft.roles.is_empty();
    if is_bare { Ok(()) } else { Err(EditError::NoTags) }
}

pub(super) fn create(root: &Root, draft: &Draft) -> Result<(ObjectId, Place)> {
    let alias = said(draft.alias.as_ref()).map(|alias| name::of_alias(&alias)).transpose()?;
    let (id, path, head) = if draft.is_markdown() {
        let stem = match (alias, said(draft.title.as_ref())) {
            (Some(alias), _) => alias,
            (None, Some(title)) => name::of_title(&title)?,
            (None, None) => return Err(EditError::NoName),
        };
        // Not made of the path: another file may have that path once this one is moved.
        let id = ObjectId(random()?);
        let head = matter_of(draft, id, FrontMatter::default()).head("");
        (id, format!("{stem}.md"), head)
    } else {
        check_bare(draft)?;
        let path = alias.ok_or(EditError::NoName)?;
        (ObjectId::of_path(&path), path, String::new())
    };
    let (folder, file_name) = name::split(&path)?;
    let _lock = root.lock()?;
    let folder = root.make(&folder)?;
    let file = folder.temporary(&[head.as_bytes(), &draft.body].concat())?;
    file.place(file_name).map_err(|error| match error {
        EditError::Exists(_) => EditError::Exists(label(&path)),
        other => other,
    })?;
    Ok((id, place(&path)))
}

pub(super) fn read(root: &Root, path: &str) -> Result<(Draft, Seen)> {
    let (folder, _, file_name) = folder_of(root, path)?;
    let read = folder.read(file_name, LONGEST_FILE)?;
    let (mut bytes, stat) = read.ok_or_else(|| EditError::Missing(label(path)))?;
    let seen = Seen::of(&stat);
    let (matter, start) =
        if is_page(path) { FrontMatter::read(&bytes)? } else { (FrontMatter::default(), 0) };
    let body = bytes.split_off(start);
    let mime = if is_page(path) {
        MARKDOWN.to_owned()
    } else {
        mime_guess::from_path(path).first_or_octet_stream().to_string()
    };
    let draft = Draft {
        title: matter.title,
        alias: matter.alias,
        tags: matter.tags,
        roles: matter.roles,
        nav_title: matter.nav_title,
        nav_parent: matter.nav_parent,
        nav_order: matter.nav_order,
        robots: matter.robots,
        body,
        mime,
        original_filename: None,
    };
    draft.check()?;
    Ok((draft, seen))
}

pub(super) fn save(
    root: &Root,
    id: ObjectId,
    path: &str,
    seen: Seen,
    draft: &Draft,
) -> Result<Place> {
    let _lock = root.lock()?;
    let (folder, _, file_name) = folder_of(root, path)?;
    let read = folder.read(file_name, LONGEST_FILE)?;
    let (bytes, stat) = read.ok_or_else(|| EditError::Missing(label(path)))?;
    if Seen::of(&stat) != seen {
        return Err(EditError::Changed(label(path)));
    }
    let mut written = Vec::new();
    if is_page(path) {
        if std::str::from_utf8(&draft.body).is_err() {
            return Err(EditError::Encoding);
        }
        let (known, start) = FrontMatter::read(&bytes)?;
        let head = std::str::from_utf8(&bytes[..start]).map_err(|_| EditError::Encoding)?;
        written.extend_from_slice(matter_of(draft, id, known).head(head).as_bytes());
    } else {
        check_bare(draft)?;
    }
    written.extend_from_slice(&draft.body);
    let file = folder.temporary(&written)?;
    file.permit_as(&stat);
    file.be_newer_than(&stat);
    // Whoever saves it with another program does not wait for our lock: look again, as late as can be.
    let now = folder.stat(file_name)?;
    if now.is_none_or(|now| Seen::of(&now) != seen) {
        return Err(EditError::Changed(label(path)));
    }
    file.replace(file_name)?;
    Ok(place(path))
}

/// What is said of a file that is no page, which is its name alone.
pub(super) fn head(root: &Root, path: &str) -> Result<(Draft, Seen)> {
    let (folder, _, file_name) = folder_of(root, path)?;
    let stat = folder.stat(file_name)?.ok_or_else(|| EditError::Missing(label(path)))?;
    let mime = mime_guess::from_path(path).first_or_octet_stream().to_string();
    Ok((Draft { mime, ..Draft::default() }, Seen::of(&stat)))
}

/// Puts something else in the place of a file that is no page.
pub(super) fn replace(
    root: &Root,
    path: &str,
    seen: Seen,
    draft: &Draft,
    bytes: impl Read,
    limit: u64,
) -> Result<Place> {
    check_bare(draft)?;
    let (folder, _, file_name) = folder_of(root, path)?;
    let file = Temporary::of(&folder, bytes, limit)?;
    let _lock = root.lock()?;
    let stat = folder.stat(file_name)?.ok_or_else(|| EditError::Missing(label(path)))?;
    if Seen::of(&stat) != seen {
        return Err(EditError::Changed(label(path)));
    }
    file.permit_as(&stat);
    file.be_newer_than(&stat);
    file.replace(file_name)?;
    Ok(place(path))
}

pub(super) fn remove(root: &Root, path: &str, seen: Seen) -> Result<()> {
    let _lock = root.lock()?;
    let (folder, below, file_name) = folder_of(root, path)?;
    let (_, stat) = folder.file(file_name)?.ok_or_else(|| EditError::Missing(label(path)))?;
    if Seen::of(&stat) != seen {
        return Err(EditError::Changed(label(path)));
    }
    Removed::begin(root, &below)?.take(&folder, file_name)?;
    folder.sync()
}
