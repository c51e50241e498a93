//! Sites that are published.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use tidings_document::{Change, Form, Reader};
use tidings_source::{
    Options, Outcome, Progress, RestoreError, Restored, publication_folder, publish, restore,
    restore_client,
};
use tidings_web::ClientOptions;

use super::server::Server;

struct Quiet;

impl Progress for Quiet {
    fn expected(&mut self, _: u64, _: u64) {}
    fn looked_at(&mut self, _: u64, _: u64) {}
    fn changed(&mut self, _: Change, _: &str) {}
    fn writing(&mut self, _: &str) {}
}

/// A site that is published and served, and a folder with the same files on another machine.
pub(crate) struct Site {
    pub(crate) live: TempDir,
    pub(crate) built: TempDir,
    pub(crate) server: Server,
    pub(crate) base: String,
    adjust: Box<dyn Fn(&mut Options)>,
}

impl Site {
    pub(crate) fn new(adjust: impl Fn(&mut Options) + 'static) -> Self {
        let (live, built) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let server = Server::new(live.path());
        let base = server.url();
        let site = Self { live, built, server, base, adjust: Box::new(adjust) };
        for number in 0..8 {
            site.write(&format!("a/{number}.html"), &format!("<p>{number}"));
            site.write(&format!("b/{number}.txt"), &format!("{number}"));
        }
        site
    }

    /// A site of which a few publications were made.
    pub(crate) fn published(adjust: impl Fn(&mut Options) + 'static) -> Self {
        let site = Self::new(adjust);
        site.publish_live();
        for round in 0..4 {
            for number in 0..3 {
                site.write(&format!("b/{number}.txt"), &format!("{number} {round}"));
            }
            site.publish_live();
        }
        site
    }

    /// Writes a file of the site, on both machines.
    pub(crate) fn write(&self, name: &str, content: &str) {
        for folder in [&self.live, &self.built] {
            write(folder.path(), name, content);
        }
    }

    pub(crate) fn publish_live(&self) -> Outcome {
        self.publish(self.live.path())
    }

    pub(crate) fn publish(&self, folder: &Path) -> Outcome {
        let mut options = Options::folder(folder, self.base.as_str());
        // So that there is nothing but what the publication names.
        options.retention.superseded = Duration::ZERO;
        (self.adjust)(&mut options);
        publish(&options, &mut publication_folder(folder), &mut Quiet).unwrap()
    }

    pub(crate) async fn restore(&self) -> Result<Restored, RestoreError> {
        self.restore_to(self.built.path()).await
    }

    pub(crate) async fn restore_to(&self, out: &Path) -> Result<Restored, RestoreError> {
        self.restore_from(&self.server.url(), out).await
    }

    pub(crate) async fn restore_from(
        &self,
        from: &str,
        out: &Path,
    ) -> Result<Restored, RestoreError> {
        let options = ClientOptions { allow_private: true, ..ClientOptions::default() };
        let client = restore_client(options).unwrap();
        restore(&client, from, &self.base, out).await
    }

    /// Restores, and expects that this fails and leaves the folder as it was.
    pub(crate) async fn fails(&self) -> String {
        let before = tree(self.built.path());
        let error = self.restore().await.unwrap_err();
        assert_eq!(tree(self.built.path()), before);
        assert!(!self.built.path().join("resourcesync").exists());
        let source = std::error::Error::source(&error);
        format!("{error}{}", source.map(|source| format!(": {source}")).unwrap_or_default())
    }

    /// Expects that both machines have the same publication.
    pub(crate) fn is_restored(&self) {
        let (live, built) = (tree(self.live.path()), tree(self.built.path()));
        assert_eq!(live.keys().collect::<Vec<_>>(), built.keys().collect::<Vec<_>>());
        for (name, bytes) in live {
            assert!(built[&name] == bytes, "{} differs", name.display());
        }
    }

    /// The changes that a folder tells of, the oldest first.
    pub(crate) fn history(&self, folder: &Path, set: &str) -> Vec<(String, String)> {
        let mut changes = Vec::new();
        let mut lists = vec![folder.join(format!("resourcesync/{set}changelist.xml"))];
        while let Some(path) = lists.pop() {
            let mut reader = Reader::new(fs::File::open(path).unwrap());
            let index = reader.head().unwrap().form == Form::Index;
            let mut parts = Vec::new();
            while let Some(entry) = reader.next_entry().unwrap() {
                match index {
                    true => parts.push(folder.join(entry.loc.strip_prefix(&self.base).unwrap())),
                    false => changes.push((
                        entry.loc.to_string(),
                        entry.metadata.datetime.unwrap().to_string(),
                    )),
                }
            }
            lists.extend(parts.into_iter().rev());
        }
        changes
    }
}

pub(crate) fn write(folder: &Path, name: &str, content: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// All files below a folder but the lock, with their bytes.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(one) = folders.pop() {
        for entry in fs::read_dir(one).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("resourcesync/.lock") {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }
    files
}
