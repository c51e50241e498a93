//! Where a resource can be had (section 14).

use tidings_document::{Link, PATCH};
use tidings_patch::Format;
use url::Url;

use super::How;
use crate::bytes::Expected;
use crate::links::preferred;
use crate::wanted::Wanted;

/// A place to fetch from, and what is to come from there.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) url: Url,
    pub(super) how: How,
    pub(super) expected: Expected,
    /// The media type that it should have.
    pub(super) media_type: Option<String>,
    /// True for another representation than the one that the Source speaks of.
    pub(super) is_alternate: bool,
}

impl Candidate {
    fn new(url: Url, how: How, expected: Expected, wanted: &Wanted) -> Self {
        let media_type = wanted.media_type.clone();
        Self { url, how, expected, media_type, is_alternate: false }
    }
}

/// The places to try, in their order: mirrors that the Source gives a priority (14.1, `duplicate`),
/// the resource itself, other mirrors. A mirror is taken at its word for nothing: without a digest
/// there is no telling whether it has the right bytes, and it is not asked. Nor is it where two sets have two
/// versions: it may have the older one.
///
/// With a preferred media type, the `alternate` of that type (14.2) comes instead of the resource.
pub(super) fn candidates(wanted: &Wanted, prefer: Option<&str>) -> Vec<Candidate> {
    let own = || wanted.expected.clone();
    let own_type = wanted.media_type.as_deref();
    if let Some(link) = prefer.and_then(|prefer| preferred(&wanted.links, own_type, prefer)) {
        let expected = Expected::of(link.length, link.hash.as_ref());
        return web_url(&link.href)
            .map(|url| Candidate {
                url,
                how: How::Whole,
                expected,
                media_type: link.media_type.as_deref().map(str::to_owned),
                is_alternate: true,
            })
            .into_iter()
            .collect();
    }
    let mut found = Vec::new();
    if may_be_elsewhere(&wanted.expected) {
        let mut mirrors: Vec<&Link<'_>> =
            wanted.links.iter().filter(|link| link.is("duplicate")).collect();
        mirrors.sort_by_key(|link| link.priority());
        for link in mirrors {
            if let Some(url) = web_url(&link.href) {
                let candidate = Candidate::new(url, How::Mirror, own(), wanted);
                found.push((link.pri.is_none(), candidate));
            }
        }
    }
    let middle = found.iter().position(|(last, _)| *last).unwrap_or(found.len());
    let mut all: Vec<Candidate> = found.into_iter().map(|(_, candidate)| candidate).collect();
    if let Some(url) = web_url(&wanted.uri) {
        all.insert(middle, Candidate::new(url, How::Whole, own(), wanted));
    }
    all
}

/// True if bytes may come from elsewhere than from the resource itself: they can be told from others, and the
/// server does not have to decide between two sets.
fn may_be_elsewhere(expected: &Expected) -> bool {
    expected.is_certain() && expected.other_set.is_none()
}

/// The version that the entry speaks of, where the resource itself has moved on (14.6).
pub(super) fn memento(wanted: &Wanted) -> Option<Candidate> {
    let link = wanted.links.iter().find(|link| link.is("memento"))?;
    if !may_be_elsewhere(&wanted.expected) {
        return None;
    }
    let url = web_url(&link.href)?;
    Some(Candidate::new(url, How::Memento, wanted.expected.clone(), wanted))
}

/// The patch of a change (14.3), if there is one of a kind that is known, and its result can be told from
/// others.
pub(super) fn patch(links: &[Link<'static>], result: &Expected) -> Option<(Candidate, Format)> {
    if !may_be_elsewhere(result) {
        return None;
    }
    links.iter().filter(|link| link.is(PATCH)).find_map(|link| {
        let format = Format::of_media_type(link.media_type.as_deref()?)?;
        let expected = Expected::of(link.length, link.hash.as_ref());
        let url = web_url(&link.href)?;
        let (how, media_type) = (How::Patch, None);
        Some((Candidate { url, how, expected, media_type, is_alternate: false }, format))
    })
}

/// Mirrors may be anywhere, such as at gsiftp; what is not the web is not for us.
fn web_url(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}
