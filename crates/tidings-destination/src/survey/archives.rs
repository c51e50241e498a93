//! Surveys the archives of a set (Archives specification): documents of the past, which are read only where
//! the others leave a gap.

use tidings_document::{Capability, Moment};
use tidings_web::SourceSet;
use url::Url;

use super::{BaselineSurvey, DocumentFailure, Survey, survey_archived_dump};
use crate::SyncError;
use crate::coverage::{Edge, Gap};
use crate::documents::{Documents, check_entries};
use crate::parts::Parts;
use crate::plan::{Plan, Start};

/// A document that an archive lists, with what it says of it.
#[derive(Debug, Clone)]
pub(super) struct ArchivedDocument {
    pub(super) url: Url,
    /// The time of a state.
    pub(super) at: Option<Moment>,
    pub(super) from: Option<Moment>,
    pub(super) until: Option<Moment>,
}

/// The archives of a set, as far as a survey needed them.
pub(crate) struct ArchiveSurvey<'a> {
    offered: &'a SourceSet,
    takes_packages: bool,
    /// Archived Change Dumps that were not surveyed yet; none before the archives were read.
    change_dumps: Option<Vec<ArchivedDocument>>,
    /// True if the set may still be compared with an archived baseline.
    takes_baselines: bool,
}

impl<'a> ArchiveSurvey<'a> {
    pub(crate) fn new(offered: &'a SourceSet, takes_packages: bool, takes_baselines: bool) -> Self {
        Self { offered, takes_packages, change_dumps: None, takes_baselines }
    }

    /// Adds what may close a gap that a plan leaves. False if there is nothing.
    pub(crate) fn add(
        &mut self,
        survey: &mut BaselineSurvey<'_>,
        plan: &Plan,
        reached: Option<Moment>,
        is_excluded: impl Fn(&Url) -> bool,
    ) -> Result<bool, SyncError> {
        let is_contradicted = plan.start == Start::Copy && survey.survey.contradiction.is_some();
        let span = missing_span(plan, survey.survey, reached).filter(|_| !is_contradicted);
        if let Some(span) = span
            && self.takes_packages
            && self.add_change_dumps(survey, &span, &is_excluded)?
        {
            return Ok(true);
        }
        let needs_baseline = plan.gap.is_some() || plan.start == Start::Nothing;
        let is_first = std::mem::take(&mut self.takes_baselines);
        if !needs_baseline || !is_first {
            return Ok(false);
        }
        let known = survey.survey.baselines.len();
        survey.add_archived(self.offered, self.takes_packages, is_excluded)?;
        Ok(survey.survey.baselines.len() > known)
    }

    /// Adds the archived Change Dumps that tell of a span of time.
    fn add_change_dumps(
        &mut self,
        survey: &mut BaselineSurvey<'_>,
        span: &Gap,
        is_excluded: &impl Fn(&Url) -> bool,
    ) -> Result<bool, SyncError> {
        let dumps = match self.change_dumps.take() {
            Some(dumps) => dumps,
            None => {
                let kind = (Capability::ChangeDumpArchive, Capability::ChangeDump);
                archived(survey.documents, self.offered, kind, survey.survey)?
            }
        };
        let (mut needed, rest): (Vec<_>, Vec<_>) =
            dumps.into_iter().partition(|dump| dump.overlaps(span));
        self.change_dumps = Some(rest);
        needed.retain(|dump| !is_excluded(&dump.url));
        let known = survey.survey.changes.len();
        for dump in needed {
            survey_archived_dump(survey, &dump);
        }
        Ok(survey.survey.changes.len() > known)
    }
}

impl ArchivedDocument {
    fn overlaps(&self, span: &Gap) -> bool {
        let from = self.from.map_or(Edge::BEGINNING, Edge::at);
        let until = self.until.map_or(Edge::NOW, Edge::at);
        let after = span.after.map_or(Edge::BEGINNING, Edge::at);
        let before = span.before.map_or(Edge::NOW, Edge::at);
        from < before && until > after
    }
}

/// The time of which the surveyed documents do not tell, after all that a plan leads to.
fn missing_span(plan: &Plan, survey: &Survey, reached: Option<Moment>) -> Option<Gap> {
    if let Some(gap) = &plan.gap {
        return Some(gap.clone());
    }
    let after = match plan.start {
        Start::Nothing => None,
        // Nothing else tells of changes.
        _ if !survey.changes.is_empty() => return None,
        Start::Baseline(index) => survey.coverage.baselines[index].at,
        Start::Copy => reached,
    };
    Some(Gap { after, before: None })
}

/// The documents of a kind that the archives of a set list. An archive may be an index of archives.
pub(super) fn archived(
    documents: &mut Documents,
    offered: &SourceSet,
    (archive, kind): (Capability, Capability),
    survey: &mut Survey,
) -> Result<Vec<ArchivedDocument>, SyncError> {
    let mut listed = Vec::new();
    for offer in offered.offers.iter().filter(|offer| offer.capability == archive) {
        let mut parts = Parts::new([offer.url.clone()], None);
        loop {
            let (part, mut document, summary) = match parts.next(documents, |_| false) {
                Ok(Some(next)) => next,
                Ok(None) => break,
                Err(error) => {
                    survey.failures.push(DocumentFailure::new(&offer.url, error));
                    break;
                }
            };
            let head = &summary.head.metadata;
            let found = summary.head.capability();
            if found == Some(kind) {
                // An index that lists the documents themselves.
                let (at, from, until) = (head.at, head.from, head.until);
                listed.push(ArchivedDocument { url: part.url, at, from, until });
                continue;
            }
            if found.is_some_and(|found| found != archive) {
                let url = part.url.to_string();
                let reason =
                    format!("it is {}, and should be a {}", summary.head.title(), archive.name());
                let error = SyncError::Document { url, reason };
                survey.failures.push(DocumentFailure::new(&part.url, error));
                continue;
            }
            let mut unusable = 0;
            document.each(|entry, base| {
                let metadata = &entry.metadata;
                let Ok(url) = base.join(entry.loc.trim()) else {
                    unusable += 1;
                    return Ok(());
                };
                let (from, until) = (metadata.from, metadata.until);
                let at = metadata.at.or(entry.lastmod);
                listed.push(ArchivedDocument { url, at, from, until });
                Ok(())
            })?;
            if let Err(error) = check_entries(&part.url, unusable) {
                survey.failures.push(DocumentFailure::new(&part.url, error));
            }
        }
        for (url, error) in parts.missing {
            survey.failures.push(DocumentFailure { url, error, at: None });
        }
    }
    Ok(listed)
}
