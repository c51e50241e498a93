//! The live site is copied, its pages are found, and so is its past.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::{PAGES, resync, sitemapper, usp};
use crate::command::output;
use crate::workspace;

/// The object that has a past.
const ID: &str = "1122334455667788";

/// `tidings site`, until it is dropped.
struct Site {
    child: Child,
    base: String,
}

impl Site {
    fn start(root: &Path) -> Result<Self> {
        let mut child = Command::new(workspace::target().join("release/tidings"))
            .args(["site", "--listen", "127.0.0.1:0", "--json", "--config", "/dev/null"])
            .arg(root)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let ready: serde_json::Value =
            serde_json::from_str(&line).with_context(|| format!("tidings site says {line:?}"))?;
        let base = ready["base"].as_str().context("it does not say where it is")?.to_owned();
        Ok(Self { child, base })
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn judge(python: &Path, folder: &Path) -> Result<()> {
    let folder = &folder.join("live");
    let root = folder.join("root");
    make(&root)?;
    let site = Site::start(&root)?;
    let when = "a live site";
    validated(&site)?;
    resync(python, folder, &site.base, when)?;
    usp(python, &site.base)?;
    sitemapper(folder, &site.base)?;
    schema(folder, &site.base)?;
    past(python, &site.base)?;
    fs::write(root.join("pages/page-1.md"), "# Edited\n")?;
    fs::remove_file(root.join("pages/page-2.md"))?;
    fs::write(root.join("pages/page-new.md"), "# New\n")?;
    fs::write(root.join("pages/page-3.md"), "---\nroles: [staff]\n---\n# Not for all any more\n")?;
    fs::write(root.join("pages/page-newer.md"), "# Newer\n")?;
    validated(&site)?;
    resync(python, folder, &site.base, "a live site after changes")?;
    usp(python, &site.base)
}

fn make(root: &Path) -> Result<()> {
    let pages = root.join("pages");
    fs::create_dir_all(&pages)?;
    for number in 1..PAGES {
        fs::write(pages.join(format!("page-{number}.md")), format!("# Page {number}\n"))?;
    }
    fs::write(pages.join("picture.svg"), "<svg xmlns=\"http://www.w3.org/2000/svg\"/>")?;
    fs::write(pages.join("inner.md"), "---\nroles: [staff]\n---\n# Not for all\n")?;
    fs::write(pages.join("unlisted.md"), "---\nrobots: noindex\n---\n# Not for search engines\n")?;
    let shard = root.join("content").join(&ID[14..]);
    fs::create_dir_all(&shard)?;
    for (version, time) in ["2020-01-01T00:00:00Z", "2022-01-01T00:00:00Z", "2024-01-01T00:00:00Z"]
        .into_iter()
        .enumerate()
    {
        let sidecar = "(alias: \"a&b/it's\", title: \"It\", mime: \"text/markdown\")";
        let blob = shard.join(format!("{ID}.{version}"));
        let beside = shard.join(format!("{ID}.{version}.ron"));
        fs::write(&blob, format!("# Version {version}\n"))?;
        fs::write(&beside, sidecar)?;
        output(Command::new("touch").args(["--date", time]).args([blob, beside]))?;
    }
    Ok(())
}

fn validated(site: &Site) -> Result<()> {
    let tidings = workspace::target().join("release/tidings");
    let description = format!("{}.well-known/resourcesync", site.base);
    // Its exit code says whether there is more than recommendations.
    output(Command::new(tidings).args(["validate", "--follow", "--quiet", &description]))?;
    println!("tidings validate --follow: nothing is wrong");
    Ok(())
}

fn schema(folder: &Path, base: &str) -> Result<()> {
    let schemas = workspace::root().join("../shared/corpus/xsd");
    if !schemas.exists() {
        println!("xmllint: skipped, there are no schemas beside the project");
        return Ok(());
    }
    for (path, schema) in [("sitemap.xml", "w_urlset.xsd"), ("sitemap_index.xml", "w_index.xsd")] {
        let file = folder.join(path);
        let url = format!("{base}{path}");
        output(Command::new("curl").args(["--silent", "--fail", "--output"]).arg(&file).arg(url))?;
        let schema = schemas.join(schema);
        output(Command::new("xmllint").arg("--noout").arg("--schema").args([&schema, &file]))?;
    }
    println!("xmllint: the sitemap of a live site is as the schemas want it");
    Ok(())
}

/// `memento_client` finds the TimeGate, and the version of a time.
fn past(python: &Path, base: &str) -> Result<()> {
    let script = "import sys, datetime, logging; logging.disable(logging.CRITICAL)\n\
        from memento_client import MementoClient\n\
        client = MementoClient()\n\
        url = sys.argv[1]\n\
        print(client.get_native_timegate_uri(url, datetime.datetime(2023, 1, 1)))\n\
        print(client.get_memento_info(url, datetime.datetime(2023, 1, 1))['mementos']['closest']['uri'][0])\n\
        print(client.get_memento_info(url, datetime.datetime(2019, 1, 1))['mementos']['closest']['uri'][0])";
    let page = format!("{base}a&b/it's");
    let said = output(Command::new(python).args(["-c", script, &page]))?;
    let expected = [
        format!("{base}builtin/timegate/{ID}"),
        format!("{base}builtin/memento/{ID}.1"),
        format!("{base}builtin/memento/{ID}.0"),
    ];
    ensure!(said.lines().eq(expected.iter().map(String::as_str)), "memento_client: {said}");
    println!("memento_client: the TimeGate, and the versions of two times");
    Ok(())
}
