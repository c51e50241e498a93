//! What a run has to do all the same where a document is gone for good.

use tidings_destination::Report;

use super::history::{History, shown};
use super::model::Told;
use super::publisher::{Covers, Publisher};
use super::verdict::number_of;

impl History {
    /// True if a run says that it missed the document that is gone.
    pub(super) fn names_loss(&self, report: &Result<Report, String>) -> bool {
        let Some(lost) = self.lost() else { return false };
        match report {
            Err(error) => error.contains(lost),
            Ok(report) => report
                .failures
                .iter()
                .any(|failure| failure.uri.ends_with(lost) || failure.reason.contains(lost)),
        }
    }

    /// However a run ends, a file of the copy is a version that the Source once had.
    pub(super) fn judge_bytes(&self) -> Result<(), String> {
        for (resource, content) in self.found() {
            let number = number_of(&content, resource);
            if number.and_then(|number| self.world.written.get(&number)) != Some(&content) {
                return Err(format!("{resource} is {content:?}, which it never was"));
            }
        }
        Ok(())
    }

    /// Holds a run that missed a document to what the others tell.
    pub(super) fn judge_rest(
        &self,
        told: &[Told],
        report: &Result<Report, String>,
    ) -> Result<(), String> {
        let Some(lost) = self.lost() else { return Ok(()) };
        let Ok(report) = report else {
            let is_all = lost.ends_with("capabilitylist.xml") && self.publishers.len() == 1;
            let shown = shown(report);
            return match is_all {
                true => Ok(()),
                false => Err(format!("the loss of {lost} stopped the run: {shown}")),
            };
        };
        for (set, publisher) in self.publishers.iter().enumerate() {
            let part = publisher.lost_part(lost);
            let rest = publisher.covers_without(lost);
            if rest.is_empty() || self.known[set].is_in_between(&rest, self.way) {
                continue;
            }
            let own = self.known[set].told(&rest, self.way, self.world.now());
            let Told::StateAt(time) = own else { continue };
            self.judge_rest_of(set, (time, part), told).map_err(|wrong| {
                format!("{wrong}, without {lost}: {}", shown(&Ok(report.clone())))
            })?;
        }
        Ok(())
    }

    /// What a set has of which all documents say the same, and which can still be fetched, is in the copy.
    fn judge_rest_of(
        &self,
        set: usize,
        (time, part): (i64, Option<u64>),
        told: &[Told],
    ) -> Result<(), String> {
        let (expected, found) = (self.expected(told), self.found());
        let parts = self.publishers[set].habits.list.as_ref().map_or(1, |list| list.parts);
        let state = self.world.state_at(set, time).into_iter();
        for (resource, version) in state.filter(|(resource, _)| part != Some(resource % parts)) {
            let is_said = expected.get(&resource) == Some(&version);
            let is_there = found.get(&resource) == Some(&version.content);
            if is_said && self.is_current(&expected, resource) && !is_there {
                let found = found.get(&resource);
                return Err(format!("{resource} is {found:?}, and should be {version:?}"));
            }
        }
        Ok(())
    }
}

impl Publisher {
    /// The number of the part of the Resource List that is lost. The others are compared all the same, and what
    /// is in that one is left to the next run.
    fn lost_part(&self, lost: &str) -> Option<u64> {
        let name = lost.strip_prefix(&format!("/{}/part-", self.set))?;
        name.strip_suffix(".xml")?.parse().ok()
    }

    /// What the documents of the set cover without one of them.
    fn covers_without(&self, lost: &str) -> Vec<Covers> {
        let Some(name) = lost.strip_prefix(&format!("/{}/", self.set)) else {
            return self.covers.clone();
        };
        if name == "capabilitylist.xml" {
            return Vec::new();
        }
        let begins = |with: &[&str]| with.iter().any(|with| name.starts_with(with));
        let is_package_name = name.ends_with(".zip") || begins(&["dump-", "resourcedump"]);
        let is_lost = |covers: &Covers| match covers {
            Covers::State { is_package: true, .. } => is_package_name,
            Covers::State { .. } => begins(&["resourcelist"]),
            Covers::Changes { is_package: true, .. } => begins(&["change"]),
            Covers::Changes { url, .. } => {
                url.ends_with(lost) || begins(&["changelists", "archive"])
            }
        };
        self.covers.iter().filter(|covers| !is_lost(covers)).cloned().collect()
    }
}
