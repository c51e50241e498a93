//! The reference client keeps up with changes, and finds its copy to be in sync.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, ensure};

use super::{Server, make, publish};

/// The versions of ResourceSync that we write for, each with the one that the client reads.
const SPECS: [(&str, &str); 4] = [("both", "1.1"), ("both", "1.0"), ("1.0", "1.0"), ("1.1", "1.1")];

/// Publishes and copies, changes and publishes again; the client applies the changes and audits the
/// copy. It compares `lastmod`: the lists have to tell the same.
pub(super) fn judge(python: &Path, folder: &Path) -> Result<()> {
    for (place, (written, read)) in SPECS.into_iter().enumerate() {
        let folder = folder.join(format!("increment-{place}"));
        let (site, copy) = (folder.join("site"), folder.join("copy"));
        make(&site)?;
        let server = Server::start(&site)?;
        let spec = ["--spec", written];
        publish(&site, &server.url, &spec)?;
        let client = |mode: &[&str]| {
            let mut command = Command::new(python.with_file_name("resync-sync"));
            command.args(mode).args(["--delete", &server.url]).arg(&copy);
            // It never says by its exit code that something is wrong, and says all to standard error.
            let answer = command.current_dir(&folder).stdin(Stdio::null()).output();
            let answer = answer.context("could not start resync-sync")?;
            Ok::<_, anyhow::Error>(
                String::from_utf8_lossy(&[answer.stdout, answer.stderr].concat()).into_owned(),
            )
        };
        let said = client(&["--baseline"])?;
        ensure!(said.contains("SYNCED"), "resync-sync --baseline, --spec {written}: {said}");
        change(&site)?;
        publish(&site, &server.url, &spec)?;
        let list = format!("{}resourcesync/changelist.xml", server.url);
        let said = client(&["--incremental", "--spec-version", read, "--changelist-uri", &list])?;
        let applied = said.contains("created=2, updated=2, deleted=1");
        ensure!(applied, "resync-sync --incremental, --spec {written} read as {read}: {said}");
        let said = client(&["--audit", "--hash", "sha-256"])?;
        let well = said.contains(" IN SYNC") && !said.contains("NOT IN SYNC");
        ensure!(well, "resync-sync --audit, --spec {written} read as {read}: {said}");
        println!("resync-sync --incremental --audit, --spec {written} read as {read}: IN SYNC");
    }
    Ok(())
}

/// Changes, adds and removes files. Some are older than the publication: they were moved there, or
/// unpacked.
fn change(site: &Path) -> Result<()> {
    // The client takes times to be the same that are less than a second apart.
    std::thread::sleep(Duration::from_millis(1_100));
    fs::write(site.join("page-1.html"), "<p>changed")?;
    fs::write(site.join("new.html"), "<p>new")?;
    for name in ["page-3.html", "old.html"] {
        fs::write(site.join(name), "<p>old, but new here")?;
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::options().append(true).open(site.join(name))?.set_modified(long_ago)?;
    }
    fs::remove_file(site.join("page-2.html"))?;
    Ok(())
}
