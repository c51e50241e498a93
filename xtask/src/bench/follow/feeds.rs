//! A feed, asked for as often as it is answered, beside a server that says hello.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::asked::Asked;
use super::data::{BODY, FEED, HELLO, SERVE, UNCHANGED_FEED};
use super::ground::Ground;
use super::process::Process;
use super::wrk::Load;
use super::{Size, ask};
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;
use crate::command::output;

/// Entries of the feed, each of which tells of some changes.
const ENTRIES: usize = 50;
const CHANGES: usize = 3;
/// What takes as long as is said.
const REQUESTS: u64 = 100_000;
/// How many connections wrk has, all of which wait for answers.
const CONNECTIONS: u32 = 32;

pub(super) fn run(ground: &Ground<'_>, size: &Size) -> Result<Vec<Work>> {
    let place = Place::on_disk(10, 64 << 20)?;
    let data = place.at("feed");
    let mut fill = Command::new(&ground.following);
    let fill =
        fill.arg("feed").arg(&data).args([ENTRIES, CHANGES].map(|figure| figure.to_string()));
    let key = output(fill).context("there is no feed")?;
    let served = ground.serve(&data, "", &["--no-poll"])?;
    let path = format!("/feeds/{}.atom", key.trim());
    let plain = ask::get(&served.address, &path, "")?;
    let entries = String::from_utf8_lossy(&plain.body).matches("<entry>").count();
    ensure!(entries == ENTRIES, "the feed has {entries} entries");
    let gzip = ask::get(&served.address, &path, "Accept-Encoding: gzip\r\n")?;
    ensure!(gzip.header("content-encoding") == Some("gzip"), "the feed is not compressed");
    let etag = gzip.header("etag").context("the feed has no ETag")?;
    let accept = "Accept-Encoding: gzip".to_owned();
    let known = format!("If-None-Match: {etag}");
    let body = place.at("body");
    fs::write(&body, &gzip.body)?;
    let hello = Process::start(Command::new(&ground.hello).arg(body)).context("axum-hello")?;
    let contest = |id: &str, headers: &[String], does: &str| {
        let ask = |process, url| Asked::new(process, url, REQUESTS);
        let at = |path: &str| format!("http://{}{path}", hello.said);
        let ours = ask(&served.process, format!("http://{}{path}", served.address));
        let same = if id == FEED { vec![ask(&hello, at("/body"))] } else { Vec::new() };
        let mut asked = [vec![ours, ask(&hello, at("/"))], same].concat();
        let load = Load { headers, connections: CONNECTIONS, seconds: size.load };
        for round in 0..=size.rounds {
            eprintln!("bench: {id}, round {round} of {}", size.rounds);
            asked.iter_mut().for_each(|one| one.take(&load, round > 0));
        }
        let names = [
            (SERVE, does, true),
            (HELLO, "a line of text, always the same", false),
            (BODY, "the bytes of the feed, always the same", false),
        ];
        let sides = asked.into_iter().zip(names);
        sides.map(|(one, (name, does, ours))| one.end(name, does, ours)).collect::<Vec<_>>()
    };
    let about = |what: &str| {
        format!(
            "{} requests for a feed, {what}. Its {ENTRIES} entries tell of {CHANGES} changes each: \
             {} bytes, {} as they are sent. wrk has {CONNECTIONS} connections and one thread, on the \
             same cores; the same headers go to both. Peak and CPU time are the server's.",
            thousands(REQUESTS as f64),
            thousands(plain.body.len() as f64),
            thousands(gzip.body.len() as f64),
        )
    };
    let unchanged = contest(UNCHANGED_FEED, &[accept.clone(), known], "304, by `If-None-Match`");
    let sent = contest(FEED, &[accept], "200, compressed");
    let work = |id: &str, title: &str, about: String, sides| Work {
        id: id.to_owned(),
        title: title.to_owned(),
        about,
        resources: REQUESTS,
        bytes: 0,
        sides,
    };
    let known = about("which the reader has already");
    Ok(vec![
        work(UNCHANGED_FEED, "A feed that is as it was", known, unchanged),
        work(FEED, "A feed that is sent", about("sent whole"), sent),
    ])
}
