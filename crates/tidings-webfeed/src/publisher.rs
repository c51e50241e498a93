//! Makes a folder a webfeed, and keeps it one.
//!
//! A webfeed needs nothing but files: an index, posts, a style sheet. Whatever is there already is left as
//! it is; of the index, only the lines of posts change, and its length with each edit.

mod atom;
mod attachment;
mod draft;
mod edit;
mod folder;
mod front_matter;
mod line;
mod markdown;
mod page;
mod plan;
mod script;
mod sources;
#[cfg(test)]
mod tests;
mod whole_page;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use tidings_feed::decode_page;
use url::Url;

use crate::Post;
use edit::Edit;

pub use draft::{AddOptions, Draft, Material};
pub use page::Profile;
pub use plan::EditPlan;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// The folder is no webfeed.
    #[error("{0} has no index.txt; make it a webfeed with `tidings webfeed init`")]
    NoWebfeed(PathBuf),
    /// The folder is a webfeed already.
    #[error(
        "{0} is there already: the folder is a webfeed. Add posts with `tidings webfeed add`; where it is \
         served is said by its line `# served at URL`, and with that the next `add` makes feed.atom"
    )]
    Exists(PathBuf),
    /// Something else has the name.
    #[error("{0} is there already")]
    Taken(PathBuf),
    /// Not a name for a file in the folder.
    #[error("{0:?} is no name for a post: use letters, digits, -, _ and .")]
    Name(String),
    /// Nothing to be shown.
    #[error("{0} has nothing in it that could be a section")]
    Empty(String),
    /// Longer than what readers take.
    #[error(
        "{0} makes a post of more than 1 MiB, and readers take no more: make several posts of it, or one \
         that leads to it"
    )]
    Large(String),
    /// Neither Markdown nor HTML.
    #[error("{0} is no text: what can be added is Markdown in UTF-8, HTML, or an address")]
    Binary(String),
    /// Its front matter says that it is a draft.
    #[error("{0} is a draft by its front matter; take that out to publish it")]
    Draft(String),
    /// Its front matter may say that it is a draft, and cannot be read.
    #[error(
        "{post}, line {line} of its front matter: {reason}. As it may say whether this is a draft, nothing \
         is published; correct the line"
    )]
    FrontMatter {
        /// What messages call the post.
        post: String,
        /// The line of its file, from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A file that a post uses is not there.
    #[error(
        "{post} uses {address}, and there is no file {path}; put it there, or correct the address"
    )]
    Missing {
        /// What messages call the post.
        post: String,
        /// As it is written.
        address: String,
        /// Where the file was looked for.
        path: PathBuf,
    },
    /// A file that a post names is of a kind that no post uses.
    #[error(
        "{post} uses {path}, which is no picture, style sheet, film, sound or font, and is not copied; \
         correct the address"
    )]
    NotAttachable {
        /// What messages call the post.
        post: String,
        /// The file.
        path: PathBuf,
    },
    /// A photograph could not be made smaller.
    #[error("{path} could not be made smaller: {error}")]
    Resize {
        /// The photograph.
        path: PathBuf,
        /// Why.
        error: image::ImageError,
    },
    /// An address that is not of the web.
    #[error("{0}: only http and https addresses can be listed")]
    Scheme(String),
    /// An address with a user or a password.
    #[error(
        "{0} was given with a password: that is for nobody else, list an address that all can open"
    )]
    Secret(String),
    /// It is not in the index.
    #[error("{0} is not in the index; these are: {1}")]
    Unknown(String, String),
    /// It is a post without a file in the folder.
    #[error("{0} names no file of the folder, and can be changed only where it is")]
    Fileless(String),
    /// A file could not be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

type Result<T> = std::result::Result<T, PublishError>;

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// The files that were written.
    pub files: Vec<PathBuf>,
}

/// What became of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The lines that it has now, the newest last.
    pub posts: Vec<String>,
    /// How long it was, and how long it is now.
    pub lengths: (u64, u64),
}

/// Posts that were removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// Their lines, as they were written.
    pub lines: Vec<String>,
    /// Their files that were deleted.
    pub files: Vec<PathBuf>,
    /// The lines that named no file of the folder.
    pub fileless: Vec<String>,
    /// What became of the index.
    pub index: Written,
}

/// A post that was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// Its line.
    pub line: String,
    /// Its file; none of a repost.
    pub file: Option<PathBuf>,
    /// How many sections it has.
    pub sections: usize,
    /// Whether it was there before, and says something else now.
    pub is_update: bool,
    /// The files that were copied into the folder for all posts of the edit.
    pub copied: Vec<PathBuf>,
    /// What its author should know.
    pub warnings: Vec<String>,
    /// What became of the index.
    pub index: Written,
}

/// The folder of a webfeed.
#[derive(Debug, Clone)]
pub struct Publisher {
    folder: PathBuf,
}

/// What addresses in a folder are compared by; no folder says where it will be served.
const HERE: &str = "https://webfeed.invalid/index.txt";

impl Publisher {
    /// Of that folder.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Makes the folder a webfeed: with an index, a style sheet, a page that says whose it is, and a
    /// first post. Files that are there already stay as they are.
    ///
    /// With the URL under which the folder is served, there is an Atom feed, too. A webfeed that does not
    /// say yet where it is served comes to say it.
    pub fn init(&self, profile: &Profile, base: Option<&Url>) -> Result<Begun> {
        fs::create_dir_all(&self.folder).map_err(|error| self.trouble("", error))?;
        let _lock = self.lock()?;
        self.carry_out(self.plan_init(profile, base)?)
    }

    /// The first post and its title: ours, or one of that name that is there. A page that is no post is
    /// not published.
    fn hello(&self, title: &str) -> Option<(String, String)> {
        let line = "hello.html".to_owned();
        let path = self.folder.join(&line);
        if !path.exists() {
            return Some((line, title.to_owned()));
        }
        let post = parsed(&fs::read(path).ok()?);
        let title = name_of(&post).unwrap_or_else(|| line.clone());
        Some((line, title)).filter(|_| !post.sections.is_empty())
    }

    /// Adds posts: all of them, or none if anything is wrong with one. It is one edit of the index. A post
    /// that is there keeps its place.
    pub fn add(&self, drafts: &[Draft], options: &AddOptions) -> Result<Vec<Added>> {
        let _lock = self.lock()?;
        self.carry_out(self.plan_add(drafts, options)?)
    }

    /// Replaces what a post of the folder says.
    pub fn edit(&self, line: &str, draft: &Draft, options: &AddOptions) -> Result<Added> {
        let _lock = self.lock()?;
        let added = self.carry_out(self.plan_edit(line, draft, options)?)?;
        added.into_iter().next().ok_or_else(|| PublishError::Empty(line.to_owned()))
    }

    /// The file of a post that is listed.
    pub fn file_of_post(&self, line: &str) -> Result<PathBuf> {
        let line = self.listed_line(line)?;
        self.file_of(&line).ok_or(PublishError::Fileless(line))
    }

    /// The line of a post as it is written in the index, if it names a file of the folder.
    fn listed_line(&self, wanted: &str) -> Result<String> {
        let index = self.index()?;
        let Some(line) = index.clone().remove(wanted, &here()).pop() else {
            return Err(PublishError::Unknown(wanted.to_owned(), index.posts().join(", ")));
        };
        if self.file_of(&line).is_none() {
            return Err(PublishError::Fileless(line));
        }
        Ok(line)
    }

    /// Removes posts from the index: all of them, or none if one is not there. Their files stay, unless
    /// `with_files`.
    pub fn remove(&self, lines: &[&str], with_files: bool) -> Result<Removed> {
        let _lock = self.lock()?;
        self.carry_out(self.plan_remove(lines, with_files)?)
    }

    /// Removes all posts but so many of the newest.
    pub fn keep(&self, most: usize, with_files: bool) -> Result<Removed> {
        let _lock = self.lock()?;
        self.carry_out(self.plan_keep(most, with_files)?)
    }

    /// Whose webfeed it is: what the page of the folder says, else its newest post.
    #[must_use]
    pub fn profile(&self) -> Profile {
        let newest = self.index().map(|index| index.posts()).unwrap_or_default().pop();
        let pages = [Some("index.html".to_owned()), newest];
        let mut profile = Profile::default();
        for page in pages.into_iter().flatten() {
            let Some(Ok(bytes)) = self.file_of(&page).map(fs::read) else { continue };
            let post = parsed(&bytes);
            let or = |old: &mut String, new: Option<String>| {
                if let (true, Some(new)) = (old.is_empty(), new) {
                    *old = new;
                }
            };
            or(&mut profile.author, post.identity.author);
            or(&mut profile.about, post.identity.description);
            // One that is elsewhere stays there.
            let from_here = |icon: Url| here().make_relative(&icon).unwrap_or_else(|| icon.into());
            or(&mut profile.icon, post.identity.icon.map(from_here));
        }
        profile
    }

    /// Writes the index, and what follows from it: also the list on the page of the folder, if the titles of the
    /// posts that are new are given.
    fn save(&self, index: &Edit, named: Option<&HashMap<String, String>>) -> Result<()> {
        let before = self.length();
        let text = index.written(before);
        self.write("index.txt", &text)?;
        if let Some(named) = named {
            self.list(&index.posts(), named)?;
        }
        self.atom(index).map(drop)
    }

    /// Writes the Atom feed, if it is known where the folder is served.
    fn atom(&self, index: &Edit) -> Result<Option<PathBuf>> {
        let Some(base) = index.base() else { return Ok(None) };
        let before = fs::read(self.folder.join("feed.atom")).ok();
        let (profile, now) = (self.profile(), Timestamp::now());
        let feed = atom::feed(self, &base, &profile, index, before.as_deref(), now);
        self.write("feed.atom", &feed).map(Some)
    }

    /// Whether the page of the folder has a list of ours.
    fn has_list(&self) -> bool {
        let text = fs::read_to_string(self.folder.join("index.html")).unwrap_or_default();
        page::parts(&text).is_some()
    }

    /// Brings the list on the page of the folder up to date, if that has one of ours.
    fn list(&self, posts: &[String], named: &HashMap<String, String>) -> Result<()> {
        let Ok(text) = fs::read_to_string(self.folder.join("index.html")) else { return Ok(()) };
        let Some((before, list, after)) = page::parts(&text) else { return Ok(()) };
        let known = page::listed(list);
        let title = |line: &String| {
            let given = named.get(line).cloned();
            let read = || {
                let bytes = fs::read(self.file_of(line)?).ok()?;
                name_of(&parsed(&bytes))
            };
            let title = given.or_else(|| known.get(line).cloned()).or_else(read);
            (line.clone(), title.unwrap_or_else(|| line.clone()))
        };
        let posts: Vec<_> = posts.iter().map(title).collect();
        self.write("index.html", format!("{before}{}{after}", page::list(&posts))).map(drop)
    }
}

fn hello(profile: &Profile) -> String {
    let author = if profile.author.is_empty() { "me" } else { &profile.author };
    let author = page::literal(author);
    format!(
        "# Hello\n\nThis is the first post of {author}.\n\n---\n\n## A second screen\n\n\
         Each section of a post is one screen. The first is the *lead*: readers show it in their grid.\n"
    )
}

/// A page of the folder.
fn parsed(bytes: &[u8]) -> Post {
    Post::parse(&decode_page(bytes, None), &here(), &mut |_| None)
}

/// What a post calls itself.
fn name_of(post: &Post) -> Option<String> {
    post.title.clone().or_else(|| post.name())
}

fn here() -> Url {
    #[expect(clippy::expect_used, reason = "a constant")]
    Url::parse(HERE).expect("a URL")
}
