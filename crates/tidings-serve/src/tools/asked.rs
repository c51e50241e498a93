//! Who asks for something to be looked at, and from where.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::{HOST, REFERER};
use axum::http::request::Parts;
use tidings_http::listener::Peer;
use tidings_http::same_origin::is_foreign;
use tidings_store::Role;
use tidings_web::{GetOptions, Url};

use crate::access::{address_of, fetched, is_trusted};
use crate::api::Problem;
use crate::frame::Frame;
use crate::state::{Shared, State};
use crate::visitor::Visitor;

/// Somebody who may use the tools.
pub(super) struct Asked {
    pub(super) visitor: Arc<Visitor>,
    headers: HeaderMap,
    peer: Peer,
}

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coming {
    /// From a page of ours, or from nowhere: a person wants it.
    Here,
    /// By a link on another site: a person followed it, and may not know what it does.
    Link,
    /// From a page of another site that only pretends to show it.
    Part,
}

impl FromRequestParts<Shared> for Asked {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, Problem> {
        let unknown = || Problem::forbidden("it is not known who asks");
        let visitor = parts.extensions.get::<Arc<Visitor>>().cloned().ok_or_else(unknown)?;
        let peer = parts.extensions.get::<Peer>().copied().ok_or_else(unknown)?;
        if !visitor.may_fetch(state) {
            visitor.must(Role::Reader)?;
            return Err(Problem::forbidden("this token lets you read, and no more"));
        }
        Ok(Self { visitor, headers: parts.headers.clone(), peer })
    }
}

impl Asked {
    /// Takes one more fetch.
    pub(super) fn take(&self, state: &State) -> Result<(), Problem> {
        fetched(state, address_of(state, &self.headers, self.peer))
    }

    /// Where the request comes from; an error if it is to be shown as a part of another site.
    pub(super) fn coming(&self, state: &State) -> Result<Coming, Problem> {
        match coming(&self.headers, &state.base) {
            Coming::Part => {
                Err(Problem::forbidden("the request comes from a page of another site"))
            }
            coming => Ok(coming),
        }
    }

    /// Whether what they name may lie at a private address: on their own machine it may.
    pub(super) fn is_trusted(&self) -> bool {
        is_trusted(&self.visitor)
    }

    pub(super) fn getting(&self, url: &Url) -> GetOptions {
        if self.is_trusted() { GetOptions::trusting(url) } else { GetOptions::default() }
    }

    /// What a job is known by. What one may see who is trusted is not for those who are not.
    pub(super) fn about(&self, url: &Url) -> String {
        format!("{} {url}", if self.is_trusted() { "trusted" } else { "guarded" })
    }

    /// The frame of a page. What is wrong with an address is not to be seen in it.
    pub(super) fn frame(
        &self,
        state: &State,
        place: &'static str,
        title: impl Into<String>,
        is_wrong: bool,
    ) -> Frame {
        let mut frame = Frame::new(state, &self.visitor, place, title);
        if is_wrong {
            frame.at = format!("/{place}");
        }
        frame
    }
}

fn coming(headers: &HeaderMap, base: &str) -> Coming {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match text("sec-fetch-site") {
        Some("same-origin" | "none") => Coming::Here,
        Some(_) => {
            let is_page = text("sec-fetch-mode") == Some("navigate")
                && text("sec-fetch-dest") == Some("document");
            if is_page { Coming::Link } else { Coming::Part }
        }
        // An older browser, or none.
        None if is_foreign(headers, base) => Coming::Part,
        None => {
            let host = text(HOST.as_str()).unwrap_or_default();
            let is_own = |referer: &str| {
                let rest = referer.split_once("://").map(|(_, rest)| rest);
                referer.starts_with(base)
                    || rest.and_then(|rest| rest.split('/').next()) == Some(host)
            };
            let is_linked = text(REFERER.as_str()).is_some_and(|referer| !is_own(referer));
            if is_linked { Coming::Link } else { Coming::Here }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_people_make_us_fetch_something() {
        let (cross, same) = (("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-origin"));
        let (page, part) = (("sec-fetch-dest", "document"), ("sec-fetch-dest", "image"));
        let (walk, embed) = (("sec-fetch-mode", "navigate"), ("sec-fetch-mode", "no-cors"));
        for (pairs, expected) in [
            (&[][..], Coming::Here),
            (&[same, walk, page], Coming::Here),
            (&[("sec-fetch-site", "none"), walk, page], Coming::Here),
            (&[cross, walk, page], Coming::Link),
            (&[("sec-fetch-site", "same-site"), walk, page], Coming::Link),
            (&[cross, embed, part], Coming::Part),
            (&[cross, walk, ("sec-fetch-dest", "iframe")], Coming::Part),
            (&[cross], Coming::Part),
            (&[("referer", "http://here:1/check")], Coming::Here),
            (&[("referer", "https://tidings.example/check")], Coming::Here),
            (&[("referer", "https://evil.example/here:1/")], Coming::Link),
            (&[("origin", "https://evil.example")], Coming::Part),
        ] {
            let mut headers: HeaderMap = pairs
                .iter()
                .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
                .collect();
            headers.insert(HOST, "here:1".parse().unwrap());
            assert_eq!(coming(&headers, "https://tidings.example/"), expected, "{pairs:?}");
        }
    }
}
