//! `tidings demo`: a tour on this machine.

mod living;
mod server;

use std::fs;
use std::io::IsTerminal as _;
use std::path::Path;

use anyhow::{Context, Result};

use crate::cli::{self, Cli, Command, Global};
use crate::following::{follow, poll};
use crate::screen::Screen;
use crate::{Outcome, audit, publish, sync, validate, webfeed};
use server::Server;

const PAGES: [(&str, &str); 3] = [
    ("index.html", "<!doctype html><title>A shrine</title><h1>A shrine</h1>\n"),
    ("gallery.html", "<!doctype html><title>Gallery</title><h1>Pictures</h1>\n"),
    ("lyrics.html", "<!doctype html><title>Lyrics</title><h1>Words</h1>\n"),
];

pub(crate) fn run(arguments: &cli::Demo, global: &Global, screen: &Screen) -> Result<Outcome> {
    let place = tempfile::Builder::new().prefix("tidings-demo-").tempdir()?.keep();
    // What is copied here is nobody's copy.
    let global = &Global { register: Some(place.join("copies")), ..global.clone() };
    let (folder, copy) = (place.join("site"), place.join("copy").to_string_lossy().into_owned());
    fs::create_dir(&folder)?;
    let server = Server::start(&folder)?;
    let base = server.url();
    let say = |text: &str| if global.json || global.quiet { Ok(()) } else { screen.print(text) };
    let mut tour = Tour { global, screen, outcomes: Vec::new() };
    let path = folder.to_string_lossy().into_owned();
    for (name, page) in PAGES {
        put(&folder.join(name), page)?;
    }
    say(&format!("Three pages in {path} become a ResourceSync Source:\n\n"))?;
    tour.take(&["publish", &path, "--base", &base], Outcome::Well)?;

    say("\nThe folder is served on this machine now, and copied from there:\n\n")?;
    tour.take(&["sync", &base, &copy], Outcome::Well)?;

    say("\nSomebody wants to know when something changes on it:\n\n")?;
    let data = place.join("data").to_string_lossy().into_owned();
    tour.take(&["follow", &base, "--diff", "--every", "1min", "--data", &data], Outcome::Well)?;

    say("\nOne page changes, one goes, one comes:\n\n")?;
    put(&folder.join("index.html"), "<!doctype html><title>A shrine</title><h1>The shrine</h1>\n")?;
    put(&folder.join("news.html"), "<!doctype html><title>News</title><h1>News</h1>\n")?;
    fs::remove_file(folder.join("lyrics.html"))?;
    tour.take(&["publish", &path, "--base", &base], Outcome::Well)?;

    say("\nThe copy keeps in step, and proves it:\n\n")?;
    tour.take(&["sync", &base, &copy, "--delete"], Outcome::Well)?;
    tour.take(&["audit", &base, &copy, "--deep"], Outcome::Well)?;

    say(&format!(
        "\nThe follower sees it, too; the feed is there while `tidings serve --data {data}` runs:\n\n"
    ))?;
    tour.take(&["poll", "--data", &data], Outcome::Well)?;

    say("\nIs all of it right, and can it be followed?\n\n")?;
    let start = format!("{base}.well-known/resourcesync");
    tour.take(&["validate", "--follow", "--profile", "ifcc", &start], Outcome::Well)?;

    say("\nAnd with two slips of the pen in the Change List:\n\n")?;
    let list = fs::read_to_string(folder.join("resourcesync/changelist.xml"))?;
    let broken = folder.join("broken.xml");
    put(&broken, &list.replacen(" from=", " form=", 1).replacen("updated", "updatd", 1))?;
    tour.take(&["validate", &broken.to_string_lossy()], Outcome::Differs)?;

    say(
        "\nA webfeed is a folder of plain posts behind a text file; its leads are shown in a grid:\n\n",
    )?;
    let feed = folder.join("feed").to_string_lossy().into_owned();
    tour.take(&["webfeed", "init", &feed, "--author", "Kibi", "--about", "Cats"], Outcome::Well)?;
    let (note, index) = (place.join("nap.md"), format!("{base}feed/index.txt"));
    put(&note, "# A nap\n\nIn the sun.\n\n---\n\nAnd another one.\n")?;
    tour.take(&["webfeed", "add", &feed, &note.to_string_lossy()], Outcome::Well)?;
    tour.take(&["webfeed", "check", &index], Outcome::Well)?;
    tour.take(&["follow", &index, "--every", "1min", "--data", &data], Outcome::Well)?;

    let is_as_expected = tour.outcomes.iter().all(|as_expected| *as_expected);
    let is_shown = arguments.serve || std::io::stdout().is_terminal() && !global.json;
    if is_shown && !arguments.no_serve {
        say("\nAll of that can be looked at, and the site goes on changing. Ctrl-C ends it.\n\n")?;
        living::serve(&folder, &base, &data, global, screen)?;
    }
    say("\nThe folders stay for you to look at; delete them when you have seen enough.\n")?;
    Ok(if is_as_expected { Outcome::Well } else { Outcome::Differs })
}

/// Commands, run as a person would have typed them.
struct Tour<'t> {
    global: &'t Global,
    screen: &'t Screen,
    outcomes: Vec<bool>,
}

impl Tour<'_> {
    /// Shows and runs a command, with the options of this one.
    fn take(&mut self, arguments: &[&str], expected: Outcome) -> Result<()> {
        if !self.global.json && !self.global.quiet {
            self.screen.print(&format!("$ tidings {}\n", arguments.join(" ")))?;
        }
        let words = ["tidings"].iter().chain(arguments);
        let cli = <Cli as clap::Parser>::try_parse_from(words)?;
        let outcome = match &cli.command {
            Command::Validate(arguments) => validate::run(arguments, self.global, self.screen)?,
            Command::Publish(arguments) => publish::run(arguments, self.global, self.screen)?,
            Command::Sync(arguments) => sync::run(arguments, self.global, self.screen)?,
            Command::Audit(arguments) => audit::run(arguments, self.global, self.screen)?,
            Command::Follow(arguments) => follow::run(arguments, self.global, self.screen)?,
            Command::Webfeed(arguments) => webfeed::run(arguments, self.global, self.screen)?,
            Command::Poll(arguments) => poll::run(arguments, self.global, self.screen)?,
            _ => Outcome::NotDone,
        };
        self.outcomes.push(outcome == expected);
        Ok(())
    }
}

fn put(path: &Path, content: &str) -> Result<()> {
    fs::write(path, content).with_context(|| format!("could not write {}", path.display()))
}
