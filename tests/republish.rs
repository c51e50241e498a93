//! Origin, aggregator, aggregator of the aggregator, copy: changes flow through, and each hop says where
//! things come from (section 14.8).
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;

use support::copied::{Copy, Served};
use support::documents::{capability_list, description, resource_list};
use support::stage::Stage;
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

/// The base of a copy that nobody serves.
const BASE: &str = "https://m.example/";

/// Republishes the copy of a stage, and asserts that the result is a valid Source.
#[track_caller]
fn republished(stage: &Stage, options: &[&str]) -> serde_json::Value {
    let copy = stage.copy();
    let folder = copy.to_str().unwrap();
    let arguments = ["republish", folder, "--base", BASE, "--json"];
    let output = run(arguments.into_iter().chain(options.iter().copied()));
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let (map, description) =
        (format!("{BASE}={folder}"), format!("{BASE}.well-known/resourcesync"));
    let checked = run(["validate", "--follow", "--map", &map, &description]);
    // A digest that the original Source gave and nobody can check is a warning, in its via link.
    let is_valid = checked.status.code() < Some(2) && !stdout(&checked).contains("error RS-");
    assert!(is_valid, "{}{}", stdout(&checked), stderr(&checked));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A document of the republished copy.
#[track_caller]
fn document(stage: &Stage, name: &str) -> String {
    let path = stage.copy().join("resourcesync").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A Source with the sets `books` and `maps`; `both.txt` is in each.
fn two_sets() -> Stage {
    let stage = Stage::new();
    let files = [("b.txt", "book"), ("m.txt", "map"), ("both.txt", "both")];
    stage.files(&files);
    for (set, own) in [("books", "b.txt"), ("maps", "m.txt")] {
        let of = |name: &&str| files.iter().find(|(path, _)| path == name).unwrap().1;
        let items: Vec<_> =
            [own, "both.txt"].iter().map(|name| stage.item(name).of(of(name))).collect();
        stage.text(&format!("/{set}/resourcelist.xml"), resource_list(&items));
        let offers = [("resourcelist", stage.url(&format!("/{set}/resourcelist.xml")))];
        stage.text(&format!("/{set}/capabilitylist.xml"), capability_list(&offers));
    }
    let sets = ["books", "maps"].map(|set| stage.url(&format!("/{set}/capabilitylist.xml")));
    stage.text("/description.xml", description(&sets));
    stage
}

#[test]
fn several_sets_stay_several_with_their_names() {
    let stage = two_sets();
    stage.sync_from("/description.xml", &["--all"]).exits(0);
    republished(&stage, &[]);
    let (books, maps) =
        (document(&stage, "books/resourcelist.xml"), document(&stage, "maps/resourcelist.xml"));
    assert!(books.contains("/b.txt") && !books.contains("/m.txt"), "{books}");
    assert!(maps.contains("/m.txt") && !maps.contains("/b.txt"), "{maps}");
    assert!(books.contains("/both.txt") && maps.contains("/both.txt"), "{books}{maps}");
    // A run without news writes nothing.
    let again = republished(&stage, &[]);
    assert_eq!(again["written"], serde_json::json!([]), "{again}");
}

#[test]
fn verified_digests_of_the_source_are_published_again() {
    let stage = Stage::new();
    stage.files(&[("a.txt", "a"), ("b.txt", "b")]);
    // MD5 and SHA-1 of "a"; MD5 of "b", and a digest of an algorithm that nobody knows.
    let a = "md5:0cc175b9c0f1b6a831c399e269772661 sha-1:86f7e437faa5a7fce15d1ddcb9eaeaea377667b8";
    let b = "md5:92eb5ffee6ae2fec3ad71c777531578f crc32:71beeff9";
    stage.list(&[stage.item("a.txt").md("hash", a), stage.item("b.txt").md("hash", b)]);
    stage.sync(&[]).exits(0);
    republished(&stage, &[]);
    let list = document(&stage, "resourcelist.xml");
    let entries: Vec<&str> = list.lines().filter(|line| line.contains("<loc>")).collect();
    let own =
        |entry: &str| entry.split("<rs:md").nth(1).unwrap().split("/>").next().unwrap().to_owned();
    let (first, second) = (own(entries[0]), own(entries[1]));
    assert!(first.contains(a) && first.contains("sha-256:ca978112"), "{first}");
    assert!(second.contains("md5:92eb5ffe") && second.contains("sha-256:3e23e816"), "{second}");
    assert!(!second.contains("crc32"), "{second}");
    // What the original Source said stays in the link to it.
    assert!(entries[1].contains("crc32:71beeff9"), "{}", entries[1]);
}

#[test]
fn digests_of_another_representation_are_not_published() {
    let stage = Stage::new();
    stage.files(&[("a.html", "<p>a"), ("a.txt", "a")]);
    let of_html = "md5:bf1af75b6b6f1ea33ca46a3aa9b9e4bb";
    let alternate =
        format!("type=\"text/plain\" hash=\"sha-256:{}\"", support::documents::sha256(b"a"));
    let item = stage.item("a.html").md("hash", of_html).md("type", "text/html");
    stage.list(&[item.link("alternate", &stage.url("/a.txt"), &alternate)]);
    stage.sync(&["--prefer", "text/plain"]).exits(0);
    republished(&stage, &[]);
    let list = document(&stage, "resourcelist.xml");
    let own = list.split("<rs:ln").next().unwrap();
    assert!(
        !list.split("<loc>").nth(1).unwrap().split("<rs:ln").next().unwrap().contains("md5:"),
        "{own}"
    );
}

#[test]
fn a_digest_that_came_after_the_bytes_is_not_published() {
    let stage = Stage::followed(&[("a.txt", "a")]);
    // The same SHA-256, and an MD5 that nobody checked.
    let wrong = "md5:00000000000000000000000000000000";
    let hash = format!("sha-256:{} {wrong}", support::documents::sha256(b"a"));
    let item = stage.item("a.txt").md("length", 1).md("hash", hash);
    let change = item.change("updated").at("2026-01-02T00:00:00Z");
    stage.changes(&support::documents::change_list(&[change]));
    stage.sync(&[]).exits(0).counts("unchanged", 1);
    republished(&stage, &[]);
    let list = document(&stage, "resourcelist.xml");
    assert!(!list.contains(wrong), "{list}");
}

#[test]
fn links_that_hold_only_for_the_original_are_dropped() {
    let stage = Stage::new();
    stage.files(&[("a.txt", "a")]);
    let mut item = stage.item("a.txt").of("a");
    let dropped = ["canonical", "collection", "memento", "timegate", "timemap"];
    let kept = ["describedby", "describes", "duplicate", "license", "profile", "author"];
    for rel in dropped.iter().chain(&kept) {
        item = item.link(rel, &format!("https://o.example/{rel}"), "");
    }
    stage.list(&[item]);
    stage.sync(&[]).exits(0);
    republished(&stage, &[]);
    let list = document(&stage, "resourcelist.xml");
    for rel in dropped {
        assert!(!list.contains(&format!("https://o.example/{rel}\"")), "{rel}: {list}");
    }
    for rel in kept {
        assert!(list.contains(&format!("https://o.example/{rel}\"")), "{rel}: {list}");
    }
    assert!(list.contains("rel=\"via\""), "{list}");
}

#[test]
fn hidden_names_are_published_as_they_were_copied() {
    let stage = Stage::copied(&[(".config/a.txt", "a"), ("b.txt", "b")]);
    let outcome = republished(&stage, &[]);
    assert_eq!(outcome["resources"], 2, "{outcome}");
    assert!(document(&stage, "resourcelist.xml").contains("/.config/a.txt"));
}

#[test]
fn a_copy_is_republished_with_dumps() {
    let stage = Stage::with(&[("a.txt", "a"), ("b.txt", "b")]);
    stage.changes(&support::documents::change_list(&[]));
    stage.sync(&[]).exits(0);
    republished(&stage, &["--dump", "--change-dump"]);
    assert!(document(&stage, "resourcedump.xml").contains(".zip"));
    assert!(document(&stage, "changedump.xml").contains("capability=\"changedump\""));
    stage.text("/a.txt", "A!");
    let change = stage.item("a.txt").of("A!").change("updated").at("2026-01-02T00:00:00Z");
    stage.changes(&support::documents::change_list(&[change]));
    stage.sync(&[]).exits(0).counts("updated", 1);
    republished(&stage, &["--dump", "--change-dump"]);
    let dump = document(&stage, "changedump.xml");
    assert!(dump.contains(".zip"), "{dump}");
}

#[test]
fn full_starts_the_history_of_a_republished_copy_again() {
    let stage = Stage::copied(&[("a.txt", "a")]);
    republished(&stage, &[]);
    let copy = stage.copy();
    let folder = copy.to_str().unwrap();
    let other = ["republish", folder, "--base", "https://other.example/"];
    let output = run(other);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains("--full"), "{}", stderr(&output));
    let output = run(other.into_iter().chain(["--full"]));
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(document(&stage, "resourcelist.xml").contains("https://other.example/"));
}
