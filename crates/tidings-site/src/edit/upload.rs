//! Files that somebody uploads.

use std::io::Read;

use super::draft::check_mime;
use super::folder::Folder;
use super::root::Root;
use super::temporary::Temporary;
use super::{Draft, EditError, Editor, LONGEST, Layout, MARKDOWN, Result, name, pages, versions};
use crate::front_matter;
use crate::{FrontMatter, ObjectId, Place};

/// How many names are tried for a file whose own is taken.
const TRIES: u32 = 1000;

impl Editor {
    /// Adds a file of at most `limit` bytes, as it is read. What a browser calls it is made safe.
    ///
    /// Versioned, it is a new object. Markdown is taken as a page, with what its front matter says, and
    /// is called by its name if that says no title. Plain, it is a new file: at its alias (with the
    /// extension of its name, if it has none, which is what says its media type there), or else by its
    /// name, with a number if that is taken; and tags are refused, as there is nothing to keep them.
    pub fn upload(
        &self,
        file_name: &str,
        mime: &str,
        bytes: impl Read,
        limit: u64,
        alias: Option<&str>,
        tags: &[String],
    ) -> Result<(ObjectId, Place)> {
        check_mime(mime)?;
        let essence = mime.split(';').next().unwrap_or_default().trim();
        let is_markdown = essence.eq_ignore_ascii_case(MARKDOWN);
        let draft = Draft {
            alias: alias.map(str::to_owned),
            tags: tags.to_vec(),
            mime: if is_markdown { MARKDOWN.to_owned() } else { mime.trim().to_owned() },
            original_filename: Some(name::original(file_name)).filter(|name| !name.is_empty()),
            ..Draft::default()
        };
        let root = Root::open(&self.root)?;
        let (id, place) = match self.layout() {
            Layout::Versioned if is_markdown => page(&root, file_name, bytes, limit, draft),
            Layout::Versioned => {
                versions::create_of(&root, &draft, |folder| Temporary::of(folder, bytes, limit))
            }
            Layout::Plain => file(&root, file_name, bytes, limit, &draft),
        }?;
        self.release(id, &place);
        Ok((id, place))
    }
}

/// A page of the versioned layout: its blob is Markdown alone.
fn page(
    root: &Root,
    file_name: &str,
    bytes: impl Read,
    limit: u64,
    mut draft: Draft,
) -> Result<(ObjectId, Place)> {
    let limit = limit.min(LONGEST as u64);
    let read = bytes.take(limit + 1).read_to_end(&mut draft.body);
    read.map_err(EditError::io("read", file_name.as_ref()))?;
    if draft.body.len() as u64 > limit {
        return Err(EditError::TooLarge { limit });
    }
    let (matter, start) = FrontMatter::read(&draft.body)?;
    if matter.is_draft {
        // It would be there for everybody.
        return Err(EditError::RolesNeedTag);
    }
    draft.body.drain(..start);
    let file_name = name::original(file_name);
    let stem = file_name.rsplit_once('.').map_or(file_name.as_str(), |(stem, _)| stem);
    draft.title = matter.title.or_else(|| Some(stem.to_owned()));
    draft.alias = draft.alias.or(matter.alias);
    draft.tags.extend(matter.tags);
    draft.roles = matter.roles;
    draft.nav_title = matter.nav_title;
    draft.nav_order = matter.nav_order;
    // What it is below has another id in the root that it comes from, if it is from another.
    draft.nav_parent = matter.nav_parent.filter(|parent| ObjectId::parse(parent).is_some());
    draft.robots = matter.robots;
    draft.check()?;
    versions::create(root, &draft)
}

/// A file of the plain layout.
fn file(
    root: &Root,
    file_name: &str,
    bytes: impl Read,
    limit: u64,
    draft: &Draft,
) -> Result<(ObjectId, Place)> {
    if !draft.tags.is_empty() {
        return Err(EditError::NoTags);
    }
    let safe = name::safe(file_name);
    let (stem, extension) = match safe.rsplit_once('.') {
        Some((stem, extension)) => (stem, format!(".{extension}")),
        None => (safe.as_str(), String::new()),
    };
    let alias = draft.alias.as_ref().filter(|alias| !alias.trim().is_empty());
    let wanted = match alias {
        Some(alias) => {
            let path = name::of_alias(alias)?;
            let has_extension = path.rsplit('/').next().is_some_and(|last| last.contains('.'));
            if has_extension { path } else { format!("{path}{extension}") }
        }
        None => safe.clone(),
    };
    let (below, _) = name::split(&wanted)?;
    let folder = root.make(&below)?;
    let written = Temporary::of(&folder, bytes, limit)?;
    let _lock = root.lock()?;
    let mut path = wanted.clone();
    // Under the lock, so that the name that is free stays so; other programs are minded by `place`.
    for number in 2..TRIES {
        let (_, last) = name::split(&path)?;
        if alias.is_some() || folder.stat(last)?.is_none() {
            break;
        }
        path = format!("{stem}-{number}{extension}");
    }
    let (_, last) = name::split(&path)?;
    written.place(last).map_err(|error| match error {
        EditError::Exists(_) => EditError::Exists(format!("pages/{path}")),
        other => other,
    })?;
    Ok((id_of(&folder, last, &path)?, pages::place(&path)))
}

/// The id of a file: its path's, unless it is a page that names its own.
fn id_of(folder: &Folder, file_name: &str, path: &str) -> Result<ObjectId> {
    let mut head = Vec::new();
    if let Some((file, _)) = folder.file(file_name)?.filter(|_| pages::is_page(path)) {
        let read = file.take(front_matter::LONGEST as u64).read_to_end(&mut head);
        read.map_err(EditError::io("read", &folder.path().join(file_name)))?;
    }
    let named = FrontMatter::read(&head).ok().and_then(|(matter, _)| matter.id);
    let named = named.and_then(|id| ObjectId::parse(&id));
    Ok(named.unwrap_or_else(|| ObjectId::of_path(path)))
}
