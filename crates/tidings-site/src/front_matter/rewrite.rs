//! How values of front matter are replaced without touching the rest of it.

use super::block::{self, Block, Language};
use super::{FrontMatter, LONGEST};

/// One of our values, as it is to be written.
struct Value {
    /// Its key, and another spelling of it.
    names: [&'static str; 2],
    /// None if it is to be left out.
    text: Option<String>,
    is_same: bool,
}

/// What a file with these values begins with, up to its body. `head` is what it began with.
pub(super) fn head(matter: &FrontMatter, head: &str) -> String {
    let mark = block::mark(head.as_bytes());
    let found = Block::find(head.as_bytes()).ok().flatten();
    let Some(block) = found.filter(|block| block.has_no_entries() || block.is_likely()) else {
        let lines: String = values(matter, &FrontMatter::default(), Language::Yaml, "\n");
        let fenced = if lines.is_empty() { lines } else { format!("---\n{lines}---\n") };
        return format!("{}{fenced}{}", &head[..mark], &head[mark..]);
    };
    let line_end = if head[..block.start].ends_with("\r\n") { "\r\n" } else { "\n" };
    let (before, after) = (&head[..block.start], &head[block.start + block.text.len()..]);
    if let Ok(Some(known)) = FrontMatter::parse(&block) {
        let lines = replaced(&all(matter, &known, block.language), &block, line_end);
        let written = format!("{before}{lines}{after}");
        // What was cut may have been needed elsewhere, as an anchor is.
        let is_right = FrontMatter::read(written.as_bytes())
            .is_ok_and(|(read, _)| read == trimmed(matter) && written.len() <= LONGEST);
        if is_right {
            return written;
        }
    }
    // A lone carriage return would end a comment of YAML, and others are not allowed in TOML's.
    let is_odd = |one: char| one.is_control() && one != '\t';
    let comment = |line: &str| format!("# {}{line_end}", line.trim_end().replace(is_odd, " "));
    let kept: String = block.text.lines().map(comment).collect();
    let lines = values(matter, &FrontMatter::default(), block.language, line_end);
    format!("{before}{kept}{lines}{after}")
}

/// As it is read back.
pub(super) fn trimmed(matter: &FrontMatter) -> FrontMatter {
    let text = |text: &Option<String>| {
        text.as_ref().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let words = |words: &[String]| {
        let words = words.iter().map(|word| word.trim().to_owned());
        words.filter(|word| !word.is_empty()).collect()
    };
    FrontMatter {
        id: text(&matter.id),
        title: text(&matter.title),
        alias: text(&matter.alias),
        tags: words(&matter.tags),
        roles: words(&matter.roles),
        nav_title: text(&matter.nav_title),
        nav_parent: text(&matter.nav_parent),
        nav_order: matter.nav_order,
        robots: text(&matter.robots),
        theme: text(&matter.theme),
        is_draft: matter.is_draft,
    }
}

/// All of our values, in the order in which they are added.
fn all(matter: &FrontMatter, known: &FrontMatter, language: Language) -> Vec<Value> {
    let matter = trimmed(matter);
    let text = |name, value: &Option<String>, known: &Option<String>| {
        let text = value.as_ref().map(|value| quoted(value, language));
        Value { names: [name, name], text, is_same: value == known }
    };
    let words = |name, value: &[String], known: &[String]| {
        let list: Vec<String> = value.iter().map(|word| quoted(word, language)).collect();
        let text = (!list.is_empty()).then(|| format!("[{}]", list.join(", ")));
        Value { names: [name, name], text, is_same: value == known }
    };
    let mut parent = text("nav_parent", &matter.nav_parent, &known.nav_parent);
    parent.names[1] = "nav_parent_id";
    let order = matter.nav_order.map(|order| order.to_string());
    let is_same = matter.nav_order == known.nav_order;
    let order = Value { names: ["nav_order"; 2], text: order, is_same };
    let draft = matter.is_draft.then(|| "true".to_owned());
    let is_same = matter.is_draft == known.is_draft;
    let draft = Value { names: ["draft"; 2], text: draft, is_same };
    vec![
        text("id", &matter.id, &known.id),
        text("title", &matter.title, &known.title),
        text("alias", &matter.alias, &known.alias),
        words("tags", &matter.tags, &known.tags),
        words("roles", &matter.roles, &known.roles),
        text("nav_title", &matter.nav_title, &known.nav_title),
        parent,
        order,
        text("robots", &matter.robots, &known.robots),
        text("theme", &matter.theme, &known.theme),
        draft,
    ]
}

/// The lines of all values that differ.
fn values(matter: &FrontMatter, known: &FrontMatter, language: Language, end: &str) -> String {
    let changed = all(matter, known, language).into_iter().filter(|value| !value.is_same);
    changed.filter_map(|value| Some(line(value.names[0], &value.text?, language, end))).collect()
}

fn line(name: &str, text: &str, language: Language, end: &str) -> String {
    let sign = if language == Language::Toml { " =" } else { ":" };
    format!("{name}{sign} {text}{end}")
}

/// The lines of a block with the values that differ.
fn replaced(values: &[Value], block: &Block<'_>, end: &str) -> String {
    let lines: Vec<&str> = block.text.split_inclusive('\n').collect();
    let (entries, top) = entries(&lines, block.language);
    let mut out: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let mut added = String::new();
    for value in values.iter().filter(|value| !value.is_same) {
        let mut text = value.text.as_deref();
        for (name, first, last) in entries.iter().filter(|(name, ..)| value.names.contains(name)) {
            out[*first..*last].iter_mut().for_each(String::clear);
            if let Some(text) = text.take() {
                out[*first] = line(name, text, block.language, end);
            }
        }
        if let Some(text) = text {
            added.push_str(&line(value.names[0], text, block.language, end));
        }
    }
    out.insert(top, added);
    out.concat()
}

/// The entries of the topmost level, each with its lines, and the line where that level ends.
fn entries<'a>(lines: &[&'a str], language: Language) -> (Vec<(&'a str, usize, usize)>, usize) {
    let mut entries: Vec<(&str, usize, usize)> = Vec::new();
    let mut state = Nesting::default();
    for (number, line) in lines.iter().enumerate() {
        let is_within = language == Language::Toml && state.is_within();
        if language == Language::Toml {
            if !is_within && line.trim_start().starts_with('[') {
                return (entries, number);
            }
            state.pass(line);
        }
        let key = match language {
            _ if is_within => None,
            Language::Toml => toml_key(line),
            Language::Yaml => block::key(line),
        };
        match (key, entries.last_mut()) {
            (Some(key), _) => entries.push((key, number, number + 1)),
            // Comments and empty lines after an entry are not of it, those within it are.
            (None, Some(last)) if is_within || !block::is_empty(line) => last.2 = number + 1,
            _ => {}
        }
    }
    (entries, lines.len())
}

fn toml_key(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    let key = key.trim();
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let key = key.trim_matches(['"', '\'']);
    (!key.is_empty() && key.bytes().all(is_bare)).then_some(key)
}

/// Whether a line of TOML begins within a value of the lines before.
#[derive(Default)]
struct Nesting {
    depth: usize,
    quote: Option<&'static str>,
}

impl Nesting {
    fn is_within(&self) -> bool {
        self.depth > 0 || self.quote.is_some()
    }

    fn pass(&mut self, line: &str) {
        const QUOTES: [&str; 4] = ["\"\"\"", "'''", "\"", "'"];
        let mut rest = line;
        while let Some(one) = rest.chars().next() {
            let mut length = one.len_utf8();
            match self.quote {
                Some(quote) if rest.starts_with(quote) => {
                    length = quote.len();
                    self.quote = None;
                }
                Some(quote) if one == '\\' && quote.starts_with('"') => {
                    length += rest[length..].chars().next().map_or(0, char::len_utf8);
                }
                Some(_) => {}
                None if one == '#' => break,
                None => match QUOTES.iter().find(|quote| rest.starts_with(**quote)) {
                    Some(quote) => (length, self.quote) = (quote.len(), Some(*quote)),
                    None if matches!(one, '[' | '{') => self.depth += 1,
                    None if matches!(one, ']' | '}') => self.depth = self.depth.saturating_sub(1),
                    None => {}
                },
            }
            rest = &rest[length..];
        }
        // Only the long ones go on in the next line.
        self.quote = self.quote.filter(|quote| quote.len() == 3);
    }
}

/// A text as a value: bare where YAML cannot take it for anything else.
fn quoted(text: &str, language: Language) -> String {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let is_bare = |one: char| one.is_alphanumeric() || matches!(one, '-' | '_' | '.' | '/' | ' ');
    let is_plain = text.starts_with(char::is_alphabetic) && text.chars().all(is_bare);
    let is_word = WORDS.iter().any(|word| word.eq_ignore_ascii_case(text));
    if language == Language::Yaml && is_plain && !is_word {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for one in text.chars() {
        match one {
            '"' | '\\' => out.extend(['\\', one]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            // These end lines, or are not to be in YAML as they are.
            one if one.is_control() || matches!(one, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                out.push_str(&format!("\\u{:04x}", u32::from(one)));
            }
            '\u{fffe}' | '\u{ffff}' => out.push_str(&format!("\\u{:04x}", u32::from(one))),
            one => out.push(one),
        }
    }
    out.push('"');
    out
}
