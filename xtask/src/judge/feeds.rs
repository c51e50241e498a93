//! Feed readers read the feeds of a site that we published and followed ourselves.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::{Server, make, publish};
use crate::command::output;
use crate::workspace;

/// Publishes, follows, changes, polls, serves; then all readers have to see the same entries.
pub(super) fn judge(python: &Path, folder: &Path) -> Result<()> {
    let site = folder.join("followed");
    make(&site)?;
    let server = Server::start(&site)?;
    let data = folder.join("data");
    let tidings = |words: &[&str]| {
        let mut command = Command::new(workspace::root().join("target/release/tidings"));
        command.args(words).arg("--data").arg(&data);
        command
    };
    publish(&site, &server.url, &[])?;
    output(&mut tidings(&["follow", &server.url]))?;
    for round in 0..3 {
        fs::write(site.join("page-1.html"), format!("<title>Ünlike &amp; {round}</title>"))?;
        fs::write(site.join(format!("new-{round}.html")), "<title>&lt;New></title>")?;
        if round == 2 {
            fs::remove_file(site.join("page-2.html"))?;
        }
        publish(&site, &server.url, &[])?;
        output(&mut tidings(&["poll"]))?;
    }
    let serving =
        Serving::start(tidings(&["serve", "--no-poll", "--json", "--listen", "127.0.0.1:0"]))?;
    let sites = output(&mut tidings(&["sites", "--json"]))?;
    let sites: serde_json::Value = serde_json::from_str(&sites)?;
    let feeds = &sites["sites"][0]["collections"][0]["feeds"];
    for format in ["atom", "changes", "rss", "json"] {
        let url = feeds[format].as_str().context("a feed has no URL")?;
        let file = folder.join(format!("feed.{format}"));
        fs::write(&file, fetch(python, url)?)?;
        if matches!(format, "atom" | "changes") {
            jing(&file)?;
        }
        let entries = feedparser(python, &file, format)?;
        ensure!(entries.len() >= 3, "{format}: {} entries", entries.len());
        // Their readers know no JSON Feed.
        if format != "json" {
            sfeed(&file, url, &entries)?;
            newsboat(folder, url, &entries)?;
        }
    }
    drop(serving);
    Ok(())
}

fn fetch(python: &Path, url: &str) -> Result<String> {
    let script =
        "import sys, urllib.request as r; sys.stdout.write(r.urlopen(sys.argv[1]).read().decode())";
    output(Command::new(python).args(["-X", "utf8", "-c", script, url]))
}

/// The schema of RFC 4287, where it is beside the project.
fn jing(file: &Path) -> Result<()> {
    let schema = workspace::root().join("../shared/corpus/atom.rnc");
    if !schema.exists() {
        println!("jing: skipped, there is no schema beside the project");
        return Ok(());
    }
    output(Command::new("jing").arg("-c").args([&schema, file]))?;
    println!("jing: {} is as RFC 4287 wants it", file.display());
    Ok(())
}

/// The titles of the entries, by a reader in Python. It has to find nothing wrong with the feed.
fn feedparser(python: &Path, file: &Path, format: &str) -> Result<Vec<String>> {
    let script = if format == "json" {
        "import sys, json; feed = json.load(open(sys.argv[1]))\n\
         assert feed['version'] == 'https://jsonfeed.org/version/1.1'\n\
         ids = [item['id'] for item in feed['items']]; assert len(ids) == len(set(ids))\n\
         [print(item['title']) for item in feed['items']]"
    } else {
        "import sys, feedparser; feed = feedparser.parse(sys.argv[1])\n\
         assert not feed.bozo, feed.bozo_exception\n\
         ids = [entry.id for entry in feed.entries]; assert len(ids) == len(set(ids))\n\
         import html\n[print(html.unescape(entry.title)) for entry in feed.entries]"
    };
    let said = output(Command::new(python).args(["-X", "utf8", "-c", script]).arg(file))?;
    let mut entries: Vec<String> = said.lines().map(str::to_owned).collect();
    entries.sort_unstable();
    let reader = if format == "json" { "json" } else { "feedparser" };
    println!("{reader}: {format}, {} entries", entries.len());
    Ok(entries)
}

/// The same entries by sfeed, which writes lines of fields: time, title, link.
fn sfeed(file: &Path, url: &str, expected: &[String]) -> Result<()> {
    // It reads its standard input, which our own way to run a program closes.
    let script = "exec sfeed \"$0\" < \"$1\"";
    let said = output(Command::new("sh").args(["-c", script, url]).arg(file))?;
    let titles = said.lines().filter_map(|line| line.split('\t').nth(1));
    let mut titles: Vec<&str> = titles.collect();
    titles.sort_unstable();
    ensure!(titles == expected, "sfeed has {titles:?}, feedparser {expected:?}");
    println!("sfeed: the same entries");
    Ok(())
}

/// The same number of entries by newsboat, over HTTP.
fn newsboat(folder: &Path, url: &str, expected: &[String]) -> Result<()> {
    let home = folder.join("newsboat");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir(&home)?;
    let (urls, cache) = (home.join("urls"), home.join("cache.db"));
    fs::write(&urls, format!("{url}\n"))?;
    let mut command = Command::new("newsboat");
    command.arg("-u").arg(&urls).arg("-c").arg(&cache).args(["-x", "reload", "print-unread"]);
    let said = output(command.env("HOME", &home))?;
    let unread: usize =
        said.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0);
    ensure!(unread == expected.len(), "newsboat: {said}");
    println!("newsboat: {unread} unread articles");
    Ok(())
}

/// A server of ours, until it is dropped.
struct Serving(Child);

impl Serving {
    fn start(mut command: Command) -> Result<Self> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        ensure!(line.starts_with('{'), "the server did not start");
        Ok(Self(child))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
