//! HTTP/1.1, as far as a follower needs it: requests without bodies, answers with their lengths.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::documents;
use super::sites::{Kind, Sites};

/// The longest head that is read.
const MOST: usize = 16 << 10;

const XML: &str = "application/xml";
const HTML: &str = "text/html; charset=utf-8";

/// What is answered.
struct Answer {
    status: u16,
    media_type: &'static str,
    etag: Option<String>,
    body: String,
}

pub(super) async fn serve(listener: &TcpListener, sites: &Arc<Sites>) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) if peer.ip().is_loopback() => {
                let sites = Arc::clone(sites);
                tokio::spawn(async move {
                    // Who goes away is no concern of ours.
                    let _ = converse(stream, &sites).await;
                });
            }
            Ok(_) => {}
            // Too many open files: some are closed soon.
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

/// One connection, request after request.
async fn converse(mut stream: TcpStream, sites: &Sites) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let SocketAddr::V4(address) = stream.local_addr()? else { return Ok(()) };
    let site = Sites::at(*address.ip());
    let mut read = Vec::with_capacity(1024);
    loop {
        let end = loop {
            if let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end + 4;
            }
            if read.len() > MOST || stream.read_buf(&mut read).await? == 0 {
                return Ok(());
            }
        };
        let head = String::from_utf8_lossy(&read[..end]).into_owned();
        read.drain(..end);
        if site.is_some_and(|site| sites.kind(site) == Kind::Hanging) {
            count(&sites.counters.hanging);
            // Until the other side gives up.
            while stream.read_buf(&mut read).await? > 0 {
                read.clear();
            }
            return Ok(());
        }
        let path = head.split(' ').nth(1).unwrap_or_default();
        let answer = match site {
            Some(site) => of_site(sites, site, path, header(&head, "if-none-match")),
            None => of_farm(sites, path),
        };
        // Lists are what has an ETag.
        if answer.etag.is_some() && !sites.delay().is_zero() {
            tokio::time::sleep(sites.delay()).await;
        }
        stream.write_all(&written(&answer, head.starts_with("HEAD "))).await?;
        if header(&head, "connection").is_some_and(|value| value.eq_ignore_ascii_case("close")) {
            return Ok(());
        }
    }
}

fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let lines = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    let mut found = lines.filter(|(one, _)| one.eq_ignore_ascii_case(name));
    found.next().map(|(_, value)| value.trim())
}

fn written(answer: &Answer, is_head: bool) -> Vec<u8> {
    let Answer { status, media_type, etag, body } = answer;
    let etag = etag.as_ref().map(|etag| format!("ETag: {etag}\r\n")).unwrap_or_default();
    let length = match status {
        304 => String::new(),
        _ => format!("Content-Type: {media_type}\r\nContent-Length: {}\r\n", body.len()),
    };
    let body = if is_head { "" } else { body };
    format!("HTTP/1.1 {status} Answer\r\n{etag}{length}\r\n{body}").into_bytes()
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn plain(status: u16, media_type: &'static str, body: impl Into<String>) -> Answer {
    Answer { status, media_type, etag: None, body: body.into() }
}

fn of_site(sites: &Sites, site: u64, path: &str, known: Option<&str>) -> Answer {
    let (base, kind) = (sites.url(site), sites.kind(site));
    let counters = &sites.counters;
    let is_list = matches!(
        (kind, path),
        (Kind::ResourceSync, "/changelist.xml") | (Kind::Sitemap, "/sitemap.xml")
    );
    if is_list {
        let changes = sites.changes(site);
        let etag = format!("\"{changes}\"");
        if known == Some(&etag) {
            count(&counters.unchanged);
            return Answer { etag: Some(etag), ..plain(304, XML, "") };
        }
        count(&counters.lists);
        let body = match kind {
            Kind::Sitemap => documents::sitemap(sites, &base, changes),
            _ => documents::change_list(sites, &base, changes),
        };
        return Answer { etag: Some(etag), ..plain(200, XML, body) };
    }
    count(if path == "/robots.txt" { &counters.robots } else { &counters.others });
    match (kind, path) {
        (Kind::Erring, _) => plain(500, HTML, documents::page("It does not work today")),
        (_, "/robots.txt") => match sites.robots() {
            Some(robots) => plain(200, "text/plain", robots),
            None => plain(404, HTML, documents::page("There is none")),
        },
        (_, "/index.txt") => plain(200, "text/plain", documents::webfeed(sites.changes(site))),
        (_, post) if post.starts_with("/post-") => plain(200, HTML, documents::post(site, post)),
        (_, "/") => plain(200, HTML, documents::page(&format!("Site {site}"))),
        (Kind::ResourceSync, "/.well-known/resourcesync") => {
            plain(200, XML, documents::description(&base))
        }
        (Kind::ResourceSync, "/capabilitylist.xml") => {
            plain(200, XML, documents::capability_list(&base))
        }
        (_, page) if page.starts_with("/page-") => {
            let name = page.trim_start_matches('/').trim_end_matches(".html");
            plain(200, HTML, documents::page(&format!("{name} of site {site}")))
        }
        _ => plain(404, HTML, documents::page("There is nothing")),
    }
}

/// What is asked by those who run the farm in another process.
fn of_farm(sites: &Sites, path: &str) -> Answer {
    let words: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let done = match words[..] {
        ["requests"] => Some(format!("{:?}\n", sites.counters.read())),
        ["add", site, changes] => add(sites, site, changes).map(|()| String::new()),
        _ => None,
    };
    match done {
        Some(body) => plain(200, "text/plain", body),
        None => plain(404, "text/plain", "add/SITE/CHANGES, add/all/CHANGES, requests\n"),
    }
}

fn add(sites: &Sites, site: &str, changes: &str) -> Option<()> {
    let changes = changes.parse().ok()?;
    match site {
        "all" => {
            sites.more.fetch_add(changes, Ordering::SeqCst);
        }
        site => sites.add(site.parse().ok()?, changes),
    }
    Some(())
}
