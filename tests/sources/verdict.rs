//! Whether a run, and an audit after it, did what the documents say.

use std::collections::BTreeMap;

use tidings_destination::{AuditOptions, Report, audit};

use super::habits::Habits;
use super::history::{History, shown};
use super::model::{Known, Told, Way};
use super::world::{State, Version};
use crate::support::stage::files_of;

impl History {
    /// The state of all sets together at the times that their documents tell of.
    pub(super) fn expected(&self, told: &[Told]) -> State {
        let mut expected = State::new();
        for (set, told) in told.iter().enumerate() {
            let (Told::StateAt(time) | Told::Open(time)) = told;
            for (resource, version) in self.world.state_at(set, *time) {
                let newer = expected.get(&resource).is_none_or(|one| one.number < version.number);
                if newer {
                    expected.insert(resource, version);
                }
            }
        }
        expected
    }

    /// Why the copy is not what is expected.
    pub(super) fn difference(&self, told: &[Told]) -> Option<String> {
        self.difference_but_for(told, |_| false)
    }

    /// The same, but for some resources.
    fn difference_but_for(
        &self,
        told: &[Told],
        is_left_out: impl Fn(u64) -> bool,
    ) -> Option<String> {
        let (expected, found) = (self.expected(told), self.found());
        let is_judged = |resource: &u64| !is_left_out(*resource);
        for (resource, version) in expected.iter().filter(|(resource, _)| is_judged(resource)) {
            let content = found.get(resource);
            if !content.is_some_and(|one| self.is_right(told, *resource, version, one)) {
                return Some(format!("{resource} is {content:?}, and should be {version:?}"));
            }
        }
        let is_extra = |resource: &&u64| {
            self.deletes && !expected.contains_key(resource) && is_judged(resource)
        };
        let extra = found.keys().find(is_extra)?;
        Some(format!("{extra} is there, and should not be: {:?}", found[extra]))
    }

    /// The resources in the copy and their contents.
    pub(super) fn found(&self) -> BTreeMap<u64, String> {
        let home = format!("127.0.0.1+{}/r/", self.server.port());
        let copy = files_of(&self.folder.path().join("copy"));
        let found = copy.into_iter().filter_map(|(path, bytes)| {
            let resource = path.strip_prefix(&home)?.parse().ok()?;
            Some((resource, String::from_utf8_lossy(&bytes).into_owned()))
        });
        found.collect()
    }

    /// True if some content is the newest version of a resource that the documents tell of, or a newer one
    /// that is as good.
    fn is_right(&self, told: &[Told], resource: u64, version: &Version, content: &str) -> bool {
        if content == version.content {
            return true;
        }
        let Some(number) = number_of(content, resource).filter(|one| *one > version.number) else {
            return false;
        };
        self.is_stated(told, resource, number)
            || (self.served.contains(&number) && !self.is_checkable(told, resource, version))
    }

    /// True if some set told of that version: before it let the resource go, which another set still has in
    /// an older one.
    fn is_stated(&self, told: &[Told], resource: u64, number: u64) -> bool {
        self.world.events.iter().zip(told).any(|(events, told)| {
            let (Told::StateAt(time) | Told::Open(time)) = told;
            events.iter().filter(|event| event.time <= *time).any(|event| {
                event.resource == resource
                    && event.version.as_ref().is_some_and(|one| one.number == number)
            })
        })
    }

    /// True if all sets that tell of that version do so by a digest that bytes can be held against. Without
    /// one, whatever the server had when it was asked is what the document means, and where sets disagree
    /// the server decides.
    fn is_checkable(&self, told: &[Told], resource: u64, version: &Version) -> bool {
        (self.publishers.iter().zip(told)).all(|(publisher, told)| {
            let (Told::StateAt(time) | Told::Open(time)) = told;
            let state = self.world.state_at(publisher.set, *time);
            let habits = &publisher.habits;
            state.get(&resource) != Some(version)
                || habits.digests.is_checkable()
                    && habits.digests_at(self.world.tick).is_checkable()
        })
    }

    /// True if what the documents say of a resource can still be fetched.
    pub(super) fn is_current(&self, expected: &State, resource: u64) -> bool {
        self.world.live.get(&resource) == expected.get(&resource)
    }

    fn are_all_current(&self, expected: &State) -> bool {
        expected.keys().all(|resource| self.is_current(expected, *resource))
    }

    /// True if the documents of a set leave something open.
    pub(super) fn is_open(&self, told: &[Told], set: usize) -> bool {
        matches!(told[set], Told::Open(_))
            || self.known[set].is_in_between(&self.publishers[set].covers, self.way)
    }

    /// True if the documents of a set leave something open, also to who knows the documents of before.
    fn must_name_gap(&self) -> bool {
        // A list that is offered no more and is still where it was may lead on from the copy.
        let hides_lists = |habits: &Habits| {
            habits
                .changes
                .as_ref()
                .is_some_and(|changes| changes.index.is_none() && !changes.kind.is_one())
        };
        self.known.iter().zip(&self.publishers).any(|(known, one)| {
            known.is_open_at_best(&one.covers, self.way, self.world.now())
                && !hides_lists(&one.habits)
        })
    }

    pub(super) fn judge(
        &mut self,
        told: &[Told],
        is_well: bool,
        report: &Result<Report, String>,
    ) -> Result<(), String> {
        let expected = self.expected(told);
        if is_well {
            self.tally.well += 1;
            return match self.difference(told) {
                Some(wrong) => Err(format!("silently wrong: {wrong} ({told:?})")),
                None if self.must_name_gap() => {
                    let shown = shown(report);
                    Err(format!("well although the documents do not tell ({told:?}): {shown}"))
                }
                None => Ok(()),
            };
        }
        self.judge_bytes()?;
        if self.names_loss(report) {
            // It is listed, and nobody can say what is in it.
            self.tally.missing += 1;
            return self.judge_rest(told, report);
        }
        let is_open = (0..told.len()).any(|set| self.is_open(told, set));
        let names_wrong_gap = report.as_ref().is_ok_and(|report| {
            report.gaps.iter().any(|gap| {
                let set = self.publishers.iter().position(|one| one.set.to_string() == gap.set);
                set.is_none_or(|set| !self.is_open(told, set))
            })
        });
        if names_wrong_gap {
            let shown = shown(report);
            return Err(format!("a gap where the documents tell ({told:?}): {shown}"));
        }
        if is_open {
            self.tally.open += 1;
            return Ok(());
        }
        if self.are_all_current(&expected) {
            let shown = shown(report);
            return Err(format!("refused although the documents tell ({told:?}): {shown}"));
        }
        self.tally.moved_on += 1;
        // Only what the Source has no more as its documents say may be missing; the rest is there.
        let Ok(report) = report else {
            return Err(format!("one resource stopped the run: {}", shown(report)));
        };
        let is_current = |uri: &str| {
            let number = uri.rsplit_once("/r/").and_then(|(_, number)| number.parse().ok());
            number.is_none_or(|number| self.is_current(&expected, number))
        };
        if let Some(failure) = report.failures.iter().find(|failure| is_current(&failure.uri)) {
            return Err(format!("{} is there, and failed: {}", failure.uri, failure.reason));
        }
        match self.difference_but_for(told, |resource| !self.is_current(&expected, resource)) {
            Some(wrong) => Err(format!("wrong besides what moved on: {wrong} ({told:?})")),
            None => Ok(()),
        }
    }

    pub(super) fn judge_audit(&mut self, told: &[Told], was_well: bool) -> Result<(), String> {
        let mut options = AuditOptions::of(&self.options(Way::Auto));
        options.deep = true;
        self.tally.audits += 1;
        let result = audit(&options, &mut ());
        let expected = self.expected(told);
        let in_sync = result.as_ref().is_ok_and(|report| report.in_sync);
        if in_sync {
            return match self.difference(told) {
                Some(wrong) => Err(format!("a wrong copy was called in sync: {wrong}")),
                None => Ok(()),
            };
        }
        // An audit knows no position: it has to have a whole chain from a baseline.
        let fresh = Known::default();
        let newest: Vec<Told> = (self.publishers.iter())
            .map(|one| fresh.told(&one.covers, Way::Auto, self.world.now()))
            .collect();
        // Nor does it leave packages out, as a run by lists alone does.
        let tells = newest.iter().all(|told| matches!(told, Told::StateAt(_)))
            && self.expected(&newest) == expected;
        // What was kept is no part of the Source.
        let is_bare = self.deletes && self.lost().is_none();
        if was_well && tells && is_bare && self.are_all_current(&expected) {
            return Err(format!("a false alarm: {result:?}"));
        }
        Ok(())
    }
}

/// The number of the version that some content is.
pub(super) fn number_of(content: &str, resource: u64) -> Option<u64> {
    let rest = content.strip_prefix(&format!("resource {resource} version "))?;
    rest.split(' ').next()?.parse().ok()
}
