//! What somebody wants an object to be.

use super::{EditError, LONGEST, MARKDOWN, Result};

/// What the form of an editor has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    /// What it is called. Markdown of the versioned layout needs one.
    pub title: Option<String>,
    /// Where it is served. Whether it can be is checked with all others, and not here.
    pub alias: Option<String>,
    /// The ids of its tags.
    pub tags: Vec<String>,
    /// Who may see it. The versioned layout says so by tags alone.
    pub roles: Vec<String>,
    /// What menus call it.
    pub nav_title: Option<String>,
    /// What it is below in menus; in the versioned layout, an id.
    pub nav_parent: Option<String>,
    /// Its place among those beside it.
    pub nav_order: Option<i32>,
    /// What crawlers are told of it.
    pub robots: Option<String>,
    /// Its text, without front matter.
    pub body: Vec<u8>,
    /// Its media type.
    pub mime: String,
    /// What its file was called by who uploaded it.
    pub original_filename: Option<String>,
}

impl Draft {
    pub(super) fn is_markdown(&self) -> bool {
        self.mime == MARKDOWN
    }

    /// Says what keeps it from being saved anywhere.
    pub(super) fn check(&self) -> Result<()> {
        check_mime(&self.mime)?;
        if self.body.len() > LONGEST {
            return Err(EditError::TooLarge { limit: LONGEST as u64 });
        }
        if self.is_markdown() && std::str::from_utf8(&self.body).is_err() {
            return Err(EditError::Encoding);
        }
        Ok(())
    }
}

/// It becomes a header of HTTP.
pub(super) fn check_mime(mime: &str) -> Result<()> {
    let is_text = mime.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    let parts = mime.split_once('/').filter(|(kind, rest)| !kind.is_empty() && !rest.is_empty());
    if is_text && parts.is_some() { Ok(()) } else { Err(EditError::Mime(mime.to_owned())) }
}

/// A value that says something, without the spaces around it.
pub(super) fn said(text: Option<&String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}
