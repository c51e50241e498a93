//! Pages that the publisher writes: posts, and the page of the folder.

use std::collections::HashMap;

use tidings_base::{Quotes, escape_html};

/// Whose webfeed it is, as its pages say it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// `<meta name="author">`.
    pub author: String,
    /// `<meta name="description">`.
    pub about: String,
    /// `<link rel="icon">`, relative to the folder; empty if there is none.
    pub icon: String,
}

/// How the text of a post runs, and in which language it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) language: Option<String>,
    /// `ltr` or `rtl`.
    pub(super) direction: Option<&'static str>,
    /// What is in the head besides what is of the webfeed, as HTML.
    pub(super) head: String,
}

/// A post with these sections, as HTML.
pub(super) fn post(profile: &Profile, title: &str, text: &Text, sections: &[String]) -> String {
    let mut page = head(profile, title, "post.css", text);
    for section in sections {
        page.push_str("\n<section>\n");
        page.push_str(section.trim());
        page.push_str("\n</section>\n");
    }
    page
}

/// The page of the folder, which says whose it is, and how to follow it.
pub(super) fn folder(profile: &Profile, has_atom: bool, posts: &[(String, String)]) -> String {
    let mut page = head(profile, &profile.author, "folder.css", &Text::default());
    if has_atom {
        page.push_str(
            "<link rel=\"alternate\" type=\"application/atom+xml\" href=\"feed.atom\">\n",
        );
    }
    page.push_str("\n<h1>");
    page.push_str(&escaped(&profile.author));
    page.push_str("</h1>\n<p>");
    page.push_str(&escaped(&profile.about));
    page.push_str("</p>\n<p><a href=\"index.txt\" data-webfeed-href=\"index.txt\">Follow this webfeed</a></p>\n");
    page.push_str(&list(posts));
    page
}

/// The list of posts on the page of the folder, the newest first, between two comments by which it is
/// found again.
pub(super) fn list(posts: &[(String, String)]) -> String {
    let mut text = format!("{BEGIN}\n<ul>\n");
    for (href, title) in posts.iter().rev() {
        text.push_str(&format!("<li><a href=\"{}\">{}</a></li>\n", escaped(href), escaped(title)));
    }
    text.push_str(&format!("</ul>\n{END}\n"));
    text
}

const BEGIN: &str = "<!-- posts -->";
const END: &str = "<!-- /posts -->";

/// What is before the list of a page, the list, and what is after it; none if there is no list of ours.
pub(super) fn parts(page: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (list, after) = rest.split_once(END)?;
    Some((before, list, after.trim_start_matches('\n')))
}

/// The titles in a list, by what they lead to.
pub(super) fn listed(list: &str) -> HashMap<String, String> {
    let unescaped = |text: &str| {
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
    };
    let item = |line: &str| {
        let rest = line.trim().strip_prefix("<li><a href=\"")?;
        let (href, rest) = rest.split_once("\">")?;
        let title = rest.strip_suffix("</a></li>")?;
        Some((unescaped(href), unescaped(title)))
    };
    list.lines().filter_map(item).collect()
}

fn head(profile: &Profile, title: &str, sheet: &str, text: &Text) -> String {
    let mut head = String::from("<!DOCTYPE html>\n");
    let said = [("lang", text.language.as_deref()), ("dir", text.direction)];
    if said.iter().any(|(_, value)| value.is_some()) {
        head.push_str("<html");
        for (name, value) in said {
            if let Some(value) = value {
                head.push_str(&format!(" {name}=\"{}\"", escaped(value)));
            }
        }
        head.push_str(">\n");
    }
    head.push_str("<meta charset=\"utf-8\">\n");
    head.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    head.push_str(&format!("<title>{}</title>\n", escaped(title)));
    for (name, value) in [("author", &profile.author), ("description", &profile.about)] {
        if !value.is_empty() {
            head.push_str(&format!("<meta name=\"{name}\" content=\"{}\">\n", escaped(value)));
        }
    }
    if !profile.icon.is_empty() {
        head.push_str(&format!("<link rel=\"icon\" href=\"{}\">\n", escaped(&profile.icon)));
    }
    head.push_str(&format!("<link rel=\"stylesheet\" href=\"{sheet}\">\n"));
    head.push_str(&text.head);
    head
}

/// A text for Markdown, in which nothing of it means anything.
pub(super) fn literal(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut literal = String::new();
    for letter in words.join(" ").chars() {
        if letter.is_ascii_punctuation() {
            literal.push('\\');
        }
        literal.push(letter);
    }
    literal
}

pub(super) fn escaped(text: &str) -> String {
    escape_html(text, Quotes::Double)
}

#[cfg(test)]
mod tests {
    use super::super::markdown::sections;
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let posts = [("a&b.html".to_owned(), "<A> & \"B\"".to_owned())];
        let page = format!("before\n{}after", list(&posts));
        let (before, found, after) = parts(&page).unwrap();
        assert_eq!((before, after), ("before\n", "after"));
        assert_eq!(listed(found), HashMap::from(posts));
        assert_eq!(parts("nothing"), None);
    }

    #[test]
    fn what_is_literal_means_nothing() {
        for text in ["A B\"<x>", "*a* _b_ [c](d) `e` &amp; \\ !", "# 1. Ünï"] {
            let (_, sections) = sections(&format!("by {}", literal(text)));
            let shown = escaped(text).replace("&quot;", "\"");
            assert_eq!(sections, [format!("<p>by {shown}</p>\n")], "{text}");
        }
        assert_eq!(literal("a\n\n---\n\nb"), "a \\-\\-\\- b");
    }
}
