//! A very large Sitemap, compared with what it was.

use std::cell::Cell;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::Size;
use super::data::{POLL, SITEMAP};
use super::ground::Ground;
use crate::bench::contest::Contestant;
use crate::bench::measure::{Taken, Words};
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::sync::servers::Nginx;
use crate::bench::works::Work;
use crate::command::output;

/// In each of its parts.
const PAGES: u64 = 50_000;
/// One page in so many has another time at each round.
const UPDATED: u64 = 1_000;
/// One in so many is gone at each round, and another one is there.
const REPLACED: u64 = 10_000;

pub(super) fn run(ground: &Ground<'_>, size: &Size) -> Result<Work> {
    let place = Place::on_disk(100, size.sitemaps * PAGES * 500)?;
    let out = place.at("out");
    fs::create_dir_all(&out)?;
    let nginx = Nginx::start(&place.at("nginx"), &out, &out)?;
    let url = format!("http://127.0.0.1:{}/", nginx.port);
    write(&out, &url, size.sitemaps, 0)?;
    let data = place.at("data");
    let mut follow = Command::new(ground.tidings);
    follow.args(["follow", &url, "--titles", "0", "--data"]).arg(&data);
    eprintln!("bench: {SITEMAP}, the first snapshot");
    output(&mut follow).context("the site could not be followed")?;
    let mut words: Words = vec![ground.tidings.into()];
    words.extend(["poll", &url, "--json", "--data"].map(OsString::from));
    words.push(data.into());
    let pages = size.sitemaps * PAGES;
    let expected = pages / UPDATED + 2 * (pages / REPLACED);
    let round = Cell::new(0);
    let mut side = Contestant::new(POLL, "reads all of it, and compares", Ok(words))
        .ours()
        .meter(|| nginx.requests())
        .before(|| {
            round.set(round.get() + 1);
            write(&out, &url, size.sitemaps, round.get())
        })
        .after(|taken| found(taken, expected).map(|()| None));
    for round in 0..=size.rounds {
        eprintln!("bench: {SITEMAP}, round {round} of {}", size.rounds);
        side.take(round > 0);
    }
    Ok(Work {
        id: SITEMAP.to_owned(),
        title: "A large Sitemap, compared".to_owned(),
        about: format!(
            "{} pages in {} Sitemaps under an index, from nginx on the same machine. Before each \
             poll {} of them, all over it, are made to look changed, new or gone. SQLite, on a disk.",
            thousands(pages as f64),
            size.sitemaps,
            thousands(expected as f64)
        ),
        resources: pages,
        bytes: 0,
        sides: vec![side.end()],
    })
}

fn found(taken: &Taken, expected: u64) -> Result<()> {
    let said: Value = serde_json::from_str(&taken.printed).context("tidings did not say it")?;
    let changes = said["polled"][0]["changes"].as_u64();
    ensure!(changes == Some(expected), "{changes:?} changes found of {expected}");
    Ok(())
}

/// Writes the index and its Sitemaps as they are in a round.
fn write(out: &Path, base: &str, sitemaps: u64, round: u64) -> Result<()> {
    const NAMESPACE: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";
    let mut index = format!("<?xml version=\"1.0\"?>\n<sitemapindex {NAMESPACE}>\n");
    for sitemap in 0..sitemaps {
        let mut text = format!("<?xml version=\"1.0\"?>\n<urlset {NAMESPACE}>\n");
        for page in sitemap * PAGES..(sitemap + 1) * PAGES {
            let day = if page % UPDATED == 0 { 1 + round % 28 } else { 1 };
            let name = if page % REPLACED == 1 { round } else { 0 };
            let _ = writeln!(
                text,
                "<url><loc>{base}pages/{page:07}/{name}.html</loc>\
                 <lastmod>2026-01-{day:02}T00:00:00Z</lastmod></url>"
            );
        }
        text.push_str("</urlset>\n");
        let file = out.join(format!("sitemap-{sitemap}.xml"));
        fs::write(&file, text)?;
        // By the second and the length, which stays, nginx tells one from another.
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + round);
        fs::File::options().write(true).open(&file)?.set_modified(time)?;
        let _ = writeln!(index, "<sitemap><loc>{base}sitemap-{sitemap}.xml</loc></sitemap>");
    }
    index.push_str("</sitemapindex>\n");
    fs::write(out.join("sitemap.xml"), index)?;
    Ok(())
}
