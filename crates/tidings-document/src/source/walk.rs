//! The walk itself: from document to document.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, Read};

use super::cover::{Covers, Sums};
use super::gather::{Child, Gathered};
use super::request::{BitstreamFault, Request, Role, Said, Visited, WalkOptions};
use crate::{
    Capability, CheckOptions, Finding, Findings, Form, Head, Metadata, Moment, Place, Report, Rule,
    check_each, rule,
};

/// How far up the walk goes: the standard has four levels.
const MOST_LEVELS: usize = 8;

/// What is wrong with a document as a whole.
pub(super) type Hits = Vec<(&'static Rule, String)>;

/// A walk over the documents of a Source.
pub struct Walk {
    pub(super) options: WalkOptions,
    pub(super) queue: VecDeque<Request>,
    asked: HashSet<String>,
    /// Other URLs under which a document was had: of redirects.
    pub(super) aliases: HashMap<String, String>,
    pub(super) parents: HashMap<String, String>,
    pub(super) visited: Vec<Visited>,
    pub(super) places: HashMap<String, usize>,
    /// The intervals of the parts of each index of changes: place, from, until.
    pub(super) intervals: HashMap<String, Vec<(usize, Moment, Option<Moment>)>>,
    pub(super) covers: HashMap<String, Covers>,
    /// The manifests seen so far, by their package: a digest of what they list.
    pub(super) manifests: HashMap<String, Sums>,
    /// Which package each published manifest is said to be of.
    contents: HashMap<String, String>,
    over: usize,
    requested: usize,
    start: String,
    /// The documents met on the way up.
    climbed: HashSet<String>,
}

impl Walk {
    /// A walk that begins at that document: any document of a Source.
    pub fn new(start: &str, options: WalkOptions) -> Self {
        let mut walk = Self {
            options,
            queue: VecDeque::new(),
            asked: HashSet::new(),
            aliases: HashMap::new(),
            parents: HashMap::new(),
            visited: Vec::new(),
            places: HashMap::new(),
            intervals: HashMap::new(),
            covers: HashMap::new(),
            manifests: HashMap::new(),
            contents: HashMap::new(),
            over: 0,
            requested: 0,
            start: start.to_owned(),
            climbed: HashSet::new(),
        };
        let start = (walk.options.resolve)(start, start).unwrap_or_else(|| start.to_owned());
        walk.start.clone_from(&start);
        walk.ask(start, false, Role::Start);
        walk
    }

    /// The next document that is wanted; none at the end.
    pub fn next_request(&mut self) -> Option<Request> {
        if self.queue.is_empty() && !self.visited.is_empty() && !self.is_placed(&self.start) {
            let start = self.start.clone();
            self.ask(start, false, Role::Stray);
        }
        self.queue.pop_front()
    }

    /// How many documents were seen, and how many are known to be left.
    pub fn progress(&self) -> (usize, usize) {
        (self.visited.len(), self.queue.len())
    }

    pub(super) fn ask(&mut self, url: String, package: bool, role: Role) {
        self.ask_for(Request { url, package, told: Metadata::default(), role });
    }

    fn ask_for(&mut self, request: Request) {
        let url = &request.url;
        if self.asked.contains(url) {
            return;
        }
        if self.requested >= self.options.documents {
            self.over += 1;
            return;
        }
        self.requested += 1;
        self.asked.insert(url.clone());
        self.queue.push_back(request);
    }

    /// The document could not be had.
    pub fn missing(&mut self, request: &Request, reason: &str) {
        let detail = match &request.role {
            Role::Start | Role::Top | Role::Stray => format!("{}: {reason}", request.url),
            Role::Climb { child } => {
                // What is below can still be looked at.
                let child = child.clone();
                self.asked.remove(&child);
                self.ask(child.clone(), false, Role::Top);
                format!("the link up of {child}: {reason}")
            }
            Role::Up { child, .. } => format!("the link up of {child}: {reason}"),
            Role::Child { parent, .. } => format!("listed in {parent}: {reason}"),
            Role::Manifest { parent, .. } => format!("of the dump {parent}: {reason}"),
        };
        self.empty(&request.url, request, rule::source::UNREACHABLE, detail);
    }

    /// The package was had, but there is no manifest in it that could be read.
    pub fn unusable(&mut self, request: &Request, reason: &str) {
        self.empty(&request.url, request, rule::source::PACKAGE, reason.to_owned());
    }

    fn empty(&mut self, url: &str, request: &Request, rule: &'static Rule, detail: String) {
        let mut findings = Findings::default();
        findings.push(whole(rule, detail));
        let report = Report { head: None, entries: 0, bytes: 0, complete: false, findings };
        self.keep(url, request, report);
    }

    /// Checks the document that was had, under the URL that it was had from in the end, and with the
    /// charset that came with it.
    pub fn visit(
        &mut self,
        request: &Request,
        url: &str,
        charset: Option<String>,
        input: impl Read,
    ) -> io::Result<()> {
        if url != request.url {
            self.aliases.insert(request.url.clone(), url.to_owned());
            self.asked.insert(url.to_owned());
        }
        let mut options =
            CheckOptions { url: Some(request.url.clone()), ..self.options.check.clone() };
        options.read.charset = charset;
        let mut gathered = Gathered::default();
        let mut report = check_each(input, &options, |head, entry| gathered.take(head, entry))?;
        let Some(head) = report.head.clone() else {
            self.keep(url, request, report);
            return Ok(());
        };
        if matches!(request.role, Role::Start | Role::Climb { .. })
            && self.climb(request, url, &head)
        {
            return Ok(());
        }
        // In its index a Source Description need not be at the well-known place.
        if matches!(request.role, Role::Child { .. }) {
            report.findings.forget(rule::ifcc::DESCRIPTION_PLACE);
        }
        let mut hits = Vec::new();
        let capability = head.capability();
        match &request.role {
            Role::Child { parent, expected, said } => {
                self.parents.insert(url.to_owned(), parent.clone());
                self.parents.insert(request.url.clone(), parent.clone());
                self.child(url, parent, *expected, said, &head, &mut hits);
            }
            Role::Up { child, expected } => {
                let index = head.form == Form::Index && *expected == Capability::Description;
                let lists =
                    index || gathered.children.iter().any(|one| self.same(url, &one.loc, child));
                if capability != Some(*expected) {
                    hits.push((
                        rule::source::UP_WRONG,
                        format!("{child} links up to it, but it is a {}", head.title()),
                    ));
                } else if !lists && !self.is_part_below(&gathered, url, child) {
                    hits.push((
                        rule::source::UP_WRONG,
                        format!("{child} links up to it, but is not listed in it"),
                    ));
                }
            }
            Role::Manifest { parent, package } => {
                self.manifest(parent, package, &head, &gathered.cover, &mut hits);
            }
            Role::Stray => {
                let detail = "nothing below the document that it links up to leads to it".into();
                hits.push((rule::source::UP_WRONG, detail));
            }
            Role::Start | Role::Climb { .. } | Role::Top => {}
        }
        self.up(request, url, &head, &mut hits);
        if let Some(capability) = capability {
            let before = self.queue.len();
            self.descend(request, url, capability, &head, gathered, &mut hits);
            // What is below comes next, so that the documents are met in the order of the tree.
            let added = self.queue.len() - before;
            self.queue.rotate_right(added);
        }
        for (rule, detail) in hits {
            report.findings.push(whole(rule, detail));
        }
        self.keep(url, request, report);
        Ok(())
    }

    /// Checks the manifest of a package.
    pub fn package(&mut self, request: &Request, manifest: impl Read) -> io::Result<()> {
        let url = request.url.clone();
        self.visit(request, &url, None, manifest)
    }

    /// The package that was checked last is not the one that its dump tells of.
    pub fn other_package(&mut self, request: &Request, reason: &str) {
        if let Some(place) = self.places.get(&request.url) {
            let finding = whole(rule::source::PACKAGE_DIFFERS, reason.to_owned());
            self.visited[*place].report.findings.push(finding);
        }
    }

    /// Something is wrong with a file in the package that was checked last: that of the entry of its
    /// manifest with this number, counted from 1.
    pub fn bitstream(
        &mut self,
        request: &Request,
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
    pub fn finish(mut self) -> Vec<Visited> {
        self.gaps();
        self.coverage();
        if let (Some(first), over @ 1..) = (self.visited.first_mut(), self.over) {
            let detail = format!("{over} more documents were not looked at");
            first.report.findings.push(whole(rule::source::BUDGET, detail));
        }
        self.visited
    }

    fn keep(&mut self, url: &str, request: &Request, report: Report) {
        let parent = match &request.role {
            Role::Child { parent, .. } | Role::Manifest { parent, .. } => Some(parent),
            _ => None,
        };
        let depth = parent
            .and_then(|parent| self.places.get(parent))
            .map_or(0, |place| self.visited[*place].depth + 1);
        self.places.insert(url.to_owned(), self.visited.len());
        self.places.insert(request.url.clone(), self.visited.len());
        self.visited.push(Visited { url: request.url.clone(), report, depth });
    }

    /// True if the document was seen, under that URL or the one that it leads to.
    fn is_placed(&self, url: &str) -> bool {
        let alias = self.aliases.get(url);
        self.places.contains_key(url) || alias.is_some_and(|alias| self.places.contains_key(alias))
    }

    /// Goes up from the document that the caller named, if there is a way: the walk begins at the
    /// top, and meets this one again from above. False at the top.
    fn climb(&mut self, request: &Request, url: &str, head: &Head<'static>) -> bool {
        let way = match head.capability() {
            None => None,
            Some(Capability::Description) => head.link("index"),
            Some(_) => head.link("up"),
        };
        let target = way.and_then(|link| (self.options.resolve)(url, &link.href));
        self.climbed.insert(request.url.clone());
        let fresh = |target: &String| !self.climbed.contains(target);
        let lower = self.climbed.len() < MOST_LEVELS;
        let Some(target) = target.filter(|target| lower && fresh(target)) else {
            return false;
        };
        self.asked.remove(&request.url);
        self.asked.remove(url);
        self.requested -= 1;
        self.ask(target, false, Role::Climb { child: request.url.clone() });
        true
    }

    pub(super) fn same(&self, base: &str, reference: &str, url: &str) -> bool {
        let Some(resolved) = (self.options.resolve)(base, reference) else { return false };
        let alias = |url: &str| self.aliases.get(url).cloned().unwrap_or_else(|| url.to_owned());
        resolved == url || alias(&resolved) == alias(url)
    }

    fn is_part_below(&self, gathered: &Gathered, url: &str, child: &str) -> bool {
        // A part's link up skips the index: the index has to be listed.
        let index = self.parents.get(child);
        index.is_some_and(|index| {
            gathered.children.iter().any(|one| self.same(url, &one.loc, index))
        })
    }

    /// Asks for the documents that this one lists.
    fn descend(
        &mut self,
        request: &Request,
        url: &str,
        capability: Capability,
        head: &Head<'static>,
        gathered: Gathered,
        hits: &mut Hits,
    ) {
        let part = head.form == Form::Index;
        let above = match &request.role {
            Role::Child { said, .. } => said.set.clone(),
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
        for (order, Child { loc, metadata, describes, contents }) in
            gathered.children.into_iter().enumerate()
        {
            let expected = match capability {
                _ if part => Some(capability),
                Capability::Description => Some(Capability::CapabilityList),
                Capability::CapabilityList => metadata.capability,
                Capability::ResourceListArchive => Some(Capability::ResourceList),
                Capability::ResourceDumpArchive => Some(Capability::ResourceDump),
                Capability::ChangeListArchive => Some(Capability::ChangeList),
                Capability::ChangeDumpArchive => Some(Capability::ChangeDump),
                Capability::ResourceDump | Capability::ChangeDump => {
                    let contents = contents.as_deref();
                    self.packages(url, request, &loc, metadata, contents, hits);
                    continue;
                }
                _ => return,
            };
            // Notification channels are hubs to subscribe to, not documents to read.
            if matches!(
                expected,
                Some(Capability::ChangeNotification | Capability::FrameworkNotification)
            ) {
                continue;
            }
            let Some(target) = (self.options.resolve)(url, &loc) else { continue };
            if self.is_above(&target, url) {
                hits.push((
                    rule::source::LOOP,
                    format!("it lists {loc}, which is the document itself or one above it"),
                ));
                continue;
            }
            let said = Said { part, order, metadata, describes, set: set.clone() };
            self.ask(
                target,
                false,
                Role::Child { parent: request.url.clone(), expected, said: Box::new(said) },
            );
        }
    }

    fn packages(
        &mut self,
        url: &str,
        request: &Request,
        loc: &str,
        told: Metadata<'static>,
        contents: Option<&str>,
        hits: &mut Hits,
    ) {
        let Some(package) = (self.options.resolve)(url, loc) else { return };
        let role = Role::Manifest { parent: request.url.clone(), package: package.clone() };
        if let Some(manifest) = contents.and_then(|contents| (self.options.resolve)(url, contents))
        {
            match self.contents.insert(manifest.clone(), package.clone()) {
                Some(other) if other != package => {
                    let detail =
                        format!("{manifest} cannot be the manifest of {other} and of {package}");
                    hits.push((rule::source::CONTENTS, detail));
                }
                _ => self.ask(manifest, false, role.clone()),
            }
        }
        self.ask_for(Request { url: package, package: true, told, role });
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
