//! Where documents come from: files, standard input, URLs, folders that stand for URLs.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tidings_web::{Client, ClientOptions, GetOptions, charset};
use tokio::runtime::Runtime;
use url::Url;

/// A document's bytes, ready to be read.
pub(super) struct Opened {
    pub(super) input: Input,
    /// Its URL in the end, after redirects; none for files and standard input.
    pub(super) url: Option<String>,
    /// The charset that came with it.
    pub(super) charset: Option<String>,
}

/// Bytes to be read from the first to the last or, where their origin allows, from any place.
pub(super) enum Input {
    Stream(Box<dyn BufRead>),
    Seekable(Box<dyn BufReadSeek>),
}

/// Bytes that can be read from any place.
pub(super) trait BufReadSeek: BufRead + Seek {}
impl<T: BufRead + Seek> BufReadSeek for T {}

impl Input {
    pub(super) fn into_stream(self) -> Box<dyn BufRead> {
        match self {
            Self::Stream(input) => input,
            Self::Seekable(input) => input,
        }
    }
}

/// The largest package that is fetched to look at its manifest.
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
            let input = Input::Stream(Box::new(BufReader::new(io::stdin())));
            return Ok(Opened { input, url: None, charset: None });
        }
        match web_url(target) {
            Some(url) => self.fetch(&url, &url, false),
            None => {
                let file = open_file(Path::new(target))?;
                Ok(Opened { input: file, url: None, charset: None })
            }
        }
    }

    /// Fetches a URL that was found on the way from `start`.
    pub(super) fn fetch(&self, url: &Url, start: &Url, package: bool) -> Result<Opened> {
        for (base, folder) in &self.maps {
            if let Some(path) = below(base, url) {
                let file = open_file(&folder.join(path))?;
                return Ok(Opened { input: file, url: Some(url.to_string()), charset: None });
            }
        }
        let client = if package { &self.packages } else { &self.documents };
        let fetched = self.runtime.block_on(client.get(url, &GetOptions::trusting(start)))?;
        let charset = fetched.content_type.as_deref().and_then(charset);
        let url = Some(fetched.url.to_string());
        Ok(Opened { input: Input::Seekable(Box::new(fetched.body.into_reader())), url, charset })
    }
}

/// The URL of a target that is one.
pub(super) fn web_url(target: &str) -> Option<Url> {
    Url::parse(target).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

fn open_file(path: &Path) -> Result<Input> {
    let file = File::open(path).with_context(|| format!("could not open {}", path.display()))?;
    if file.metadata()?.is_dir() {
        bail!("{} is a folder; name a document in it, or its URL with --map", path.display());
    }
    Ok(Input::Seekable(Box::new(BufReader::new(file))))
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
