//! OPML: lists of subscriptions.

mod error;
mod read;
mod write;

use std::slice;

pub use error::OpmlError;

/// A list of subscriptions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opml {
    /// What it is called.
    pub title: String,
    /// What is in it.
    pub outlines: Vec<Outline>,
}

/// A subscription, or a folder of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// What people read.
    pub text: String,
    /// The feed.
    pub xml_url: Option<String>,
    /// The page that the feed belongs to.
    pub html_url: Option<String>,
    /// `rss` for a feed of any format.
    pub kind: Option<String>,
    /// What a follower of sites needs to know, in attributes of our own namespace.
    pub site: Option<FollowedSite>,
    /// What is in the folder.
    pub children: Vec<Outline>,
}

/// A site as it is followed: attributes of the namespace [`FollowedSite::NAMESPACE`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FollowedSite {
    /// The attribute `site`: the address by which it is followed.
    pub url: String,
    /// The other attributes: names and values, in their order.
    pub settings: Vec<(String, String)>,
}

impl FollowedSite {
    /// The namespace of these attributes.
    pub const NAMESPACE: &str = "urn:x-tidings:opml";
}

impl Opml {
    /// Those outlines that are a feed, or a site, in the order in which a person would see them.
    pub fn feeds(&self) -> impl Iterator<Item = &Outline> {
        self.all().filter(|outline| outline.is_subscription())
    }

    /// All outlines, in the order in which a person would see them.
    pub fn all(&self) -> impl Iterator<Item = &Outline> {
        let mut open = vec![self.outlines.iter()];
        std::iter::from_fn(move || next(&mut open))
    }
}

impl Outline {
    /// Whether there is something to follow in it, and not only in what it contains.
    #[must_use]
    pub fn is_subscription(&self) -> bool {
        self.xml_url.is_some() || self.site.is_some()
    }
}

/// Goes one step on, into folders first.
fn next<'o>(open: &mut Vec<slice::Iter<'o, Outline>>) -> Option<&'o Outline> {
    loop {
        match open.last_mut()?.next() {
            Some(outline) => {
                open.push(outline.children.iter());
                return Some(outline);
            }
            None => {
                open.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests;
