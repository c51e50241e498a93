//! What a Markdown file says about itself above its text.

/// The keys of front matter that a post has a use for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FrontMatter {
    pub(super) title: Option<String>,
    /// `lang` or `language`.
    pub(super) language: Option<String>,
    /// Whether it is not to be published yet.
    pub(super) is_draft: bool,
}

impl FrontMatter {
    fn take(&mut self, key: &str, value: String) {
        match key.to_ascii_lowercase().as_str() {
            "title" => _ = self.title.get_or_insert(value),
            "lang" | "language" => _ = self.language.get_or_insert(value),
            "draft" => self.is_draft |= is_true(&value),
            "published" => self.is_draft |= is_false(&value),
            _ => {}
        }
    }
}

fn is_true(value: &str) -> bool {
    ["true", "yes", "on", "1"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

fn is_false(value: &str) -> bool {
    ["false", "no", "off", "0"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// The front matter of a text, and the text below it: TOML between lines of `+++`, or YAML between a first
/// line of `---` and a closing one. All else is Markdown.
pub(super) fn split(markdown: &str) -> (FrontMatter, &str) {
    toml(markdown).or_else(|| yaml(markdown)).unwrap_or_else(|| (FrontMatter::default(), markdown))
}

fn toml(markdown: &str) -> Option<(FrontMatter, &str)> {
    let first = markdown.split_inclusive('\n').next().filter(|line| line.trim_end() == "+++")?;
    let below = markdown.strip_prefix(first)?;
    let mut at = 0;
    for line in below.split_inclusive('\n') {
        if line.trim_end() == "+++" {
            let table: toml::Table = below[..at].parse().ok()?;
            let mut front = FrontMatter::default();
            for (key, value) in table {
                match value {
                    toml::Value::String(value) => front.take(&key, value),
                    toml::Value::Boolean(value) => front.take(&key, value.to_string()),
                    _ => {}
                }
            }
            return Some((front, &below[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

/// Lines of `key: value`, and what belongs to a key.
fn yaml(markdown: &str) -> Option<(FrontMatter, &str)> {
    let first = markdown.split_inclusive('\n').next().filter(|line| line.trim_end() == "---")?;
    let below = markdown.strip_prefix(first)?;
    let (mut front, mut has_key, mut at) = (FrontMatter::default(), false, 0);
    for line in below.split_inclusive('\n') {
        at += line.len();
        let line = line.trim_end();
        if has_key && matches!(line, "---" | "...") {
            return Some((front, &below[at..]));
        }
        if let Some((key, value)) = field(line) {
            has_key = true;
            if let Some(value) = bare(value) {
                front.take(key, value);
            }
        } else if !(has_key && is_of_key(line)) {
            break;
        }
    }
    None
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
        );
        assert_eq!(
            (front.title.as_deref(), front.language.as_deref()),
            (Some("Fog: today"), Some("de"))
        );
        assert!(front.is_draft && text == "Text\n", "{text:?}");
        for text in ["+++\ntitle = \n+++\nText\n", "+++\nnever closed = 1\n", "++++\nx = 1\n++++\n"]
        {
            assert_eq!(split(text), (FrontMatter::default(), text));
        }
    }

    #[test]
    fn a_draft_says_so_in_several_ways() {
        for (text, is_draft) in [
            ("---\ndraft: true\n---\nx", true),
            ("---\nDraft: Yes\n---\nx", true),
            ("---\npublished: false\n---\nx", true),
            ("---\ndraft: false\n---\nx", false),
            ("draft: true\n", false),
        ] {
            assert_eq!(split(text).0.is_draft, is_draft, "{text:?}");
        }
    }
}
