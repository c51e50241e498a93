//! The posts as an Atom feed, for readers that know no webfeeds.

use std::collections::HashMap;
use std::fs;

use jiff::Timestamp;
use tidings_feed::{Entry, Feed, TakenFeed, atom, decode_page};
use url::Url;

use super::edit::Edit;
use super::{Profile, Publisher};
use crate::Post;

/// How many posts it has: the newest.
const MOST: usize = 50;

/// The feed of an index. When a post was published is what the last feed said: a webfeed itself says no
/// times. Those that only come now are of now, and others of when their files changed.
pub(super) fn feed(
    publisher: &Publisher,
    base: &Url,
    profile: &Profile,
    index: &Edit,
    before: Option<&[u8]>,
    now: Timestamp,
) -> String {
    let known = before.and_then(|bytes| {
        let feed = TakenFeed::read(bytes, Some("application/atom+xml"), base).ok()?;
        Some(feed.entries.into_iter().filter_map(|one| Some((one.id, one.published?))))
    });
    let known: HashMap<String, Timestamp> = known.into_iter().flatten().collect();
    let mut entries: Vec<Entry> = Vec::new();
    for line in index.posts().iter().rev().take(MOST) {
        // What has no file here came no later than the post after it.
        let latest = entries.last().and_then(|after| after.published).unwrap_or(now);
        let else_at = |changed: Option<Timestamp>| match changed {
            _ if index.is_new(line) => now,
            Some(changed) => changed.min(now),
            None => latest,
        };
        entries.extend(entry(publisher, base, line, &known, else_at));
    }
    let updated = entries.iter().map(|entry| entry.updated).max().unwrap_or(now);
    let url = |name: &str| base.join(name).map_or_else(|_| name.to_owned(), String::from);
    atom(&Feed {
        id: url("index.txt"),
        title: if profile.author.is_empty() { base.to_string() } else { profile.author.clone() },
        subtitle: Some(profile.about.clone()).filter(|about| !about.is_empty()),
        updated,
        author: Some(profile.author.clone()).filter(|author| !author.is_empty()),
        home: base.to_string(),
        own: url("feed.atom"),
        icon: Some(&profile.icon).filter(|icon| !icon.is_empty()).map(|icon| url(icon)),
        version: env!("CARGO_PKG_VERSION"),
        entries,
        ..Feed::default()
    })
}

fn entry(
    publisher: &Publisher,
    base: &Url,
    line: &str,
    known: &HashMap<String, Timestamp>,
    else_at: impl Fn(Option<Timestamp>) -> Timestamp,
) -> Option<Entry> {
    let url = base.join(line).ok()?;
    let id = url.to_string();
    let file = publisher.file_of(line);
    let post = file.as_ref().and_then(|file| fs::read(file).ok());
    let post = post.map(|bytes| {
        Post::parse_undressed(&decode_page(&bytes, None), &url, &mut |url| Some(url.to_string()))
    });
    let changed = file.and_then(|file| fs::metadata(file).and_then(|file| file.modified()).ok());
    let changed = changed.and_then(|time| Timestamp::try_from(time).ok());
    let published = known.get(&id).copied().unwrap_or_else(|| else_at(changed));
    let lead = post.as_ref().and_then(|post| post.lead().map(|lead| lead.text.clone()));
    let html = post.as_ref().map(Post::html);
    Some(Entry {
        title: post
            .as_ref()
            .and_then(|post| post.title.clone().or_else(|| post.name()))
            .unwrap_or_default(),
        updated: changed.filter(|time| *time > published).unwrap_or(published),
        published: Some(published),
        link: id.clone(),
        summary: lead.filter(|text| !text.is_empty()),
        html: html.filter(|html| !html.is_empty()),
        id,
        ..Entry::default()
    })
}
