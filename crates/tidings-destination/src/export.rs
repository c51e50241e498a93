//! Exports a copy as a BagIt bag (RFC 8493), for those who keep it.

mod bag;
mod error;
mod payload;
mod tag_file;
mod unfinished;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;
use tidings_bytes::{FolderStore, STATE_FOLDER};
use tidings_document::Algorithm;
use url::Url;

use crate::choice::Choice;
use crate::digests::verified_digests;
use crate::mapping::{Mapping, Uri};
use crate::moments::moment;
use crate::progress::{Progress, Step};
use crate::state::{Published, State};
use bag::{Bag, BagEntry};
pub use error::ExportError;
use payload::Payload;

/// How many rows of the state are read at once.
const ROWS_PER_READ: usize = 10_000;

/// How often progress is told.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// How a copy is exported.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// Where the copy is.
    pub folder: PathBuf,
    /// The folder of the bag. It must not exist, and must not be in the copy.
    pub out: PathBuf,
}

/// What was exported.
#[derive(Debug, Clone, Serialize)]
pub struct ExportReport {
    /// The folder of the bag.
    pub out: String,
    /// How many files are in its payload.
    pub files: u64,
    /// How many bytes these have.
    pub bytes: u64,
    /// The names of its payload manifests.
    pub manifests: Vec<String>,
    /// How many resources the copy should have and could not fetch: they are not in the bag.
    pub failed: u64,
    /// How long it took.
    pub seconds: f64,
}

/// Writes a bag of the files that the Source still has, each verified against the digests that were
/// recorded when it came. It appears under its name once all of it is on the disk.
pub fn export_bag(
    options: &ExportOptions,
    progress: &mut dyn Progress,
) -> Result<ExportReport, ExportError> {
    let started = Instant::now();
    let private = options.folder.join(STATE_FOLDER);
    let no_copy = || crate::SyncError::NoCopy { path: options.folder.clone() };
    let mut state = State::open_existing(&private)?.ok_or_else(no_copy)?;
    error::check_target(&options.out, &options.folder)?;
    // The copy is not to change meanwhile.
    let files = FolderStore::open(&options.folder).map_err(crate::SyncError::from)?;
    let mapping = state.mapping(&Mapping::new(), &options.folder, false)?;
    let choice = state.setting("choice")?.as_deref().and_then(Choice::of_text).unwrap_or_default();
    let prefers = choice.prefer.is_some();
    let (total, algorithms) = survey(&state, prefers)?;
    let bag = Bag::create(&options.out, algorithms)?;
    let payload = Payload::new(Box::new(files), &options.folder, bag.data());
    let mut export = Export { bag, payload, mapping: &mapping, prefers };
    let mut shown = Instant::now();
    each_row(&state, |row| {
        export.add(row)?;
        if shown.elapsed() >= PROGRESS_INTERVAL {
            shown = Instant::now();
            let (done, bytes) = (export.bag.files(), export.bag.bytes());
            progress.show(&Step { doing: "exporting", done, total, bytes });
        }
        Ok(())
    })?;
    let source = state.setting("source")?.as_deref().and_then(public_url);
    let failed = state.owed_count()?;
    let (files, bytes) = (export.bag.files(), export.bag.bytes());
    let manifests = export.bag.finish(source.as_deref())?;
    let seconds = started.elapsed().as_secs_f64();
    let out = options.out.display().to_string();
    Ok(ExportReport { out, files, bytes, manifests, failed, seconds })
}

/// An export under way.
struct Export<'a> {
    bag: Bag,
    payload: Payload,
    mapping: &'a Mapping,
    prefers: bool,
}

impl Export<'_> {
    fn add(&mut self, row: &Published) -> Result<(), ExportError> {
        let file = row.path.clone().unwrap_or_else(|| self.mapping.path(&Uri::known(&row.uri)));
        let mut digests = verified_digests(row, self.prefers).unwrap_or_default();
        digests.retain(|digest| self.bag.algorithms().contains(&digest.algorithm()));
        let path = self.payload.copy(row, &file, &digests)?;
        self.bag.add(&BagEntry {
            path: &path,
            uri: &row.uri,
            media_type: row.media_type.as_deref(),
            lastmod: row.lastmod.and_then(moment).map(|moment| moment.to_string()),
            length: row.length,
            digests: &digests,
        })
    }
}

/// How many files there are to export, and the algorithms of which each has a verified digest: SHA-256,
/// and those that the Source gave for all of them.
fn survey(state: &State, prefers: bool) -> Result<(u64, Vec<Algorithm>), ExportError> {
    let mut total = 0;
    let mut common: Option<Vec<Algorithm>> = None;
    each_row(state, |row| {
        total += 1;
        let digests = verified_digests(row, prefers).unwrap_or_default();
        let has =
            |algorithm: &Algorithm| digests.iter().any(|digest| digest.algorithm() == *algorithm);
        match &mut common {
            Some(common) => common.retain(has),
            None => common = Some(digests.iter().map(|digest| digest.algorithm()).collect()),
        }
        Ok(())
    })?;
    Ok((total, common.unwrap_or_else(|| vec![Algorithm::Sha256])))
}

/// Goes over the resources that the copy has and the Source, too, some rows at a time.
fn each_row(
    state: &State,
    mut visit: impl FnMut(&Published) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut last = String::new();
    loop {
        let rows = state.published_after(&last, ROWS_PER_READ)?;
        let Some(end) = rows.last() else { return Ok(()) };
        last.clone_from(&end.uri);
        rows.iter().try_for_each(&mut visit)?;
    }
}

/// A URL without user name and password: a bag is given to others.
fn public_url(text: &str) -> Option<String> {
    let mut url = Url::parse(text).ok()?;
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    Some(url.into())
}
