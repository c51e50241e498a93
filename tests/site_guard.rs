//! Restricted pages of the live site stay restricted, whatever happens to the files that say so.
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

#[path = "site_guard/arrivals.rs"]
mod arrivals;
#[path = "site_guard/folders.rs"]
mod folders;
#[path = "site_guard/keys.rs"]
mod keys;
#[path = "site_guard/links.rs"]
mod links;
#[path = "site_guard/openings.rs"]
mod openings;
#[path = "site_guard/rules.rs"]
mod rules;
#[path = "site_guard/sidecars.rs"]
mod sidecars;

use content_root::{Page, Root, Site};

/// What nobody but the staff is to see: the path, the title and the words of a page.
pub(crate) const SECRETS: [&str; 3] = ["/figures", "Quarterly-Figures", "quarzfalter"];

/// A page for the staff.
pub(crate) fn figures() -> Page<'static> {
    Page::new("figures")
        .titled("Quarterly-Figures")
        .tagged(&["staff"])
        .in_navigation("Quarterly-Figures")
        .says("The secret word is quarzfalter.\n")
}

/// Asserts that strangers see nothing of the page for the staff.
#[track_caller]
pub(crate) fn assert_hidden(site: &Site, when: &str) {
    assert_eq!(site.status("/figures"), 404, "{when}");
    for path in [
        "/open",
        "/sitemap.xml",
        "/feed.atom",
        "/resourcesync/resourcelist.xml",
        "/resourcesync/changelist.xml",
        "/resourcesync/resourcedump.xml",
        "/builtin/search?q=quarterly",
    ] {
        let text = site.get(path).text().replace("value=\"quarterly\"", "");
        for secret in SECRETS {
            assert!(!text.contains(secret), "{when}: {path} has {secret}");
        }
    }
}

/// Asserts that no change was reported.
#[track_caller]
pub(crate) fn assert_nothing_reported(site: &Site, when: &str) {
    let changes = site.text("/resourcesync/changelist.xml");
    assert_eq!(changes.matches("<url>").count(), 0, "{when}: {changes}");
}

/// The faults that `--check` finds.
pub(crate) fn faults(root: &Root) -> Vec<String> {
    let output = root.check(&["--json"]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = found["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["fault"].as_str().unwrap().to_owned()).collect()
}
