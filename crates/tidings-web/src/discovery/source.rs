//! What was found: a Source, its sets, and what each offers.

use std::collections::HashSet;

use tidings_document::{Capability, Link, Metadata};
use url::Url;

use super::DiscoveryFailure;
use crate::Validators;

/// A Source, as far as the start led to it.
#[derive(Debug, Clone)]
pub struct Source {
    /// Where its Source Description is, if one was found or is named by a Capability List.
    pub description: Option<Url>,
    /// What describes the Source as a whole, by its Source Description.
    pub described_by: Option<Url>,
    /// Its sets of resources; never none.
    pub sets: Vec<SourceSet>,
    /// How it was found, in words that end a sentence: "its /.well-known/resourcesync".
    pub found_by: String,
    /// Where it was looked for, in order, and what could not be had on the way.
    pub tried: Vec<DiscoveryAttempt>,
    /// How many documents were not looked at, because there are too many.
    pub left_out: usize,
    /// Documents that the Source lists and that could not be read, though its server does not say that
    /// they do not exist: it may have sets that are not among `sets`.
    pub unread: Vec<DiscoveryAttempt>,
    /// The Source Descriptions and Capability Lists that were read, and those that are listed and could
    /// not be read, in the order of their URLs: as long as they stay the same, so do the sets.
    pub documents: Vec<DiscoveryDocument>,
}

/// A document that says which sets there are, or what one of them offers.
#[derive(Debug, Clone)]
pub struct DiscoveryDocument {
    /// Where it is.
    pub url: Url,
    /// What it can be asked for again by.
    pub validators: Validators,
    /// The SHA-256 of its bytes in hexadecimal digits; none if it could not be read.
    pub digest: Option<String>,
}

/// A set of resources: what one Capability List is about, or documents without one.
#[derive(Debug, Clone)]
pub struct SourceSet {
    /// A short name, unlike those of the other sets.
    pub name: String,
    /// Its Capability List; none where documents stand alone.
    pub capability_list: Option<Url>,
    /// What the set is, by its Source Description or Capability List (`describes`, IFCC-0001).
    pub describes: Option<Url>,
    /// What the entry in the Source Description says that the set is, if it says something else.
    pub described_otherwise: Option<Url>,
    /// What describes the set, for people or machines.
    pub described_by: Option<Url>,
    /// What describes it by its Capability List, if that is something else.
    pub described_also_by: Option<Url>,
    /// What it offers, in the order of the Capability List.
    pub offers: Vec<Offer>,
    /// The links in the head of the Capability List, or of the document that stands alone.
    pub links: Vec<Link<'static>>,
}

/// A document by which a set can be copied or followed. It has not necessarily been looked at.
#[derive(Debug, Clone)]
pub struct Offer {
    /// What it is for.
    pub capability: Capability,
    /// Where it is, as it is published: it may redirect.
    pub url: Url,
    /// True for a plain Sitemap that stands in for a Resource List: it does not say when it was true,
    /// nor that it is complete.
    pub is_sitemap: bool,
    /// What is said about it where it is listed, or by itself.
    pub metadata: Metadata<'static>,
    /// Whether it is an index; none where that is not known yet.
    pub is_index: Option<bool>,
}

/// One place where a Source was looked for.
#[derive(Debug, Clone)]
pub struct DiscoveryAttempt {
    /// What place it is, in words: "the well-known place".
    pub what: String,
    /// Where.
    pub url: Url,
    /// True for a document that a Source Description or a Capability List lists.
    pub is_listed: bool,
    /// What was there, such as "Capability List"; or why it was of no use.
    pub result: Result<String, DiscoveryFailure>,
}

impl Source {
    /// True if all that was found are plain Sitemaps.
    #[must_use]
    pub fn is_sitemap(&self) -> bool {
        self.sets.iter().all(|set| {
            set.capability_list.is_none() && set.offers.iter().all(|offer| offer.is_sitemap)
        })
    }
}

impl SourceSet {
    /// Whether a person who names a set so means this one: by its name, or the URL of its Capability
    /// List or of a document that stands alone.
    #[must_use]
    pub fn is_called(&self, text: &str) -> bool {
        self.name == text || self.identity().is_some_and(|url| url.as_str() == text)
    }

    /// The first document that it offers of a kind.
    #[must_use]
    pub fn offer(&self, capability: Capability) -> Option<&Offer> {
        self.offers.iter().find(|offer| offer.capability == capability)
    }

    fn identity(&self) -> Option<&Url> {
        self.capability_list.as_ref().or_else(|| Some(&self.offers.first()?.url))
    }
}

/// Names the sets: by their folders if that tells them apart, else by their files, else by their URLs.
pub(super) fn name(sets: &mut [SourceSet]) {
    let urls: Vec<Option<Url>> = sets.iter().map(|set| set.identity().cloned()).collect();
    let by = |part: fn(&Url) -> Option<String>| {
        let names: Vec<String> =
            urls.iter().map(|url| part(url.as_ref()?)).collect::<Option<_>>()?;
        let distinct: HashSet<&String> = names.iter().collect();
        (distinct.len() == names.len()).then_some(names)
    };
    let whole = || urls.iter().map(|url| url.as_ref().map_or(String::new(), Url::to_string));
    let names = by(folder).or_else(|| by(stem)).unwrap_or_else(|| whole().collect());
    for (set, name) in sets.iter_mut().zip(names) {
        set.name = name;
    }
}

/// The last folder of a URL's path.
fn folder(url: &Url) -> Option<String> {
    let folder = url.path_segments()?.rev().nth(1)?;
    (!folder.is_empty()).then(|| folder.to_owned())
}

/// The file's name without what follows its first dot.
fn stem(url: &Url) -> Option<String> {
    let stem = url.path_segments()?.next_back()?.split('.').next()?;
    (!stem.is_empty()).then(|| stem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(urls: &[&str]) -> Vec<String> {
        let set = |url: &&str| SourceSet {
            name: String::new(),
            capability_list: Some(Url::parse(url).unwrap()),
            describes: None,
            described_otherwise: None,
            described_by: None,
            described_also_by: None,
            offers: Vec::new(),
            links: Vec::new(),
        };
        let mut sets: Vec<SourceSet> = urls.iter().map(set).collect();
        name(&mut sets);
        for (set, url) in sets.iter().zip(urls) {
            assert!(set.is_called(url) && set.is_called(&set.name) && !set.is_called("other"));
        }
        sets.into_iter().map(|set| set.name).collect()
    }

    #[test]
    fn names_are_as_short_as_they_can_be() {
        for (urls, expected) in [
            (&["http://a.example/rs/books/capabilitylist.xml"][..], &["books"][..]),
            (&["http://a.example/capabilitylist.xml"], &["capabilitylist"]),
            (
                &["http://a.example/x/books/c.xml", "http://a.example/x/maps/c.xml"],
                &["books", "maps"],
            ),
            (
                &["http://a.example/rs/books.xml", "http://a.example/rs/maps.xml.gz"],
                &["books", "maps"],
            ),
            (&["http://a.example/books.xml", "http://a.example/x/maps.xml"], &["books", "maps"]),
            (
                &["http://a.example/1/c.xml?set=a", "http://a.example/1/c.xml?set=b"],
                &["http://a.example/1/c.xml?set=a", "http://a.example/1/c.xml?set=b"],
            ),
        ] {
            assert_eq!(names(urls), expected);
        }
    }
}
