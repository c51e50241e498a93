//! Sources that tell of a part of their history only in archives.

use crate::support::documents::{Item, change_list_of, document, index, resource_list_at};
use crate::support::stage::Stage;
use crate::{FILES, at, changed, dump, package};

/// A Change Dump of one package, as a document of its own name.
fn archived_change_dump(
    stage: &Stage,
    name: &str,
    (from, until): (&str, &str),
    items: &[Item],
    files: &[(&str, &str)],
) -> Item {
    let times = format!("from=\"{}\" until=\"{}\"", at(from), at(until));
    let head = format!("<rs:md capability=\"changedump-manifest\" {times}/>");
    let listed = package(stage, &format!("{name}-1"), &head, items, files);
    let head = format!("<rs:md capability=\"changedump\" {times}/>");
    let listed = listed.md("from", at(from)).md("until", at(until));
    stage.text(&format!("/{name}.xml"), document(&head, &[listed]));
    stage.item(&format!("{name}.xml")).md("from", at(from)).md("until", at(until))
}

fn archive(stage: &Stage, kind: &str, items: &[Item]) {
    let head = format!("<rs:md capability=\"{kind}\"/>");
    stage.text(&format!("/{kind}.xml"), document(&head, items));
}

/// A list of January, changes since March, and what changed in between in archived Change Dumps.
fn with_archived_changes(stage: &Stage) {
    let first = [changed(stage, "a.txt", "updated", "newer").md("path", "/1")];
    let second = [stage.item("b.txt").change("deleted")];
    let dumps = [
        archived_change_dump(stage, "january", ("01-01", "02-01"), &first, &[("1", "newer")]),
        archived_change_dump(stage, "february", ("02-01", "03-01"), &second, &[]),
    ];
    archive(stage, "changedump-archive", &dumps);
    let items = [changed(stage, "c.txt", "created", "three").at(&at("03-02"))];
    stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
    stage.text("/changelist.xml", change_list_of(&at("03-01"), None, &items));
}

const NEWEST: &[(&str, &str)] = &[("a.txt", "newer"), ("c.txt", "three")];

#[test]
fn archived_change_dumps_close_a_gap() {
    for is_index in [false, true] {
        let stage = Stage::with(FILES);
        with_archived_changes(&stage);
        if is_index {
            let listed = stage.server.reply("/changedump-archive.xml").unwrap();
            stage.put("/part.xml", listed);
            let head = "<rs:md capability=\"changedump-archive\"/>";
            stage.text("/changedump-archive.xml", index(head, &[stage.item("part.xml")]));
        }
        stage.offer(&["resourcelist", "changelist", "changedump-archive"]);
        let dry = stage.sync(&["--dry-run", "--delete"]);
        dry.exits(0);
        stage.sync(&["--delete"]).exits(0);
        stage.has(NEWEST);
        stage.in_sync("/capabilitylist.xml", &[]);
        // Without a gap nobody asks for it.
        stage.server.forget_log();
        stage.sync(&["--delete"]).exits(0).says("nothing is new");
        assert_eq!(stage.server.count("/changedump-archive.xml"), 0);
    }
}

#[test]
fn a_copy_of_before_goes_on_with_the_archived_dumps_that_it_needs() {
    let stage = Stage::with(FILES);
    let first = [changed(&stage, "a.txt", "updated", "newer")];
    stage.files(&[("a.txt", "newer")]);
    stage.changes(&change_list_of(&at("01-01"), Some(&at("02-01")), &first));
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
    with_archived_changes(&stage);
    stage.offer(&["resourcelist", "changelist", "changedump-archive"]);
    stage.sync(&["--delete"]).exits(0);
    stage.has(NEWEST);
    let counts = ["/january.xml", "/february.xml"].map(|path| stage.server.count(path));
    assert_eq!(counts, [0, 1], "the copy has the changes of January");
    stage.in_sync("/capabilitylist.xml", &[]);
}

#[test]
fn archives_are_not_asked_for_where_nothing_is_missing() {
    let stage = Stage::with(FILES);
    with_archived_changes(&stage);
    dump(&stage, &at("01-01"), FILES);
    let dumped = stage.item("resourcedump.xml").md("at", at("01-01"));
    archive(&stage, "resourcedump-archive", &[dumped]);
    stage.list_text(resource_list_at(&at("03-01"), &stage.items(&NEWEST[..1])));
    stage.offer(&["resourcelist", "changelist", "changedump-archive", "resourcedump-archive"]);
    stage.sync(&["--delete"]).exits(0);
    stage.has(NEWEST);
    stage.in_sync("/capabilitylist.xml", &[]);
    for path in ["/changedump-archive.xml", "/resourcedump-archive.xml", "/january.xml"] {
        assert_eq!(stage.server.count(path), 0, "{path}");
    }
}

#[test]
fn the_newest_archived_dump_is_a_baseline_where_there_is_no_other() {
    for has_list in [false, true] {
        let stage = Stage::new();
        stage.files(NEWEST);
        dump(&stage, &at("03-01"), &NEWEST[..1]);
        let older = stage.item("nowhere.xml").md("at", at("02-01"));
        let newer = stage.item("resourcedump.xml").md("at", at("03-01"));
        archive(&stage, "resourcedump-archive", &[older, newer]);
        let items = [changed(&stage, "c.txt", "created", "three").at(&at("03-02"))];
        stage.text("/changelist.xml", change_list_of(&at("02-15"), None, &items));
        // A list from before the changes begin is no beginning.
        stage.text("/resourcelist.xml", resource_list_at(&at("01-01"), &stage.items(FILES)));
        let offers = ["changelist", "resourcedump-archive", "resourcelist"];
        stage.offer(if has_list { &offers } else { &offers[..2] });
        stage.sync(&["--delete"]).exits(0).counts("packages", 1);
        stage.has(NEWEST);
        stage.in_sync("/capabilitylist.xml", &[]);
        stage.sync(&["--delete"]).exits(0).says("nothing is new");
    }
}

#[test]
fn changes_that_only_an_archive_tells_of_are_found_at_each_poll() {
    let stage = Stage::with(FILES);
    archive(&stage, "changedump-archive", &[]);
    stage.offer(&["resourcelist", "changedump-archive"]);
    stage.sync(&["--delete"]).exits(0);
    stage.has(FILES);
    let items = [changed(&stage, "a.txt", "updated", "newer").md("path", "/1")];
    let listed =
        archived_change_dump(&stage, "january", ("01-01", "02-01"), &items, &[("1", "newer")]);
    archive(&stage, "changedump-archive", std::slice::from_ref(&listed));
    for _ in 0..2 {
        stage.sync(&["--delete"]).exits(0);
        stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
        stage.in_sync("/capabilitylist.xml", &[]);
    }
    let items = [stage.item("b.txt").change("deleted")];
    let next = archived_change_dump(&stage, "february", ("02-01", "03-01"), &items, &[]);
    archive(&stage, "changedump-archive", &[listed, next]);
    stage.sync(&["--delete"]).exits(0);
    stage.has(&[("a.txt", "newer")]);
    stage.in_sync("/capabilitylist.xml", &[]);
}

#[test]
fn archived_changes_reach_further_back_where_there_is_no_baseline() {
    let stage = Stage::new();
    let first = [
        changed(&stage, "a.txt", "created", "newer").md("path", "/1"),
        changed(&stage, "b.txt", "created", "two").md("path", "/2"),
    ];
    let files = [("1", "newer"), ("2", "two")];
    let listed = archived_change_dump(&stage, "january", ("01-01", "02-01"), &first, &files);
    archive(&stage, "changedump-archive", &[listed]);
    let items = [
        stage.item("b.txt").change("deleted"),
        changed(&stage, "c.txt", "created", "three").at(&at("03-02")),
    ];
    stage.files(NEWEST);
    stage.text("/changelist.xml", change_list_of(&at("02-01"), None, &items));
    stage.offer(&["changelist", "changedump-archive"]);
    stage.sync(&["--delete"]).exits(0).says("as far as its changes reach");
    stage.has(NEWEST);
    stage.sync(&["--delete"]).exits(0).says("nothing is new");
}

#[test]
fn an_archived_list_stands_in_for_one_that_is_not_there() {
    let stage = Stage::new();
    stage.files(NEWEST);
    stage.text("/list.xml", resource_list_at(&at("03-01"), &stage.items(NEWEST)));
    let listed = stage.item("list.xml").md("at", at("03-01"));
    archive(&stage, "resourcelist-archive", &[listed]);
    stage.text("/changelist.xml", change_list_of(&at("02-15"), None, &[]));
    stage.offer(&["resourcelist", "changelist", "resourcelist-archive"]);
    // The list itself is named.
    stage.sync(&[]).exits(1).says("/resourcelist.xml");
    stage.has(NEWEST);
}

#[test]
fn a_gap_stays_one_where_the_archive_is_not_there_or_tells_nothing_of_it() {
    let stage = Stage::with(FILES);
    with_archived_changes(&stage);
    stage.offer(&["resourcelist", "changelist", "changedump-archive"]);
    let whole = stage.server.reply("/changedump-archive.xml").unwrap();
    stage.server.remove("/changedump-archive.xml");
    stage.sync(&[]).exits(1).says("/changedump-archive.xml").says("\"gaps\"");
    archive(&stage, "changedump-archive", &[]);
    stage.sync(&[]).exits(1).says("between 2026-01-01");
    // One of its dumps is not there.
    let february = stage.server.reply("/february.xml").unwrap();
    stage.put("/changedump-archive.xml", whole);
    stage.server.remove("/february.xml");
    stage.sync(&[]).exits(1).says("/february.xml");
    stage.put("/february.xml", february);
    // Lists alone do not read packages.
    stage.sync(&["--via", "list"]).exits(1).says("\"gaps\"");
    stage.sync(&["--delete"]).exits(0);
    stage.has(NEWEST);
}

#[test]
fn packages_without_times_count_beside_archived_lists_in_sync_and_audit() {
    let stage = Stage::with(FILES);
    let first = [changed(&stage, "a.txt", "updated", "newer")];
    stage.files(&[("a.txt", "newer"), ("b.txt", "newer")]);
    stage.text("/old.xml", change_list_of(&at("01-01"), Some(&at("02-01")), &first));
    let old = stage.item("old.xml").md("from", at("01-01")).md("until", at("02-01"));
    archive(&stage, "changelist-archive", &[old]);
    let second = [changed(&stage, "b.txt", "updated", "newer").md("path", "/1")];
    let head = format!("<rs:md capability=\"changedump-manifest\" from=\"{}\"/>", at("02-01"));
    let listed = package(&stage, "changes", &head, &second, &[("1", "newer")]);
    let head = format!("<rs:md capability=\"changedump\" from=\"{}\"/>", at("02-01"));
    stage.text("/changedump.xml", document(&head, &[listed]));
    stage.offer(&["resourcelist", "changelist-archive", "changedump"]);
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "newer"), ("b.txt", "newer")]);
    stage.in_sync("/capabilitylist.xml", &[]);
}
