//! Posts that are to be added: all of them are looked at before anything is written.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use tidings_feed::decode_page;
use url::Url;

use super::edit::Edit;
use super::{PublishError, Publisher, Result, line, name_of, page, parsed};
use crate::Post;

/// Something that is to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What messages call it.
    pub called: String,
    /// The name of the file that is made of it; else its title makes one.
    pub name: Option<String>,
    /// What it is.
    pub material: Material,
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
}

impl Publisher {
    /// Looks at a draft; the others before it take their names.
    pub(super) fn ready(&self, draft: &Draft, index: &Edit, others: &[Ready]) -> Result<Ready> {
        match &draft.material {
            Material::Markdown(bytes) => {
                small(draft, bytes)?;
                let text = std::str::from_utf8(bytes)
                    .map_err(|_| PublishError::Binary(draft.called.clone()))?;
                plain(draft, text)?;
                let (title, sections) = page::sections(text.trim_start_matches('\u{feff}'));
                self.made(draft, title, &sections, others)
            }
            Material::Html(bytes) => self.html(draft, bytes, others),
            Material::File(file) => self.there(draft, file),
            Material::Address(url) => match self.own(url, index) {
                Some(file) => self.there(draft, &file),
                None => repost(url),
            },
        }
    }

    fn html(&self, draft: &Draft, bytes: &[u8], others: &[Ready]) -> Result<Ready> {
        small(draft, bytes)?;
        let text = decode_page(bytes, None);
        plain(draft, &text)?;
        let post = parsed(bytes);
        let title = name_of(&post);
        if post.sections.is_empty() {
            let text = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
            return self.made(draft, title, text.as_slice(), others);
        }
        let title = title.unwrap_or_else(untitled);
        Ok(Ready {
            line: self.free(draft.name.as_deref(), &title, others)?,
            title: Some(title),
            sections: post.sections.len() + post.left_out,
            // Byte for byte: the page may say what encoding it is in.
            page: Some(bytes.to_owned()),
        })
    }

    /// A page of ours with these sections.
    fn made(
        &self,
        draft: &Draft,
        title: Option<String>,
        sections: &[String],
        others: &[Ready],
    ) -> Result<Ready> {
        if sections.is_empty() {
            return Err(PublishError::Empty(draft.called.clone()));
        }
        let title = title.unwrap_or_else(untitled);
        let page = page::post(&self.profile(), &title, sections).into_bytes();
        // Markdown may be shorter than what it becomes.
        small(draft, &page)?;
        let line = self.free(draft.name.as_deref(), &title, others)?;
        Ok(Ready { line, title: Some(title), sections: sections.len(), page: Some(page) })
    }

    /// A page that is in the folder.
    fn there(&self, draft: &Draft, file: &Path) -> Result<Ready> {
        let name = file.strip_prefix(&self.folder).unwrap_or(file);
        let path = self.folder.join(name);
        let mut bytes = Vec::new();
        File::open(&path)
            .and_then(|file| file.take(Post::MOST_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| PublishError::Io { path, error })?;
        small(draft, &bytes)?;
        plain(draft, &decode_page(&bytes, None))?;
        let post = parsed(&bytes);
        if post.sections.is_empty() {
            return Err(PublishError::Empty(draft.called.clone()));
        }
        let line = line::line_of(name);
        Ok(Ready {
            title: Some(name_of(&post).unwrap_or_else(|| line.clone())),
            line,
            sections: post.sections.len() + post.left_out,
            page: None,
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

    /// Writes the pages of posts: all of them or none.
    pub(super) fn write_pages(&self, posts: &[Ready]) -> Result<()> {
        let pages: Vec<_> =
            posts.iter().filter_map(|post| Some((&post.line, post.page.as_ref()?))).collect();
        for (at, (name, page)) in pages.iter().enumerate() {
            if let Err(error) = self.write(name, page) {
                for (name, _) in &pages[..at] {
                    // What went wrong first is what there is to say.
                    let _ = fs::remove_file(self.folder.join(name));
                }
                return Err(error);
            }
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
    Ok(Ready { line: url.to_string(), title: None, sections: 0, page: None })
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

fn untitled() -> String {
    "Untitled".to_owned()
}
