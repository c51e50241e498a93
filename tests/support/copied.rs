//! A Source that is served, and a copy of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use super::{Nginx, run, stderr, stdout, write_all};

/// A folder that nginx serves and `publish` publishes, under the URL at which it is served.
pub struct Served {
    pub folder: TempDir,
    pub server: Nginx,
    log: PathBuf,
    _logs: TempDir,
}

impl Served {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write_all(folder.path(), files);
        Self::of(folder)
    }

    /// Serves a folder as it is.
    pub fn of(folder: TempDir) -> Self {
        let logs = tempfile::tempdir().unwrap();
        let log = logs.path().join("access.log");
        let server = Nginx::serve(folder.path(), &format!("access_log {};", log.display()));
        Self { folder, server, log, _logs: logs }
    }

    pub fn url(&self) -> String {
        self.server.url()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[track_caller]
    pub fn publish(&self, options: &[&str]) {
        let url = self.url();
        let folder = self.folder.path().to_str().unwrap();
        let arguments =
            ["publish", folder, "--base", &url].into_iter().chain(options.iter().copied());
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    }

    /// The paths that were asked for since the last time.
    pub fn asked(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        fs::write(&self.log, "").unwrap();
        let path = |line: &str| line.split('"').nth(1)?.split(' ').nth(1).map(str::to_owned);
        text.lines().filter_map(path).collect()
    }

    /// What is served and is no document of ours: paths and bytes.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = files_below(self.folder.path());
        files.retain(|path, _| {
            !path.starts_with("resourcesync/")
                && !path.starts_with(".well-known/")
                && !path.starts_with(".tidings/")
                && path != "sitemap.xml"
                && path != "robots.txt"
        });
        files
    }
}

/// A copy in a folder of its own.
pub struct Copy {
    pub folder: TempDir,
}

impl Copy {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The folder of the only host.
    pub fn host(&self) -> PathBuf {
        let entries = fs::read_dir(self.path()).unwrap().flatten().map(|entry| entry.path());
        entries.into_iter().find(|path| !path.ends_with(".tidings")).unwrap()
    }

    pub fn run(&self, command: &str, url: &str, options: &[&str]) -> Output {
        let folder = self.path().to_str().unwrap();
        run([command, url, folder].into_iter().chain(options.iter().copied()))
    }

    /// Copies, and answers with the report.
    #[track_caller]
    pub fn sync(&self, url: &str, options: &[&str]) -> Value {
        let output = self.run("sync", url, &[options, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Asserts that the copy is in sync, to the last byte.
    #[track_caller]
    pub fn assert_in_sync(&self, url: &str, options: &[&str]) {
        let output = self.run("audit", url, &[options, &["--deep"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains("in sync"), "{}", stdout(&output));
    }

    /// What is in the copy: paths below the folder of the only host, and bytes.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let files = files_below(self.path());
        let files = files.into_iter().filter(|(path, _)| !path.starts_with(".tidings/"));
        files
            .map(|(path, bytes)| {
                (path.split_once('/').map_or("", |(_, rest)| rest).to_owned(), bytes)
            })
            .collect()
    }
}

/// All files below a folder: their paths and bytes.
pub fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = fs::read(&path) {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.insert(name, bytes);
            }
        }
    }
    files
}
