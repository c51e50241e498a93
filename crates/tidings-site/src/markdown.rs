//! A page's Markdown as HTML that is safe to show.

mod escape;
mod footnotes;
mod ids;
mod image;
mod links;
mod nesting;
mod sanitize;
mod text;
mod url;
mod write;

#[cfg(test)]
mod tests;

use pulldown_cmark::{Options, Parser};

pub(crate) use escape::push_text;
pub(crate) use links::linked_files;
pub use text::{first_heading, opening};
use write::{HasHtml, Writer};

/// A page's Markdown as HTML that is safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Goes into a page as it is: elements are balanced, nothing in it can run, and it holds under a
    /// policy without `'unsafe-inline'`.
    pub html: String,
    /// In the order of the page.
    pub headings: Vec<Heading>,
}

/// A heading of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Unlike all others of the page. Letters, digits, `-`, `_` and `.`: never a `:`, so that the ids
    /// of a theme can have one and be apart.
    pub id: String,
    /// Without any markup.
    pub text: String,
}

/// `CommonMark`, and what most people write besides.
pub(crate) const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_HEADING_ATTRIBUTES)
    .union(Options::ENABLE_DEFINITION_LIST)
    .union(Options::ENABLE_GFM);

/// Renders a page.
///
/// What Markdown itself makes is safe as it is written; only a page with HTML of its own is parsed
/// and cleaned as a whole, which takes longer.
pub fn render(markdown: &str) -> Rendered {
    let (html, headings, has_html) = written(markdown, false);
    match has_html {
        HasHtml::No => Rendered { html, headings },
        HasHtml::Yes => Rendered { html: sanitize::clean(&html), headings },
        // Made to keep a parser busy: shown as the text it is.
        HasHtml::TooDeep => {
            let (html, headings, _) = written(markdown, true);
            Rendered { html, headings }
        }
    }
}

fn written(markdown: &str, is_html_text: bool) -> (String, Vec<Heading>, HasHtml) {
    Writer::new(markdown.len(), is_html_text).run(Parser::new_ext(markdown, OPTIONS))
}
