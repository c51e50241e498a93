//! Somebody who is not signed in, and reads everything, more than 20 times a second where
//! the machine allows that.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::content_root::{Site, id_of};
use crate::garden::{CANARY, SECRET};

/// Paths that are never for everybody.
const SECRET_PATHS: [&str; 6] = [
    "/team/photo.svg",
    "/party/photo.svg",
    "/team/minutes",
    "/board/2026",
    "/board/2026.svg",
    "/gallery.svg",
];
/// How long after it was asked for the same document is asked for again.
const PERIOD: Duration = Duration::from_millis(40);

pub(crate) struct Stranger<'s> {
    site: &'s Site,
    paths: Vec<(String, AtomicUsize)>,
    unavailable: AtomicUsize,
    leaks: Mutex<Vec<String>>,
    /// True if a document is not read any more because reading it failed.
    is_broken: AtomicBool,
}

/// Tells that a thread ended by a panic.
struct Watched<'b>(&'b AtomicBool);

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.0.fetch_or(std::thread::panicking(), Ordering::Relaxed);
    }
}

impl<'s> Stranger<'s> {
    pub(crate) fn new(site: &'s Site) -> Self {
        let lists = [
            "/open-0",
            "/sitemap.xml",
            "/feed.atom",
            "/.well-known/resourcesync",
            "/resourcesync/capabilitylist.xml",
            "/resourcesync/resourcelist.xml",
            "/resourcesync/changelist.xml",
            "/resourcesync/resourcedump.xml",
            "/resourcesync/resourcedump-part.zip",
            "/builtin/search?q=hidden",
            "/robots.txt",
            "/team/photo.svg",
            "/party/photo.svg",
            "/team/minutes",
            "/board/2026",
            "/board/2026.svg",
            "/gallery.svg",
            "/fresh/page",
        ];
        let mut paths: Vec<String> = lists.map(str::to_owned).into();
        for number in 0..SECRET {
            let id = id_of(&format!("{CANARY}-object-{number}"));
            match number % 3 {
                0 => paths.push(format!("/builtin/timemap/{id:016x}")),
                1 => paths.push(format!("/builtin/memento/{id:016x}.0")),
                _ => paths.push(format!("/id/{id:016x}")),
            }
            paths.push(format!("/{CANARY}-{number}"));
        }
        let paths = paths.into_iter().map(|path| (path, AtomicUsize::new(0))).collect();
        Self {
            site,
            paths,
            unavailable: AtomicUsize::new(0),
            leaks: Mutex::default(),
            is_broken: AtomicBool::new(false),
        }
    }

    /// How many documents there are.
    pub(crate) fn documents(&self) -> usize {
        self.paths.len()
    }

    /// Reads a document until it is over.
    pub(crate) fn poll(&self, document: usize, is_over: &AtomicBool) {
        let _watched = Watched(&self.is_broken);
        let (path, count) = &self.paths[document];
        let mut next = Instant::now();
        while !is_over.load(Ordering::Relaxed) {
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
            next = (next + PERIOD).max(Instant::now());
            let answer = self.site.get(path);
            if answer.status == 503 {
                self.unavailable.fetch_add(1, Ordering::Relaxed);
            }
            let body = crate::support::zip::members(&answer.body).unwrap_or(answer.body);
            let text =
                format!("{}\n{}", answer.head, String::from_utf8_lossy(&body)).to_lowercase();
            let is_secret = path.contains(CANARY) || SECRET_PATHS.contains(&&**path);
            let is_restricted = is_secret && answer.status == 200;
            if is_restricted || text.contains(CANARY) {
                let at = text.find(CANARY).unwrap_or_default();
                let around: String =
                    text[..].chars().skip(at.saturating_sub(60)).take(160).collect();
                let leak = format!("{path} ({}): {around}", answer.status);
                self.leaks.lock().unwrap().push(leak);
            }
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until each document was asked for and answered after this was called.
    pub(crate) fn wait_for_all(&self) {
        let read = || -> Vec<usize> {
            self.paths.iter().map(|(_, count)| count.load(Ordering::Relaxed)).collect()
        };
        // The first answer after this may be one that was asked for before.
        let begun = read();
        while read().iter().zip(&begun).any(|(now, begun)| *now < begun + 2) {
            assert!(!self.is_broken.load(Ordering::Relaxed), "a document cannot be read");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub(crate) fn answers(&self) -> usize {
        self.paths.iter().map(|(_, count)| count.load(Ordering::Relaxed)).sum()
    }

    /// How often the document was read that was read least, and one in the middle.
    pub(crate) fn slowest_and_median(&self) -> (usize, usize) {
        let counts = self.paths.iter().map(|(_, count)| count.load(Ordering::Relaxed));
        let mut counts: Vec<usize> = counts.collect();
        counts.sort_unstable();
        (counts[0], counts[counts.len() / 2])
    }

    pub(crate) fn unavailable(&self) -> usize {
        self.unavailable.load(Ordering::Relaxed)
    }

    pub(crate) fn leaks(&self) -> Vec<String> {
        let mut leaks = self.leaks.lock().unwrap().clone();
        leaks.truncate(20);
        leaks
    }
}
