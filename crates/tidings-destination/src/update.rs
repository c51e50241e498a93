//! Brings one set up to date: surveys its documents, plans, carries the plan out.

mod applying;
mod planning;
mod telling;

use std::collections::{HashMap, HashSet};

use tidings_document::Capability;
use tidings_web::SourceSet;
use url::Url;

use crate::SyncError;
use crate::coverage::Edge;
use crate::engine::Engine;
use crate::id_set::IdSet;
use crate::options::Via;
use crate::plan::{Request, Start, plan};
use crate::report::Way;
use crate::state::{History, Role, SetRow, Unsettled};
use crate::survey::{BaselineDocument, DocumentFailure, ReadSoFar, Survey};

/// How a set was brought up to date without a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptUp {
    /// It was as before.
    NothingNew,
    /// The entries of its Change List were applied.
    Changed,
}

impl KeptUp {
    pub(crate) fn way(self, set: String) -> Way {
        match self {
            Self::NothingNew => Way::NothingNew { set },
            Self::Changed => Way::Documents { set, words: FROM_CHANGE_LIST.to_owned() },
        }
    }
}

const FROM_CHANGE_LIST: &str = "what changed, from its Change List";

/// What is known of one update while it goes on.
struct Update<'s> {
    offered: &'s SourceSet,
    /// Documents that failed: the plan does without them.
    excluded: HashSet<String>,
    /// Documents that turned out to be indexes of Change Lists.
    indexes: HashSet<String>,
    /// How many entries of documents of changes name nothing, where that was found out as they were applied.
    lost: HashMap<String, u64>,
    failures: Vec<DocumentFailure>,
    /// True once a baseline was compared with, as far as it could be read.
    is_compared: bool,
    /// True if a baseline could not be read to its end: then no progress is remembered.
    is_broken: bool,
    /// A document that turned out to contradict what was read before.
    contradiction: Option<String>,
    /// True if the last plan led up to now.
    is_current: bool,
    /// The newest time that a baseline covers which this update did not compare with.
    newest_baseline: Edge,
}

/// What came of a change document.
enum Outcome {
    Applied,
    /// It could not be read.
    Failed(DocumentFailure),
    /// It is gone, and the Source no longer offers it.
    Gone(Url),
    /// It is an index, which has to be surveyed.
    Index(Url),
    /// Entries of it name nothing: how many.
    Lossy(Url, u64),
    /// It contradicts what was read before.
    Contradicts(String),
}

impl Update<'_> {
    /// Takes in what came of a document of changes. True if the plan has to do without it.
    fn must_plan_again(&mut self, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Applied => return false,
            Outcome::Failed(failure) => {
                self.excluded.insert(failure.url.clone());
                self.failures.push(failure);
            }
            Outcome::Gone(url) => drop(self.excluded.insert(url.into())),
            Outcome::Index(url) => drop(self.indexes.insert(url.into())),
            Outcome::Lossy(url, entries) => drop(self.lost.insert(url.into(), entries)),
            Outcome::Contradicts(_) if self.contradiction.is_some() => return false,
            Outcome::Contradicts(reason) => self.contradiction = Some(reason),
        }
        true
    }
}

impl Engine<'_> {
    /// Brings a set up to date by the documents that were read before, and says how; none if the Source
    /// has to be asked which documents it has. Where nothing is new that takes one request.
    pub(crate) fn keep_up(&mut self, set: &SetRow) -> Result<Option<KeptUp>, SyncError> {
        self.desk.tally.begin_set();
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
            let must_plan = !is_all || has_packages || set.unsettled_until.is_some();
            return self.keep_up_with_lists(&lists, must_plan);
        }
        let mut survey = Survey::default();
        let none = HashSet::new();
        self.survey_change_lists(&known, &[], (&none, &none), true, &mut survey)?;
        if survey.misses_parts {
            return Ok(None);
        }
        if let Some(failure) = survey.failures.pop() {
            return if failure.is_absence() { Ok(None) } else { Err(failure.error) };
        }
        if survey.contradiction.is_some() || !survey.is_open() {
            return Ok(None);
        }
        let via = self.options.via;
        let request = Request { via, compares_all: false, known_newest: Edge::BEGINNING };
        let planned = plan(survey.position(set), &survey.coverage, request);
        if planned.gap.is_some() || planned.start != Start::Copy {
            return Ok(None);
        }
        // A part from before the copy is read by nobody.
        let is_new = planned.changes.iter().any(|one| survey.changes[*one].read != ReadSoFar::All);
        if !is_new {
            // An index may be another one, and lead to the same.
            survey.indexes.retain(|index| !known.contains(index));
            self.remember_indexes(set, &survey.indexes)?;
            return Ok(Some(KeptUp::NothingNew));
        }
        // Packages are looked for where the Source says that they are.
        if self.options.via == Via::Dump {
            return Ok(None);
        }
        self.report.add_plan(format!("{}: {}", set.name, survey.summary(&planned)));
        match self.apply_all(set, &known, &mut survey, &planned, true)? {
            Outcome::Applied => {}
            Outcome::Failed(_)
            | Outcome::Gone(_)
            | Outcome::Index(_)
            | Outcome::Lossy(..)
            | Outcome::Contradicts(_) => return Ok(None),
        }
        self.remember_indexes(set, &survey.indexes)?;
        Ok(Some(KeptUp::Changed))
    }

    /// The same for a set without Change Lists: its Resource List is as it was, and nothing else is there,
    /// or it has to be planned for.
    fn keep_up_with_lists(
        &mut self,
        lists: &[&History],
        must_plan: bool,
    ) -> Result<Option<KeptUp>, SyncError> {
        if lists.is_empty() || must_plan {
            return Ok(None);
        }
        for list in lists {
            let Ok(url) = Url::parse(&list.url) else { return Ok(None) };
            match self.documents.get(&url, list.validators.clone()) {
                Ok(None) => {}
                Ok(Some(_)) => return Ok(None),
                Err(error) if error.is_absence() => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Some(KeptUp::NothingNew))
    }

    /// Brings one set up to date.
    pub(crate) fn copy_set(&mut self, offered: &SourceSet) -> Result<(), SyncError> {
        let url =
            offered.capability_list.as_ref().or(offered.offers.first().map(|offer| &offer.url));
        let url = url.map(ToString::to_string).unwrap_or_default();
        self.desk.tally.begin_set();
        let mut set = self.set_row(&offered.name, &url)?;
        if !self.report.sets.contains(&offered.name) {
            self.report.sets.push(offered.name.clone());
        }
        let mut update = Update {
            offered,
            excluded: HashSet::new(),
            indexes: HashSet::new(),
            lost: HashMap::new(),
            failures: Vec::new(),
            is_compared: false,
            is_broken: false,
            contradiction: None,
            is_current: false,
            newest_baseline: Edge::BEGINNING,
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
        update.failures.extend(survey.lossy(&planned));
        let is_first = !update.is_compared;
        if is_first {
            self.tell_plan(set, &survey, &planned, update);
        }
        match planned.start {
            Start::Baseline(index) => {
                let mut cursors: Vec<History> =
                    survey.baselines.iter().map(|one| one.cursor().clone()).collect();
                // The one that is compared with may turn out older than its index says.
                update.newest_baseline = survey.newest_baseline(Some(index));
                let baseline = survey.baselines.swap_remove(index);
                let is_list = matches!(baseline, BaselineDocument::List { .. });
                self.compare_with(set, baseline, update)?;
                if is_list {
                    // A list that was compared with is remembered with its parts.
                    cursors.remove(index);
                }
                if update.is_compared && !update.is_broken {
                    // Where a document failed, all are asked for again.
                    if update.failures.is_empty() {
                        cursors.extend(self.capability_cursor(update.offered));
                    }
                    self.remember_indexes(set, &cursors)?;
                }
                return Ok(true);
            }
            Start::Nothing if survey.changes.is_empty() => return Ok(false),
            Start::Nothing | Start::Copy => {}
        }
        update.is_current = planned.gap.is_none() && survey.is_open();
        let remembers = planned.gap.is_none() && !update.is_broken;
        if planned.start == Start::Nothing && remembers {
            self.begin_without_baseline(set)?;
        }
        let outcome = self.apply_all(set, &known, &mut survey, &planned, remembers)?;
        if update.must_plan_again(outcome) {
            return Ok(true);
        }
        if let Some(gap) = &planned.gap {
            self.tell_gap(
                set,
                gap,
                update.contradiction.as_ref().or(survey.contradiction.as_ref()),
            );
        } else if remembers && update.failures.is_empty() {
            // An index of which a part is missing is read again.
            survey.indexes.retain(|index| !survey.unlisted.contains(&index.url));
            self.remember_indexes(set, &survey.indexes)?;
            self.forget_unlisted(set, &survey.unlisted)?;
        }
        Ok(false)
    }

    /// Compares the set with a baseline.
    fn compare_with(
        &mut self,
        set: &SetRow,
        baseline: BaselineDocument,
        update: &mut Update<'_>,
    ) -> Result<(), SyncError> {
        if set.complete {
            let at = baseline.cursor().from;
            self.unsettle(set, Some(at.map_or(Unsettled::Now, Unsettled::Until)))?;
        }
        let total = self.meter.total;
        match baseline {
            BaselineDocument::List { urls, first, .. } => {
                self.desk.listed = Some(IdSet::default());
                let compared = self.baseline_from_list(set, &urls, first);
                self.desk.listed = None;
                match compared {
                    Ok(is_whole) => update.is_broken |= !is_whole,
                    Err(error @ (SyncError::Document { .. } | SyncError::Fetch(_))) => {
                        // Where not one entry was compared the copy is as it was.
                        if set.complete && self.meter.total == total {
                            self.set_unsettled(set, set.unsettled_until)?;
                        }
                        update.excluded.extend(urls.iter().map(ToString::to_string));
                        let url = urls.first().map(ToString::to_string).unwrap_or_default();
                        update.failures.push(DocumentFailure { url, error, at: None });
                        return Ok(());
                    }
                    Err(error) => return Err(error),
                }
            }
            BaselineDocument::Dump { url, packages, at, .. } => {
                if let Some(error) = self.baseline_from_dump(set, &packages, at)? {
                    // What is in a package that is broken can still be had from where it is.
                    update.excluded.insert(url.to_string());
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
        self.finish_baseline(set, None)?;
        self.desk.state.commit()
    }

    /// Records, before the first of them is applied, that changes up to a time may be in the copy: if not
    /// all of them get there, only a document that reaches as far makes it a state of the Source again.
    pub(super) fn unsettle(
        &mut self,
        set: &SetRow,
        until: Option<Unsettled>,
    ) -> Result<(), SyncError> {
        let Some(until) = until else { return Ok(()) };
        if set.unsettled_until.is_some_and(|known| known.edge() >= until.edge()) {
            return Ok(());
        }
        self.set_unsettled(set, Some(until))
    }

    pub(super) fn set_unsettled(
        &mut self,
        set: &SetRow,
        until: Option<Unsettled>,
    ) -> Result<(), SyncError> {
        self.desk.state.begin()?;
        self.desk.state.set_unsettled(set.id, until)?;
        self.desk.state.commit()
    }

    /// Remembers the indexes of documents that were all applied.
    fn remember_indexes(&mut self, set: &SetRow, indexes: &[History]) -> Result<(), SyncError> {
        if indexes.is_empty() {
            return Ok(());
        }
        self.desk.state.begin()?;
        for index in indexes {
            self.desk.state.remember(set.id, index)?;
        }
        self.desk.state.commit()
    }

    /// Forgets documents of changes that the Source no longer offers: a poll that asked for them would learn
    /// nothing of the set.
    fn forget_unlisted(&mut self, set: &SetRow, urls: &[String]) -> Result<(), SyncError> {
        if urls.is_empty() {
            return Ok(());
        }
        self.desk.state.begin()?;
        for url in urls {
            self.desk.state.forget_document(set.id, url)?;
        }
        self.desk.state.commit()
    }

    fn set_row(&mut self, name: &str, url: &str) -> Result<SetRow, SyncError> {
        self.desk.state.set(name, url)
    }
}

fn urls_of(offered: &SourceSet, capability: Capability) -> Vec<Url> {
    let of_kind = offered.offers.iter().filter(|offer| offer.capability == capability);
    of_kind.map(|offer| offer.url.clone()).collect()
}

fn takes_packages(via: Via) -> bool {
    !matches!(via, Via::List | Via::Sitemap)
}
