//! Looks at documents, each once, and not at too many.

use std::collections::HashMap;
use std::sync::Arc;

use tidings_document::{FailurePolicy, WalkLimits, WalkOrder, WalkPolicy, WalkScope};
use url::{Origin, Url};

use super::DiscoveryFailure;
use super::document::{ProbeResult, ProbedDocument};
use super::policy::{DiscoveryPolicy, Search};
use super::source::{DiscoveryAttempt, DiscoveryDocument};
use crate::error::Phase;
use crate::{Client, FetchError, GetOptions, Login, Validators};

/// The number of documents that one search looks at. A Source has a handful; one with more sets than
/// that is not explored to its end.
const MAX_PROBED_DOCUMENTS: usize = 1_000;

/// Documents that say which sets there are, in the order of their levels. A search may walk several
/// times, and looks at each document once.
pub(super) const DISCOVERY_POLICY: WalkPolicy = WalkPolicy {
    limits: WalkLimits {
        // Indexes of that level are the last whose parts are looked at.
        max_levels: WalkLimits::MAX_INDEX_LEVELS + 1,
        max_climbs: WalkLimits::MAX_INDEX_LEVELS,
        ..WalkLimits::DEFAULT
    },
    order: WalkOrder::BreadthFirst,
    scope: WalkScope::Sets,
    on_failure: FailurePolicy::Continue,
};

/// What is known of the way so far.
pub(super) struct Explorer<'a> {
    pub(super) client: &'a Client,
    pub(super) options: &'a GetOptions,
    pub(super) policy: DiscoveryPolicy,
    login: Option<Login>,
    seen: HashMap<Url, Result<ProbeResult, DiscoveryFailure>>,
    /// An origin that cannot be reached, so that it is of no use to ask it for something else.
    gone: Option<Origin>,
    pub(super) tried: Vec<DiscoveryAttempt>,
    /// How many documents were not looked at.
    pub(super) left_out: usize,
    /// Documents that others lead to and that could not be fetched, though nobody says that they do not
    /// exist.
    pub(super) unread: Vec<DiscoveryAttempt>,
    /// The first place that may have more than what was found, and could not be looked at. In a strict
    /// search it ends the search.
    pub(super) obstacle: Option<DiscoveryAttempt>,
    /// A document that does not say of which kind it is, and is meant to be of ResourceSync: it ends
    /// every search.
    pub(super) malformed: Option<DiscoveryAttempt>,
    /// Documents that a Source Description lists, whether they could be read or not.
    pub(super) listed: Vec<Url>,
}

impl<'a> Explorer<'a> {
    pub(super) fn new(
        client: &'a Client,
        options: &'a GetOptions,
        policy: DiscoveryPolicy,
        login: Option<Login>,
    ) -> Self {
        Self {
            client,
            options,
            policy,
            login,
            seen: HashMap::new(),
            gone: None,
            tried: Vec::new(),
            left_out: 0,
            unread: Vec::new(),
            obstacle: None,
            malformed: None,
            listed: Vec::new(),
        }
    }

    pub(super) fn is_strict(&self) -> bool {
        self.policy.search == Search::Strict
    }

    /// Remembers that more may be at a place than could be seen, if nobody says that there is nothing.
    pub(super) fn hinder_by_failure(&mut self, what: &str, url: &Url) {
        if let Some(Err(failure)) = self.seen.get(url)
            && failure.may_hide_something()
        {
            self.hinder(what, url, failure.clone());
        }
    }

    /// Remembers that more may be at a place than could be seen.
    pub(super) fn hinder(&mut self, what: &str, url: &Url, failure: DiscoveryFailure) {
        if self.is_strict() && self.obstacle.is_none() {
            self.obstacle = Some(attempt(what, url, Err(failure)));
        }
    }

    /// The URL as it is asked for. Those that are kept have no login, so that none is ever shown.
    pub(super) fn request_url(&self, url: &Url) -> Url {
        self.login.as_ref().map_or_else(|| url.clone(), |login| login.add(url))
    }

    pub(super) fn is_gone(&self, url: &Url) -> bool {
        self.gone.as_ref() == Some(&url.origin())
    }

    /// Whether it was looked at already.
    pub(super) fn knows(&self, url: &Url) -> bool {
        self.seen.contains_key(url)
    }

    /// A document that was looked at already.
    pub(super) fn known(&self, url: &Url) -> Option<&ProbedDocument> {
        match self.seen.get(url)? {
            Ok(ProbeResult::Document(document)) => Some(document),
            _ => None,
        }
    }

    /// The documents that say which sets there are, see [`Source::documents`](super::Source).
    pub(super) fn documents(&self) -> Vec<DiscoveryDocument> {
        let mut documents: Vec<DiscoveryDocument> = Vec::new();
        for (url, sight) in &self.seen {
            let (validators, digest) = match sight {
                Ok(ProbeResult::Document(document)) if document.digest.is_some() => {
                    (document.validators.clone(), document.digest.clone())
                }
                Ok(ProbeResult::Other(_)) | Err(_) if self.listed.contains(url) => {
                    (Validators::default(), None)
                }
                _ => continue,
            };
            documents.push(DiscoveryDocument { url: url.clone(), validators, digest });
        }
        documents.sort_by(|one, other| one.url.cmp(&other.url));
        documents
    }

    /// Looks at what is at a URL.
    pub(super) async fn look(&mut self, url: &Url) -> Result<ProbeResult, DiscoveryFailure> {
        if let Some(sight) = self.seen.get(url) {
            return sight.clone();
        }
        if self.seen.len() >= MAX_PROBED_DOCUMENTS {
            self.left_out += 1;
            let reason =
                format!("{url} was not looked at: {MAX_PROBED_DOCUMENTS} documents are enough");
            return Err(DiscoveryFailure::LeftOut(reason));
        }
        let sight = match self.client.get(&self.request_url(url), self.options).await {
            Ok(fetched) => ProbeResult::new(url, fetched)
                .map_err(|error| format!("{url} could not be read: {error}"))
                .map_err(DiscoveryFailure::Unreadable),
            Err(error) => {
                let unreachable = matches!(
                    error,
                    FetchError::Unreachable { .. }
                        | FetchError::TimedOut { phase: Phase::Connect | Phase::Headers, .. }
                );
                if unreachable {
                    self.gone = Some(url.origin());
                }
                Err(DiscoveryFailure::from_fetch_error(&error))
            }
        };
        self.seen.insert(url.clone(), sight.clone());
        sight
    }

    /// Looks for a document, and takes note of where it was looked for.
    pub(super) async fn try_place(&mut self, what: &str, url: &Url) -> Option<ProbeResult> {
        let sight = self.look(url).await;
        let result = match &sight {
            Ok(ProbeResult::Document(document)) => Ok(document.head.title()),
            Ok(ProbeResult::Other(other)) => Err(other.failure.clone()),
            Err(failure) => Err(failure.clone()),
        };
        self.tried.push(attempt(what, url, result));
        sight.ok()
    }

    /// Looks for a document that another one links to; only failure is worth a note.
    pub(super) async fn follow(&mut self, what: &str, url: &Url) -> Option<Arc<ProbedDocument>> {
        match self.probe_document(url).await {
            Ok(document) => Some(document),
            Err(failure) => {
                self.note_unread(attempt(what, url, Err(failure)));
                None
            }
        }
    }

    /// Looks for a document that another one lists.
    pub(super) async fn follow_listed(
        &mut self,
        parent: &ProbedDocument,
        url: &Url,
    ) -> Option<Arc<ProbedDocument>> {
        match self.probe_document(url).await {
            Ok(document) => Some(document),
            Err(failure) => {
                let attempt = attempt(&format!("listed in {}", parent.asked), url, Err(failure));
                self.note_unread(DiscoveryAttempt { is_listed: true, ..attempt });
                None
            }
        }
    }

    /// Takes note of entries that name nothing: a document or a set may be missing.
    pub(super) fn note_lost_entries(&mut self, what: &str, document: &ProbedDocument) {
        if let Some(failure) = document.entries_failure() {
            self.note_unread(attempt(what, &document.asked, Err(failure)));
        }
    }

    async fn probe_document(&mut self, url: &Url) -> Result<Arc<ProbedDocument>, DiscoveryFailure> {
        match self.look(url).await? {
            ProbeResult::Document(document) => Ok(document),
            ProbeResult::Other(other) => Err(other.failure.clone()),
        }
    }

    fn note_unread(&mut self, attempt: DiscoveryAttempt) {
        if attempt.result.as_ref().is_err_and(DiscoveryFailure::may_hide_something) {
            self.unread.push(attempt.clone());
        }
        // Of those that are too many their number is enough.
        if self.left_out <= 1 {
            self.tried.push(attempt);
        }
    }

    pub(super) fn note(&mut self, what: &str, url: &Url, failure: DiscoveryFailure) {
        self.tried.push(attempt(what, url, Err(failure)));
    }
}

/// An attempt at a place that no document lists.
pub(super) fn attempt(
    what: &str,
    url: &Url,
    result: Result<String, DiscoveryFailure>,
) -> DiscoveryAttempt {
    DiscoveryAttempt { what: what.to_owned(), url: url.clone(), is_listed: false, result }
}
