//! Proving a copy: all of it is there, none of it is another, nothing is more.
//!
//! What the Source has is its Resource List and what changed since. An audit compares that with what
//! was recorded, and what was recorded with the files: their lengths and times, or with `deep` every
//! byte. It writes nothing.

mod difference;
mod inspect;
mod overlay;

use std::path::PathBuf;
use std::time::Instant;

use tidings_document::{Capability, Entry, Moment};
use tidings_web::{ClientOptions, GetOptions, SourceSet, Url};

use crate::bytes::{DigestCount, Expected};
use crate::choice::{Choice, Chooser};
use crate::documents::Documents;
use crate::increment::is_misdated;
use crate::mapping::{Mapping, Uri};
use crate::moments::instant;
use crate::options::Sets;
use crate::parts::Parts;
use crate::progress::{Progress, Step};
use crate::protocol::{find_audited_source, keep_protocol};
use crate::replica::Replica;
use crate::report::Report;
use crate::same::{Same, same};
use crate::seen::Seen;
use crate::state::{Lookup, State};
use crate::sync::{choose, is_same_site, offer_of};
use crate::{SyncError, SyncOptions};
pub use difference::{AuditReport, Difference, Kind};
use inspect::{Inspector, Suspect};
use overlay::Overlay;

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
        }
    }
}

/// Compares a copy with its Source, and its files with what is known of them.
pub fn audit(
    options: &AuditOptions,
    progress: &mut dyn Progress,
) -> Result<AuditReport, SyncError> {
    let started = Instant::now();
    let no_copy = || SyncError::NoCopy { path: options.folder.clone() };
    let replica = Replica::look(&options.folder).map_err(|_| no_copy())?;
    let mut state = State::open_existing(&replica.private())?.ok_or_else(no_copy)?;
    let mapping = state.mapping(&options.mapping, &options.folder, false)?;
    check_source(&state, options)?;
    let choice = state.setting("choice")?.as_deref().and_then(Choice::of_text).unwrap_or_default();
    let meter = std::sync::Arc::default();
    let client = ClientOptions { tries: 4, meter, ..options.client.clone() };
    let mut documents = Documents::new(&client, GetOptions::trusting(&options.source))?;
    let source = find_audited_source(
        &state,
        &mut documents,
        (&options.source, &options.folder, &options.sets),
    )?;
    let mut audit = Auditor {
        seen: Seen::new(state.last_id()?),
        inspector: Inspector::start(&options.folder, &mapping, options.deep)?,
        state,
        lookup: Lookup::default(),
        chooser: choice.chooser()?,
        prefers: choice.prefer.is_some(),
        report: AuditReport { source: options.source.to_string(), ..AuditReport::default() },
        progress,
        shown: Instant::now(),
        total: 0,
        step: 1,
    };
    audit.total = audit.state.count()?;
    if let Some(sample) = options.sample {
        audit.step = (audit.total / sample.max(1)).max(1);
    }
    for set in choose(&source.sets, &options.sets)? {
        audit.set(&set, &mut documents)?;
    }
    audit.extras()?;
    let mut report = audit.finish();
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
        let replica = Replica::open(&options.folder)?;
        let mut state = State::open(&replica.private())?;
        // What is repaired is the copy as it was made.
        let choice = state.setting("choice")?.as_deref().and_then(Choice::of_text);
        choice.unwrap_or_default().apply(&mut options);
        keep_protocol(&state, &mut options)?;
        state.begin()?;
        for difference in &report.differences {
            state.distrust(&difference.uri)?;
        }
        state.commit()?;
    }
    crate::sync(&options, progress)
}

struct Auditor<'a> {
    state: State,
    lookup: Lookup,
    chooser: Chooser,
    /// True if the copy may have other representations than the Source speaks of.
    prefers: bool,
    seen: Seen,
    inspector: Inspector,
    report: AuditReport,
    progress: &'a mut dyn Progress,
    shown: Instant,
    total: u64,
    /// Every how many-th resource is looked at.
    step: u64,
}

impl Auditor<'_> {
    fn set(&mut self, set: &SourceSet, documents: &mut Documents) -> Result<(), SyncError> {
        self.report.sets.push(set.name.clone());
        let lists: Vec<Url> = set
            .offers
            .iter()
            .filter(|offer| offer.capability == Capability::ResourceList)
            .map(|offer| offer.url.clone())
            .collect();
        if lists.is_empty() {
            let has = set.offers.iter().map(|offer| offer.capability.name().to_owned()).collect();
            let what = "Resource List";
            return Err(SyncError::NotOffered { set: set.name.clone(), what, has });
        }
        let mut parts = Parts::to_look_at(lists, Some(Capability::ResourceList));
        let mut overlay = None;
        while let Some((_, mut document, summary)) = parts.next(documents, |_| false)? {
            if overlay.is_none() {
                let at = parts.earliest_at().into_iter().chain(summary.head.metadata.at).min();
                overlay = Some(self.overlay(set, at, documents)?);
            }
            let Some(overlay) = &overlay else { continue };
            document.each(|entry, base| {
                let Ok(uri) = Uri::resolve(&entry.loc, base) else {
                    self.report.add(Kind::Missing, &entry.loc, "its URI cannot be used");
                    return Ok(());
                };
                match overlay.is_empty() || !overlay.replaces(entry, &uri)? {
                    true => self.entry(entry, &uri),
                    false => Ok(()),
                }
            })?;
        }
        for (url, reason) in &parts.missing {
            self.report.add(Kind::Missing, url, reason);
        }
        if let Some(overlay) = overlay {
            overlay.each(|entry, base| match Uri::resolve(&entry.loc, base) {
                Ok(uri) => self.entry(entry, &uri),
                Err(_) => Ok(()),
            })?;
        }
        Ok(())
    }

    /// What changed since that time.
    fn overlay(
        &mut self,
        set: &SourceSet,
        at: Option<Moment>,
        documents: &mut Documents,
    ) -> Result<Overlay, SyncError> {
        let mut overlay = Overlay::new()?;
        let Some(changes) = offer_of(set, Capability::ChangeList) else { return Ok(overlay) };
        let mut parts = Parts::new([changes.url], Some(Capability::ChangeList));
        let before = |time: Moment| at.is_some_and(|at| time.is_before(at));
        let skip = |part: &crate::parts::Part| part.said.until.is_some_and(before);
        while let Some((_, mut document, _)) = parts.next(documents, skip)? {
            document.each(|entry, base| {
                let is_past = entry.change_time().is_some_and(before);
                let misdated = is_past && is_misdated(entry);
                match Uri::resolve(&entry.loc, base) {
                    Ok(uri) if !is_past || misdated => overlay.put(&uri, entry, base, misdated),
                    _ => Ok(()),
                }
            })?;
        }
        if let Some((url, reason)) = parts.missing.pop() {
            return Err(SyncError::Document { url, reason });
        }
        overlay.finish()?;
        Ok(overlay)
    }

    /// Holds one resource against what is recorded, and that against the file.
    fn entry(&mut self, entry: &Entry<'_>, uri: &Uri<'_>) -> Result<(), SyncError> {
        if !self.chooser.takes(entry, uri) {
            // It is not to be in the copy; if it is all the same, it is not too much.
            if let Some(row) = self.lookup.find(&self.state, uri.as_str())? {
                self.seen.insert(row.id);
            }
            return Ok(());
        }
        self.report.resources += 1;
        self.report.unchecked_digests += DigestCount::of(entry).unchecked;
        if self.shown.elapsed().as_millis() > 200 {
            self.shown = Instant::now();
            let done = self.report.resources;
            let total = self.total;
            self.progress.show(&Step { doing: "auditing", done, total, bytes: 0 });
        }
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
        let verdict = same(entry, row);
        match verdict {
            // Of another representation than the one that is wanted.
            _ if self.prefers => {}
            Same::No => {
                self.report.add(Kind::Changed, uri.as_str(), "the Source has another version");
                return Ok(());
            }
            // It was changed after what the copy knows of it.
            Same::Unknown if entry.metadata.datetime.map(instant) > row.changed => {
                self.report.add(Kind::Changed, uri.as_str(), "the Source has another version");
                return Ok(());
            }
            Same::Yes | Same::Unknown | Same::AskFile => {}
        }
        let suspect = Suspect {
            uri: uri.as_str().to_owned(),
            path: row.path.clone(),
            length: row.length,
            mtime: row.mtime,
            sha256: row.sha256,
            asked: (verdict == Same::AskFile && !self.prefers)
                .then(|| Expected::of(entry.metadata.length, entry.metadata.hash.as_ref())),
        };
        self.inspector.look_at(suspect, &mut self.report);
        Ok(())
    }

    /// What the copy has and the Source has not.
    fn extras(&mut self) -> Result<(), SyncError> {
        let mut last = 0;
        loop {
            let ids = self.state.all_ids_after(last, 10_000)?;
            let Some(end) = ids.last() else { return Ok(()) };
            last = *end;
            for id in ids.into_iter().filter(|id| !self.seen.contains(*id)) {
                if let Some(uri) = self.state.uri_of(id)? {
                    self.report.add(Kind::Extra, &uri, "the Source does not have it");
                }
            }
        }
    }

    fn finish(self) -> AuditReport {
        let Self { inspector, mut report, .. } = self;
        inspector.finish(&mut report);
        report
    }
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
