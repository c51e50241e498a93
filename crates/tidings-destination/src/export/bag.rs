//! A bag that is being written, beside the place where it goes.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use tidings_base::{parent_of, sync_file_system, sync_folder};
use tidings_document::{Algorithm, Digest};

use super::ExportError;
use super::tag_file::{TagFile, manifest_line};
use super::unfinished::UnfinishedFolder;

const DECLARATION: &str = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";

/// The tag file that says what each file of the payload is: one JSON object to a line.
const RESOURCES: &str = "resources.jsonl";

/// A bag that is being written. Dropped before it is finished, it leaves nothing.
pub(super) struct Bag {
    out: PathBuf,
    staging: UnfinishedFolder,
    manifests: Vec<(Algorithm, TagFile)>,
    algorithms: Vec<Algorithm>,
    resources: TagFile,
    files: u64,
    bytes: u64,
}

/// A file of the payload.
pub(super) struct BagEntry<'a> {
    /// Its path in the bag.
    pub(super) path: &'a str,
    pub(super) uri: &'a str,
    pub(super) media_type: Option<&'a str>,
    pub(super) lastmod: Option<String>,
    pub(super) length: u64,
    /// A digest for each of the bag's algorithms.
    pub(super) digests: &'a [Digest],
}

/// The same, as the tag file has it.
#[derive(Serialize)]
struct ResourceLine<'a> {
    path: &'a str,
    uri: &'a str,
    #[serde(rename = "type")]
    media_type: Option<&'a str>,
    lastmod: Option<&'a str>,
}

impl Bag {
    /// Begins a bag with a payload manifest for each algorithm.
    pub(super) fn create(out: &Path, algorithms: Vec<Algorithm>) -> Result<Self, ExportError> {
        let parent = parent_of(out);
        let name = out.file_name().unwrap_or_default().to_string_lossy();
        let staging = UnfinishedFolder::create(parent, &name)
            .map_err(ExportError::io("could not make a folder in", parent))?;
        let folder = staging.folder.path();
        let failed = |error| ExportError::io("could not write into", folder)(error);
        fs::create_dir(folder.join("data")).map_err(failed)?;
        let manifest = |algorithm: &Algorithm| {
            let name = format!("manifest-{}.txt", plain_name(*algorithm));
            Ok((*algorithm, TagFile::create(folder, name).map_err(failed)?))
        };
        let manifests = algorithms.iter().map(manifest).collect::<Result<_, ExportError>>()?;
        let resources = TagFile::create(folder, RESOURCES.to_owned()).map_err(failed)?;
        let out = out.to_owned();
        Ok(Self { out, manifests, algorithms, resources, staging, files: 0, bytes: 0 })
    }

    /// The folder of the payload.
    pub(super) fn data(&self) -> PathBuf {
        self.staging.folder.path().join("data")
    }

    pub(super) fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }

    pub(super) fn files(&self) -> u64 {
        self.files
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Names a file of the payload in all manifests.
    pub(super) fn add(&mut self, entry: &BagEntry<'_>) -> Result<(), ExportError> {
        let written = self.try_add(entry);
        written.map_err(ExportError::io("could not write into", self.staging.folder.path()))?;
        self.files += 1;
        self.bytes += entry.length;
        Ok(())
    }

    fn try_add(&mut self, entry: &BagEntry<'_>) -> io::Result<()> {
        for (algorithm, manifest) in &mut self.manifests {
            let digest = entry.digests.iter().find(|digest| digest.algorithm() == *algorithm);
            let digest = digest.ok_or_else(|| io::Error::other("a digest is missing"))?;
            manifest.add(&manifest_line(digest, entry.path))?;
        }
        let BagEntry { path, uri, media_type, .. } = *entry;
        let lastmod = entry.lastmod.as_deref();
        let line = serde_json::to_string(&ResourceLine { path, uri, media_type, lastmod })?;
        self.resources.add(&(line + "\n"))
    }

    /// Writes the remaining tag files, and gives the bag its name. The answer is the names of the payload
    /// manifests.
    pub(super) fn finish(self, source: Option<&str>) -> Result<Vec<String>, ExportError> {
        let Self { out, staging, manifests, resources, files, bytes, .. } = self;
        let names = manifests.iter().map(|(_, manifest)| manifest.name().to_owned()).collect();
        let folder = staging.folder.path().to_owned();
        let write = || -> io::Result<()> {
            let mut tags = vec![
                TagFile::write(&folder, "bagit.txt", DECLARATION)?,
                TagFile::write(&folder, "bag-info.txt", &info(files, bytes, source))?,
                resources.finish()?,
            ];
            for (_, manifest) in manifests {
                tags.push(manifest.finish()?);
            }
            tags.sort_unstable_by(|one, other| one.0.cmp(&other.0));
            let lines: String =
                tags.iter().map(|(name, digest)| manifest_line(digest, name)).collect();
            TagFile::write(&folder, "tagmanifest-sha256.txt", &lines)?;
            // All of it is on the disk before it has its name.
            sync_file_system(File::open(&folder)?)
        };
        write().map_err(ExportError::io("could not write into", &folder))?;
        if out.symlink_metadata().is_ok() {
            return Err(ExportError::Exists { path: out });
        }
        fs::rename(&folder, &out).map_err(ExportError::io("could not rename a folder to", &out))?;
        // There is nothing left to remove.
        let _ = staging.folder.keep();
        let parent = parent_of(&out);
        sync_folder(parent).map_err(ExportError::io("could not sync", parent))?;
        Ok(names)
    }
}

fn info(files: u64, bytes: u64, source: Option<&str>) -> String {
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let mut text = format!(
        "Bag-Software-Agent: tidings {}\nBagging-Date: {date}\n",
        env!("CARGO_PKG_VERSION")
    );
    if let Some(source) = source {
        text.push_str(&format!("External-Identifier: {source}\n"));
    }
    text.push_str(&format!("Payload-Oxum: {bytes}.{files}\n"));
    text
}

/// The name of an algorithm in the names of manifests: in lower case, without a hyphen.
fn plain_name(algorithm: Algorithm) -> String {
    algorithm.name().replace('-', "")
}
