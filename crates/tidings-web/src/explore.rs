//! What a Source has, as a tree: its documents, from the top down, each checked.

mod error;
mod seen;
mod summary;
mod visit;

use tidings_document::{
    DocumentRequest, FailurePolicy, SourceWalk, WalkLimits, WalkOrder, WalkPolicy, WalkScope,
};
use url::Url;

pub use error::VisitError;
pub use seen::{Package, Seen};
pub use summary::{DocumentSummary, TreeSummary};
pub use visit::visit;

use crate::{Client, GetOptions, Login, Source, SourceSet};

/// All documents and no package, in the order of the tree; a document that fails is told in its place.
const EXPLORE_POLICY: WalkPolicy = WalkPolicy {
    limits: WalkLimits::DEFAULT,
    order: WalkOrder::DepthFirst,
    scope: WalkScope::Documents,
    on_failure: FailurePolicy::Continue,
};

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
    let mut nodes = Vec::new();
    let mut walk = SourceWalk::new(options.policy());
    if let Some(description) = &source.description {
        walk.start(description.clone(), ());
    }
    // Discovery found these, and the Source Description need not lead to them.
    for url in source.sets.iter().flat_map(tops) {
        walk.start_last(url, ());
    }
    while let Some(DocumentRequest { url, depth, .. }) = walk.next_request() {
        progress(nodes.len(), &url);
        let request = login.map_or_else(|| url.clone(), |login| login.add(&url));
        let seen = visit(client, get, &request).await;
        if let Ok(seen) = &seen {
            walk.list(depth, seen.children.iter().map(|child| (child.clone(), ())));
        }
        nodes.push(Node { url, depth, seen });
    }
    Tree { nodes, left: walk.unopened() }
}

impl ExploreOptions {
    fn policy(&self) -> WalkPolicy {
        let limits = WalkLimits {
            max_levels: self.levels.saturating_sub(1),
            max_opened: self.documents,
            // A tree may have branches without end.
            max_listed: self.documents.saturating_mul(3),
            ..WalkLimits::DEFAULT
        };
        WalkPolicy { limits, ..EXPLORE_POLICY }
    }
}

/// The documents of a set that nothing in the set is above.
fn tops(set: &SourceSet) -> Vec<Url> {
    match &set.capability_list {
        Some(list) => vec![list.clone()],
        None => set.offers.iter().map(|offer| offer.url.clone()).collect(),
    }
}
