//! A post: its sections as screens, or as text that flows.

use askama::Template;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, Method, Response};
use serde::Deserialize;
use tidings_base::text::counted;
use tidings_http::text_format::{Time, now};
use tidings_web::Url;
use tidings_webfeed::Dress;

use super::marks::back;
use super::parsed::parsed;
use super::tile::Whose;
use super::{post_named, reader, show_framed, title_of, trouble, writer_of};
use crate::api::Problem;
use crate::frame::Frame;
use crate::pages::Asking;
use crate::parts::{short, web};
use crate::state::Shared;

/// How many webfeeds that a post offers to follow are named.
const MOST_OFFERS: usize = 20;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    /// `feed` if the way back leads to the webfeed, and not to the grid of all.
    #[serde(default)]
    from: String,
}

/// What both pages of a post have.
struct View {
    id: i64,
    title: String,
    whose: Whose,
    key: String,
    time: Time,
    /// Where it is itself.
    original: Option<String>,
    host: String,
    is_repost: bool,
    /// Who wrote it, if that is not whose webfeed it is.
    writer: Option<String>,
    edited: Option<Time>,
    /// Which version of it frames are asked for with.
    version: i64,
    back: String,
    from: String,
    /// Why it cannot be shown.
    trouble: Option<String>,
    /// Whether it was marked as read.
    is_marked: bool,
    /// What frames are asked for with.
    frames: String,
    /// Each section in words.
    sections: Vec<Section>,
    /// How many more there are, in words.
    left_out: Option<String>,
    offers: Vec<String>,
}

struct Section {
    number: usize,
    label: String,
}

#[derive(Template)]
#[template(path = "webfeeds/post.html")]
struct Screens {
    f: Frame,
    view: View,
}

#[derive(Template)]
#[template(path = "webfeeds/plain.html")]
struct Plain {
    f: Frame,
    view: View,
}

/// Its sections as screens.
pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    let view = view(&state, &visitor, &id, &wanted, is_looked_at(&method, &headers)).await?;
    show_framed(&Screens { f: frame(&state, &visitor, &view), view })
}

/// Its sections as text that flows.
pub(super) async fn plain(
    State(state): State<Shared>,
    visitor: Asking,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    let view = view(&state, &visitor, &id, &wanted, is_looked_at(&method, &headers)).await?;
    show_framed(&Plain { f: frame(&state, &visitor, &view), view })
}

fn frame(state: &Shared, visitor: &Asking, view: &View) -> Frame {
    let mut f =
        Frame::new(state, visitor, "reader", format!("{} · {}", view.title, view.whose.author));
    // What others wrote is theirs to have found.
    f.is_hidden = true;
    f
}

async fn view(
    state: &Shared,
    visitor: &Asking,
    id: &str,
    wanted: &Wanted,
    is_looked_at: bool,
) -> Result<View, Problem> {
    let (post, site) = post_named(state, id).await?;
    let read = parsed(state, &post, &site, Dress::Full).await?;
    let page = read.as_ref().map(|read| &read.page);
    let sections = page.map(|page| page.sections.as_slice()).unwrap_or_default();
    let reader = reader(visitor).filter(|_| page.is_some() && is_looked_at);
    if let Some(reader) = reader {
        state.store.mark_posts(reader, &[post.id], true).await?;
    }
    let trouble = match page {
        Some(_) if sections.is_empty() => {
            Some("It has no sections: a post of a webfeed is made of them".to_owned())
        }
        Some(_) => None,
        None => trouble(&post).or_else(|| Some("Not fetched yet".to_owned())),
    };
    let total = sections.len();
    let label = |(number, section): (usize, &tidings_webfeed::Section)| Section {
        number,
        label: match &section.heading {
            Some(heading) => format!("Section {number} of {total}: {}", short(heading, 100)),
            None => format!("Section {number} of {total}"),
        },
    };
    let left_out = page.map_or(0, |page| page.left_out);
    let from = if wanted.from == "feed" { "feed" } else { "" };
    let place = read.as_ref().and_then(|read| read.found_at(&post)).unwrap_or(&post.url);
    let host = Url::parse(place).ok();
    let whose = Whose::of(state, &site);
    Ok(View {
        id: post.id,
        title: title_of(&post),
        writer: writer_of(&post, &whose.author),
        edited: post.edited_at.map(|edited| Time::of(edited, now())),
        version: post.edited_at.unwrap_or_default(),
        whose,
        time: Time::of(post.seen_at, now()),
        original: web(place).map(str::to_owned),
        host: host.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default(),
        is_repost: post.is_repost,
        back: back(from, &site.key, post.id, ""),
        from: from.to_owned(),
        trouble,
        is_marked: reader.is_some(),
        frames: state.pictures.name().to_owned(),
        sections: (1..).zip(sections).map(label).collect(),
        left_out: (left_out > 0)
            .then(|| counted(left_out as u64, "more section is", "more sections are")),
        offers: page.map_or(Vec::new(), |page| {
            page.offers.iter().take(MOST_OFFERS).map(Url::to_string).collect()
        }),
        key: site.key,
    })
}

/// Whether somebody looks at it: a browser may fetch a page before anybody wants it, and a page of another
/// site may name it as a picture.
fn is_looked_at(method: &Method, headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let is_early = ["sec-purpose", "purpose", "x-moz"]
        .iter()
        .any(|name| text(*name).is_some_and(|purpose| purpose.contains("prefetch")));
    *method == Method::GET
        && !is_early
        && text("sec-fetch-dest").is_none_or(|dest| dest == "document")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_looked_at_is_read() {
        for (name, value, looked) in [
            ("accept", "text/html", true),
            ("sec-fetch-dest", "document", true),
            ("sec-fetch-dest", "image", false),
            ("sec-fetch-dest", "iframe", false),
            ("sec-purpose", "prefetch", false),
            ("sec-purpose", "prefetch;prerender", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            assert_eq!(is_looked_at(&Method::GET, &headers), looked, "{name}: {value}");
            assert!(!is_looked_at(&Method::HEAD, &headers));
        }
    }
}
