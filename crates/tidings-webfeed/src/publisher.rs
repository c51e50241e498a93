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
mod script;
mod sources;
#[cfg(test)]
mod tests;
mod whole_page;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use tidings_feed::decode_page;
use url::Url;

use crate::Post;
use attachment::Attachments;
use draft::{Edition, Ready};
use edit::Edit;
use front_matter::FrontMatter;
use page::Text;

pub use draft::{AddOptions, Draft, Material};
pub use page::Profile;

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
        if self.index_path().exists() {
            return self.serve(base);
        }
        let mut files = Vec::new();
        let (title, text) = ("Hello", hello(profile));
        let sections = markdown::read(FrontMatter::default(), &text).sections;
        let hello = self.hello(title);
        for (name, text) in [
            ("post.css", include_str!("publisher/post.css").to_owned()),
            ("folder.css", include_str!("publisher/folder.css").to_owned()),
            ("hello.html", page::post(profile, title, &Text::default(), &sections)),
            ("index.html", page::folder(profile, base.is_some(), hello.as_slice())),
        ] {
            if !self.folder.join(name).exists() {
                files.push(self.write(name, &text)?);
            }
        }
        let served = base.map(|base| format!("served at {base}"));
        let mut comments = vec![
            "The posts of this webfeed, the newest last: one address on each line.",
            "Readers look at the length of this file to see whether something is new.",
        ];
        comments.extend(served.as_deref());
        let mut index = Edit::begun(&comments);
        if let Some((hello, _)) = &hello {
            index.add(hello, &here());
        }
        files.push(self.write("index.txt", index.written(0))?);
        files.extend(self.atom(&index)?);
        Ok(Begun { files })
    }

    /// Says where a webfeed is served that did not say it before.
    fn serve(&self, base: Option<&Url>) -> Result<Begun> {
        let mut index = self.index()?;
        let Some(base) = base.filter(|_| index.base().is_none()) else {
            return Err(PublishError::Exists(self.index_path()));
        };
        index.serve(base);
        self.save(&index, &HashMap::new())?;
        Ok(Begun { files: vec![self.index_path(), self.folder.join("feed.atom")] })
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
        self.publish(drafts, None, options)
    }

    /// Replaces what a post of the folder says.
    pub fn edit(&self, line: &str, draft: &Draft, options: &AddOptions) -> Result<Added> {
        let _lock = self.lock()?;
        let line = self.listed_line(line)?;
        let added = self.publish(std::slice::from_ref(draft), Some(line.clone()), options)?;
        added.into_iter().next().ok_or(PublishError::Empty(line))
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

    fn publish(
        &self,
        drafts: &[Draft],
        replaces: Option<String>,
        options: &AddOptions,
    ) -> Result<Vec<Added>> {
        let mut edition = Edition {
            index: self.index()?,
            sources: self.sources(),
            attachments: Attachments::new(self, options.max_photo_pixels),
            posts: Vec::new(),
            replaces,
        };
        for draft in drafts {
            let post = self.ready(draft, &mut edition)?;
            edition.posts.push(post);
        }
        let Edition { mut index, mut sources, attachments, posts, .. } = edition;
        self.write_pages(&posts, &attachments.planned)?;
        let mut named = HashMap::new();
        for Ready { line, title, is_update, source_key, .. } in &posts {
            if !is_update {
                index.add(line, &here());
            }
            named.extend(title.clone().map(|title| (line.clone(), title)));
            if let Some(key) = source_key {
                sources.insert(key.clone(), line.clone());
            }
        }
        let copied: Vec<PathBuf> =
            attachments.planned.iter().map(|one| self.folder.join(&one.name)).collect();
        let index = self.save(&index, &named)?;
        self.save_sources(sources, &index.posts)?;
        let added = |Ready { line, title, sections, is_update, warnings, .. }: Ready| {
            let file = title.and_then(|_| self.file_of(&line));
            let (index, copied) = (index.clone(), copied.clone());
            Added { line, file, sections, is_update, copied, warnings, index }
        };
        Ok(posts.into_iter().map(added).collect())
    }

    /// Removes posts from the index: all of them, or none if one is not there. Their files stay, unless
    /// `with_files`.
    pub fn remove(&self, lines: &[&str], with_files: bool) -> Result<Removed> {
        let _lock = self.lock()?;
        let mut index = self.index()?;
        if let Some(line) = lines.iter().find(|line| !index.has(line, &here())) {
            return Err(PublishError::Unknown((*line).to_owned(), index.posts().join(", ")));
        }
        let lines = lines.iter().flat_map(|line| index.remove(line, &here())).collect();
        self.removed(&index, lines, with_files)
    }

    /// Removes all posts but so many of the newest.
    pub fn keep(&self, most: usize, with_files: bool) -> Result<Removed> {
        let _lock = self.lock()?;
        let mut index = self.index()?;
        let lines = index.keep(most, &here());
        if lines.is_empty() {
            let length = self.length();
            let index = Written { posts: index.posts(), lengths: (length, length) };
            return Ok(Removed { lines, files: Vec::new(), fileless: Vec::new(), index });
        }
        self.removed(&index, lines, with_files)
    }

    fn removed(&self, index: &Edit, lines: Vec<String>, with_files: bool) -> Result<Removed> {
        // First from the index: no reader is led to what is not there.
        let index = self.save(index, &HashMap::new())?;
        let mut files = Vec::new();
        let fileless = lines.iter().filter(|line| self.file_of(line).is_none()).cloned().collect();
        // Another line may lead to the same file.
        let listed: HashSet<_> = index.posts.iter().filter_map(|line| self.file_of(line)).collect();
        let gone = lines.iter().filter(|_| with_files).filter_map(|line| self.file_of(line));
        for path in gone.filter(|path| !listed.contains(path)) {
            fs::remove_file(&path)
                .map_err(|error| PublishError::Io { path: path.clone(), error })?;
            files.push(path);
        }
        Ok(Removed { lines, files, fileless, index })
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

    /// Writes the index, and what follows from it. Of some posts the titles are known.
    fn save(&self, index: &Edit, named: &HashMap<String, String>) -> Result<Written> {
        let before = self.length();
        let text = index.written(before);
        self.write("index.txt", &text)?;
        let posts = index.posts();
        self.list(&posts, named)?;
        self.atom(index)?;
        Ok(Written { posts, lengths: (before, text.len() as u64) })
    }

    /// Writes the Atom feed, if it is known where the folder is served.
    fn atom(&self, index: &Edit) -> Result<Option<PathBuf>> {
        let Some(base) = index.base() else { return Ok(None) };
        let before = fs::read(self.folder.join("feed.atom")).ok();
        let (profile, now) = (self.profile(), Timestamp::now());
        let feed = atom::feed(self, &base, &profile, index, before.as_deref(), now);
        self.write("feed.atom", &feed).map(Some)
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
