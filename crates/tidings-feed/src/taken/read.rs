//! From what `feed-rs` makes of a feed.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use feed_rs::model::{self, Content, FeedType, Image, Link, Person, Text};
use feed_rs::parser::{Builder, ParseErrorKind, ParseFeedError};
use jiff::Timestamp;
use url::Url;

use crate::survey::{self, Survey};
use crate::{FeedError, TakenEntry, TakenFeed, html, language, plain, uri};

/// How many entries are taken over.
const MOST_ENTRIES: usize = 1000;

pub(super) struct Read {
    pub(super) feed: TakenFeed,
    pub(super) icon: Option<Url>,
}

pub(super) fn document(text: &str, url: &Url) -> Result<Read, FeedError> {
    let text = text.trim_start();
    let parsed = match text.as_bytes().first() {
        None => return Err(FeedError::Empty),
        Some(b'{') => json(text, url)?,
        Some(b'<') => xml(text, url)?,
        Some(_) => return Err(FeedError::Other { found: "neither XML nor JSON".into() }),
    };
    let icon = parsed.icon.as_ref().or(parsed.logo.as_ref());
    let icon = icon.and_then(|Image { uri, .. }| uri::resolve(url, uri));
    Ok(Read { icon, feed: feed(&parsed, url) })
}

fn json(text: &str, url: &Url) -> Result<model::Feed, FeedError> {
    parse(text, url).map_err(|failure| match failure {
        Some(ParseFeedError::JsonSerde(error)) if !error.is_data() => {
            FeedError::Broken { line: error.line(), reason: error.to_string() }
        }
        Some(_) => FeedError::Other { found: "some other JSON".into() },
        None => FeedError::Broken { line: 1, reason: FELL.into() },
    })
}

fn xml(text: &str, url: &Url) -> Result<model::Feed, FeedError> {
    if html::is_html(text) {
        return Err(FeedError::Html);
    }
    let mut survey = Survey::of(text);
    let mut mended = survey.fault.is_some().then(|| survey::mended(text));
    if let Some(text) = &mended {
        survey = Survey::of(text);
    }
    if survey.has_entities {
        return Err(FeedError::Entities);
    }
    if survey.is_deep {
        return Err(FeedError::Deep);
    }
    match &survey.root[..] {
        "feed" | "entry" => {}
        "RDF" => mended = as_rss_1(mended.as_deref().unwrap_or(text)).or(mended),
        "rss" => mended = with_version(mended.as_deref().unwrap_or(text)).or(mended),
        "html" => return Err(FeedError::Html),
        "" => {
            return Err(FeedError::Broken { line: 1, reason: "there is no element in it".into() });
        }
        root => return Err(FeedError::Other { found: format!("XML that begins with <{root}>") }),
    }
    let text = mended.as_deref().unwrap_or(text);
    // It is text already: what the declaration says of its encoding is over.
    let body = text.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>"));
    let body = body.map_or(text, |(_, body)| body);
    parse(body, url).map_err(|failure| {
        let (line, reason) = survey.fault.unwrap_or_else(|| {
            let at = failure.as_ref().and_then(position).unwrap_or_default();
            let reason = failure.map_or_else(|| FELL.to_owned(), |error| error.to_string());
            (survey::line(text, text.len() - body.len() + at), reason)
        });
        FeedError::Broken { line, reason }
    })
}

/// What is said where `feed-rs` has nothing to say.
const FELL: &str = "a value in it cannot be understood";

/// A parser of strangers' documents may fall over one of them, which is the error `None`; that must
/// not take the caller with it. It is not used again, so its state does not matter.
fn parse(text: &str, url: &Url) -> Result<model::Feed, Option<ParseFeedError>> {
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        // Made up by itself, an id would be another each time.
        let builder = Builder::new().base_uri(Some(url)).id_generator(|_, _, _| String::new());
        builder.sanitize_content(false).build().parse(text.as_bytes())
    }));
    parsed.map_err(|_| None)?.map_err(Some)
}

/// Where in the text something is wrong that is no fault of the markup.
fn position(error: &ParseFeedError) -> Option<usize> {
    let ParseFeedError::ParseError(kind) = error else { return None };
    match kind {
        ParseErrorKind::NoFeedRoot => None,
        ParseErrorKind::UnknownMimeType { position, .. }
        | ParseErrorKind::MissingContent { position, .. }
        | ParseErrorKind::UnknownEnumVariant { position, .. }
        | ParseErrorKind::IllegalState { position, .. } => usize::try_from(*position).ok(),
    }
}

/// The text with the version 2.0 in the tag of its root, if `feed-rs` would not know the one that is
/// there, or there is none: all of the versions up to it are much the same.
fn with_version(text: &str) -> Option<String> {
    let start = text.find("<rss")?;
    let end = start + text[start..].find('>')?;
    let tag = &text[start + 4..end];
    let Some((before, after)) = tag.split_once("version") else {
        return Some(format!("{} version=\"2.0\"{}", &text[..start + 4], &text[start + 4..]));
    };
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| "\"'".contains(*quote))?;
    let (version, rest) = value[1..].split_once(quote)?;
    let is_known = matches!(version, "2.0" | "" | "0.91" | "0.92");
    let all = || [&text[..start + 4], before, "version=\"2.0\"", rest, &text[end..]].concat();
    (!is_known).then(all)
}

/// The namespaces of RSS 0.90, as Netscape wrote it and as it was written for Netscape.
const RSS_0_90: [&str; 2] =
    ["http://my.netscape.com/rdf/simple/0.9/", "http://channel.netscape.com/rdf/simple/0.9/"];
const RSS_1_0: &str = "http://purl.org/rss/1.0/";

/// The text of an RSS 0.90 feed in the namespace of RSS 1.0, which `feed-rs` knows: their elements are the
/// same. None if it is in neither of the namespaces of RSS 0.90.
fn as_rss_1(text: &str) -> Option<String> {
    let namespace = RSS_0_90.into_iter().find(|namespace| text.contains(namespace))?;
    Some(text.replace(namespace, RSS_1_0))
}

fn feed(parsed: &model::Feed, url: &Url) -> TakenFeed {
    let kind = &parsed.feed_type;
    let mut seen = HashSet::new();
    TakenFeed {
        title: parsed.title.as_ref().and_then(|text| line(text, kind)),
        author: parsed.authors.iter().chain(&parsed.contributors).find_map(name),
        language: parsed.language.as_deref().and_then(language::tag),
        description: parsed.description.as_ref().and_then(|text| line(text, kind)),
        home: page(&parsed.links, url),
        entries: parsed
            .entries
            .iter()
            .filter_map(|one| entry(one, kind, url))
            .filter(|entry| seen.insert(entry.id.clone()))
            .take(MOST_ENTRIES)
            .collect(),
    }
}

/// `None` for an entry in which there is nothing.
fn entry(parsed: &model::Entry, kind: &FeedType, url: &Url) -> Option<TakenEntry> {
    let title = parsed.title.as_ref().and_then(|text| line(text, kind));
    let [published, updated] = [parsed.published, parsed.updated].map(|time| {
        let time = time?;
        let nanos = i32::try_from(time.timestamp_subsec_nanos()).ok()?;
        Timestamp::new(time.timestamp(), nanos).ok()
    });
    let summary = parsed.summary.as_ref().and_then(|text| line(text, kind));
    let summary = summary.or_else(|| content(parsed.content.as_ref()?));
    let id = parsed.id.trim();
    // RSS lets the id stand for the link.
    let by_id = || uri::web(id).and_then(|link| Url::parse(&link).ok());
    let link = page(&parsed.links, url).or_else(by_id);
    let id = match &link {
        _ if !id.is_empty() => id.to_owned(),
        Some(link) => link.to_string(),
        None => {
            let what = title.as_deref().or(summary.as_deref())?;
            let when = published.or(updated).map(|time| format!(" {time}"));
            let text = format!("{what}{}", when.unwrap_or_default());
            uri::identifier(&[&text]).into_owned()
        }
    };
    Some(TakenEntry { id, title, link, published, updated, summary })
}

/// The page for people among the links: the first that is one, or that may be one.
fn page(links: &[Link], url: &Url) -> Option<Url> {
    let is_alternate = |link: &&Link| {
        link.target.is_none() && link.rel.as_deref().is_none_or(|rel| rel == "alternate")
    };
    let is_other = |link: &&Link| link.media_type.as_deref().is_some_and(|t| !t.contains("html"));
    let mut pages: Vec<&Link> = links.iter().filter(is_alternate).collect();
    pages.sort_by_key(is_other);
    let pages: Vec<Url> = pages.iter().filter_map(|link| uri::resolve(url, &link.href)).collect();
    // JSON Feed's own address is among them, unmarked.
    pages.iter().find(|page| *page != url).or(pages.first()).cloned()
}

/// The name of a person, without the brackets of `a@b.example (Anna)`.
fn name(person: &Person) -> Option<String> {
    plain::line(person.name.as_deref()?.trim_matches(['(', ')', ' ']))
}

fn content(content: &Content) -> Option<String> {
    let body = content.body.as_deref()?;
    match content.content_type.subty().as_str() {
        "plain" => plain::line(body),
        _ => html::line(body),
    }
}

/// A title or the like. Atom and JSON Feed say whether there is markup in it; RSS does not, so that
/// is guessed.
fn line(text: &Text, kind: &FeedType) -> Option<String> {
    let content = &text.content;
    let is_plain = text.content_type.subty().as_str() == "plain";
    let is_said = matches!(kind, FeedType::Atom | FeedType::JSON);
    if is_plain && (is_said || !has_markup(content)) {
        return plain::line(content);
    }
    html::line(content)
}

/// Whether something in the text looks like a tag or an entity.
fn has_markup(text: &str) -> bool {
    let tag = |(at, _): (usize, &str)| {
        let rest = text[at + 1..].trim_start_matches('/');
        rest.starts_with(|c: char| c.is_ascii_alphabetic()) && rest.contains('>')
    };
    let entity = |(at, _): (usize, &str)| {
        let name = text[at + 1..].split(';').next().unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '#';
        (2..=32).contains(&name.len())
            && name.len() < text.len() - at - 1
            && name.chars().all(is_name)
    };
    text.match_indices('<').take(64).any(tag) || text.match_indices('&').take(64).any(entity)
}

#[cfg(test)]
mod tests;
