//! What a run works with: documents come in, what is wanted goes out, and what is brought is put into
//! its place.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tidings_bytes::{ByteStore, FileStamp, FolderStore, STATE_FOLDER};
use tidings_document::Entry;
use tidings_web::{ClientOptions, GetOptions, Pace};
use url::Url;

use crate::bytes::Measured;
use crate::choice::{Choice, Chooser};
use crate::desk::Desk;
use crate::documents::Documents;
use crate::fetch::{Brought, Fetchers, How, Landed, Outcome, Taken};
use crate::mapping::Uri;
use crate::moments::is_open;
use crate::progress::{Progress, ProgressMeter};
use crate::report::Report;
use crate::state::{Record, Row, State, Statement};
use crate::supply::Supply;
use crate::trial_store::TrialStore;
use crate::verified::{OWN_SHA256, union};
use crate::wanted::Wanted;
use crate::{SyncError, SyncOptions};

/// How often each request is tried.
const TRIES: u32 = 4;

/// How long is waited for something before the rest is recorded.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a run works on.
struct Ground {
    files: Box<dyn ByteStore>,
    state: State,
    trial_folder: Option<TempDir>,
}

impl Ground {
    /// The copy in a folder, which is made if it is not there.
    fn of_copy(folder: &Path) -> Result<Self, SyncError> {
        let files = FolderStore::open(folder)?;
        let state = State::open(&files.state_folder())?;
        Ok(Self { files: Box::new(files), state, trial_folder: None })
    }

    /// A trial of it, for a dry run: all that is recorded is taken back, and no file changes. Where there is
    /// no copy yet, none is made.
    fn of_trial(folder: &Path) -> Result<Self, SyncError> {
        let files = Box::new(TrialStore::open(folder)?);
        let (state, trial_folder) = match FolderStore::exists(folder) {
            true => (State::open(&folder.join(STATE_FOLDER))?, None),
            false => {
                let other = tempfile::tempdir()
                    .map_err(SyncError::io("could not make a folder in", &std::env::temp_dir()))?;
                (State::open(other.path())?, Some(other))
            }
        };
        Ok(Self { files, state: state.on_trial()?, trial_folder })
    }
}

/// What a run finds out about the Source, beside its resources.
#[derive(Debug, Default)]
pub(crate) struct SourceFindings {
    /// True if the Source has to be looked for, whatever is known of it.
    pub(crate) must_rediscover: bool,
    /// True if everything has to be compared.
    pub(crate) must_compare_all: bool,
    /// True if something came that is not what the Source said of it.
    pub(crate) has_changed: bool,
    /// True if some of what the Source says could not be fetched: not all of it was looked at.
    pub(crate) is_partial: bool,
    /// True if entries of documents name nothing: what is missing may be of what seems to be gone.
    pub(crate) has_lost_entries: bool,
    /// The number of URIs of entries that cannot be used, and may be meant for resources that the copy has.
    pub(crate) doubtful_uris: u64,
}

/// One run: documents come in, the `supply` fetches what they want, and the `desk` commits what came.
pub(crate) struct Engine<'a> {
    pub(crate) options: &'a SyncOptions,
    pub(crate) desk: Desk,
    pub(crate) documents: Documents,
    pub(crate) supply: Supply,
    pub(crate) report: Report,
    pub(crate) meter: ProgressMeter<'a>,
    pub(crate) source: SourceFindings,
    chooser: Chooser,
    /// The descriptions that were looked at.
    pub(crate) described: HashSet<String>,
    /// A number that no earlier run had.
    pub(crate) run: i64,
    /// The state of a copy that a dry run does not make.
    _trial_folder: Option<TempDir>,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(
        options: &'a SyncOptions,
        progress: &'a mut dyn Progress,
    ) -> Result<Self, SyncError> {
        crate::folder::check_folder_for_sync(&options.folder)?;
        crate::moved::check(options)?;
        let Ground { files, mut state, trial_folder } = match options.dry_run {
            false => Ground::of_copy(&options.folder)?,
            true => Ground::of_trial(&options.folder)?,
        };
        crate::moved::rehome(&mut state, options)?;
        let mapping = state.mapping(&options.mapping, &options.folder, true)?;
        let pace = options.client.pace.clone();
        let pace = pace.unwrap_or_else(|| Arc::new(Pace::new(options.jobs, None)));
        // Of this run alone, whoever has used these options before.
        let meter = Arc::default();
        let client =
            ClientOptions { pace: Some(pace), tries: TRIES, meter, ..options.client.clone() };
        let documents = Documents::new(&client, GetOptions::trusting(&options.source))?;
        let supply = Supply::new(options, client, Arc::clone(&mapping), options.dry_run);
        let run = jiff::Timestamp::now().as_microsecond();
        let mut desk = Desk::new(files, state, mapping, run)?;
        desk.overwrite = options.overwrite;
        Ok(Self {
            options,
            desk,
            documents,
            supply,
            report: Report { dry_run: options.dry_run, ..Report::default() },
            meter: ProgressMeter::new(progress),
            source: SourceFindings::default(),
            chooser: Choice::of(options).chooser()?,
            described: HashSet::new(),
            run,
            _trial_folder: trial_folder,
        })
    }

    /// The URI of an entry of a set, if the resource is to be in the copy. A URI that no copy can have is
    /// owed.
    pub(crate) fn uri_of<'e>(
        &mut self,
        set: i64,
        entry: &'e Entry<'_>,
        base: &Url,
    ) -> Result<Option<Uri<'e>>, SyncError> {
        let uri = match Uri::resolve(&entry.loc, base) {
            Ok(uri) => uri,
            Err(error) => {
                self.refuse_uri(set, entry, &error)?;
                return Ok(None);
            }
        };
        if self.chooser.takes(entry, &uri) {
            self.report.count_digests(entry);
            return Ok(Some(uri));
        }
        self.report.passed += 1;
        Ok(None)
    }

    /// True if only a part of the Source is wanted.
    pub(crate) fn chooses(&self) -> bool {
        self.chooser.is_partial()
    }

    /// True if the resource of an entry is wanted.
    pub(crate) fn takes(&self, entry: &Entry<'_>, base: &Url) -> bool {
        // An entry that cannot be used is told when its package is read.
        Uri::resolve(&entry.loc, base).map_or(true, |uri| self.chooser.takes(entry, &uri))
    }

    /// Has something brought.
    pub(crate) fn want(&mut self, mut wanted: Wanted) -> Result<(), SyncError> {
        if self.turn_away(&wanted)? {
            return Ok(());
        }
        let id = wanted.known.as_ref().map(|known| known.id);
        // A file that is not as it was left is fetched, whatever the server says of the last answer.
        if let Some(id) = id
            && !wanted.expected.is_certain()
            && self.is_in_place(&wanted)
        {
            wanted.validator = self.desk.state.validator(id)?;
        }
        if self.supply.is_forecast() {
            return self.foresee(wanted);
        }
        while self.fetchers()?.outstanding >= self.fetchers()?.depth {
            self.take()?;
        }
        self.fetchers()?.ask(wanted);
        while let Some(outcome) = self.fetchers()?.try_take() {
            self.settle(outcome)?;
        }
        Ok(())
    }

    /// Waits until all that was wanted is in its place, or owed.
    pub(crate) fn drain(&mut self) -> Result<(), SyncError> {
        while self.take()? {}
        self.desk.flush(&mut self.report)?;
        self.desk.state.commit()
    }

    /// The threads that fetch.
    pub(crate) fn fetchers(&mut self) -> Result<&mut Fetchers, SyncError> {
        self.supply.fetchers(self.desk.files.as_ref())
    }

    fn take(&mut self) -> Result<bool, SyncError> {
        let Some(fetchers) = self.supply.running() else { return Ok(false) };
        match fetchers.take_within(PATIENCE)? {
            Taken::Nothing => return Ok(false),
            Taken::Outcome(outcome) => self.settle(*outcome)?,
            // What is there already is put into its place while something slow is waited for.
            Taken::Late => {
                self.desk.flush(&mut self.report)?;
                self.tell("copying");
            }
        }
        Ok(true)
    }

    /// Acts on what came.
    fn settle(&mut self, outcome: Outcome) -> Result<(), SyncError> {
        let Outcome { wanted, brought, bytes } = outcome;
        self.report.bytes += bytes;
        self.meter.done += 1;
        match brought {
            Ok(Brought::File(landed)) => self.put(wanted, landed)?,
            Ok(Brought::Unchanged) => match known_contradiction(&wanted) {
                None => self.confirm(&wanted, false)?,
                Some(_) if wanted.expected.other_set.is_some() => {
                    // The server has what the other set says.
                    let mut wanted = wanted;
                    wanted.forget_statement();
                    self.confirm(&wanted, false)?;
                }
                Some(reason) => self.owe(&wanted, &reason, true)?,
            },
            Ok(Brought::Adopted(measured, stamp, path)) => {
                self.adopt(&wanted, &measured, stamp, &path)?;
            }
            Err(failure) if failure.is_disk => {
                return Err(SyncError::Disk { reason: failure.reason });
            }
            Err(failure) => {
                let has_moved_on = failure.moved_on || failure.missing;
                self.owe(&wanted, &failure.reason, has_moved_on)?;
            }
        }
        self.tell("copying");
        Ok(())
    }

    /// Makes a file that is there a part of the copy.
    pub(crate) fn adopt(
        &mut self,
        wanted: &Wanted,
        measured: &Measured,
        stamp: FileStamp,
        path: &str,
    ) -> Result<(), SyncError> {
        let links = wanted.links_text();
        let mapped = self.desk.path(&wanted.uri, None);
        self.desk.state.begin()?;
        let id = self.desk.state.record(&Record {
            uri: &wanted.uri,
            set: wanted.set,
            path: Some(path).filter(|path| *path != mapped),
            length: measured.length,
            sha256: &measured.sha256,
            mtime: stamp.mtime,
            hash: wanted.other_hash(),
            lastmod: wanted.lastmod,
            lastmod_is_open: is_open(wanted.lastmod, false),
            changed: wanted.changed,
            media_type: wanted.media_type.as_deref(),
            validator: &crate::state::Validator::default(),
            links: links.as_deref(),
        })?;
        self.desk.state.settle(&wanted.uri, wanted.set)?;
        self.desk.note_listed(id, wanted);
        self.desk.tally.count_adoption(id, &mut self.report);
        Ok(())
    }

    /// Remembers what could not be had, unless the copy has what another entry of the same list says: of two
    /// that contradict each other, the server's bytes decide.
    fn owe(&mut self, wanted: &Wanted, reason: &str, has_moved_on: bool) -> Result<(), SyncError> {
        if self.desk.is_listed_otherwise(wanted)? {
            self.report.note_listed_twice(&wanted.uri);
            return Ok(());
        }
        self.source.has_changed |= has_moved_on;
        self.desk.owe(wanted, reason, &mut self.report)
    }

    /// Puts verified bytes into their place, unless they are there.
    pub(crate) fn put(&mut self, mut wanted: Wanted, landed: Landed) -> Result<(), SyncError> {
        let known = wanted.known.as_ref();
        let is_known = known.is_some_and(|known| known.sha256 == landed.measured.sha256);
        let is_of_other_set = wanted.expected.is_of_other_set(&landed.measured);
        if is_of_other_set {
            // What this set says is not of these bytes.
            wanted.forget_statement();
        }
        // Where other bytes are on their way into its place, the later ones count.
        if is_known && self.is_in_place(&wanted) && !self.desk.is_waiting(&wanted.uri) {
            landed.file.discard();
            return self.confirm(&wanted, landed.how == How::Package);
        }
        self.desk.put(wanted, landed, &mut self.report)
    }

    /// The bytes are as they were; what the Source says of them may not be.
    fn confirm(&mut self, wanted: &Wanted, is_from_package: bool) -> Result<(), SyncError> {
        if let Some(known) = &wanted.known {
            self.desk.tally.count_unchanged(known.id, &mut self.report);
            self.desk.note_listed(known.id, wanted);
            self.confirm_row(known, wanted, is_from_package)?;
        }
        Ok(())
    }

    pub(crate) fn confirm_row(
        &mut self,
        known: &Row,
        wanted: &Wanted,
        is_from_package: bool,
    ) -> Result<(), SyncError> {
        let links = wanted.links_text();
        // Where SHA-256 shows that the bytes are the same, no other digest was computed.
        let told = match wanted.expected.sha256() {
            Some(_) => Some(OWN_SHA256),
            None => wanted.other_hash(),
        };
        let hash = union(known.hash.as_deref(), told);
        self.desk.state.begin()?;
        if known.set != wanted.set && !known.gone {
            self.desk.state.share(known.id, [known.set, wanted.set])?;
        }
        let said = Statement {
            set: wanted.set,
            lastmod: wanted.lastmod,
            lastmod_is_open: is_open(wanted.lastmod, is_from_package),
            changed: wanted.changed,
            hash: hash.as_deref(),
            links: links.as_deref(),
        };
        self.desk.state.confirm(known.id, &said)?;
        if self.desk.has_owed {
            self.desk.note_contradicted(wanted, &mut self.report)?;
            self.desk.state.settle(&wanted.uri, wanted.set)?;
        }
        Ok(())
    }

    fn is_in_place(&mut self, wanted: &Wanted) -> bool {
        let Some(known) = &wanted.known else { return false };
        let path = self.desk.path(&wanted.uri, known.path.as_deref());
        let stamp = self.desk.files.stamp(&path);
        stamp.is_some_and(|stamp| stamp.length == known.length && stamp.mtime == known.mtime)
    }

    /// Tells how far it is, now and then.
    pub(crate) fn tell(&mut self, doing: &str) {
        self.meter.report(doing, self.report.bytes + self.documents.bytes);
    }
}

fn known_contradiction(wanted: &Wanted) -> Option<String> {
    wanted.contradiction_with(wanted.known.as_ref()?)
}
