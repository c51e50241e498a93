//! Where documents come from: files, standard input, URLs, folders that stand for URLs.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::remedy::REMEDIES;
use anyhow::{Context, Result, bail};
use tidings_web::{Client, ClientOptions, GetOptions, charset};
use tokio::runtime::Runtime;
use url::Url;

/// A document's bytes, ready to be read.
pub(super) struct Opened {
    pub(super) input: Box<dyn BufRead>,
    /// Its URL in the end, after redirects; none for files and standard input.
    pub(super) url: Option<String>,
    /// The charset that came with it.
    pub(super) charset: Option<String>,
}

/// The largest package that is fetched.
const LARGEST_PACKAGE: u64 = 8 << 30;

/// Opens targets.
pub(super) struct Origin {
    maps: Vec<(Url, PathBuf)>,
    /// For documents, which are not to be longer than is read of them.
    documents: Client,
    /// For packages, which may be.
    packages: Client,
    runtime: Runtime,
}

impl Origin {
    pub(super) fn new(maps: &[String], allow_private: bool, most_bytes: u64) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let client = |most: u64| {
            Client::new(ClientOptions {
                allow_private,
                remedies: REMEDIES,
                max_body_bytes: Some(most),
                ..ClientOptions::default()
            })
        };
        let maps = maps.iter().map(|map| parse_map(map)).collect::<Result<_>>()?;
        Ok(Self {
            maps,
            documents: client(most_bytes)?,
            packages: client(LARGEST_PACKAGE)?,
            runtime,
        })
    }

    /// Opens a target of the command line. The origin of a URL given there is trusted.
    pub(super) fn open(&self, target: &str) -> Result<Opened> {
        if target == "-" {
            let input = Box::new(BufReader::new(io::stdin()));
            return Ok(Opened { input, url: None, charset: None });
        }
        match web_url(target) {
            Some(url) => self.fetch(&url, &url),
            None => {
                let input = Box::new(BufReader::new(open_file(Path::new(target))?));
                Ok(Opened { input, url: None, charset: None })
            }
        }
    }

    /// Fetches a document that was found on the way from `start`.
    pub(super) fn fetch(&self, url: &Url, start: &Url) -> Result<Opened> {
        if let Some(path) = self.mapped(url) {
            let input = Box::new(BufReader::new(open_file(&path)?));
            return Ok(Opened { input, url: Some(url.to_string()), charset: None });
        }
        let options = GetOptions::trusting(start);
        let fetched = self.runtime.block_on(self.documents.get(url, &options))?;
        let charset = fetched.content_type.as_deref().and_then(charset);
        let url = Some(fetched.url.to_string());
        Ok(Opened { input: Box::new(fetched.body.into_reader()), url, charset })
    }

    /// Fetches a package that was found on the way from `start`, into a file that is gone with it.
    pub(super) fn fetch_package(&self, url: &Url, start: &Url) -> Result<File> {
        if let Some(path) = self.mapped(url) {
            return open_file(&path);
        }
        let options = GetOptions::trusting(start);
        let fetched = self.runtime.block_on(self.packages.get(url, &options))?;
        let mut file = tempfile::tempfile().context("could not make a temporary file")?;
        io::copy(&mut fetched.body.into_reader(), &mut file)
            .with_context(|| format!("could not keep {url} in a temporary file"))?;
        Ok(file)
    }

    /// The file that stands for a URL.
    fn mapped(&self, url: &Url) -> Option<PathBuf> {
        self.maps.iter().find_map(|(base, folder)| Some(folder.join(below(base, url)?)))
    }
}

/// The URL of a target that is one.
pub(super) fn web_url(target: &str) -> Option<Url> {
    Url::parse(target).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

fn open_file(path: &Path) -> Result<File> {
    let file = File::open(path).with_context(|| format!("could not open {}", path.display()))?;
    if file.metadata()?.is_dir() {
        bail!("{} is a folder; name a document in it, or its URL with --map", path.display());
    }
    Ok(file)
}

fn parse_map(map: &str) -> Result<(Url, PathBuf)> {
    let wrong = || format!("--map {map}: give it as https://example.com/=folder");
    let (base, folder) = map.rsplit_once('=').with_context(wrong)?;
    let mut base = web_url(base).with_context(wrong)?;
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    Ok((base, folder.into()))
}

/// The path below `base` that the URL names, percent-encoding undone; none where it is not below it
/// or could lead out of it again.
fn below(base: &Url, url: &Url) -> Option<PathBuf> {
    if base.origin() != url.origin() {
        return None;
    }
    let rest = url.path().strip_prefix(base.path())?;
    tidings_source::path_of(rest)
}
