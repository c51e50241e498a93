//! Brings one set up to date: surveys its documents, plans, carries the plan out.

use std::collections::HashSet;

use tidings_document::{Capability, Moment};
use tidings_web::{Offer, SourceSet, Validators};
use url::Url;

use crate::SyncError;
use crate::coverage::{BaselineKind, Gap, IntervalKind};
use crate::engine::Engine;
use crate::increment::Applied;
use crate::moments::instant;
use crate::options::Via;
use crate::plan::{Plan, Request, Start, plan};
use crate::report::SetGap;
use crate::state::{History, Role, SetRow};
use crate::survey::{
    BaselineDocument, BaselineSurvey, ChangeContent, ChangeDocument, ChangeSurvey, Continuation,
    DocumentFailure, ListedPackage, ReadSoFar, Survey, check_kind, continuation, contradiction,
    is_absent, survey_change_dump,
};

/// The way of a set that is as it was.
pub(crate) const NOTHING_NEW: &str = "nothing is new";

/// What is known of one update while it goes on.
struct Update<'s> {
    offered: &'s SourceSet,
    /// Documents that failed: the plan does without them.
    excluded: HashSet<String>,
    failures: Vec<DocumentFailure>,
    /// True once a baseline was compared with, as far as it could be read.
    is_compared: bool,
    /// True if a baseline could not be read to its end: then no progress is remembered.
    is_broken: bool,
    /// A document that turned out to contradict what was read before.
    contradiction: Option<String>,
    /// True if the last plan led up to now.
    is_current: bool,
}

/// What came of a change document.
enum Outcome {
    Applied,
    /// It could not be read.
    Failed(DocumentFailure),
    /// It contradicts what was read before.
    Contradicts(String),
}

impl Engine<'_> {
    /// Brings a set up to date by the documents that were read before, and says how; none if the Source
    /// has to be asked which documents it has. Where nothing is new that takes one request.
    pub(crate) fn keep_up(&mut self, set: &SetRow) -> Result<Option<&'static str>, SyncError> {
        let known = self.desk.state.documents(set.id)?;
        let of_role = |role: Role| known.iter().filter(move |history| history.role == role);
        let tops: Vec<&History> = of_role(Role::Top).chain(of_role(Role::Index)).collect();
        if !set.complete {
            return Ok(None);
        }
        if tops.is_empty() {
            let lists: Vec<&History> =
                of_role(Role::Capability).chain(of_role(Role::List)).collect();
            // A document that stands alone is the set.
            let is_all =
                lists.iter().any(|list| list.role == Role::Capability || list.url == set.url);
            let has_packages = of_role(Role::Dump).next().is_some();
            return self.keep_up_with_lists(&lists, !is_all || has_packages);
        }
        let mut survey = Survey::default();
        self.survey_change_lists(&known, &[], &HashSet::new(), true, &mut survey)?;
        if let Some(failure) = survey.failures.pop() {
            return if failure.is_absence() { Ok(None) } else { Err(failure.error) };
        }
        if survey.contradiction.is_some() || !survey.is_open() {
            return Ok(None);
        }
        let request = Request { via: self.options.via, compares_all: false };
        let planned = plan(survey.position(set), &survey.coverage, request);
        if planned.gap.is_some() || planned.start != Start::Copy {
            return Ok(None);
        }
        let is_new = survey.changes.iter().any(|document| document.read != ReadSoFar::All);
        if !is_new {
            return Ok(Some(NOTHING_NEW));
        }
        // Packages are looked for where the Source says that they are.
        if self.options.via == Via::Dump {
            return Ok(None);
        }
        self.report.note(format!("{}: {}", set.name, survey.summary(&planned)));
        match self.apply_all(set, &known, &mut survey, &planned, true)? {
            Outcome::Applied => {}
            Outcome::Failed(_) | Outcome::Contradicts(_) => return Ok(None),
        }
        self.remember_indexes(set, &survey.indexes)?;
        Ok(Some("what changed, from its Change List"))
    }

    /// The same for a set without Change Lists: its Resource List is as it was, and nothing else is there,
    /// or it has to be planned for.
    fn keep_up_with_lists(
        &mut self,
        lists: &[&History],
        has_others: bool,
    ) -> Result<Option<&'static str>, SyncError> {
        if lists.is_empty() || has_others {
            return Ok(None);
        }
        for list in lists {
            let Ok(url) = Url::parse(&list.url) else { return Ok(None) };
            match self.documents.get(&url, list.validators.clone()) {
                Ok(None) => {}
                Ok(Some(_)) => return Ok(None),
                Err(error) if is_absent(&error) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Some(NOTHING_NEW))
    }

    /// Brings one set up to date.
    pub(crate) fn copy_set(&mut self, offered: &SourceSet) -> Result<(), SyncError> {
        let url =
            offered.capability_list.as_ref().or(offered.offers.first().map(|offer| &offer.url));
        let url = url.map(ToString::to_string).unwrap_or_default();
        let mut set = self.set_row(&offered.name, &url)?;
        if !self.report.sets.contains(&offered.name) {
            self.report.sets.push(offered.name.clone());
        }
        let mut update = Update {
            offered,
            excluded: HashSet::new(),
            failures: Vec::new(),
            is_compared: false,
            is_broken: false,
            contradiction: None,
            is_current: false,
        };
        while self.advance_set(&set, &mut update)? {
            set = self.set_row(&offered.name, &url)?;
        }
        set = self.set_row(&offered.name, &url)?;
        self.tell_failures(&set, &update)
    }

    /// Plans, and carries out the first part of the plan: its baseline, or its changes. True if there is
    /// more to do.
    fn advance_set(&mut self, set: &SetRow, update: &mut Update<'_>) -> Result<bool, SyncError> {
        let known = self.desk.state.documents(set.id)?;
        let (mut survey, planned) = self.plan_set(set, &known, update)?;
        let is_first = !update.is_compared;
        if is_first {
            self.tell_plan(set, &survey, &planned, update);
        }
        match planned.start {
            Start::Baseline(index) => {
                let mut cursors: Vec<History> =
                    survey.baselines.iter().map(|one| one.cursor().clone()).collect();
                let baseline = survey.baselines.swap_remove(index);
                let is_list = matches!(baseline, BaselineDocument::List { .. });
                self.compare_with(set, baseline, update)?;
                if is_list {
                    // A list that was compared with is remembered with its parts.
                    cursors.remove(index);
                }
                if update.is_compared && !update.is_broken && !self.options.dry_run {
                    // Where a document failed, all are asked for again.
                    if update.failures.is_empty() {
                        cursors.extend(self.capability_cursor(update.offered));
                    }
                    self.remember_indexes(set, &cursors)?;
                }
                if self.options.dry_run {
                    let documents = planned.changes.len();
                    self.report
                        .note(format!("{}: then {documents} documents of changes", set.name));
                }
                return Ok(!self.options.dry_run);
            }
            Start::Nothing if survey.changes.is_empty() => return Ok(false),
            Start::Nothing | Start::Copy => {}
        }
        update.is_current = planned.gap.is_none() && survey.is_open();
        let remembers = planned.gap.is_none() && !update.is_broken;
        if planned.start == Start::Nothing && remembers {
            self.begin_without_baseline(set)?;
        }
        match self.apply_all(set, &known, &mut survey, &planned, remembers)? {
            Outcome::Applied => {}
            Outcome::Failed(failure) => {
                update.excluded.insert(failure.url.clone());
                update.failures.push(failure);
                return Ok(true);
            }
            Outcome::Contradicts(reason) if update.contradiction.is_none() => {
                update.contradiction = Some(reason);
                return Ok(true);
            }
            Outcome::Contradicts(_) => {}
        }
        if let Some(gap) = &planned.gap {
            self.tell_gap(
                set,
                gap,
                update.contradiction.as_ref().or(survey.contradiction.as_ref()),
            );
        } else if remembers && update.failures.is_empty() {
            // An index of which a part is missing is read again.
            self.remember_indexes(set, &survey.indexes)?;
        }
        Ok(false)
    }

    /// How the Capability List of a set is known again, if it still lists what was found in it. Where no
    /// open Change List tells of everything, it has to be asked whether there are other documents by now.
    fn capability_cursor(&mut self, offered: &SourceSet) -> Option<History> {
        let packages = [Capability::ResourceDump, Capability::ChangeDump];
        let is_package = |offer: &Offer| packages.contains(&offer.capability);
        // Documents that were not surveyed are not known again.
        if !takes_packages(self.options.via) && offered.offers.iter().any(is_package) {
            return None;
        }
        let is_change = |offer: &Offer| offer.capability == Capability::ChangeList;
        let url =
            offered.capability_list.as_ref().filter(|_| !offered.offers.iter().any(is_change))?;
        let mut document = self.documents.get(url, Validators::default()).ok()??;
        let mut listed = Vec::new();
        document
            .each(|entry, base| {
                listed.extend(base.join(entry.loc.trim()).ok());
                Ok(())
            })
            .ok()?;
        let is_same = listed.len() == offered.offers.len()
            && offered.offers.iter().all(|offer| listed.contains(&offer.url));
        is_same.then(|| History {
            url: url.to_string(),
            role: Role::Capability,
            validators: document.validators.clone(),
            ..History::default()
        })
    }

    /// Surveys as many documents as it takes to plan, and plans.
    fn plan_set(
        &mut self,
        set: &SetRow,
        known: &[History],
        update: &mut Update<'_>,
    ) -> Result<(Survey, Plan), SyncError> {
        let mut survey = Survey::default();
        let offered = update.offered;
        let mut urls = urls_of(offered, Capability::ChangeList);
        self.survey_change_lists(known, &urls, &update.excluded, false, &mut survey)?;
        let request = Request {
            via: self.options.via,
            compares_all: (self.options.baseline || self.compares) && !update.is_compared,
        };
        let dumps = urls_of(offered, Capability::ChangeDump);
        let takes_packages = takes_packages(self.options.via);
        let is_reached = |engine: &mut Self, survey: &mut Survey, update: &mut Update<'_>| {
            // A contradiction ends with the comparison: the cursors are those of before it.
            survey.contradiction = survey.contradiction.take().or(update.contradiction.clone());
            if update.is_compared {
                survey.contradiction = None;
            }
            update.failures.append(&mut survey.failures);
            let position = survey.position(set);
            let _ = engine;
            let planned = plan(position, &survey.coverage, request);
            (planned.gap.is_none() && planned.start == Start::Copy && survey.is_open())
                .then_some(planned)
        };
        let via_lists = self.options.via != Via::Dump;
        if via_lists && let Some(planned) = is_reached(self, &mut survey, update) {
            return Ok((survey, planned));
        }
        if takes_packages {
            let cost = self.documents.request_cost(self.options.jobs);
            for dump in dumps.iter().filter(|dump| !update.excluded.contains(dump.as_str())) {
                survey_change_dump(&mut self.documents, known, dump, &mut survey, cost);
            }
            let excluded = &update.excluded;
            survey.exclude(|document| document.urls().any(|url| excluded.contains(url.as_str())));
            if let Some(planned) = is_reached(self, &mut survey, update) {
                return Ok((survey, planned));
            }
        }
        urls = urls_of(offered, Capability::ChangeListArchive);
        if !urls.is_empty() {
            self.survey_change_lists(known, &urls, &update.excluded, false, &mut survey)?;
        }
        if !update.is_compared {
            self.survey_baselines(set, known, update, &mut survey)?;
            // Where a baseline is listed and none can be read, no progress is remembered.
            update.is_broken = survey.baselines.is_empty() && !survey.failures.is_empty();
        }
        let _ = is_reached(self, &mut survey, update);
        let planned = plan(survey.position(set), &survey.coverage, request);
        self.check_offer(set, &survey, &planned, update)?;
        Ok((survey, planned))
    }

    /// Surveys the Change Lists at these URLs, and those that were read before, which must be there only
    /// if nobody was asked which lists there are.
    fn survey_change_lists(
        &mut self,
        known: &[History],
        urls: &[Url],
        excluded: &HashSet<String>,
        must_be_there: bool,
        survey: &mut Survey,
    ) -> Result<(), SyncError> {
        let request_cost = self.documents.request_cost(self.options.jobs);
        let seen = survey.changes.iter().map(|document| document.url.to_string()).collect();
        let documents = &mut self.documents;
        let mut changes = ChangeSurvey { documents, known, request_cost, excluded, seen, survey };
        for url in urls {
            changes.add(url, true)?;
        }
        // A list that is no longer offered may be the one that leads on from the copy.
        let tops = known.iter().filter(|one| matches!(one.role, Role::Top | Role::Index));
        for url in tops.filter_map(|history| Url::parse(&history.url).ok()) {
            changes.add(&url, must_be_there)?;
        }
        Ok(())
    }

    fn survey_baselines(
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
        let takes_packages = takes_packages(self.options.via);
        baselines.add(update.offered, takes_packages, |url| update.excluded.contains(url.as_str()))
    }

    /// What was asked for has to be there.
    fn check_offer(
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

    /// Compares the set with a baseline.
    fn compare_with(
        &mut self,
        set: &SetRow,
        baseline: BaselineDocument,
        update: &mut Update<'_>,
    ) -> Result<(), SyncError> {
        match baseline {
            BaselineDocument::List { urls, first, .. } => {
                match self.baseline_from_list(set, &urls, first) {
                    Ok(is_whole) => update.is_broken |= !is_whole,
                    Err(error @ (SyncError::Document { .. } | SyncError::Fetch(_))) => {
                        update.excluded.extend(urls.iter().map(ToString::to_string));
                        let url = urls.first().map(ToString::to_string).unwrap_or_default();
                        update.failures.push(DocumentFailure { url, error, at: None });
                        return Ok(());
                    }
                    Err(error) => return Err(error),
                }
            }
            BaselineDocument::Dump { url, packages, at, .. } => {
                if let Some((package, reason)) = self.baseline_from_dump(set, &packages, at)? {
                    // What is in a package that is broken can still be had from where it is.
                    update.excluded.insert(url.to_string());
                    let error = SyncError::Document { url: package, reason };
                    update.failures.push(DocumentFailure { url: url.to_string(), error, at });
                    return Ok(());
                }
            }
        }
        update.is_compared = true;
        Ok(())
    }

    /// A set without a baseline begins with its first change.
    fn begin_without_baseline(&mut self, set: &SetRow) -> Result<(), SyncError> {
        self.report.note(format!(
            "{}: it has no Resource List: it was copied as far as its changes reach",
            set.name
        ));
        if self.options.dry_run {
            return Ok(());
        }
        self.finish_baseline(set, None)?;
        self.desk.state.commit()
    }

    /// Applies the changes of a plan, in their order.
    fn apply_all(
        &mut self,
        set: &SetRow,
        known: &[History],
        survey: &mut Survey,
        planned: &Plan,
        remembers: bool,
    ) -> Result<Outcome, SyncError> {
        let mut documents: Vec<Option<ChangeDocument>> =
            std::mem::take(&mut survey.changes).into_iter().map(Some).collect();
        for index in &planned.changes {
            let Some(document) = documents[*index].take() else { continue };
            let outcome = self.apply(set, known, document, planned.start, remembers)?;
            if !matches!(outcome, Outcome::Applied) {
                return Ok(outcome);
            }
        }
        Ok(Outcome::Applied)
    }

    fn apply(
        &mut self,
        set: &SetRow,
        known: &[History],
        document: ChangeDocument,
        start: Start,
        remembers: bool,
    ) -> Result<Outcome, SyncError> {
        let ChangeDocument { url, is_top, content, read } = document;
        if read == ReadSoFar::All && start == Start::Copy {
            return Ok(Outcome::Applied);
        }
        let (mut document, head, read) = match content {
            ChangeContent::Packages { packages, is_read, from, until } => {
                let unread = packages
                    .into_iter()
                    .zip(is_read)
                    .filter(|(_, is_read)| !is_read || start != Start::Copy);
                let unread: Vec<_> = unread.map(|(package, _)| package).collect();
                return self.apply_packages(set, unread, (from, until), remembers);
            }
            ChangeContent::Fetched(fetched) => {
                let (document, head) = *fetched;
                (document, head, read)
            }
            ChangeContent::Unfetched => {
                let mut document = match self.documents.get(&url, Validators::default()) {
                    Ok(Some(document)) => document,
                    Ok(None) => return Ok(Outcome::Applied),
                    Err(error) => return Ok(Outcome::Failed(DocumentFailure::new(&url, error))),
                };
                let own = known.iter().find(|history| history.url == url.as_str());
                let checked = document.summary().and_then(|summary| {
                    check_kind(&url, &summary)?;
                    let found = continuation(&mut document, &summary, known, own)?;
                    Ok((summary.head, found))
                });
                match checked {
                    Ok((_, Continuation::Contradicts)) if start == Start::Copy => {
                        return Ok(Outcome::Contradicts(contradiction(&url)));
                    }
                    Ok((head, Continuation::Of(read))) => (document, head, read),
                    Ok((head, Continuation::Contradicts)) => (document, head, ReadSoFar::Nothing),
                    Err(error) => return Ok(Outcome::Failed(DocumentFailure::new(&url, error))),
                }
            }
        };
        let role = match (is_top, head.metadata.until) {
            (true, _) => Role::Top,
            (false, Some(_)) => Role::Closed,
            (false, None) => Role::Open,
        };
        let read = if start == Start::Copy { read } else { ReadSoFar::Nothing };
        let role = Some(role).filter(|_| remembers);
        let applied = Applied { url: &url, head: &head, read, role };
        self.apply_changes(set, &mut document, &applied)?;
        Ok(Outcome::Applied)
    }

    /// Applies packages that together cover an interval, in their order.
    fn apply_packages(
        &mut self,
        set: &SetRow,
        packages: Vec<ListedPackage>,
        (from, until): (Option<Moment>, Option<Moment>),
        remembers: bool,
    ) -> Result<Outcome, SyncError> {
        let last = packages.len().saturating_sub(1);
        for (place, mut package) in packages.into_iter().enumerate() {
            package.from = package.from.or(from.filter(|_| place == 0));
            package.until = package.until.or(until.filter(|_| place == last));
            if let Some(reason) = self.apply_package(set, &package, remembers)? {
                let url = package.url.to_string();
                let error = SyncError::Document { url: url.clone(), reason };
                return Ok(Outcome::Failed(DocumentFailure { url, error, at: package.until }));
            }
        }
        Ok(Outcome::Applied)
    }

    /// Remembers the indexes of documents that were all applied.
    fn remember_indexes(&mut self, set: &SetRow, indexes: &[History]) -> Result<(), SyncError> {
        if self.options.dry_run || indexes.is_empty() {
            return Ok(());
        }
        self.desk.state.begin()?;
        for index in indexes {
            self.desk.state.remember(set.id, index)?;
        }
        self.desk.state.commit()
    }

    fn set_row(&mut self, name: &str, url: &str) -> Result<SetRow, SyncError> {
        if self.options.dry_run {
            let known = self.desk.state.sets()?.into_iter().find(|set| set.name == name);
            let name = name.to_owned();
            let url = url.to_owned();
            let new = SetRow { id: -1, name, url, at: None, reached: None, complete: false };
            return Ok(known.unwrap_or(new));
        }
        self.desk.state.set(name, url)
    }

    /// Says which documents were chosen, and why.
    fn tell_plan(&mut self, set: &SetRow, survey: &Survey, planned: &Plan, update: &Update<'_>) {
        let way = match planned.start {
            Start::Baseline(index) => {
                let why = self.reason(set, survey, update);
                match &survey.baselines[index] {
                    BaselineDocument::Dump { .. } => {
                        format!("everything, from its Resource Dump ({why})")
                    }
                    BaselineDocument::List { is_sitemap: true, .. } => {
                        format!("everything, compared with its Sitemap ({why})")
                    }
                    BaselineDocument::List { .. } => {
                        format!("everything, compared with its Resource List ({why})")
                    }
                }
            }
            Start::Nothing if survey.changes.is_empty() => return,
            Start::Copy
                if planned
                    .changes
                    .iter()
                    .all(|one| survey.changes[*one].read == ReadSoFar::All) =>
            {
                NOTHING_NEW.to_owned()
            }
            Start::Nothing => {
                "what changed, as far as that reaches back: it has no Resource List".to_owned()
            }
            Start::Copy => {
                let is_package = |index: &&usize| {
                    survey.coverage.changes[**index].kind == IntervalKind::ChangeDump
                };
                match planned.changes.iter().filter(is_package).count() {
                    0 => "what changed, from its Change List",
                    count if count == planned.changes.len() => "what changed, from its Change Dump",
                    _ => "what changed, from its Change Dump and its Change List",
                }
                .to_owned()
            }
        };
        self.report.ways.push(format!("{}: {way}", set.name));
        self.report.note(format!("{}: {}", set.name, survey.summary(planned)));
    }

    /// Why the changes do not lead on from the copy.
    fn reason(&self, set: &SetRow, survey: &Survey, update: &Update<'_>) -> String {
        if self.options.moved {
            return "the Source has moved".to_owned();
        }
        if self.options.baseline {
            return "it was asked for".to_owned();
        }
        if !set.complete {
            return "there is no copy yet".to_owned();
        }
        if self.compares {
            return "other resources are wanted than before".to_owned();
        }
        if let Some(reason) = update.contradiction.as_ref().or(survey.contradiction.as_ref()) {
            return reason.clone();
        }
        let first = survey.coverage.changes.iter().filter_map(|interval| interval.from).min();
        match (first, set.reached.or(set.at)) {
            (Some(from), Some(reached)) => {
                format!("its changes begin at {from}, and the copy is of {reached}")
            }
            _ => "the Source has no Change List".to_owned(),
        }
    }

    fn tell_gap(&mut self, set: &SetRow, gap: &Gap, contradiction: Option<&String>) {
        let reason = match contradiction {
            Some(contradiction) if gap.after.is_none() => contradiction.clone(),
            _ => gap.to_string(),
        };
        let text = |moment: Moment| moment.to_string();
        self.report.gaps.push(SetGap {
            set: set.name.clone(),
            after: gap.after.map(text),
            before: gap.before.map(text),
            reason,
        });
    }

    /// Tells of documents that are listed and could not be read. Packages are another way to the same
    /// resources: a dump that is broken is worth a note where the rest led to the end.
    fn tell_failures(&mut self, set: &SetRow, update: &Update<'_>) -> Result<(), SyncError> {
        let dumps = [Capability::ResourceDump, Capability::ChangeDump]
            .map(|capability| urls_of(update.offered, capability))
            .concat();
        let did_nothing = !update.is_compared
            && self.report.gaps.is_empty()
            && !self.report.has_changes()
            && self.report.unchanged == 0;
        let mut told = HashSet::new();
        for failure in &update.failures {
            if !told.insert(failure.url.clone()) {
                continue;
            }
            let is_dump = dumps.iter().any(|dump| dump.as_str() == failure.url);
            let reached = set.reached.or(set.at).map(instant);
            let is_reached = failure.at.is_some_and(|at| reached >= Some(instant(at)));
            let is_needed = update.is_broken || !(update.is_current || is_reached);
            let reason = failure.error.to_string();
            if is_dump && !is_needed {
                self.report.note(format!("{}: {reason}", failure.url));
                continue;
            }
            self.is_partial = true;
            self.report.fail(&failure.url, &reason);
        }
        // Nothing could be done: the error stands for the run. What is not there, or is broken in a
        // package, is no fault of this run.
        let stops = |failure: &&DocumentFailure| {
            !failure.is_absence() && !dumps.iter().any(|dump| dump.as_str() == failure.url)
        };
        if did_nothing && let Some(failure) = update.failures.iter().find(stops) {
            let (url, reason) = (failure.url.clone(), failure.error.to_string());
            return Err(SyncError::Unreadable { url, reason });
        }
        Ok(())
    }
}

fn urls_of(offered: &SourceSet, capability: Capability) -> Vec<Url> {
    let of_kind = offered.offers.iter().filter(|offer| offer.capability == capability);
    of_kind.map(|offer| offer.url.clone()).collect()
}

fn takes_packages(via: Via) -> bool {
    !matches!(via, Via::List | Via::Sitemap)
}
