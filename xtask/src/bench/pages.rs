//! `cargo xtask bench pages`: what people look at, with very much to show.

mod data;
mod line;
mod load;
mod questions;
mod report;
mod targets;
mod turns;

use std::ffi::OsStr;
use std::fs;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};

use self::data::{BODY, HELLO, ON_POSTGRES, ON_SQLITE};
use self::questions::{Question, Questions};
use self::report::SECTION;
use self::turns::Server;
use super::follow::ask;
use super::follow::ground::Ground;
use super::follow::process::Process;
use super::frame::{self, Arguments};
use super::place::Place;
use super::shown::thousands;
use super::works::{Run, Work};
use crate::command::output;
use crate::postgres::Postgres;
use crate::setup;

const DAY: u64 = 24 * 60 * 60 * 1000;

/// How much of everything.
struct Size {
    sites: u32,
    /// The changes of one of them, and the batches that they came in.
    changes: u32,
    batches: u32,
    /// The same of each of the others.
    few: u32,
    few_batches: u32,
    /// In which each page is asked for in turn, after one that does not count.
    rounds: usize,
    /// For how long a page is asked for by several, in seconds, and how often.
    load: u64,
    load_rounds: usize,
}

const FULL: Size = Size {
    sites: 1_000,
    changes: 100_000,
    batches: 500,
    few: 200,
    few_batches: 8,
    rounds: 10,
    load: 4,
    load_rounds: 3,
};

const QUICK: Size = Size {
    // More than one page of them.
    sites: 120,
    changes: 5_000,
    batches: 25,
    few: 20,
    few_batches: 2,
    rounds: 1,
    load: 1,
    load_rounds: 1,
};

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    frame::run(arguments, &SECTION, measure)
}

fn measure(arguments: &Arguments) -> Result<Run> {
    setup::with_peers()?;
    let mut started = frame::start(arguments)?;
    started.machine.ask_versions_for_pages();
    let size = if arguments.quick { QUICK } else { FULL };
    let following = started.programs.provide_following()?;
    let hello = started.programs.peer("axum-hello");
    let ground = Ground { tidings: &started.tidings, following, hello };
    let mut works = on_sqlite(&ground, &size)?;
    works.push(on_postgres(&ground, &size)?);
    Ok(started.end("pages", arguments, works))
}

fn on_sqlite(ground: &Ground<'_>, size: &Size) -> Result<Vec<Work>> {
    let place = Place::on_disk(10, 1 << 30)?;
    let data = place.at("pages");
    let key = fill(ground, data.as_os_str(), size)?;
    let served = ground.serve(&data, "", &["--no-poll"])?;
    let questions = Questions::of(&served.address, &key)?;
    let body = place.at("body");
    let home = format!("{}\r\n{}\r\n", GZIP, visit()?);
    fs::write(&body, ask::get(&served.address, "/", &home)?.body)?;
    let hello = Process::start(Command::new(&ground.hello).arg(body)).context("axum-hello")?;
    let ours = Server::new(&served.process, &served.address)?;
    let theirs = Server::new(&hello, &hello.said)?;
    let peers = vec![
        Question::new(HELLO, "a line of text, always the same", "/"),
        Question::new(BODY, "the bytes of home, always the same", "/body"),
    ];
    let sides = turns::run("SQLite", vec![(ours, questions.all), (theirs, peers)], size.rounds)?;
    let mut works = vec![work(ON_SQLITE, "One page at a time", &about(size, "SQLite"), sides)];
    works.extend(load::run((&served, &hello), &key, size)?);
    Ok(works)
}

fn on_postgres(ground: &Ground<'_>, size: &Size) -> Result<Work> {
    let postgres = Postgres::start()?;
    let url = postgres.url();
    let key = fill(ground, url.as_ref(), size)?;
    postgres.analyze()?;
    let served = ground.serve_database(&url, &["--no-poll"])?;
    let questions = Questions::of(&served.address, &key)?.of_both();
    let ours = Server::new(&served.process, &served.address)?;
    let sides = turns::run("PostgreSQL", vec![(ours, questions)], size.rounds)?;
    let about = about(size, "PostgreSQL on the same cores, whose CPU time is not counted");
    Ok(work(ON_POSTGRES, "One page at a time, from PostgreSQL", &about, sides))
}

/// Says the key of the site that has the most.
fn fill(ground: &Ground<'_>, data: &OsStr, size: &Size) -> Result<String> {
    eprintln!("bench: recording the past of {} sites", size.sites);
    let figures = [size.sites, size.changes, size.batches, size.few, size.few_batches];
    let mut command = Command::new(&ground.following);
    command.arg("pages").arg(data).args(figures.map(|figure| figure.to_string()));
    let said = output(&mut command).context("there is nothing to show")?;
    Ok(said.trim().to_owned())
}

fn about(size: &Size, store: &str) -> String {
    let shown = |figure: u32| thousands(f64::from(figure));
    format!(
        "A page for a visitor who was here five days ago, of {} sites. One has a collection with {} \
         changes over a year, found in {} batches; each of the others has {} changes in {}. All was \
         found since the last visit, so there is more news than anybody has. One connection, which \
         stays open; from the request to the last byte, gzip taken. The state is in {store}.",
        shown(size.sites),
        shown(size.changes),
        shown(size.batches),
        shown(size.few),
        shown(size.few_batches),
    )
}

fn work(id: &str, title: &str, about: &str, sides: Vec<super::works::Side>) -> Work {
    let (id, title, about) = (id.to_owned(), title.to_owned(), about.to_owned());
    Work { id, title, about, resources: 1, bytes: 0, sides }
}

const GZIP: &str = "Accept-Encoding: gzip";

/// What the browser of somebody says who was here a second ago, and five days before that.
fn visit() -> Result<String> {
    let now = now()?;
    Ok(format!("Cookie: tidings-visit={}.{}", now - 1_000, now - 5 * DAY))
}

/// In milliseconds since 1970.
fn now() -> Result<u64> {
    Ok(u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?)
}
