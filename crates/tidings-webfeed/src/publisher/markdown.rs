//! Markdown, as the sections of a post.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::front_matter::FrontMatter;
use super::script::{Script, script_of};

/// How many characters a section may have that is not split at its headings.
const MAX_SECTION_CHARS: usize = 1_000;
/// How many characters the beginning of a text has that stands for its title.
const MAX_OPENING_CHARS: usize = 60;

/// What of Markdown is known beyond its standard.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_TASKLISTS);

/// A Markdown text, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MarkdownPage {
    /// Its first heading, else what its front matter says.
    pub(super) title: Option<String>,
    /// How its text begins.
    pub(super) opening: Option<String>,
    /// As its front matter or its script says it.
    pub(super) language: Option<String>,
    /// Whether it is written from right to left.
    pub(super) is_rtl: bool,
    /// As HTML. A line of `---` ends one, and so do headings in one that is long.
    pub(super) sections: Vec<String>,
}

/// Reads a Markdown text below its front matter.
pub(super) fn read(front: FrontMatter, markdown: &str) -> MarkdownPage {
    let mut title = None;
    let mut heading: Option<String> = None;
    let mut sections = Vec::new();
    let mut events = Vec::new();
    let mut text = String::new();
    let mut depth = 0_usize;
    // A rule below a line of text would make a heading of it; here it is the end of a section.
    let markdown = apart(markdown);
    for event in Parser::new_ext(&markdown, OPTIONS) {
        match &event {
            // In a quote or a list it is a line and no more.
            Event::Rule if depth == 0 => {
                end(std::mem::take(&mut events), &mut sections);
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
                if depth == 0 {
                    text.push(' ');
                }
            }
            _ => {}
        }
        if let Some(heading) = &mut heading {
            heading.push_str(said(&event));
        }
        text.push_str(said(&event));
        events.push(event);
    }
    end(events, &mut sections);
    let Script { is_rtl, language } = script_of(&text);
    MarkdownPage {
        title: title.or(front.title),
        opening: opening(&text),
        language: front.language.or(language.map(str::to_owned)),
        is_rtl,
        sections,
    }
}

/// The first words of a text.
fn opening(text: &str) -> Option<String> {
    let mut opening = String::new();
    for word in text.split_whitespace() {
        if opening.chars().count() + word.chars().count() >= MAX_OPENING_CHARS {
            if opening.is_empty() {
                opening.extend(word.chars().take(MAX_OPENING_CHARS - 1));
            }
            opening.push('…');
            break;
        }
        if !opening.is_empty() {
            opening.push(' ');
        }
        opening.push_str(word);
    }
    (!opening.is_empty()).then_some(opening)
}

/// Makes a section of what there is, or several if it is long.
fn end(events: Vec<Event<'_>>, sections: &mut Vec<String>) {
    for events in split(events) {
        let mut text = String::new();
        html::push_html(&mut text, events.into_iter());
        if !text.trim().is_empty() {
            sections.push(text);
        }
    }
}

/// Parts a long text at its headings: at the highest, and what is still long at the next.
fn split(events: Vec<Event<'_>>) -> Vec<Vec<Event<'_>>> {
    let length = |events: &[Event<'_>]| -> usize {
        events.iter().map(|event| said(event).chars().count()).sum()
    };
    if length(&events) <= MAX_SECTION_CHARS {
        return vec![events];
    }
    let cuts = cuts(&events);
    let Some(highest) = cuts.iter().map(|(_, level)| *level).min() else { return vec![events] };
    let mut parts = Vec::new();
    let mut rest = events;
    for (at, _) in cuts.iter().rev().filter(|(_, level)| *level == highest) {
        parts.push(rest.split_off(*at));
    }
    parts.push(rest);
    parts.into_iter().rev().flat_map(split).collect()
}

/// Where a text can be parted: before headings that are in nothing else, unless all that is before is a
/// heading, too.
fn cuts(events: &[Event<'_>]) -> Vec<(usize, HeadingLevel)> {
    let (mut cuts, mut depth, mut has_text) = (Vec::new(), 0_usize, false);
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                if has_text {
                    cuts.push((at, *level));
                }
                depth += 1;
            }
            Event::Start(_) => {
                has_text |= depth == 0;
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => has_text |= depth == 0,
        }
    }
    cuts
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

/// Reads a Markdown text with its front matter.
#[cfg(test)]
fn read_all(markdown: &str) -> MarkdownPage {
    let (front, markdown) = super::front_matter::split(markdown).unwrap();
    read(front, markdown)
}

/// The title and the sections of a Markdown text.
#[cfg(test)]
pub(super) fn sections(markdown: &str) -> (Option<String>, Vec<String>) {
    let page = read_all(markdown);
    (page.title, page.sections)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_long_text_is_parted_at_its_headings() {
        let words = "word ".repeat(120);
        let text = format!(
            "# Title\n\n## One\n\n{words}\n\n## Two\n\n> ## no\n\n{words}\n\n### Deep\n\n{words}\n\n## Three\n\nx\n"
        );
        let (title, found) = sections(&text);
        assert_eq!(title.as_deref(), Some("Title"));
        let begins: Vec<&str> =
            found.iter().map(|section| section.split('\n').next().unwrap()).collect();
        assert_eq!(begins, ["<h1>Title</h1>", "<h2>Two</h2>", "<h3>Deep</h3>", "<h2>Three</h2>"]);
        assert!(found[0].contains("<h2>One</h2>"), "{}", found[0]);
        assert_eq!(sections("# A\n\nx\n\n# B\n\ny\n").1.len(), 1, "what is short stays whole");
        assert_eq!(
            sections(&"word ".repeat(900)).1.len(),
            1,
            "where there is no heading, nothing is parted"
        );
    }

    #[test]
    fn a_text_without_a_heading_is_called_by_its_beginning() {
        assert_eq!(
            read_all("Fog *over* the\nharbour.\n\nMore").opening.as_deref(),
            Some("Fog over the harbour. More")
        );
        let long = read_all(&"harbour ".repeat(20)).opening.unwrap();
        assert!(long.ends_with("harbour…") && long.chars().count() <= 61, "{long}");
        assert_eq!(read_all("![](a.png)").opening, None);
    }

    #[test]
    fn the_script_says_the_direction() {
        let page = read_all("# \u{645}\u{631}\u{62d}\u{628}\u{627}\n\nok \u{628}\u{643}\n");
        assert_eq!((page.language.as_deref(), page.is_rtl), (Some("ar"), true));
        let page = read_all("---\nlang: yi\n---\n\u{5e9}\u{5dc}\u{5d5}\u{5dd}\n");
        assert_eq!((page.language.as_deref(), page.is_rtl), (Some("yi"), true));
        let page = read_all("Shalom means \u{5e9}\u{5dc}\u{5d5}\u{5dd}\n");
        assert_eq!((page.language, page.is_rtl), (None, false));
    }
}
