//! What is wrong with a webfeed, and why.

mod facts;

use tidings_document::{Finding, Findings, Place, Rule, rule::webfeed as rules};
use tidings_feed::decode_page;
use url::Url;

use crate::{Identity, Index, IndexError, Post};
use facts::Facts;

/// How long an excerpt may be, in characters.
const EXCERPT: usize = 100;

/// What a server said about the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Served {
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// The `Content-Length` in answer to HEAD; none if it has no HEAD, or says none.
    pub head_length: Option<u64>,
    /// How many bytes came in answer to GET.
    pub length: u64,
}

/// Checks an index. What the server said of it is checked, too, if it came from one.
#[must_use]
pub fn index(bytes: &[u8], at: &Url, served: Option<&Served>) -> (Findings, Option<Index>) {
    let mut findings = Findings::default();
    if let Some(served) = served {
        serving(&mut findings, served);
    }
    let is_marked = encoding_rs::Encoding::for_bom(bytes).is_some();
    if !is_marked && std::str::from_utf8(bytes).is_err() {
        push(&mut findings, rules::INDEX_ENCODING, 0, "it has bytes that are not UTF-8", "");
    }
    let index = match Index::parse(bytes, at) {
        Ok(index) => index,
        Err(error) => {
            let rule = match error {
                IndexError::Html => rules::INDEX_HTML,
                IndexError::Binary => rules::INDEX_BINARY,
                IndexError::Nothing { .. } => rules::INDEX_ADDRESS,
            };
            push(&mut findings, rule, 0, &error.to_string(), "");
            return (findings, None);
        }
    };
    for (line, why) in &index.odd {
        push(&mut findings, rules::INDEX_ADDRESS, *line, why, "");
    }
    let is_below = Index::folder(at).path() != "/";
    let text = String::from_utf8_lossy(bytes);
    let mut seen = std::collections::HashSet::new();
    for (number, line) in text.lines().map(str::trim).enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if is_below && line.starts_with('/') && !line.starts_with("//") {
            let detail = format!(
                "it is read as {}",
                at.join(line).map_or_else(|_| line.to_owned(), String::from)
            );
            push(&mut findings, rules::INDEX_ROOT, number + 1, &detail, line);
        }
        if seen.len() <= Index::MOST_LINES && !seen.insert(line) {
            push(&mut findings, rules::INDEX_TWICE, number + 1, "it stands there already", line);
        }
    }
    if index.left_out > 0 {
        let detail = format!("it has {} more", index.left_out);
        push(&mut findings, rules::INDEX_MANY, 0, &detail, "");
    }
    findings.sort();
    (findings, Some(index))
}

fn serving(findings: &mut Findings, served: &Served) {
    let kind = served.content_type.as_deref().unwrap_or_default();
    let name = kind.split(';').next().unwrap_or_default().trim();
    if !name.eq_ignore_ascii_case("text/plain") {
        let said = if name.is_empty() { "no type is said" } else { name };
        push(findings, rules::INDEX_TYPE, 0, &format!("Content-Type: {said}"), "");
    }
    match served.head_length {
        None => push(findings, rules::POLL_LENGTH, 0, "HEAD says no Content-Length", ""),
        Some(length) if length != served.length => {
            let detail = format!("HEAD says {length}, and {} bytes came", served.length);
            push(findings, rules::POLL_DIFFERS, 0, &detail, "");
        }
        Some(_) => {}
    }
}

/// Checks a post.
#[must_use]
pub fn post(bytes: &[u8], content_type: Option<&str>, at: &Url) -> (Findings, Post) {
    let mut findings = Findings::default();
    if bytes.len() as u64 > Post::MOST_BYTES {
        let detail = format!("it has {} bytes", bytes.len());
        push(&mut findings, rules::POST_LARGE, 0, &detail, "");
    }
    let text = decode_page(bytes, content_type);
    let post = Post::parse(&text, at, &mut |_| None);
    let facts = Facts::of(&text);
    if post.sections.is_empty() {
        push(&mut findings, rules::POST_SECTION, 0, "it has no section", "");
    } else if facts.top == 0 {
        push(&mut findings, rules::POST_NESTED, 0, "its sections are within another element", "");
    }
    if post.left_out > 0 {
        let detail = format!("it has {}", post.sections.len() + post.left_out);
        push(&mut findings, rules::POST_MANY, 0, &detail, "");
    }
    if facts.has_body {
        push(&mut findings, rules::POST_BODY, 0, "it has a <body> tag", "");
    }
    if let Some(outside) = &facts.outside
        && !post.sections.is_empty()
    {
        push(&mut findings, rules::POST_OUTSIDE, 0, &format!("{outside:?} is in none"), "");
    }
    for name in &facts.ignored {
        push(&mut findings, rules::POST_IGNORED, 0, &format!("it has <{name}>"), "");
    }
    for name in &facts.handlers {
        push(&mut findings, rules::POST_HANDLER, 0, &format!("it has {name}=\"…\""), "");
    }
    let says_charset = content_type
        .is_some_and(|kind| kind.to_ascii_lowercase().contains("charset"))
        || facts.says_charset
        || encoding_rs::Encoding::for_bom(bytes).is_some();
    if !bytes.is_ascii() && !says_charset {
        push(&mut findings, rules::POST_ENCODING, 0, "it does not say its encoding", "");
    }
    (findings, post)
}

/// What is wrong with the type that a server says a post is of.
#[must_use]
pub fn not_a_page(content_type: Option<&str>) -> Option<Finding> {
    let name = content_type.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
    let is_page =
        ["text/html", "application/xhtml+xml"].iter().any(|it| name.eq_ignore_ascii_case(it));
    let said =
        if name.is_empty() { "it is of no type".to_owned() } else { format!("it is {name}") };
    (!is_page).then(|| finding(rules::POST_TYPE, &said))
}

/// Checks whose webfeed it is.
#[must_use]
pub fn identity(identity: &Identity) -> Findings {
    let mut findings = Findings::default();
    let said = [
        (identity.author.is_some(), rules::AUTHOR, "neither says an author"),
        (identity.description.is_some(), rules::DESCRIPTION, "neither says a description"),
        (identity.icon.is_some(), rules::ICON, "neither names an icon"),
    ];
    for (is_said, rule, detail) in said {
        if !is_said {
            push(&mut findings, rule, 0, detail, "");
        }
    }
    findings
}

/// A finding about a webfeed.
#[must_use]
pub fn finding(rule: &'static Rule, detail: &str) -> Finding {
    Finding { rule, detail: detail.to_owned(), place: Place::default(), excerpt: String::new() }
}

fn push(findings: &mut Findings, rule: &'static Rule, line: usize, detail: &str, excerpt: &str) {
    let place = Place { line: line as u64, entry: None };
    let excerpt = excerpt.chars().take(EXCERPT).collect();
    findings.push(Finding { rule, detail: detail.to_owned(), place, excerpt });
}
