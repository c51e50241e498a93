//! A few pages of a site whose contents are compared, to find out whether its `lastmod` can be believed.

use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use tidings_base::to_hex;
use tidings_feed::Page;
use tidings_web::{Url, Validators};

use crate::details::{Known, SampledPage};
use crate::fetch::Fetch;
use crate::follower::host_of;
use crate::key::change_key;

/// How many pages are compared.
pub(super) const MAX_SAMPLED_PAGES: usize = 10;
/// How much of a page is read.
const MAX_PAGE_BYTES: u64 = 1 << 20;

/// How long pages of one poll are fetched for this.
const SAMPLE_TIME_LIMIT: Duration = Duration::from_secs(60);

/// What came of a comparison.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    /// The pages that are as they were.
    pub(super) unchanged: Vec<String>,
    /// The pages that are different.
    pub(super) changed: Vec<String>,
}

impl Comparison {
    /// How many pages could be compared with what they were.
    pub(super) fn count(&self) -> usize {
        self.unchanged.len() + self.changed.len()
    }
}

/// Fetches pages for the first time.
pub(super) async fn take(fetch: &Fetch<'_>, host: &str, uris: Vec<String>) -> Vec<SampledPage> {
    let mut sample = Vec::new();
    let begun = Instant::now();
    for uri in uris {
        if begun.elapsed() > SAMPLE_TIME_LIMIT {
            break;
        }
        match page(fetch, host, &uri, &Known::default()).await {
            Fetched::Page(known) => sample.push(SampledPage { uri, known }),
            Fetched::Unchanged | Fetched::Absent => {}
            Fetched::Trouble => break,
        }
    }
    sample
}

/// Fetches those pages of a sample that are claimed to have changed, and remembers what they are now.
pub(super) async fn compare(
    fetch: &Fetch<'_>,
    host: &str,
    sample: &mut Vec<SampledPage>,
    claimed: &[String],
) -> Comparison {
    let mut comparison = Comparison::default();
    let mut absent = Vec::new();
    let begun = Instant::now();
    for sampled in sample.iter_mut().filter(|sampled| claimed.contains(&sampled.uri)) {
        if begun.elapsed() > SAMPLE_TIME_LIMIT {
            break;
        }
        match page(fetch, host, &sampled.uri, &sampled.known).await {
            Fetched::Unchanged => comparison.unchanged.push(sampled.uri.clone()),
            Fetched::Page(known) => {
                let is_same = known.digest == sampled.known.digest;
                let found =
                    if is_same { &mut comparison.unchanged } else { &mut comparison.changed };
                found.push(sampled.uri.clone());
                sampled.known = known;
            }
            Fetched::Absent => absent.push(sampled.uri.clone()),
            Fetched::Trouble => break,
        }
    }
    sample.retain(|sampled| !absent.contains(&sampled.uri));
    comparison
}

/// What came of asking for a page.
enum Fetched {
    Page(Known),
    Unchanged,
    Absent,
    Trouble,
}

async fn page(fetch: &Fetch<'_>, host: &str, uri: &str, known: &Known) -> Fetched {
    let Ok(url) = Url::parse(uri) else { return Fetched::Absent };
    // Other hosts are not ours to ask: nobody leased them.
    if host_of(&url) != host {
        return Fetched::Absent;
    }
    let whole = match fetch.whole(&url, Validators::from(known), MAX_PAGE_BYTES, false).await {
        Ok(Some(whole)) => whole,
        Ok(None) => return Fetched::Unchanged,
        Err(error) if error.is_of_the_host() => return Fetched::Trouble,
        Err(_) => return Fetched::Absent,
    };
    let Validators { etag, last_modified } = whole.validators;
    let read = Page::read(&whole.bytes, whole.content_type.as_deref(), &whole.url);
    // What a person reads counts; of what nobody reads, the bytes.
    let digest = if read.text.is_empty() && read.title.is_none() {
        to_hex(&Sha256::digest(&whole.bytes)[..16])
    } else {
        to_hex(&change_key(&[read.title.as_deref().unwrap_or_default(), &read.text]))
    };
    Fetched::Page(Known { etag, last_modified, digest: Some(digest), ignored: 0 })
}
