//! Surveys the dumps of a set: the packages that they list.

use std::collections::HashSet;

use tidings_document::{Capability, Moment};
use url::Url;

use super::archives::ArchivedDocument;
use super::baselines::BaselineSurvey;
use super::listed_part::identity_of;
use super::{ChangeContent, ChangeDocument, DocumentFailure, ReadSoFar, Survey};
use crate::SyncError;
use crate::bytes::Expected;
use crate::coverage::{Interval, IntervalKind};
use crate::documents::{Documents, check_entries};
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
    /// A hash of all that the dump says of it: a package of the same name that is another one has
    /// another.
    pub(crate) identity: u64,
}

/// The packages of a dump.
pub(crate) struct Packages {
    pub(crate) listed: Vec<ListedPackage>,
    /// The time that all of them have in common.
    pub(crate) at: Option<Moment>,
    from: Option<Moment>,
    until: Option<Moment>,
    /// The validators of the dump's document, if it is one document.
    pub(crate) top: Option<History>,
}

/// Reads the documents of a dump.
pub(crate) fn packages(
    documents: &mut Documents,
    dump: &Url,
    capability: Capability,
) -> Result<Packages, SyncError> {
    let mut parts = Parts::new([dump.clone()], Some(capability));
    let mut found = Packages { listed: Vec::new(), at: None, from: None, until: None, top: None };
    let (mut levels, mut unusable) = (0, 0);
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
            let Ok(url) = base.join(entry.loc.trim()) else {
                unusable += 1;
                return Ok(());
            };
            found.listed.push(ListedPackage {
                url,
                expected: Expected::of(metadata.length, metadata.hash.as_ref()),
                from: metadata.from,
                until: metadata.until,
                contents,
                identity: identity_of(entry),
            });
            found.at = if metadata.at.is_some() { found.at.min(metadata.at) } else { found.at };
            Ok(())
        })?;
    }
    if let Some((url, error)) = parts.missing.pop() {
        return Err(match error {
            SyncError::Unreadable { reason, .. } => SyncError::Document { url, reason },
            error => error,
        });
    }
    check_entries(dump, unusable)?;
    Ok(found)
}

/// Packages that follow each other and together cover an interval.
struct PackageGroup {
    packages: Vec<ListedPackage>,
    from: Option<Moment>,
    until: Option<Moment>,
}

impl Packages {
    /// The packages of a Change Dump in groups: one group for each package that says where it begins or
    /// ends. Packages that do not are of use only together with those beside them.
    fn groups(self) -> Vec<PackageGroup> {
        let mut groups: Vec<PackageGroup> = Vec::new();
        let mut before = self.from;
        for package in self.listed {
            match groups.last_mut() {
                Some(group) if group.until.is_none() && package.from.is_none() => {
                    group.until = package.until;
                    group.packages.push(package);
                }
                last => {
                    // A package ends where the next one begins.
                    if let Some(group) = last {
                        group.until = group.until.or(package.from);
                        before = group.until;
                    }
                    let (from, until) = (package.from.or(before), package.until);
                    groups.push(PackageGroup { packages: vec![package], from, until });
                }
            }
        }
        if let Some(group) = groups.last_mut() {
            group.until = group.until.or(self.until);
        }
        groups
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
        Err(error) => {
            survey.failures.push(DocumentFailure::new(dump, error));
            return;
        }
    };
    let listed: HashSet<String> = found.listed.iter().map(|one| one.url.to_string()).collect();
    let groups = add_packages(found, known, request_cost, survey);
    let begins_before = |from: &Moment, lost: &History| {
        lost.from.is_some_and(|lost| instant(*from) <= instant(lost))
    };
    let lost = known.iter().filter(|history| history.role == Role::Package).find(|history| {
        !listed.contains(&history.url) && groups.iter().any(|from| begins_before(from, history))
    });
    if let Some(lost) = lost {
        let lost = &lost.url;
        survey.contradiction.get_or_insert_with(|| {
            format!("{dump} no longer lists {lost}, which was read before: it was rewritten")
        });
    }
}

/// Adds the packages of a Change Dump that an archive lists. What was read before may be in another one.
pub(super) fn survey_archived_dump(on: &mut BaselineSurvey<'_>, dump: &ArchivedDocument) {
    match packages(on.documents, &dump.url, Capability::ChangeDump) {
        Ok(mut found) => {
            found.from = found.from.or(dump.from);
            found.until = found.until.or(dump.until);
            add_packages(found, on.known, on.request_cost, on.survey);
        }
        Err(error) => on.survey.failures.push(DocumentFailure::new(&dump.url, error)),
    }
}

/// Adds packages to a survey, and gives the times at which their groups begin.
fn add_packages(
    mut found: Packages,
    known: &[History],
    request_cost: u64,
    survey: &mut Survey,
) -> Vec<Moment> {
    // A list that is still there, and offered no more, may have been left by its publisher.
    let has_lists = survey.changes.iter().any(|document| document.is_listed);
    let top = found.top.take();
    let is_known = |package: &ListedPackage| {
        known.iter().any(|one| {
            one.role == Role::Package
                && one.url == package.url.as_str()
                && one.mark == package.identity
        })
    };
    let groups = found.groups();
    let begin = groups.iter().filter_map(|group| group.from).collect();
    for PackageGroup { packages, from, until } in groups {
        if until.is_none() && has_lists {
            continue;
        }
        let unread: Vec<&ListedPackage> = packages.iter().filter(|one| !is_known(one)).collect();
        let read = if unread.is_empty() { ReadSoFar::All } else { ReadSoFar::Nothing };
        let lengths = unread
            .iter()
            .map(|one| one.expected.length.unwrap_or_default().saturating_add(request_cost));
        let cost = lengths.fold(1, u64::saturating_add);
        let kind = IntervalKind::ChangeDump;
        // Packages that were read lead on to those after them.
        let follows_on = packages.first().is_some_and(&is_known);
        let is_lossy = false;
        survey.coverage.changes.push(Interval { kind, from, until, follows_on, is_lossy, cost });
        let Some(url) = packages.first().map(|one| one.url.clone()) else { continue };
        let is_read = packages.iter().map(&is_known).collect();
        let content = ChangeContent::Packages { packages, is_read, from, until };
        let (is_top, is_listed, identity) = (false, true, 0);
        // Only its manifest tells whether a package is lossy.
        let lost = 0;
        survey.changes.push(ChangeDocument {
            url,
            is_top,
            is_listed,
            identity,
            content,
            read,
            lost,
        });
    }
    survey.indexes.extend(top);
    begin
}
