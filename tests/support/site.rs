//! A folder of files that is published.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::SystemTime;

use serde_json::Value;

use super::{run, stderr, stdout, write_all};

pub const BASE: &str = "https://shrine.example/";

pub struct Site {
    folder: tempfile::TempDir,
}

impl Site {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write_all(folder.path(), files);
        Self { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn publish(&self, options: &[&str]) -> Output {
        let folder = self.path().to_str().unwrap();
        run(["publish", folder, "--base", BASE].into_iter().chain(options.iter().copied()))
    }

    /// Publishes, and answers with created, updated, deleted and the documents written.
    #[track_caller]
    pub fn published(&self, options: &[&str]) -> (u64, u64, u64, Vec<String>) {
        let output = self.publish(&[options, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let count = |name: &str| found[name].as_u64().unwrap();
        let written = found["written"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap().to_owned());
        (count("created"), count("updated"), count("deleted"), written.collect())
    }

    /// Asserts that the Source has nothing wrong, under either version and for followers.
    #[track_caller]
    pub fn assert_valid(&self) {
        self.assert_valid_as(&[["--spec", "1.0"], ["--spec", "1.1"], ["--profile", "ifcc"]]);
        let sitemap = self.path().join("sitemap.xml");
        let output = run(["validate", "--profile", "sitemap", sitemap.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    }

    /// Asserts that the Source has nothing wrong in these respects.
    #[track_caller]
    pub fn assert_valid_as(&self, respects: &[[&str; 2]]) {
        let map = format!("{BASE}={}", self.path().display());
        let start = format!("{BASE}.well-known/resourcesync");
        for options in respects {
            let output = run(["validate", "--follow", "--map", &map]
                .into_iter()
                .chain(options.iter().copied())
                .chain([start.as_str()]));
            assert!(
                stdout(&output).contains("nothing wrong\n") && !stdout(&output).contains("note"),
                "{}{}",
                stdout(&output),
                stderr(&output)
            );
            assert_eq!(output.status.code(), Some(0));
        }
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// Every file, with its content and time.
    pub fn state(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let mut state = BTreeMap::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for file in fs::read_dir(folder).unwrap() {
                let path = file.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let modified = fs::metadata(&path).unwrap().modified().unwrap();
                    state.insert(path.clone(), (fs::read(&path).unwrap(), modified));
                }
            }
        }
        state
    }
}
