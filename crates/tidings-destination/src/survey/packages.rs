//! Surveys the dumps of a set: the packages that they list.

use tidings_document::{Capability, Moment};
use url::Url;

use super::{ChangeContent, ChangeDocument, DocumentFailure, ReadSoFar, Survey, is_absent};
use crate::SyncError;
use crate::bytes::Expected;
use crate::coverage::{Interval, IntervalKind};
use crate::documents::Documents;
use crate::moments::instant;
use crate::parts::Parts;
use crate::state::{History, Role};

/// A package that a dump lists.
#[derive(Debug, Clone)]
pub(crate) struct ListedPackage {
    pub(crate) url: Url,
    pub(crate) expected: Expected,
    pub(crate) from: Option<Moment>,
    pub(crate) until: Option<Moment>,
    /// A copy of its manifest (`contents`).
    pub(crate) contents: Option<Url>,
}

/// The packages of a dump.
pub(crate) struct Packages {
    pub(crate) listed: Vec<ListedPackage>,
    /// The time that all of them have in common.
    pub(crate) at: Option<Moment>,
    from: Option<Moment>,
    until: Option<Moment>,
    /// The validators of the dump's document, if it is one document.
    top: Option<History>,
}

/// Reads the documents of a dump.
pub(crate) fn packages(
    documents: &mut Documents,
    dump: &Url,
    capability: Capability,
) -> Result<Packages, SyncError> {
    let mut parts = Parts::new([dump.clone()], Some(capability));
    let mut found = Packages { listed: Vec::new(), at: None, from: None, until: None, top: None };
    let mut levels = 0;
    while let Some((part, mut document, summary)) = parts.next(documents, |_| false)? {
        let own = &summary.head.metadata;
        found.at = if found.at.is_none() { own.at } else { found.at.min(own.at) };
        found.from = if levels == 0 { own.from } else { found.from.min(own.from) };
        found.until = own.until;
        levels += 1;
        found.top = (part.level == 0).then(|| History {
            url: part.url.to_string(),
            role: Role::Dump,
            validators: document.validators.clone(),
            ..History::default()
        });
        document.each(|entry, base| {
            let metadata = &entry.metadata;
            let contents = entry.link("contents").and_then(|link| base.join(link.href.trim()).ok());
            let Ok(url) = base.join(entry.loc.trim()) else { return Ok(()) };
            found.listed.push(ListedPackage {
                url,
                expected: Expected::of(metadata.length, metadata.hash.as_ref()),
                from: metadata.from,
                until: metadata.until,
                contents,
            });
            found.at = if metadata.at.is_some() { found.at.min(metadata.at) } else { found.at };
            Ok(())
        })?;
    }
    if let Some((url, reason)) = parts.missing.pop() {
        return Err(SyncError::Document { url, reason });
    }
    Ok(found)
}

impl Packages {
    /// The intervals of the packages of a Change Dump. Where a package does not give its own, it goes
    /// from the end of the one before it to the beginning of the one after it.
    fn intervals(&self) -> Vec<(Option<Moment>, Option<Moment>)> {
        let mut before = self.from;
        let mut intervals = Vec::with_capacity(self.listed.len());
        for (place, package) in self.listed.iter().enumerate() {
            let next = self.listed.get(place + 1);
            let until = package.until.or(match next {
                Some(next) => next.from,
                None => self.until,
            });
            let from = package.from.or(before);
            intervals.push((from, until));
            before = until;
        }
        intervals
    }
}

/// Adds the packages of a Change Dump to a survey. A package that does not say how far it reaches is of
/// use only where there are no Change Lists that do.
pub(crate) fn survey_change_dump(
    documents: &mut Documents,
    known: &[History],
    dump: &Url,
    survey: &mut Survey,
    request_cost: u64,
) {
    let found = match packages(documents, dump, Capability::ChangeDump) {
        Ok(found) => found,
        Err(SyncError::Fetch(error)) if !is_absent(&error) => {
            survey.failures.push(DocumentFailure::new(dump, *error));
            return;
        }
        Err(error) => {
            survey.failures.push(DocumentFailure::new(dump, error));
            return;
        }
    };
    let has_lists = !survey.changes.is_empty();
    let intervals = found.intervals();
    let lost = known.iter().filter(|history| history.role == Role::Package).find(|history| {
        let is_listed = found.listed.iter().any(|one| one.url.as_str() == history.url);
        let begins_before = |from: Moment| {
            history.from.is_some_and(|lost| instant(from) <= instant(lost))
        };
        !is_listed && intervals.iter().any(|(from, _)| from.is_some_and(begins_before))
    });
    if let Some(lost) = lost {
        let lost = &lost.url;
        survey.contradiction.get_or_insert_with(|| {
            format!("{dump} no longer lists {lost}, which was read before: it was rewritten")
        });
    }
    for (package, (from, until)) in found.listed.into_iter().zip(intervals) {
        if until.is_none() && has_lists {
            continue;
        }
        let is_known = known
            .iter()
            .any(|history| history.role == Role::Package && history.url == package.url.as_str());
        let read = if is_known { ReadSoFar::All } else { ReadSoFar::Nothing };
        let length = package.expected.length.unwrap_or_default();
        survey.coverage.changes.push(Interval {
            kind: IntervalKind::ChangeDump,
            from,
            until,
            follows_on: is_known,
            cost: if is_known { 1 } else { length.saturating_add(request_cost) },
        });
        let url = package.url.clone();
        let content = ChangeContent::Package(ListedPackage { from, until, ..package });
        survey.changes.push(ChangeDocument { url, is_top: false, content, read });
    }
    survey.indexes.extend(found.top);
}
