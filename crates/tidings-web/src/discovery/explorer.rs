//! Looks at documents, each once, and not at too many.

use std::collections::HashMap;
use std::sync::Arc;

use url::{Origin, Url};

use super::document::{Document, Sight};
use super::policy::{DiscoveryPolicy, Search};
use super::source::{Attempt, DiscoveryDocument};
use crate::error::Phase;
use crate::{Client, FetchError, GetOptions, Login, StatusCode, Validators};

/// How many documents are looked at. A Source has a handful; one with more sets than that is not
/// explored to its end.
const MOST_DOCUMENTS: usize = 1_000;

/// What is known of the way so far.
pub(super) struct Explorer<'a> {
    pub(super) client: &'a Client,
    pub(super) options: &'a GetOptions,
    pub(super) policy: DiscoveryPolicy,
    login: Option<Login>,
    seen: HashMap<Url, Result<Sight, Failure>>,
    /// An origin that cannot be reached, so that it is of no use to ask it for something else.
    gone: Option<Origin>,
    pub(super) tried: Vec<Attempt>,
    /// How many documents were not looked at.
    pub(super) left_out: usize,
    /// Documents that others lead to and that could not be fetched, though nobody says that they do not
    /// exist.
    pub(super) unread: Vec<Attempt>,
    /// The first place that may have more than what was found, and could not be looked at. In a strict
    /// search it ends the search.
    pub(super) obstacle: Option<Attempt>,
    /// A document that does not say of which kind it is, and is meant to be of ResourceSync: it ends
    /// every search.
    pub(super) malformed: Option<Attempt>,
    /// Documents that a Source Description lists, whether they could be read or not.
    pub(super) listed: Vec<Url>,
}

/// Why there is nothing to look at.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// As a sentence that names the URL.
    pub(super) reason: String,
    /// True if the server says that there is no such document (404, 410).
    pub(super) is_absent: bool,
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
            && !failure.is_absent
        {
            self.hinder(what, url, failure.reason.clone());
        }
    }

    /// Remembers that more may be at a place than could be seen.
    pub(super) fn hinder(&mut self, what: &str, url: &Url, reason: String) {
        if self.is_strict() && self.obstacle.is_none() {
            let (what, url) = (what.to_owned(), url.clone());
            self.obstacle = Some(Attempt { what, url, result: Err(reason) });
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
    pub(super) fn known(&self, url: &Url) -> Option<&Document> {
        match self.seen.get(url)? {
            Ok(Sight::Document(document)) => Some(document),
            _ => None,
        }
    }

    /// The documents that say which sets there are, see [`Source::documents`](super::Source).
    pub(super) fn documents(&self) -> Vec<DiscoveryDocument> {
        let mut documents: Vec<DiscoveryDocument> = Vec::new();
        for (url, sight) in &self.seen {
            let (validators, digest) = match sight {
                Ok(Sight::Document(document)) if document.digest.is_some() => {
                    (document.validators.clone(), document.digest.clone())
                }
                Ok(Sight::Other(_)) | Err(_) if self.listed.contains(url) => {
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
    pub(super) async fn look(&mut self, url: &Url) -> Result<Sight, Failure> {
        if let Some(sight) = self.seen.get(url) {
            return sight.clone();
        }
        if self.seen.len() >= MOST_DOCUMENTS {
            self.left_out += 1;
            let reason = format!("{url} was not looked at: {MOST_DOCUMENTS} documents are enough");
            return Err(Failure { reason, is_absent: true });
        }
        let sight = match self.client.get(&self.request_url(url), self.options).await {
            Ok(fetched) => Sight::new(url, fetched)
                .map_err(|error| format!("{url} could not be read: {error}"))
                .map_err(|reason| Failure { reason, is_absent: false }),
            Err(error) => {
                let unreachable = matches!(
                    error,
                    FetchError::Unreachable { .. }
                        | FetchError::TimedOut { phase: Phase::Connect | Phase::Headers, .. }
                );
                if unreachable {
                    self.gone = Some(url.origin());
                }
                let is_absent = matches!(error, FetchError::Status { status, .. }
                    if matches!(status, StatusCode::NOT_FOUND | StatusCode::GONE));
                Err(Failure { reason: error.to_string(), is_absent })
            }
        };
        self.seen.insert(url.clone(), sight.clone());
        sight
    }

    /// Looks for a document, and takes note of where it was looked for.
    pub(super) async fn try_place(&mut self, what: &str, url: &Url) -> Option<Sight> {
        let sight = self.look(url).await;
        let result = match &sight {
            Ok(Sight::Document(document)) => Ok(document.head.title()),
            Ok(Sight::Other(other)) => Err(other.reason.clone()),
            Err(failure) => Err(failure.reason.clone()),
        };
        self.note(what, url, result);
        sight.ok()
    }

    /// Looks for a document that another one leads to; only failure is worth a note.
    pub(super) async fn follow(&mut self, what: &str, url: &Url) -> Option<Arc<Document>> {
        let (reason, is_absent) = match self.look(url).await {
            Ok(Sight::Document(document)) => return Some(document),
            Ok(Sight::Other(other)) => (other.reason.clone(), false),
            Err(failure) => (failure.reason, failure.is_absent),
        };
        if !is_absent {
            let (what, url, result) = (what.to_owned(), url.clone(), Err(reason.clone()));
            self.unread.push(Attempt { what, url, result });
        }
        // Of those that are too many their number is enough.
        if self.left_out <= 1 {
            self.note(what, url, Err(reason));
        }
        None
    }

    pub(super) fn note(&mut self, what: &str, url: &Url, result: Result<String, String>) {
        self.tried.push(Attempt { what: what.to_owned(), url: url.clone(), result });
    }
}
