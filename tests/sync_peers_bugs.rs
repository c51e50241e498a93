//! What other clients and publishers were seen to do wrong, each as a test that we do not. The numbers
//! are those of our list of such bugs; 13 and 17 concern a language and a hub, and have none.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    reason = "a test"
)]

mod support;

use std::fs;
use std::process::Output;

use support::documents::{Item, change_list, change_list_of, index, md5};
use support::server::{Reply, Server, Way};
use support::stage::{Stage, files_of};
use support::{run, stderr, stdout};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];

#[test]
fn bug_01_a_wrong_md5_is_not_synced() {
    let stage = Stage::with(FILES);
    let wrong = stage.item("a.txt").md("hash", format!("md5:{}", md5(b"other")));
    stage.list(&[wrong, stage.items(FILES).remove(1)]);
    stage.sync(&[]).exits(1).says("md5");
    stage.has(&FILES[1..]);
}

#[test]
fn bug_01_a_file_that_was_damaged_is_found_although_its_length_and_time_are_right() {
    let stage = Stage::copied(FILES);
    let path = stage.home().join("a.txt");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, "eno").unwrap();
    fs::File::open(&path).unwrap().set_modified(time).unwrap();
    stage.run("audit", "/capabilitylist.xml", &[]).exits(0);
    stage.run("audit", "/capabilitylist.xml", &["--deep"]).exits(1).says("a.txt");
    stage.run("audit", "/capabilitylist.xml", &["--deep", "--repair"]);
    stage.has(FILES);
    stage.in_sync("/capabilitylist.xml", &[]);
}

#[test]
fn bug_02_digests_of_a_change_list_are_verified() {
    let stage = Stage::followed(FILES);
    stage.files(&[("a.txt", "wrong")]);
    let change = |text: &str| {
        let hash = format!("md5:{}", md5(text.as_bytes()));
        stage.item("a.txt").change("updated").at("2026-02-01T00:00:00Z").md("hash", hash)
    };
    stage.changes(&change_list(&[change("newer")]));
    stage.sync(&[]).exits(1).says("md5");
    stage.has(FILES);
    stage.files(&[("a.txt", "newer")]);
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
}

#[test]
fn bug_03_a_change_list_index_is_read() {
    let stage = Stage::followed(FILES);
    stage.files(&[("a.txt", "newer")]);
    let change = stage.item("a.txt").change("updated").at("2026-02-01T00:00:00Z");
    stage.text("/c1.xml", change_list(&[change]));
    let head = "<rs:md capability=\"changelist\" from=\"2026-01-01T00:00:00Z\"/>";
    stage.changes(&index(head, &[stage.item("c1.xml")]));
    stage.sync(&[]).exits(0).counts("updated", 1);
    stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
}

#[test]
fn bug_04_changes_of_either_version_and_without_a_time() {
    let stage = Stage::followed(FILES);
    stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
    stage.changes(&change_list(&[
        stage.item("a.txt").lastmod("2026-02-01T00:00:00Z").change("updated"),
        stage.item("c.txt").change("created").at("2026-02-02T00:00:00Z"),
        stage.item("b.txt").change("deleted"),
    ]));
    stage.sync(&["--delete"]).exits(0);
    stage.has(&[("a.txt", "newer"), ("c.txt", "three")]);
}

#[test]
fn bug_05_noon_two_hours_east_of_greenwich_is_ten_there() {
    let stage = Stage::followed(FILES);
    stage.files(&[("a.txt", "newer")]);
    // The delete is the first of the two by their times, and the last by their order.
    stage.changes(&change_list(&[
        stage.item("a.txt").change("updated").at("2026-02-01T11:00:00Z"),
        stage.item("a.txt").change("deleted").at("2026-02-01T12:00:00+02:00"),
    ]));
    stage.sync(&["--delete"]).exits(0);
    stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
}

#[test]
fn bug_06_nothing_is_written_outside_and_no_uri_is_a_pattern() {
    let stage = Stage::new();
    stage.files(&[("evil", "evil"), ("a.b", "dot"), ("axb", "x"), ("(", "bracket")]);
    let items = [
        Item::new(stage.url("/d/../evil")),
        Item::new(stage.url("/d/../../../../evil")),
        stage.item("a.b"),
        stage.item("axb"),
        stage.item("("),
    ];
    stage.list(&items);
    stage.sync(&[]).exits(0);
    stage.has(&[("evil", "evil"), ("a.b", "dot"), ("axb", "x"), ("(", "bracket")]);
}

#[test]
fn bug_07_half_of_a_body_is_none() {
    let stage = Stage::copied(FILES);
    stage.put("/a.txt", Reply::ok("0123456789").by(Way::Cut(5)));
    stage.list(&[stage.item("a.txt").lastmod("2026-02-01"), stage.items(FILES).remove(1)]);
    stage.sync(&[]).exits(1);
    stage.has(FILES);
    // Not even as a file that is on its way.
    let names: Vec<String> = files_of(&stage.copy().join(".tidings/tmp")).into_keys().collect();
    assert_eq!(names, Vec::<String>::new());
}

#[test]
fn bug_08_the_exit_code_tells() {
    let stage = Stage::new();
    stage.sync(&[]).exits(2);
    stage.files(FILES);
    stage.list(&stage.items(&[FILES, &[("c.txt", "missing")]].concat()));
    stage.sync(&[]).exits(1);
    stage.run("audit", "/capabilitylist.xml", &[]).exits(1);
    stage.files(&[("c.txt", "missing")]);
    stage.sync(&[]).exits(0);
    stage.run("audit", "/capabilitylist.xml", &[]).exits(0);
    fs::remove_file(stage.home().join("a.txt")).unwrap();
    stage.run("audit", "/capabilitylist.xml", &[]).exits(1).says("a.txt");
}

#[test]
fn bug_08_a_dry_run_changes_nothing() {
    let stage = Stage::with(FILES);
    stage.sync(&["--dry-run"]).exits(0).counts("created", 2);
    stage.has(&[]);
    assert!(!stage.home().exists());
    stage.sync(&[]).exits(0);
    stage.files(&[("a.txt", "newer")]);
    stage.list(&stage.items(&[("a.txt", "newer")]));
    stage.sync(&["--dry-run", "--delete"]).exits(0).counts("updated", 1);
    stage.has(FILES);
}

/// Publishes a folder with ourselves, and serves it.
fn publish(server: &Server, folder: &std::path::Path, options: &[&str]) -> Output {
    let base = server.url("/");
    let arguments = ["publish", folder.to_str().unwrap(), "--base", &base];
    let output = run(arguments.into_iter().chain(options.iter().copied()));
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    for (path, bytes) in files_of(folder) {
        server.put(&format!("/{path}"), Reply::ok(bytes));
    }
    output
}

#[test]
fn bug_09_the_changes_that_we_publish_we_can_follow() {
    let stage = Stage::new();
    let folder = tempfile::tempdir().unwrap();
    support::write_all(folder.path(), FILES);
    let output = publish(&stage.server, folder.path(), &["--json"]);
    // Nothing but what was asked for is on standard output.
    let _: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    stage.sync_from("/", &[]).exits(0);
    stage.has(FILES);
    support::write_all(folder.path(), &[("a.txt", "newer"), ("c.txt", "three")]);
    fs::remove_file(folder.path().join("b.txt")).unwrap();
    publish(&stage.server, folder.path(), &[]);
    stage.server.remove("/b.txt");
    stage.sync_from("/", &["--delete"]).exits(0).says("Change List");
    stage.has(&[("a.txt", "newer"), ("c.txt", "three")]);
    stage.in_sync("/", &[]);
}

#[test]
fn bug_10_the_dump_that_we_publish_we_can_read() {
    let stage = Stage::new();
    let folder = tempfile::tempdir().unwrap();
    support::write_all(folder.path(), FILES);
    publish(&stage.server, folder.path(), &["--dump"]);
    stage.sync_from("/", &["--via", "dump"]).exits(0).counts("unpacked", 2);
    stage.has(FILES);
    stage.in_sync("/", &[]);
}

#[test]
fn bug_11_a_uri_is_all_that_exploring_needs() {
    let stage = Stage::with(FILES);
    let output = run(["explore", &stage.url("/capabilitylist.xml")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("resourcelist.xml"), "{}", stdout(&output));
}

#[test]
fn bug_12_a_token_goes_to_its_own_host() {
    let stage = Stage::with(FILES);
    let other = Server::at("127.0.0.2:0");
    other.put("/x.txt", Reply::ok("x"));
    let mut items = stage.items(FILES);
    items.push(Item::new(other.url("/x.txt")));
    stage.list(&items);
    stage.sync(&["--allow-private", "--header", "Authorization: Bearer secret"]).exits(0);
    assert!(stage.server.log().iter().all(|one| one.header("Authorization").is_some()));
    assert!(other.log().iter().all(|one| one.header("Authorization").is_none()));
}

#[test]
fn bug_12_what_failed_is_not_forgotten() {
    let stage = Stage::followed(FILES);
    stage.put("/a.txt", Reply::new(404, ""));
    let change = stage.item("a.txt").change("updated").at("2026-02-01T00:00:00Z");
    stage.changes(&change_list(std::slice::from_ref(&change)));
    stage.sync(&[]).exits(1);
    // Nothing is new in the list, and yet it is tried again, and told until it is there.
    stage.sync(&[]).exits(1).says("a.txt");
    stage.files(&[("a.txt", "newer")]);
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
}

#[test]
fn bug_14_changes_in_groups_and_times_in_pieces() {
    let stage = Stage::followed(FILES);
    stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
    stage.changes(&change_list_of(
        "2026",
        None,
        &[
            stage.item("c.txt").lastmod("2026-03").change("created"),
            stage.item("a.txt").lastmod("2026-03-01T10:00Z").change("updated"),
            stage.item("b.txt").change("deleted"),
        ],
    ));
    stage.sync(&["--delete"]).exits(0);
    stage.has(&[("a.txt", "newer"), ("c.txt", "three")]);
}

#[test]
fn bug_15_a_list_that_says_it_is_closed_and_goes_on() {
    let stage = Stage::followed(FILES);
    stage.put("/a.txt", Reply::ok("newer").with("Last-Modified", "2026-02-01T00:00:00Z"));
    let one = stage.item("a.txt").change("updated").at("2026-02-01T00:00:00Z");
    let from = "2026-01-01T00:00:00Z";
    stage.changes(&change_list_of(from, Some("2026-02-02T00:00:00Z"), std::slice::from_ref(&one)));
    stage.sync(&["--delete"]).exits(0);
    stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
    let two = stage.item("b.txt").change("deleted").at("2026-02-03T00:00:00Z");
    stage.changes(&change_list_of(from, Some("2026-02-04T00:00:00Z"), &[one, two]));
    stage.sync(&["--delete"]).exits(0);
    stage.has(&[("a.txt", "newer")]);
}

#[test]
fn bug_16_newest_first() {
    let stage = Stage::followed(FILES);
    let old = stage.item("a.txt").change("created").lastmod("2026-02-01T00:00:00Z");
    let new = stage.item("a.txt").change("updated").lastmod("2026-02-02T00:00:00Z");
    stage.files(&[("a.txt", "newer")]);
    stage.changes(&change_list(std::slice::from_ref(&old)));
    stage.sync(&[]).exits(0);
    stage.files(&[("a.txt", "newest")]);
    stage.changes(&change_list(&[new, old]));
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "newest"), ("b.txt", "two")]);
    stage.server.forget_log();
    stage.sync(&[]).exits(0);
    assert_eq!(stage.server.count("/a.txt"), 0, "{:?}", stage.server.log());
}
