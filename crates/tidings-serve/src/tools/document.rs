//! A document as it is, in colours, with its links to be followed.

use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{Response, StatusCode};
use serde::Deserialize;
use tidings_base::text::{grouped, size, visible_on_page};
use tidings_document::{Capability, Form, Head, Reader};
use tidings_web::{Fetched, charset};

use super::asked::{Asked, Coming};
use super::window::{Start, Window};
use super::{address, highlight};
use crate::api::Problem;
use crate::frame::{Frame, show, show_as};
use crate::parts::{encoded, short};
use crate::state::Shared;

/// How many bytes a document may have to be shown, uncompressed.
const MOST_BYTES: u64 = 50 << 20;
/// How long it may take to have it.
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    url: String,
    /// The first line.
    #[serde(default)]
    from: String,
    /// How many bytes of it are passed over.
    #[serde(default)]
    skip: String,
}

#[derive(Template)]
#[template(path = "document.html")]
struct Page {
    f: Frame,
    url: String,
    query: String,
    problem: Option<String>,
    asks: bool,
    found: Option<View>,
}

/// What is shown of a document.
struct View {
    kind: String,
    facts: String,
    /// Where it was in the end, if that is elsewhere.
    moved: Option<String>,
    /// Why it may look strange.
    note: Option<String>,
    /// The lines that are shown, and of how many; empty if these are all.
    range: String,
    previous: Option<String>,
    next: Option<String>,
    html: Option<String>,
}

pub(super) async fn page(
    State(state): State<Shared>,
    asked: Asked,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response<Body>, Problem> {
    let Query(wanted) = wanted?;
    let form = |is_wrong, url: String| Page {
        f: Frame {
            at: if is_wrong { "/document".to_owned() } else { asked.visitor.at.clone() },
            ..asked.frame(&state, "explore", "Document", is_wrong)
        },
        query: encoded(&url),
        url,
        problem: None,
        asks: false,
        found: None,
    };
    if wanted.url.is_empty() {
        return show(&form(false, String::new()));
    }
    let url = match address::parse(&wanted.url) {
        Ok(url) => url,
        Err(reason) => {
            let problem = Some(reason.to_owned());
            let page = Page { problem, ..form(true, address::shown(&wanted.url)) };
            return show_as(StatusCode::BAD_REQUEST, &page);
        }
    };
    if asked.coming(&state)? == Coming::Link {
        return show(&Page { asks: true, ..form(false, url.into()) });
    }
    asked.take(&state)?;
    let client = state.tools.client()?;
    let getting = asked.getting(&url);
    let got = tokio::time::timeout(LONGEST, client.get(&url, &getting)).await;
    let mut page = form(false, url.to_string());
    page.f.title = format!("Document {}", short(url.as_str(), 100));
    let fetched = match got {
        Ok(Ok(fetched)) => fetched,
        Ok(Err(error)) => return refused(page, error.to_string()),
        Err(_) => {
            let longest = LONGEST.as_secs();
            return refused(page, format!("{url} could not be had within {longest} seconds"));
        }
    };
    // Only so many at once: each is in memory as a whole.
    let room = Arc::clone(&state.tools.documents).acquire_owned().await.map_err(Problem::ours)?;
    let number = |text: &str, usual: usize| text.parse().unwrap_or(usual);
    let from = Start { line: number(&wanted.from, 1), skip: number(&wanted.skip, 0) };
    let (query, root, moved) = (page.query.clone(), page.f.root.clone(), fetched.url != url);
    let view = tokio::task::spawn_blocking(move || {
        let _room = room;
        let moved = moved.then(|| fetched.url.to_string());
        view(fetched, from, &query, &root).map(|view| View { moved, ..view })
    });
    match view.await.map_err(Problem::ours)? {
        Ok(view) => {
            page.found = Some(view);
            show(&page)
        }
        Err(reason) => refused(page, format!("{url} {reason}")),
    }
}

fn refused(page: Page, reason: String) -> Result<Response<Body>, Problem> {
    show_as(StatusCode::UNPROCESSABLE_ENTITY, &Page { problem: Some(reason), ..page })
}

fn view(fetched: Fetched, from: Start, query: &str, root: &str) -> Result<View, String> {
    let too_large = || {
        let most = MOST_BYTES >> 20;
        format!(
            "has more than {most} MiB, which is more than can be shown; it can still be checked"
        )
    };
    if fetched.body.len() > MOST_BYTES {
        return Err(too_large());
    }
    let content_type = fetched.content_type.as_deref().map(|it| short(&visible_on_page(it), 100));
    let label = fetched.content_type.as_deref().and_then(charset);
    let sent = fetched.body.len();
    let bytes = fetched.body.opening(MOST_BYTES + 1);
    let bytes = bytes.map_err(|error| format!("could not be uncompressed: {error}"))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(too_large());
    }
    let length = bytes.len() as u64;
    let mut facts = vec![size(length)];
    if sent < length {
        facts.push(format!("{} compressed", size(sent)));
    }
    facts.extend(content_type);
    let head = Reader::new(&bytes[..]).head().ok().cloned();
    let kind = head.as_ref().map_or_else(|| "Not a document of a Source".to_owned(), Head::title);
    let leads_on = head.as_ref().is_some_and(leads_on);
    let nothing = |kind: String, facts: &[String], note: String| View {
        kind,
        facts: facts.join(", "),
        moved: None,
        note: Some(note),
        range: String::new(),
        previous: None,
        next: None,
        html: None,
    };
    let (text, note) = match decode(bytes, label.as_deref()) {
        Ok(decoded) => decoded,
        Err(note) => return Ok(nothing("Not text".to_owned(), &facts, note)),
    };
    if text.is_empty() {
        return Ok(nothing("Nothing".to_owned(), &facts, "It is empty.".to_owned()));
    }
    let window = Window::of(&text, from);
    let to = |start: Start| {
        let skip = if start.skip > 0 { format!("&skip={}", start.skip) } else { String::new() };
        format!("document?url={query}&from={}{skip}", start.line)
    };
    Ok(View {
        html: Some(highlight::html(&text, &window, leads_on, root)),
        range: range(&window),
        previous: window.previous.map(to),
        next: window.next.map(to),
        ..nothing(kind, &facts, String::new())
    })
    .map(|view| View { note, ..view })
}

/// Which lines are shown, and of how many.
fn range(window: &Window) -> String {
    let of = grouped(window.lines as u64);
    let part = match (window.from.skip, window.is_cut()) {
        (0, false) => "",
        _ => ", the first or last in part",
    };
    let (first, last) = (grouped(window.from.line as u64), grouped(window.last as u64));
    match (&window.previous, &window.next) {
        (None, None) => format!("{of} {}", if window.lines == 1 { "line" } else { "lines" }),
        _ => format!("Lines {first} to {last} of {of}{part}"),
    }
}

/// Whether the entries of a document lead to documents.
fn leads_on(head: &Head<'_>) -> bool {
    let leads = |capability: Capability| {
        matches!(capability, Capability::Description | Capability::CapabilityList)
            || capability.is_archive()
    };
    head.form == Form::Index || head.capability().is_some_and(leads)
}

/// The text, and what is to be said about it; or why there is none.
fn decode(bytes: Vec<u8>, label: Option<&str>) -> Result<(String, Option<String>), String> {
    if let [0xfe, 0xff, rest @ ..] = &bytes[..] {
        return Ok((wide(rest, u16::from_be_bytes), None));
    }
    if let [0xff, 0xfe, rest @ ..] = &bytes[..] {
        return Ok((wide(rest, u16::from_le_bytes), None));
    }
    if is_binary(&bytes) {
        let first: Vec<String> = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let what = match &bytes[..] {
            [b'P', b'K', 3 | 5, 4 | 6, ..] => "It is a ZIP file, and no text",
            [0x1f, 0x8b, ..] => "It is compressed more than once over",
            _ => "It is no text",
        };
        return Err(format!("{what}: its first bytes are {}.", first.join(" ")));
    }
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => rest.to_vec(),
        None => bytes,
    };
    let latin = ["iso-8859-1", "latin1", "windows-1252", "us-ascii"];
    let is_latin = label
        .is_some_and(|label| latin.iter().any(|name| label.trim().eq_ignore_ascii_case(name)))
        || says_latin(&bytes);
    match String::from_utf8(bytes) {
        Ok(text) => Ok((text, None)),
        Err(error) if is_latin => {
            Ok((error.as_bytes().iter().map(|byte| char::from(*byte)).collect(), None))
        }
        Err(error) => {
            let note = "It has bytes that are not UTF-8; they are shown as \u{fffd}.".to_owned();
            Ok((String::from_utf8_lossy(error.as_bytes()).into_owned(), Some(note)))
        }
    }
}

/// Whether the XML declaration names a Latin alphabet.
fn says_latin(bytes: &[u8]) -> bool {
    let first = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).to_ascii_lowercase();
    let declaration = first.split("?>").next().unwrap_or_default();
    declaration.contains("iso-8859-1") || declaration.contains("windows-1252")
}

/// UTF-16.
fn wide(bytes: &[u8], of: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| of([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Whether the beginning has what no text has.
fn is_binary(bytes: &[u8]) -> bool {
    let first = &bytes[..bytes.len().min(4_096)];
    let odd = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    first.contains(&0) || first.iter().filter(odd).count() * 10 > first.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_text_if_they_can() {
        let text = |bytes: &[u8], label| decode(bytes.to_vec(), label).map(|(text, _)| text);
        assert_eq!(text(b"\xef\xbb\xbfa", None).as_deref(), Ok("a"));
        assert_eq!(text(b"\xff\xfe<\0a\0\x3d\xd8", None).as_deref(), Ok("<a\u{fffd}"));
        assert_eq!(text(b"\xfe\xff\0<\0a\0", None).as_deref(), Ok("<a"));
        assert_eq!(text(b"caf\xe9", Some("ISO-8859-1")).as_deref(), Ok("café"));
        let declared = b"<?xml version='1.0' encoding='iso-8859-1'?>\xe9";
        assert!(text(declared, None).is_ok_and(|text| text.ends_with('é')));
        assert_eq!(text(b"caf\xe9", None).as_deref(), Ok("caf\u{fffd}"));
        for (binary, part) in [
            (&b"PK\x03\x04\x14\0\0\0"[..], "ZIP file"),
            (b"\x89PNG\r\n\x1a\n\0\0\0", "89 50 4e 47"),
            (b"\x01\x02\x03", "no text"),
        ] {
            assert!(text(binary, None).is_err_and(|note| note.contains(part)), "{part}");
        }
    }
}
