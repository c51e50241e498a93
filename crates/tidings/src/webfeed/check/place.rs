//! Where the files of a webfeed are had.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use tidings_web::{Client, ClientOptions, FetchError, GetOptions, Url};
use tidings_webfeed::check::Served;
use tokio::runtime::Runtime;

use crate::cli::Global;
use crate::remedy::REMEDIES;

/// How many bytes of anything are read.
pub(super) const MOST_BYTES: u64 = 16 << 20;

pub(super) enum Place {
    /// A folder, and the address that it is served at.
    Folder(PathBuf, Url),
    Web(Box<Web>),
}

/// Who asks for them.
pub(super) struct Web {
    client: Client,
    runtime: Runtime,
    options: GetOptions,
}

/// Something that was had.
pub(super) struct Had {
    pub(super) bytes: Vec<u8>,
    /// How many came over the wire.
    length: u64,
    pub(super) content_type: Option<String>,
    pub(super) url: Url,
}

/// Why something was not had.
pub(super) struct Missing {
    /// In two words.
    pub(super) what: &'static str,
    pub(super) reason: String,
    /// It is there, and more than is read.
    pub(super) is_too_large: bool,
}

impl Web {
    pub(super) fn of(url: &Url, global: &Global) -> Result<Self> {
        let client = Client::new(ClientOptions {
            allow_private: global.allow_private,
            remedies: REMEDIES,
            max_body_bytes: Some(MOST_BYTES),
            ..ClientOptions::default()
        })?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let options = GetOptions { identity: true, ..GetOptions::trusting(url) };
        Ok(Self { client, runtime, options })
    }

    pub(super) fn get(&self, url: &Url) -> Result<Had> {
        let got = self.runtime.block_on(self.client.whole(url, &self.options, MOST_BYTES))?;
        let whole = got.with_context(|| format!("{url} was not sent"))?;
        Ok(Had {
            length: whole.length,
            bytes: whole.bytes,
            content_type: whole.content_type,
            url: whole.url,
        })
    }

    /// What its server says of an index that was had.
    pub(super) fn served(&self, had: &Had, at: &Url) -> Served {
        let head = self.runtime.block_on(self.client.head(at, &self.options));
        Served {
            content_type: had.content_type.clone(),
            head_length: head.as_ref().ok().and_then(|head| head.length),
            head_trouble: head.err().map(|error| match error {
                FetchError::Status { status, .. } => format!("answered with {status}"),
                error => format!("not answered: {error}"),
            }),
            length: had.length,
        }
    }
}

impl Place {
    /// Whether what is at an address can be looked at.
    pub(super) fn has(&self, url: &Url) -> bool {
        match self {
            Self::Folder(_, base) => below(base, url).is_some(),
            Self::Web(_) => true,
        }
    }

    /// What is at an address, by a name that no other folder has for it.
    pub(super) fn name(&self, url: &Url) -> String {
        match self {
            Self::Folder(folder, base) => below(base, url)
                .map_or_else(|| url.to_string(), |path| folder.join(path).display().to_string()),
            Self::Web(_) => url.to_string(),
        }
    }

    /// What is at an address; or why it could not be had.
    pub(super) fn get(&self, url: &Url) -> Result<Had, Missing> {
        match self {
            Self::Folder(folder, base) => {
                let path = below(base, url).unwrap_or_default();
                let is_inside =
                    Path::new(&path).components().all(|part| matches!(part, Component::Normal(_)));
                if !is_inside {
                    let reason = format!("{path} is not in the folder");
                    return Err(Missing { what: "not there", reason, is_too_large: false });
                }
                let bytes = served(folder, &path)
                    .map_err(|error| Missing::file(&folder.join(&path), &error))?;
                let length = bytes.len() as u64;
                let content_type = Some(guessed(&path).to_owned());
                Ok(Had { bytes, length, content_type, url: url.clone() })
            }
            Self::Web(web) => web.get(url).map_err(|error| Missing {
                what: "not there",
                reason: format!("{error:#}"),
                is_too_large: is_too_large(&error),
            }),
        }
    }

    /// A file that a page uses: what has its very name.
    pub(super) fn get_file(&self, url: &Url) -> Result<Had, Missing> {
        if let Self::Folder(folder, base) = self
            && let Some(path) = below(base, url)
            && !folder.join(&path).is_file()
        {
            let path = folder.join(&path);
            let reason = format!("{} is not there", path.display());
            return Err(Missing { what: "not there", reason, is_too_large: false });
        }
        self.get(url)
    }
}

impl Missing {
    /// Nobody is told that a file is not there which only cannot be read.
    pub(super) fn file(path: &Path, error: &io::Error) -> Self {
        let path = path.display();
        if is_absent(error) {
            Self { what: "not there", reason: format!("{path} is not there"), is_too_large: false }
        } else {
            let reason = format!("{path} cannot be read: {error}");
            Self { what: "not readable", reason, is_too_large: false }
        }
    }
}

fn is_too_large(error: &anyhow::Error) -> bool {
    error.chain().any(|it| matches!(it.downcast_ref(), Some(FetchError::TooLarge { .. })))
}

pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The path of what is in the folder that is served at that address.
fn below(base: &Url, url: &Url) -> Option<String> {
    let path = url.path().strip_prefix(base.path()).filter(|_| base.origin() == url.origin())?;
    Some(percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned())
}

/// A file as servers find it: a page without its extension, too, and the page of a folder.
fn served(folder: &Path, path: &str) -> io::Result<Vec<u8>> {
    let file = folder.join(path);
    fs::read(&file).or_else(|error| {
        let other = if file.is_dir() {
            file.join("index.html")
        } else {
            folder.join(format!("{path}.html"))
        };
        fs::read(other).map_err(|_| error)
    })
}

/// As what a server would serve a file of that name.
fn guessed(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()) {
        None => "text/html",
        Some(extension) => match extension.as_str() {
            "html" | "htm" => "text/html",
            "xhtml" => "application/xhtml+xml",
            "txt" => "text/plain",
            "png" => "image/png",
            "jpg" | "jpeg" => "image/jpeg",
            "md" => "text/markdown",
            _ => "application/octet-stream",
        },
    }
}
