//! The tags of a piece of HTML, as a browser finds them; and what must not be among them.

use std::collections::BTreeSet;

pub(super) struct Tag {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
}

/// All start tags. Good for what a renderer writes: text holds no `<` that is not the start of a tag.
pub(super) fn tags(html: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let (tag, after) = tag(rest);
            tags.push(tag);
            rest = after;
        }
    }
    tags
}

fn tag(text: &str) -> (Tag, &str) {
    let end = text.find([' ', '\t', '\n', '\u{c}', '\r', '/', '>']).unwrap_or(text.len());
    let name = text[..end].to_ascii_lowercase();
    let mut rest = &text[end..];
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\u{c}', '\r', '/']);
        if rest.is_empty() || rest.starts_with('>') {
            return (Tag { name, attributes }, rest);
        }
        let end = rest
            .find([' ', '\t', '\n', '\u{c}', '\r', '/', '>', '='])
            .unwrap_or(rest.len())
            .max(1)
            .min(rest.len());
        let key = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start_matches([' ', '\t', '\n', '\u{c}', '\r']);
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            (value, rest) = self::value(after.trim_start());
        }
        attributes.push((key, decoded(value)));
    }
}

fn value(text: &str) -> (&str, &str) {
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => text[1..].split_once(quote).unwrap_or((&text[1..], "")),
        _ => text.split_at(text.find([' ', '\n', '\t', '>']).unwrap_or(text.len())),
    }
}

fn decoded(value: &str) -> String {
    value
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&nbsp;", "\u{a0}")
        .replace("&amp;", "&")
}

const FORBIDDEN: [&str; 26] = [
    "script",
    "style",
    "iframe",
    "object",
    "embed",
    "form",
    "base",
    "meta",
    "link",
    "svg",
    "math",
    "template",
    "noscript",
    "textarea",
    "button",
    "select",
    "frame",
    "frameset",
    "applet",
    "title",
    "xmp",
    "plaintext",
    "body",
    "html",
    "head",
    "marquee",
];

/// What somebody could do harm with, if there is any.
pub(super) fn danger(html: &str) -> Option<String> {
    if html.contains("<!") || html.contains("<?") {
        return Some("a comment or a declaration".to_owned());
    }
    for tag in tags(html) {
        if FORBIDDEN.contains(&tag.name.as_str()) {
            return Some(format!("<{}>", tag.name));
        }
        let names: BTreeSet<_> = tag.attributes.iter().map(|(name, _)| name.as_str()).collect();
        if tag.name == "input" && !names.contains("disabled") {
            return Some("an input that can be used".to_owned());
        }
        for (name, value) in &tag.attributes {
            if is_dangerous(&tag.name, name, value) {
                return Some(format!("<{} {name}={value:?}>", tag.name));
            }
        }
    }
    None
}

fn is_dangerous(element: &str, name: &str, value: &str) -> bool {
    let known = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let forbidden = ["style", "srcdoc", "formaction", "action", "name", "target", "autofocus"];
    let urls = ["href", "src", "poster", "cite", "srcset"];
    !known
        || name.starts_with("on")
        || forbidden.contains(&name)
        || name == "id" && value.starts_with("theme:")
        || name == "type" && element == "input" && value != "checkbox"
        || urls.contains(&name) && runs(element, value)
}

/// As browsers read addresses: without blanks at the ends, and without tabs and line breaks.
fn runs(element: &str, url: &str) -> bool {
    let url: String = url.chars().filter(|c| *c > ' ').collect::<String>().to_ascii_lowercase();
    if element == "img" && url.starts_with("data:image/") {
        return url.starts_with("data:image/svg");
    }
    ["javascript:", "data:", "vbscript:", "file:", "blob:", "about:", "livescript:", "filesystem:"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
}

#[test]
fn the_check_itself_finds_what_it_should() {
    for bad in [
        "<script>",
        "<p ONCLICK=x>",
        "<img/src=x onerror=y>",
        "<a href=' java\nscript:x'>",
        "<img src='data:image/svg+xml,x'>",
        "<p title='a'onclick=b>",
        "<input type=\"checkbox\">",
        "<!-- -->",
    ] {
        assert!(danger(bad).is_some(), "{bad}");
    }
    assert_eq!(danger("<p title=\"<script onload=x>\">a</p>"), None);
}
