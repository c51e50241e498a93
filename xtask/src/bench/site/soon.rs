//! How soon something is there on a very large site: the first byte of an answer, and an edit.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::data::{EDIT, FIRST_INDEX, FIRST_LIST, FIRST_PAGE, FIRST_PART, LISTED, MANY, SEEN};
use super::root::{Layout, fill, path};
use super::{Site, Size, work};
use crate::bench::follow::ask;
use crate::bench::follow::ground::Figures;
use crate::bench::place::Place;
use crate::bench::shown::thousands;
use crate::bench::works::Work;

/// How often each is asked for.
const EACH: usize = 20;

pub(super) fn run(tidings: &Path, size: &Size) -> Result<Vec<Work>> {
    let place = Place::for_about(size.most, size.most << 12)?;
    let root = place.at("root");
    fill(&root, size.most, Layout::Plain)?;
    let site = Site::start(tidings, &root)?;
    let questions = [
        (FIRST_INDEX, "the index of its parts", "/sitemap.xml".to_owned()),
        (FIRST_PART, "50,000 pages", "/sitemaps/sitemap-0002.xml".to_owned()),
        (FIRST_LIST, "the index of its parts", "/resourcesync/resourcelist.xml".to_owned()),
        (FIRST_PAGE, "a page of it", path(0)),
    ];
    let mut sides = Vec::new();
    for (name, does, path) in questions {
        eprintln!("bench: {MANY}, {path}");
        let mut figures = Figures::default();
        for _ in 0..EACH {
            let before = site.process.cpu()?;
            let first = first_byte(&site.address, &path)?;
            figures.add(first, site.process.cpu()? - before, site.process.peak_kib()?);
        }
        sides.push(figures.side(name, does, true));
    }
    let about = format!(
        "From the request to the first byte of the answer, which is then read to its end; {} pages. The \
         peak is that of the server so far: what does not grow from line to line is not kept for a request.",
        thousands(size.most as f64)
    );
    let many = work(MANY, "The first byte", &about, 1, sides);

    let (mut seen, mut listed) = (Figures::default(), Figures::default());
    for number in 0..u64::try_from(EACH)? {
        let file = root.join(format!("pages{}.md", path(number)));
        let begun = Instant::now();
        fs::write(&file, format!("# Edited {number}\n"))?;
        let body = ask::get(&site.address, &path(number), "")?.body;
        let wall = begun.elapsed().as_secs_f64();
        let is_there = String::from_utf8_lossy(&body).contains(&format!("Edited {number}"));
        ensure!(is_there, "an edit is not in the next response");
        seen.add(wall, 0.0, 0);
        let new = root.join(format!("pages/s000/a-new-{number}.md"));
        let begun = Instant::now();
        fs::write(&new, "# New\n")?;
        let body = ask::get(&site.address, "/sitemaps/sitemap-0001.xml", "")?.body;
        let wall = begun.elapsed().as_secs_f64();
        let wanted = format!("/s000/a-new-{number}<");
        let is_there = body.windows(wanted.len()).any(|bytes| bytes == wanted.as_bytes());
        ensure!(is_there, "a new page is not in the next sitemap");
        listed.add(wall, 0.0, 0);
    }
    let about = format!(
        "From the beginning of a write to the end of the next answer, which has it; {} pages. Of the \
         sitemap, the part with 50,000 pages that a new one is in.",
        thousands(size.most as f64)
    );
    let sides = vec![
        seen.side(SEEN, "an edited page", true),
        listed.side(LISTED, "a new page in it", true),
    ];
    Ok(vec![many, work(EDIT, "An edit", &about, 1, sides)])
}

/// Seconds until the first byte; the rest is read, too.
fn first_byte(address: &str, path: &str) -> Result<f64> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let begun = Instant::now();
    stream.write_all(request.as_bytes())?;
    let mut buffer = vec![0; 1 << 16];
    let read = stream.read(&mut buffer)?;
    let wall = begun.elapsed().as_secs_f64();
    ensure!(buffer[..read].starts_with(b"HTTP/1.1 200"), "{path} is not there");
    while stream.read(&mut buffer)? > 0 {}
    Ok(wall)
}
