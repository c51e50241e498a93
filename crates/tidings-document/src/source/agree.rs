//! What two documents of a Source must agree on.

use super::check_request::{CheckRequest, CheckTask, ParentEntry, RequestReason};
use super::cover::Cover;
use super::source_check::{DocumentViolations, SourceCheck};
use crate::{Capability, Form, Head, Moment, Profile, rule};

impl SourceCheck {
    /// What a document must have in common with the entry that points to it.
    pub(super) fn child(
        &mut self,
        url: &str,
        parent: &str,
        expected: Option<Capability>,
        said: &ParentEntry,
        head: &Head<'static>,
        violations: &mut DocumentViolations,
    ) {
        if let (Some(expected), actual) = (expected, head.capability())
            && actual != Some(expected)
        {
            violations.push((
                rule::source::CAPABILITY_DIFFERS,
                format!("{parent} lists it as a {expected}, but it is a {}", head.title()),
            ));
        }
        if said.part && head.form == Form::Index {
            violations.push((
                rule::source::INDEX_NESTED,
                format!("{parent} is an index, and lists this one"),
            ));
        }
        if said.part {
            match head.link("index") {
                None if head.capability() != Some(Capability::Description) => {
                    violations.push((
                        rule::source::INDEX_MISSING,
                        format!("it is listed in the index {parent}, but does not link to it"),
                    ));
                }
                Some(link) if !self.same(url, &link.href, parent) => {
                    violations.push((
                        rule::source::INDEX_WRONG,
                        format!("its index link leads to {}, but {parent} lists it", link.href),
                    ));
                }
                _ => {}
            }
            self.times(parent, said, head, violations);
        }
        if self.options.check.profile == Profile::Ifcc
            && let (Some(described), Some(own)) = (&said.describes, head.link("describes"))
            && *described != own.href
        {
            violations.push((
                rule::ifcc::DESCRIBES_DIFFERS,
                format!("it describes {}, but {parent} says {described}", own.href),
            ));
        }
    }

    /// The times of a part, as the index has them and as the part has them.
    pub(super) fn times(
        &mut self,
        parent: &str,
        said: &ParentEntry,
        head: &Head<'static>,
        violations: &mut DocumentViolations,
    ) {
        let (entry, own) = (&said.metadata, &head.metadata);
        let differ = |a: Option<Moment>, b: Option<Moment>| {
            a.zip(b).is_some_and(|(a, b)| a.is_before(b) || b.is_before(a))
        };
        if differ(entry.at, own.at) {
            violations
                .push((rule::source::AT_DIFFERS, format!("its at is not what {parent} says")));
        }
        if differ(entry.from, own.from) {
            violations
                .push((rule::source::FROM_DIFFERS, format!("its from is not what {parent} says")));
        }
        let closed = entry.from.is_some() && entry.until.is_some() != own.until.is_some();
        if closed || differ(entry.until, own.until) {
            violations.push((
                rule::source::UNTIL_DIFFERS,
                format!("its until is not what {parent} says"),
            ));
        }
        let index =
            self.places.get(parent).and_then(|place| self.visited[*place].report.head.as_ref());
        if let (Some(at), Some(index)) = (own.at, index.and_then(|head| head.metadata.at))
            && at.is_before(index)
        {
            violations.push((
                rule::source::AT_LATE,
                format!("its at {at} is before that of {parent}, {index}"),
            ));
        }
        if let Some(from) = own.from {
            self.intervals
                .entry(parent.to_owned())
                .or_default()
                .push((said.order, from, own.until));
        }
    }

    /// Follows the link up, if that is not where the walk came from.
    pub(super) fn up(
        &mut self,
        request: &CheckRequest,
        url: &str,
        head: &Head<'static>,
        violations: &mut DocumentViolations,
    ) {
        let Some(up) = head.link("up") else { return };
        let expected = match head.capability() {
            Some(Capability::CapabilityList) => Capability::Description,
            Some(Capability::Description) | None => return,
            Some(_) => Capability::CapabilityList,
        };
        let above = match &request.context.reason {
            RequestReason::Child { parent, said, .. } => Some(
                said.set
                    .as_ref()
                    .filter(|_| expected == Capability::CapabilityList)
                    .unwrap_or(parent),
            ),
            RequestReason::Manifest { parent, .. } => self.set_of(parent),
            _ => None,
        };
        if above.is_some_and(|above| self.same(url, &up.href, above)) {
            return;
        }
        let Some(target) = (self.options.resolve)(url, &up.href) else { return };
        if self.same(url, &up.href, url) {
            violations.push((rule::source::UP_WRONG, "its link up leads to itself".into()));
            return;
        }
        match self.places.get(&target).map(|place| &self.visited[*place].report) {
            // Seen already, and not what lists this document.
            Some(report) => {
                let kind = report
                    .head
                    .as_ref()
                    .map_or("document that could not be read".into(), Head::title);
                let fits =
                    report.head.as_ref().is_some_and(|head| head.capability() == Some(expected));
                if !fits || above.is_some() {
                    violations.push((
                        rule::source::UP_WRONG,
                        format!("its link up leads to {}, a {kind} that does not list it", up.href),
                    ));
                }
            }
            None => {
                let reason = RequestReason::Up { child: url.to_owned(), expected };
                self.walk.start(target, CheckTask::document(reason));
            }
        }
    }

    pub(super) fn set_of(&self, dump: &str) -> Option<&String> {
        let mut url = self.parents.get(dump)?;
        for _ in 0..4 {
            let head =
                self.places.get(url).and_then(|place| self.visited[*place].report.head.as_ref())?;
            if head.capability() == Some(Capability::CapabilityList) {
                return Some(url);
            }
            url = self.parents.get(url)?;
        }
        None
    }

    /// The manifest in a package and its copy outside list the same.
    pub(super) fn manifest(
        &mut self,
        dump: &str,
        package: &str,
        head: &Head<'static>,
        cover: &Cover,
        violations: &mut DocumentViolations,
    ) {
        let Some(capability) = head.capability().filter(|capability| capability.is_manifest())
        else {
            violations.push((
                rule::source::CONTENTS,
                format!("the manifest of {package} is a {}", head.title()),
            ));
            return;
        };
        match self.manifests.get(package) {
            None => {
                if let Some(set) = self.set_of(dump).cloned() {
                    self.covers.entry(set).or_default().add(capability, head.metadata.at, cover);
                }
                self.manifests.insert(package.to_owned(), cover.sums());
            }
            Some(other) if *other == cover.sums() => {}
            Some(_) => violations.push((
                rule::source::CONTENTS,
                format!("the manifest in {package} and its copy differ"),
            )),
        }
    }

    pub(super) fn is_above(&self, target: &str, url: &str) -> bool {
        let mut above = Some(url.to_owned());
        for _ in 0..64 {
            let Some(current) = above else { return false };
            if self.same(url, &current, target) {
                return true;
            }
            above = self.parents.get(&current).cloned();
        }
        true
    }
}
