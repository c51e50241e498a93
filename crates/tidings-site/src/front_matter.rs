//! What a Markdown file of the plain layout says of itself: YAML between `---` lines, or TOML between
//! `+++` lines, at its top.

mod block;
mod rewrite;

use serde::Deserialize;

use crate::text::{Text, Words};
use crate::yaml;
use block::{Block, Language};

/// Front matter has ended by then, so that no more of a file has to be read for it.
pub(crate) const LONGEST: usize = 64 * 1024;

/// What a page says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FrontMatter {
    /// Its id, if it does not go by its path.
    pub id: Option<String>,
    /// What it is called.
    pub title: Option<String>,
    /// Where it is served, if that is not where its file is.
    pub alias: Option<String>,
    /// The ids of its tags.
    pub tags: Vec<String>,
    /// Who may see it; everybody whom its tags let, if there are none.
    pub roles: Vec<String>,
    /// What menus call it.
    pub nav_title: Option<String>,
    /// The id or the alias of what it is below in menus; `nav_parent_id` is read as well.
    pub nav_parent: Option<String>,
    /// Its place among those beside it.
    pub nav_order: Option<i32>,
    /// What crawlers are told of it.
    pub robots: Option<String>,
    /// The theme that it is shown in.
    pub theme: Option<String>,
    /// `draft: true`: nobody may see it yet, whatever the roles are.
    pub is_draft: bool,
}

/// Why front matter cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrontMatterError {
    /// It is not YAML or TOML, or a value is of the wrong kind.
    #[error("line {line}, column {column} of the front matter: {reason}")]
    Syntax {
        /// The line of the file, from 1.
        line: u64,
        /// The column, from 1.
        column: u64,
        /// What is wrong there.
        reason: String,
    },
    /// It has no end, or not before the part of a file that is read for it.
    #[error(
        "the front matter has no closing `{0}` line within the first {LONGEST} bytes; end it with one"
    )]
    Endless(&'static str),
    /// It is not UTF-8.
    #[error("the front matter is not UTF-8; save the file as that")]
    Encoding,
}

/// The keys as they are written.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Written {
    id: Option<Text>,
    title: Option<Text>,
    alias: Option<Text>,
    tags: Words,
    roles: Words,
    nav_title: Option<Text>,
    #[serde(alias = "nav_parent_id")]
    nav_parent: Option<Text>,
    nav_order: Option<i32>,
    robots: Option<Text>,
    theme: Option<Text>,
    draft: Option<bool>,
}

impl From<Written> for FrontMatter {
    fn from(written: Written) -> Self {
        let text = |text: Option<Text>| {
            text.map(|text| text.0.trim().to_owned()).filter(|text| !text.is_empty())
        };
        Self {
            id: text(written.id),
            title: text(written.title),
            alias: text(written.alias),
            tags: written.tags.0,
            roles: written.roles.0,
            nav_title: text(written.nav_title),
            nav_parent: text(written.nav_parent),
            nav_order: written.nav_order,
            robots: text(written.robots),
            theme: text(written.theme),
            is_draft: written.draft.unwrap_or_default(),
        }
    }
}

impl FrontMatter {
    /// What a file begins with, and where its body begins: the default and 0 if there is no front
    /// matter (3 if there is a byte order mark, which belongs to no body).
    ///
    /// `bytes` may be only the first 64 KiB of the file: front matter that has not ended by then is an
    /// error. A `---` line that nothing of the kind follows is a thematic break, and part of the body.
    pub fn read(bytes: &[u8]) -> Result<(Self, usize), FrontMatterError> {
        let mark = block::mark(bytes);
        let Some(block) = Block::find(bytes)? else { return Ok((Self::default(), mark)) };
        match Self::parse(&block) {
            Ok(Some(matter)) => Ok((matter, block.body)),
            Ok(None) if block.closes() => Err(FrontMatterError::Syntax {
                line: 2,
                column: 1,
                reason: "this is no mapping, though it says who may see the page".to_owned(),
            }),
            Ok(None) => Ok((Self::default(), mark)),
            // Prose between two breaks can be no YAML at all.
            Err(_) if !block.is_likely() && !block.closes() => Ok((Self::default(), mark)),
            Err(problem) => {
                // The opening line is the first of the file.
                let line = problem.line + 1;
                let (column, reason) = (problem.column, problem.reason);
                Err(FrontMatterError::Syntax { line, column, reason })
            }
        }
    }

    /// The same file with these values, everything else in its front matter (other keys, comments,
    /// order, YAML or TOML) left as it was, and so are values that are the same.
    ///
    /// Where values cannot be replaced without others (a YAML anchor in one, a mapping in braces), what
    /// was there is kept as comments above. Texts are trimmed, as they are when read.
    #[must_use]
    pub fn write(&self, original: &str) -> String {
        let start = Self::read(original.as_bytes()).map_or_else(
            // What cannot be read is replaced all the same, if its end is known.
            |_| Block::find(original.as_bytes()).ok().flatten().map_or(0, |block| block.body),
            |(_, start)| start,
        );
        let (head, body) = original.split_at(start);
        format!("{}{body}", self.head(head))
    }

    /// What a file with these values begins with, if it began with `head`. Its body may be anything,
    /// also what looks like front matter itself.
    pub(crate) fn head(&self, head: &str) -> String {
        rewrite::head(self, head)
    }

    /// The values of a block; none if it is no mapping.
    fn parse(block: &Block<'_>) -> Result<Option<Self>, yaml::Problem> {
        match block.language {
            Language::Toml => match toml::from_str::<Written>(block.text) {
                Ok(written) => Ok(Some(written.into())),
                Err(error) => {
                    let at = error.span().map_or(0, |span| span.start);
                    let (line, column) = block::place(block.text, at);
                    Err(yaml::Problem { line, column, reason: error.message().to_owned() })
                }
            },
            Language::Yaml if block.has_no_entries() => Ok(Some(Self::default())),
            Language::Yaml if !block.has_key() => Ok(None),
            Language::Yaml => {
                yaml::read::<Written>(block.text, LONGEST).map(|written| Some(written.into()))
            }
        }
    }
}

#[cfg(test)]
mod tests;
