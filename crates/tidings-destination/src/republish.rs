//! Making a copy a Source of its own (section 14.8).

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tidings_document::{Digest, Hash, Link};
use tidings_source::{
    Format, Inventory, MaxDelete, Options, Outcome, Passed, Progress, encoded, publish,
};

use crate::SyncError;
use crate::links;
use crate::mapping::{Mapping, Uri};
use crate::moments::moment;
use crate::replica::{PRIVATE, Replica};
use crate::state::{Published, State};

/// How a copy is republished.
#[derive(Debug, Clone)]
pub struct RepublishOptions {
    /// Where the copy is; the documents go there, too.
    pub folder: PathBuf,
    /// The URL under which the folder is served.
    pub base: String,
    /// Which path each URI has: none means as it was copied.
    pub mapping: Mapping,
    /// Find out what would be done, and do nothing.
    pub dry_run: bool,
}

/// Publishes what the copy has: its own URIs and times, and for each resource a `via` link to the
/// original with what the Source said of it. What changed in the copy since is a change of this Source.
pub fn republish(
    options: &RepublishOptions,
    progress: &mut dyn Progress,
) -> Result<Outcome, SyncError> {
    let private = options.folder.join(PRIVATE);
    let no_copy = || SyncError::NoCopy { path: options.folder.clone() };
    let mut state = State::open_existing(&private)?.ok_or_else(no_copy)?;
    // What is published is not to change meanwhile.
    let mut replica = Replica::open(&options.folder)?;
    let mapping = state.mapping(&options.mapping, &options.folder, false)?;
    let base = match options.base.ends_with('/') {
        true => options.base.clone(),
        false => format!("{}/", options.base),
    };
    let mut records = tempfile::NamedTempFile::new_in(&private)
        .map_err(SyncError::io("could not write into", &private))?;
    let path = records.path().to_owned();
    let mut passed = Vec::new();
    let mut take = |row: &Published| {
        let file = file_of(row, &mapping);
        let is_there = replica.stamp(&file).is_some_and(|stamp| stamp.length == row.length);
        if !is_there {
            let reason = "its file is not as it was copied; sync --baseline brings it".to_owned();
            passed.push(Passed { path: file.clone().into(), reason });
        }
        is_there.then_some(file)
    };
    write_records(&state, &base, records.as_file_mut(), &path, &mut take)?;
    let mut publication = Options::folder(&options.folder, &base);
    publication.inventory = Inventory::Records(Some(path), Format::JsonLines);
    publication.dry_run = options.dry_run;
    // What went was asked about when the copy was made; but a copy of nothing is none.
    publication.max_delete = MaxDelete::Percent(100.0);
    let mut outcome = publish(&publication, progress)?;
    outcome.passed.extend(passed);
    Ok(outcome)
}

/// One resource, as records are written down.
#[derive(Serialize)]
struct Line<'a> {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lastmod: Option<String>,
    length: u64,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    media_type: Option<&'a str>,
    hash: String,
    links: serde_json::Value,
}

fn write_records(
    state: &State,
    base: &str,
    out: &mut std::fs::File,
    path: &Path,
    take: &mut dyn FnMut(&Published) -> Option<String>,
) -> Result<(), SyncError> {
    let failed = |error: std::io::Error| SyncError::io("could not write", path)(error);
    let mut out = BufWriter::new(out);
    let mut last = String::new();
    loop {
        let rows = state.published_after(&last, 10_000)?;
        let Some(end) = rows.last() else { break };
        last.clone_from(&end.uri);
        for row in &rows {
            let line = take(row).and_then(|file| line(row, &file, base));
            let Some(line) = line else { continue };
            serde_json::to_writer(&mut out, &line).map_err(|error| failed(error.into()))?;
            out.write_all(b"\n").map_err(failed)?;
        }
    }
    out.flush().map_err(failed)
}

/// Where the file of a resource is.
fn file_of(row: &Published, mapping: &Mapping) -> String {
    row.path.clone().unwrap_or_else(|| mapping.path(&Uri::known(&row.uri)))
}

fn line<'r>(row: &'r Published, file: &str, base: &str) -> Option<Line<'r>> {
    let uri = format!("{base}{}", uri_path(file));
    let digest = Digest::new(tidings_document::Algorithm::Sha256, &row.sha256)?;
    let hash = Hash::new(&[digest]);
    let lastmod = row.lastmod.and_then(moment).map(|moment| moment.to_string());
    let kept = links_of(row, &hash);
    let links = serde_json::from_str(&links::to_text(&kept)?).ok()?;
    let (length, media_type) = (row.length, row.media_type.as_deref());
    Some(Line { uri, lastmod, length, media_type, hash: hash.as_str().to_owned(), links })
}

/// The URI's path of a file's.
fn uri_path(path: &str) -> String {
    let segments = Path::new(path).iter().map(encoded);
    segments.collect::<Vec<_>>().join("/")
}

/// What is to be said of its relations: the origin, and what holds of the copy as it does of the
/// original. A `via` that is there already is the origin; the chain is not told.
fn links_of(row: &Published, hash: &Hash<'_>) -> Vec<Link<'static>> {
    let inherited = row.links.as_deref().map(links::of_text).unwrap_or_default();
    let mut kept: Vec<Link<'static>> = inherited.into_iter().filter(still_holds).collect();
    if !kept.iter().any(|link| link.is("via")) {
        let mut via = Link::new("via", row.uri.clone());
        via.modified = row.lastmod.and_then(moment);
        let said = row.hash.clone().unwrap_or_else(|| hash.as_str().to_owned());
        via.hash = Some(Hash::from_attribute(said.into()));
        via.length = Some(row.length);
        via.media_type = row.media_type.clone().map(Into::into);
        kept.push(via);
    }
    kept
}

/// Patches lead from one version of the original to the next, and mementos and their time gates are of
/// the original; the rest speaks of the content, which is the same.
fn still_holds(link: &Link<'static>) -> bool {
    [
        "via",
        "duplicate",
        "describedby",
        "collection",
        "profile",
        "license",
        "author",
        "alternate",
        "canonical",
    ]
    .iter()
    .any(|rel| link.is(rel))
}
