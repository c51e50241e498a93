//! A Source with all that serves it, and our side.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use super::proxy::Proxy;
use super::servers::{Daemon, Nginx};
use crate::bench::contest::Contestant;
use crate::bench::field::{Field, Plan, Tree};
use crate::bench::measure::{Taken, Words};
use crate::bench::place::{Place, remove};
use crate::command::output;

/// A tree, published and served.
pub(super) struct Ground<'a> {
    pub(super) field: &'a Field<'a>,
    pub(super) tree: Tree,
    out: PathBuf,
    cache: PathBuf,
    /// What the Source says where it is.
    pub(super) url: String,
    pub(super) nginx: Nginx,
    /// An error where there is no rsync.
    pub(super) daemon: Result<Daemon>,
    /// Where rsync's server is reached.
    pub(super) module: String,
    _proxies: Vec<Proxy>,
}

/// What `tidings sync --json` says.
#[derive(Deserialize)]
pub(super) struct Said {
    pub(super) created: u64,
    pub(super) updated: u64,
    pub(super) resources: u64,
    pub(super) failed: u64,
    pub(super) bytes: u64,
}

impl<'a> Ground<'a> {
    /// Made in that place, published with these options, and reached with that delay each way.
    pub(super) fn make(
        field: &'a Field<'a>,
        plan: &Plan,
        place: &Place,
        options: &[&str],
        delay: Option<Duration>,
    ) -> Result<Self> {
        let tree = plan.make(field, place.at("tree"))?;
        let (out, cache) = (place.at("out"), place.at("cache"));
        let nginx = Nginx::start(&place.at("nginx"), &tree.folder, &out)?;
        let daemon = Daemon::start(&place.at("rsync"), &tree.folder);
        let mut proxies = Vec::new();
        let mut reached = |port: u16| {
            let Some(delay) = delay else { return Ok(port) };
            let proxy = Proxy::start(delay, port)?;
            let port = proxy.port;
            proxies.push(proxy);
            anyhow::Ok(port)
        };
        let url = format!("http://127.0.0.1:{}/", reached(nginx.port)?);
        let module = match &daemon {
            Ok(daemon) => format!("rsync://127.0.0.1:{}/tree/", reached(daemon.port)?),
            Err(_) => String::new(),
        };
        let _proxies = proxies;
        let ground = Self { field, tree, out, cache, url, nginx, daemon, module, _proxies };
        ground.publish(options)?;
        Ok(ground)
    }

    /// Publishes the tree as it is now.
    pub(super) fn publish(&self, options: &[&str]) -> Result<()> {
        let folders = [self.tree.folder.as_path(), &self.out, &self.cache];
        let words = self.field.publish(&self.url, folders, options);
        output(Command::new(&words[0]).args(&words[1..])).context("nothing was published")?;
        Ok(())
    }

    /// `tidings sync` or another verb of this Source, into that folder.
    pub(super) fn words(&self, verb: &str, folder: &Path, more: &[&str]) -> Words {
        words(self.field, verb, (&self.url, folder), more)
    }

    /// A first copy of ours, each time anew.
    pub(super) fn ours<'c>(
        &'c self,
        (name, does): (&str, &str),
        folder: PathBuf,
        options: &[&str],
    ) -> Contestant<'c> {
        let words = self.words("sync", &folder, options);
        let files = self.tree.files;
        let copy = folder.join(format!("127.0.0.1+{}", self.url_port()));
        self.counted(Contestant::new(name, does, Ok(words)))
            .ours()
            .before(move || remove(&folder))
            .after(move |taken| {
                let said = said(taken)?;
                ensure!(said.created == files, "{} files copied of {files}", said.created);
                complete(&copy, files)?;
                Ok(None)
            })
    }

    /// With the requests that the server counts.
    pub(super) fn counted<'c>(&'c self, contestant: Contestant<'c>) -> Contestant<'c> {
        contestant.meter(|| self.nginx.requests())
    }

    fn url_port(&self) -> &str {
        self.url.trim_end_matches('/').rsplit(':').next().unwrap_or_default()
    }
}

/// Our program at work on the Source at a URL and its copy in a folder.
pub(super) fn words(
    field: &Field<'_>,
    verb: &str,
    (url, folder): (&str, &Path),
    more: &[&str],
) -> Words {
    let mut words: Words = vec![field.tidings.into(), verb.into(), url.into(), folder.into()];
    words.extend(["--json"].iter().chain(more).map(OsString::from));
    // The copies of a benchmark are nobody's: they are registered beside their folders.
    let register = folder.with_extension("register");
    words.extend(["--register".into(), register.into()]);
    words
}

/// What it reports, when nothing went wrong.
pub(super) fn said(taken: &Taken) -> Result<Said> {
    let said: Said =
        serde_json::from_str(&taken.printed).context("tidings did not print what it did")?;
    ensure!(said.failed == 0, "{} resources could not be had", said.failed);
    Ok(said)
}

/// Sees that so many files are below a folder.
pub(super) fn complete(folder: &Path, files: u64) -> Result<()> {
    let found = count(folder)?;
    ensure!(found == files, "{found} files are there of {files}");
    Ok(())
}

fn count(folder: &Path) -> Result<u64> {
    let mut found = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_folder = entry.file_type()?.is_dir();
        found += if is_folder { count(&entry.path())? } else { 1 };
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(printed: &str) -> Taken {
        Taken { wall: 0.0, cpu: 0.0, peak_kib: 0, printed: printed.to_owned() }
    }

    #[test]
    fn a_failure_is_no_figure() {
        let report = |failed: u64| {
            taken(&format!(
                "{{\"created\":2,\"updated\":0,\"resources\":2,\"failed\":{failed},\"bytes\":9}}"
            ))
        };
        assert_eq!(said(&report(0)).unwrap().bytes, 9);
        assert!(said(&report(1)).is_err());
        assert!(said(&taken("")).is_err());
    }
}
