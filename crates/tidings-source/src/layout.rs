//! Where the documents of a publication lie, below its folder and below its base.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tidings_bytes::{ByteStore, ServedFolder, StagedFile};
use tidings_document::Moment;

use crate::PublishError;
use crate::document_file::{DocumentFile, PlacedFiles};

/// The names of the documents, as files and as URLs: those of the Source, and those of one of its sets.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    files: PlacedFiles,
    /// Where the store is, as people know it.
    place: PathBuf,
    base: String,
    /// The folder of the set below `resourcesync/`, with a slash at its end; empty if the Source is
    /// one set.
    set: String,
}

// Documents of the Source, by their names below the base.
pub(crate) const DESCRIPTION: &str = ".well-known/resourcesync";
/// The folder of the documents, in which the store keeps what is not visible, too.
pub(crate) const OWN: &str = "resourcesync";
pub(crate) const LOCK: &str = "resourcesync/.lock";
pub(crate) const PATCHES: &str = "resourcesync/patches/";
pub(crate) const SITEMAP: &str = "sitemap.xml";
pub(crate) const ROBOTS: &str = "robots.txt";

// Documents of a set, by their names in its folder: see `Layout::own`.
pub(crate) const CAPABILITY_LIST: &str = "capabilitylist.xml";
pub(crate) const RESOURCE_LIST: &str = "resourcelist.xml";
pub(crate) const CHANGE_LIST: &str = "changelist.xml";
pub(crate) const RESOURCE_DUMP: &str = "resourcedump.xml";
pub(crate) const CHANGE_DUMP: &str = "changedump.xml";
pub(crate) const ABOUT: &str = "about.xml";

/// A moment as it stands in names: its digits.
pub(crate) fn stamp(moment: Moment) -> String {
    moment.to_string().chars().filter(char::is_ascii_digit).collect()
}

/// True for the name of a part of a list or dump: `STEM-TIME-NUMBER.xml` or `.zip`, of digits.
pub(crate) fn is_part(name: &str, stem: &str) -> bool {
    let part = name.strip_prefix(stem).and_then(|rest| rest.strip_prefix('-'));
    let part = part.and_then(|rest| rest.strip_suffix(".xml").or(rest.strip_suffix(".zip")));
    part.and_then(|part| part.split_once('-')).is_some_and(|(time, number)| {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        time.len() == 17 && number.len() >= 5 && digits(time) && digits(number)
    })
}

/// True for the name of a Change List under an index: `changelist-TIME.xml` while it is open, then
/// `changelist-TIME-TIME.xml`.
pub(crate) fn is_change_list(name: &str) -> bool {
    let times = name.strip_prefix("changelist-").and_then(|rest| rest.strip_suffix(".xml"));
    let is_time = |time: &str| time.len() == 17 && time.bytes().all(|byte| byte.is_ascii_digit());
    times.is_some_and(|times| times.splitn(2, '-').all(is_time))
}

/// True for the name of a part of a document that lists packages.
pub(crate) fn is_dump_part(name: &str) -> bool {
    let stems = ["resourcedump-part-", "changedump-part-"];
    name.ends_with(".xml") && stems.iter().any(|stem| name.starts_with(stem))
}

/// The store of a publication in a folder, which usually is the one whose files are published.
#[must_use]
pub fn publication_folder(folder: &Path) -> ServedFolder {
    ServedFolder::new(folder, OWN)
}

impl Layout {
    /// The layout of a publication in a store under that base, which gets a slash at its end.
    pub(crate) fn new(store: &dyn ByteStore, base: &str) -> Result<Self, PublishError> {
        let wrong = || PublishError::Base { base: base.to_owned() };
        let rest =
            base.strip_prefix("https://").or(base.strip_prefix("http://")).ok_or_else(wrong)?;
        let host = rest.split('/').next().unwrap_or_default();
        let plain =
            base.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"?#\\^`{|}".contains(&byte));
        if host.is_empty() || !plain {
            return Err(wrong());
        }
        let base = if base.ends_with('/') { base.to_owned() } else { format!("{base}/") };
        let files = PlacedFiles::new(store.reader()?);
        Ok(Self { files, place: store.location(""), base, set: String::new() })
    }

    /// The layout of a publication in a folder.
    pub(crate) fn of_folder(folder: &Path, base: &str) -> Result<Self, PublishError> {
        Self::new(&publication_folder(folder), base)
    }

    /// The layout of one set of this Source; of the only one if it has no name.
    pub(crate) fn of_set(&self, name: Option<&str>) -> Self {
        let set = name.map(|name| format!("{name}/")).unwrap_or_default();
        Self { set, ..self.clone() }
    }

    /// The same layout, in which these documents are in their places already.
    pub(crate) fn with_planned(&self, planned: HashMap<String, StagedFile>) -> Self {
        Self { files: self.files.with_planned(planned), ..self.clone() }
    }

    /// The name of a document of the set, below the base.
    pub(crate) fn own(&self, document: &str) -> String {
        format!("resourcesync/{}{document}", self.set)
    }

    /// The place of a document of the set, as people know it.
    pub(crate) fn own_path(&self, document: &str) -> PathBuf {
        self.path(&self.own(document))
    }

    /// A document of the set, in its place.
    pub(crate) fn own_document(&self, document: &str) -> DocumentFile {
        self.document(&self.own(document))
    }

    /// True if the set has that document.
    pub(crate) fn has_own(&self, document: &str) -> bool {
        self.has(&self.own(document))
    }

    /// The URL of a document of the set.
    pub(crate) fn own_url(&self, document: &str) -> String {
        self.url(&self.own(document))
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Where the store is, as people know it.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    /// The place of a document, as people know it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.join(name)
    }

    /// A document in its place.
    pub(crate) fn document(&self, name: &str) -> DocumentFile {
        DocumentFile::placed(&self.files, name, self.path(name))
    }

    /// True if something is in the place of a document.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.files.exists(name)
    }

    /// The files that are in their places.
    pub(crate) fn files(&self) -> &PlacedFiles {
        &self.files
    }

    /// The URL of a document.
    pub(crate) fn url(&self, name: &str) -> String {
        format!("{}{name}", self.base)
    }

    /// The name of the document that has that URL; none where it is not of this publication.
    pub(crate) fn name<'u>(&self, url: &'u str) -> Option<&'u str> {
        let name = url.strip_prefix(&self.base)?;
        let inside = !name.is_empty()
            && !name.split('/').any(|part| part.is_empty() || part == "." || part == "..");
        inside.then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_an_absolute_url() {
        for base in ["https://e.example", "http://127.0.0.1:8080/a/", "https://e.example/a%20b"] {
            assert!(
                Layout::of_folder(Path::new("."), base).unwrap().base().ends_with('/'),
                "{base}"
            );
        }
        for base in [
            "e.example",
            "",
            "https://",
            "ftp://e.example/",
            "https://e.example/?q",
            "https://e.example/ü",
        ] {
            assert!(Layout::of_folder(Path::new("."), base).is_err(), "{base}");
        }
    }

    #[test]
    fn only_documents_of_its_own_have_a_name() {
        let layout = Layout::of_folder(Path::new("."), "https://e.example/a").unwrap();
        assert_eq!(layout.name("https://e.example/a/b/c.xml"), Some("b/c.xml"));
        for url in [
            "https://e.example/b",
            "https://e.example/a/../b",
            "https://e.example/a/",
            "http://e.example/a/b",
        ] {
            assert_eq!(layout.name(url), None, "{url}");
        }
    }
}
