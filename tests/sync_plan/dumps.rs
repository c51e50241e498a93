//! Files out of packages, compared with the files that are there.

use std::os::unix::fs::MetadataExt as _;

use crate::support::documents::{
    Item, capability_list, change_list_of, description, document, resource_list_at,
};
use crate::support::server::Reply;
use crate::support::stage::Stage;
use crate::{FILES, at, change_dump, changed, dump, package};

/// A Resource Dump whose manifest gives no digests.
fn dump_without_digests(stage: &Stage, time: &str, files: &[(&str, &str)]) {
    let item = |(path, _): &(&str, &str)| stage.item(path).md("path", format!("/{path}"));
    let items: Vec<Item> = files.iter().map(item).collect();
    let head = format!("<rs:md capability=\"resourcedump-manifest\" at=\"{time}\"/>");
    let listed = package(stage, "dump", &head, &items, files);
    let head = format!("<rs:md capability=\"resourcedump\" at=\"{time}\"/>");
    stage.text("/resourcedump.xml", document(&head, &[listed]));
}

/// The number of a file and the time of its last change: another file has others.
fn identity(stage: &Stage, path: &str) -> (u64, i64, i64) {
    let metadata = std::fs::metadata(stage.home().join(path)).unwrap();
    (metadata.ino(), metadata.mtime(), metadata.mtime_nsec())
}

#[test]
fn a_newer_dump_of_the_same_bytes_changes_nothing() {
    let stage = Stage::new();
    dump_without_digests(&stage, &at("01-01"), FILES);
    stage.offer(&["resourcedump"]);
    stage.sync(&["--delete"]).exits(0).counts("created", 2);
    let before = FILES.iter().map(|(path, _)| identity(&stage, path)).collect::<Vec<_>>();
    dump_without_digests(&stage, &at("02-01"), FILES);
    let run = stage.sync(&["--delete"]);
    run.exits(0).counts("unchanged", 2).counts("updated", 0).counts("packages", 1);
    let after = FILES.iter().map(|(path, _)| identity(&stage, path)).collect::<Vec<_>>();
    assert_eq!(after, before);
    // A file that is not as the copy left it is put right all the same.
    std::fs::write(stage.home().join("a.txt"), "mine").unwrap();
    dump_without_digests(&stage, &at("03-01"), &[FILES[0], ("b.txt", "newer")]);
    stage.sync(&["--delete"]).exits(0).counts("updated", 2).counts("unchanged", 0);
    stage.has(&[("a.txt", "one"), ("b.txt", "newer")]);
}

#[test]
fn a_change_in_a_package_to_the_same_bytes_changes_nothing() {
    let stage = Stage::with(FILES);
    stage.sync(&[]).exits(0);
    let before = identity(&stage, "a.txt");
    let items = [
        stage.item("a.txt").change("updated").md("path", "/1"),
        changed(&stage, "b.txt", "updated", "newer").md("path", "/2"),
    ];
    let files = [("1", "one"), ("2", "newer")];
    change_dump(&stage, &at("01-01"), &at("02-01"), &items, &files);
    stage.offer(&["resourcelist", "changedump"]);
    stage.sync(&[]).exits(0).counts("updated", 1).counts("unchanged", 1);
    assert_eq!(identity(&stage, "a.txt"), before);
    stage.has(&[("a.txt", "one"), ("b.txt", "newer")]);
}

#[test]
fn of_two_packages_with_one_resource_the_last_counts() {
    let stage = Stage::new();
    stage.files(FILES);
    dump_without_digests(&stage, &at("01-01"), FILES);
    stage.offer(&["resourcedump"]);
    stage.sync(&[]).exits(0);
    // Other bytes come first, and then those of before.
    let head = format!("<rs:md capability=\"resourcedump-manifest\" at=\"{}\"/>", at("02-01"));
    let listed = [("p", "other"), ("q", "one")].map(|(name, content)| {
        let items = [stage.item("a.txt").md("path", "/a"), stage.item("b.txt").md("path", "/b")];
        package(&stage, name, &head, &items, &[("a", content), ("b", "two")])
    });
    let head = format!("<rs:md capability=\"resourcedump\" at=\"{}\"/>", at("02-01"));
    stage.text("/resourcedump.xml", document(&head, &listed));
    stage.sync(&[]).exits(0);
    stage.has(FILES);
}

#[test]
fn a_resource_that_is_there_again_by_its_package_is_not_gone() {
    let stage = Stage::new();
    stage.files(FILES);
    dump_without_digests(&stage, &at("01-01"), FILES);
    stage.offer(&["resourcedump"]);
    stage.sync(&[]).exits(0);
    dump_without_digests(&stage, &at("02-01"), &FILES[..1]);
    // Without --delete the file stays.
    stage.sync(&[]).exits(0);
    stage.has(FILES);
    dump_without_digests(&stage, &at("03-01"), FILES);
    stage.sync(&["--delete"]).exits(0).counts("unchanged", 2).counts("deleted", 0);
    stage.has(FILES);
    stage.in_sync("/capabilitylist.xml", &[]);
}

#[test]
fn packages_without_times_are_read_where_lists_are_offered_no_more() {
    let stage = Stage::with(FILES);
    let first = [changed(&stage, "a.txt", "updated", "newer")];
    stage.files(&[("a.txt", "newer")]);
    stage.changes(&change_list_of(&at("01-01"), Some(&at("02-01")), &first));
    stage.sync(&[]).exits(0);
    // The list is still where it was, and ends where the copy is.
    let second = [changed(&stage, "b.txt", "updated", "newer").md("path", "/1")];
    stage.files(&[("b.txt", "newer")]);
    let head = format!("<rs:md capability=\"changedump-manifest\" from=\"{}\"/>", at("02-01"));
    let listed = package(&stage, "changes", &head, &second, &[("1", "newer")]);
    let head = format!("<rs:md capability=\"changedump\" from=\"{}\"/>", at("02-01"));
    stage.text("/changedump.xml", document(&head, &[listed]));
    stage.offer(&["resourcelist", "changedump"]);
    stage.sync(&[]).exits(0).counts("updated", 1);
    stage.has(&[("a.txt", "newer"), ("b.txt", "newer")]);
}

#[test]
fn an_audit_reads_manifests_beside_the_packages_of_a_change_dump() {
    let stage = Stage::with(FILES);
    let items = [
        changed(&stage, "a.txt", "updated", "newer").md("path", "/1"),
        stage.item("b.txt").change("deleted"),
    ];
    change_dump(&stage, &at("01-01"), &at("02-01"), &items, &[("1", "newer")]);
    let listed = stage.item("changes.zip").md("from", at("01-01")).md("until", at("02-01"));
    let listed = listed.link("contents", &stage.url("/changes.xml"), "");
    let head = format!("<rs:md capability=\"changedump\" from=\"{}\"/>", at("01-01"));
    stage.text("/changedump.xml", document(&head, &[listed]));
    stage.list_text(resource_list_at(&at("01-01"), &stage.items(FILES)));
    stage.offer(&["resourcelist", "changedump"]);
    stage.sync(&["--delete"]).exits(0);
    stage.has(&[("a.txt", "newer")]);
    stage.server.forget_log();
    for options in [&[][..], &["--deep"]] {
        stage.run("audit", "/capabilitylist.xml", options).exits(0);
    }
    assert_eq!(stage.server.count("/changes.zip"), 0, "packages were fetched");
    assert_eq!(stage.server.count("/changes.xml"), 2);
    // It is the manifest that the audit believes.
    std::fs::write(stage.home().join("a.txt"), "other").unwrap();
    stage.run("audit", "/capabilitylist.xml", &["--deep"]).exits(1);
    assert_eq!(stage.server.count("/changes.zip"), 0, "packages were fetched");
}

#[test]
fn a_dump_does_not_replace_a_newer_version_of_another_set_when_it_is_older() {
    // Whichever set is copied first.
    for sets in [["list", "dump"], ["dump", "list"]] {
        let stage = Stage::new();
        let (old, new) = ([("a.txt", "older"), FILES[1]], [("a.txt", "newer"), FILES[1]]);
        dump(&stage, &at("01-01"), &old);
        stage.files(&new);
        let item = stage.item("a.txt").of("newer");
        stage.text("/resourcelist.xml", resource_list_at(&at("02-01"), &[item]));
        let offer = |set: &str| {
            let capability = format!("resource{set}");
            let url = stage.url(&format!("/{capability}.xml"));
            let path = format!("/{set}/capabilitylist.xml");
            stage.text(&path, capability_list(&[(capability.as_str(), url)]));
            stage.url(&path)
        };
        stage.text("/.well-known/resourcesync", description(&sets.map(offer)));
        stage.sync_from("/", &["--all"]).exits(0).counts("packages", 1);
        stage.has(&new);
        stage.in_sync("/", &["--all"]);
        // The dump is read again, and the server has neither version for a while.
        stage.put("/a.txt", Reply::new(503, ""));
        stage.sync_from("/", &["--all", "--baseline"]);
        stage.has(&new);
        stage.files(&new);
        stage.sync_from("/", &["--all", "--baseline"]).exits(0);
        stage.has(&new);
    }
}

#[test]
fn a_change_in_a_package_is_applied_whatever_its_lastmod() {
    let stage = Stage::new();
    stage.files(FILES);
    let day = "2026-01-01";
    let items = ["a.txt", "b.txt"].map(|path| stage.item(path).lastmod(day));
    stage.list_text(resource_list_at(&at("01-01"), &items));
    stage.sync(&[]).exits(0);
    // A second change on the same day, of the same length, without a digest.
    stage.files(&[("a.txt", "new"), ("b.txt", "two")]);
    let item = stage.item("a.txt").change("updated").lastmod(day).md("path", "/a.txt");
    change_dump(&stage, &at("01-01"), &at("02-01"), &[item], &[("a.txt", "new")]);
    stage.offer(&["resourcelist", "changedump"]);
    stage.sync(&[]).exits(0).counts("updated", 1);
    stage.has(&[("a.txt", "new"), ("b.txt", "two")]);
}
