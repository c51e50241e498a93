//! What a page says, without its markup.

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

use super::OPTIONS;

/// The parser finds all blocks of what it is given before it says anything of the first one: of most
/// pages, so much is enough.
const START: usize = 2048;

/// The text of the first heading of level 1, for pages that name no title.
///
/// Looks only at as much of the page as is needed.
pub fn first_heading(markdown: &str) -> Option<String> {
    // Without these there is none: `# Title`, or a title that is underlined.
    if !markdown.contains(['#', '=']) {
        return None;
    }
    let mut most = START;
    loop {
        let (start, is_all) = start_of(markdown, most);
        match heading_of(start) {
            // What looks like a link may be one by a definition further down.
            Some(text) if is_all || !text.contains('[') => {
                return Some(text).filter(|text| !text.is_empty());
            }
            _ if is_all => return None,
            _ => most *= 8,
        }
    }
}

fn heading_of(markdown: &str) -> Option<String> {
    let mut text: Option<String> = None;
    for event in Parser::new_ext(markdown, OPTIONS) {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => {
                text = Some(String::new());
            }
            Event::End(TagEnd::Heading(HeadingLevel::H1)) => {
                return text.map(|text| text.trim().to_owned());
            }
            event => {
                if let Some(text) = &mut text {
                    push(text, &event);
                }
            }
        }
    }
    None
}

/// The opening words as plain text, for descriptions and feeds: at most `most` characters, cut at a
/// word.
///
/// Headings, code, tables and footnotes are passed over.
pub fn opening(markdown: &str, most: usize) -> Option<String> {
    let mut length = START.max(most.saturating_mul(8));
    loop {
        let (start, is_all) = start_of(markdown, length);
        let (text, is_full) = opening_of(start, most);
        if is_all || (is_full && !text.contains('[')) {
            let text = cut(&text, most);
            return (!text.is_empty()).then_some(text);
        }
        length = length.saturating_mul(8);
    }
}

/// The first words, and whether there are more than so many characters.
fn opening_of(markdown: &str, most: usize) -> (String, bool) {
    let mut words = Words::default();
    let mut passed_over = 0_u32;
    for event in Parser::new_ext(markdown, OPTIONS) {
        match event {
            Event::Start(tag) if is_passed_over(tag.to_end()) => passed_over += 1,
            Event::End(end) if is_passed_over(end) => passed_over -= 1,
            // What is between these is not for reading.
            Event::InlineHtml(tag) if is_unread(&tag) => passed_over += 1,
            Event::InlineHtml(tag) if passed_over > 0 && is_unread_end(&tag) => passed_over -= 1,
            _ if passed_over > 0 => {}
            Event::Text(text) | Event::Code(text) => words.push(&text, most),
            Event::SoftBreak
            | Event::HardBreak
            | Event::End(
                TagEnd::Paragraph
                | TagEnd::Item
                | TagEnd::DefinitionListTitle
                | TagEnd::DefinitionListDefinition,
            ) => words.push(" ", most),
            _ => {}
        }
        if words.count > most {
            return (words.text, true);
        }
    }
    (words.text, false)
}

/// Words with one blank between them.
#[derive(Debug, Default)]
struct Words {
    text: String,
    /// Of characters.
    count: usize,
    is_blank: bool,
}

impl Words {
    /// Stops when there are more than so many characters.
    fn push(&mut self, text: &str, most: usize) {
        for c in text.chars() {
            if c.is_whitespace() || c.is_control() {
                self.is_blank = true;
                continue;
            }
            if std::mem::take(&mut self.is_blank) && self.count > 0 {
                self.text.push(' ');
                self.count += 1;
            }
            self.text.push(c);
            self.count += 1;
            if self.count > most {
                break;
            }
        }
    }
}

fn is_passed_over(end: TagEnd) -> bool {
    matches!(
        end,
        TagEnd::Heading(_)
            | TagEnd::CodeBlock
            | TagEnd::Table
            | TagEnd::Image
            | TagEnd::HtmlBlock
            | TagEnd::FootnoteDefinition
    )
}

fn push(text: &mut String, event: &Event<'_>) {
    match event {
        Event::Text(more) | Event::Code(more) => text.push_str(more),
        Event::SoftBreak | Event::HardBreak => text.push(' '),
        _ => {}
    }
}

/// At most so many characters, the last of them `…` if something is left out.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let Some((end, _)) = text.char_indices().nth(most.saturating_sub(1)) else {
        return String::new();
    };
    let start = &text[..end];
    // A first word that is longer than all that may be said is cut within.
    let whole = match start.rfind(' ') {
        _ if text[end..].starts_with(' ') => start,
        Some(blank) => &start[..blank],
        None => start,
    };
    let whole = whole.trim_end_matches([' ', ',', ';', ':', '-', '–', '—']);
    if most == 0 { String::new() } else { format!("{whole}…") }
}

/// The beginning of a page, up to the end of a line, and whether that is all of it.
fn start_of(markdown: &str, most: usize) -> (&str, bool) {
    if markdown.len() <= most {
        return (markdown, true);
    }
    match markdown.as_bytes()[..most].iter().rposition(|byte| *byte == b'\n') {
        Some(end) => (&markdown[..=end], false),
        None => (markdown, true),
    }
}

/// Whether an element begins whose text nobody reads.
fn is_unread(tag: &str) -> bool {
    ["<script", "<style", "<title", "<template"].iter().any(|name| begins(tag, name))
}

fn is_unread_end(tag: &str) -> bool {
    ["</script", "</style", "</title", "</template"].iter().any(|name| begins(tag, name))
}

fn begins(tag: &str, name: &str) -> bool {
    tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}
