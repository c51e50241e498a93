//! What a Markdown file of the plain layout says of itself: YAML between `---` lines, or TOML between
//! `+++` lines, at its top.

mod block;
mod loose_value;
mod opening;
mod rewrite;
mod visibility;
mod written;
mod written_date;

use crate::yaml;
use block::{Block, Language};
pub(crate) use opening::{has_fence, is_restricting_data};
pub use visibility::{OddKey, Visibility};
use written::Written;

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
    /// A line that may have been meant to restrict the page stands in no front matter.
    #[error(
        "line {line} may restrict the page, and is not between two `---` lines (YAML) or two `+++` lines (TOML) \
         at the top of the file: {text:?}; put it there"
    )]
    Unfenced {
        /// The line of the file, from 1.
        line: u64,
        /// The line.
        text: String,
    },
}

impl FrontMatter {
    /// What a file begins with, and where its body begins: the default and 0 if there is no front
    /// matter (3 if there is a byte order mark, which belongs to no body).
    ///
    /// `bytes` may be only the first 64 KiB of the file: front matter that has not ended by then is an
    /// error. A `---` line that nothing of the kind follows is a thematic break, and part of the body.
    pub fn read(bytes: &[u8]) -> Result<(Self, usize), FrontMatterError> {
        Self::read_all(bytes).map(|(matter, _, body)| (matter, body))
    }

    /// The same, with what the keys of other programs say about who may see the page.
    pub fn read_all(bytes: &[u8]) -> Result<(Self, Visibility, usize), FrontMatterError> {
        let mark = block::mark(bytes);
        let nothing = || (Self::default(), Visibility::default(), mark);
        let Some(block) = Block::find(bytes)? else { return Ok(nothing()) };
        match Self::parse_all(&block) {
            Ok(Some((matter, visibility))) => {
                block.check_body(bytes)?;
                Ok((matter, visibility, block.body))
            }
            Ok(None) if block.closes() => Err(FrontMatterError::Syntax {
                line: 2,
                column: 1,
                reason: "this is no mapping, though it says who may see the page".to_owned(),
            }),
            Ok(None) => Ok(nothing()),
            // Prose between two breaks can be no YAML at all.
            Err(_) if !block.is_likely() && !block.closes() => Ok(nothing()),
            Err(problem) => {
                let before = bytes[..block.start].iter().filter(|byte| **byte == b'\n').count();
                let line = problem.line + before as u64;
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

    /// The same keys in the file that says who may see what is in a folder, which is TOML.
    pub(crate) fn read_table(table: toml::Table) -> Result<(Self, Visibility), String> {
        let written = table.try_into::<Written>().map_err(|error| error.message().to_owned())?;
        Ok(written.into_parts())
    }

    /// The values of a block; none if it is no mapping.
    fn parse(block: &Block<'_>) -> Result<Option<Self>, yaml::Problem> {
        Ok(Self::parse_all(block)?.map(|(matter, _)| matter))
    }

    fn parse_all(block: &Block<'_>) -> Result<Option<(Self, Visibility)>, yaml::Problem> {
        match block.language {
            Language::Toml => match toml::from_str::<Written>(block.text) {
                Ok(written) => Ok(Some(written.into_parts())),
                Err(error) => {
                    let at = error.span().map_or(0, |span| span.start);
                    let (line, column) = block::place(block.text, at);
                    Err(yaml::Problem { line, column, reason: error.message().to_owned() })
                }
            },
            Language::Yaml if block.has_no_entries() => Ok(Some(Default::default())),
            Language::Yaml if !block.has_key() => Ok(None),
            Language::Yaml => {
                yaml::read::<Written>(block.text, LONGEST).map(|written| Some(written.into_parts()))
            }
        }
    }
}

#[cfg(test)]
mod tests;
