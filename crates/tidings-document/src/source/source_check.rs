//! The check itself: from document to document.

use std::collections::HashMap;
use std::io::{self, Read};

use super::check_request::{
    BitstreamFault, CheckRequest, CheckTask, ParentEntry, RequestReason, SourceCheckOptions,
    VisitedDocument,
};
use super::cover::{Covers, Sums};
use super::kept_entries::{ChildDocument, KeptEntries};
use crate::{
    Capability, CheckOptions, EntryTarget, Finding, Findings, Form, Head, Metadata, Moment, Place,
    Report, Rule, SourceWalk, WalkLimits, WalkPolicy, WalkScope, check_each, rule,
};

/// How often the check climbs: the standard has four levels.
const MAX_CLIMBS: usize = 7;

/// What is wrong with a document as a whole.
pub(super) type DocumentViolations = Vec<(&'static Rule, String)>;

/// A check of the documents of a Source.
pub struct SourceCheck {
    pub(super) options: SourceCheckOptions,
    pub(super) walk: SourceWalk<String, CheckTask>,
    /// Other URLs under which a document was had: of redirects.
    pub(super) aliases: HashMap<String, String>,
    pub(super) parents: HashMap<String, String>,
    pub(super) visited: Vec<VisitedDocument>,
    pub(super) places: HashMap<String, usize>,
    /// The intervals of the parts of each index of changes: place, from, until.
    pub(super) intervals: HashMap<String, Vec<(usize, Moment, Option<Moment>)>>,
    pub(super) covers: HashMap<String, Covers>,
    /// The manifests seen so far, by their package: a digest of what they list.
    pub(super) manifests: HashMap<String, Sums>,
    /// Which package each published manifest is said to be of.
    contents: HashMap<String, String>,
    start: String,
}

impl SourceCheck {
    /// A check that begins at that document: any document of a Source.
    pub fn new(start: &str, options: SourceCheckOptions) -> Self {
        let limits = WalkLimits {
            max_climbs: MAX_CLIMBS,
            max_listed: options.documents,
            ..WalkLimits::DEFAULT
        };
        let policy = WalkPolicy { limits, scope: WalkScope::Packages, ..WalkPolicy::default() };
        let start = (options.resolve)(start, start).unwrap_or_else(|| start.to_owned());
        let mut walk = SourceWalk::new(policy);
        walk.start(start.clone(), CheckTask::document(RequestReason::Start));
        Self {
            options,
            walk,
            aliases: HashMap::new(),
            parents: HashMap::new(),
            visited: Vec::new(),
            places: HashMap::new(),
            intervals: HashMap::new(),
            covers: HashMap::new(),
            manifests: HashMap::new(),
            contents: HashMap::new(),
            start,
        }
    }

    /// The next document to fetch; none at the end.
    pub fn next_request(&mut self) -> Option<CheckRequest> {
        if self.walk.waiting() == 0 && !self.visited.is_empty() && !self.is_placed(&self.start) {
            self.walk.start(self.start.clone(), CheckTask::document(RequestReason::Stray));
        }
        self.walk.next_request()
    }

    /// How many documents were seen, and how many are known to be left.
    pub fn progress(&self) -> (usize, usize) {
        (self.visited.len(), self.walk.waiting())
    }

    /// The document could not be had.
    pub fn missing(&mut self, request: &CheckRequest, reason: &str) {
        let detail = match &request.context.reason {
            RequestReason::Start | RequestReason::Top | RequestReason::Stray => {
                format!("{}: {reason}", request.url)
            }
            RequestReason::Climb { child } => {
                // What is below can still be looked at.
                let child = child.clone();
                self.walk.reopen(child.clone(), CheckTask::document(RequestReason::Top));
                format!("the link up of {child}: {reason}")
            }
            RequestReason::Up { child, .. } => format!("the link up of {child}: {reason}"),
            RequestReason::Child { parent, .. } => format!("listed in {parent}: {reason}"),
            RequestReason::Manifest { parent, .. } => format!("of the dump {parent}: {reason}"),
        };
        self.empty(&request.url, request, rule::source::UNREACHABLE, detail);
    }

    /// The package was had, but there is no manifest in it that could be read.
    pub fn unusable(&mut self, request: &CheckRequest, reason: &str) {
        self.empty(&request.url, request, rule::source::PACKAGE, reason.to_owned());
    }

    fn empty(&mut self, url: &str, request: &CheckRequest, rule: &'static Rule, detail: String) {
        let mut findings = Findings::default();
        findings.push(whole(rule, detail));
        let report = Report { head: None, entries: 0, bytes: 0, complete: false, findings };
        self.keep(url, request, report);
    }

    /// Checks the document that was had, under the URL that it was had from in the end, and with the
    /// charset that came with it.
    pub fn visit(
        &mut self,
        request: &CheckRequest,
        url: &str,
        charset: Option<String>,
        input: impl Read,
    ) -> io::Result<()> {
        if url != request.url {
            self.aliases.insert(request.url.clone(), url.to_owned());
            self.walk.add_alias(url.to_owned());
        }
        let mut options =
            CheckOptions { url: Some(request.url.clone()), ..self.options.check.clone() };
        options.read.charset = charset;
        let mut gathered = KeptEntries::default();
        let mut report = check_each(input, &options, |head, entry| gathered.take(head, entry))?;
        let Some(head) = report.head.clone() else {
            self.keep(url, request, report);
            return Ok(());
        };
        if matches!(request.context.reason, RequestReason::Start | RequestReason::Climb { .. })
            && self.climb(request, url, &head)
        {
            return Ok(());
        }
        // In its index a Source Description need not be at the well-known place.
        if matches!(request.context.reason, RequestReason::Child { .. }) {
            report.findings.forget(rule::ifcc::DESCRIPTION_PLACE);
        }
        let mut violations = Vec::new();
        let capability = head.capability();
        match &request.context.reason {
            RequestReason::Child { parent, expected, said } => {
                self.parents.insert(url.to_owned(), parent.clone());
                self.parents.insert(request.url.clone(), parent.clone());
                self.child(url, parent, *expected, said, &head, &mut violations);
            }
            RequestReason::Up { child, expected } => {
                let index = head.form == Form::Index && *expected == Capability::Description;
                let lists =
                    index || gathered.children.iter().any(|one| self.same(url, &one.loc, child));
                if capability != Some(*expected) {
                    violations.push((
                        rule::source::UP_WRONG,
                        format!("{child} links up to it, but it is a {}", head.title()),
                    ));
                } else if !lists && !self.is_part_below(&gathered, url, child) {
                    violations.push((
                        rule::source::UP_WRONG,
                        format!("{child} links up to it, but is not listed in it"),
                    ));
                }
            }
            RequestReason::Manifest { parent, package } => {
                self.manifest(parent, package, &head, &gathered.cover, &mut violations);
            }
            RequestReason::Stray => {
                let detail = "nothing below the document that it links up to leads to it".into();
                violations.push((rule::source::UP_WRONG, detail));
            }
            RequestReason::Start | RequestReason::Climb { .. } | RequestReason::Top => {}
        }
        self.up(request, url, &head, &mut violations);
        if let Some(capability) = capability {
            let below =
                self.documents_below(request, url, capability, &head, gathered, &mut violations);
            self.walk.list(request.depth, below);
        }
        for (rule, detail) in violations {
            report.findings.push(whole(rule, detail));
        }
        self.keep(url, request, report);
        Ok(())
    }

    /// Checks the manifest of a package.
    pub fn package(&mut self, request: &CheckRequest, manifest: impl Read) -> io::Result<()> {
        let url = request.url.clone();
        self.visit(request, &url, None, manifest)
    }

    /// The package that was checked last is not the one that its dump tells of.
    pub fn other_package(&mut self, request: &CheckRequest, reason: &str) {
        if let Some(place) = self.places.get(&request.url) {
            let finding = whole(rule::source::PACKAGE_DIFFERS, reason.to_owned());
            self.visited[*place].report.findings.push(finding);
        }
    }

    /// Something is wrong with a file in the package that was checked last: that of the entry of its
    /// manifest with this number, counted from 1.
    pub fn bitstream(
        &mut self,
        request: &CheckRequest,
        entry: u64,
        fault: BitstreamFault,
        reason: &str,
    ) {
        let Some(place) = self.places.get(&request.url) else { return };
        let rule = match fault {
            BitstreamFault::Missing => rule::source::BITSTREAM_MISSING,
            BitstreamFault::Length => rule::source::BITSTREAM_LENGTH,
            BitstreamFault::Digest => rule::source::BITSTREAM_HASH,
            BitstreamFault::Damaged => rule::source::PACKAGE,
        };
        let finding = Finding {
            place: Place { line: 0, entry: Some(entry) },
            ..whole(rule, reason.to_owned())
        };
        self.visited[*place].report.findings.push(finding);
    }

    /// Everything that was found.
    pub fn finish(mut self) -> Vec<VisitedDocument> {
        self.gaps();
        self.coverage();
        if let (Some(first), over @ 1..) = (self.visited.first_mut(), self.walk.left_out()) {
            let detail = format!("{over} more documents were not looked at");
            first.report.findings.push(whole(rule::source::BUDGET, detail));
        }
        self.visited
    }

    fn keep(&mut self, url: &str, request: &CheckRequest, report: Report) {
        let parent = match &request.context.reason {
            RequestReason::Child { parent, .. } | RequestReason::Manifest { parent, .. } => {
                Some(parent)
            }
            _ => None,
        };
        let depth = parent
            .and_then(|parent| self.places.get(parent))
            .map_or(0, |place| self.visited[*place].depth + 1);
        self.places.insert(url.to_owned(), self.visited.len());
        self.places.insert(request.url.clone(), self.visited.len());
        self.visited.push(VisitedDocument { url: request.url.clone(), report, depth });
    }

    /// True if the document was seen, under that URL or the one that it leads to.
    fn is_placed(&self, url: &str) -> bool {
        let alias = self.aliases.get(url);
        self.places.contains_key(url) || alias.is_some_and(|alias| self.places.contains_key(alias))
    }

    /// Goes up from the document that the caller named, if there is a way: the walk begins at the
    /// top, and meets this one again from above. False at the top.
    fn climb(&mut self, request: &CheckRequest, url: &str, head: &Head<'static>) -> bool {
        let way = match head.capability() {
            None => None,
            Some(Capability::Description) => head.link("index"),
            Some(_) => head.link("up"),
        };
        let target = way.and_then(|link| (self.options.resolve)(url, &link.href));
        let Some(target) = target else { return false };
        let task = CheckTask::document(RequestReason::Climb { child: request.url.clone() });
        let alias = Some(url.to_owned()).filter(|alias| *alias != request.url);
        alias.iter().for_each(|alias| self.walk.remove_alias(alias));
        let climbs = self.walk.climb(&request.url, target, task);
        alias.into_iter().filter(|_| !climbs).for_each(|alias| self.walk.add_alias(alias));
        climbs
    }

    pub(super) fn same(&self, base: &str, reference: &str, url: &str) -> bool {
        let Some(resolved) = (self.options.resolve)(base, reference) else { return false };
        let alias = |url: &str| self.aliases.get(url).cloned().unwrap_or_else(|| url.to_owned());
        resolved == url || alias(&resolved) == alias(url)
    }

    fn is_part_below(&self, gathered: &KeptEntries, url: &str, child: &str) -> bool {
        // A part's link up skips the index: the index has to be listed.
        let index = self.parents.get(child);
        index.is_some_and(|index| {
            gathered.children.iter().any(|one| self.same(url, &one.loc, index))
        })
    }

    /// The documents and packages that a document lists, with the task of each.
    fn documents_below(
        &mut self,
        request: &CheckRequest,
        url: &str,
        capability: Capability,
        head: &Head<'static>,
        gathered: KeptEntries,
        violations: &mut DocumentViolations,
    ) -> Vec<(String, CheckTask)> {
        let part = head.form == Form::Index;
        let above = match &request.context.reason {
            RequestReason::Child { said, .. } => said.set.clone(),
            _ => None,
        };
        let set = if capability == Capability::CapabilityList {
            Some(request.url.clone())
        } else {
            above
        };
        let cover = gathered.cover;
        if let Some(set) = &set
            && head.form == Form::List
        {
            self.covers.entry(set.clone()).or_default().add(capability, head.metadata.at, &cover);
        }
        if head.form == Form::List && capability == Capability::ChangeDump {
            let parts = gathered
                .children
                .iter()
                .map(|one| &one.metadata)
                .filter_map(|md| md.from.map(|from| (from, md.until)));
            let known = self.intervals.entry(request.url.clone()).or_default();
            known.extend(parts.enumerate().map(|(order, (from, until))| (order, from, until)));
        }
        let scope = self.walk.policy().scope;
        let mut below = Vec::new();
        for (order, ChildDocument { loc, metadata, describes, contents }) in
            gathered.children.into_iter().enumerate()
        {
            let kind = EntryTarget::from_capability(head, metadata.capability);
            let Some(target) = (self.options.resolve)(url, &loc).filter(|_| scope.opens(kind))
            else {
                continue;
            };
            if kind == EntryTarget::Package {
                let package = (target, metadata);
                self.packages(url, request, package, contents.as_deref(), &mut below, violations);
                continue;
            }
            if self.is_above(&target, url) {
                violations.push((
                    rule::source::LOOP,
                    format!("it lists {loc}, which is the document itself or one above it"),
                ));
                continue;
            }
            let said = Box::new(ParentEntry { part, order, metadata, describes, set: set.clone() });
            let (parent, expected) = (request.url.clone(), kind.capability());
            let reason = RequestReason::Child { parent, expected, said };
            below.push((target, CheckTask::document(reason)));
        }
        below
    }

    /// A package, and its manifest if that lies beside it.
    fn packages(
        &mut self,
        url: &str,
        request: &CheckRequest,
        (package, listed): (String, Metadata<'static>),
        contents: Option<&str>,
        below: &mut Vec<(String, CheckTask)>,
        violations: &mut DocumentViolations,
    ) {
        let parent = request.url.clone();
        let reason = RequestReason::Manifest { parent, package: package.clone() };
        if let Some(manifest) = contents.and_then(|contents| (self.options.resolve)(url, contents))
        {
            match self.contents.insert(manifest.clone(), package.clone()) {
                Some(other) if other != package => {
                    let detail =
                        format!("{manifest} cannot be the manifest of {other} and of {package}");
                    violations.push((rule::source::CONTENTS, detail));
                }
                _ => below.push((manifest, CheckTask::document(reason.clone()))),
            }
        }
        below.push((package, CheckTask { is_package: true, listed, reason }));
    }

    /// No change falls between two Change Lists of an index, or two packages of a Change Dump.
    fn gaps(&mut self) {
        for (index, mut parts) in std::mem::take(&mut self.intervals) {
            parts.sort_by_key(|part| part.0);
            for pair in parts.windows(2) {
                if let ((_, _, Some(until)), (_, from, _)) = (pair[0], pair[1])
                    && until.is_before(from)
                    && let Some(place) = self.places.get(&index)
                {
                    let detail = format!("nothing covers the time from {until} to {from}");
                    self.visited[*place].report.findings.push(whole(rule::source::GAP, detail));
                }
            }
        }
    }

    fn coverage(&mut self) {
        for (set, covers) in std::mem::take(&mut self.covers) {
            let Some(detail) = covers.difference() else { continue };
            if let Some(place) = self.places.get(&set) {
                self.visited[*place].report.findings.push(whole(rule::source::COVERAGE, detail));
            }
        }
    }
}

/// A finding about a document as a whole, at no line of it.
fn whole(rule: &'static Rule, detail: String) -> Finding {
    Finding { rule, detail, place: Place::default(), excerpt: String::new() }
}
