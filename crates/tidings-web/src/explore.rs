//! What a Source has, as a tree: its documents, from the top down, each checked.

mod error;
mod seen;
mod visit;

use std::collections::HashSet;

use url::Url;

pub use error::VisitError;
pub use seen::{Package, Seen};
pub use visit::visit;

use crate::{Client, GetOptions, Login, Source};

/// The documents of a Source, each before those that it leads to.
#[derive(Debug)]
pub struct Tree {
    /// Those that were looked at.
    pub nodes: Vec<Node>,
    /// How many documents are known and were not looked at: too deep, or too many.
    pub left: usize,
}

/// One document of the tree.
#[derive(Debug)]
pub struct Node {
    /// Where it is, as it is published and without credentials.
    pub url: Url,
    /// How deep below the top, which is 0.
    pub depth: usize,
    /// What is in it, or why it could not be had.
    pub seen: Result<Seen, VisitError>,
}

impl Node {
    /// Whether it could be had, and read to its end.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.seen.as_ref().is_ok_and(Seen::is_whole)
    }
}

/// How much of a Source is looked at.
#[derive(Debug, Clone)]
pub struct ExploreOptions {
    /// How many levels of documents; 1 means those at the top.
    pub levels: usize,
    /// How many documents, at most.
    pub documents: usize,
}

impl Default for ExploreOptions {
    /// All levels, and 10,000 documents.
    fn default() -> Self {
        Self { levels: usize::MAX, documents: 10_000 }
    }
}

/// Looks at the documents of a Source, one after the other, from the top down. Packages are named,
/// and never fetched.
///
/// A document that cannot be had is told in its place, and the others are looked at all the same.
/// `login` goes with the requests to its origin. `progress` is told before each document how many were
/// looked at, and which is next.
pub async fn explore(
    client: &Client,
    source: &Source,
    get: &GetOptions,
    login: Option<&Login>,
    options: &ExploreOptions,
    progress: &(dyn Fn(usize, &Url) + Sync),
) -> Tree {
    let mut tree = Tree { nodes: Vec::new(), left: 0 };
    let mut met: HashSet<Url> = HashSet::new();
    let mut passed_over: HashSet<Url> = HashSet::new();
    // The last is the next.
    let mut stack = tops(source);
    while let Some((url, depth)) = stack.pop() {
        if met.contains(&url) || depth == 0 && passed_over.contains(&url) {
            continue;
        }
        if depth >= options.levels || tree.nodes.len() >= options.documents {
            tree.left += usize::from(passed_over.insert(url));
            continue;
        }
        met.insert(url.clone());
        progress(tree.nodes.len(), &url);
        let request = login.map_or_else(|| url.clone(), |login| login.add(&url));
        let seen = visit(client, get, &request).await;
        if let Ok(seen) = &seen {
            // No more wait than could still be looked at, and some: a tree may have branches without end.
            let room = (2 * options.documents).saturating_sub(stack.len()).max(1);
            let new: Vec<&Url> = seen.children.iter().filter(|url| !met.contains(*url)).collect();
            let (kept, more) = new.split_at(room.min(new.len()));
            let room = (2 * options.documents).saturating_sub(passed_over.len());
            let counted = more.iter().take(room).filter(|url| passed_over.insert((**url).clone()));
            tree.left += counted.count() + more.len().saturating_sub(room);
            stack.extend(kept.iter().rev().map(|child| ((*child).clone(), depth + 1)));
        }
        tree.nodes.push(Node { url, depth, seen });
    }
    tree
}

/// Where the tree begins, the first last. What discovery knows of comes after the Source Description,
/// and only where that does not lead to it.
fn tops(source: &Source) -> Vec<(Url, usize)> {
    let mut stack: Vec<(Url, usize)> = Vec::new();
    for set in source.sets.iter().rev() {
        match &set.capability_list {
            Some(list) => stack.push((list.clone(), 0)),
            None => stack.extend(set.offers.iter().rev().map(|offer| (offer.url.clone(), 0))),
        }
    }
    stack.extend(source.description.iter().map(|url| (url.clone(), 0)));
    stack
}
