//! What is wrong with a webfeed, and why.

mod facts;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tidings_document::{Finding, Findings, Place, Rule, rule::webfeed as rules};
use tidings_feed::decode_page;
use url::Url;

use crate::index::{address, end_of_line, text_of};
use crate::{
    Identity, Index, IndexError, Picture, PictureError, Post, Subresource, SubresourceKind, css,
};
use facts::Facts;

/// How long an excerpt may be, in characters.
const EXCERPT: usize = 100;
/// How the comment begins that says where a folder is served.
const SERVED_AT: &str = "# served at ";

/// What a server said about the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Served {
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// The `Content-Length` in answer to HEAD; none if it has no HEAD, or says none.
    pub head_length: Option<u64>,
    /// How HEAD failed, such as `answered with 405 Method Not Allowed`.
    pub head_trouble: Option<String>,
    /// How many bytes came in answer to GET.
    pub length: u64,
}

/// Checks an index. What the server said of it is checked, too, if it came from one.
#[must_use]
pub fn index(bytes: &[u8], at: &Url, served: Option<&Served>) -> (Findings, Option<Index>) {
    index_at(bytes, at, true, served)
}

/// Checks an index that is a file, and says at what address: the one that its comment `# served at`
/// has, or else the one that stands for wherever the folder will be served.
#[must_use]
pub fn index_file(bytes: &[u8], anywhere: &Url) -> (Findings, Option<Index>, Url) {
    let served_at = served_at(bytes);
    let is_known = served_at.is_some();
    let at = served_at.unwrap_or_else(|| anywhere.clone());
    let (findings, index) = index_at(bytes, &at, is_known, None);
    (findings, index, at)
}

/// Where the index says that it is served.
fn served_at(bytes: &[u8]) -> Option<Url> {
    let text = text_of(bytes).ok()?;
    let said = text.split(end_of_line(&text)).find_map(|line| line.strip_prefix(SERVED_AT))?;
    let url = Url::parse(said.trim()).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https");
    Index::folder(&url).join("index.txt").ok().filter(|_| is_web)
}

fn index_at(
    bytes: &[u8],
    at: &Url,
    is_known: bool,
    served: Option<&Served>,
) -> (Findings, Option<Index>) {
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
    of_lines(&mut findings, &text_of(bytes).unwrap_or_default(), at, is_known);
    if index.left_out > 0 {
        let detail = format!("it has {} more", index.left_out);
        push(&mut findings, rules::INDEX_MANY, 0, &detail, "");
    }
    findings.sort();
    (findings, Some(index))
}

/// What is wrong with lines by how they are written. Where the index will be is known, or not.
fn of_lines(findings: &mut Findings, text: &str, at: &Url, is_known: bool) {
    let folder = Index::folder(at);
    let is_below = !is_known || folder.path() != "/";
    let mut seen: HashMap<Url, usize> = HashMap::new();
    let lines = text.split(end_of_line(text)).map(str::trim).zip(1..);
    let posts = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    for (looked_at, (line, number)) in posts.enumerate() {
        if is_below && line.starts_with('/') && !line.starts_with("//") {
            let detail = match at.join(line) {
                Ok(url) if is_known => format!("it is read as {url}"),
                _ => "it is read at the root of the host, wherever the folder is served".to_owned(),
            };
            push(findings, rules::INDEX_ROOT, number, &detail, line);
        }
        if seen.len() > Index::MOST_LINES || looked_at >= Index::MOST_LOOKED_AT {
            continue;
        }
        // As readers compare them: however the line is written, and wherever on the page it leads.
        let Ok(url) = address(line, &folder) else { continue };
        match seen.entry(url) {
            Entry::Vacant(free) => _ = free.insert(number),
            Entry::Occupied(first) => {
                let detail = format!("line {} names it already", first.get());
                push(findings, rules::INDEX_TWICE, number, &detail, line);
            }
        }
    }
}

fn serving(findings: &mut Findings, served: &Served) {
    let kind = served.content_type.as_deref().unwrap_or_default();
    let name = kind.split(';').next().unwrap_or_default().trim();
    if !name.eq_ignore_ascii_case("text/plain") {
        let said = if name.is_empty() { "no type is said" } else { name };
        push(findings, rules::INDEX_TYPE, 0, &format!("Content-Type: {said}"), "");
    }
    match served.head_length {
        None => {
            let trouble = served.head_trouble.as_ref().map(|it| format!("HEAD is {it}"));
            let detail = trouble.as_deref().unwrap_or("HEAD says no Content-Length");
            push(findings, rules::POLL_LENGTH, 0, detail, "");
        }
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
    for (number, chars) in overflowing(&post) {
        let detail = format!("section {number} has about {chars} characters");
        push(&mut findings, rules::POST_OVERFLOW, 0, &detail, "");
    }
    for name in &facts.linked {
        push(&mut findings, rules::POST_LINKED, 0, &format!("it has <{name}>"), "");
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

/// Whether something is a post, and no index: a page, by its name, its type or by how it begins, that is not
/// called a text.
#[must_use]
pub fn is_post(name: &str, content_type: Option<&str>, bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let is_page = || not_a_page(content_type).is_none() || text.starts_with(b"<");
    !has_extension(name, &["txt"]) && (is_page_name(name) || is_page())
}

/// Whether something is called a page.
#[must_use]
pub fn is_page_name(name: &str) -> bool {
    has_extension(name, &["html", "htm", "xhtml"])
}

fn has_extension(name: &str, extensions: &[&str]) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    extensions.iter().any(|it| extension.eq_ignore_ascii_case(it))
}

/// What is wrong with a file that a post uses, as readers would take it.
#[must_use]
pub fn subresource(one: &Subresource, bytes: &[u8], content_type: Option<&str>) -> Option<Finding> {
    let url = &one.url;
    let length = bytes.len() as u64;
    let large = |most: u64| {
        (length > most)
            .then(|| finding(rules::SUBRESOURCE_LARGE, &format!("{url} has {length} bytes")))
    };
    match one.kind {
        SubresourceKind::StyleSheet => large(css::MAX_BYTES).or_else(|| {
            let kind = content_type.unwrap_or("text/css").to_ascii_lowercase();
            let is_page = kind.contains("html") || bytes.trim_ascii_start().starts_with(b"<");
            is_page.then(|| finding(rules::SUBRESOURCE_KIND, &format!("{url} is no style sheet")))
        }),
        SubresourceKind::Picture | SubresourceKind::Icon => {
            large(Picture::MAX_BYTES).or_else(|| {
                let error = Picture::read(bytes).err()?;
                let rule = match error {
                    PictureError::TooLarge { .. } => rules::SUBRESOURCE_LARGE,
                    PictureError::Kind | PictureError::Damaged(_) => rules::SUBRESOURCE_KIND,
                };
                Some(finding(rule, &format!("{url}: {error}")))
            })
        }
        SubresourceKind::Other => None,
    }
}

/// How many characters, without white space, may be on one screen: more than a small one holds.
const MAX_SCREEN_CHARS: usize = 1_200;

/// The sections of a post that may not fit on a screen, by their numbers from 1, and how many characters
/// they have.
#[must_use]
pub fn overflowing(post: &Post) -> Vec<(usize, usize)> {
    let sections = (1..).zip(&post.sections);
    let chars = sections.map(|(number, section)| (number, section.chars));
    chars.filter(|(_, chars)| *chars > MAX_SCREEN_CHARS).collect()
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
        (identity.author.is_some(), rules::AUTHOR, "says an author"),
        (identity.description.is_some(), rules::DESCRIPTION, "says a description"),
        (identity.icon.is_some(), rules::ICON, "names an icon"),
    ];
    for (is_said, rule, what) in said {
        if !is_said {
            let detail = format!("neither the page of the folder nor the newest post {what}");
            push(&mut findings, rule, 0, &detail, "");
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
