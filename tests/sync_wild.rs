//! Sources as they are in the wild, rebuilt by us after what other publishers write. Each is copied,
//! then changes as its publisher would tell of it, then is followed; a deep audit agrees both times.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::needless_pass_by_value,
    missing_docs,
    reason = "a test"
)]

mod support;

#[path = "sync_wild/publishers.rs"]
mod publishers;
#[path = "sync_wild/shapes.rs"]
mod shapes;
#[path = "sync_wild/times.rs"]
mod times;

use support::documents::{SITEMAP, TERMS};
use support::stage::{Case, Stage, case, hold};

const OLD: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];
const NEW: &[(&str, &str)] = &[("a.txt", "newer"), ("c.txt", "three")];

/// A Source that is copied from `start`, first as it was and then as it is.
fn source(
    name: &str,
    start: &'static str,
    options: &'static [&'static str],
    before: fn(&Stage),
    after: fn(&Stage),
) -> Case {
    case(name, move || {
        let stage = Stage::new();
        stage.files(OLD);
        before(&stage);
        stage.sync_from(start, &[&["--delete"], options].concat()).exits(0);
        stage.has(OLD);
        stage.in_sync(start, options);
        stage.files(NEW);
        stage.server.remove("/b.txt");
        after(&stage);
        stage.sync_from(start, &[&["--delete"], options].concat()).exits(0);
        stage.has(NEW);
        stage.in_sync(start, options);
        // Nothing is new, and nothing is done.
        stage.sync_from(start, &[&["--delete"], options].concat()).exits(0).counts("updated", 0);
        stage.has(NEW);
    })
}

/// A document as it is written, with the names of the two namespaces and the server in it.
fn text(stage: &Stage, document: &str) -> String {
    let root = format!("xmlns=\"{SITEMAP}\" xmlns:rs=\"{TERMS}\"");
    document.replace("XMLNS", &root).replace("SERVER", stage.url("").trim_end_matches('/'))
}

fn put(stage: &Stage, path: &str, document: &str) {
    stage.text(path, text(stage, document));
}

#[test]
fn every_wild_source_is_copied_and_followed() {
    let cases = [publishers::cases(), times::cases(), shapes::cases()];
    hold("wild Sources", cases.into_iter().flatten().collect());
}
