//! What changed pages are called, and what is different in them.

use std::time::{Duration, Instant};

use tidings_feed::Page;
use tidings_store::{Kind, NewChange, Site, Store};
use tidings_web::{Glance, Url};

use crate::fetch::Fetch;

/// How long titles are fetched for one poll.
const LONGEST_TIME: Duration = Duration::from_secs(60);
/// How long a shown difference may be, in characters.
const LONGEST: usize = 2_000;
/// After how many failures of the server no more titles are fetched.
const MAX_SERVER_FAILURES: u32 = 3;

/// Fetches the newest of the changed pages, up to as many as the site's settings say, for their titles
/// and, where that is wanted, for what is different in them. What cannot be had goes without.
pub(crate) async fn look_at(
    store: &Store,
    fetch: &Fetch<'_>,
    site: &Site,
    mut changes: Vec<&mut NewChange>,
) {
    let settings = &site.settings;
    let most = settings.titles as usize;
    // The newest of all collections first.
    changes.sort_by_key(|change| std::cmp::Reverse(change.time));
    let wanted = changes.into_iter();
    let wanted = wanted.filter(|change| change.kind != Kind::Deleted && change.title.is_none());
    let mut failures = 0_u32;
    let begun = Instant::now();
    for change in wanted.take(most) {
        // The changes themselves are worth more than their titles, and wait to be recorded.
        if begun.elapsed() > LONGEST_TIME {
            return;
        }
        let Ok(url) = Url::parse(&change.uri) else { continue };
        // Other hosts are not ours to ask: nobody leased them.
        if crate::follower::host_of(&url) != site.host {
            continue;
        }
        let html = |kind: Option<&str>| kind.is_none_or(|kind| kind.contains("html"));
        let Glance { bytes, content_type, url: at } = match fetch.glance(&url, html).await {
            Ok(glance) => glance,
            // That one page cannot be had says nothing about the others.
            Err(error) if error.is_of_one_page() => continue,
            Err(error) => {
                failures += 1;
                // A server in trouble is not asked for the rest.
                if error.is_refusal() || failures >= MAX_SERVER_FAILURES {
                    return;
                }
                continue;
            }
        };
        if bytes.is_empty() {
            continue;
        }
        let page = Page::read(&bytes, content_type.as_deref(), &at);
        change.title = page.title;
        if settings.diff {
            // To lose a difference is no reason to lose the change.
            change.note = difference(store, site.id, &change.uri, &page.text).await;
        }
    }
}

/// What is different from the page as it was last seen, as a unified diff; remembers how it is now.
pub(crate) async fn difference(
    store: &Store,
    site_id: i64,
    uri: &str,
    text: &str,
) -> Option<String> {
    let before = store.page_text(site_id, uri).await.ok()?;
    if before.as_deref() != Some(text) {
        store.put_page_text(site_id, uri, text).await.ok()?;
    }
    // With an end to its last line nothing has to be said about one that has none.
    let [before, text] = [before?, text.to_owned()].map(|text| text + "\n");
    let diff = tidings_patch::unified_diff(before.as_bytes(), text.as_bytes())?;
    let diff = String::from_utf8(diff).ok()?;
    let lines = diff.lines().filter(|line| !line.starts_with("---") && !line.starts_with("+++"));
    let mut shown = String::new();
    for line in lines {
        if shown.chars().count() + line.chars().count() > LONGEST {
            shown.push_str("…\n");
            break;
        }
        shown.push_str(line);
        shown.push('\n');
    }
    (!shown.is_empty()).then_some(shown)
}
