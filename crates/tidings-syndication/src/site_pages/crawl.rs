//! Reads the pages of a site one after the other, from a first one on.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::time::Duration;

use tidings_base::to_hex;
use tidings_feed::{Page, page_links};
use tidings_web::{Glance, Url};
use tokio::time::Instant;

use crate::PollError;
use crate::details::SitePage;
use crate::fetch::Fetch;
use crate::follower::host_of;
use crate::key::change_key;

/// How long to wait between two requests.
const REQUEST_INTERVAL: Duration = Duration::from_secs(1);
/// How many different links are remembered for each page that may be read.
const MAX_LINKS_PER_PAGE: usize = 50;
/// How long a poll reads pages; the others are as they were.
const CRAWL_TIME_LIMIT: Duration = Duration::from_secs(45 * 60);

/// The pages of a site as they are now.
#[derive(Debug, Default)]
pub(super) struct Crawl {
    pub(super) pages: BTreeMap<String, ReadPage>,
    /// Pages that are known and not there any more.
    pub(super) gone: Vec<String>,
    /// Pages that are known and lead to another address of the site.
    pub(super) moved: Vec<(String, String)>,
    /// True if there are more pages than are read.
    pub(super) is_cut: bool,
    /// Why some could not be read.
    pub(super) problem: Option<String>,
}

/// A page that was read.
#[derive(Debug)]
pub(super) struct ReadPage {
    pub(super) page: SitePage,
    pub(super) text: String,
}

/// What came of asking for a page.
enum Answer {
    Page(Url, Box<ReadPage>, Vec<Url>),
    /// It is not there, or is no page of the site.
    Absent,
}

/// Reads up to `limit` pages on the host of the first one: those that are known, and those to which they
/// lead. It fails only if the first one cannot be read.
pub(super) async fn crawl(
    fetch: &Fetch<'_>,
    first: &Url,
    known: &BTreeMap<String, SitePage>,
    limit: usize,
) -> Result<Crawl, PollError> {
    let mut crawl = Crawl::default();
    let mut queue = VecDeque::from([first.clone()]);
    queue.extend(known.keys().filter_map(|uri| Url::parse(uri).ok()));
    let mut met: HashSet<Url> = queue.iter().cloned().collect();
    let begun = Instant::now();
    let (mut requests, mut next) = (0, begun);
    while let Some(url) = queue.pop_front() {
        let is_known = known.contains_key(url.as_str());
        if crawl.pages.contains_key(url.as_str()) {
            continue;
        }
        // Those that lead nowhere count, too.
        let is_full = crawl.pages.len() >= limit || requests >= 2 * limit;
        if begun.elapsed() > CRAWL_TIME_LIMIT || (is_full && !is_known) {
            crawl.is_cut = true;
            continue;
        }
        tokio::time::sleep_until(next).await;
        next = Instant::now() + REQUEST_INTERVAL;
        requests += 1;
        match read(fetch, &url, first).await {
            Ok(Answer::Page(at, page, links)) => {
                let is_moved = at != url;
                if is_moved && is_known {
                    crawl.moved.push((url.to_string(), at.to_string()));
                }
                met.insert(at.clone());
                crawl.pages.insert(at.into(), *page);
                queue.extend(links.into_iter().filter(|link| {
                    host_of(link) == host_of(first)
                        && met.len() < MAX_LINKS_PER_PAGE * limit
                        && met.insert(link.clone())
                }));
            }
            Ok(Answer::Absent) if is_known => crawl.gone.push(url.into()),
            Ok(Answer::Absent) => {}
            Err(error) if url == *first => return Err(error),
            Err(error) => {
                let is_of_the_host = error.is_of_the_host();
                if is_known || is_of_the_host {
                    crawl.problem.get_or_insert(error.to_string());
                }
                if is_of_the_host {
                    break;
                }
            }
        }
    }
    // One that leads to a page that was known before is not a move, but gone.
    let moved = std::mem::take(&mut crawl.moved);
    let (gone, moved) = moved.into_iter().partition(|(_, new)| known.contains_key(new));
    let gone: Vec<(String, String)> = gone;
    crawl.gone.extend(gone.into_iter().map(|(old, _)| old));
    crawl.moved = moved;
    Ok(crawl)
}

async fn read(fetch: &Fetch<'_>, url: &Url, first: &Url) -> Result<Answer, PollError> {
    let is_html = |kind: Option<&str>| kind.is_none_or(|kind| kind.contains("html"));
    let Glance { bytes, content_type, url: mut at } = match fetch.glance(url, is_html).await {
        Ok(glance) => glance,
        Err(error) if error.is_gone() && url != first => return Ok(Answer::Absent),
        Err(error) => return Err(error),
    };
    at.set_fragment(None);
    if bytes.is_empty() || host_of(&at) != host_of(first) {
        return Ok(Answer::Absent);
    }
    let page = Page::read(&bytes, content_type.as_deref(), &at);
    let links = page_links(&bytes, content_type.as_deref(), &at);
    let digest = to_hex(&change_key(&[page.title.as_deref().unwrap_or_default(), &page.text]));
    let read = ReadPage { page: SitePage { title: page.title, digest }, text: page.text };
    Ok(Answer::Page(at, Box::new(read), links))
}
