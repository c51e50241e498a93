//! What the versioned layout says of an object: the `.ron` file beside each of its versions.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::LazyLock;

use ron::extensions::Extensions;
use serde::{Deserialize, Serialize};

use crate::spelling::is_near;

/// The longest that is read: a few hundred bytes are usual.
const LONGEST: usize = 256 * 1024;

/// How deep values may nest. Ours never do; those of fields that are not known here may.
const DEEPEST: usize = 128;

/// Fields that restrict an object here, or in other programs.
const RESTRICTING: [&str; 6] = ["tags", "roles", "access", "draft", "private", "restricted"];

/// What is known of one version of an object, as both programs write it.
///
/// Fields that are not known here are passed over, but for those that look like a restriction.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sidecar {
    /// Where it is served, below the site's root; empty if only by its id.
    #[serde(default)]
    pub alias: String,
    /// What it is called. Markdown needs one.
    #[serde(default)]
    pub title: Option<String>,
    /// Its media type.
    pub mime: String,
    /// The ids of its tags, which say who may see it.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What menus call it; without, it is in none.
    #[serde(default)]
    pub nav_title: Option<String>,
    /// The id of the object that it is below in menus.
    #[serde(default)]
    pub nav_parent_id: Option<String>,
    /// Its place among those beside it: the lowest is first.
    #[serde(default)]
    pub nav_order: Option<i32>,
    /// What its file was called by who uploaded it.
    #[serde(default)]
    pub original_filename: Option<String>,
    /// The theme that it is shown in.
    #[serde(default)]
    pub theme: Option<String>,
    /// What crawlers are told of it, such as `noindex`. The other program passes over it.
    #[serde(default)]
    pub robots: Option<String>,
    /// Fields that are not known here and may have been meant to say who may see it: nobody may, until
    /// they are right.
    #[serde(skip)]
    pub misspelt: Vec<String>,
}

/// Why a sidecar cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SidecarError {
    /// It is not RON, or not of these fields.
    #[error("line {line}, column {column} of the sidecar: {reason}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        reason: String,
    },
    /// Longer than any that somebody would write.
    #[error("the sidecar has {0} bytes, and more than {LONGEST} are not read; shorten it")]
    TooLong(usize),
    /// No media type.
    #[error("`mime` of the sidecar is empty; say what the file is, such as \"text/markdown\"")]
    NoMime,
    /// Markdown without a title.
    #[error("`title` of the sidecar is missing or empty, and Markdown needs one")]
    NoTitle,
    /// A tag that has no name.
    #[error("`tags` of the sidecar has a blank one; take it out")]
    BlankTag,
}

/// Both spellings of what is optional are about: `title: "x"` and `title: Some("x")`.
static OPTIONS: LazyLock<ron::Options> = LazyLock::new(|| {
    ron::Options::default()
        .with_default_extension(Extensions::IMPLICIT_SOME)
        .with_recursion_limit(DEEPEST)
});

impl Sidecar {
    /// Reads one. Whether its values can be used is for [`check`](Self::check) to say.
    pub fn parse(bytes: &[u8]) -> Result<Self, SidecarError> {
        if bytes.len() > LONGEST {
            return Err(SidecarError::TooLong(bytes.len()));
        }
        // Some editors begin what they save with it.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let error = match OPTIONS.from_bytes(bytes) {
            Ok(sidecar) => return Ok(Self { misspelt: misspelt(bytes), ..sidecar }),
            Err(error) => error,
        };
        // The struct may have a name, and each program its own.
        let error = match &error.code {
            ron::Error::ExpectedDifferentStructName { found, .. } => {
                let unnamed = without_name(bytes, found.as_bytes());
                match OPTIONS.from_bytes(&unnamed) {
                    Ok(sidecar) => return Ok(Self { misspelt: misspelt(&unnamed), ..sidecar }),
                    Err(error) => error,
                }
            }
            _ => error,
        };
        let place = error.span.start;
        let reason = error.code.to_string();
        Err(SidecarError::Syntax { line: place.line, column: place.col, reason })
    }

    /// Says what keeps it from being used, if anything. The alias is checked with all others.
    pub fn check(&self) -> Result<(), SidecarError> {
        if self.mime.trim().is_empty() {
            return Err(SidecarError::NoMime);
        }
        let is_untitled = self.title.as_ref().is_none_or(|title| title.trim().is_empty());
        if self.mime == "text/markdown" && is_untitled {
            return Err(SidecarError::NoTitle);
        }
        if self.tags.iter().any(|tag| tag.trim().is_empty()) {
            return Err(SidecarError::BlankTag);
        }
        Ok(())
    }

    /// Writes it so that programs without extensions of RON read it, too: `Some("…")` where it is
    /// optional, and nothing for what there is not.
    #[must_use]
    pub fn write(&self) -> String {
        let mut out = String::from("(\n");
        field(&mut out, "alias", &quoted(&self.alias));
        optional(&mut out, "title", self.title.as_deref());
        field(&mut out, "mime", &quoted(&self.mime));
        let tags: Vec<String> = self.tags.iter().map(|tag| quoted(tag)).collect();
        field(&mut out, "tags", &format!("[{}]", tags.join(", ")));
        optional(&mut out, "nav_title", self.nav_title.as_deref());
        optional(&mut out, "nav_parent_id", self.nav_parent_id.as_deref());
        if let Some(order) = self.nav_order {
            field(&mut out, "nav_order", &format!("Some({order})"));
        }
        optional(&mut out, "original_filename", self.original_filename.as_deref());
        optional(&mut out, "theme", self.theme.as_deref());
        optional(&mut out, "robots", self.robots.as_deref());
        out.push_str(")\n");
        out
    }
}

/// The fields of a sidecar that are near to one that restricts, and are not it.
fn misspelt(bytes: &[u8]) -> Vec<String> {
    let Ok(ron::Value::Map(fields)) = OPTIONS.from_bytes::<ron::Value>(bytes) else {
        return Vec::new();
    };
    let names = fields.iter().filter_map(|(name, _)| match name {
        ron::Value::String(name) => Some(name),
        _ => None,
    });
    let is_misspelt = |name: &&String| {
        name.as_str() != "tags" && RESTRICTING.iter().any(|meant| is_near(name, meant))
    };
    names.filter(is_misspelt).cloned().collect()
}

/// The same with the first of these names blanked out, so that all else stays in its place.
fn without_name<'a>(bytes: &'a [u8], name: &[u8]) -> Cow<'a, [u8]> {
    let at = bytes.windows(name.len().max(1)).position(|window| window == name);
    let Some(at) = at else { return Cow::Borrowed(bytes) };
    let mut unnamed = bytes.to_vec();
    unnamed[at..at + name.len()].fill(b' ');
    Cow::Owned(unnamed)
}

fn field(out: &mut String, name: &str, value: &str) {
    // Writing to a text cannot fail.
    let _ = writeln!(out, "    {name}: {value},");
}

fn optional(out: &mut String, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        field(out, name, &format!("Some({})", quoted(value)));
    }
}

/// A text of RON: what cannot be seen, or would end it, is escaped.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for one in text.chars() {
        match one {
            '"' | '\\' => out.extend(['\\', one]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            one if one.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(one));
            }
            one => out.push(one),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests;
