//! `cargo xtask bench site`: a live site, with very many pages.

mod data;
mod report;
mod root;
mod soon;
mod targets;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use self::data::{
    FILE, HELLO, LIVE, OBJECT, PAGE, SITEMAP, START, STARTED_PLAIN, STARTED_VERSIONED, VIEWS,
};
use self::report::SECTION;
use self::root::{Layout, fill};
use super::follow::ask;
use super::follow::asked::Asked;
use super::follow::ground::Figures;
use super::follow::process::Process;
use super::follow::wrk::{self, Load};
use super::frame::{self, Arguments};
use super::place::Place;
use super::shown::thousands;
use super::sync::servers::Nginx;
use super::works::{Run, Side, Work};
use crate::setup;

const CONNECTIONS: u32 = 4;

/// How much of everything.
struct Size {
    /// Pages of the sitemap that is held against a file.
    listed: u64,
    /// Pages that a start is measured with.
    started: u64,
    /// Pages of the largest site.
    most: u64,
    rounds: usize,
    /// For how long something is asked for, in seconds.
    load: u64,
}

const FULL: Size = Size { listed: 50_000, started: 100_000, most: 1_000_000, rounds: 5, load: 3 };
const QUICK: Size = Size { listed: 2_500, started: 5_000, most: 60_000, rounds: 1, load: 1 };

/// `tidings site`, until it is dropped.
struct Site {
    process: Process,
    address: String,
}

#[derive(Deserialize)]
struct Ready {
    address: String,
}

impl Site {
    fn start(tidings: &Path, root: &Path) -> Result<Self> {
        let mut command = Command::new(tidings);
        command
            .args(["site", "--listen", "127.0.0.1:0", "--json", "--config", "/dev/null"])
            .arg(root);
        let process = Process::start(&mut command).context("tidings site")?;
        let ready: Ready = serde_json::from_str(&process.said)
            .with_context(|| format!("tidings site says {:?}", process.said))?;
        Ok(Self { process, address: ready.address })
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    frame::run(arguments, &SECTION, measure)
}

fn measure(arguments: &Arguments) -> Result<Run> {
    setup::with_peers()?;
    let started = frame::start(arguments)?;
    let size = if arguments.quick { QUICK } else { FULL };
    let hello = started.programs.peer("axum-hello");
    let tidings = started.tidings.clone();
    let mut works = listed(&tidings, &hello, &size)?;
    works.push(starts(&tidings, &size)?);
    works.extend(soon::run(&tidings, &size)?);
    Ok(started.end("site", arguments, works))
}

/// A sitemap beside the same bytes in a file, and pages beside a server that says hello.
fn listed(tidings: &Path, hello: &PathBuf, size: &Size) -> Result<Vec<Work>> {
    let place = Place::for_about(size.listed * 4, size.listed << 12)?;
    let (plain, versioned) = (place.at("plain"), place.at("versioned"));
    fill(&plain, size.listed, Layout::Plain)?;
    fill(&versioned, size.listed, Layout::Versioned)?;
    let (site, objects) = (Site::start(tidings, &plain)?, Site::start(tidings, &versioned)?);
    let served = place.at("served");
    fs::create_dir_all(&served)?;
    let sitemap = ask::get(&site.address, "/sitemap.xml", "")?.body;
    fs::write(served.join("sitemap.xml"), &sitemap)?;
    let nginx = Nginx::start(&place.at("nginx"), &served, &served)?;
    let load = Load { headers: &[], connections: CONNECTIONS, seconds: size.load };
    let requests = 100;
    let mut live = Asked::new(&site.process, site.url("/sitemap.xml"), requests);
    let mut file = Figures::default();
    for round in 0..=size.rounds {
        eprintln!("bench: {SITEMAP}, round {round} of {}", size.rounds);
        live.take(&load, round > 0);
        let rate = wrk::rate(&format!("http://127.0.0.1:{}/sitemap.xml", nginx.port), &load)?;
        if round > 0 {
            file.add(requests as f64 / rate, 0.0, 0);
        }
    }
    let file = Side { cpu: None, ..file.side(FILE, "sends the same bytes from a file", false) };
    let about = format!(
        "{requests} answers with {} pages, {:.1} MB each. wrk has {CONNECTIONS} connections and one \
         thread, on the same cores; in turn, round by round. The content root and nginx's file are {}.",
        thousands(size.listed as f64),
        sitemap.len() as f64 / 1e6,
        place.shown
    );
    let sides = vec![live.end(LIVE, "writes it anew each time", true), file];
    let mut works = vec![work(SITEMAP, "The sitemap", &about, requests, sides)];

    let requests = 1_000;
    let greeting = place.at("greeting");
    fs::write(&greeting, "hello")?;
    let hello = Process::start(Command::new(hello).arg(greeting)).context("axum-hello")?;
    let path = root::path(0);
    let mut asked = [
        Asked::new(&site.process, site.url(&path), requests),
        Asked::new(&objects.process, objects.url(&path), requests),
        Asked::new(&hello, format!("http://{}/", hello.said), requests),
    ];
    for round in 0..=size.rounds {
        eprintln!("bench: {VIEWS}, round {round} of {}", size.rounds);
        asked.iter_mut().for_each(|one| one.take(&load, round > 0));
    }
    let names = [
        (PAGE, "reads the file, renders it, puts it into the theme", true),
        (OBJECT, "the same, of an object with a sidecar", true),
        (HELLO, "a line of text, always the same", false),
    ];
    let sides =
        asked.into_iter().zip(names).map(|(one, (name, does, ours))| one.end(name, does, ours));
    let about = format!(
        "{requests} views of a page of 1 kB of Markdown, of {} pages. wrk as above.",
        thousands(size.listed as f64)
    );
    works.push(work(VIEWS, "Page views", &about, requests, sides.collect()));
    Ok(works)
}

/// Until the first line is said.
fn starts(tidings: &Path, size: &Size) -> Result<Work> {
    let mut sides = Vec::new();
    for (layout, name, does) in [
        (Layout::Plain, STARTED_PLAIN, "Markdown files"),
        (Layout::Versioned, STARTED_VERSIONED, "objects with sidecars"),
    ] {
        let place = Place::for_about(size.started * 2, size.started << 12)?;
        let root = place.at("root");
        fill(&root, size.started, layout)?;
        let mut figures = Figures::default();
        for round in 0..=size.rounds {
            eprintln!("bench: {START}, {name}, round {round} of {}", size.rounds);
            let site = Site::start(tidings, &root)?;
            // The first is one that counts, too: it has a journal to begin.
            figures.add(site.process.ready, site.process.cpu()?, site.process.peak_kib()?);
        }
        sides.push(figures.side(name, does, true));
    }
    let about = format!(
        "Until `tidings site` says that it is ready, with {} pages in memory; the first start, which \
         begins the journal, among them.",
        thousands(size.started as f64)
    );
    Ok(work(START, "Start", &about, size.started, sides))
}

fn work(id: &str, title: &str, about: &str, resources: u64, sides: Vec<Side>) -> Work {
    let (id, title, about) = (id.to_owned(), title.to_owned(), about.to_owned());
    Work { id, title, about, resources, bytes: 0, sides }
}
