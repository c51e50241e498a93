//! Applies the changes of a plan.

use tidings_document::{Head, Moment};
use tidings_web::Validators;
use url::Url;

use super::Outcome;
use crate::SyncError;
use crate::documents::{Document, Summary};
use crate::engine::Engine;
use crate::increment::Applied;
use crate::plan::{Plan, Start};
use crate::state::{History, Role, SetRow, Unsettled};
use crate::survey::{
    ChangeContent, ChangeDocument, Continuation, DocumentFailure, ListedPackage, ReadSoFar, Survey,
    check_kind, continuation, contradiction,
};

/// A document of changes, as far as it takes to know whether it can be applied.
enum Opened {
    /// All of it is in the copy.
    Read,
    List(Box<OpenList>),
    Packages(OpenPackages),
    /// It cannot be applied.
    Not(Outcome),
}

/// Packages that together cover an interval, as far as they are not read.
pub(super) struct OpenPackages {
    pub(super) listed: Vec<ListedPackage>,
    from: Option<Moment>,
    until: Option<Moment>,
    /// True if entries of a manifest are known to name nothing.
    is_lossy: bool,
}

/// A Change List that was fetched.
struct OpenList {
    url: Url,
    is_top: bool,
    document: Document,
    head: Head<'static>,
    read: ReadSoFar,
    identity: u64,
}

impl Engine<'_> {
    /// Applies the changes of a plan, in their order.
    pub(super) fn apply_all(
        &mut self,
        set: &SetRow,
        known: &[History],
        survey: &mut Survey,
        planned: &Plan,
        remembers: bool,
    ) -> Result<Outcome, SyncError> {
        let mut documents: Vec<Option<ChangeDocument>> =
            std::mem::take(&mut survey.changes).into_iter().map(Some).collect();
        let is_read = |index: &usize| {
            let document = documents[*index].as_ref();
            document.is_none_or(|document| document.read == ReadSoFar::All)
        };
        let is_new = |index: &&usize| planned.start != Start::Copy || !is_read(index);
        let until = planned.changes.iter().filter(is_new).map(|index| unsettled(survey, *index));
        let until = until.max_by_key(|until| until.edge());
        let mut is_begun = false;
        for index in &planned.changes {
            let Some(document) = documents[*index].take() else { continue };
            let opened = self.open(known, document, planned.start);
            // While not one change was applied the copy is as it was.
            let applies = matches!(opened, Opened::List(_) | Opened::Packages(_));
            if applies && !std::mem::replace(&mut is_begun, true) {
                self.unsettle(set, until)?;
            }
            let outcome = self.apply(set, opened, planned.start, remembers)?;
            if !matches!(outcome, Outcome::Applied) {
                return Ok(outcome);
            }
        }
        if remembers && (until.is_some() || set.unsettled_until.is_some()) {
            // All changes of a chain without a gap are in the copy.
            self.set_unsettled(set, None)?;
        }
        Ok(Outcome::Applied)
    }

    /// Reads a document of changes as far as it takes to know that it can be applied.
    fn open(&mut self, known: &[History], document: ChangeDocument, start: Start) -> Opened {
        let ChangeDocument { url, is_top, is_listed, identity, content, read, lost } = document;
        if read == ReadSoFar::All && start == Start::Copy {
            return Opened::Read;
        }
        match content {
            ChangeContent::Packages { packages, is_read, from, until } => {
                let unread = packages
                    .into_iter()
                    .zip(is_read)
                    .filter(|(_, is_read)| !is_read || start != Start::Copy);
                let listed = unread.map(|(package, _)| package).collect();
                Opened::Packages(OpenPackages { listed, from, until, is_lossy: lost > 0 })
            }
            ChangeContent::Fetched(fetched) => {
                let (document, head) = *fetched;
                Opened::List(Box::new(OpenList { url, is_top, document, head, read, identity }))
            }
            ChangeContent::Unfetched => {
                let mut document = match self.documents.get(&url, Validators::default()) {
                    Ok(Some(document)) => document,
                    Ok(None) => return Opened::Read,
                    Err(error) if !is_listed && error.is_absence() => {
                        return Opened::Not(Outcome::Gone(url));
                    }
                    Err(error) => return Opened::Not(failed(&url, error)),
                };
                let own = known.iter().find(|history| history.url == url.as_str());
                let summary = document.summary();
                if summary.as_ref().is_ok_and(Summary::lists_changes_elsewhere) {
                    return Opened::Not(Outcome::Index(url));
                }
                if lost == 0 && document.lost_entries() > 0 {
                    return Opened::Not(Outcome::Lossy(url, document.lost_entries()));
                }
                let checked = summary.and_then(|summary| {
                    check_kind(&url, &summary)?;
                    let found = continuation(&mut document, &summary, known, own)?;
                    Ok((summary.head, found))
                });
                let (head, read) = match checked {
                    Ok((_, Continuation::Contradicts)) if start == Start::Copy => {
                        return Opened::Not(Outcome::Contradicts(contradiction(&url)));
                    }
                    Ok((head, Continuation::Of(read))) => (head, read),
                    Ok((head, Continuation::Contradicts)) => (head, ReadSoFar::Nothing),
                    Err(error) => return Opened::Not(failed(&url, error)),
                };
                Opened::List(Box::new(OpenList { url, is_top, document, head, read, identity }))
            }
        }
    }

    fn apply(
        &mut self,
        set: &SetRow,
        opened: Opened,
        start: Start,
        remembers: bool,
    ) -> Result<Outcome, SyncError> {
        let OpenList { url, is_top, mut document, head, read, identity } = match opened {
            Opened::Read => return Ok(Outcome::Applied),
            Opened::Not(outcome) => return Ok(outcome),
            Opened::Packages(packages) => return self.apply_packages(set, packages, remembers),
            Opened::List(list) => *list,
        };
        let role = match (is_top, head.metadata.until) {
            (true, _) => Role::Top,
            (false, Some(_)) => Role::Closed,
            (false, None) => Role::Open,
        };
        let read = if start == Start::Copy { read } else { ReadSoFar::Nothing };
        let role = Some(role).filter(|_| remembers);
        let applied = Applied { url: &url, head: &head, read, identity, role };
        self.apply_changes(set, &mut document, &applied)?;
        Ok(Outcome::Applied)
    }

    /// Applies packages that together cover an interval, in their order.
    fn apply_packages(
        &mut self,
        set: &SetRow,
        packages: OpenPackages,
        remembers: bool,
    ) -> Result<Outcome, SyncError> {
        let OpenPackages { listed, from, until, is_lossy } = packages;
        let last = listed.len().saturating_sub(1);
        for (place, mut package) in listed.into_iter().enumerate() {
            package.from = package.from.or(from.filter(|_| place == 0));
            package.until = package.until.or(until.filter(|_| place == last));
            match self.apply_package(set, &package, remembers)? {
                Ok(0) => {}
                Ok(_) if is_lossy => {}
                Ok(lost) => return Ok(Outcome::Lossy(package.url, lost)),
                Err(reason) => {
                    let url = package.url.to_string();
                    let error = SyncError::Document { url: url.clone(), reason };
                    return Ok(Outcome::Failed(DocumentFailure { url, error, at: package.until }));
                }
            }
        }
        Ok(Outcome::Applied)
    }
}

fn failed(url: &Url, error: impl Into<SyncError>) -> Outcome {
    Outcome::Failed(DocumentFailure::new(url, error))
}

/// The time that a document of changes reaches.
fn unsettled(survey: &Survey, index: usize) -> Unsettled {
    survey.coverage.changes[index].until.map_or(Unsettled::Now, Unsettled::Until)
}
