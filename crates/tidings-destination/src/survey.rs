//! Reads as much of a set's documents as a plan needs: what each covers, and how it continues what the
//! copy has read.

mod archives;
mod baselines;
mod changes;
mod listed_part;
mod packages;

use std::collections::HashMap;
use std::fmt::Write as _;

use tidings_document::{Head, Moment};
use url::Url;

use crate::SyncError;
use crate::coverage::{BaselineKind, Coverage, Edge, Position};
use crate::documents::{Document, check_entries};
use crate::moments::instant;
use crate::plan::{Plan, Start};
use crate::state::{History, SetRow, Unsettled};

pub(crate) use archives::ArchiveSurvey;
pub(crate) use baselines::{BaselineSurvey, list_cursor};
pub(crate) use changes::{
    ChangeSurvey, Continuation, add_to_mark, check_kind, continuation, contradiction, tail_of,
};
pub(crate) use listed_part::parts_of;
use packages::survey_archived_dump;
pub(crate) use packages::{ListedPackage, survey_change_dump};

/// What was found out about the documents of a set.
#[derive(Default)]
pub(crate) struct Survey {
    pub(crate) coverage: Coverage,
    /// The documents of [`Coverage::baselines`], in the same order.
    pub(crate) baselines: Vec<BaselineDocument>,
    /// The documents of [`Coverage::changes`], in the same order.
    pub(crate) changes: Vec<ChangeDocument>,
    /// Indexes, and the documents of Change Dumps, with their validators: remembered once all that they
    /// lead to was applied.
    pub(crate) indexes: Vec<History>,
    /// Documents of changes that were read before, and that the Source no longer offers.
    pub(crate) unlisted: Vec<String>,
    /// Documents that are listed and could not be read.
    pub(crate) failures: Vec<DocumentFailure>,
    /// Set if a document contradicts what was read of it, or of another one, before: which, and how.
    pub(crate) contradiction: Option<String>,
    /// True if an index of Change Lists has entries that name nothing: a list may be missing.
    pub(crate) misses_parts: bool,
}

/// A document that gives the state of a set at one time.
pub(crate) enum BaselineDocument {
    /// A Resource List or Sitemaps, with the first document if it was read already.
    List { urls: Vec<Url>, first: Option<Document>, is_sitemap: bool, cursor: History },
    /// A Resource Dump and its packages.
    Dump { url: Url, packages: Vec<ListedPackage>, at: Option<Moment>, cursor: History },
}

/// A document that gives changes.
pub(crate) struct ChangeDocument {
    pub(crate) url: Url,
    /// True if the document is the one that the Capability List names, and no part of an index.
    pub(crate) is_top: bool,
    /// False if the document is known from before, and the Source no longer offers it: it may be gone.
    pub(crate) is_listed: bool,
    /// A hash of what the index says of it; 0 if it is no part of one.
    pub(crate) identity: u64,
    pub(crate) content: ChangeContent,
    pub(crate) read: ReadSoFar,
    /// How many of its entries are known to name nothing.
    pub(crate) lost: u64,
}

/// The entries of a document that gives changes.
pub(crate) enum ChangeContent {
    /// A Change List that is not fetched yet.
    Unfetched,
    /// A Change List.
    Fetched(Box<(Document, Head<'static>)>),
    /// Packages of a Change Dump that together cover an interval, and which of them were read.
    Packages {
        packages: Vec<ListedPackage>,
        is_read: Vec<bool>,
        from: Option<Moment>,
        until: Option<Moment>,
    },
}

/// How much of a document the copy has taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadSoFar {
    Nothing,
    /// So many entries, with which the document still begins.
    Entries(u64),
    /// All of it.
    All,
}

impl BaselineDocument {
    /// How the document is known again: where no changes tell of it, it is asked for at each poll.
    pub(crate) fn cursor(&self) -> &History {
        match self {
            Self::List { cursor, .. } | Self::Dump { cursor, .. } => cursor,
        }
    }
}

impl ChangeDocument {
    /// The document's own URL, or those of its packages.
    pub(crate) fn urls(&self) -> impl Iterator<Item = &Url> {
        let packages = match &self.content {
            ChangeContent::Packages { packages, .. } => packages.as_slice(),
            ChangeContent::Unfetched | ChangeContent::Fetched(_) => &[],
        };
        std::iter::once(&self.url).chain(packages.iter().map(|package| &package.url))
    }
}

/// A document that could not be read.
#[derive(Debug)]
pub(crate) struct DocumentFailure {
    pub(crate) url: String,
    pub(crate) error: SyncError,
    /// The newest time that it covers, if that is known.
    pub(crate) at: Option<Moment>,
}

impl DocumentFailure {
    pub(crate) fn new(url: &Url, error: impl Into<SyncError>) -> Self {
        Self { url: url.to_string(), error: error.into(), at: None }
    }

    /// True if the server says that there is no such document.
    pub(crate) fn is_absence(&self) -> bool {
        matches!(&self.error, SyncError::Fetch(error) if error.is_absence())
    }
}

impl Survey {
    /// True if a document covers all changes up to now.
    pub(crate) fn is_open(&self) -> bool {
        self.coverage.changes.iter().any(|interval| interval.until.is_none())
    }

    /// The newest time that a baseline covers, but for the one at `except`.
    pub(crate) fn newest_baseline(&self, except: Option<usize>) -> Edge {
        let baselines = self.coverage.baselines.iter().enumerate();
        let others = baselines.filter(|(index, _)| Some(*index) != except);
        let times = others.filter_map(|(_, baseline)| baseline.at).map(Edge::at);
        times.max().unwrap_or(Edge::BEGINNING)
    }

    /// Leaves out documents of changes.
    pub(crate) fn exclude(&mut self, is_excluded: impl Fn(&ChangeDocument) -> bool) {
        let kept: Vec<bool> = self.changes.iter().map(|document| !is_excluded(document)).collect();
        let mut keeps = kept.iter();
        self.changes.retain(|_| keeps.next().copied().unwrap_or(true));
        let mut keeps = kept.iter();
        self.coverage.changes.retain(|_| keeps.next().copied().unwrap_or(true));
    }

    /// Marks documents of changes that turned out to have entries that name nothing, by their URLs.
    pub(crate) fn mark_lossy(&mut self, lost: &HashMap<String, u64>) {
        for (document, interval) in self.changes.iter_mut().zip(&mut self.coverage.changes) {
            let known = document.urls().find_map(|url| lost.get(url.as_str()));
            document.lost = known.copied().unwrap_or(document.lost);
            interval.is_lossy = document.lost > 0;
        }
    }

    /// The documents of a plan that have entries that name nothing.
    pub(crate) fn lossy<'s>(
        &'s self,
        plan: &'s Plan,
    ) -> impl Iterator<Item = DocumentFailure> + 's {
        let chosen = plan.changes.iter().filter_map(|index| self.changes.get(*index));
        chosen.filter_map(|document| {
            let error = check_entries(&document.url, document.lost).err()?;
            Some(DocumentFailure::new(&document.url, error))
        })
    }

    /// A plan in words, with what it was chosen from.
    pub(crate) fn summary(&self, plan: &Plan) -> String {
        let baselines = self.coverage.baselines.iter().map(|baseline| {
            let kind = match baseline.kind {
                BaselineKind::ResourceList => "Resource List",
                BaselineKind::ResourceDump => "Resource Dump",
            };
            let at = baseline.at.map_or("of an unknown time".to_owned(), |at| format!("of {at}"));
            format!("{kind} {at} (cost {})", baseline.cost)
        });
        let offered: Vec<String> = baselines.collect();
        let start = match plan.start {
            Start::Copy => "from the copy".to_owned(),
            Start::Baseline(index) => format!("from the {}", offered[index]),
            Start::Nothing => "from nothing".to_owned(),
        };
        let mut text = format!("the plan goes {start} through {} of ", plan.changes.len());
        let _ = write!(text, "{} documents of changes", self.coverage.changes.len());
        let chosen = |index: usize| plan.start == Start::Baseline(index);
        let others: Vec<&str> = offered
            .iter()
            .enumerate()
            .filter(|(index, _)| !chosen(*index))
            .map(|(_, text)| text.as_str())
            .collect();
        if !others.is_empty() {
            let _ = write!(text, "; it leaves the {}", others.join(" and the "));
        }
        if let Some(gap) = &plan.gap {
            let _ = write!(text, "; {gap}");
        }
        text
    }

    /// The position of a copy, as this survey leaves it.
    pub(crate) fn position(&self, set: &SetRow) -> Position {
        Position {
            reached: set.reached.or(set.at),
            is_complete: set.complete,
            is_past_baseline: set.reached.map(instant) > set.at.map(instant),
            is_sound: self.contradiction.is_none(),
            unsettled_until: set.unsettled_until.map(Unsettled::edge),
        }
    }
}
