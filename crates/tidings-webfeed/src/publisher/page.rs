//! Pages that the publisher writes: posts, and the page of the folder.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

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

/// What of Markdown is known beyond its standard.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_TASKLISTS);

/// The sections of a Markdown text: a line of `---` ends one. What it calls itself is its first heading,
/// else what is said above it all.
pub(super) fn sections(markdown: &str) -> (Option<String>, Vec<String>) {
    let (front, markdown) = front(markdown);
    let mut title = None;
    let mut heading: Option<String> = None;
    let mut sections = Vec::new();
    let mut events = Vec::new();
    let mut depth = 0_usize;
    // A rule below a line of text would make a heading of it; here it is the end of a section.
    let markdown = apart(markdown);
    for event in Parser::new_ext(&markdown, OPTIONS) {
        match &event {
            // In a quote or a list it is a line and no more.
            Event::Rule if depth == 0 => {
                end(&mut events, &mut sections);
                continue;
            }
            Event::Start(tag) => {
                depth += 1;
                if matches!(tag, Tag::Heading { .. }) && title.is_none() {
                    heading = Some(String::new());
                }
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                if matches!(tag, TagEnd::Heading(_)) {
                    title = title.or(heading.take());
                }
            }
            _ => {}
        }
        if let Some(heading) = &mut heading {
            heading.push_str(said(&event));
        }
        events.push(event);
    }
    end(&mut events, &mut sections);
    (title.or(front), sections)
}

/// The title that front matter gives, and the text below that. Front matter is YAML between a first line
/// of `---` and a closing one: lines of `key: value`, and what belongs to a key. All else is Markdown.
fn front(markdown: &str) -> (Option<String>, &str) {
    let first = markdown.split_inclusive('\n').next().filter(|line| line.trim_end() == "---");
    let Some(below) = first.and_then(|first| markdown.strip_prefix(first)) else {
        return (None, markdown);
    };
    let (mut title, mut has_key, mut at) = (None, false, 0);
    for line in below.split_inclusive('\n') {
        at += line.len();
        let line = line.trim_end();
        if has_key && matches!(line, "---" | "...") {
            return (title, &below[at..]);
        }
        if let Some((key, value)) = field(line) {
            has_key = true;
            title = title.or_else(|| Some(bare(value)?).filter(|_| key == "title"));
        } else if !(has_key && is_of_key(line)) {
            break;
        }
    }
    (None, markdown)
}

/// The key and the value of a line. In prose, what is before a colon has blanks, or no blank is after it.
fn field(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
    let is_field = !key.is_empty() && key.chars().all(is_key);
    (is_field && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| (key, value.trim()))
}

/// Whether a line goes on with what a key above it began: a list, or a text of several lines.
fn is_of_key(line: &str) -> bool {
    let is_item = line == "-" || line.starts_with("- ");
    is_item || line.starts_with([' ', '\t'])
}

/// A value without the quotes around it; none if it is empty, or only begins here.
fn bare(value: &str) -> Option<String> {
    let quoted =
        ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    let value = quoted.unwrap_or(value).trim();
    let is_begun = quoted.is_none() && value.starts_with(['|', '>']);
    (!value.is_empty() && !is_begun).then(|| value.to_owned())
}

/// Makes a section of what there is.
fn end(events: &mut Vec<Event<'_>>, sections: &mut Vec<String>) {
    let mut text = String::new();
    html::push_html(&mut text, events.drain(..));
    if !text.trim().is_empty() {
        sections.push(text);
    }
}

/// What an event adds to the text of a heading.
fn said<'e>(event: &'e Event<'_>) -> &'e str {
    match event {
        Event::Text(text) | Event::Code(text) => text,
        Event::SoftBreak | Event::HardBreak => " ",
        _ => "",
    }
}

/// With a blank line before each line of `---`, but for those in code.
fn apart(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len() + 16);
    let code = code(markdown);
    let mut at = 0;
    for line in markdown.split_inclusive('\n') {
        let bare = line.trim();
        if bare.len() >= 3 && bare.bytes().all(|byte| byte == b'-') {
            let begin = at + line.len() - line.trim_start().len();
            let next = code.partition_point(|range| range.end <= begin);
            if code.get(next).is_none_or(|range| begin < range.start) {
                text.push('\n');
            }
        }
        text.push_str(line);
        at += line.len();
    }
    text
}

/// Where a text has code, the first first.
fn code(markdown: &str) -> Vec<Range<usize>> {
    let events = Parser::new_ext(markdown, OPTIONS).into_offset_iter();
    let is_code = |event: &Event<'_>| matches!(event, Event::Start(Tag::CodeBlock(_)));
    events.filter(|(event, _)| is_code(event)).map(|(_, range)| range).collect()
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

    #[test]
    fn rules_in_quotes_and_lists_end_no_section() {
        for (text, count) in [
            ("> a\n> ***\n> b\n\n---\n\nc", 2),
            ("- a\n\n  ***\n\n  b\n", 1),
            ("1. > a\n   > ***\n   > b\n\n***\n\n> c\n---\nd", 3),
            ("x[^1]\n\n[^1]: a\n\n    ***\n\n    b\n\n---\n\nc", 2),
        ] {
            let (_, found) = sections(text);
            assert_eq!(found.len(), count, "{found:?}");
            assert!(found[0].contains("<hr />"), "{found:?}");
            for section in &found {
                for tag in ["blockquote", "ul", "ol", "li", "div"] {
                    let opened = section.matches(&format!("<{tag}")).count();
                    assert_eq!(opened, section.matches(&format!("</{tag}>")).count(), "{section}");
                }
            }
        }
    }

    #[test]
    fn front_matter_is_no_section() {
        for (text, title) in [
            ("---\ntitle: Front\ndate: 2020\n---\n# Real\n", "Real"),
            ("---\r\ntitle: \"Fog: today\"\r\n---\r\nText\r\n", "Fog: today"),
            ("---\ntags:\n  - a\n- b\ntitle: 'Fog'\ndraft:\n...\nText\n", "Fog"),
            ("---\ndate: 2020-01-01\ntitle: Fog\n---\n\nText\n", "Fog"),
        ] {
            let (found, sections) = sections(text);
            assert_eq!(found.as_deref(), Some(title), "{text:?}");
            assert_eq!(sections.len(), 1, "{sections:?}");
            let is_left_out = |word: &str| !sections[0].contains(word);
            assert!(is_left_out("2020") && is_left_out("title") && is_left_out("<li>"), "{text:?}");
        }
        for text in ["---\ntitle: >\n  Fog\n---\nText\n", "---\ntitle:\n---\nText\n"] {
            assert_eq!(sections(text), (None, vec!["<p>Text</p>\n".to_owned()]), "{text:?}");
        }
    }

    #[test]
    fn what_only_begins_like_front_matter_is_markdown() {
        for (text, count) in [
            ("---\nSome prose.\n---\nMore\n", 2),
            ("---\n\ntitle: x\n\n---\nMore\n", 2),
            ("---\n# Heading\n---\nMore\n", 2),
            ("---\nNote to self: fog\n---\nMore\n", 2),
            ("---\nhttps://a.example/\n---\nMore\n", 2),
            ("---\ntitle: x\nSome prose.\n---\nMore\n", 2),
            ("---\n- a\n---\nMore\n", 2),
            ("---\ntitle: never closed\n", 1),
            ("Text\n---\ntitle: x\n---\nMore\n", 3),
            ("---\n---\nMore\n", 1),
        ] {
            assert_eq!(sections(text).1.len(), count, "{text:?}");
        }
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

    #[test]
    fn a_heading_of_two_lines_is_a_title_with_a_blank() {
        for text in ["Fog\ntoday\n=====\n", "Fog  \ntoday\n=====\n", "Fog\\\ntoday\n=====\n"] {
            assert_eq!(sections(text).0.as_deref(), Some("Fog today"), "{text:?}");
        }
    }

    #[test]
    fn only_what_is_code_is_taken_for_it() {
        for (text, count) in [
            // The first line is code within a paragraph: what says how a fence is read has no backtick.
            ("```x``` is code\n\nText\n---\nMore\n", 2),
            ("```\n---\n```js\n---\n```\nText\n---\nMore\n", 2),
            ("````\n```\n---\n````\nText\n---\nMore\n", 2),
            ("~~~ a`b\n---\n~~~\nText\n---\nMore\n", 2),
            ("- ```\n  ---\n  ```\n\nText\n---\nMore\n", 2),
            ("Text\n\n    ---\n    x\n", 1),
            ("Text\r\n---\r\nMore\r\n", 2),
            ("```\n---\nnever closed\n\n---\n", 1),
        ] {
            let (_, found) = sections(text);
            assert_eq!(found.len(), count, "{text:?}: {found:?}");
            assert!(!found.iter().any(|section| section.contains("<h2>")), "{found:?}");
        }
        for code in
            ["```\na\n---\n```\n", "~~~\n---\n", "- ```\n  a\n  ---\n  ```\n", "    a\n    ---\n"]
        {
            assert_eq!(apart(code), code, "as it is");
        }
    }
}
