//! Pages whose first lines may have been meant as front matter, and are none that is read: Hugo's JSON, Eleventy's
//! `---json`, a fence with one dash too many, or no fence at all.

use super::loose_value::LooseValue;
use super::visibility::Visibility;
use crate::spelling::folded;

/// How many lines are searched for one that restricts the page.
const MAX_SEARCHED_LINES: usize = 40;
/// How many lines may stand before front matter that is not at the top.
const MAX_LINES_BEFORE: usize = 6;
/// The longest key of an entry that stands in no front matter, in words.
const MAX_KEY_WORDS: usize = 3;

/// What front matter of other programs begins with, and what is nearly a fence: dashes as telephones write them are
/// among those.
const FENCES: [&str; 10] = ["--", "++", "—", "–", "―", "−", "\\-", ";;;", "%%%", "==="];
/// What the first line begins with where entries go up to an empty line.
const HEADS: [&str; 2] = ["#+", "%"];
/// What stands before the name of a constant in JavaScript.
const DECLARATIONS: [&str; 4] = ["const ", "let ", "var ", "export "];

/// A line by which a page may have been meant to be restricted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Restriction {
    /// From 1.
    pub(super) line: u64,
    pub(super) text: String,
}

/// Whether a letter is not to be seen.
fn is_blank(letter: char) -> bool {
    letter.is_whitespace()
        || letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Whether a text is in UTF-16, with or without the mark that says so.
pub(super) fn is_utf16(bytes: &[u8]) -> bool {
    let is_pair = |even: u8, odd: u8| (even == 0) != (odd == 0);
    let begins = |mark: [u8; 2]| bytes.starts_with(&mark);
    let is_wide = || match bytes {
        [a, b, c, d, ..] => is_pair(*a, *b) && is_pair(*c, *d) && (*a == 0) == (*c == 0),
        _ => false,
    };
    begins([0xff, 0xfe]) || begins([0xfe, 0xff]) || is_wide()
}

/// Whether a file that is no page begins as front matter does, or nearly so, in whatever encoding.
pub(crate) fn has_fence(bytes: &[u8]) -> bool {
    let kept: Vec<u8> =
        bytes.iter().copied().filter(|byte| !matches!(byte, 0 | 0xfe | 0xff)).collect();
    let text = String::from_utf8_lossy(&kept);
    let text = text.trim_start_matches(is_blank);
    let is_fence = |fence: &&str| match *fence {
        "--" => text.starts_with("---"),
        "++" => text.starts_with("+++"),
        fence => text.starts_with(fence),
    };
    FENCES.iter().any(is_fence)
}

/// The line that may have been meant to restrict a page which begins with no front matter.
pub(super) fn restriction(text: &str) -> Option<Restriction> {
    found(text, |lines, now| {
        let first = searched(lines).iter().position(|line| restricts(line, now));
        first.or_else(|| unfenced(lines, now)).or_else(|| misplaced(lines, now))
    })
}

/// The line that may have been meant to restrict a page, in front matter that does not stand at its top. Lines are
/// counted from the beginning of this text.
pub(super) fn later_restriction(body: &str) -> Option<Restriction> {
    found(body, misplaced)
}

/// Whether data of all pages in a folder has a line that restricts them by itself: tags are names of collections
/// there.
pub(crate) fn is_restricting_data(text: &str) -> bool {
    let now = jiff::Timestamp::now().as_second();
    let is_tags = |part: &&str| entry(part).is_some_and(|(key, _)| key.starts_with("tag"));
    let parts = text.split([',', '{', '}', ';', '\n']).filter(|part| !is_tags(part));
    let mut parts = parts.map(|part| part.trim_matches(is_blank));
    parts.any(|part| restricts(part, now))
}

fn found(text: &str, find: impl Fn(&[&str], i64) -> Option<usize>) -> Option<Restriction> {
    let text = text.replace("\r\n", "\n");
    let is_end = |letter: char| {
        matches!(letter, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
    };
    let lines: Vec<&str> = text.split(is_end).map(|line| line.trim_matches(is_blank)).collect();
    let begin = lines.iter().position(|line| !line.is_empty())?;
    let end = lines.len().min(begin + 1 + MAX_SEARCHED_LINES);
    let now = jiff::Timestamp::now().as_second();
    let lines = &lines[begin..end];
    let at = find(lines, now)?;
    let text = lines[at].chars().take(80).collect();
    Some(Restriction { line: (begin + at) as u64 + 1, text })
}

/// The lines of which each may restrict the page, because of what the first one begins with.
fn searched<'l>(lines: &'l [&'l str]) -> &'l [&'l str] {
    let first = lines[0];
    // Without marks that are not to be seen, and dashes of full width.
    let plain: String = first.chars().filter(|letter| *letter != '\u{ad}').collect();
    let plain = plain.replace('\u{ff0d}', "-");
    let begins = |marks: &[&str]| marks.iter().any(|mark| plain.starts_with(mark));
    let until = |is_last: &dyn Fn(&&str) -> bool| {
        let last = lines.iter().skip(1).position(is_last);
        &lines[..last.map_or(lines.len(), |last| last + 2)]
    };
    // Blocks of templates begin with these, and so do attributes of Markdown.
    let is_template = ["{%", "{{", "{:", "{#", "{<"].iter().any(|mark| first.starts_with(mark));
    if begins(&FENCES) {
        until(&|line| *line == first)
    } else if first.starts_with('{') && !is_template {
        until(&|line| line.starts_with('}'))
    } else if first.starts_with("<!--") {
        let last = lines.iter().position(|line| line.contains("-->")).unwrap_or(lines.len() - 1);
        // What follows a comment may be front matter.
        let next = lines[last + 1..].iter().position(|line| !line.is_empty());
        match next.map(|next| last + 1 + next) {
            Some(next) if FENCES.iter().any(|fence| lines[next].starts_with(fence)) => lines,
            _ => &lines[..=last],
        }
    } else if begins(&HEADS) {
        until(&|line| line.is_empty())
    } else {
        &[]
    }
}

/// The line that restricts a page in front matter which stands a few lines further down, as after a title.
fn misplaced(lines: &[&str], now: i64) -> Option<usize> {
    let is_code = |line: &&str| line.starts_with("```") || line.starts_with("~~~");
    let begins = lines.iter().take(MAX_LINES_BEFORE).take_while(|line| !is_code(line));
    let begins = begins.enumerate().filter(|(_, line)| matches!(**line, "---" | "+++"));
    begins.map(|(at, _)| at).find_map(|begin| {
        let rest = &lines[begin + 1..];
        let end = rest.iter().position(|line| *line == lines[begin])?;
        let is_matter = |line: &&str| {
            line.starts_with(['-', '#']) || entry(line).is_some_and(|(key, _)| !key.is_empty())
        };
        let found = rest[..end].iter().position(|line| restricts(line, now))?;
        rest[..end].iter().all(is_matter).then_some(begin + 1 + found)
    })
}

/// The line that restricts a page whose entries stand at its top without a fence before them.
fn unfenced(lines: &[&str], now: i64) -> Option<usize> {
    let is_fence = |line: &str| matches!(line, "---" | "+++" | "...");
    let is_over = |line: &&str| line.is_empty() || is_fence(line);
    let end = lines.iter().position(is_over).unwrap_or(lines.len());
    let is_item = |line: &str| line.starts_with('-') || line.starts_with('[');
    let is_entry = |line: &&str| entry(line).is_some_and(|(key, _)| !key.is_empty());
    let is_other = |line: &&str| !is_entry(line) && !is_item(line);
    let other = lines[..end].iter().position(is_other);
    let head = &lines[..other.unwrap_or(end)];
    head.first().filter(|line| is_entry(line))?;
    let has_fence = other.is_none() && lines.get(end).is_some_and(|line| is_fence(line));
    let has_key = |line: &&str| {
        entry(line).is_some_and(|(key, _)| matches!(&*key, "title" | "date" | "layout"))
    };
    let is_likely = head.len() > 1 && (has_fence || other.is_none() && head.iter().any(has_key));
    head.iter().position(|line| {
        let is_plain = || {
            entry(line).is_some_and(|(key, value)| {
                key == "status"
                    || LooseValue::Text(value.to_owned()).flag() == Some(true)
                    || LooseValue::Text(value.to_owned()).flag() == Some(false)
            })
        };
        restricts(line, now) && (is_likely || is_plain())
    })
}

/// The key, in its folded form, and the value of a line.
fn entry(line: &str) -> Option<(String, &str)> {
    let at = line.find([':', '='])?;
    let is_mark = |letter: char| is_blank(letter) || "\"'`#+-*%<>!@$[(".contains(letter);
    let mut key = line[..at].trim_matches(is_mark);
    for declaration in DECLARATIONS {
        key = key.strip_prefix(declaration).unwrap_or(key).trim_start();
    }
    if key.split_whitespace().count() > MAX_KEY_WORDS {
        return None;
    }
    let value = line[at + 1..].split(" #").next().unwrap_or_default();
    let is_mark = |letter: char| is_blank(letter) || "\"'`,;-<>".contains(letter);
    Some((folded(key), value.trim_matches(is_mark)))
}

/// Whether a line would restrict a page if it stood in its front matter. One line of JSON may have several entries.
fn restricts(line: &str, now: i64) -> bool {
    let parts = line.split([',', '{', '}', ';']);
    std::iter::once(line).chain(parts).filter_map(entry).any(|(key, value)| {
        let is_none = matches!(value, "[]" | "null" | "~" | "[ ]");
        match key.as_str() {
            "" => false,
            "roles" | "role" | "tags" | "tag" | "taxonomies" => !is_none,
            _ => {
                let value = match value {
                    "" => LooseValue::Null,
                    value => LooseValue::Text(value.to_owned()),
                };
                let mut visibility = Visibility::default();
                visibility.take(&key, &value);
                visibility.is_closed_at(now)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_would_restrict_the_page_is_found() {
        for (text, line) in [
            ("---json\n{\n \"title\": \"x\",\n \"draft\": true\n}\n---\nText", 4),
            ("---js\n{ draft: true }\n---\n", 2),
            ("---js\nconst draft = true;\n---\n", 2),
            ("{ \"title\": \"x\", \"roles\": [\"staff\"] }\nText", 1),
            ("\n\n----\ndraft: true\n----\n", 4),
            (" ---\ntags: [staff]\n ---\n", 2),
            ("—\ndrafft: true\n—\n", 2),
            ("---\rprivate: yes\r---\rText", 2),
            ("\u{200b}---\ndate: 2999-01-01\n---\n", 2),
            ("title: x\ndraft: true\n\nText", 2),
            ("title: x\ntags: [staff]\n---\nText", 2),
            ("#+title: x\n#+draft: true\n\nText", 2),
            ("<!-- a\ndraft: true -->\nText", 2),
            ("<!-- a -->\n---\ndraft: true\n---\n", 3),
            ("# T\n\n---\ntitle: x\nroles: [staff]\n---\n", 5),
            ("draft: true\nText", 1),
            ("title: x\nroles: [staff]\n\nText", 2),
            ("\u{ff0d}\u{ff0d}\u{ff0d}\ndraft: true\n---\n", 2),
            (";;;\n\"hidden\": true\n;;;\n", 2),
        ] {
            assert_eq!(restriction(text).map(|it| it.line), Some(line), "{text:?}");
        }
    }

    #[test]
    fn words_of_a_page_restrict_nothing() {
        for text in [
            "",
            "\n \n",
            "# Title\n\nStatus: draft\n",
            "----\ntitle: x\n----\n",
            "----\ndraft: false # not yet\ntags: []\n----\n",
            "{% include x %}\n\ndraft: true\n",
            "{{< toc >}}\nroles: [staff]\n",
            "Note: the plan\nis here.\n",
            "# T\n\n```yaml\n---\ndraft: true\n---\n```\n",
            "# T\n---\nWords, and a draft: true.\nMore words\n---\n",
            "Access: by tram\n---\n",
            "Access: by tram\n\nWords",
            "Roles: Ada cooks, Ben drives\n",
            "<!-- a -->\n# Title\n\nAccess: by tram\n",
            "--\nSome words about a draft.\n",
            "{\"title\": \"x\", \"draft\": false}\nText",
        ] {
            assert_eq!(restriction(text), None, "{text:?}");
        }
    }

    #[test]
    fn utf16_is_recognized() {
        let wide = |text: &str, is_little: bool| -> Vec<u8> {
            let bytes = |unit: u16| if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() };
            text.encode_utf16().flat_map(bytes).collect()
        };
        for text in ["---\n", "\u{feff}Text"] {
            assert!(is_utf16(&wide(text, true)) && is_utf16(&wide(text, false)), "{text:?}");
        }
        assert!(has_fence(&wide("\u{feff}---\n", true)) && has_fence(b"\n\n---\n"));
        for bytes in [&b""[..], b"Text", b"---\n", &[0; 64], "\u{feff}---".as_bytes(), b"a\0\0\0"] {
            assert!(!is_utf16(bytes), "{bytes:?}");
        }
    }
}
