//! The Atom feed of the site.

use std::collections::HashSet;

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tidings_document::Change;
use tidings_feed::{Category, Entry, Feed, FeedLink};

use crate::cache::PageMetaCache;
use crate::documents::CAPABILITY_LIST;
use crate::journal::{JournalEntry, JournalError};
use crate::object_id::ObjectId;
use crate::origin::Origin;
use crate::page_meta::Kind;

/// How many entries it has.
const MOST: usize = 50;

/// The feed of what changed on the site: pages that are new, were edited or are gone, the latest first.
/// On a site that has not changed yet, the pages that were written last.
pub fn news(cache: &PageMetaCache, origin: &Origin, name: &str) -> Result<Feed, JournalError> {
    let journal = cache.journal();
    let identity = journal.identity()?;
    let latest = journal.latest(MOST)?;
    let mut entries: Vec<Entry> =
        latest.iter().map(|change| changed(cache, &identity, origin, change)).collect();
    if entries.len() < MOST {
        let told: HashSet<&str> = latest.iter().map(|change| change.path.as_str()).collect();
        let listing = cache.source();
        for meta in listing.newest(MOST, |meta| meta.kind == Kind::Markdown) {
            let path = meta.url_path();
            if entries.len() == MOST || told.contains(path.as_str()) {
                continue;
            }
            let updated = Timestamp::from_second(meta.last_modified()).unwrap_or_default();
            entries.push(Entry {
                id: id(&identity, &format!("{path}\n{}", meta.last_modified())),
                title: meta.title.to_string(),
                updated,
                link: format!("{origin}{path}"),
                ..Entry::default()
            });
        }
    }
    let updated = entries.iter().map(|entry| entry.updated).max();
    let updated = match updated {
        Some(updated) => updated,
        None => Timestamp::from_millisecond(journal.from()?).unwrap_or_default(),
    };
    Ok(Feed {
        id: id(&identity, "feed"),
        title: name.to_owned(),
        subtitle: Some("What is new, edited or gone on this site".to_owned()),
        updated,
        home: format!("{origin}/"),
        own: format!("{origin}/feed.atom"),
        links: vec![FeedLink {
            rel: "resourcesync".to_owned(),
            href: format!("{origin}{CAPABILITY_LIST}"),
            media_type: Some("application/xml".to_owned()),
            title: None,
        }],
        version: env!("CARGO_PKG_VERSION"),
        entries,
        ..Feed::default()
    })
}

fn changed(cache: &PageMetaCache, identity: &str, origin: &Origin, change: &JournalEntry) -> Entry {
    let kind = change.change.name();
    // What is gone may be so because it is not for everybody any more: its title is not told again.
    let title = match change.change {
        Change::Deleted => change.path.clone(),
        Change::Created | Change::Updated => {
            let id = change.path.strip_prefix("/id/").and_then(ObjectId::parse);
            let name = crate::path::named(&change.path);
            let meta = match id {
                Some(id) => cache.get(id),
                None => name.and_then(|name| cache.find(&name)),
            };
            let meta = meta.filter(|meta| meta.is_public());
            meta.map_or_else(|| change.path.clone(), |meta| meta.title.to_string())
        }
    };
    let title = match change.change {
        Change::Created => title,
        Change::Updated => format!("Edited: {title}"),
        Change::Deleted => format!("Gone: {title}"),
    };
    Entry {
        id: id(identity, &format!("{}\n{}", change.path, change.at)),
        title,
        updated: Timestamp::from_millisecond(change.at).unwrap_or_default(),
        link: format!("{origin}{}", change.path),
        categories: vec![Category { term: kind.to_owned(), ..Category::default() }],
        ..Entry::default()
    }
}

/// A name that is the same by whichever host the site is come to: made of what the site keeps for itself
/// alone (RFC 9562, section 5.8).
fn id(identity: &str, about: &str) -> String {
    let digest = Sha256::digest(format!("{identity}\n{about}").as_bytes());
    let mut bytes = [0_u8; 16];
    bytes.copy_from_slice(&digest[..16]);
    bytes[6] = 0x80 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    let hex = tidings_base::to_hex(&bytes);
    format!(
        "urn:uuid:{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}
