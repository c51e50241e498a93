//! The files of the site that a page links to.

use std::collections::HashSet;

use percent_encoding::percent_decode_str;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::OPTIONS;
use crate::path::normalized;

/// Attributes of HTML that have addresses.
const ATTRIBUTES: [&str; 4] = ["src", "href", "poster", "data"];

/// The paths from `pages/` of what a page in this folder links to or shows. Addresses of other hosts are none.
pub(crate) fn linked_files(markdown: &str, folder: &str) -> HashSet<String> {
    let mut files = HashSet::new();
    let mut html = String::new();
    for event in Parser::new_ext(markdown, OPTIONS) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                files.extend(resolved(&dest_url, folder));
            }
            Event::Html(text) => html.push_str(&text),
            Event::InlineHtml(text) => {
                files.extend(addresses(&text).filter_map(|it| resolved(it, folder)));
            }
            Event::End(TagEnd::HtmlBlock) => {
                files.extend(addresses(&html).filter_map(|it| resolved(it, folder)));
                html.clear();
            }
            _ => {}
        }
    }
    files
}

/// The values of attributes that have addresses, outside of comments.
fn addresses(html: &str) -> impl Iterator<Item = &str> {
    let outside = html.split("<!--").enumerate().filter_map(|(number, part)| match number {
        0 => Some(part),
        _ => part.split_once("-->").map(|(_, rest)| rest),
    });
    outside.flat_map(|part| {
        let names = ATTRIBUTES.iter().flat_map(move |name| part.match_indices(name));
        names.filter_map(move |(at, name)| {
            let is_whole = part[..at].ends_with(|before: char| before.is_whitespace());
            let value = part[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
            let quote = value.chars().next().filter(|mark| matches!(mark, '"' | '\''));
            let value = match quote {
                Some(quote) => value[1..].split(quote).next()?,
                None => value.split([' ', '\t', '\n', '>']).next()?,
            };
            is_whole.then_some(value)
        })
    })
}

/// The path from `pages/` that an address means in a page of this folder.
fn resolved(address: &str, folder: &str) -> Option<String> {
    let path = address.split(['?', '#']).next()?.trim();
    let has_scheme = path.split('/').next()?.contains(':');
    // To browsers, a backslash is a slash, and two of them begin the name of a host.
    if path.is_empty() || has_scheme || path.starts_with("//") || path.contains('\\') {
        return None;
    }
    let decoded = percent_decode_str(path).decode_utf8().ok()?;
    let mut kept: Vec<&str> = match decoded.starts_with('/') {
        true => Vec::new(),
        false => folder.split('/').filter(|name| !name.is_empty()).collect(),
    };
    for segment in decoded.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(kept.pop()?),
            segment => kept.push(segment),
        }
    }
    Some(normalized(&kept.join("/")).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_site_are_paths_of_files() {
        let found = linked_files(
            "![x](One.png \"title\") [y](<two (2).pdf>) <img src=\"./four%20five.jpg?v=1\"> [r]\n\n\
             [r]: ../seven.gif#a\n[unused]: nine.gif\n\n<p><a href=/top.pdf>\n</p>\n",
            "docs/in",
        );
        let paths = [
            "docs/in/one.png",
            "docs/in/two (2).pdf",
            "docs/in/four five.jpg",
            "docs/seven.gif",
            "top.pdf",
        ];
        assert_eq!(found, paths.map(str::to_owned).into());
    }

    #[test]
    fn what_is_elsewhere_or_no_link_names_no_file() {
        let found = linked_files(
            "![](https://x.example/cover.jpg) ![](//x.example/cover.jpg) [a](\\\\x\\cover.jpg) cover.jpg `cover.jpg`\n\n\
             https://x.example/?a=cover.jpg <https://x.example/(cover.jpg>\n\n<!-- <img src=cover.jpg> -->\n\n\
             ![](../../cover.jpg) [](?cover.jpg)\n\n    <img src=cover.jpg>\n",
            "docs",
        );
        assert_eq!(found, HashSet::new());
    }
}
