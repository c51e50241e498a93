//! The walk itself: which document comes next.

use std::collections::{HashSet, VecDeque};
use std::hash::Hash;

use super::policy::{FailurePolicy, WalkOrder, WalkPolicy};

/// A document to fetch.
#[derive(Debug, Clone)]
pub struct DocumentRequest<K, T> {
    /// Its URL, or its name.
    pub url: K,
    /// The number of levels below the document that the walk started at.
    pub depth: usize,
    /// What the caller remembers of it.
    pub context: T,
}

/// What became of a document that was listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// It will be opened.
    Queued,
    /// It was listed before: a document belongs to the first one that lists it.
    Known,
    /// It lies deeper than the walk goes.
    TooDeep,
    /// There are more documents than the walk takes note of.
    TooMany,
}

/// A walk over the documents of a Source, each once.
#[derive(Debug)]
pub struct SourceWalk<K, T> {
    policy: WalkPolicy,
    queue: VecDeque<DocumentRequest<K, T>>,
    /// Starts that are opened when nothing else waits.
    fallbacks: VecDeque<DocumentRequest<K, T>>,
    /// Documents that wait or were opened, and other URLs of theirs.
    listed: HashSet<K>,
    count: usize,
    opened: usize,
    /// Documents that were left out, as far as they can be told apart.
    skipped: HashSet<K>,
    uncounted: usize,
    climbed: HashSet<K>,
    starts: usize,
    failed_starts: usize,
    server_failures: u32,
}

impl<K: Clone + Eq + Hash, T> SourceWalk<K, T> {
    /// A walk that has not started yet.
    #[must_use]
    pub fn new(policy: WalkPolicy) -> Self {
        Self {
            policy,
            queue: VecDeque::new(),
            fallbacks: VecDeque::new(),
            listed: HashSet::new(),
            count: 0,
            opened: 0,
            skipped: HashSet::new(),
            uncounted: 0,
            climbed: HashSet::new(),
            starts: 0,
            failed_starts: 0,
            server_failures: 0,
        }
    }

    /// How the walk goes.
    #[must_use]
    pub fn policy(&self) -> &WalkPolicy {
        &self.policy
    }

    /// Starts at a document, after those that wait already.
    pub fn start(&mut self, url: K, context: T) -> Listing {
        let listing = self.admit(&url, 0);
        if listing == Listing::Queued {
            self.starts += 1;
            self.queue.push_back(DocumentRequest { url, depth: 0, context });
        }
        listing
    }

    /// Starts at a document when nothing else waits, unless another one led to it by then.
    pub fn start_last(&mut self, url: K, context: T) {
        self.fallbacks.push_back(DocumentRequest { url, depth: 0, context });
    }

    /// Takes note of a document that is opened later, if at all ([`Self::reopen`]).
    pub fn reserve(&mut self, url: &K) -> Listing {
        self.admit(url, 0)
    }

    /// The next document to open; none at the end.
    pub fn next_request(&mut self) -> Option<DocumentRequest<K, T>> {
        while self.queue.is_empty() {
            let DocumentRequest { url, context, .. } = self.fallbacks.pop_front()?;
            // One that was left out is not opened by another name.
            if !self.skipped.contains(&url) {
                self.start(url, context);
            }
        }
        if self.opened >= self.policy.limits.max_opened {
            return None;
        }
        self.opened += 1;
        self.queue.pop_front()
    }

    /// Lists a document below another one, after those that were listed at the same time.
    pub fn list_one(&mut self, parent_depth: usize, url: K, context: T) -> Listing {
        let depth = parent_depth.saturating_add(1);
        let listing = self.admit(&url, depth);
        if listing == Listing::Queued {
            self.queue.push_back(DocumentRequest { url, depth, context });
        }
        listing
    }

    /// Lists documents below another one. The number of those that were left out is returned.
    pub fn list(
        &mut self,
        parent_depth: usize,
        children: impl IntoIterator<Item = (K, T)>,
    ) -> usize {
        let before = self.queue.len();
        let mut left_out = 0;
        for (url, context) in children {
            let listing = self.list_one(parent_depth, url, context);
            left_out += usize::from(matches!(listing, Listing::TooDeep | Listing::TooMany));
        }
        self.bring_forward(before);
        left_out
    }

    /// Puts the documents behind the first `waiting` where the order of the walk has them.
    fn bring_forward(&mut self, waiting: usize) {
        if self.policy.order == WalkOrder::DepthFirst {
            let added = self.queue.len() - waiting;
            self.queue.rotate_right(added);
        }
    }

    fn admit(&mut self, url: &K, depth: usize) -> Listing {
        let limits = self.policy.limits;
        if self.listed.contains(url) {
            return Listing::Known;
        }
        let listing = if depth > limits.max_levels {
            Listing::TooDeep
        } else if self.count >= limits.max_listed {
            Listing::TooMany
        } else {
            self.listed.insert(url.clone());
            self.skipped.remove(url);
            self.count += 1;
            return Listing::Queued;
        };
        if self.skipped.len() < limits.max_listed {
            self.skipped.insert(url.clone());
        } else if !self.skipped.contains(url) {
            self.uncounted = self.uncounted.saturating_add(1);
        }
        listing
    }

    /// Climbs from a document to the one above it, from where the first one may be listed again. False
    /// if that one was climbed to before, or is too far up.
    pub fn climb(&mut self, from: &K, to: K, context: T) -> bool {
        self.climbed.insert(from.clone());
        if self.climbed.contains(&to) || self.climbed.len() > self.policy.limits.max_climbs {
            return false;
        }
        self.forget(from);
        self.start(to, context);
        true
    }

    /// Opens a document again, as if it had not been listed.
    pub fn reopen(&mut self, url: K, context: T) {
        self.forget(&url);
        self.start(url, context);
    }

    fn forget(&mut self, url: &K) {
        if self.listed.remove(url) {
            self.count -= 1;
        }
    }

    /// Takes note of another URL of a document that was opened, as of a redirect.
    pub fn add_alias(&mut self, url: K) {
        self.listed.insert(url);
    }

    /// Forgets another URL of a document.
    pub fn remove_alias(&mut self, url: &K) {
        self.listed.remove(url);
    }

    /// Tells that a document could not be fetched or read, and whether that is because of its server.
    /// False if the walk ends with it.
    pub fn fail(&mut self, depth: usize, is_server_failure: bool) -> bool {
        self.server_failures += u32::from(is_server_failure);
        self.failed_starts += usize::from(depth == 0);
        let ends = match self.policy.on_failure {
            FailurePolicy::Continue => false,
            FailurePolicy::EndWithLastStart => depth == 0 && self.failed_starts >= self.starts,
            FailurePolicy::EndWithAnyStart => depth == 0,
            FailurePolicy::End => true,
        };
        !ends && self.server_failures < self.policy.limits.max_server_failures
    }

    /// True if a document was listed.
    #[must_use]
    pub fn has_listed(&self, url: &K) -> bool {
        self.listed.contains(url)
    }

    /// The number of documents that were listed.
    #[must_use]
    pub fn listed(&self) -> usize {
        self.count
    }

    /// The number of documents that were opened.
    #[must_use]
    pub fn opened(&self) -> usize {
        self.opened
    }

    /// The number of documents that wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// The number of documents that were left out because there are too many, or they lie too deep.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.skipped.len().saturating_add(self.uncounted)
    }

    /// The number of documents that are known and were not opened.
    #[must_use]
    pub fn unopened(&self) -> usize {
        let fallbacks = self.fallbacks.iter().map(|request| &request.url);
        let is_new = |url: &&K| !self.listed.contains(*url) && !self.skipped.contains(*url);
        let fallbacks: HashSet<&K> = fallbacks.filter(is_new).collect();
        self.queue.len().saturating_add(self.left_out()).saturating_add(fallbacks.len())
    }
}
