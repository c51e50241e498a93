//! Surveys the documents of a set and plans with them.

use std::collections::HashSet;

use tidings_document::Capability;
use tidings_web::{Offer, SourceSet, Validators};
use url::Url;

use super::{Update, takes_packages, urls_of};
use crate::SyncError;
use crate::coverage::{BaselineKind, Edge};
use crate::engine::Engine;
use crate::options::Via;
use crate::plan::{Plan, Request, Start, plan};
use crate::state::{History, Role, SetRow};
use crate::survey::{ArchiveSurvey, BaselineSurvey, ChangeSurvey, Survey, survey_change_dump};

impl Update<'_> {
    /// Takes over what a survey found wrong. A contradiction ends with the comparison: the cursors are
    /// those of before it.
    fn take_in(&mut self, survey: &mut Survey) {
        survey.contradiction = match self.is_compared {
            true => None,
            false => survey.contradiction.take().or(self.contradiction.clone()),
        };
        self.failures.append(&mut survey.failures);
        self.is_broken |= survey.misses_parts;
        survey.mark_lossy(&self.lost);
    }

    /// The plan from the copy as it is, if that leads up to now.
    fn plan_from_copy(
        &mut self,
        set: &SetRow,
        survey: &mut Survey,
        request: Request,
    ) -> Option<Plan> {
        self.take_in(survey);
        let planned = plan(survey.position(set), &survey.coverage, request);
        let is_reached = planned.gap.is_none() && planned.start == Start::Copy && survey.is_open();
        is_reached.then_some(planned)
    }
}

impl Engine<'_> {
    /// Surveys as many documents as it takes to plan, and plans.
    pub(super) fn plan_set(
        &mut self,
        set: &SetRow,
        known: &[History],
        update: &mut Update<'_>,
    ) -> Result<(Survey, Plan), SyncError> {
        let mut survey = Survey::default();
        let offered = update.offered;
        let request = Request {
            via: self.options.via,
            compares_all: (self.options.baseline || self.source.must_compare_all)
                && !update.is_compared,
            known_newest: update.newest_baseline,
        };
        let lists = urls_of(offered, Capability::ChangeList);
        let told = (&update.excluded, &update.indexes);
        self.survey_change_lists(known, &lists, told, false, &mut survey)?;
        if self.options.via != Via::Dump
            && let Some(planned) = update.plan_from_copy(set, &mut survey, request)
        {
            return Ok((survey, planned));
        }
        // Who does without packages has to know, too, how far they reach.
        if self.options.via != Via::Sitemap {
            self.survey_packages(known, update, &mut survey);
            if let Some(planned) = update.plan_from_copy(set, &mut survey, request) {
                return Ok((survey, planned));
            }
        }
        let archives = urls_of(offered, Capability::ChangeListArchive);
        if !archives.is_empty() {
            let told = (&update.excluded, &update.indexes);
            self.survey_change_lists(known, &archives, told, false, &mut survey)?;
        }
        if !update.is_compared {
            self.survey_baselines(set, known, update, &mut survey)?;
            // Where a baseline is listed and none can be read, no progress is remembered.
            let has_failed = !survey.failures.is_empty() || !update.excluded.is_empty();
            update.is_broken |= survey.baselines.is_empty() && has_failed;
            update.newest_baseline = survey.newest_baseline(None);
        }
        update.take_in(&mut survey);
        if !update.is_compared
            && let Some(lost) = lost_list(set, known, &survey)
        {
            survey.contradiction.get_or_insert(lost);
        }
        let planned = plan(survey.position(set), &survey.coverage, request);
        let planned =
            self.plan_with_archives(set, known, update, &mut survey, (request, planned))?;
        self.check_offer(set, &survey, &planned, update)?;
        Ok((survey, planned))
    }

    /// Plans with what is archived, as far as the other documents leave a gap.
    fn plan_with_archives(
        &mut self,
        set: &SetRow,
        known: &[History],
        update: &mut Update<'_>,
        survey: &mut Survey,
        (request, mut planned): (Request, Plan),
    ) -> Result<Plan, SyncError> {
        if self.options.via == Via::Sitemap {
            return Ok(planned);
        }
        let takes_packages = takes_packages(self.options.via);
        let mut archives = ArchiveSurvey::new(update.offered, takes_packages, !update.is_compared);
        let present = self.desk.state.count_in_set(set.id)?;
        let request_cost = self.documents.request_cost(self.options.jobs);
        loop {
            let reached = survey.position(set).reached;
            let documents = &mut self.documents;
            let mut on = BaselineSurvey { documents, known, request_cost, present, survey };
            let is_excluded = |url: &Url| update.excluded.contains(url.as_str());
            let has_more = archives.add(&mut on, &planned, reached, is_excluded)?;
            survey.exclude(|document| document.urls().any(is_excluded));
            if has_more && !update.is_compared {
                update.newest_baseline = survey.newest_baseline(None);
            }
            update.take_in(survey);
            if !has_more {
                return Ok(planned);
            }
            planned = plan(survey.position(set), &survey.coverage, request);
        }
    }

    /// Surveys the packages of Change Dumps, but for those that failed.
    fn survey_packages(&mut self, known: &[History], update: &Update<'_>, survey: &mut Survey) {
        let cost = self.documents.request_cost(self.options.jobs);
        let excluded = &update.excluded;
        for dump in urls_of(update.offered, Capability::ChangeDump) {
            if !excluded.contains(dump.as_str()) {
                survey_change_dump(&mut self.documents, known, &dump, survey, cost);
            }
        }
        survey.exclude(|document| document.urls().any(|url| excluded.contains(url.as_str())));
    }

    /// Surveys the Change Lists at these URLs, and those that were read before, which must be there only
    /// if nobody was asked which lists there are. Of some documents it is known that they failed, or that
    /// they are indexes.
    pub(super) fn survey_change_lists(
        &mut self,
        known: &[History],
        urls: &[Url],
        (excluded, indexes): (&HashSet<String>, &HashSet<String>),
        must_be_there: bool,
        survey: &mut Survey,
    ) -> Result<(), SyncError> {
        let request_cost = self.documents.request_cost(self.options.jobs);
        let seen = survey.changes.iter().map(|document| document.url.to_string()).collect();
        let documents = &mut self.documents;
        let mut changes = ChangeSurvey {
            documents,
            known,
            request_cost,
            excluded,
            indexes,
            seen,
            unchanged: Vec::new(),
            survey,
        };
        for url in urls {
            changes.add(url, true)?;
        }
        // A list that is no longer offered may be the one that leads on from the copy.
        let tops = known.iter().filter(|one| matches!(one.role, Role::Top | Role::Index));
        for url in tops.filter_map(|history| Url::parse(&history.url).ok()) {
            changes.add(&url, must_be_there)?;
        }
        changes.finish()
    }

    pub(super) fn survey_baselines(
        &mut self,
        set: &SetRow,
        known: &[History],
        update: &Update<'_>,
        survey: &mut Survey,
    ) -> Result<(), SyncError> {
        let present = self.desk.state.count_in_set(set.id)?;
        let request_cost = self.documents.request_cost(self.options.jobs);
        let documents = &mut self.documents;
        let mut baselines = BaselineSurvey { documents, known, request_cost, present, survey };
        let has_packages = self.options.via != Via::Sitemap;
        baselines.add(update.offered, has_packages, |url| update.excluded.contains(url.as_str()))
    }

    /// What was asked for has to be there.
    pub(super) fn check_offer(
        &self,
        set: &SetRow,
        survey: &Survey,
        planned: &Plan,
        update: &Update<'_>,
    ) -> Result<(), SyncError> {
        let offers = &update.offered.offers;
        let has = || offers.iter().map(|offer| offer.capability.name().to_owned()).collect();
        let missing = |what| SyncError::NotOffered { set: set.name.clone(), what, has: has() };
        let is_list =
            |index: usize| survey.coverage.baselines[index].kind == BaselineKind::ResourceList;
        let offers_dump = offers.iter().any(|offer| offer.capability == Capability::ResourceDump);
        if self.options.via == Via::Dump
            && !offers_dump
            && matches!(planned.start, Start::Baseline(index) if is_list(index))
        {
            return Err(missing("Resource Dump"));
        }
        let is_empty = survey.baselines.is_empty() && survey.changes.is_empty();
        if is_empty && !update.is_compared && update.failures.is_empty() && !set.complete {
            return Err(missing("Resource List"));
        }
        Ok(())
    }

    /// How the Capability List of a set is known again, if it still lists what was found in it. Where no
    /// open Change List tells of everything, it has to be asked whether there are other documents by now.
    pub(super) fn capability_cursor(&mut self, offered: &SourceSet) -> Option<History> {
        let packages = [Capability::ResourceDump, Capability::ChangeDump];
        let is_package = |offer: &Offer| packages.contains(&offer.capability);
        // Documents that were not surveyed are not known again.
        if !takes_packages(self.options.via) && offered.offers.iter().any(is_package) {
            return None;
        }
        let is_change = |offer: &Offer| offer.capability == Capability::ChangeList;
        let is_archive = |offer: &Offer| offer.capability == Capability::ChangeDumpArchive;
        let has = |is: &dyn Fn(&Offer) -> bool| offered.offers.iter().any(is);
        // Where nothing else tells of changes, an archive does.
        let url =
            offered.capability_list.as_ref().filter(|_| !has(&is_change) && !has(&is_archive))?;
        let mut document = self.documents.get(url, Validators::default()).ok()??;
        let mut listed = Vec::new();
        document
            .each(|entry, base| {
                listed.extend(base.join(entry.loc.trim()).ok());
                Ok(())
            })
            .ok()?;
        document.check_entries(url).ok()?;
        let is_same = listed.len() == offered.offers.len()
            && offered.offers.iter().all(|offer| listed.contains(&offer.url));
        is_same.then(|| History {
            url: url.to_string(),
            role: Role::Capability,
            validators: document.validators.clone(),
            ..History::default()
        })
    }
}

/// Says that an open Change List is gone to which nothing was added, and that no document goes on from it:
/// the Source was rolled back, or lost its history.
fn lost_list(set: &SetRow, known: &[History], survey: &Survey) -> Option<String> {
    let is_open =
        |one: &&History| matches!(one.role, Role::Top | Role::Open) && one.until.is_none();
    let is_there = |one: &History| survey.changes.iter().any(|other| other.url.as_str() == one.url);
    let lost = known.iter().filter(is_open).find(|one| !is_there(one))?;
    let reached = set.reached.or(set.at).map(Edge::at)?;
    let goes_on = survey.coverage.changes.iter().any(|interval| interval.end() > reached);
    (!goes_on && !survey.changes.is_empty()).then(|| {
        format!(
            "{} is gone, and no other list goes on from it: the Source was rolled back",
            lost.url
        )
    })
}
