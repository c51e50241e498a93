//! One run: find the Source, see what is new, bring it.

use std::time::{Duration, Instant, SystemTime};

use tidings_web::{Source, SourceSet, Validators};
use url::Url;

use crate::choice::Choice;
use crate::engine::Engine;
use crate::mapping::Uri;
use crate::options::Sets;
use crate::progress::Progress;
use crate::protocol::unread;
use crate::report::Report;
use crate::runs::{keep_failed_sync, keep_sync};
use crate::seen::Seen;
use crate::state::SetRow;
use crate::update::KeptUp;
use crate::wanted::Wanted;
use crate::{SyncError, SyncOptions};

/// After so long, the Source is looked for again even if its documents are as they were: it may have
/// others by now.
const REDISCOVER: Duration = Duration::from_secs(24 * 3600);

/// The setting that remembers the Source Description: its URL and validators.
const DESCRIPTION: &str = "description";

/// Makes the copy in the folder what the Source is, as cheaply as that can be done.
///
/// What could not be had is in the report, and is tried again by the next run. An error means that
/// nothing could be done; what was in the copy before is as it was.
pub fn sync(options: &SyncOptions, progress: &mut dyn Progress) -> Result<Report, SyncError> {
    let started = Instant::now();
    let mut engine = Engine::new(options, progress)?;
    let result = engine.run();
    let mut report = std::mem::take(&mut engine.report);
    if let Err(error) = result {
        keep_failed_sync(&mut engine.desk.state, started, &error);
        return Err(error);
    }
    report.requests = engine.supply.requests();
    report.bytes += engine.documents.bytes;
    report.documents = engine.documents.read;
    // What failed at first may have come after all.
    for failed in std::mem::take(&mut report.failures) {
        if !failed.owed || engine.desk.state.is_owed(&failed.uri)? {
            report.failures.push(failed);
        }
    }
    report.failed += engine.desk.state.owed_count()?;
    report.seconds = started.elapsed().as_secs_f64();
    if report.dry_run {
        // Nothing arrived.
        report.lag = None;
    } else {
        // Where not all of the Source is known, neither is the share of it that the copy has.
        if !engine.source.is_partial && report.gaps.is_empty() {
            report.accuracy = engine.desk.state.accuracy(report.resources)?;
        }
        keep_sync(&mut engine.desk.state, &report)?;
    }
    Ok(report)
}

impl Engine<'_> {
    fn run(&mut self) -> Result<(), SyncError> {
        self.check_source()?;
        self.check_protocol()?;
        self.report.source = self.options.source.to_string();
        if !self.keep_up_all()? {
            let source = self.find_source()?;
            self.report.note(format!("the Source was found by {}", source.found_by));
            let sets = choose(&source.sets, &self.options.sets)?;
            let is_one = sets.len() == 1;
            for set in sets {
                match self.copy_set(&set) {
                    // What is wrong with one set is no reason to go without the others.
                    Err(
                        error @ (SyncError::Document { .. }
                        | SyncError::Unreadable { .. }
                        | SyncError::Fetch(_)),
                    ) if !is_one => {
                        self.report.fail(&set.name, &error.to_string());
                        self.source.is_partial = true;
                    }
                    result => result?,
                }
            }
            self.let_go(&source)?;
            self.desk.state.begin()?;
            // Of a Source that was not found in full, the rest is looked for by each run.
            match unread(&source, &self.options.sets).next() {
                None => self.desk.state.set_setting("discovered", &seconds().to_string())?,
                Some(_) => self.desk.state.forget_setting("discovered")?,
            }
            self.desk.state.set_setting("offered", &source.sets.len().to_string())?;
            self.remember_description(&source)?;
            self.desk.state.commit()?;
        }
        self.retry_owed()?;
        self.repair_damage()?;
        if std::mem::take(&mut self.source.has_changed) {
            // What came was not what was said of it: the Source may have said something else since.
            self.catch_up()?;
        }
        self.remove_gone(&now())?;
        self.remember_choice()
    }

    /// A copy is of one Source: of two, each would remove what the other has.
    fn check_source(&mut self) -> Result<(), SyncError> {
        let url = self.options.source.to_string();
        // Before anything is in it, a copy is of whatever is wanted now.
        let of = self.desk.state.setting("source")?.filter(|_| self.desk.has_copy());
        match of {
            Some(of) if !is_same_site(&of, &url) => {
                let path = self.options.folder.clone();
                return Err(SyncError::OtherSource { path, of, url });
            }
            // Another document of the same site may be of another Source: that is to be seen.
            Some(of) if of != url => self.source.must_rediscover = true,
            _ => {}
        }
        let before = self.desk.state.setting("choice")?;
        let before = before.as_deref().and_then(Choice::of_text);
        if before.as_ref() != Some(&Choice::of(self.options)) && self.desk.has_copy() {
            // What was passed over then may be wanted now. Until all of it was looked at, that is so
            // for every run.
            self.source.must_rediscover = true;
            self.source.must_compare_all = true;
            self.desk.state.forget_setting("choice")?;
        }
        Ok(())
    }

    /// Remembers what the copy is of, once all of it was looked at.
    fn remember_choice(&mut self) -> Result<(), SyncError> {
        if self.source.is_partial {
            return Ok(());
        }
        self.desk.state.set_setting("source", self.options.source.as_str())?;
        self.desk.state.set_setting("choice", &Choice::of(self.options).to_text())
    }

    /// Brings the sets that are known up to date by the documents that are known; false if the Source
    /// has to be looked for.
    fn keep_up_all(&mut self) -> Result<bool, SyncError> {
        let mut sets = self.desk.state.sets()?;
        let discovered = self.desk.state.setting("discovered")?;
        let discovered = discovered.and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
        let is_fresh = seconds().saturating_sub(discovered) < REDISCOVER.as_secs();
        // How many sets the Source had when it was looked for.
        let offered = self.desk.state.setting("offered")?;
        let offered = offered.and_then(|text| text.parse::<usize>().ok()).unwrap_or_default();
        let is_named = |set: &SetRow, name: &String| set.name == *name || set.url == *name;
        let chosen = match &self.options.sets {
            Sets::Only => offered == 1 && sets.len() == 1,
            Sets::All => !sets.is_empty() && sets.len() == offered,
            Sets::Named(names) => {
                names.iter().all(|name| sets.iter().any(|set| is_named(set, name)))
            }
        };
        if let Sets::Named(names) = &self.options.sets {
            sets.retain(|set| names.iter().any(|name| is_named(set, name)));
        }
        if self.options.baseline || self.source.must_rediscover || !is_fresh || !chosen {
            return Ok(false);
        }
        if self.options.sets == Sets::All && !self.has_same_sets()? {
            return Ok(false);
        }
        for set in sets {
            let Some(kept) = self.keep_up(&set)? else { return Ok(false) };
            self.report.sets.push(set.name.clone());
            self.report.ways.push(kept.way(set.name));
        }
        Ok(true)
    }

    /// Remembers how the Source Description is known again: where all sets are wanted, another one may be
    /// there by the next run.
    fn remember_description(&mut self, source: &Source) -> Result<(), SyncError> {
        let description = source.description.as_ref().filter(|_| self.options.sets == Sets::All);
        let validators = description.and_then(|url| {
            let document = self.documents.get(url, Validators::default()).ok()??;
            Some(document.validators)
        });
        let validators = validators.filter(|validators| !validators.is_empty());
        match (description, validators) {
            (Some(url), Some(Validators { etag, last_modified })) => {
                let known = (url.as_str(), etag, last_modified);
                let text = serde_json::to_string(&known).unwrap_or_default();
                self.desk.state.set_setting(DESCRIPTION, &text)
            }
            _ => self.desk.state.forget_setting(DESCRIPTION),
        }
    }

    /// True if the Source Description is as it was when the sets were found. Where that cannot be asked,
    /// the sets are looked for again.
    fn has_same_sets(&mut self) -> Result<bool, SyncError> {
        let known = self.desk.state.setting(DESCRIPTION)?;
        let known: Option<(String, Option<String>, Option<String>)> =
            known.and_then(|text| serde_json::from_str(&text).ok());
        let Some((url, etag, last_modified)) = known else { return Ok(false) };
        let Ok(url) = Url::parse(&url) else { return Ok(false) };
        Ok(matches!(self.documents.get(&url, Validators { etag, last_modified }), Ok(None)))
    }

    /// What only a set had that the Source has no more is gone, if all sets are wanted and all were
    /// found.
    fn let_go(&mut self, source: &Source) -> Result<(), SyncError> {
        let is_whole = unread(source, &self.options.sets).next().is_none() && source.left_out == 0;
        if self.options.sets != Sets::All || !is_whole {
            return Ok(());
        }
        for set in self.desk.state.sets()? {
            if !source.sets.iter().any(|offered| offered.name == set.name) {
                self.report
                    .note(format!("{}: the Source does not have this set any more", set.name));
                let none = Seen::new(self.desk.state.last_id()?);
                self.mark_unseen(&set, &none)?;
                self.desk.state.forget_set(set.id)?;
                self.desk.state.commit()?;
            }
        }
        Ok(())
    }

    /// Asks once more what changed.
    fn catch_up(&mut self) -> Result<(), SyncError> {
        let names = self.report.sets.clone();
        for set in self.desk.state.sets()?.into_iter().filter(|set| names.contains(&set.name)) {
            if self.keep_up(&set)?.is_some_and(|kept| kept != KeptUp::NothingNew) {
                self.report.note(format!("{}: it changed while it was copied", set.name));
            }
        }
        Ok(())
    }

    /// Tries again what could not be had before. What one set has brought may settle what another owes: the
    /// sets are gone through until nothing is left that was not tried since.
    fn retry_owed(&mut self) -> Result<(), SyncError> {
        if !self.desk.has_owed {
            return Ok(());
        }
        let sets = self.desk.state.sets()?.into_iter().map(|set| set.id);
        let sets: Vec<i64> = sets.chain([crate::baseline::DESCRIPTIONS]).collect();
        for _ in 0..sets.len() {
            let mut has_tried = false;
            for set in &sets {
                has_tried |= self.retry_owed_of(*set)?;
            }
            if !has_tried {
                break;
            }
        }
        Ok(())
    }

    /// Tries again what a set owes. True if there was something to try.
    fn retry_owed_of(&mut self, set: i64) -> Result<bool, SyncError> {
        let mut last = String::new();
        loop {
            let owed = self.desk.state.owed_after(set, self.run, &last, 1_000)?;
            let Some(end) = owed.last() else { break };
            last.clone_from(&end.uri);
            for owed in owed {
                let wanted = Wanted::of_text(owed.uri, owed.set, &owed.entry);
                let Some(mut wanted) = wanted else { continue };
                if let Err(error) = Uri::parse(&wanted.uri) {
                    self.retry_uri(&wanted, &error)?;
                    continue;
                }
                let row = self.desk.state.find(&wanted.uri)?;
                self.contest(&mut wanted, row.as_ref())?;
                wanted.known = row;
                self.want(wanted)?;
            }
            self.drain()?;
        }
        Ok(!last.is_empty())
    }
}

/// The sets that are wanted, of those that there are.
pub(crate) fn choose(offered: &[SourceSet], sets: &Sets) -> Result<Vec<SourceSet>, SyncError> {
    let names = || offered.iter().map(|set| set.name.clone()).collect();
    match sets {
        Sets::All => Ok(offered.to_vec()),
        Sets::Only if offered.len() > 1 => Err(SyncError::SeveralSets { sets: names() }),
        Sets::Only => Ok(offered.to_vec()),
        Sets::Named(wanted) => wanted
            .iter()
            .map(|name| {
                let found = offered.iter().find(|set| set.is_called(name)).cloned();
                found.ok_or_else(|| SyncError::NoSuchSet { name: name.clone(), sets: names() })
            })
            .collect(),
    }
}

/// Documents of one origin may be given for each other.
pub(crate) fn is_same_site(one: &str, other: &str) -> bool {
    let origin = |text: &str| Url::parse(text).map(|url| url.origin());
    matches!((origin(one), origin(other)), (Ok(one), Ok(other)) if one == other)
}

fn seconds() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Our own clock, for our own records only.
fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
