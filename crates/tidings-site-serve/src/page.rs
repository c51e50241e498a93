//! A page.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read as _};
use std::sync::Arc;

use axum::http::header::{CONTENT_SECURITY_POLICY, LINK, VARY};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use tidings_http::conditional::is_known;
use tidings_site::documents::CAPABILITY_LIST;
use tidings_site::memento::{Mementos, TIMEMAP};
use tidings_site::{
    Kind, MOST_MARKDOWN, Origin, PageMeta, Place, Rendered, Theme, View, opening, render,
};

use super::answer_error::AnswerError;
use super::shell::Shell;
use super::site_request::Asked;
use super::site_response::{Answer, marked, with};
use super::state::{SharedSite, SiteState};

/// What a browser may do with a page: show it with the style sheet and scripts of its theme, and pictures
/// of others, which people put into their pages.
pub(super) const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src * data:; media-src *; \
     font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
);

/// What takes longer to make than others should wait for.
const LARGE: u64 = 128 << 10;
/// How long a description is.
const DESCRIPTION: usize = 160;

/// The answer for a page that whoever asks may see.
pub(super) async fn page(
    state: &SharedSite,
    asked: &Asked,
    meta: &Arc<PageMeta>,
) -> Result<Answer, AnswerError> {
    let (file, meta) = state.cache.open_blob(meta)?;
    // What came meanwhile may be for others.
    if !asked.may_see(&meta) {
        return Err(AnswerError::Missing);
    }
    let shell = state.shell();
    let etag = etag(asked, &meta, &shell);
    let modified = meta.last_modified().max(shell.modified);
    // Made only if it is sent.
    let time = jiff::Timestamp::from_second(modified).ok();
    let is_known =
        asked.account.is_none() && time.is_some_and(|time| is_known(&asked.headers, &etag, time));
    let html = if is_known {
        String::new()
    } else if meta.blob.length > LARGE {
        let (state, meta, shell) = (Arc::clone(state), Arc::clone(&meta), Arc::clone(&shell));
        let who = Who::of(asked);
        tokio::task::spawn_blocking(move || made(&state, &who, &meta, &shell, file))
            .await
            .map_err(io::Error::other)??
    } else {
        made(state, &Who::of(asked), &meta, &shell, file)?
    };
    let mut response = if asked.account.is_some() {
        let mut response = with(StatusCode::OK, HTML, html);
        response
            .headers_mut()
            .insert(axum::http::header::CACHE_CONTROL, super::site_response::keeping(asked));
        response
    } else {
        marked(asked, &etag, Some(modified), || with(StatusCode::OK, HTML, html))
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.append(VARY, HeaderValue::from_static("cookie"));
    if let Ok(links) = HeaderValue::from_str(&links(&asked.origin, &meta)) {
        headers.insert(LINK, links);
    }
    tell_robots(headers, &meta);
    Ok(response)
}

pub(super) const HTML: &str = "text/html; charset=utf-8";

/// Tells search engines what an object says about them.
pub(super) fn tell_robots(headers: &mut axum::http::HeaderMap, meta: &PageMeta) {
    if !meta.robots.is_empty()
        && let Ok(robots) = HeaderValue::from_str(&meta.robots)
    {
        headers.insert(HeaderName::from_static("x-robots-tag"), robots);
    }
}

/// What an object links to, as a header.
pub(super) fn links(origin: &Origin, meta: &PageMeta) -> String {
    let source = format!("<{origin}{CAPABILITY_LIST}>; rel=\"resourcesync\"");
    match meta.place {
        Place::Version { .. } => {
            format!("{source}, {}", Mementos::links_of_page(origin, meta.id))
        }
        Place::File { .. } => source,
    }
}

/// For whom a page is made.
#[derive(Debug)]
pub(super) struct Who {
    pub(super) origin: Origin,
    pub(super) account: Option<tidings_site::Account>,
}

impl Who {
    pub(super) fn of(asked: &Asked) -> Self {
        Self { origin: asked.origin.clone(), account: asked.account.clone() }
    }

    pub(super) fn anybody(origin: &Origin) -> Self {
        Self { origin: origin.clone(), account: None }
    }

    pub(super) fn may_see(&self, meta: &PageMeta) -> bool {
        match &self.account {
            None => meta.is_public(),
            Some(account) => account.is_admin || meta.access.allows(&account.roles),
        }
    }
}

/// Makes the HTML of a page of what is in its file.
pub(super) fn made(
    state: &SiteState,
    who: &Who,
    meta: &PageMeta,
    shell: &Shell,
    mut file: std::fs::File,
) -> io::Result<String> {
    // As long as it was when it was opened; what is written meanwhile is told.
    let length = meta.blob.length.min(MOST_MARKDOWN);
    let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
    file.read_exact(&mut bytes)?;
    let body = bytes.get(meta.body as usize..).unwrap_or_default();
    let markdown = String::from_utf8_lossy(body);
    let Rendered { html, headings } = render(&markdown);
    let path = meta.url_path();
    let canonical = format!("{}{path}", who.origin);
    let modified =
        jiff::Timestamp::from_second(meta.last_modified()).unwrap_or_default().to_string();
    let links = head_links(meta);
    let description = opening(&markdown, DESCRIPTION);
    let own_navigation;
    let navigation = match &who.account {
        None => &shell.navigation,
        Some(_) => {
            own_navigation = state.navigation_for(|meta| who.may_see(meta));
            &own_navigation
        }
    };
    let view = View {
        site: shell.name.as_deref().unwrap_or_else(|| who.origin.host()),
        language: &state.language,
        title: &meta.title,
        description: description.as_deref(),
        content: &html,
        headings: &headings,
        navigation,
        path: &path,
        canonical: &canonical,
        modified: &modified,
        links: &links,
        feed: Some("/feed.atom"),
        user: who.account.as_ref().map(|account| account.name.as_str()),
        is_indexed: meta.is_indexed(),
        status: 200,
    };
    shown(&shell.theme, &view)
}

/// A page in the theme of the site; in the built-in one where that fails.
pub(super) fn shown(theme: &Theme, view: &View<'_>) -> io::Result<String> {
    match theme.page(view) {
        Ok(html) => Ok(html),
        Err(error) => {
            tracing::warn!(%error, "the theme is not used");
            Theme::built_in().page(view).map_err(io::Error::other)
        }
    }
}

fn head_links(meta: &PageMeta) -> String {
    let mut links = format!(
        "<link rel=\"resourcesync\" href=\"{CAPABILITY_LIST}\">\
         <link rel=\"alternate\" type=\"application/atom+xml\" href=\"/feed.atom\" title=\"News\">"
    );
    if let (Kind::Markdown, Place::Version { .. }) = (meta.kind, &meta.place) {
        let id = meta.id;
        links += &format!(
            "<link rel=\"timegate\" href=\"{}{id}\"><link rel=\"timemap\" href=\"{TIMEMAP}{id}\">",
            tidings_site::documents::TIMEGATE
        );
    }
    links
}

fn etag(asked: &Asked, meta: &PageMeta, shell: &Shell) -> String {
    let mut hasher = DefaultHasher::new();
    (meta.id, meta.content, meta.last_modified(), shell.digest, asked.origin.as_str())
        .hash(&mut hasher);
    // Weak: the same page may come compressed.
    format!("W/\"{:016x}\"", hasher.finish())
}

/// A page that says something that is not in the content root: that nothing is here, a form, results.
pub(super) fn own_page(
    state: &SiteState,
    asked: &Asked,
    status: StatusCode,
    title: &str,
    content: &str,
) -> Answer {
    let shell = state.shell();
    let own_navigation;
    let navigation = if asked.account.is_some() {
        own_navigation = state.navigation_for(|meta| asked.may_see(meta));
        &own_navigation
    } else {
        &shell.navigation
    };
    // The path that was asked for is not shown: it may be anything.
    let view = View {
        site: shell.name.as_deref().unwrap_or_else(|| asked.origin.host()),
        language: "en",
        title,
        description: None,
        content,
        headings: &[],
        navigation,
        path: "",
        canonical: "",
        modified: "",
        links: "",
        feed: Some("/feed.atom"),
        user: asked.account.as_ref().map(|account| account.name.as_str()),
        is_indexed: false,
        status: status.as_u16(),
    };
    let html = shown(&shell.theme, &view)
        .unwrap_or_else(|_| format!("<!doctype html><title>{title}</title>{content}"));
    let mut response = with(status, HTML, html);
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.append(VARY, HeaderValue::from_static("cookie"));
    headers.insert(axum::http::header::CACHE_CONTROL, super::site_response::keeping(asked));
    response
}
