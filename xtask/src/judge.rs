//! `cargo xtask judge`: other people's programs read what we publish.

mod bags;
mod feeds;
mod increments;
mod pages;
mod site;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::command::{cargo, output, run as run_command, works};
use crate::{setup, workspace};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Judge only this
    #[arg(value_enum)]
    what: Option<What>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Sources, by those who copy them and those who look for pages
    Sources,
    /// Feeds, by those who read them
    Feeds,
    /// The live site, by those who copy it and those who look for pages and their past
    Site,
    /// Pages, by those who know what everybody can use
    Pages,
}

/// How many pages the judged site has.
const PAGES: usize = 120;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let wanted = |what: What| arguments.what.is_none_or(|only| only == what);
    let is_more_than_pages = wanted(What::Sources) || wanted(What::Feeds) || wanted(What::Site);
    if is_more_than_pages {
        setup::for_judges()?;
    } else {
        setup::for_pages()?;
    }
    run_command(cargo().args(["build", "--release", "--locked", "--package", "tidings"]))?;
    let folder = tempfile::tempdir()?;
    if is_more_than_pages {
        let python = python(folder.path())?;
        if wanted(What::Sources) {
            sources(&python, folder.path())?;
        }
        if wanted(What::Feeds) {
            feeds::judge(&python, folder.path())?;
        }
        if wanted(What::Site) {
            site::judge(&python, folder.path())?;
        }
    }
    if wanted(What::Pages) {
        pages::judge(folder.path())?;
    }
    println!("all judges agree");
    Ok(())
}

/// What is published is copied, and its pages are found.
fn sources(python: &Path, folder: &Path) -> Result<()> {
    let site = folder.join("site");
    make(&site)?;
    let server = Server::start(&site)?;
    // Few entries to a document: indexes are judged, too.
    for most in ["50000", "50"] {
        publish(&site, &server.url, &["--full", "--max-entries", most])?;
        resync(python, folder, &server.url, &format!("{most} entries to a document"))?;
        usp(python, &server.url)?;
        sitemapper(folder, &server.url)?;
    }
    fs::write(site.join("page-1.html"), "<p>changed")?;
    fs::remove_file(site.join("page-2.html"))?;
    publish(&site, &server.url, &["--max-entries", "50"])?;
    resync(python, folder, &server.url, "after changes")?;
    increments::judge(python, folder)?;
    schemas(&site, &server.url)?;
    copies(python, folder)?;
    bags::judge(python, &folder.join("built-copy"), folder)?;
    stores(python)
}

/// The schemas of the standard accept the documents as far as they go: that of version 0.9.1 is the
/// only one there is, and knows no `datetime`, nor a document without entries.
fn schemas(site: &Path, base: &str) -> Result<()> {
    let folder = workspace::root().join("../shared/corpus/xsd");
    if !folder.exists() {
        println!("xmllint: skipped, there are no schemas beside the project");
        return Ok(());
    }
    publish(site, base, &["--full", "--spec", "1.0", "--max-entries", "50"])?;
    fs::write(site.join("page-3.html"), "<p>changed")?;
    publish(site, base, &["--spec", "1.0", "--max-entries", "50", "--dump", "--change-dump"])?;
    let mut judged = 0;
    let documents = fs::read_dir(site.join("resourcesync"))?.flatten().map(|file| file.path());
    for path in documents.chain([site.join(".well-known/resourcesync")]) {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let schema = match (text.contains("<urlset"), text.contains("<sitemapindex")) {
            (true, _) if text.contains("<url>") => "w_urlset.xsd",
            (_, true) => "w_index.xsd",
            _ => continue,
        };
        let schema = folder.join(schema);
        output(Command::new("xmllint").arg("--noout").arg("--schema").args([&schema, &path]))?;
        judged += 1;
    }
    println!("xmllint: {judged} documents are as the schemas want them");
    Ok(())
}

/// An object store of another kind than those in the tests.
fn stores(python: &Path) -> Result<()> {
    let moto = python.with_file_name("moto_server");
    let mut test = cargo();
    test.args(["test", "--locked", "--package", "tidings-source", "--test", "bucket"]);
    run_command(test.env("TIDINGS_TEST_MOTO", moto))
}

fn make(site: &Path) -> Result<()> {
    fs::create_dir_all(site.join("sub folder"))?;
    for number in 0..PAGES {
        fs::write(site.join(format!("page-{number}.html")), format!("<p>page {number}"))?;
    }
    for name in ["sub folder/a & b.txt", "sub folder/ü.bin", "plain.txt"] {
        fs::write(site.join(name), name)?;
    }
    Ok(())
}

fn publish(site: &Path, base: &str, options: &[&str]) -> Result<()> {
    let tidings = workspace::root().join("target/release/tidings");
    let said = output(
        Command::new(&tidings).arg("publish").arg(site).args(["--base", base]).args(options),
    )?;
    print!("tidings publish: {said}");
    let description = format!("{base}.well-known/resourcesync");
    let said =
        output(Command::new(&tidings).args(["validate", "--follow", "--quiet", &description]))?;
    ensure!(said.trim().is_empty(), "tidings validate --follow: {said}");
    Ok(())
}

/// We copy what the reference publisher makes of a folder, and keep up with its changes.
fn copies(python: &Path, folder: &Path) -> Result<()> {
    let (site, copy) = (folder.join("built"), folder.join("built-copy"));
    make(&site)?;
    fs::create_dir_all(site.join(".well-known"))?;
    let server = Server::start(&site)?;
    let base = &server.url;
    let list = folder.join("resourcelist.xml");
    let map = format!("{base}={}/", site.display());
    let build = |what: &[&str], file: &Path| {
        let mut command = Command::new(python.with_file_name("resync-build"));
        output(command.args(what).arg("--outfile").arg(file).current_dir(folder))
    };
    build(&["--write-resourcelist", "--hash", "md5", &map], &list)?;
    fs::copy(&list, site.join("resourcelist.xml"))?;
    let lists = format!("resourcelist={base}resourcelist.xml,changelist={base}changelist.xml");
    build(&["--write-capabilitylist", &lists], &site.join("capabilitylist.xml"))?;
    let capabilities = format!("{base}capabilitylist.xml");
    let description = site.join(".well-known/resourcesync");
    build(&["--write-sourcedescription", &capabilities], &description)?;
    let reference = list.to_string_lossy().into_owned();
    for round in ["at first", "after changes"] {
        // Its Change Lists name its own documents, too; they are told apart from what is copied.
        let words = ["--write-changelist", "--hash", "md5", "--reference", &reference, &map];
        build(&words, &site.join("changelist.xml"))?;
        let tidings = workspace::root().join("target/release/tidings");
        let options = ["--delete", "--exclude", "*list.xml", "--exclude", ".well-known"];
        let register = folder.join("copies");
        let mut sync = Command::new(&tidings);
        sync.args(["sync", base]).arg(&copy).args(options).arg("--register").arg(register);
        output(&mut sync)?;
        let mut copied = 0;
        for entry in fs::read_dir(&copy)?.flatten().filter(|entry| entry.file_name() != ".tidings")
        {
            for number in 0..PAGES {
                let name = format!("page-{number}.html");
                let (ours, theirs) = (entry.path().join(&name), site.join(&name));
                ensure!(fs::read(&ours).ok() == fs::read(&theirs).ok(), "{name} differs {round}");
                copied += usize::from(ours.exists());
            }
        }
        println!("resync-build -> tidings sync, {round}: {copied} pages are the same");
        fs::write(site.join("page-1.html"), "<p>changed by now")?;
        let _ = fs::remove_file(site.join("page-2.html"));
    }
    Ok(())
}

/// The reference client copies the Source, and finds the copy to be in sync.
fn resync(python: &Path, folder: &Path, base: &str, when: &str) -> Result<()> {
    let client = python.with_file_name("resync-sync");
    let copy = folder.join("copy");
    for (what, words) in [("--baseline", "SYNC"), ("--audit", "IN SYNC")] {
        // It never says by its exit code that something is wrong, and says all to standard error.
        let mut command = Command::new(&client);
        command.args([what, "--delete", base]).arg(&copy).current_dir(folder).stdin(Stdio::null());
        let answer = command.output().context("could not start resync-sync")?;
        let said = String::from_utf8_lossy(&[answer.stdout, answer.stderr].concat()).into_owned();
        let status =
            said.lines().rfind(|line| line.starts_with("Status:")).unwrap_or_default().to_owned();
        let well = status.contains(words) && !status.contains("NOT ") && !status.contains("PART ");
        ensure!(well, "resync-sync {what}, {when}: {said}");
        println!(
            "resync-sync {what}, {when}: {}",
            status.split_whitespace().collect::<Vec<_>>().join(" ")
        );
    }
    Ok(())
}

/// ultimate-sitemap-parser finds the pages, beginning at robots.txt.
fn usp(python: &Path, base: &str) -> Result<()> {
    let script = "import sys, logging; logging.disable(logging.CRITICAL)\n\
        from usp.tree import sitemap_tree_for_homepage as tree\n\
        print(len({page.url for page in tree(sys.argv[1]).all_pages()}))";
    let said = output(Command::new(python).args(["-c", script, base]))?;
    ensure!(
        said.trim() == PAGES.to_string(),
        "ultimate-sitemap-parser found {said} pages of {PAGES}"
    );
    println!("ultimate-sitemap-parser: {} pages", said.trim());
    Ok(())
}

/// npm's sitemapper finds them, too, where there is npm.
fn sitemapper(folder: &Path, base: &str) -> Result<()> {
    if !works("npm", &["--version"]) {
        println!("sitemapper: skipped, there is no npm");
        return Ok(());
    }
    let home = folder.join("npm");
    if !home.exists() {
        fs::create_dir(&home)?;
        fs::write(home.join("package.json"), "{\"type\": \"module\"}")?;
        output(
            Command::new("npm")
                .args(["install", "--silent", "--no-audit", "--no-fund", "sitemapper@4"])
                .current_dir(&home),
        )?;
    }
    let script = "import Sitemapper from 'sitemapper';\n\
        const sites = await new Sitemapper({url: process.argv[1]}).fetch();\n\
        console.log(new Set(sites.sites).size);";
    let sitemap = format!("{base}sitemap.xml");
    let said = output(
        Command::new("node")
            .args(["--input-type=module", "-e", script, &sitemap])
            .current_dir(&home),
    )?;
    ensure!(said.trim() == PAGES.to_string(), "sitemapper found {said} pages of {PAGES}");
    println!("sitemapper: {} pages", said.trim());
    Ok(())
}

/// A Python with the judges that are written in it.
fn python(folder: &Path) -> Result<PathBuf> {
    let home = folder.join("venv");
    output(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
    let python = home.join("bin/python");
    let packages = [
        "resync==2.0.1",
        "ultimate-sitemap-parser==1.0.0",
        "setuptools<81",
        "moto[server]==5.2.5",
        "feedparser==6.0.12",
        "memento_client==0.6.1",
        "bagit==1.9.0",
    ];
    output(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
    Ok(python)
}

/// A plain static server on a free port of loopback, until it is dropped.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(site: &Path) -> Result<Self> {
        let mut child = Command::new("python3")
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"])
            .current_dir(site)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("could not start python3 -m http.server")?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let port = line.split("port ").nth(1).and_then(|rest| rest.split_whitespace().next());
        let url =
            format!("http://127.0.0.1:{}/", port.context("the server does not say its port")?);
        Ok(Self { child, url })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
