//! The files that posts use, such as pictures, which are copied into the folder with them.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tempfile::NamedTempFile;
use url::Url;

use super::folder::TEMPORARY;
use super::{PublishError, Publisher, Result};
use crate::reference::{Reference, SubresourceKind, in_page, in_sheet, replaced};
use crate::{Picture, css, picture};

/// Names that are taken by the webfeed itself.
const RESERVED: [&str; 3] = ["index.txt", "index.html", "feed.atom"];
/// What posts use. Nothing else is copied: an address in a text that somebody else wrote must not
/// publish a key or a letter.
const EXTENSIONS: [&str; 26] = [
    "apng", "avif", "bmp", "css", "gif", "ico", "jfif", "jpeg", "jpg", "m4a", "m4v", "mp3", "mp4",
    "oga", "ogg", "ogv", "opus", "otf", "pdf", "png", "svg", "ttf", "vtt", "wav", "webm", "webp",
];
const FONTS: [&str; 2] = ["woff", "woff2"];
/// What stands for itself in an address.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');

/// A file that is to be copied.
#[derive(Debug)]
pub(super) struct Attachment {
    /// Its path in the folder, with `/`.
    pub(super) name: String,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// As it is there.
    Copy(PathBuf),
    Bytes(Vec<u8>),
    /// A photograph that was made smaller.
    Smaller(NamedTempFile),
}

/// The files that the posts of one edit use.
#[derive(Debug)]
pub(super) struct Attachments<'p> {
    publisher: &'p Publisher,
    max_pixels: Option<u32>,
    /// The names of those that are known, by where they are.
    names: HashMap<PathBuf, String>,
    pub(super) planned: Vec<Attachment>,
}

/// Whose files are gathered.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    /// What messages call it.
    pub(super) called: &'a str,
    /// The folder that addresses in it are relative to.
    pub(super) folder: &'a Path,
    /// The folder of the page: what is below it keeps its place.
    pub(super) root: &'a Path,
    /// Where in the webfeed's folder it will be.
    pub(super) name: &'a str,
}

impl<'p> Attachments<'p> {
    pub(super) fn new(publisher: &'p Publisher, max_pixels: Option<u32>) -> Self {
        Self { publisher, max_pixels, names: HashMap::new(), planned: Vec::new() }
    }

    /// Gathers the files that a page uses; the page with the addresses that they get.
    pub(super) fn of_page(
        &mut self,
        html: &[u8],
        origin: Origin<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<u8>> {
        let references = in_page(html);
        let is_elsewhere = |base: &String| Url::parse(base).is_ok();
        if references.base.as_ref().is_some_and(is_elsewhere) {
            return Ok(html.to_vec());
        }
        let folder = references.base.map_or_else(
            || origin.folder.to_owned(),
            |base| origin.folder.join(base.trim_end_matches(|letter| letter != '/')),
        );
        self.gathered(html, &references.found, Origin { folder: &folder, ..origin }, warnings)
    }

    fn gathered(
        &mut self,
        text: &[u8],
        found: &[Reference],
        origin: Origin<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<u8>> {
        let mut places = Vec::new();
        for reference in found {
            let Some(path) = local(&reference.address, origin.folder) else { continue };
            let name = self.name(&path, reference, origin, warnings)?;
            let (bare, rest) = split(&reference.address);
            let address = relative(origin.name, &name);
            if percent_encoding::percent_decode_str(bare).decode_utf8_lossy()
                != percent_encoding::percent_decode_str(&address).decode_utf8_lossy()
            {
                places.push((reference, format!("{address}{rest}")));
            }
        }
        Ok(if places.is_empty() { text.to_vec() } else { replaced(text, places) })
    }

    /// The name that a file has in the folder of the webfeed.
    fn name(
        &mut self,
        path: &Path,
        reference: &Reference,
        origin: Origin<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<String> {
        let missing = || PublishError::Missing {
            post: origin.called.to_owned(),
            address: reference.address.clone(),
            path: path.to_owned(),
        };
        let Some(found) = path.canonicalize().ok().filter(|path| path.is_file()) else {
            // A page that was written for this folder names what is in it.
            let own = local(&reference.address, &self.publisher.folder);
            let own =
                own.filter(|path| path.is_file()).and_then(|path| self.publisher.name_in(&path));
            return own.ok_or_else(missing);
        };
        if let Some(name) = self.publisher.name_in(&found) {
            return Ok(name);
        }
        if let Some(name) = self.names.get(&found) {
            return Ok(name.clone());
        }
        if !is_attachable(&found) {
            return Err(PublishError::NotAttachable {
                post: origin.called.to_owned(),
                path: path.to_owned(),
            });
        }
        let below = origin.root.canonicalize().ok();
        let below = below.and_then(|folder| found.strip_prefix(folder).ok().map(Path::to_owned));
        let wanted = below.or_else(|| found.file_name().map(PathBuf::from)).ok_or_else(missing)?;
        let wanted = wanted.to_string_lossy().replace('\\', "/");
        self.names.insert(found.clone(), wanted.clone());
        let content = self.content(&found, reference.kind, &wanted, origin, warnings)?;
        let name = self.free(&wanted, &content)?;
        self.names.insert(found, name.0.clone());
        if name.1 {
            self.planned.push(Attachment { name: name.0.clone(), content });
        }
        Ok(name.0)
    }

    fn content(
        &mut self,
        path: &Path,
        kind: SubresourceKind,
        name: &str,
        origin: Origin<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Content> {
        let trouble = |error| PublishError::Io { path: path.to_owned(), error };
        let bytes = fs::metadata(path).map_err(trouble)?.len();
        let shown = path.display();
        match kind {
            SubresourceKind::StyleSheet if bytes > css::MAX_BYTES => {
                warnings.push(format!(
                    "{shown} has {bytes} bytes, and readers take no style sheet of more than \
                     {}",
                    css::MAX_BYTES
                ));
                Ok(Content::Copy(path.to_owned()))
            }
            SubresourceKind::StyleSheet => {
                let css = fs::read(path).map_err(trouble)?;
                let text = String::from_utf8_lossy(&css).into_owned();
                if text.len() != css.len() {
                    return Ok(Content::Copy(path.to_owned()));
                }
                let found = in_sheet(&text);
                let folder = path.parent().unwrap_or(path);
                let origin = Origin { folder, name, ..origin };
                self.gathered(&css, &found, origin, warnings).map(Content::Bytes)
            }
            SubresourceKind::Picture | SubresourceKind::Icon => {
                if let Some(max_pixels) = self.max_pixels
                    && let Some(smaller) = self.smaller(path, max_pixels)?
                {
                    return Ok(Content::Smaller(smaller));
                }
                if bytes > Picture::MAX_BYTES {
                    warnings.push(format!(
                        "{shown} has {bytes} bytes, and readers show no picture of more than {}: \
                         make it smaller",
                        Picture::MAX_BYTES
                    ));
                }
                Ok(Content::Copy(path.to_owned()))
            }
            SubresourceKind::Other => Ok(Content::Copy(path.to_owned())),
        }
    }

    /// A photograph made smaller; none if it is small enough.
    fn smaller(&self, path: &Path, max_pixels: u32) -> Result<Option<NamedTempFile>> {
        let file = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .tempfile_in(&self.publisher.folder)
            .map_err(|error| self.publisher.trouble("", error))?;
        match picture::resize(path, max_pixels, &mut file.as_file()) {
            Ok(true) => Ok(Some(file)),
            Ok(false) => Ok(None),
            Err(error) => Err(PublishError::Resize { path: path.to_owned(), error }),
        }
    }

    /// A name that nothing else has, and whether the file is still to be written: one of that name may
    /// have the same bytes.
    fn free(&self, wanted: &str, content: &Content) -> Result<(String, bool)> {
        let (stem, extension) = wanted.rsplit_once('.').unwrap_or((wanted, ""));
        let numbered = (2..10_000).map(|number| format!("{stem}-{number}.{extension}"));
        for name in std::iter::once(wanted.to_owned()).chain(numbered) {
            let is_planned = self.planned.iter().any(|one| one.name == name);
            if RESERVED.contains(&name.as_str()) || is_planned {
                continue;
            }
            let path = self.publisher.folder.join(&name);
            if !path.exists() {
                return Ok((name, true));
            }
            let is_same = content
                .open()
                .and_then(|content| is_equal(content, File::open(&path)?))
                .map_err(|error| PublishError::Io { path, error })?;
            if is_same {
                return Ok((name, false));
            }
        }
        Err(PublishError::Name(wanted.to_owned()))
    }
}

impl Attachment {
    /// Its bytes.
    pub(super) fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        self.content.open()
    }
}

impl Content {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match self {
            Self::Copy(path) => Box::new(File::open(path)?),
            Self::Bytes(bytes) => Box::new(&bytes[..]),
            Self::Smaller(file) => Box::new(file.reopen()?),
        })
    }
}

impl Publisher {
    /// The name of a file in the folder, with `/`.
    pub(super) fn name_in(&self, path: &Path) -> Option<String> {
        let (path, folder) = (path.canonicalize().ok()?, self.folder.canonicalize().ok()?);
        let name = path.strip_prefix(folder).ok()?;
        Some(name.to_string_lossy().replace('\\', "/"))
    }

    /// Says which file a page in the folder uses that is not there.
    pub(super) fn has_all(&self, html: &[u8], called: &str, file: &Path) -> Result<()> {
        let references = in_page(html);
        if references.base.is_some() {
            return Ok(());
        }
        let folder = file.parent().unwrap_or(&self.folder);
        for reference in references.found {
            let Some(path) = local(&reference.address, folder) else { continue };
            let is_within = normal(&path).starts_with(normal(&self.folder));
            if is_within && !path.is_file() {
                let (post, address) = (called.to_owned(), reference.address);
                return Err(PublishError::Missing { post, address, path });
            }
        }
        Ok(())
    }
}

/// The file that an address names, if it is one on this computer: an address from the root is one of the
/// server's.
fn local(address: &str, folder: &Path) -> Option<PathBuf> {
    let address = address.trim();
    if address.is_empty() || address.starts_with(['/', '\\', '#', '?']) {
        return None;
    }
    match Url::parse(address) {
        Ok(url) if url.scheme() == "file" => url.to_file_path().ok(),
        Ok(_) => None,
        Err(_) => {
            let (bare, _) = split(address);
            let name = percent_encoding::percent_decode_str(bare).decode_utf8().ok()?;
            Some(normal(&folder.join(&*name)))
        }
    }
}

/// A path without `.` and `..`, as addresses are read.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => _ = normal.pop(),
            part => normal.push(part),
        }
    }
    normal
}

/// An address, and what begins with `?` or `#`.
fn split(address: &str) -> (&str, &str) {
    address.split_at(address.find(['?', '#']).unwrap_or(address.len()))
}

/// The address of a file of the folder, as another one names it.
fn relative(from: &str, to: &str) -> String {
    let up = from.matches('/').count();
    let shared = from
        .split('/')
        .zip(to.split('/'))
        .take(up.min(to.matches('/').count()))
        .take_while(|(one, other)| one == other)
        .count();
    let below: Vec<&str> = to.split('/').skip(shared).collect();
    let encoded = utf8_percent_encode(&below.join("/"), ENCODED).to_string();
    format!("{}{encoded}", "../".repeat(up - shared))
}

fn is_attachable(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    EXTENSIONS.iter().chain(&FONTS).any(|it| *it == extension)
}

fn is_equal(one: impl Read, other: impl Read) -> io::Result<bool> {
    let (mut one, mut other) = (BufReader::new(one).bytes(), BufReader::new(other).bytes());
    loop {
        match (one.next().transpose()?, other.next().transpose()?) {
            (None, None) => return Ok(true),
            (one, other) if one != other => return Ok(false),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_from_one_file_to_another() {
        for (from, to, address) in [
            ("p.html", "a b.png", "a%20b.png"),
            ("p.html", "img/a.png", "img/a.png"),
            ("css/s.css", "img/a.png", "../img/a.png"),
            ("css/s.css", "css/x/a.png", "x/a.png"),
            ("css/a/s.css", "css/b/a.png", "../b/a.png"),
            ("css/s.css", "css", "../css"),
        ] {
            assert_eq!(relative(from, to), address, "{from} to {to}");
        }
    }

    #[test]
    fn only_relative_addresses_are_files() {
        let folder = Path::new("/notes/today");
        for (address, path) in [
            ("a%20b.png?x#y", Some("/notes/today/a b.png")),
            ("./../a.png", Some("/notes/a.png")),
            ("file:///x/a.png", Some("/x/a.png")),
            ("/a.png", None),
            ("//b.example/a.png", None),
            ("https://b.example/a.png", None),
            ("data:image/png,x", None),
            ("#x", None),
        ] {
            assert_eq!(local(address, folder), path.map(PathBuf::from), "{address}");
        }
    }
}
