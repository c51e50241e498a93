//! Sources of the shapes that other publishers make: what a copy must end as, or which gap it must name.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::needless_pass_by_value,
    missing_docs,
    reason = "a test"
)]

mod support;

#[path = "sync_plan/archives.rs"]
mod archives;
#[path = "sync_plan/dumps.rs"]
mod dumps;
#[path = "sync_plan/lost_entries.rs"]
mod lost_entries;
#[path = "sync_plan/nested.rs"]
mod nested;
#[path = "sync_plan/replaced.rs"]
mod replaced;
#[path = "sync_plan/rewritten.rs"]
mod rewritten;

use std::fs;

use support::documents::{
    Item, change_list, change_list_of, description, document, index, md5, resource_list_at,
};
use support::server::{Reply, Way};
use support::stage::Stage;
use support::zip::{member, zip};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];

/// A time in 2026, by its month and day.
fn at(day: &str) -> String {
    format!("2026-{day}T00:00:00Z")
}

fn changed(stage: &Stage, path: &str, change: &str, content: &str) -> Item {
    stage.item(path).change(change).of(content)
}

/// A package at a path, and the entry for it: its manifest's head, its entries, its files.
fn package(stage: &Stage, name: &str, head: &str, items: &[Item], files: &[(&str, &str)]) -> Item {
    let manifest = document(head, items);
    let members = std::iter::once(member("manifest.xml", manifest.as_str()))
        .chain(files.iter().map(|(path, content)| member(*path, *content)));
    stage.text(&format!("/{name}.zip"), zip(&members.collect::<Vec<_>>()));
    stage.text(&format!("/{name}.xml"), manifest);
    Item::new(stage.url(&format!("/{name}.zip")))
}

/// A Resource Dump of one package with these files.
fn dump(stage: &Stage, time: &str, files: &[(&str, &str)]) {
    let items: Vec<Item> = files
        .iter()
        .map(|(path, content)| stage.item(path).of(content).md("path", format!("/{path}")))
        .collect();
    let head = format!("<rs:md capability=\"resourcedump-manifest\" at=\"{time}\"/>");
    let listed = package(stage, "dump", &head, &items, files);
    let head = format!("<rs:md capability=\"resourcedump\" at=\"{time}\"/>");
    stage.text("/resourcedump.xml", document(&head, &[listed]));
}

/// A Change Dump of one package: changes with the paths of their files.
fn change_dump(stage: &Stage, from: &str, until: &str, items: &[Item], files: &[(&str, &str)]) {
    let times = format!("from=\"{from}\" until=\"{until}\"");
    let head = format!("<rs:md capability=\"changedump-manifest\" {times}/>");
    let listed = package(stage, "changes", &head, items, files);
    let head = format!("<rs:md capability=\"changedump\" from=\"{from}\"/>");
    let listed = listed.md("from", from).md("until", until);
    stage.text("/changedump.xml", document(&head, &[listed]));
}

#[test]
fn a_stale_dump_beside_a_current_list_is_left() {
    let stage = Stage::new();
    stage.files(&[("a.txt", "newer"), ("b.txt", "two")]);
    dump(&stage, &at("01-01"), FILES);
    let items = stage.items(&[("a.txt", "newer"), ("b.txt", "two")]);
    stage.list_text(resource_list_at(&at("03-01"), &items));
    stage.text("/changelist.xml", change_list_of(&at("02-01"), None, &[]));
    stage.offer(&["resourcelist", "resourcedump", "changelist"]);
    // The changes since February do not lead from the dump of January.
    for way in ["auto", "dump"] {
        stage.sync(&["--via", way, "--baseline", "--delete"]).exits(0).counts("unpacked", 0);
        stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
        stage.in_sync("/capabilitylist.xml", &[]);
    }
}

#[test]
fn changes_that_begin_after_the_resource_list_are_a_gap_that_is_named() {
    let stage = Stage::with(FILES);
    stage.files(&[("c.txt", "three")]);
    let created = changed(&stage, "c.txt", "created", "three");
    stage.changes(&change_list_of(&at("02-01"), None, &[created]));
    let run = stage.sync(&["--delete"]);
    run.exits(1).says("2026-01-01").says("2026-02-01");
    assert_eq!(run.json["gaps"][0]["after"], "2026-01-01T00:00:00Z");
    // All that is told is copied all the same.
    stage.has(&[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]);
    stage.run("audit", "/capabilitylist.xml", &[]).exits(1).says("\"gaps\"");
}

#[test]
fn a_first_sync_applies_changes_whose_only_time_is_an_old_lastmod() {
    let stage = Stage::with(FILES);
    stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
    stage.server.remove("/b.txt");
    let old = "2001-01-01T00:00:00Z";
    // As the reference client writes it: no `from`, no `datetime`, the files' own times.
    let items = [
        changed(&stage, "a.txt", "updated", "newer").lastmod(old),
        stage.item("b.txt").change("deleted").lastmod(old),
        changed(&stage, "c.txt", "created", "three").lastmod(old),
    ];
    stage.changes(&document("<rs:md capability=\"changelist\"/>", &items));
    stage.sync(&["--delete"]).exits(0);
    stage.has(&[("a.txt", "newer"), ("c.txt", "three")]);
    stage.in_sync("/capabilitylist.xml", &[]);
}

#[test]
fn a_change_dump_needs_no_change_list() {
    for way in ["auto", "dump"] {
        let stage = Stage::new();
        stage.files(FILES);
        dump(&stage, &at("01-01"), FILES);
        stage.offer(&["resourcedump"]);
        stage.sync(&["--via", way, "--delete"]).exits(0);
        stage.has(FILES);
        let items = [
            changed(&stage, "a.txt", "updated", "newer").md("path", "/1"),
            stage.item("b.txt").change("deleted"),
        ];
        // The server has nothing but packages: what they bring comes from nowhere else.
        stage.server.remove("/a.txt");
        stage.server.remove("/b.txt");
        change_dump(&stage, &at("01-01"), &at("02-01"), &items, &[("1", "newer")]);
        stage.offer(&["resourcedump", "changedump"]);
        for _ in 0..2 {
            stage.sync(&["--via", way, "--delete"]).exits(0);
            stage.has(&[("a.txt", "newer")]);
            stage.in_sync("/capabilitylist.xml", &[]);
        }
        // The older Resource Dump does not take it back.
        stage.sync(&["--via", way, "--delete", "--baseline"]).exits(0);
        stage.has(&[("a.txt", "newer")]);
    }
}

#[test]
fn a_resource_created_and_deleted_inside_one_package_is_not_there() {
    let stage = Stage::new();
    stage.files(FILES);
    dump(&stage, &at("01-01"), FILES);
    let items = [
        changed(&stage, "c.txt", "created", "three").md("path", "/1"),
        changed(&stage, "a.txt", "updated", "older").md("path", "/2"),
        stage.item("c.txt").change("deleted"),
        changed(&stage, "a.txt", "updated", "newer").md("path", "/3"),
    ];
    let files = [("1", "three"), ("2", "older"), ("3", "newer")];
    change_dump(&stage, &at("01-01"), &at("02-01"), &items, &files);
    stage.offer(&["resourcedump", "changedump"]);
    stage.sync(&["--delete"]).exits(0);
    stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
    stage.in_sync("/capabilitylist.xml", &[]);
}

#[test]
fn a_deleted_resource_stays_deleted_when_the_dump_still_has_it() {
    let stage = Stage::with(FILES);
    dump(&stage, "2026-01-01T00:00:00Z", FILES);
    stage.text("/changelist.xml", change_list(&[]));
    stage.offer(&["resourcelist", "resourcedump", "changelist"]);
    stage.sync(&["--delete"]).exits(0);
    stage.server.remove("/b.txt");
    let deleted = stage.item("b.txt").change("deleted").at(&at("02-01"));
    stage.text("/changelist.xml", change_list(&[deleted]));
    stage.sync(&["--delete"]).exits(0);
    for options in
        [&["--via", "dump", "--delete"][..], &["--via", "dump", "--delete", "--baseline"]]
    {
        stage.sync(options).exits(0);
        stage.has(&[("a.txt", "one")]);
    }
}

#[test]
fn the_successor_of_a_closed_list_is_found_in_the_same_run() {
    let stage = Stage::followed(FILES);
    stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
    let first = [changed(&stage, "a.txt", "updated", "newer")];
    stage.text("/changelist.xml", change_list_of(&at("01-01"), Some(&at("02-01")), &first));
    let second = [changed(&stage, "c.txt", "created", "three")];
    stage.text("/next.xml", change_list_of(&at("02-01"), None, &second));
    let offers =
        [("resourcelist", stage.url("/resourcelist.xml")), ("changelist", stage.url("/next.xml"))];
    stage.text("/capabilitylist.xml", support::documents::capability_list(&offers));
    stage.sync(&["--delete"]).exits(0);
    stage.has(&[("a.txt", "newer"), ("b.txt", "two"), ("c.txt", "three")]);
}

/// Two sets that share a.txt.
fn two_sets(stage: &Stage) {
    stage.files(&[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]);
    for (set, files) in
        [("x", [("a.txt", "one"), ("b.txt", "two")]), ("y", [("a.txt", "one"), ("c.txt", "three")])]
    {
        let list = resource_list_at(&at("01-01"), &stage.items(&files));
        stage.text(&format!("/{set}/resourcelist.xml"), list);
        stage.text(&format!("/{set}/changelist.xml"), change_list(&[]));
        let offers = ["resourcelist", "changelist"]
            .map(|one| (one, stage.url(&format!("/{set}/{one}.xml"))));
        stage.text(
            &format!("/{set}/capabilitylist.xml"),
            support::documents::capability_list(&offers),
        );
    }
    let sets = ["x", "y"].map(|set| stage.url(&format!("/{set}/capabilitylist.xml")));
    stage.text("/.well-known/resourcesync", description(&sets));
}

#[test]
fn a_resource_deleted_from_one_of_two_sets_stays() {
    let stage = Stage::new();
    two_sets(&stage);
    stage.sync_from("/", &["--all", "--delete"]).exits(0);
    let deleted = stage.item("a.txt").change("deleted").at(&at("02-01"));
    stage.text("/x/changelist.xml", change_list(std::slice::from_ref(&deleted)));
    stage.sync_from("/", &["--all", "--delete"]).exits(0);
    stage.has(&[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]);
    stage.text("/y/changelist.xml", change_list(&[deleted]));
    stage.sync_from("/", &["--all", "--delete"]).exits(0);
    stage.has(&[("b.txt", "two"), ("c.txt", "three")]);
}

#[test]
fn a_lost_file_that_another_set_lists_stays_in_its_own_set() {
    let stage = Stage::new();
    two_sets(&stage);
    let list = |time: &str, files: &[(&str, &str)]| {
        stage.text("/y/resourcelist.xml", resource_list_at(&at(time), &stage.items(files)));
    };
    let offers = [("resourcelist", stage.url("/y/resourcelist.xml"))];
    stage.text("/y/capabilitylist.xml", support::documents::capability_list(&offers));
    list("01-01", &[("c.txt", "three")]);
    stage.sync_from("/", &["--all", "--delete"]).exits(0);
    // Set x has nothing new, and its file comes back since set y lists it, too.
    fs::remove_file(stage.home().join("a.txt")).unwrap();
    list("02-01", &[("a.txt", "one"), ("c.txt", "three")]);
    stage.sync_from("/", &["--all", "--delete"]).exits(0);
    list("03-01", &[("c.txt", "three")]);
    stage.sync_from("/", &["--all", "--delete"]).exits(0);
    stage.has(&[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]);
}

#[test]
fn what_one_set_verified_another_may_list_by_a_digest_that_nobody_knows() {
    let stage = Stage::new();
    stage.files(&[("a.txt", "one")]);
    let crc = |text: &str| stage.item("a.txt").md("hash", format!("crc32:{text}"));
    let lists = |time: &str, verified: &str, other: Item| {
        let sets = [("x", stage.item("a.txt").of(verified)), ("y", other)].map(|(set, item)| {
            let list = resource_list_at(time, &[item]);
            stage.text(&format!("/{set}/resourcelist.xml"), list);
            let offers = [("resourcelist", stage.url(&format!("/{set}/resourcelist.xml")))];
            let path = format!("/{set}/capabilitylist.xml");
            stage.text(&path, support::documents::capability_list(&offers));
            stage.url(&path)
        });
        stage.text("/.well-known/resourcesync", description(&sets));
    };
    lists(&at("01-01"), "one", crc("1"));
    stage.sync_from("/", &["--all"]).exits(0);
    stage.has(&[("a.txt", "one")]);
    // Other bytes, whether as long or not, are still refused.
    for (day, other) in [("01-02", "two"), ("01-03", "three")] {
        stage.files(&[("a.txt", other)]);
        lists(&at(day), "one", crc(other));
        stage.sync_from("/", &["--all"]).exits(1).says("a.txt");
        stage.has(&[("a.txt", "one")]);
    }
}

#[test]
fn what_one_set_brings_does_not_settle_what_another_owes() {
    let stage = Stage::new();
    let list = resource_list_at(&at("01-01"), &[stage.item("a.txt").of("one")]);
    stage.text("/x/resourcelist.xml", list);
    let manifest = stage.item("a.txt").of("two").md("path", "/a.txt");
    let head = format!("<rs:md capability=\"resourcedump-manifest\" at=\"{}\"/>", at("01-02"));
    let listed = package(&stage, "y/dump", &head, &[manifest], &[("a.txt", "two")]);
    let head = format!("<rs:md capability=\"resourcedump\" at=\"{}\"/>", at("01-02"));
    stage.text("/y/resourcedump.xml", document(&head, &[listed]));
    let sets = [("x", "resourcelist"), ("y", "resourcedump")].map(|(set, one)| {
        let offers = [(one, stage.url(&format!("/{set}/{one}.xml")))];
        let path = format!("/{set}/capabilitylist.xml");
        stage.text(&path, support::documents::capability_list(&offers));
        stage.url(&path)
    });
    stage.text("/.well-known/resourcesync", description(&sets));
    // The sets contradict each other, and the server does not say which of them is right.
    stage.sync_from("/", &["--all"]).exits(1).says("a.txt");
    stage.files(&[("a.txt", "two")]);
    stage.sync_from("/", &["--all"]).exits(0);
    stage.has(&[("a.txt", "two")]);
}

#[test]
fn a_change_list_with_entries_in_the_future_that_was_mended_ends_right() {
    let stage = Stage::followed(FILES);
    stage.files(&[("a.txt", "newer")]);
    let future = changed(&stage, "a.txt", "updated", "newer").at("2999-01-01T00:00:00Z");
    stage.changes(&change_list(&[future]));
    stage.sync(&["--delete"]).exits(0);
    stage.files(&[("a.txt", "newest")]);
    let mended = [
        changed(&stage, "a.txt", "updated", "newer").at(&at("02-01")),
        changed(&stage, "a.txt", "updated", "newest").at(&at("02-02")),
    ];
    stage.changes(&change_list(&mended));
    stage.sync(&["--delete"]).exits(0).says("rewritten").counts("failed", 0);
    stage.has(&[("a.txt", "newest"), ("b.txt", "two")]);
    stage.sync(&["--delete"]).exits(0);
}

#[test]
fn a_resource_that_could_not_be_fetched_is_not_owed_for_ever() {
    let stage = Stage::followed(FILES);
    // Its bytes are never those that the change tells of.
    stage.changes(&change_list(&[changed(&stage, "a.txt", "updated", "never there")]));
    stage.sync(&["--delete"]).exits(1);
    // The change is taken back.
    stage.changes(&change_list(&[]));
    stage.sync(&["--delete"]).exits(0);
    stage.has(FILES);
    stage.sync(&["--delete"]).exits(0);
}

#[test]
fn entries_that_say_nothing_are_compared_by_conditional_requests() {
    let stage = Stage::new();
    let put =
        |content: &str| stage.put("/a.txt", Reply::ok(content).etag(&md5(content.as_bytes())));
    put("one");
    stage.list_text(resource_list_at(&at("01-01"), &[stage.item("a.txt")]));
    stage.sync(&[]).exits(0);
    stage.list_text(resource_list_at(&at("02-01"), &[stage.item("a.txt")]));
    stage.sync(&[]).exits(0).counts("unchanged", 1).counts("updated", 0);
    put("two");
    stage.list_text(resource_list_at(&at("03-01"), &[stage.item("a.txt")]));
    stage.run("audit", "/capabilitylist.xml", &["--deep"]).exits(1).counts("changed", 1);
    stage.sync(&[]).exits(0).counts("updated", 1);
    stage.has(&[("a.txt", "two")]);
    stage.in_sync("/capabilitylist.xml", &[]);
}

#[test]
fn a_last_modified_alone_makes_requests_conditional() {
    let stage = Stage::new();
    let put = |content: &str, time: &str| {
        stage.put("/a.txt", Reply::ok(content).with("Last-Modified", time));
    };
    let (first, second) = ("Thu, 01 Jan 2026 00:00:00 GMT", "Sun, 01 Feb 2026 00:00:00 GMT");
    put("one", first);
    stage.list_text(resource_list_at(&at("01-01"), &[stage.item("a.txt")]));
    stage.sync(&[]).exits(0);
    stage.server.forget_log();
    stage.list_text(resource_list_at(&at("02-01"), &[stage.item("a.txt")]));
    stage.sync(&[]).exits(0).counts("unchanged", 1).counts("updated", 0).counts("whole", 0);
    let log = stage.server.log();
    let asked: Vec<_> = log.iter().filter(|request| request.path == "/a.txt").collect();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].header("If-Modified-Since"), Some(first));
    assert_eq!(asked[0].header("If-None-Match"), None);
    put("two", second);
    stage.list_text(resource_list_at(&at("03-01"), &[stage.item("a.txt")]));
    stage.sync(&[]).exits(0).counts("updated", 1);
    stage.has(&[("a.txt", "two")]);
    // The lists themselves, too.
    let dated = |path: &str| {
        let reply = stage.server.reply(path).unwrap();
        stage.put(path, reply.with("Last-Modified", second));
    };
    ["/resourcelist.xml", "/capabilitylist.xml"].into_iter().for_each(dated);
    stage.sync(&[]).exits(0);
    stage.server.forget_log();
    stage.sync(&[]).exits(0).says("nothing is new").counts("documents", 0);
    let log = stage.server.log();
    assert!(log.iter().all(|request| request.header("If-Modified-Since") == Some(second)));
}

#[test]
fn a_day_that_is_not_over_does_not_prove_that_a_page_is_as_it_was() {
    let stage = Stage::new();
    let list = |day: &str, lastmod: &str| {
        stage.list_text(resource_list_at(&at(day), &[stage.item("a.txt").lastmod(lastmod)]));
    };
    let put =
        |content: &str| stage.put("/a.txt", Reply::ok(content).etag(&md5(content.as_bytes())));
    put("one");
    list("01-01", "2999-01-01");
    stage.sync(&[]).exits(0);
    put("two");
    list("02-01", "2999-01-01");
    stage.run("audit", "/capabilitylist.xml", &[]).exits(1).counts("changed", 1);
    stage.sync(&[]).exits(0).counts("updated", 1);
    stage.has(&[("a.txt", "two")]);
    // Nor does a file in a package, which may be older than the end of its day.
    put("three");
    list("03-01", "2020-01-01");
    stage.sync(&[]).exits(0).counts("updated", 1);
    let asked = || stage.server.count("/a.txt");
    let before = asked();
    list("04-01", "2020-01-01");
    stage.sync(&[]).exits(0).counts("unchanged", 1);
    assert_eq!(asked(), before, "a day that is over proves it, without a request");
}

#[test]
fn a_site_with_only_a_change_list_is_copied_as_far_as_it_reaches() {
    let stage = Stage::new();
    stage.files(FILES);
    let items =
        [changed(&stage, "a.txt", "created", "one"), changed(&stage, "b.txt", "created", "two")];
    stage.text("/changelist.xml", change_list(&items));
    stage.offer(&["changelist"]);
    stage.sync(&["--delete"]).exits(0).says("as far as its changes reach");
    stage.has(FILES);
    let mut more = items.to_vec();
    more.push(stage.item("a.txt").change("deleted"));
    stage.text("/changelist.xml", change_list(&more));
    stage.sync(&["--delete"]).exits(0);
    stage.has(&[("b.txt", "two")]);
}

#[test]
fn a_listed_document_that_is_not_there_is_named_and_the_rest_is_copied() {
    // The Change List.
    let stage = Stage::with(FILES);
    stage.offer(&["resourcelist", "changelist"]);
    stage.sync(&[]).exits(1).says("/changelist.xml");
    stage.has(FILES);
    // A dump, whatever else leads to the end.
    for (status, missing) in [(404, "resourcedump"), (410, "resourcedump"), (404, "changedump")] {
        for others in [&["resourcelist"][..], &["resourcelist", "changelist"]] {
            let stage = Stage::with(FILES);
            let offers = [others, &[missing]].concat();
            stage.put(&format!("/{missing}.xml"), Reply::new(status, ""));
            stage.text("/changelist.xml", change_list(&[]));
            stage.offer(&offers);
            let run = stage.sync(&["--delete"]);
            run.exits(1).says(&format!("/{missing}.xml")).counts("failed", 1);
            stage.has(FILES);
            // All was looked at: what is gone is deleted, and a run that does not need the dump does
            // not compare everything.
            stage.server.remove("/b.txt");
            stage.list_text(resource_list_at(&at("02-01"), &stage.items(&FILES[..1])));
            let deleted = stage.item("b.txt").change("deleted").at(&at("01-02"));
            stage.text("/changelist.xml", change_list(&[deleted]));
            stage.offer(&offers);
            let has_changes = others.len() > 1;
            let run = stage.sync(&["--delete"]);
            run.exits(i32::from(!has_changes)).counts("unchanged", u64::from(!has_changes));
            stage.has(&FILES[..1]);
            stage.sync(&["--delete", "--baseline"]).exits(1);
            // What is broken in another way is worth a note, if something else leads to the end.
            stage.text(&format!("/{missing}.xml"), "<broken");
            let run = stage.sync(&["--delete", "--baseline"]);
            run.exits(i32::from(!has_changes)).says(&format!("/{missing}.xml"));
        }
    }
    // A part of an index of dumps.
    let stage = Stage::with(FILES);
    let head = format!("<rs:md capability=\"resourcedump\" at=\"{}\"/>", at("01-01"));
    stage.text("/resourcedump.xml", index(&head, &[stage.item("1.xml")]));
    stage.offer(&["resourcelist", "resourcedump"]);
    stage.sync(&[]).exits(1).says("/1.xml");
    stage.has(FILES);
    // A part of the Resource List.
    let stage = Stage::new();
    stage.files(FILES);
    let head = format!("<rs:md capability=\"resourcelist\" at=\"{}\"/>", at("01-01"));
    stage.text("/1.xml", resource_list_at(&at("01-01"), &stage.items(&FILES[..1])));
    stage.list_text(index(&head, &[stage.item("1.xml"), stage.item("2.xml")]));
    stage.sync(&[]).exits(1).says("/2.xml");
    stage.has(&FILES[..1]);
    // One of several sets.
    let stage = Stage::new();
    two_sets(&stage);
    stage.server.remove("/y/capabilitylist.xml");
    stage.sync_from("/", &["--all", "--delete"]).exits(1).says("/y/capabilitylist.xml");
    stage.has(&[("a.txt", "one"), ("b.txt", "two")]);
}

#[test]
fn packages_without_anything_wanted_are_not_fetched() {
    let stage = Stage::new();
    stage.files(FILES);
    let collection = "http://e.example/collection";
    let item = |path: &str, content: &str, belongs: bool| {
        let item = stage.item(path).of(content).md("path", format!("/{path}"));
        if belongs { item.link("collection", collection, "") } else { item }
    };
    let head = format!("<rs:md capability=\"resourcedump-manifest\" at=\"{}\"/>", at("01-01"));
    let mut listed = Vec::new();
    for (name, (path, content), belongs) in [("p", FILES[0], true), ("q", FILES[1], false)] {
        let item =
            package(&stage, name, &head, &[item(path, content, belongs)], &[(path, content)]);
        listed.push(item.link("contents", &stage.url(&format!("/{name}.xml")), ""));
    }
    let head = format!("<rs:md capability=\"resourcedump\" at=\"{}\"/>", at("01-01"));
    stage.text("/resourcedump.xml", document(&head, &listed));
    stage.offer(&["resourcedump"]);
    stage.sync(&["--collection", collection]).exits(0).counts("skipped_packages", 1);
    stage.has(&FILES[..1]);
    assert_eq!((stage.server.count("/p.zip"), stage.server.count("/q.zip")), (1, 0));
}

#[test]
fn metadata_comes_with_packages_too() {
    let stage = Stage::new();
    stage.files(&[("a.txt", "one"), ("a.xml", "about a")]);
    let described = stage.item("a.txt").of("one").md("path", "/a").link(
        "describedby",
        &stage.url("/a.xml"),
        "",
    );
    let head = format!("<rs:md capability=\"resourcedump-manifest\" at=\"{}\"/>", at("01-01"));
    let listed = package(&stage, "dump", &head, &[described], &[("a", "one")]);
    let head = format!("<rs:md capability=\"resourcedump\" at=\"{}\"/>", at("01-01"));
    stage.text("/resourcedump.xml", document(&head, &[listed]));
    stage.offer(&["resourcedump"]);
    stage.sync(&["--with-metadata"]).exits(0);
    stage.has(&[("a.txt", "one"), ("a.xml", "about a")]);
}

#[test]
fn each_set_comes_by_its_own_dump_also_after_an_interruption() {
    let stage = Stage::new();
    let mut lists = Vec::new();
    for set in ["x", "y"] {
        let names: Vec<String> = (0..50).map(|number| format!("{set}-{number}.txt")).collect();
        let files: Vec<(&str, &str)> =
            names.iter().map(|name| (name.as_str(), "content")).collect();
        stage.files(&files);
        let items: Vec<Item> = files
            .iter()
            .map(|(path, content)| stage.item(path).of(content).md("path", format!("/{path}")))
            .collect();
        let head = format!("<rs:md capability=\"resourcedump-manifest\" at=\"{}\"/>", at("01-01"));
        let listed = package(&stage, &format!("{set}/dump"), &head, &items, &files);
        let head = format!("<rs:md capability=\"resourcedump\" at=\"{}\"/>", at("01-01"));
        stage.text(&format!("/{set}/resourcedump.xml"), document(&head, &[listed]));
        let list = resource_list_at(&at("01-01"), &stage.items(&files));
        stage.text(&format!("/{set}/resourcelist.xml"), list);
        let offers = ["resourcelist", "resourcedump"]
            .map(|one| (one, stage.url(&format!("/{set}/{one}.xml"))));
        stage.text(
            &format!("/{set}/capabilitylist.xml"),
            support::documents::capability_list(&offers),
        );
        lists.push(stage.url(&format!("/{set}/capabilitylist.xml")));
    }
    stage.text("/.well-known/resourcesync", description(&lists));
    // The first run is killed while the second package comes.
    let package = stage.server.reply("/y/dump.zip").unwrap();
    let half = package.body.len() / 2;
    stage.put("/y/dump.zip", package.clone().by(Way::Paused(half)));
    stage.sync_until("/", &["--all"], || stage.server.count("/y/dump.zip") > 0);
    stage.put("/y/dump.zip", package);
    let run = stage.sync_from("/", &["--all"]);
    run.exits(0).counts("unpacked", 50).counts("whole", 0).counts("packages", 1);
    assert_eq!(stage.server.count("/x/dump.zip"), 1, "the first set was complete");
    assert_eq!(stage.found().len(), 100);
}

#[test]
fn a_dry_run_shows_the_plan_and_changes_nothing() {
    let stage = Stage::with(FILES);
    stage.changes(&change_list(&[]));
    let run = stage.sync(&["--dry-run"]);
    run.exits(0).counts("created", 2).says("the plan goes from the Resource List of 2026-01-01");
    assert!(!stage.copy().exists());
}

#[test]
fn a_304_does_not_prove_what_the_length_contradicts() {
    let stage = Stage::new();
    stage.put("/a.txt", Reply::ok("44").etag("x"));
    let entry = |time: &str, length: u64| stage.item("a.txt").lastmod(time).md("length", length);
    stage.list_text(resource_list_at(&at("01-01"), &[entry(&at("01-01"), 2)]));
    stage.sync(&[]).exits(0);
    // The list is ahead of the server.
    stage.list_text(resource_list_at(&at("02-01"), &[entry(&at("02-01"), 7)]));
    stage.sync(&[]).exits(1).says("should have 7");
    stage.put("/a.txt", Reply::ok("7777777").etag("y"));
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "7777777")]);
}

#[test]
fn a_closed_list_whose_name_is_used_again_is_read_again() {
    let stage = Stage::with(&[("a.txt", "one")]);
    let put = |from: &str, until: &str, contents: &[&str]| {
        let items: Vec<Item> =
            contents.iter().map(|content| changed(&stage, "a.txt", "updated", content)).collect();
        stage.text("/l.xml", change_list_of(from, Some(until), &items));
        let listed = stage.item("l.xml").md("from", from).md("until", until);
        stage.changes(&index(
            "<rs:md capability=\"changelist\" from=\"2026-01-01T00:00:00Z\"/>",
            &[listed],
        ));
        stage.files(&[("a.txt", contents[contents.len() - 1])]);
    };
    for (from, until, contents) in [
        ("01-01", "02-01", &["two"][..]),
        ("01-01", "03-01", &["two", "three"]),
        ("03-01", "04-01", &["four"]),
    ] {
        put(&at(from), &at(until), contents);
        stage.sync(&[]).exits(0);
        stage.has(&[("a.txt", contents[contents.len() - 1])]);
    }
}

#[test]
fn a_package_whose_name_is_used_again_is_read_again() {
    let stage = Stage::new();
    stage.files(FILES);
    dump(&stage, &at("01-01"), FILES);
    stage.offer(&["resourcedump", "changedump"]);
    let first = changed(&stage, "a.txt", "updated", "newer").md("path", "/1");
    change_dump(
        &stage,
        &at("01-01"),
        &at("02-01"),
        std::slice::from_ref(&first),
        &[("1", "newer")],
    );
    stage.sync(&[]).exits(0);
    let second = changed(&stage, "a.txt", "updated", "newest").md("path", "/2");
    let files = [("1", "newer"), ("2", "newest")];
    change_dump(&stage, &at("01-01"), &at("03-01"), &[first, second], &files);
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "newest"), ("b.txt", "two")]);
}

#[test]
fn a_set_that_is_new_is_copied_by_the_next_run_for_all() {
    let stage = Stage::new();
    two_sets(&stage);
    let all = stage.server.reply("/.well-known/resourcesync").unwrap();
    let one = description(&[stage.url("/x/capabilitylist.xml")]);
    stage.put("/.well-known/resourcesync", Reply::ok(one).etag("one"));
    stage.sync_from("/", &["--all", "--delete"]).exits(0);
    stage.has(&[("a.txt", "one"), ("b.txt", "two")]);
    stage.put("/.well-known/resourcesync", all.etag("both"));
    stage.sync_from("/", &["--all", "--delete"]).exits(0);
    stage.has(&[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]);
    // An audit of one set does not mind what only the other has.
    stage.run("audit", "/", &["--set", "x"]).exits(0);
}

#[test]
fn a_history_that_begins_again_earlier_is_compared_with_the_list() {
    let stage = Stage::with(FILES);
    stage.list_text(resource_list_at(&at("01-05"), &stage.items(FILES)));
    stage.changes(&change_list_of(&at("01-05"), None, &[]));
    stage.sync(&["--delete"]).exits(0);
    stage.files(&[("a.txt", "eight")]);
    stage.list_text(resource_list_at(&at("01-04"), &stage.items(&[("a.txt", "seven")])));
    let again = changed(&stage, "a.txt", "updated", "eight").at("2026-01-04T01:00:00Z");
    stage.changes(&change_list_of(&at("01-04"), None, &[again]));
    stage.sync(&["--delete"]).exits(0);
    stage.has(&[("a.txt", "eight")]);
}

#[test]
fn an_open_list_that_is_gone_without_a_successor_is_a_rollback() {
    let stage = Stage::with(&[("a.txt", "one")]);
    let closed = [changed(&stage, "a.txt", "updated", "two")];
    stage.text("/1.xml", change_list_of(&at("01-01"), Some(&at("02-01")), &closed));
    let newest = changed(&stage, "a.txt", "updated", "three").at(&at("02-02"));
    stage.text("/2.xml", change_list_of(&at("02-01"), None, &[newest]));
    let one = stage.item("1.xml").md("from", at("01-01")).md("until", at("02-01"));
    let two = stage.item("2.xml").md("from", at("02-01"));
    let head = format!("<rs:md capability=\"changelist\" from=\"{}\"/>", at("01-01"));
    stage.changes(&index(&head, &[one.clone(), two]));
    stage.files(&[("a.txt", "three")]);
    stage.sync(&[]).exits(0);
    stage.server.remove("/2.xml");
    stage.changes(&index(&head, &[one]));
    stage.files(&[("a.txt", "two")]);
    stage.sync(&[]).exits(0).says("rolled back");
    stage.has(&[("a.txt", "two")]);
}

#[test]
fn lists_alone_name_the_changes_that_only_packages_tell() {
    let stage = Stage::with(FILES);
    let items = [changed(&stage, "a.txt", "updated", "newer").md("path", "/1")];
    change_dump(&stage, &at("01-01"), &at("02-01"), &items, &[("1", "newer")]);
    stage.offer(&["resourcelist", "changedump"]);
    stage.sync(&["--via", "list"]).exits(1).says("\"gaps\"").says("after 2026-01-01");
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
}

#[test]
fn a_list_that_contradicts_itself_is_settled_by_the_server_in_sync_and_audit() {
    for contents in [["old", "new"], ["new", "old"]] {
        let stage = Stage::new();
        stage.files(&[("a.txt", "new")]);
        let items = contents.map(|content| stage.item("a.txt").of(content));
        for day in ["01-01", "02-01"] {
            stage.list_text(resource_list_at(&at(day), &items));
            stage.sync(&[]).exits(0).says("listed more than once").counts("failed", 0);
            stage.has(&[("a.txt", "new")]);
            stage.in_sync("/capabilitylist.xml", &[]);
        }
        // The server has what the other entry says by now.
        stage.files(&[("a.txt", "old")]);
        stage.list_text(resource_list_at(&at("03-01"), &items));
        stage.sync(&[]).exits(0);
        stage.has(&[("a.txt", "old")]);
        stage.in_sync("/capabilitylist.xml", &[]);
    }
    // The server has neither.
    let stage = Stage::new();
    stage.files(&[("a.txt", "other")]);
    let items = ["old", "new"].map(|content| stage.item("a.txt").of(content));
    stage.list_text(resource_list_at(&at("01-01"), &items));
    for _ in 0..2 {
        stage.sync(&[]).exits(1);
        stage.run("audit", "/capabilitylist.xml", &[]).exits(1);
    }
    // A later change tells of other bytes than both: that is no contradiction.
    stage.files(&[("a.txt", "new")]);
    stage.sync(&[]).exits(0);
    let changes =
        change_list_of(&at("01-01"), None, &[changed(&stage, "a.txt", "updated", "newer")]);
    stage.changes(&changes);
    stage.sync(&["--baseline"]).exits(1).says("a.txt");
}

/// What a run says that it did, or would do.
fn counts(run: &support::stage::Run) -> [u64; 4] {
    ["created", "updated", "deleted", "unchanged"].map(|name| run.json[name].as_u64().unwrap())
}

/// A copy of a Source that goes on: a list, and changes after it.
fn with_changes_after_the_list(stage: &Stage) {
    stage.files(&[("a.txt", "newer"), ("c.txt", "three"), ("d.txt", "four")]);
    let listed = [("a.txt", "one"), ("b.txt", "two"), ("d.txt", "four")];
    stage.list_text(resource_list_at(&at("02-01"), &stage.items(&listed)));
    let items = [
        changed(stage, "a.txt", "updated", "newer").at(&at("02-02")),
        changed(stage, "c.txt", "created", "three").at(&at("02-03")),
        changed(stage, "e.txt", "created", "five").at(&at("02-04")),
        stage.item("b.txt").change("deleted").at(&at("02-05")),
        stage.item("e.txt").change("deleted").at(&at("02-06")),
    ];
    stage.changes(&change_list_of(&at("02-01"), None, &items));
}

#[test]
fn a_dry_run_counts_the_changes_after_its_baseline() {
    // A new copy.
    let stage = Stage::new();
    with_changes_after_the_list(&stage);
    let dry = stage.sync(&["--dry-run", "--delete"]);
    assert_eq!(counts(dry.exits(0)), [3, 0, 0, 0]);
    // A copy from before: of a.txt and b.txt, and of what the Source has no more.
    let stage = Stage::with(&[("a.txt", "one"), ("b.txt", "two"), ("f.txt", "six")]);
    stage.sync(&[]).exits(0);
    with_changes_after_the_list(&stage);
    let dry = counts(stage.sync(&["--dry-run", "--delete", "--force-delete"]).exits(0));
    assert_eq!(dry, [2, 1, 2, 0]);
    assert_eq!(counts(stage.sync(&["--delete", "--force-delete"]).exits(0)), dry);
    stage.has(&[("a.txt", "newer"), ("c.txt", "three"), ("d.txt", "four")]);
    for options in [&["--delete"][..], &["--delete", "--baseline"]] {
        let dry = counts(stage.sync(&[options, &["--dry-run"]].concat()).exits(0));
        assert_eq!(counts(stage.sync(options).exits(0)), dry, "{options:?}");
    }
    // A gap after the baseline counts, too.
    let stage = Stage::with(FILES);
    stage.changes(&change_list_of(&at("02-01"), None, &[]));
    stage.sync(&["--dry-run"]).exits(1).says("\"gaps\"");
}

#[test]
fn a_dry_run_counts_a_resource_that_changed_twice_once() {
    let stage = Stage::followed(FILES);
    stage.files(&[("a.txt", "newest")]);
    let lists = [("1.xml", "01-01", Some("02-01"), "newer"), ("2.xml", "02-01", None, "newest")];
    let head = format!("<rs:md capability=\"changelist\" from=\"{}\"/>", at("01-01"));
    let listed = lists.map(|(name, from, until, content)| {
        let until = until.map(at);
        let items = [changed(&stage, "a.txt", "updated", content)];
        stage.text(&format!("/{name}"), change_list_of(&at(from), until.as_deref(), &items));
        stage.item(name)
    });
    stage.changes(&index(&head, &listed));
    let dry = counts(stage.sync(&["--dry-run"]).exits(0));
    assert_eq!(dry, [0, 1, 0, 0]);
    assert_eq!(counts(stage.sync(&[]).exits(0)), dry);
    stage.has(&[("a.txt", "newest"), ("b.txt", "two")]);
}

#[test]
fn a_dry_run_does_not_count_what_comes_and_goes_between_two_documents() {
    let stage = Stage::new();
    stage.files(&[("a.txt", "one")]);
    stage.list_text(resource_list_at(
        &at("01-01"),
        &stage.items(&[("a.txt", "one"), ("b.txt", "two")]),
    ));
    let deleted = stage.item("b.txt").change("deleted");
    stage.text("/changelist.xml", change_list_of(&at("01-01"), None, &[deleted]));
    stage.offer(&["resourcelist", "changelist"]);
    stage.server.remove("/b.txt");
    for options in [&["--dry-run"][..], &["--dry-run", "--delete"], &["--delete"]] {
        let run = stage.sync(options);
        run.exits(0).counts("created", 1).counts("kept", 0).counts("resources", 1);
    }
}

#[test]
fn a_dry_run_keeps_what_another_set_has() {
    let stage = Stage::new();
    two_sets(&stage);
    stage.sync_from("/", &["--all", "--delete"]).exits(0);
    let deleted = stage.item("a.txt").change("deleted").at(&at("02-01"));
    stage.text("/x/changelist.xml", change_list(std::slice::from_ref(&deleted)));
    stage.sync_from("/", &["--all", "--delete", "--dry-run"]).exits(0).counts("deleted", 0);
    // The same told by a list.
    stage.text("/x/resourcelist.xml", resource_list_at(&at("03-01"), &[]));
    stage.text("/x/changelist.xml", change_list_of(&at("03-01"), None, &[]));
    stage
        .sync_from("/", &["--all", "--delete", "--force-delete", "--dry-run"])
        .exits(0)
        .counts("deleted", 1);
}

#[test]
fn a_resource_that_one_run_meets_twice_is_counted_once() {
    let stage = Stage::new();
    let listed = [("a.txt", "one"), ("b.txt", "two"), ("d.txt", "four")];
    dump(&stage, &at("01-01"), &listed);
    stage.files(&[("a.txt", "newer"), ("c.txt", "three"), ("d.txt", "four")]);
    let items = [
        changed(&stage, "a.txt", "updated", "newer"),
        changed(&stage, "c.txt", "created", "three"),
        changed(&stage, "d.txt", "updated", "four"),
        stage.item("b.txt").change("deleted"),
    ];
    stage.text("/changelist.xml", change_list_of(&at("01-01"), None, &items));
    stage.offer(&["resourcedump", "changelist"]);
    let run = stage.sync(&["--delete", "--force-delete"]);
    assert_eq!(counts(run.exits(0)), [3, 0, 0, 0]);
    stage.has(&[("a.txt", "newer"), ("c.txt", "three"), ("d.txt", "four")]);
    // From now on: first as it was, then changed; first changed, then deleted; deleted and there again.
    dump(&stage, &at("02-01"), &[("a.txt", "newer"), ("c.txt", "3"), ("d.txt", "four")]);
    stage.files(&[("a.txt", "newest")]);
    stage.server.remove("/c.txt");
    let items = [
        changed(&stage, "a.txt", "updated", "newest"),
        stage.item("c.txt").change("deleted"),
        stage.item("d.txt").change("deleted"),
        changed(&stage, "d.txt", "created", "four"),
    ];
    stage.text("/changelist.xml", change_list_of(&at("02-01"), None, &items));
    let run = stage.sync(&["--delete", "--force-delete"]);
    assert_eq!(counts(run.exits(0)), [0, 1, 1, 1]);
    stage.has(&[("a.txt", "newest"), ("d.txt", "four")]);
}

#[test]
fn verbose_output_says_which_documents_were_chosen_and_why() {
    let stage = Stage::with(FILES);
    dump(&stage, &at("02-01"), FILES);
    stage.text("/changelist.xml", change_list_of(&at("01-01"), None, &[]));
    stage.offer(&["resourcelist", "resourcedump", "changelist"]);
    let sync = |options: &[&str]| {
        let (url, copy) = (stage.url("/capabilitylist.xml"), stage.copy());
        let output = support::run(
            ["sync", &url, copy.to_str().unwrap()].into_iter().chain(options.iter().copied()),
        );
        assert_eq!(output.status.code(), Some(0), "{}", support::stderr(&output));
        support::stdout(&output)
    };
    let said = sync(&["-v"]);
    assert!(said.contains("(there is no copy yet)"), "{said}");
    assert!(said.contains("the plan goes from the Resource") && said.contains("(cost "), "{said}");
    assert!(said.contains("it leaves the Resource"), "{said}");
    // A Change List that begins after the copy leads on from a newer list only.
    stage.list_text(resource_list_at(&at("04-01"), &stage.items(FILES)));
    stage.text("/changelist.xml", change_list_of(&at("03-01"), None, &[]));
    let said = sync(&["-v"]);
    assert!(said.contains("its changes begin at 2026-03-01T00:00:00Z"), "{said}");
    assert!(!sync(&["--baseline"]).contains("the plan goes"), "only where it was asked for");
    let said = sync(&["--baseline", "--dry-run"]);
    assert!(said.contains("the plan goes from the Resource"), "a dry run needs no -v: {said}");
}
