//! Proving a copy: all of it is there, none of it is another, nothing is more.
//!
//! What the Source has is its Resource List and what changed since. An audit compares that with what
//! was recorded, and what was recorded with the files: their lengths and times, or with `deep` every
//! byte; and it looks for files that are no resources. It leaves the files alone, and remembers in the
//! state which of them are damaged.

mod difference;
mod expected;
mod inspect;
mod live;
mod offline;
mod preferred;
mod record;
mod spill;
mod stray;

use std::path::PathBuf;
use std::time::Instant;

use tidings_bytes::FolderStore;
use tidings_document::{Entry, Moment};
use tidings_web::{ClientOptions, GetOptions, SourceSet, Url};

use crate::bytes::{DigestCount, Expected};
use crate::choice::{Choice, Chooser};
use crate::documents::Documents;
use crate::id_set::IdSet;
use crate::mapping::{Mapping, Uri};
use crate::options::Sets;
use crate::plan::Start;
use crate::progress::{Progress, Step};
use crate::protocol::{find_audited_source, keep_protocol};
use crate::report::{Report, SetGap};
use crate::same::{Same, same};
use crate::seen::Seen;
use crate::state::{Lookup, Row, State};
use crate::sync::{choose, is_same_site};
use crate::{SyncError, SyncOptions};
pub use difference::{AuditReport, Depth, Difference, Kind};
use expected::ExpectedState;
use inspect::{Inspector, Suspect};
use live::{LiveCheck, LiveChecks};

/// How many requests an audit makes at once, for estimates.
const JOBS: usize = 16;
pub use offline::recorded_source;

/// What an audit looks at.
#[derive(Debug, Clone)]
pub struct AuditOptions {
    /// Where the Source is.
    pub source: Url,
    /// Where the copy is.
    pub folder: PathBuf,
    /// Which sets.
    pub sets: Sets,
    /// Which path each URI has: none means as it was copied.
    pub mapping: Mapping,
    /// How requests are made.
    pub client: ClientOptions,
    /// Read every byte of the copy.
    pub deep: bool,
    /// Look only at so many resources, spread evenly over all of them.
    pub sample: Option<u64>,
    /// Ask nothing of the Source: hold the files against what was recorded.
    pub offline: bool,
}

impl AuditOptions {
    /// The audit of a copy as it is made with these options.
    #[must_use]
    pub fn of(options: &SyncOptions) -> Self {
        Self {
            source: options.source.clone(),
            folder: options.folder.clone(),
            sets: options.sets.clone(),
            mapping: options.mapping.clone(),
            client: options.client.clone(),
            deep: false,
            sample: None,
            offline: false,
        }
    }
}

/// Compares a copy with its Source, and its files with what is known of them.
pub(crate) fn compare(
    options: &AuditOptions,
    progress: &mut dyn Progress,
) -> Result<AuditReport, SyncError> {
    let started = Instant::now();
    crate::folder::check_folder(&options.folder)?;
    let no_copy = || SyncError::NoCopy { path: options.folder.clone() };
    let mut files = FolderStore::open_read_only(&options.folder).map_err(|_| no_copy())?;
    let mut state = State::open_existing(&files.state_folder())?.ok_or_else(no_copy)?;
    let mapping = state.mapping(&options.mapping, &options.folder, false)?;
    check_source(&state, options)?;
    let choice = state.setting("choice")?.as_deref().and_then(Choice::of_text).unwrap_or_default();
    let meter = std::sync::Arc::default();
    let client = ClientOptions { tries: 4, meter, ..options.client.clone() };
    let mut documents = Documents::new(&client, GetOptions::trusting(&options.source))?;
    let source = match options.offline {
        true => None,
        false => Some(find_audited_source(
            &state,
            &mut documents,
            (&options.source, &options.folder, &options.sets),
        )?),
    };
    let mut audit = Auditor {
        seen: Seen::new(state.last_id()?),
        inspector: Inspector::start(&files, &mapping, options.deep)?,
        state,
        lookup: Lookup::default(),
        chooser: choice.chooser()?,
        prefer: choice.prefer.clone(),
        report: AuditReport::begin(options),
        progress,
        shown: Instant::now(),
        total: 0,
        step: 1,
        live: LiveChecks::new(Documents::new(&client, GetOptions::trusting(&options.source))?),
        set: None,
        audited: matches!(options.sets, Sets::Named(_)).then(Vec::new),
        partial_sets: Vec::new(),
        listed: None,
    };
    audit.total = audit.state.count()?;
    if let Some(sample) = options.sample {
        audit.step = (audit.total / sample.max(1)).max(1);
        audit.report.step = audit.step;
    }
    match source {
        None => audit.offline(&options.sets)?,
        Some(source) => {
            for set in choose(&source.sets, &options.sets)? {
                audit.set(&set, &mut documents)?;
            }
            audit.extras()?;
        }
    }
    // Who looks at some resources only does not look at all files.
    if options.sample.is_none() {
        audit.strays(&mut files, &options.folder, &mapping)?;
    }
    let (mut report, mut state) = audit.finish();
    report.remember_damage(&mut state);
    report.requests = client.meter.load(std::sync::atomic::Ordering::Relaxed);
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// Brings again what an audit found to be missing, changed or corrupt: a run of [`sync`](crate::sync)
/// that takes nothing of what was found for granted.
pub fn repair(
    options: &SyncOptions,
    report: &AuditReport,
    progress: &mut dyn Progress,
) -> Result<Report, SyncError> {
    let mut options = SyncOptions { baseline: true, ..options.clone() };
    {
        let files = FolderStore::open(&options.folder)?;
        let mut state = State::open(&files.state_folder())?;
        // What is repaired is the copy as it was made.
        let choice = state.setting("choice")?.as_deref().and_then(Choice::of_text);
        choice.unwrap_or_default().apply(&mut options);
        keep_protocol(&state, &mut options)?;
        // The audit may not have been able to remember it.
        report.try_remember_damage(&mut state)?;
    }
    crate::sync(&options, progress)
}

struct Auditor<'a> {
    state: State,
    lookup: Lookup,
    chooser: Chooser,
    /// The media type of which the copy has representations, instead of those that the Source speaks of.
    prefer: Option<String>,
    seen: Seen,
    inspector: Inspector,
    report: AuditReport,
    progress: &'a mut dyn Progress,
    shown: Instant,
    total: u64,
    /// Every how many-th resource is looked at.
    step: u64,
    live: LiveChecks,
    /// The set that is audited.
    set: Option<i64>,
    /// The sets that were audited, where only some were asked for.
    audited: Option<Vec<i64>>,
    /// The sets of which the documents do not name everything: what they do not name is not too much.
    partial_sets: Vec<i64>,
    /// While a baseline is read, what it said so far of resources by their digests.
    listed: Option<ListedVersions>,
}

/// What the entries of a baseline say of the versions that the copy has. A resource that is listed more than
/// once is right if one of its entries is of these bytes, as in a sync.
#[derive(Debug, Default)]
struct ListedVersions {
    right: IdSet,
    /// The ids of resources of which an entry is of other bytes.
    changed: Vec<i64>,
}

impl Auditor<'_> {
    fn set(&mut self, set: &SourceSet, documents: &mut Documents) -> Result<(), SyncError> {
        self.report.sets.push(set.name.clone());
        let mut expected = ExpectedState::survey(documents, set, JOBS)?;
        let has_nothing = expected.plan.start == Start::Nothing && expected.plan.changes.is_empty();
        if has_nothing && expected.failures.is_empty() {
            let has = set.offers.iter().map(|offer| offer.capability.name().to_owned()).collect();
            let what = "Resource List";
            return Err(SyncError::NotOffered { set: set.name.clone(), what, has });
        }
        let known = self.state.sets()?.into_iter().find(|known| known.name == set.name);
        self.set = known.as_ref().map(|known| known.id);
        if let Some(audited) = &mut self.audited {
            audited.extend(self.set);
        }
        let overlay = expected.overlay(documents)?;
        let start = expected.plan.start;
        self.listed = Some(ListedVersions::default());
        let at = expected.for_each_listed(documents, |entry, base, at| {
            let Ok(uri) = Uri::resolve(&entry.loc, base) else {
                self.report.add(Kind::Missing, &entry.loc, "its URI cannot be used");
                return Ok(());
            };
            match overlay.is_empty() || !overlay.replaces(&uri, at)? {
                true => self.entry(entry, &uri, base),
                false => Ok(()),
            }
        })?;
        self.tell_changed()?;
        if let Some(gap) = &expected.plan.gap {
            let text = |moment: Moment| moment.to_string();
            self.report.gaps.push(SetGap {
                set: set.name.clone(),
                after: gap.after.map(text),
                before: gap.before.map(text),
                reason: gap.to_string(),
            });
        }
        // Changes alone do not name what the copy has too much; that a run took them in, and not all of
        // them, is then all that tells.
        if start == Start::Nothing && known.is_some_and(|known| known.unsettled_until.is_some()) {
            let reason =
                "the last sync did not lead to a state of the Source, and no Resource List says \
                          what to take back; run sync again"
                    .to_owned();
            self.report.gaps.push(SetGap {
                set: set.name.clone(),
                after: None,
                before: None,
                reason,
            });
        }
        overlay.each(at, |entry, base| match Uri::resolve(&entry.loc, base) {
            Ok(uri) => self.entry(entry, &uri, base),
            Err(_) => Ok(()),
        })?;
        self.live.ask(&mut self.report);
        if !expected.failures.is_empty() || start == Start::Nothing {
            self.partial_sets.extend(self.set);
        }
        for failure in &expected.failures {
            self.report.add(Kind::Missing, &failure.url, &failure.error.to_string());
        }
        Ok(())
    }

    /// Holds one resource against what is recorded, and that against the file.
    fn entry(&mut self, entry: &Entry<'_>, uri: &Uri<'_>, base: &Url) -> Result<(), SyncError> {
        if !self.chooser.takes(entry, uri) {
            // It is not to be in the copy; if it is all the same, it is not too much.
            if let Some(row) = self.lookup.find(&self.state, uri.as_str())? {
                self.seen.insert(row.id);
            }
            return Ok(());
        }
        self.report.resources += 1;
        self.report.note_digests(entry);
        self.report.unchecked_digests += DigestCount::of(entry).unchecked;
        self.show_progress();
        let row = self.lookup.find(&self.state, uri.as_str())?;
        let Some(row) = row else {
            self.report.add(Kind::Missing, uri.as_str(), "it is not in the copy");
            return Ok(());
        };
        self.seen.insert(row.id);
        if !self.report.resources.is_multiple_of(self.step) {
            return Ok(());
        }
        self.report.checked += 1;
        if row.gone {
            self.report.add(Kind::Changed, uri.as_str(), "the copy takes it for deleted");
            return Ok(());
        }
        // Without a digest only equal times of a list say that the bytes are the same: the time of a
        // change may be that of the event, and other times do not say that the bytes are others.
        let verdict = match same(entry, row) {
            Same::Yes if Expected::of(None, entry.metadata.hash.as_ref()).is_certain() => Same::Yes,
            Same::Yes if entry.metadata.change.is_none() => Same::Yes,
            Same::Yes => Same::Unknown,
            Same::No if is_certain(entry, row) => Same::No,
            Same::No => Same::Unknown,
            verdict => verdict,
        };
        let row = row.clone();
        if let Some(link) = self.preferred(entry, base) {
            let own = Expected::of(None, entry.metadata.hash.as_ref());
            let is_own = own.sha256().is_some_and(|sha256| sha256 == row.sha256);
            return self.representation(&link, uri, &row, is_own);
        }
        // Where another set may have another version, the server decides.
        let verdict = match verdict {
            Same::No | Same::AskFile if self.is_in_other_set(&row)? => Same::Unknown,
            verdict => verdict,
        };
        match verdict {
            Same::No if self.listed.is_some() => {
                self.listed.iter_mut().for_each(|listed| listed.changed.push(row.id));
                return Ok(());
            }
            Same::No => {
                self.report.add(Kind::Changed, uri.as_str(), "the Source has another version");
                return Ok(());
            }
            Same::Unknown => {
                self.ask_server(uri, uri.as_str(), &row)?;
            }
            Same::Yes if Expected::of(None, entry.metadata.hash.as_ref()).is_certain() => {
                if let Some(listed) = &mut self.listed {
                    listed.right.insert(row.id);
                }
            }
            Same::Yes | Same::AskFile => {}
        }
        let asked = (verdict == Same::AskFile)
            .then(|| Expected::of(entry.metadata.length, entry.metadata.hash.as_ref()));
        self.look_at_file(uri, row, asked);
        Ok(())
    }

    /// Has the file of a resource looked at.
    fn look_at_file(&mut self, uri: &Uri<'_>, row: Row, asked: Option<Expected>) {
        let (length, mtime, sha256) = (row.length, row.mtime, row.sha256);
        let uri = uri.as_str().to_owned();
        let suspect = Suspect { uri, path: row.path, length, mtime, sha256, asked };
        self.inspector.look_at(suspect, &mut self.report);
    }

    /// Has the server asked whether what is at a URL is what the copy has of a resource.
    fn ask_server(&mut self, uri: &Uri<'_>, url: &str, row: &Row) -> Result<(), SyncError> {
        let validator = self.state.validator(row.id)?;
        let (uri, url, sha256) = (uri.as_str().to_owned(), url.to_owned(), row.sha256);
        self.live.add(LiveCheck { uri, url, sha256, validator }, &mut self.report);
        Ok(())
    }

    /// Tells of the resources of which the baseline has no entry that is of the bytes of the copy.
    fn tell_changed(&mut self) -> Result<(), SyncError> {
        let Some(mut listed) = self.listed.take() else { return Ok(()) };
        listed.changed.dedup();
        for id in listed.changed.into_iter().filter(|id| !listed.right.contains(*id)) {
            if let Some(uri) = self.state.uri_of(id)? {
                self.report.add(Kind::Changed, &uri, "the Source has another version");
            }
        }
        Ok(())
    }

    /// True if another set than the one that is audited has the resource, too.
    fn is_in_other_set(&self, row: &Row) -> Result<bool, SyncError> {
        self.set.map_or(Ok(false), |set| self.state.is_in_other_set(row, set))
    }

    fn show_progress(&mut self) {
        if self.shown.elapsed().as_millis() > 200 {
            self.shown = Instant::now();
            let done = self.report.resources;
            let total = self.total;
            self.progress.show(&Step { doing: "auditing", done, total, bytes: 0 });
        }
    }

    /// What the copy has and the Source has not.
    fn extras(&mut self) -> Result<(), SyncError> {
        let audited = self.audited.take();
        let mut last = 0;
        loop {
            let ids = self.state.all_ids_after(last, 10_000)?;
            let Some(end) = ids.last() else { return Ok(()) };
            last = *end;
            for id in ids.into_iter().filter(|id| !self.seen.contains(*id)) {
                // What only other sets have is theirs.
                if let Some(sets) = &audited
                    && !self.state.is_in_any_set(id, sets)?
                {
                    continue;
                }
                if self.state.is_in_any_set(id, &self.partial_sets)? {
                    continue;
                }
                if let Some(uri) = self.state.uri_of(id)? {
                    self.report.add(Kind::Extra, &uri, "the Source does not have it");
                }
            }
        }
    }

    fn finish(self) -> (AuditReport, State) {
        let Self { inspector, mut report, state, .. } = self;
        inspector.finish(&mut report);
        (report, state)
    }
}

/// True if an entry says something of the bytes themselves by which they can be told from others.
fn is_certain(entry: &Entry<'_>, row: &Row) -> bool {
    entry.metadata.length.is_some_and(|length| length != row.length)
        || Expected::of(None, entry.metadata.hash.as_ref()).is_certain()
}

/// A copy is held against its own Source only.
fn check_source(state: &State, options: &AuditOptions) -> Result<(), SyncError> {
    let url = options.source.to_string();
    match state.setting("source")? {
        Some(of) if !is_same_site(&of, &url) => {
            Err(SyncError::OtherSource { path: options.folder.clone(), of, url })
        }
        _ => Ok(()),
    }
}
