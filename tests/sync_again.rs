//! Runs that follow runs: what was chosen, tried, broken off or held back before.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;

use support::copied::{Copy, Served};
use support::documents::{Item, change_list_of, index, resource_list_at};
use support::server::{Reply, Way};
use support::stage::Stage;
use support::{run, stderr, stdout};

const FILES: [(&str, &str); 3] = [("a.txt", "a"), ("big/b.txt", "b"), ("c.txt", "c")];

#[test]
fn a_body_that_breaks_off_is_gone_on_with_by_the_only_request_there_may_be() {
    let stage = Stage::new();
    let bytes: Vec<u8> = (0..4_u32 << 20).map(|number| (number % 251) as u8).collect();
    let reply = || Reply::ok(bytes.clone()).etag("\"one\"").with_ranges();
    stage.server.put_all("/large.bin", vec![reply().by(Way::Cut(2 << 20)), reply()]);
    stage.list(&[Item::new(stage.url("/large.bin")).of(&bytes)]);
    stage.run_within(30, "sync", "/capabilitylist.xml", &["--jobs", "1"]).exits(0);
    assert_eq!(stage.found()["large.bin"], bytes);
    let ranges: Vec<_> = stage
        .server
        .log()
        .iter()
        .filter_map(|one| one.header("range").map(str::to_owned))
        .collect();
    assert_eq!(ranges.len(), 1, "only the rest was asked for: {ranges:?}");
}

#[test]
fn a_body_that_always_breaks_off_is_given_up() {
    let stage = Stage::new();
    let bytes = vec![7_u8; 20 << 20];
    let first = Reply::ok(bytes.clone()).etag("\"one\"").by(Way::Cut(2 << 20));
    // What is left is promised each time, and never comes.
    let rest = Reply::new(206, Vec::new())
        .with("content-range", "bytes 2097152-20971519/20971520")
        .by(Way::Says(18 << 20));
    stage.server.put_all("/large.bin", vec![first, rest]);
    stage.list(&[Item::new(stage.url("/large.bin")).of(&bytes)]);
    stage.run_within(60, "sync", "/capabilitylist.xml", &[]).exits(1);
    assert!(stage.server.count("/large.bin") < 100, "{}", stage.server.count("/large.bin"));
}

#[test]
fn a_dry_run_loses_no_change_of_an_index() {
    let stage = Stage::with(&[("a.txt", "old")]);
    stage.files(&[("a.txt", "old")]);
    let part = |name: &str, from: &str, until: &str| {
        Item::new(stage.url(name)).md("from", from).md("until", until)
    };
    let put = |items: &[Item]| {
        let head = "<rs:md capability=\"changelist\" from=\"2026-01-01T00:00:00Z\"/>";
        stage.put(
            "/changelist.xml",
            Reply::ok(index(head, items)).etag(&format!("\"{}\"", items.len())),
        );
        stage.offer(&["resourcelist", "changelist"]);
    };
    let (one, two) = ("2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z");
    stage.text("/1.xml", change_list_of("2026-01-01T00:00:00Z", Some(one), &[]));
    put(&[part("/1.xml", "2026-01-01T00:00:00Z", one)]);
    stage.sync(&[]).exits(0);
    stage.text("/a.txt", "new");
    let change =
        Item::new(stage.url("/a.txt")).of("new").change("updated").at("2026-02-02T00:00:00Z");
    stage.text("/2.xml", change_list_of(one, Some(two), &[change]));
    put(&[part("/1.xml", "2026-01-01T00:00:00Z", one), part("/2.xml", one, two)]);
    stage.sync(&["--dry-run"]).exits(0).counts("updated", 1);
    stage.sync(&[]).exits(0).counts("updated", 1);
    stage.has(&[("a.txt", "new")]);
}

#[test]
fn what_was_left_out_comes_when_it_is_wanted_even_after_a_failure() {
    let source = Served::new(&FILES);
    source.publish(&[]);
    let copy = Copy::new();
    copy.sync(&source.url(), &["--exclude", "big"]);
    assert!(!copy.files().contains_key("big/b.txt"));
    copy.assert_in_sync(&source.url(), &[]);
    // The run that wants it finds no list.
    let list = fs::read(source.path("resourcesync/resourcelist.xml")).unwrap();
    fs::remove_file(source.path("resourcesync/resourcelist.xml")).unwrap();
    assert_eq!(copy.run("sync", &source.url(), &[]).status.code(), Some(1));
    fs::write(source.path("resourcesync/resourcelist.xml"), list).unwrap();
    copy.sync(&source.url(), &[]);
    assert_eq!(copy.files(), source.files());
}

#[test]
fn a_mistake_ties_a_folder_to_nothing() {
    let source = Served::new(&FILES);
    let copy = Copy::new();
    assert_eq!(
        copy.run("sync", &source.url(), &[]).status.code(),
        Some(2),
        "nothing is published yet"
    );
    source.publish(&[]);
    let other = source.url().replace("127.0.0.1", "localhost");
    assert_eq!(
        copy.run("sync", &other, &[]).status.code(),
        Some(2),
        "its documents are of another host"
    );
    let map = format!("{}=.", source.url());
    copy.sync(&source.url(), &["--map", &map]);
    assert!(copy.path().join("big/b.txt").exists());
}

#[test]
fn one_set_then_all() {
    let source = Served::new(&FILES);
    let config = source.folder.path().with_extension("toml");
    let sets =
        "[[publish.set]]\nname = \"big\"\nglobs = [\"big/**\"]\n[[publish.set]]\nname = \"rest\"\n";
    fs::write(&config, sets).unwrap();
    source.publish(&["--config", config.to_str().unwrap()]);
    fs::remove_file(&config).unwrap();
    let copy = Copy::new();
    let output = copy.run("sync", &source.url(), &[]);
    assert!(
        stderr(&output).contains("--set NAME") && output.status.code() == Some(2),
        "{}",
        stderr(&output)
    );
    copy.sync(&source.url(), &["--set", "big"]);
    assert_eq!(copy.files().len(), 1);
    copy.sync(&source.url(), &["--all"]);
    assert_eq!(copy.files(), source.files());
    let report = copy.sync(&source.url(), &["--all"]);
    assert_eq!(report["requests"], 3, "one for each set, and one for the Source Description");
}

#[test]
fn what_a_dump_has_or_passes_over_is_not_gone() {
    let source = Served::new(&FILES);
    source.publish(&["--dump"]);
    let copy = Copy::new();
    copy.sync(&source.url(), &[]);
    fs::remove_file(source.path("c.txt")).unwrap();
    source.publish(&["--dump"]);
    copy.sync(&source.url(), &[]);
    fs::write(source.path("c.txt"), "c").unwrap();
    source.publish(&["--dump", "--full"]);
    copy.sync(&source.url(), &["--via", "dump", "--baseline"]);
    let report = copy
        .sync(&source.url(), &["--via", "dump", "--baseline", "--exclude", "a.txt", "--delete"]);
    assert_eq!(report["deleted"], 0, "{report}");
    assert_eq!(copy.files(), source.files());
}

#[test]
fn an_index_that_promises_more_than_its_parts_keep_hides_no_change() {
    let stage = Stage::new();
    stage.files(&[("a.txt", "a"), ("b.txt", "b")]);
    let part = resource_list_at("2026-01-02T00:00:00Z", &stage.items(&[("a.txt", "a")]));
    stage.text("/1.xml", part);
    let head = "<rs:md capability=\"resourcelist\" at=\"2026-01-05T00:00:00Z\"/>";
    stage.text("/resourcelist.xml", index(head, &[Item::new(stage.url("/1.xml"))]));
    let created =
        Item::new(stage.url("/b.txt")).of("b").change("created").at("2026-01-03T00:00:00Z");
    stage.text("/changelist.xml", change_list_of("2026-01-01T00:00:00Z", None, &[created]));
    stage.offer(&["resourcelist", "changelist"]);
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "a"), ("b.txt", "b")]);
    stage.in_sync("/capabilitylist.xml", &[]);
}

#[test]
fn a_copy_with_a_hole_is_republished_without_it() {
    let source = Served::new(&FILES);
    source.publish(&[]);
    let copy = Copy::new();
    copy.sync(&source.url(), &[]);
    let host = copy.host();
    fs::remove_file(host.join("a.txt")).unwrap();
    let folder = copy.path().to_str().unwrap();
    let output = run(["republish", folder, "--base", "https://mirror.example/"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stderr(&output).contains("a new baseline synchronization"), "{}", stderr(&output));
    let list = fs::read_to_string(copy.path().join("resourcesync/resourcelist.xml")).unwrap();
    assert!(!list.contains("a.txt") && list.contains("c.txt"), "{list}");
}
