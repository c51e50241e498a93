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
    /// What is in the folder.
    pub children: Vec<Outline>,
}

impl Opml {
    /// Those outlines that are a feed, in the order in which a person would see them.
    pub fn feeds(&self) -> impl Iterator<Item = &Outline> {
        let mut open = vec![self.outlines.iter()];
        std::iter::from_fn(move || next(&mut open)).filter(|outline| outline.xml_url.is_some())
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
