//! Which post was made from which file, so that the same file makes it again.
//!
//! Files are known by a hash of where they are, as seen from the webfeed's folder: the folder is served,
//! and nobody is to learn from it what other folders are called.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::{Publisher, Result};

/// The posts that were made from files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sources {
    lines: BTreeMap<String, String>,
}

impl Publisher {
    pub(super) fn sources(&self) -> Sources {
        let text = fs::read_to_string(self.folder.join(Sources::NAME)).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        Sources { lines: lines.map(|(key, line)| (key.to_owned(), line.to_owned())).collect() }
    }

    /// What is to be remembered of them: as far as their posts are listed, and if it is something else than
    /// before.
    pub(super) fn changed_sources(
        &self,
        mut sources: Sources,
        listed: &[String],
    ) -> Option<Sources> {
        sources.lines.retain(|_, line| listed.contains(line));
        (sources != self.sources()).then_some(sources)
    }

    pub(super) fn save_sources(&self, sources: &Sources) -> Result<()> {
        let text: String =
            sources.lines.iter().map(|(key, line)| format!("{key} {line}\n")).collect();
        self.write(Sources::NAME, text).map(drop)
    }

    /// What a file is known by.
    pub(super) fn source_key(&self, source: &Path) -> Option<String> {
        let (source, folder) = (source.canonicalize().ok()?, self.folder.canonicalize().ok()?);
        let path = seen_from(&source, &folder);
        let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
        Some(tidings_base::to_hex(&digest[..16]))
    }
}

impl Sources {
    /// The file that says so: a line with the hash and the line of the post for each.
    pub(super) const NAME: &'static str = ".tidings-posts";

    pub(super) fn line(&self, key: &str) -> Option<&str> {
        self.lines.get(key).map(String::as_str)
    }

    pub(super) fn insert(&mut self, key: String, line: String) {
        self.lines.insert(key, line);
    }
}

/// The way from a folder to a file.
fn seen_from(file: &Path, folder: &Path) -> PathBuf {
    let (mut of_file, mut of_folder) =
        (file.components().peekable(), folder.components().peekable());
    while of_file.peek().is_some() && of_file.peek() == of_folder.peek() {
        of_file.next();
        of_folder.next();
    }
    of_folder.map(|_| Component::ParentDir).chain(of_file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_where_it_is_from_the_folder() {
        for (file, folder, seen) in [
            ("/a/notes/fog.md", "/a/feed", "../notes/fog.md"),
            ("/a/feed/fog.md", "/a/feed", "fog.md"),
            ("/x", "/a/b", "../../x"),
        ] {
            assert_eq!(seen_from(Path::new(file), Path::new(folder)), Path::new(seen));
        }
    }
}
