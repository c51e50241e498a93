//! What a Markdown file says about itself above its text.

/// How many lines below the first fence are looked at for a word on drafts, where they cannot be read.
const MAX_LINES_LOOKED_AT: usize = 40;

/// The keys of front matter that a post has a use for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FrontMatter {
    pub(super) title: Option<String>,
    /// `lang` or `language`.
    pub(super) language: Option<String>,
    /// Whether it is not to be published yet.
    pub(super) is_draft: bool,
}

/// Why nobody knows whether a text may be published: its front matter has a word on that, and cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DraftDoubt {
    /// The line of the text, from 1.
    pub(super) line: usize,
    pub(super) reason: String,
}

impl DraftDoubt {
    fn new(line: usize, reason: impl Into<String>) -> Self {
        Self { line, reason: reason.into() }
    }
}

type Split<'m> = Result<Option<(FrontMatter, &'m str)>, DraftDoubt>;

impl FrontMatter {
    /// What is wrong with the value, if its key says whether the text is a draft, and the value does not.
    fn take(&mut self, key: &str, value: String) -> Result<(), String> {
        match key.to_ascii_lowercase().as_str() {
            "title" => _ = self.title.get_or_insert(value),
            "lang" | "language" => _ = self.language.get_or_insert(value),
            "draft" if is_true(&value) => self.is_draft = true,
            "draft" if !is_false(&value) => return Err(neither(&value)),
            // Some write the day there.
            "published" => self.is_draft |= is_false(&value),
            _ => {}
        }
        Ok(())
    }
}

fn neither(value: &str) -> String {
    let short: String = value.chars().take(40).collect();
    format!("`draft` is {short:?}, which is neither true nor false")
}

fn is_true(value: &str) -> bool {
    ["true", "yes", "on", "1"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

fn is_false(value: &str) -> bool {
    ["false", "no", "off", "0", "null", "~"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Whether a key says if a text may be published.
fn is_on_drafts(key: &str) -> bool {
    ["draft", "published"].iter().any(|name| key.eq_ignore_ascii_case(name))
}

/// The front matter of a text, and the text below it: TOML between lines of `+++`, or YAML between a first
/// line of `---` and a closing one. All else is Markdown, unless it may say that it is a draft.
pub(super) fn split(markdown: &str) -> Result<(FrontMatter, &str), DraftDoubt> {
    let split = match markdown.split_inclusive('\n').next() {
        Some(fence) if fence.trim_end() == "+++" => toml(&markdown[fence.len()..])?,
        Some(fence) if fence.trim_end() == "---" => yaml(&markdown[fence.len()..])?,
        _ => None,
    };
    Ok(split.unwrap_or_else(|| (FrontMatter::default(), markdown)))
}

fn toml(below: &str) -> Split<'_> {
    let mut at = 0;
    for line in below.split_inclusive('\n') {
        if line.trim_end() == "+++" {
            let table = match below[..at].parse::<toml::Table>() {
                Ok(table) => table,
                Err(error) => {
                    let start = error.span().map_or(0, |span| span.start);
                    let number = below[..at].bytes().take(start).filter(|byte| *byte == b'\n');
                    return unread(below, number.count() + 2, error.message());
                }
            };
            return Ok(Some((from_table(table)?, &below[at + line.len()..])));
        }
        at += line.len();
    }
    unread(below, 1, "no line of `+++` ends it")
}

fn from_table(table: toml::Table) -> Result<FrontMatter, DraftDoubt> {
    let mut front = FrontMatter::default();
    for (key, value) in table {
        let value = match value {
            toml::Value::String(value) => value,
            toml::Value::Boolean(value) => value.to_string(),
            toml::Value::Integer(value) => value.to_string(),
            value if is_on_drafts(&key) => value.type_str().to_owned(),
            _ => continue,
        };
        front.take(&key, value).map_err(|reason| DraftDoubt::new(1, reason))?;
    }
    Ok(front)
}

/// Lines of `key: value`, and what belongs to a key, with blank lines and comments between them.
fn yaml(below: &str) -> Split<'_> {
    let (mut front, mut has_key, mut at) = (FrontMatter::default(), false, 0);
    // Whether the key above has its value on lines of its own, and is on drafts.
    let mut is_open = false;
    for (number, line) in (2..).zip(below.split_inclusive('\n')) {
        at += line.len();
        let line = line.trim_end();
        if has_key && matches!(line, "---" | "...") {
            return Ok(Some((front, &below[at..])));
        }
        // Below a break is a blank line, and a heading has one below it.
        if line.trim_start().starts_with('#') || has_key && line.is_empty() {
            continue;
        }
        if let Some((key, value)) = field(line) {
            has_key = true;
            let value = bare(value);
            is_open = value.as_ref().is_none_or(|value| value.starts_with(['|', '>']));
            is_open &= is_on_drafts(key);
            if let Some(value) = value.filter(|value| !value.starts_with(['|', '>'])) {
                front.take(key, value).map_err(|reason| DraftDoubt::new(number, reason))?;
            }
        } else if !(has_key && is_of_key(line)) {
            return unread(below, number, "this is no `key: value`");
        } else if is_open {
            let reason = "this goes on with a key whose value has to be on one line, true or false";
            return Err(DraftDoubt::new(number, reason));
        }
    }
    unread(below, 1, "no line of `---` ends it")
}

/// Nothing, if what cannot be read is Markdown: nothing in it is a word on drafts.
fn unread<'m>(below: &str, line: usize, reason: &str) -> Split<'m> {
    if has_word_on_drafts(below) { Err(DraftDoubt::new(line, reason)) } else { Ok(None) }
}

/// Whether there is a word on drafts before the closing fence, or before the first blank line if none is
/// near.
fn has_word_on_drafts(below: &str) -> bool {
    let lines = || below.lines().take(MAX_LINES_LOOKED_AT).map(str::trim);
    let is_fence = |line: &str| matches!(line, "---" | "..." | "+++");
    let end = lines().position(is_fence).or_else(|| lines().position(str::is_empty));
    lines().take(end.unwrap_or(MAX_LINES_LOOKED_AT)).any(|line| {
        let key = line.split([':', '=']).next().filter(|key| key.len() < line.len());
        let is_around = |letter: char| letter.is_whitespace() || "\"'{?".contains(letter);
        key.is_some_and(|key| is_on_drafts(key.trim_matches(is_around)))
    })
}

/// The key and the value of a line. In prose, what is before a colon has blanks, or no blank is after it.
fn field(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let quoted =
        ['"', '\''].iter().find_map(|quote| key.strip_prefix(*quote)?.strip_suffix(*quote));
    let key = quoted.unwrap_or(key);
    let is_key = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
    let is_field = !key.is_empty() && key.chars().all(is_key);
    (is_field && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| (key, value.trim()))
}

/// Whether a line goes on with what a key above it began: a list, or a text of several lines.
fn is_of_key(line: &str) -> bool {
    let is_item = line == "-" || line.starts_with("- ");
    is_item || line.starts_with([' ', '\t'])
}

/// A value without the quotes around it and the comment after it; none if it is empty.
fn bare(value: &str) -> Option<String> {
    let is_end = |rest: &str| {
        let comment = rest.trim_start();
        comment.is_empty() || comment.len() < rest.len() && comment.starts_with('#')
    };
    let quoted = ['"', '\''].iter().find_map(|quote| {
        let text = value.strip_prefix(*quote)?;
        let (end, _) = text.match_indices(*quote).find(|(at, _)| is_end(&text[at + 1..]))?;
        Some(&text[..end])
    });
    let is_comment = |(at, _): &(usize, &str)| value[..*at].ends_with([' ', '\t']) || *at == 0;
    let plain = || value.match_indices('#').find(is_comment).map_or(value, |(at, _)| &value[..at]);
    let value = quoted.unwrap_or_else(plain).trim();
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::markdown::sections;
    use super::*;

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
    fn toml_front_matter_is_no_section() {
        let (front, text) = split(
            "+++\ntitle = \"Fog: today\"\ndraft = true\nlang = \"de\"\n[extra]\nx = 1\n+++\nText\n",
        )
        .unwrap();
        assert_eq!(
            (front.title.as_deref(), front.language.as_deref()),
            (Some("Fog: today"), Some("de"))
        );
        assert!(front.is_draft && text == "Text\n", "{text:?}");
        for text in ["+++\ntitle = \n+++\nText\n", "+++\nnever closed = 1\n", "++++\nx = 1\n++++\n"]
        {
            assert_eq!(split(text), Ok((FrontMatter::default(), text)));
        }
    }

    #[test]
    fn a_draft_says_so_in_several_ways() {
        for (text, is_draft) in [
            ("---\ndraft: true\n---\nx", true),
            ("---\nDraft: Yes\n---\nx", true),
            ("---\npublished: false\n---\nx", true),
            ("---\ndraft: true # not yet\n---\nx", true),
            ("---\n# a note\ntitle: x # y\n\ndraft: 'true' # not yet\n---\nx", true),
            ("---\ntitle: x\n  # indented\n\n\"draft\": true\n---\nx", true),
            ("---\npublished: no\t# yet\n---\nx", true),
            ("---\ndraft: false # any more\n---\nx", false),
            ("---\ndraft: # nothing\n---\nx", false),
            ("---\nextra:\n  draft: true\n---\nx", false),
            ("---\npublished: 2026-01-01\n---\nx", false),
            ("+++\n# a note\n\ndraft = true # not yet\n+++\nx", true),
            ("+++\npublished = 2026-01-01\n+++\nx", false),
            ("---\ndraft: false\n---\nx", false),
            ("draft: true\n", false),
        ] {
            assert_eq!(split(text).map(|(front, _)| front.is_draft), Ok(is_draft), "{text:?}");
        }
    }

    #[test]
    fn what_may_be_a_draft_and_cannot_be_read_is_in_doubt() {
        for (text, line) in [
            ("---\ntitle: x\nSome prose.\ndraft: true\n---\nMore\n", 3),
            ("---\n\ndraft: true\n---\nMore\n", 2),
            ("---\n# a note\n\ndraft: true\n---\nMore\n", 3),
            ("---\n  draft: true\n---\nMore\n", 2),
            ("---\n{draft: true}\n---\nMore\n", 2),
            ("---\ndraft : true\n---\nMore\n", 2),
            ("---\ndraft: perhaps\n---\nMore\n", 2),
            ("---\ntitle: x\ndraft:\n  true\n---\nMore\n", 4),
            ("---\ndraft: >\n  true\n---\nMore\n", 3),
            ("---\ndraft: true\n\nnever closed\n", 4),
            ("---\ndraft: true\n", 1),
            ("+++\ntitle = \ndraft = true\n+++\nMore\n", 2),
            ("+++\ndraft = true\n", 1),
            ("+++\ndraft = \"soon\"\n+++\nMore\n", 1),
        ] {
            assert_eq!(split(text).map_err(|doubt| doubt.line), Err(line), "{text:?}");
        }
        // Further down it is a word of the text.
        let far = format!("---\nSome prose.\n\n{}draft: true\n---\n", "x\n".repeat(50));
        assert_eq!(split(&far), Ok((FrontMatter::default(), far.as_str())));
    }

    #[test]
    fn comments_and_quotes_are_no_part_of_a_value() {
        for (value, expected) in [
            ("Fog # today", Some("Fog")),
            ("C# in a day", Some("C# in a day")),
            ("\"Fog # today\" # yes", Some("Fog # today")),
            ("\"Fog\" and \"Rope\"", Some("Fog\" and \"Rope")),
            ("'it''s'", Some("it''s")),
            ("\"Fog", Some("\"Fog")),
            ("# only a note", None),
            ("''", None),
        ] {
            assert_eq!(bare(value).as_deref(), expected, "{value}");
        }
    }
}
