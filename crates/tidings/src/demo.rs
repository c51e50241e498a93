//! `tidings demo`: a tour on this machine.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use tidings_document::{Capability, Change, Entry, Form, Head, Link, Moment, Precision, Writer};

use crate::cli::{Cli, Command, Global};
use crate::screen::Screen;
use crate::{Outcome, validate};

const BASE: &str = "https://shrine.example/";
const PAGES: [(&str, &str); 3] = [
    ("index.html", "<!doctype html><title>A shrine</title><h1>A shrine</h1>\n"),
    ("gallery.html", "<!doctype html><title>Gallery</title><h1>Pictures</h1>\n"),
    ("lyrics.html", "<!doctype html><title>Lyrics</title><h1>Words</h1>\n"),
];

pub(crate) fn run(global: &Global, screen: &Screen) -> Result<Outcome> {
    let folder = tempfile::Builder::new().prefix("tidings-demo-").tempdir()?.keep();
    let say = |text: &str| if global.json || global.quiet { Ok(()) } else { screen.print(text) };
    say(&format!("A small site, published as a ResourceSync Source in {}\n\n", folder.display()))?;
    build(&folder)?;
    for file in files(&folder)? {
        say(&format!("  {file}\n"))?;
    }
    let map = format!("{BASE}={}", folder.display());
    let command = ["tidings", "validate", "--follow", "--profile", "ifcc", "--map", map.as_str()];
    let start = format!("{BASE}.well-known/resourcesync");
    let mut arguments = command.to_vec();
    arguments.push(start.as_str());
    say(&format!("\n$ {}\n", arguments.join(" ")))?;
    let well = command_line(&arguments, global, screen)?;

    let list = folder.join("resourcesync/changelist.xml");
    let broken =
        fs::read_to_string(&list)?.replacen(" from=", " form=", 1).replacen("updated", "updatd", 1);
    let faulty = folder.join("broken.xml");
    fs::write(&faulty, broken).with_context(|| format!("could not write {}", faulty.display()))?;
    let faulty = faulty.to_string_lossy().into_owned();
    if global.json {
        return Ok(well);
    }
    say(&format!(
        "\nAnd with two slips of the pen in the Change List:\n\n$ tidings validate {faulty}\n"
    ))?;
    let differs = command_line(&["tidings", "validate", faulty.as_str()], global, screen)?;
    say("\nThe folder stays for you to look at; delete it when you have seen enough.\n")?;
    let as_expected = well == Outcome::Well && differs == Outcome::Differs;
    Ok(if as_expected { Outcome::Well } else { Outcome::Differs })
}

/// Runs a command as a person would have typed it, with the options of this one.
fn command_line(arguments: &[&str], global: &Global, screen: &Screen) -> Result<Outcome> {
    let cli = <Cli as clap::Parser>::try_parse_from(arguments)?;
    match &cli.command {
        Command::Validate(arguments) => validate::run(arguments, global, screen),
        _ => Ok(Outcome::NotDone),
    }
}

fn build(folder: &Path) -> Result<()> {
    let now = now();
    fs::create_dir_all(folder.join(".well-known"))?;
    fs::create_dir_all(folder.join("resourcesync"))?;
    for (name, content) in PAGES {
        fs::write(folder.join(name), content)?;
    }
    let about = "<!doctype html><title>A shrine</title><meta name=\"author\" content=\"A fan\">\n";
    fs::write(folder.join("about.html"), about)?;
    let url = |path: &str| format!("{BASE}{path}");
    let describedby = || Link::new("describedby", url("about.html"));
    let describes = || Link::new("describes", BASE);

    let head = Head::description(Form::List).with_link(describedby());
    let mut set = Entry::new(url("resourcesync/capabilitylist.xml"));
    set.metadata.capability = Some(Capability::CapabilityList);
    set.links = vec![describes(), describedby()];
    write(&folder.join(".well-known/resourcesync"), &head, &[set])?;

    let head = Head::capability_list(url(".well-known/resourcesync"))
        .with_link(describes())
        .with_link(describedby());
    let capabilities =
        [("resourcelist", Capability::ResourceList), ("changelist", Capability::ChangeList)];
    let listed = capabilities.map(|(name, capability)| {
        let mut entry = Entry::new(url(&format!("resourcesync/{name}.xml")));
        entry.metadata.capability = Some(capability);
        entry
    });
    write(&folder.join("resourcesync/capabilitylist.xml"), &head, &listed)?;

    let up = || url("resourcesync/capabilitylist.xml");
    let resources = PAGES.map(|(name, content)| {
        let mut entry = Entry::new(url(name));
        entry.lastmod = Some(now);
        entry.metadata.length = Some(content.len() as u64);
        entry.metadata.media_type = Some("text/html".into());
        entry
    });
    let head = Head::snapshot(Capability::ResourceList, Form::List, now, up());
    write(&folder.join("resourcesync/resourcelist.xml"), &head, &resources)?;

    let mut changes = resources;
    for (entry, change) in
        changes.iter_mut().zip([Change::Created, Change::Updated, Change::Updated])
    {
        entry.metadata.change = Some(change);
        entry.metadata.datetime = Some(now);
    }
    let head = Head::interval(Capability::ChangeList, Form::List, now, None, up());
    write(&folder.join("resourcesync/changelist.xml"), &head, &changes)
}

fn write(path: &Path, head: &Head<'_>, entries: &[Entry<'_>]) -> Result<()> {
    let mut writer = Writer::new(Vec::new(), head)?;
    entries.iter().try_for_each(|entry| writer.write(entry))?;
    let (bytes, _) = writer.finish()?;
    fs::write(path, bytes).with_context(|| format!("could not write {}", path.display()))
}

fn now() -> Moment {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seconds = i64::try_from(seconds).unwrap_or(0);
    Moment::from_unix(seconds, 0, Precision::Second)
        .unwrap_or_else(|| unreachable!("the clock is past the year 9999"))
}

/// The files below a folder, by name.
fn files(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for file in fs::read_dir(&current)? {
            let path = file?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(name) = path.strip_prefix(folder) {
                found.push(name.display().to_string());
            }
        }
    }
    found.sort();
    Ok(found)
}
