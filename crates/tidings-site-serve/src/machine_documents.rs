//! What crawlers, copies and followers want: `/robots.txt`, the sitemap, the ResourceSync documents, the
//! feed. All of it is made when it is asked for.

use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, VARY};
use axum::http::{HeaderValue, Method, StatusCode};
use sha2::{Digest as _, Sha256};
use tidings_http::conditional::takes_gzip;
use tidings_site::documents::{Between, DocumentError, Documents};
use tidings_site::{OpenError, Sitemap, news, robots};

use super::answer_error::AnswerError;
use super::page::{Who, made};
use super::site_request::Asked;
use super::site_response::{Answer, keeping, marked, streamed, text, with};
use super::state::SharedSite;

const XML: &str = "application/xml; charset=utf-8";

/// `/robots.txt`, which is there whatever else is not: without it, crawlers stay away from everything (RFC
/// 9309, section 2.3.1.4).
pub(super) fn robots_txt(state: &SharedSite, asked: &Asked) -> Answer {
    let body = robots(state.cache.reserved(), &asked.origin);
    let etag = etag_of(body.as_bytes());
    marked(asked, &etag, None, || with(StatusCode::OK, "text/plain; charset=utf-8", body))
}

/// A tag by what is sent.
fn etag_of(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let hex = tidings_base::to_hex(&digest[..8]);
    format!("\"{hex}\"")
}

/// One of the sitemap's files.
pub(super) enum File {
    /// `/sitemap.xml`: all of it, or the index.
    Whole,
    /// `/sitemap_index.xml`.
    Index,
    /// A part, counted from zero.
    Part(usize),
}

/// The sitemap. None if there is no such part.
pub(super) fn sitemap(state: &SharedSite, asked: &Asked, file: &File) -> Option<Answer> {
    let sitemap = Sitemap::new(state.cache.sitemap(), asked.origin.clone());
    let is_index = match file {
        File::Whole => sitemap.is_index(),
        File::Index => true,
        File::Part(number) if *number < sitemap.parts() => false,
        File::Part(_) => return None,
    };
    let packs = takes_gzip(&asked.headers);
    // The origin is in each of its URLs.
    let kind = if is_index { "index".to_owned() } else { String::new() };
    let etag = etag_of(format!("{}{}{kind}", sitemap.etag(), asked.origin).as_bytes());
    let etag = if packs { format!("{}-gzip\"", etag.trim_end_matches('"')) } else { etag };
    let mut response = marked(asked, &etag, None, || {
        if is_index {
            let index = sitemap.index();
            return streamed_or_whole(asked, packs, index.len(), index.into(), None);
        }
        let number = if let File::Part(number) = file { *number } else { 0 };
        let Some(part) = sitemap.part(number) else {
            return text(StatusCode::NOT_FOUND, "There is no such part.\n");
        };
        let length = part.length();
        if packs {
            return streamed(asked, &state.documents, XML, true, move |out| {
                part.into_iter().try_for_each(|piece| out.write_all(&piece))
            });
        }
        let body = if asked.method == Method::HEAD {
            Body::empty()
        } else {
            Body::from_stream(futures_util::stream::iter(part.map(Ok::<_, io::Error>)))
        };
        streamed_or_whole(asked, false, length, body, Some(length))
    });
    let headers = response.headers_mut();
    if !headers.contains_key(VARY) {
        headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    }
    Some(response)
}

fn streamed_or_whole(
    asked: &Asked,
    packs: bool,
    length: usize,
    body: Body,
    known: Option<usize>,
) -> Answer {
    let mut response = with(StatusCode::OK, XML, body);
    if !packs || known.is_some() || asked.method == Method::HEAD {
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
    }
    response
}

/// The feed of the site.
pub(super) async fn feed(state: &SharedSite, asked: &Asked) -> Result<Answer, AnswerError> {
    let name = state.shell().name.clone();
    let name = name.unwrap_or_else(|| asked.origin.host().to_owned());
    let (shared, origin) = (Arc::clone(state), asked.origin.clone());
    let made = tokio::task::spawn_blocking(move || news(&shared.cache, &origin, &name));
    let feed = made.await.map_err(io::Error::other)?.map_err(io::Error::other)?;
    let updated = feed.updated.as_second();
    let body = tidings_feed::atom(&feed);
    let etag = etag_of(body.as_bytes());
    let kind = "application/atom+xml; charset=utf-8";
    Ok(marked(asked, &etag, Some(updated), || with(StatusCode::OK, kind, body)))
}

/// One of the ResourceSync documents, by its path. None if there is none.
pub(super) fn document(state: &SharedSite, asked: &Asked) -> Option<Answer> {
    use tidings_site::documents as at;
    let shared = Arc::clone(state);
    // What is around all pages may have changed since somebody looked.
    let shell_since = state.shell().modified;
    let origin = asked.origin.clone();
    let between = Between { from: asked.queried("from"), until: asked.queried("until") };
    let xml = |write: Write| streamed(asked, &state.documents, XML, true, move |out| write(out));
    let mut response = match asked.path.as_str() {
        at::DESCRIPTION => xml(Box::new(move |out| {
            plain(Documents { origin: &origin, shell_since }.description(out))
        })),
        at::CAPABILITY_LIST => xml(Box::new(move |out| {
            plain(Documents { origin: &origin, shell_since }.capability_list(out))
        })),
        at::RESOURCE_LIST => {
            let (listing, now) = shared.cache.snapshot();
            xml(Box::new(move |out| {
                plain(Documents { origin: &origin, shell_since }.resource_list(&listing, now, out))
            }))
        }
        at::RESOURCE_LIST_PART => {
            let (listing, now) = shared.cache.snapshot();
            xml(Box::new(move |out| {
                let documents = Documents { origin: &origin, shell_since };
                plain(documents.resource_list_part(&listing, &between, now, true, out))
            }))
        }
        at::CHANGE_LIST => xml(Box::new(move |out| {
            plain(
                Documents { origin: &origin, shell_since }.change_list(shared.cache.journal(), out),
            )
        })),
        at::RESOURCE_DUMP => {
            let (listing, now) = shared.cache.snapshot();
            xml(Box::new(move |out| {
                plain(Documents { origin: &origin, shell_since }.resource_dump(&listing, now, out))
            }))
        }
        at::PACKAGE => package(state, asked, between),
        _ => return None,
    };
    response.headers_mut().entry(CACHE_CONTROL).or_insert_with(|| keeping(asked));
    Some(response)
}

type Write = Box<dyn FnOnce(&mut dyn io::Write) -> io::Result<()> + Send>;

fn plain(written: Result<(), DocumentError>) -> io::Result<()> {
    written.map_err(|error| {
        if !matches!(error, DocumentError::Write(_)) {
            tracing::error!(%error, "a document could not be written");
        }
        io::Error::other(error)
    })
}

/// A package goes on without a resource that is gone, and breaks off otherwise.
fn member_error(error: OpenError) -> io::Error {
    match error {
        OpenError::Gone => io::ErrorKind::NotFound.into(),
        OpenError::Io(error) => error,
        error => io::Error::other(error),
    }
}

/// A package of what is public, as everybody gets it.
fn package(state: &SharedSite, asked: &Asked, between: Between) -> Answer {
    let (listing, now) = state.cache.snapshot();
    let shell_since = state.shell().modified;
    let (shared, origin) = (Arc::clone(state), asked.origin.clone());
    streamed(asked, &state.packages, "application/zip", false, move |out| {
        let state = shared;
        let shell = state.shell();
        let who = Who::anybody(&origin);
        let documents = Documents { origin: &origin, shell_since };
        documents.package(&listing, &between, now, out, |meta| {
            let opened = state.cache.open_blob(&Arc::new(meta.clone()));
            let (file, meta) = opened.map_err(member_error)?;
            // It may have become somebody's alone.
            if !meta.is_public() {
                return Err(io::ErrorKind::NotFound.into());
            }
            let is_page = meta.kind == tidings_site::Kind::Markdown
                && meta.blob.length <= tidings_site::MOST_MARKDOWN;
            if is_page {
                let html = made(&state, &who, &meta, &shell, file)?;
                return Ok(Box::new(io::Cursor::new(html)) as Box<dyn io::Read>);
            }
            Ok(Box::new(file))
        })
    })
}
