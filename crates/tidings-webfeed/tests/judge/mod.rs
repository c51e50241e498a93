//! What holds for whatever comes out, by other means than those that made it.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each test uses a part of it")]

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use html5gum::{DefaultEmitter, Token, Tokenizer};
use tidings_webfeed::{Post, css};
use url::Url;

/// Under which addresses pictures are had here.
pub const PICTURES: &str = "https://p.example/";

pub const ELEMENTS: [&str; 77] = [
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "b",
    "bdi",
    "bdo",
    "big",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "data",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "main",
    "mark",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "wbr",
];

const EMPTY: [&str; 5] = ["br", "col", "hr", "img", "wbr"];

const ANYWHERE: [&str; 9] =
    ["aria-hidden", "aria-label", "class", "dir", "id", "lang", "role", "style", "title"];

const ATTRIBUTES: [(&str, &[&str]); 26] = [
    ("a", &["href", "target", "rel"]),
    ("img", &["src", "alt", "align", "width", "height"]),
    ("table", &["align", "width", "height"]),
    ("td", &["align", "width", "height", "colspan", "rowspan"]),
    ("th", &["align", "width", "height", "colspan", "rowspan", "scope"]),
    ("tr", &["align"]),
    ("thead", &["align"]),
    ("tbody", &["align"]),
    ("tfoot", &["align"]),
    ("colgroup", &["align"]),
    ("caption", &["align"]),
    ("col", &["align", "width", "height"]),
    ("hr", &["align", "width", "height"]),
    ("p", &["align"]),
    ("div", &["align"]),
    ("h1", &["align"]),
    ("h2", &["align"]),
    ("h3", &["align"]),
    ("h4", &["align"]),
    ("h5", &["align"]),
    ("h6", &["align"]),
    ("ol", &["start", "reversed", "type"]),
    ("li", &["value"]),
    ("data", &["value"]),
    ("details", &["open"]),
    ("time", &["datetime"]),
];

pub fn at() -> Url {
    Url::parse("https://a.example/feed/post.html").unwrap()
}

/// All pictures are had, but for those of one host; one that is had already stays what it is.
pub fn picture(url: &Url) -> Option<String> {
    match url.host_str() {
        Some("gone.example") => None,
        Some("p.example") => Some(url.to_string()),
        _ => Some(format!("{PICTURES}?u={}", url.as_str().replace(['(', ')', '\''], "_"))),
    }
}

pub fn parse(html: &str) -> Post {
    Post::parse(html, &at(), &mut picture)
}

pub fn undressed(html: &str) -> Post {
    Post::parse_undressed(html, &at(), &mut picture)
}

/// Whether an element of it has a `style` attribute.
pub fn has_style(html: &str) -> bool {
    Tokenizer::new(html).any(|Ok(token)| match token {
        Token::StartTag(tag) => tag.attributes.keys().any(|name| **name == *b"style"),
        _ => false,
    })
}

pub fn sanitise(css: &str) -> String {
    css::sanitise(css, &at(), &mut picture)
}

pub fn sanitise_declarations(css: &str) -> String {
    css::sanitise_declarations(css, &at(), &mut picture)
}

/// Asserts that nothing is in a section but what may be.
pub fn check_html(html: &str, of: &str) {
    let mut emitter = DefaultEmitter::<()>::default();
    emitter.naively_switch_states(true);
    let mut open = Vec::new();
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8(tag.name.0).unwrap();
                assert!(ELEMENTS.contains(&&*name), "<{name}> of {of:?}: {html}");
                for (attribute, value) in tag.attributes {
                    let attribute = String::from_utf8(attribute.0).unwrap();
                    let value = String::from_utf8(value.value.0).unwrap();
                    check_attribute(&name, &attribute, &value, of);
                }
                if !EMPTY.contains(&&*name) {
                    open.push(name);
                }
            }
            Token::EndTag(tag) => {
                let name = String::from_utf8(tag.name.0).unwrap();
                assert_eq!(open.pop(), Some(name), "of {of:?}: {html}");
            }
            // Of characters, such as those that stand for nothing.
            Token::String(_) | Token::Error(_) => {}
            other => panic!("{other:?} of {of:?}: {html}"),
        }
    }
    assert!(open.is_empty(), "{open:?} of {of:?}: {html}");
    // Each sign that could begin something does.
    assert!(!html.contains('\0') && !html.contains("<!") && !html.contains("<?"), "{html}");
    check_by_another(html, of);
}

fn check_attribute(element: &str, attribute: &str, value: &str, of: &str) {
    let known = ATTRIBUTES.iter().find(|(name, _)| *name == element);
    let is_known = ANYWHERE.contains(&attribute)
        || known.is_some_and(|(_, names)| names.contains(&attribute))
        || matches!((element, attribute), ("ins" | "del", "datetime"));
    assert!(is_known, "<{element} {attribute}> of {of:?}");
    match attribute {
        // A place in the post itself.
        "href" if value.starts_with('#') => {}
        "href" => {
            let scheme = Url::parse(value).unwrap().scheme().to_owned();
            assert!(["http", "https", "mailto", "tel"].contains(&&*scheme), "{value} of {of:?}");
        }
        "src" => assert!(value.starts_with(PICTURES), "{value} of {of:?}"),
        "style" => check_css(value, of),
        "target" => assert_eq!(value, "_blank"),
        "rel" => assert_eq!(value, "noopener noreferrer nofollow"),
        _ => {}
    }
}

static AMMONIA: LazyLock<ammonia::Builder<'static>> = LazyLock::new(ammonia);

/// Another sanitiser with the same lists, over a whole tree builder.
pub fn ammonia() -> ammonia::Builder<'static> {
    let mut attributes: HashMap<&str, HashSet<&str>> =
        ATTRIBUTES.iter().map(|(name, list)| (*name, list.iter().copied().collect())).collect();
    attributes.insert("ins", HashSet::from(["datetime"]));
    attributes.insert("del", HashSet::from(["datetime"]));
    let mut builder = ammonia::Builder::default();
    builder
        .tags(ELEMENTS.into())
        .generic_attributes(ANYWHERE.into())
        .tag_attributes(attributes)
        .url_schemes(HashSet::from(["http", "https", "mailto", "tel"]))
        .clean_content_tags(HashSet::from(["script", "style", "title", "svg", "math", "template"]))
        .link_rel(None);
    builder
}

/// A browser's tree builder finds in it what we put there, and another sanitiser nothing to take away.
fn check_by_another(html: &str, of: &str) {
    let other = AMMONIA.clean(html).to_string();
    let (ours, theirs) = (tags(html), tags(&other));
    let lost: Vec<_> = ours.difference(&theirs).collect();
    assert!(lost.is_empty(), "{lost:?} of {of:?}: {html} is {other}");
}

/// Which tags there are, and with which attributes.
fn tags(html: &str) -> BTreeSet<(String, String)> {
    let mut tags = BTreeSet::new();
    for Ok(token) in Tokenizer::new(html) {
        if let Token::StartTag(tag) = token {
            let name = String::from_utf8(tag.name.0).unwrap();
            for (attribute, _) in tag.attributes {
                tags.insert((name.clone(), String::from_utf8(attribute.0).unwrap()));
            }
            tags.insert((name, String::new()));
        }
    }
    tags
}

/// Asserts that nothing in a style sheet loads, runs, or ends the element that it is in.
pub fn check_css(css: &str, of: &str) {
    assert!(!css.contains('<') && !css.contains('\0'), "{css} of {of:?}");
    // A reader of its own: strings are taken out, escapes undone, and comments are not there.
    let plain = plain(css).to_ascii_lowercase();
    for word in [
        "@import",
        "@font-face",
        "@namespace",
        "@property",
        "@charset",
        "@page",
        "@document",
        "expression(",
        "image-set(",
        "image(",
        "element(",
        "paint(",
        "src(",
        "cross-fade(",
        "behavior:",
        "-moz-binding",
        "::part",
        "::slotted",
        "javascript",
        "{src:",
        ";src:",
    ] {
        assert!(!plain.contains(word), "{word} in {css} of {of:?}");
    }
    for (at, _) in plain.match_indices("url(") {
        assert!(plain[at..].starts_with("url(\"\u{1}"), "{css} of {of:?}");
    }
    for declaration in plain.split(['{', '}', ';']) {
        let is_fixed = declaration.strip_prefix("position:").is_some_and(|value| {
            let value = value.trim_end_matches("!important");
            matches!(value, "fixed" | "sticky" | "-webkit-sticky") || value.contains("var(")
        });
        let is_rule = plain.contains(&format!("{declaration}{{"));
        assert!(!is_fixed || is_rule, "{css} of {of:?}");
    }
    for selector in plain.split('{') {
        let selector = selector.rsplit([';', '}']).next().unwrap_or_default();
        let is_last = plain.ends_with(selector);
        let is_name = |c: char| c.is_alphanumeric() || "-_".contains(c) || !c.is_ascii();
        let mut hosts = selector.match_indices(":host");
        let has_host = hosts.any(|(at, host)| !selector[at + host.len()..].starts_with(is_name));
        assert!(is_last || !has_host, "{css} of {of:?}");
    }
    assert_eq!(plain.matches('{').count(), plain.matches('}').count(), "{css} of {of:?}");
}

/// A sheet with what is in strings as one sign, if it is a picture's address, or another.
fn plain(css: &str) -> String {
    let mut plain = String::new();
    let mut chars = css.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                let mut string = String::new();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    string.push(if c == '\\' { escape(&mut chars) } else { c });
                }
                plain.push_str(if string.starts_with(PICTURES) { "\"\u{1}" } else { "\"\u{2}" });
                plain.push('"');
            }
            '\\' => plain.push(escape(&mut chars)),
            '/' if chars.peek() == Some(&'*') => {
                assert_eq!(
                    (chars.next(), chars.next(), chars.next()),
                    (Some('*'), Some('*'), Some('/'))
                );
                plain.push(' ');
            }
            c => plain.push(c),
        }
    }
    plain
}

fn escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> char {
    let mut digits = String::new();
    while digits.len() < 6
        && let Some(digit) = chars.next_if(char::is_ascii_hexdigit)
    {
        digits.push(digit);
    }
    if digits.is_empty() {
        // What is escaped as itself begins nothing.
        return chars
            .next()
            .map_or('\u{fffd}', |c| if c.is_ascii_alphanumeric() { c } else { '_' });
    }
    chars.next_if_eq(&' ');
    let code = u32::from_str_radix(&digits, 16).unwrap();
    let c = char::from_u32(code).unwrap_or('\u{fffd}');
    if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }
}
