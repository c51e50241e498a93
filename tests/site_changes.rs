//! The live site reports real changes, and nothing else.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    missing_docs,
    reason = "a test"
)]

mod support;

#[path = "support/content_root.rs"]
mod content_root;

#[path = "site_changes/away.rs"]
mod away;
#[path = "site_changes/replaced.rs"]
mod replaced;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use content_root::Site;

/// All reported changes, by path, in their order.
pub(crate) fn reported(site: &Site) -> BTreeMap<String, Vec<String>> {
    let text = site.text("/resourcesync/changelist.xml");
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in text.split("<url>").skip(1) {
        let between = |start: &str, end: &str| {
            let rest = entry.split(start).nth(1).unwrap();
            rest.split(end).next().unwrap().to_owned()
        };
        let path = between("<loc>", "</loc>").replacen(site.origin(), "", 1);
        all.entry(path).or_default().push(between("change=\"", "\""));
    }
    all
}

/// Waits until something is true.
#[track_caller]
pub(crate) fn wait_until(what: &str, is_true: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_true() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
