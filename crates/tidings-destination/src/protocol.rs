//! By which protocol a copy is made. A Sitemap says less than ResourceSync does: it has no digests, and
//! nobody promises that it is complete. So a copy goes from ResourceSync to a Sitemap only if it is told
//! to.

use std::path::Path;

use tidings_web::{DiscoveryAttempt, DiscoveryFailure, DiscoveryPolicy, Search, Source, Url};

use crate::documents::Documents;
use crate::engine::Engine;
use crate::options::{Sets, Via};
use crate::state::State;
use crate::{SyncError, SyncOptions};

/// The setting of the state that remembers it.
const SETTING: &str = "protocol";

/// By what a copy is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    ResourceSync,
    Sitemap,
}

impl Protocol {
    /// By what the copy was made; none before there is a copy, and of one that was made before this was
    /// remembered.
    pub(crate) fn recorded(state: &State) -> Result<Option<Self>, SyncError> {
        let of_text = |text: String| match text.as_str() {
            "resourcesync" => Some(Self::ResourceSync),
            "sitemap" => Some(Self::Sitemap),
            _ => None,
        };
        let recorded = state.setting(SETTING)?.and_then(of_text);
        // A copy of a Source that has nothing is one, too.
        let is_copy = state.has_resources()? || state.sets()?.iter().any(|set| set.complete);
        Ok(recorded.filter(|_| is_copy))
    }

    fn of(source: &Source) -> Self {
        if source.is_sitemap() { Self::Sitemap } else { Self::ResourceSync }
    }

    fn name(self) -> &'static str {
        match self {
            Self::ResourceSync => "resourcesync",
            Self::Sitemap => "sitemap",
        }
    }
}

impl Engine<'_> {
    /// Looks for the Source again if the copy is to be made by another protocol than before.
    pub(crate) fn check_protocol(&mut self) -> Result<(), SyncError> {
        let wants_sitemap = self.options.via == Via::Sitemap;
        self.source.must_rediscover |=
            wants_sitemap && Protocol::recorded(&self.desk.state)? != Some(Protocol::Sitemap);
        Ok(())
    }

    /// Finds the Source, by the protocol by which the copy was made or a better one, and remembers it.
    pub(crate) fn find_source(&mut self) -> Result<Source, SyncError> {
        let recorded = Protocol::recorded(&self.desk.state)?;
        let search = match (self.options.via, recorded) {
            (Via::Sitemap, _) => Search::Sitemaps,
            // It cannot become less.
            (_, Some(Protocol::Sitemap)) => Search::Lenient,
            _ => Search::Strict,
        };
        let all_sets = self.options.sets == Sets::All;
        let policy = DiscoveryPolicy { search, all_sets };
        let source = self.documents.discover(&self.options.source, policy)?;
        let found = Protocol::of(&source);
        if self.options.via != Via::Sitemap {
            check(recorded, found, &self.options.folder, &self.options.source)?;
        }
        for (url, reason) in unread(&source, &self.options.sets) {
            self.report.fail(url.as_str(), &reason.to_string());
            self.source.is_partial = true;
        }
        // Of a copy of which nothing is remembered, a Sitemap says nothing about how it was made.
        let is_known = found == Protocol::ResourceSync
            || self.options.via == Via::Sitemap
            || recorded.is_some()
            || !self.desk.has_copy();
        if is_known {
            self.desk.state.set_setting(SETTING, found.name())?;
        }
        Ok(source)
    }
}

/// Finds what a copy is held against: what it was made of.
pub(crate) fn find_audited_source(
    state: &State,
    documents: &mut Documents,
    (start, folder, sets): (&Url, &Path, &Sets),
) -> Result<Source, SyncError> {
    let recorded = Protocol::recorded(state)?;
    let search = match recorded {
        Some(Protocol::Sitemap) => Search::Sitemaps,
        _ => Search::Strict,
    };
    let policy = DiscoveryPolicy { search, all_sets: *sets == Sets::All };
    let source = documents.discover(start, policy)?;
    check(recorded, Protocol::of(&source), folder, start)?;
    // What only a set has that could not be read would seem to be too much.
    if let Some((url, reason)) = unread(&source, sets).next() {
        return Err(SyncError::Document { url: url.to_string(), reason: reason.to_string() });
    }
    Ok(source)
}

/// Has a copy repaired by what it was made of.
pub(crate) fn keep_protocol(state: &State, options: &mut SyncOptions) -> Result<(), SyncError> {
    if Protocol::recorded(state)? == Some(Protocol::Sitemap) {
        options.via = Via::Sitemap;
    }
    Ok(())
}

fn check(
    recorded: Option<Protocol>,
    found: Protocol,
    folder: &Path,
    start: &Url,
) -> Result<(), SyncError> {
    if recorded == Some(Protocol::ResourceSync) && found == Protocol::Sitemap {
        let (path, url) = (folder.to_owned(), start.to_string());
        return Err(SyncError::OnlySitemap { path, url });
    }
    Ok(())
}

/// The documents that lead to sets and could not be read: where all sets are wanted, those that the
/// Source lists and that are not there, too.
pub(crate) fn unread<'s>(
    source: &'s Source,
    sets: &'s Sets,
) -> impl Iterator<Item = (&'s Url, &'s DiscoveryFailure)> {
    let is_listed = |attempt: &&DiscoveryAttempt| attempt.is_listed;
    let listed = source.tried.iter().filter(is_listed).filter(move |_| *sets == Sets::All);
    let is_new =
        |attempt: &&DiscoveryAttempt| source.unread.iter().all(|one| one.url != attempt.url);
    source.unread.iter().chain(listed.filter(is_new)).filter_map(failure)
}

fn failure(attempt: &DiscoveryAttempt) -> Option<(&Url, &DiscoveryFailure)> {
    Some((&attempt.url, attempt.result.as_ref().err()?))
}
