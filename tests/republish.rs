//! Origin, aggregator, aggregator of the aggregator, copy: changes flow through, and each hop says where
//! things come from (section 14.8).
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;

use support::copied::{Copy, Served};
use support::{run, stderr, stdout};

/// A copy that is served, and republished under its own URL.
struct Aggregator(Served);

impl Aggregator {
    fn new() -> Self {
        Self(Served::of(tempfile::tempdir().unwrap()))
    }

    #[track_caller]
    fn turn(&self, from: &str) {
        let (folder, url) = (self.0.folder.path().to_str().unwrap(), self.0.url());
        let output = run(["sync", from, folder, "--delete"]);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        let output = run(["republish", folder, "--base", &url]);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        let output = run(["validate", "--follow", &format!("{url}.well-known/resourcesync")]);
        assert!(stdout(&output).ends_with("nothing wrong\n"), "{}", stdout(&output));
    }

    /// The `via` links of a document, in order.
    fn vias(&self, document: &str) -> Vec<String> {
        let text = fs::read_to_string(self.0.path(document)).unwrap();
        let links = text.split("<rs:ln rel=\"via\"").skip(1);
        let mut links: Vec<String> =
            links.map(|rest| rest.split("/>").next().unwrap().to_owned()).collect();
        links.sort();
        links
    }
}

#[test]
fn changes_flow_through_a_chain_and_the_origin_is_told() {
    let origin = Served::new(&[("a.html", "a"), ("b/c.html", "c"), ("d.txt", "d")]);
    origin.publish(&[]);
    let (first, second, copy) = (Aggregator::new(), Aggregator::new(), Copy::new());
    let turn = || {
        first.turn(&origin.url());
        second.turn(&first.0.url());
        copy.sync(&second.0.url(), &["--delete"]);
        copy.assert_in_sync(&second.0.url(), &[]);
    };
    turn();
    let list = "resourcesync/resourcelist.xml";
    let vias = first.vias(list);
    assert_eq!(vias.len(), 3);
    assert!(vias.iter().all(|via| via.contains(&origin.url())), "{vias:?}");
    assert_eq!(second.vias(list), vias);

    fs::write(origin.path("a.html"), "A").unwrap();
    fs::write(origin.path("new.html"), "new").unwrap();
    fs::remove_file(origin.path("d.txt")).unwrap();
    origin.publish(&[]);
    turn();
    // An increment upstream is an increment downstream.
    let changes = "resourcesync/changelist.xml";
    let vias = first.vias(changes);
    assert_eq!(vias.len(), 2, "{vias:?}");
    assert_eq!(second.vias(changes), vias);
    let told = fs::read_to_string(second.0.path(changes)).unwrap();
    for change in ["created", "updated", "deleted"] {
        assert_eq!(told.matches(&format!("change=\"{change}\"")).count(), 1, "{told}");
    }
    let bytes: Vec<Vec<u8>> = copy.files().into_values().collect();
    let wanted: Vec<Vec<u8>> = origin.files().into_values().collect();
    assert_eq!(bytes, wanted);
}

#[test]
fn what_is_no_copy_is_not_republished() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        run(["republish", folder.path().to_str().unwrap(), "--base", "https://m.example/"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("tidings sync URL"), "{}", stderr(&output));
}
