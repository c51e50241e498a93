//! How content is changed through the web.
//!
//! Whatever is written is written whole: into a file that begins with a dot, which no reader takes for
//! content, and from there into its place. What was there stays: as the versions before, or in
//! `state/tidings/removed/`. One edit is made at a time, by a lock that other processes mind as well.

mod draft;
mod error;
mod folder;
mod leftover;
mod name;
mod pages;
mod removed;
mod replace;
mod root;
mod seen;
mod temporary;
mod upload;
mod versions;

use std::path::PathBuf;
use std::sync::Arc;

pub use draft::Draft;
pub use error::EditError;
pub(crate) use leftover::remove_leftovers;
pub use seen::Seen;

use crate::{ObjectId, PageMetaCache, Place, TagRules, write_roles};
use root::Root;

/// The longest text that is edited: what is longer is no page that somebody would want in a form.
pub(crate) const LONGEST: usize = 4 * 1024 * 1024;

pub(crate) const MARKDOWN: &str = "text/markdown";

/// The two ways in which content is kept. A root may have both; new objects go to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// `content/<shard>/<id>.<version>` with a sidecar.
    Versioned,
    /// `pages/**/*.md` with front matter.
    Plain,
}

/// Changes the content of a root. Calls wait for the disk.
#[derive(Debug, Clone)]
pub struct Editor {
    root: PathBuf,
    /// The cache of a server that serves the root, which is told of each object that is written.
    cache: Option<Arc<PageMetaCache>>,
}

type Result<T> = std::result::Result<T, EditError>;

impl Editor {
    /// Of that root. Nothing is looked at yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), cache: None }
    }

    /// One of a root that is served: what it writes is served at once.
    #[must_use]
    pub fn of_served(cache: &Arc<PageMetaCache>) -> Self {
        Self { root: cache.root().path().to_owned(), cache: Some(Arc::clone(cache)) }
    }

    /// An object was written.
    fn release(&self, id: ObjectId, place: &Place) {
        if let Some(cache) = &self.cache {
            cache.release(id, place);
        }
    }

    /// Where new objects go: the versioned layout if there is one, and plain files else.
    #[must_use]
    pub fn layout(&self) -> Layout {
        if self.root.join("content").is_dir() { Layout::Versioned } else { Layout::Plain }
    }

    /// Makes an object: of a random id and version 0, or the file `<alias>.md` (without an alias, by
    /// the title) if there is none.
    pub fn create(&self, draft: &Draft) -> Result<(ObjectId, Place)> {
        draft.check()?;
        let root = Root::open(&self.root)?;
        let (id, place) = match self.layout() {
            Layout::Versioned => versions::create(&root, draft),
            Layout::Plain => pages::create(&root, draft),
        }?;
        self.release(id, &place);
        Ok((id, place))
    }

    /// What the file of a new page of that title would be called in the plain layout, without `.md`.
    pub fn file_name_of(title: &str) -> Result<String> {
        name::of_title(title)
    }

    /// What there is to edit, and what [`save`](Self::save) has to be told to be sure that it is still
    /// that. To bring a past version back, read that one and save it with the [`Seen`] of the current.
    ///
    /// Bodies over 4 MiB, and Markdown that is not UTF-8, are refused.
    pub fn read(&self, id: ObjectId, place: &Place) -> Result<(Draft, Seen)> {
        let root = Root::open(&self.root)?;
        match place {
            Place::Version { number } => versions::read(&root, id, *number),
            Place::File { path } => pages::read(&root, path),
        }
    }

    /// Saves an object, if it is still as it was seen. Versioned, it is a new version, and those before
    /// stay. A plain file is written anew; what else is in its front matter stays, and its id is
    /// pinned there, so that it can be moved. Plain files that are no Markdown have a body only.
    pub fn save(&self, id: ObjectId, place: &Place, seen: Seen, draft: &Draft) -> Result<Place> {
        draft.check()?;
        let root = Root::open(&self.root)?;
        let place = match place {
            Place::Version { .. } => versions::save(&root, id, seen, draft),
            Place::File { path } => pages::save(&root, id, path, seen, draft),
        }?;
        self.release(id, &place);
        Ok(place)
    }

    /// Takes an object out of the content, if it is still as it was seen. All of it is moved to
    /// `state/tidings/removed/<time>/`, below the path that it had, so that it can be put back.
    pub fn remove(&self, id: ObjectId, place: &Place, seen: Seen) -> Result<()> {
        let root = Root::open(&self.root)?;
        match place {
            Place::Version { .. } => versions::remove(&root, id, seen),
            Place::File { path } => pages::remove(&root, path, seen),
        }
    }

    /// Replaces what tags say.
    pub fn save_tags(&self, rules: &TagRules) -> Result<()> {
        self.save_system("tags.yaml", &rules.write())
    }

    /// Replaces the roles that there are.
    pub fn save_roles(&self, roles: &[String]) -> Result<()> {
        self.save_system("roles.yaml", &write_roles(roles))
    }

    fn save_system(&self, name: &str, text: &str) -> Result<()> {
        let root = Root::open(&self.root)?;
        let _lock = root.lock()?;
        let folder = root.make("state/sys")?;
        folder.temporary(text.as_bytes())?.replace(name)
    }
}

#[cfg(test)]
mod tests;
