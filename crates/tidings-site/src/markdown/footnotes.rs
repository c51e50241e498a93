//! Footnotes: written where they are defined, shown at the end, in the order they are referred to.

use std::collections::HashMap;
use std::fmt::Write as _;

use pulldown_cmark::CowStr;

/// The footnotes of a page.
///
/// Their ids have a `:`, which no heading's has.
#[derive(Debug, Default)]
pub(super) struct Footnotes<'a> {
    /// Number and count of references, by name.
    references: HashMap<CowStr<'a>, (usize, u32)>,
    /// In the order of their numbers.
    names: Vec<CowStr<'a>>,
    definitions: HashMap<CowStr<'a>, String>,
}

impl<'a> Footnotes<'a> {
    /// Writes a reference.
    pub(super) fn refer(&mut self, out: &mut String, name: CowStr<'a>) {
        let next = self.names.len() + 1;
        let (number, count) = self.references.entry(name.clone()).or_insert((next, 0));
        if *number == next {
            self.names.push(name);
        }
        *count += 1;
        out.push_str("<sup class=\"footnote-reference\"><a href=\"#fn:");
        push_number(out, *number);
        out.push_str("\" id=\"fnref:");
        push_number(out, *number);
        if *count > 1 {
            let _ = write!(out, ":{count}");
        }
        out.push_str("\">");
        push_number(out, *number);
        out.push_str("</a></sup>");
    }

    /// Keeps what a footnote says. The first of several with the same name holds.
    pub(super) fn define(&mut self, name: CowStr<'a>, html: String) {
        self.definitions.entry(name).or_insert(html);
    }

    /// Writes all that are referred to.
    pub(super) fn finish(mut self, out: &mut String) {
        if self.names.is_empty() {
            return;
        }
        out.push_str("<section class=\"footnotes\" role=\"doc-endnotes\">\n<ol>\n");
        for (at, name) in self.names.iter().enumerate() {
            let html = self.definitions.remove(name).unwrap_or_default();
            let number = at + 1;
            let _ = write!(out, "<li id=\"fn:{number}\">");
            // The way back stands at the end of the last line, not on one of its own.
            let (text, end) = match html.strip_suffix("</p>\n") {
                Some(text) => (text, "</p>\n"),
                None => (html.as_str(), ""),
            };
            out.push_str(text);
            let _ = writeln!(
                out,
                " <a class=\"footnote-return\" href=\"#fnref:{number}\" \
                 aria-label=\"Back to where note {number} is\">↩</a>{end}</li>"
            );
        }
        out.push_str("</ol>\n</section>\n");
    }
}

fn push_number(out: &mut String, number: usize) {
    let _ = write!(out, "{number}");
}
