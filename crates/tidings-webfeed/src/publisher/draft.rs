//! Posts that are to be added: all of them are looked at before anything is written.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use tidings_feed::decode_page;
use url::Url;

use super::attachment::{Attachment, Attachments, Origin};
use super::edit::Edit;
use super::folder::replace;
use super::front_matter::{self, FrontMatter};
use super::page::Text;
use super::sources::Sources;
use super::whole_page::{self, WholePage};
use super::{PublishError, Publisher, Result, here, line, markdown, name_of, page, parsed};
use crate::{Post, check};

/// Something that is to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What messages call it.
    pub called: String,
    /// The name of the file that is made of it; else its title makes one.
    pub name: Option<String>,
    /// What it is.
    pub material: Material,
    /// The file that it was read from, which addresses in it are relative to: the files that they lead to
    /// come with it. The same file makes the same post again.
    pub source: Option<PathBuf>,
}

/// How posts are added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AddOptions {
    /// Photographs with more pixels than that on their longer side are made smaller.
    pub max_photo_pixels: Option<u32>,
}

/// What a post is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Material {
    /// Markdown in UTF-8. Each line of `---` ends a section.
    Markdown(Vec<u8>),
    /// HTML: a whole post as it is, or what becomes its one section.
    Html(Vec<u8>),
    /// A page that is in the folder already.
    File(PathBuf),
    /// Somebody else's post.
    Address(Url),
}

/// A post that can be added: nothing is wrong with it.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) line: String,
    /// None of a repost.
    pub(super) title: Option<String>,
    pub(super) sections: usize,
    /// What is to be written into its file; none if that is there, or elsewhere.
    pub(super) page: Option<Vec<u8>>,
    /// Whether the post was there before.
    pub(super) is_update: bool,
    /// What its author should know.
    pub(super) warnings: Vec<String>,
    /// What its source is known by.
    pub(super) source_key: Option<String>,
}

/// What the posts of one edit share while they are looked at.
pub(super) struct Edition<'p> {
    pub(super) index: Edit,
    pub(super) sources: Sources,
    pub(super) attachments: Attachments<'p>,
    pub(super) posts: Vec<Ready>,
    /// The line of the post that is replaced, whatever it was made from.
    pub(super) replaces: Option<String>,
}

impl Publisher {
    /// Looks at a draft; the others before it take their names.
    pub(super) fn ready(&self, draft: &Draft, edition: &mut Edition<'_>) -> Result<Ready> {
        match &draft.material {
            Material::Markdown(bytes) => self.markdown(draft, bytes, edition),
            Material::Html(bytes) => self.html(draft, bytes, edition),
            Material::File(file) => self.there(draft, file, &edition.index),
            Material::Address(url) => match self.own(url, &edition.index) {
                Some(file) => self.there(draft, &file, &edition.index),
                None => repost(url),
            },
        }
    }

    fn markdown(&self, draft: &Draft, bytes: &[u8], edition: &mut Edition<'_>) -> Result<Ready> {
        small(draft, bytes)?;
        let text =
            std::str::from_utf8(bytes).map_err(|_| PublishError::Binary(draft.called.clone()))?;
        plain(draft, text)?;
        let (front, text) = published(draft, text)?;
        let page = markdown::read(front, text);
        let text = Text {
            language: page.language,
            direction: page.is_rtl.then_some("rtl"),
            head: String::new(),
        };
        self.made(draft, page.title.or(page.opening), text, &page.sections, edition)
    }

    fn html(&self, draft: &Draft, bytes: &[u8], edition: &mut Edition<'_>) -> Result<Ready> {
        small(draft, bytes)?;
        let text = decode_page(bytes, None);
        plain(draft, &text)?;
        published(draft, &text)?;
        let post = parsed(bytes);
        if post.sections.is_empty() {
            let WholePage { text, body } = whole_page::take_apart(&text);
            let title = post.title;
            let sections = Some(body).filter(|body| !body.is_empty());
            let sections = sections.map(|body| whole_page::with_heading(title.as_deref(), body));
            return self.made(draft, title, text, sections.as_slice(), edition);
        }
        let title = name_of(&post);
        let title = title.unwrap_or_else(untitled);
        let mut warnings = overflow_warnings(&draft.called, &post);
        let (line, is_update, source_key) = self.line_for(draft, &title, edition)?;
        // Byte for byte, but for addresses of files that got another name: the page may say what encoding
        // it is in.
        let page = self.with_attachments(draft, bytes, &line, edition, &mut warnings)?;
        Ok(Ready {
            line,
            title: Some(title),
            sections: post.sections.len() + post.left_out,
            page: Some(page),
            is_update,
            warnings,
            source_key,
        })
    }

    /// A page of ours with these sections.
    fn made(
        &self,
        draft: &Draft,
        title: Option<String>,
        mut text: Text,
        sections: &[String],
        edition: &mut Edition<'_>,
    ) -> Result<Ready> {
        if sections.is_empty() {
            return Err(PublishError::Empty(draft.called.clone()));
        }
        let mut warnings = Vec::new();
        let title = title.unwrap_or_else(untitled);
        let (line, is_update, source_key) = self.line_for(draft, &title, edition)?;
        let mut attached = |html: &str| -> Result<String> {
            let html = html.as_bytes();
            let html = self.with_attachments(draft, html, &line, edition, &mut warnings)?;
            Ok(String::from_utf8_lossy(&html).into_owned())
        };
        text.head = attached(&text.head)?;
        let sections: Vec<String> =
            sections.iter().map(|section| attached(section)).collect::<Result<_>>()?;
        let page = page::post(&self.profile(), &title, &text, &sections).into_bytes();
        // Markdown may be shorter than what it becomes.
        small(draft, &page)?;
        warnings.extend(overflow_warnings(&draft.called, &parsed(&page)));
        Ok(Ready {
            line,
            title: Some(title),
            sections: sections.len(),
            page: Some(page),
            is_update,
            warnings,
            source_key,
        })
    }

    /// The page with the addresses of the files that come with it.
    fn with_attachments(
        &self,
        draft: &Draft,
        html: &[u8],
        line: &str,
        edition: &mut Edition<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<u8>> {
        let Some(folder) = draft.source.as_ref().and_then(|source| source.parent()) else {
            return Ok(html.to_vec());
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let name = line::path_of(line).map(|path| path.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let origin = Origin { called: &draft.called, folder: &folder, root: &folder, name: &name };
        edition.attachments.of_page(html, origin, warnings)
    }

    /// The line of a post that is made, whether it is one that is there, and what its source is known by.
    fn line_for(
        &self,
        draft: &Draft,
        title: &str,
        edition: &Edition<'_>,
    ) -> Result<(String, bool, Option<String>)> {
        let key = draft.source.as_deref().and_then(|source| self.source_key(source));
        if let Some(line) = &edition.replaces {
            return Ok((line.clone(), true, key));
        }
        let known = key.as_ref().and_then(|key| edition.sources.line(key)).filter(|line| {
            let name = line::path_of(line).map(|path| path.to_string_lossy().into_owned());
            let is_named = |wanted: &String| {
                name.as_deref()
                    .is_some_and(|name| name == wanted || name == format!("{wanted}.html"))
            };
            self.file_of(line).is_some()
                && edition.index.has(line, &here())
                && draft.name.as_ref().is_none_or(is_named)
                && edition.posts.iter().all(|post| post.line != **line)
        });
        match known {
            Some(line) => Ok((line.to_owned(), true, key)),
            None => {
                let name = self.free(draft.name.as_deref(), title, &edition.posts)?;
                Ok((line::line_of(Path::new(&name)), false, key))
            }
        }
    }

    /// A page that is in the folder.
    fn there(&self, draft: &Draft, file: &Path, index: &Edit) -> Result<Ready> {
        let name = file.strip_prefix(&self.folder).unwrap_or(file);
        let path = self.folder.join(name);
        let mut bytes = Vec::new();
        File::open(&path)
            .and_then(|file| file.take(Post::MOST_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| PublishError::Io { path: path.clone(), error })?;
        small(draft, &bytes)?;
        let text = decode_page(&bytes, None);
        plain(draft, &text)?;
        published(draft, &text)?;
        let post = parsed(&bytes);
        if post.sections.is_empty() {
            return Err(PublishError::Empty(draft.called.clone()));
        }
        self.has_all(&bytes, &draft.called, &path)?;
        let line = line::line_of(name);
        Ok(Ready {
            title: Some(name_of(&post).unwrap_or_else(|| line.clone())),
            is_update: index.has(&line, &here()),
            line,
            sections: post.sections.len() + post.left_out,
            page: None,
            warnings: overflow_warnings(&draft.called, &post),
            source_key: None,
        })
    }

    /// The file of this folder that an address names, if it is known where the folder is served.
    fn own(&self, url: &Url, index: &Edit) -> Option<PathBuf> {
        let mut url = url.clone();
        url.set_fragment(None);
        let base = index.base()?;
        let below = url.as_str().strip_prefix(base.as_str()).filter(|_| url.query().is_none())?;
        // A name with a colon is none of a scheme.
        let path = line::path_of(&format!("./{below}"))?;
        Some(path).filter(|path| self.folder.join(path).is_file())
    }

    /// Writes the pages of posts and the files that they use: all of them or none.
    pub(super) fn write_pages(&self, posts: &[Ready], attachments: &[Attachment]) -> Result<()> {
        // What was there before, for all that was written.
        let mut written: Vec<(PathBuf, Option<Vec<u8>>)> = Vec::new();
        let result = self.write_all(posts, attachments, &mut written);
        if result.is_err() {
            for (path, before) in written.into_iter().rev() {
                // What went wrong first is what there is to say.
                let _ = match before {
                    Some(before) => replace(&path, &before[..]),
                    None => fs::remove_file(&path),
                };
            }
        }
        result
    }

    fn write_all(
        &self,
        posts: &[Ready],
        attachments: &[Attachment],
        written: &mut Vec<(PathBuf, Option<Vec<u8>>)>,
    ) -> Result<()> {
        for attachment in attachments {
            let path = self.folder.join(&attachment.name);
            let trouble = |error| PublishError::Io { path: path.clone(), error };
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(trouble)?;
            }
            let bytes = attachment.open().map_err(trouble)?;
            written.push((self.write_from(&attachment.name, bytes)?, None));
        }
        for Ready { line, page, .. } in posts {
            let Some(page) = page else { continue };
            let name = line::path_of(line).ok_or_else(|| PublishError::Name(line.clone()))?;
            let path = self.folder.join(&name);
            let before = fs::read(&path).ok();
            let mut page = page.clone();
            // Readers see by its length that a post is another one.
            let has_same_length = |before: &Vec<u8>| before.len() == page.len() && *before != page;
            if before.as_ref().is_some_and(has_same_length) {
                page.push(b'\n');
            }
            self.write_from(&name.to_string_lossy(), &page[..])?;
            written.push((path, before));
        }
        Ok(())
    }
}

fn repost(url: &Url) -> Result<Ready> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(PublishError::Scheme(url.to_string()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        let mut bare = url.clone();
        // An address with a host can be without them.
        let _ = (bare.set_username(""), bare.set_password(None));
        return Err(PublishError::Secret(bare.to_string()));
    }
    Ok(Ready {
        line: url.to_string(),
        title: None,
        sections: 0,
        page: None,
        is_update: false,
        warnings: Vec::new(),
        source_key: None,
    })
}

/// Readers take no more of a post.
fn small(draft: &Draft, bytes: &[u8]) -> Result<()> {
    let is_small = bytes.len() as u64 <= Post::MOST_BYTES;
    is_small.then_some(()).ok_or_else(|| PublishError::Large(draft.called.clone()))
}

/// A picture or a program is no post, whatever it is called.
fn plain(draft: &Draft, text: &str) -> Result<()> {
    let is_odd = |letter: char| letter < ' ' && !matches!(letter, '\t' | '\n' | '\r' | '\x0c');
    if text.contains(is_odd) {
        return Err(PublishError::Binary(draft.called.clone()));
    }
    Ok(())
}

/// The front matter of a text and what is below it, if it is no draft, and sure to be none.
fn published<'t>(draft: &Draft, text: &'t str) -> Result<(FrontMatter, &'t str)> {
    let split = front_matter::split(text.trim_start_matches('\u{feff}'));
    let (front, text) = split.map_err(|doubt| PublishError::FrontMatter {
        post: draft.called.clone(),
        line: doubt.line,
        reason: doubt.reason,
    })?;
    if front.is_draft {
        return Err(PublishError::Draft(draft.called.clone()));
    }
    Ok((front, text))
}

fn untitled() -> String {
    "Untitled".to_owned()
}

/// What is said of sections that may not fit on a screen.
fn overflow_warnings(called: &str, post: &Post) -> Vec<String> {
    let said = |(number, chars): (usize, usize)| {
        format!(
            "section {number} of {called} has about {chars} characters, and may not fit on a screen: \
             part it with a line of ---, or with sections"
        )
    };
    check::overflowing(post).into_iter().map(said).collect()
}
