//! What is measured: ours and the peers, built or installed when they are not there.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::data::{CHECK, EVENTS, READ, RESYNC};
use super::measure::Words;
use crate::command::{cargo, output, run, works};
use crate::workspace;

pub(crate) const RESYNC_VERSION: &str = "2.0.1";

pub(crate) struct Programs {
    /// Where the programs built from `benches/` are.
    folder: PathBuf,
    /// The interpreter that knows resync.
    pub(crate) python: Result<PathBuf>,
}

/// A program that reads a document some times over.
pub(crate) struct Reader {
    pub(crate) name: &'static str,
    pub(crate) does: &'static str,
    pub(crate) ours: bool,
    program: Result<Words, String>,
    repeat: Repeat,
    /// Whether counting its instructions says something.
    pub(crate) counted: bool,
}

#[derive(Clone, Copy)]
enum Repeat {
    /// `FILE N`; prints the entries counted.
    Number,
    /// `FILE FILE …`; prints nothing.
    File,
}

impl Reader {
    /// The command line to read `file` `times` times; an error says why there is none.
    pub(crate) fn words(&self, file: &Path, times: usize) -> Result<Words, String> {
        let mut words = self.program.clone()?;
        match self.repeat {
            Repeat::Number => words.extend([file.into(), times.to_string().into()]),
            Repeat::File => words.extend(std::iter::repeat_n(file.into(), times)),
        }
        Ok(words)
    }

    /// Whether it prints how many entries it saw.
    pub(crate) fn prints_entries(&self) -> bool {
        matches!(self.repeat, Repeat::Number)
    }
}

impl Programs {
    /// Builds the programs of `benches/` and installs what is in Python.
    pub(crate) fn provide() -> Result<Self> {
        let ours = Self::provide_ours()?;
        Ok(Self { python: Self::provide_peers()?.python, ..ours })
    }

    /// Builds our side alone.
    pub(crate) fn provide_ours() -> Result<Self> {
        build_with_our_versions("benches/tidings")?;
        let python = Err(anyhow::anyhow!("not asked for"));
        Ok(Self { folder: built().join("release"), python })
    }

    /// Builds the peers alone, and installs what is in Python.
    pub(crate) fn provide_peers() -> Result<Self> {
        build(&workspace::root().join("benches/peers/Cargo.toml"), &["--locked"])?;
        Ok(Self { folder: built().join("release"), python: python() })
    }

    /// Builds what following is measured with.
    pub(crate) fn provide_following(&self) -> Result<PathBuf> {
        build_with_our_versions("benches/following")?;
        Ok(self.folder.join("tidings-following"))
    }

    /// A program of `benches/peers`.
    pub(crate) fn peer(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// `tidings-bench` with these words after it.
    pub(crate) fn ours<const N: usize>(&self, words: [&str; N]) -> Words {
        let program = self.folder.join("tidings-bench").into_os_string();
        std::iter::once(program).chain(words.map(OsString::from)).collect()
    }

    /// Makes a Resource List.
    pub(crate) fn generate(&self, entries: u64, file: &Path) -> Result<()> {
        let words = self.ours(["generate", &entries.to_string()]);
        output(Command::new(&words[0]).args(&words[1..]).arg(file))
            .with_context(|| format!("no input at {}: is the disk full?", file.display()))?;
        Ok(())
    }

    /// Everyone who reads.
    pub(crate) fn readers(&self) -> Vec<Reader> {
        let reader = |name, does, program: Words| {
            let program = Ok(program);
            Reader { name, does, ours: false, program, repeat: Repeat::Number, counted: true }
        };
        let ours =
            |name, does, verb| Reader { ours: true, ..reader(name, does, self.ours([verb])) };
        let peer = |name, does, file| reader(name, does, vec![self.folder.join(file).into()]);
        let script = workspace::root().join("benches/peers/resync-read.py");
        vec![
            ours(READ, "typed entries", "read"),
            ours(CHECK, "typed entries, every rule", "check"),
            peer(EVENTS, "names of elements, from a buffered file", "quick-xml-events"),
            peer("quick-xml, events of a slice", "the same, all in memory", "quick-xml-slice"),
            peer("quick-xml, fields dropped", "strings of all fields", "quick-xml-fields-dropped"),
            peer("quick-xml, fields kept", "the same, kept to the end", "quick-xml-fields-kept"),
            peer("sitemap", "`loc` and `lastmod`", "sitemap"),
            peer("sitemaps", "`loc` and `lastmod`, kept to the end", "sitemaps"),
            Reader {
                repeat: Repeat::File,
                ..reader(
                    "xmllint --stream",
                    "well-formed or not",
                    ["xmllint", "--stream", "--noout"].map(OsString::from).to_vec(),
                )
            },
            Reader {
                // An interpreter's instructions are not comparable, and there are too many.
                counted: false,
                program: match &self.python {
                    Ok(python) => Ok(vec![python.into(), script.into()]),
                    Err(error) => Err(format!("{error:#}")),
                },
                ..reader(RESYNC, "resources, kept to the end", Vec::new())
            },
        ]
    }
}

/// The versions of the crates measured, from the manifest that pins them.
pub(crate) fn pinned() -> Vec<(String, String)> {
    let manifest = workspace::root().join("benches/peers/Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap_or_default();
    let pinned = manifest.lines().filter_map(|line| line.split_once(" = \"="));
    pinned.map(|(name, version)| (name.to_owned(), version.trim_matches('"').to_owned())).collect()
}

/// The version of axum, whose features stand beside it.
pub(crate) fn axum() -> String {
    let manifest = workspace::root().join("benches/peers/Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap_or_default();
    let line = manifest.lines().find_map(|line| line.strip_prefix("axum = "));
    let version = line.and_then(|line| line.split('"').nth(1)).unwrap_or("unknown");
    version.trim_start_matches('=').to_owned()
}

fn built() -> PathBuf {
    workspace::target().join("benches")
}

/// With the product's versions of everything, or it is another product that is measured.
fn build_with_our_versions(folder: &str) -> Result<()> {
    let there = workspace::root().join(folder);
    fs::copy(workspace::root().join("Cargo.lock"), there.join("Cargo.lock"))
        .with_context(|| format!("Cargo.lock could not be copied to {folder}"))?;
    build(&there.join("Cargo.toml"), &[])
}

fn build(manifest: &Path, more: &[&str]) -> Result<()> {
    let mut command = cargo();
    command.args(["build", "--release", "--quiet", "--manifest-path"]).arg(manifest);
    run(command.arg("--target-dir").arg(built()).args(more))
}

/// A virtual environment with resync, beside the programs built.
fn python() -> Result<PathBuf> {
    let folder = built().join("resync");
    let python = folder.join("bin/python");
    if !works(&python, &["-c", "import resync.resource_list"]) {
        output(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let package = format!("resync=={RESYNC_VERSION}");
        // Resync imports distutils, which Python 3.12 gave up and old setuptools still bring.
        output(
            Command::new(&python)
                .args(["-m", "pip", "install", "--quiet"])
                .args([package.as_str(), "setuptools<81"]),
        )?;
    }
    Ok(python)
}
