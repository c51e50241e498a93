//! The state of a set that the Source's documents tell of: a baseline, and the changes after it.

use std::collections::HashSet;
use std::fs::File;
use std::io::Seek as _;

use tidings_document::{Capability, Change, Entry, Moment, Reader};
use tidings_web::{SourceSet, Url, Validators};

use crate::SyncError;
use crate::coverage::{BaselineKind, Coverage, Edge, IntervalKind, Position};
use crate::documents::{Documents, check_entries, unusable};
use crate::mapping::Uri;
use crate::options::Via;
use crate::overlay::Overlay;
use crate::package::{Package, PackageLimits};
use crate::parts::{LIST_POLICY, Parts};
use crate::plan::{Plan, Request, Start, plan};
use crate::survey::{
    ArchiveSurvey, BaselineDocument, BaselineSurvey, ChangeContent, ChangeSurvey, DocumentFailure,
    ListedPackage, Survey, parts_of, survey_change_dump,
};

/// The documents that together tell what a set has now.
pub(super) struct ExpectedState {
    pub(super) plan: Plan,
    survey: Survey,
    /// Documents that are listed and could not be read.
    pub(super) failures: Vec<DocumentFailure>,
}

/// An audit expects what a copy would have that is made now.
const NEW_COPY: Position = Position {
    reached: None,
    is_complete: false,
    is_past_baseline: false,
    is_sound: true,
    unsettled_until: None,
};
const REQUEST: Request =
    Request { via: Via::Auto, compares_all: false, known_newest: Edge::BEGINNING };

/// The same coverage with packages so dear that they are read only where nothing else tells.
fn prefer_lists(coverage: &Coverage) -> Coverage {
    const DEAR: u64 = 1 << 50;
    let mut coverage = coverage.clone();
    for baseline in &mut coverage.baselines {
        if baseline.kind == BaselineKind::ResourceDump {
            baseline.cost = baseline.cost.saturating_add(DEAR);
        }
    }
    for interval in &mut coverage.changes {
        if interval.kind == IntervalKind::ChangeDump {
            interval.cost = interval.cost.saturating_add(DEAR);
        }
    }
    coverage
}

impl ExpectedState {
    /// Surveys the documents of a set and plans as for a new copy. Packages are read only where no lists
    /// lead to the newest state.
    pub(super) fn survey(
        documents: &mut Documents,
        offered: &SourceSet,
        jobs: usize,
    ) -> Result<Self, SyncError> {
        let mut survey = Survey::default();
        let request_cost = documents.request_cost(jobs);
        let urls = |capability: Capability| {
            let of_kind = offered.offers.iter().filter(move |one| one.capability == capability);
            of_kind.map(|offer| offer.url.clone()).collect::<Vec<Url>>()
        };
        survey_lists(documents, &urls(Capability::ChangeList), request_cost, &mut survey)?;
        for dump in urls(Capability::ChangeDump) {
            survey_change_dump(documents, &[], &dump, &mut survey, request_cost);
        }
        // Archived lists do not stand for packages that give no times.
        let archives = urls(Capability::ChangeListArchive);
        survey_lists(documents, &archives, request_cost, &mut survey)?;
        let (known, present) = (&[][..], 0);
        let mut baselines =
            BaselineSurvey { documents, known, request_cost, present, survey: &mut survey };
        baselines.add(offered, true, |_| false)?;
        let mut archives = ArchiveSurvey::new(offered, true, true);
        let plan = loop {
            let plan = plan(NEW_COPY, &prefer_lists(&survey.coverage), REQUEST);
            let (known, survey) = (&[][..], &mut survey);
            let mut on = BaselineSurvey { documents, known, request_cost, present, survey };
            if !archives.add(&mut on, &plan, None, |_| false)? {
                break plan;
            }
        };
        let failures = std::mem::take(&mut survey.failures);
        Ok(Self { plan, survey, failures })
    }

    /// Collects the changes after the baseline.
    pub(super) fn overlay(&mut self, documents: &mut Documents) -> Result<Overlay, SyncError> {
        let mut overlay = Overlay::new()?;
        let mut unusable_uris = Vec::new();
        let indexes = std::mem::take(&mut self.plan.changes);
        let mut changes: Vec<_> =
            std::mem::take(&mut self.survey.changes).into_iter().map(Some).collect();
        for index in indexes {
            let Some(change) = changes[index].take() else { continue };
            let url = change.url.clone();
            let added = match change.content {
                ChangeContent::Packages { packages, .. } => {
                    packages.iter().try_for_each(|package| {
                        for_each_packaged(documents, package, |entry, base, _| {
                            put(&mut overlay, &mut unusable_uris, entry, base)
                        })
                    })
                }
                ChangeContent::Fetched(mut fetched) => fetched
                    .0
                    .each(|entry, base| put(&mut overlay, &mut unusable_uris, entry, base))
                    .and_then(|()| fetched.0.check_entries(&url)),
                ChangeContent::Unfetched => {
                    let mut put = |entry: &Entry<'_>, base: &Url| {
                        put(&mut overlay, &mut unusable_uris, entry, base)
                    };
                    for_each_change(documents, &url, 1, &mut put)
                }
            };
            if let Err(error) = added {
                self.failures.push(DocumentFailure { url: url.to_string(), error, at: None });
            }
        }
        self.failures.append(&mut unusable_uris);
        overlay.finish()?;
        Ok(overlay)
    }

    /// Shows each entry of the baseline with the time that its document is of, and gives the earliest of
    /// these. Documents that could not be read are failures.
    pub(super) fn for_each_listed(
        &mut self,
        documents: &mut Documents,
        mut show: impl FnMut(&Entry<'_>, &Url, Option<Moment>) -> Result<(), SyncError>,
    ) -> Result<Option<Moment>, SyncError> {
        let Start::Baseline(index) = self.plan.start else { return Ok(None) };
        let mut oldest = self.survey.coverage.baselines[index].at;
        match self.survey.baselines.swap_remove(index) {
            BaselineDocument::List { urls, .. } => {
                let mut parts = Parts::to_look_at(urls, Some(Capability::ResourceList));
                while let Some((part, mut document, summary)) = parts.next(documents, |_| false)? {
                    // An index may promise more than its parts keep.
                    let at = summary.head.metadata.at;
                    oldest = at.into_iter().chain(oldest).min();
                    document.each(|entry, base| show(entry, base, at))?;
                    if let Err(error) = document.check_entries(&part.url) {
                        self.failures.push(DocumentFailure::new(&part.url, error));
                    }
                }
                for (url, error) in parts.missing {
                    self.failures.push(DocumentFailure { url, error, at: None });
                }
            }
            BaselineDocument::Dump { packages, at, .. } => {
                for package in packages {
                    let read = for_each_packaged(documents, &package, |entry, base, own| {
                        // A dump may promise more than its packages keep.
                        oldest = own.into_iter().chain(oldest).min();
                        show(entry, base, own.or(at))
                    });
                    match read {
                        Err(
                            error @ (SyncError::Document { .. }
                            | SyncError::LostEntries { .. }
                            | SyncError::Fetch(_)),
                        ) => self.failures.push(DocumentFailure::new(&package.url, error)),
                        read => read?,
                    }
                }
            }
        }
        self.check_again(index, oldest);
        Ok(oldest)
    }

    /// Looks for a gap once more, from the time that the baseline turned out to be of.
    fn check_again(&mut self, index: usize, oldest: Option<Moment>) {
        let mut coverage = self.survey.coverage.clone();
        coverage.baselines =
            vec![crate::coverage::Baseline { at: oldest, ..coverage.baselines[index].clone() }];
        let again = plan(NEW_COPY, &coverage, REQUEST);
        self.plan.gap = self.plan.gap.take().or(again.gap);
    }
}

/// Surveys Change Lists, besides those that were surveyed before.
fn survey_lists(
    documents: &mut Documents,
    urls: &[Url],
    request_cost: u64,
    survey: &mut Survey,
) -> Result<(), SyncError> {
    let none = HashSet::new();
    let seen = survey.changes.iter().map(|document| document.url.to_string()).collect();
    let mut changes = ChangeSurvey {
        documents,
        known: &[],
        request_cost,
        excluded: &none,
        indexes: &none,
        seen,
        unchanged: Vec::new(),
        survey,
    };
    urls.iter().try_for_each(|url| changes.add(url, true))
}

/// Collects a change. A URI that no copy can have is a failure, unless its resource was deleted.
fn put(
    overlay: &mut Overlay,
    unusable_uris: &mut Vec<DocumentFailure>,
    entry: &Entry<'_>,
    base: &Url,
) -> Result<(), SyncError> {
    match Uri::resolve(&entry.loc, base) {
        Ok(uri) => return overlay.put(&uri, entry, base),
        Err(_) if entry.metadata.change == Some(Change::Deleted) => {}
        Err(error) => {
            let (url, reason) = (entry.loc.trim().to_owned(), error.to_string());
            let error = SyncError::Unreadable { url: url.clone(), reason };
            unusable_uris.push(DocumentFailure { url, error, at: None });
        }
    }
    Ok(())
}

/// Shows the changes of a Change List, or of all the parts of an index, in the order of time.
fn for_each_change(
    documents: &mut Documents,
    url: &Url,
    level: usize,
    show: &mut dyn FnMut(&Entry<'_>, &Url) -> Result<(), SyncError>,
) -> Result<(), SyncError> {
    let Some(mut document) = documents.get(url, Validators::default())? else { return Ok(()) };
    if !document.summary()?.lists_changes_elsewhere() {
        document.each(show)?;
        return document.check_entries(url);
    }
    if !LIST_POLICY.allows_below(level) {
        let reason = "indexes are nested too deep".to_owned();
        return Err(SyncError::Document { url: url.to_string(), reason });
    }
    let mut parts = parts_of(&mut document)?;
    parts.sort_by_key(|part| part.from);
    let whole = document.check_entries(url);
    parts.iter().try_for_each(|part| for_each_change(documents, &part.url, level + 1, show))?;
    whole
}

/// Shows each entry of the manifest of a package: of its copy if the dump links to one (`contents`),
/// else of the package itself.
fn for_each_packaged(
    documents: &mut Documents,
    package: &ListedPackage,
    mut show: impl FnMut(&Entry<'_>, &Url, Option<Moment>) -> Result<(), SyncError>,
) -> Result<(), SyncError> {
    if let Some(contents) = &package.contents
        && let Ok(Some(mut manifest)) = documents.get(contents, Validators::default())
        && let Ok(summary) = manifest.summary()
        && summary.head.capability().is_some_and(Capability::is_manifest)
    {
        manifest.each(|entry, base| show(entry, base, summary.head.metadata.at))?;
        return manifest.check_entries(contents);
    }
    let url = &package.url;
    let broken = |reason: String| SyncError::Document { url: url.to_string(), reason };
    let Some(mut document) = documents.get(url, Validators::default())? else { return Ok(()) };
    let file = spooled(&mut document).map_err(|error| broken(error.to_string()))?;
    let opened = Package::open(file, &PackageLimits::default());
    let manifest = opened.and_then(|package| package.manifest());
    let manifest = manifest.map_err(|error| broken(error.to_string()))?;
    let mut reader = Reader::new(manifest.as_slice());
    let at = reader.head().map_err(|error| unusable(url, &error))?.metadata.at;
    let mut shown = 0;
    while let Some(entry) = reader.next_entry().map_err(|error| unusable(url, &error))? {
        shown += 1;
        show(&entry, url, at)?;
    }
    check_entries(url, reader.entries().saturating_sub(shown))
}

/// The bytes of a document in a file without a name.
fn spooled(document: &mut crate::documents::Document) -> std::io::Result<File> {
    let mut file = tempfile::tempfile()?;
    document.copy_to(&mut file)?;
    file.rewind()?;
    Ok(file)
}
