//! Pages that the publisher writes: posts, and the page of the folder.

use std::collections::HashMap;

use pulldown_cmark::{Event, Options, Parser, html};

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

/// A post with these sections, as HTML.
pub(super) fn post(profile: &Profile, title: &str, sections: &[String]) -> String {
    let mut page = head(profile, title, "post.css");
    for section in sections {
        page.push_str("\n<section>\n");
        page.push_str(section.trim());
        page.push_str("\n</section>\n");
    }
    page
}

/// The page of the folder, which says whose it is, and how to follow it.
pub(super) fn folder(profile: &Profile, has_atom: bool, posts: &[(String, String)]) -> String {
    let mut page = head(profile, &profile.author, "folder.css");
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

fn head(profile: &Profile, title: &str, sheet: &str) -> String {
    let mut head = String::from("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n");
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
    head
}

/// The sections of a Markdown text: a line of `---` ends one. What it calls itself is its first heading.
pub(super) fn sections(markdown: &str) -> (Option<String>, Vec<String>) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS;
    let mut title = None;
    let mut heading: Option<String> = None;
    let mut sections = Vec::new();
    let mut events = Vec::new();
    let end = |events: &mut Vec<Event<'_>>, sections: &mut Vec<String>| {
        let mut text = String::new();
        html::push_html(&mut text, events.drain(..));
        if !text.trim().is_empty() {
            sections.push(text);
        }
    };
    // A rule below a line of text would make a heading of it; here it is the end of a section.
    let markdown = apart(markdown);
    for event in Parser::new_ext(&markdown, options) {
        match &event {
            Event::Rule => {
                end(&mut events, &mut sections);
                continue;
            }
            Event::Start(pulldown_cmark::Tag::Heading { .. }) if title.is_none() => {
                heading = Some(String::new());
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(text);
                }
            }
            Event::End(pulldown_cmark::TagEnd::Heading(_)) => title = title.or(heading.take()),
            _ => {}
        }
        events.push(event);
    }
    end(&mut events, &mut sections);
    (title, sections)
}

/// With a blank line before each line of `---`, but for those in code.
fn apart(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len() + 16);
    let mut fence: Option<char> = None;
    for line in markdown.lines() {
        let bare = line.trim();
        let mark =
            ['`', '~'].into_iter().find(|mark| bare.starts_with(&mark.to_string().repeat(3)));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if fence.is_none() && bare.len() >= 3 && bare.bytes().all(|byte| byte == b'-') {
            text.push('\n');
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
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
    fn each_rule_ends_a_section() {
        let (title, found) =
            sections("# Fog *today*\n\nText\n---\n- a\n- b\n\n---\n\n```\n---\n```\n");
        assert_eq!(title.as_deref(), Some("Fog today"));
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("<p>Text</p>") && found[2].contains("---"), "{found:?}");
        assert_eq!(sections("").1, Vec::<String>::new());
        assert_eq!(sections("---\n\n---\n").1, Vec::<String>::new());
    }
}
