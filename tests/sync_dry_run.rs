//! A dry run counts what the run after it does.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::needless_pass_by_value,
    missing_docs,
    reason = "a test"
)]

mod support;

use std::fs;

use support::documents::{
    Item, capability_list, change_list_of, description, document, resource_list_at,
};
use support::server::Reply;
use support::stage::{Run, Stage};
use support::zip::{member, zip};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];

/// What a dry run says exactly; what bytes decide is told apart.
const EXACT: [&str; 11] = [
    "created",
    "deleted",
    "kept",
    "held",
    "adopted",
    "occupied",
    "passed",
    "failed",
    "resources",
    "skipped_packages",
    "unchecked_digests",
];

/// A time in 2026, by its month and day.
fn at(day: &str) -> String {
    format!("2026-{day}T00:00:00Z")
}

fn count(run: &Run, name: &str) -> u64 {
    run.json[name].as_u64().unwrap_or_else(|| panic!("no {name} in {}", run.json))
}

/// A dry run and the run after it, which count the same.
#[track_caller]
fn forecast(stage: &Stage, start: &str, options: &[&str]) -> (Run, Run) {
    let dry = stage.sync_from(start, &[options, &["--dry-run"]].concat());
    let real = stage.sync_from(start, options);
    assert_eq!(dry.json["dry_run"], true, "{}", dry.json);
    for name in EXACT {
        let (told, done) = (count(&dry, name), count(&real, name));
        assert_eq!(told, done, "{name}: {} {}", dry.json, real.json);
    }
    let to_compare = count(&dry, "to_compare");
    for name in ["updated", "unchanged"] {
        let (told, done) = (count(&dry, name), count(&real, name));
        assert!(told <= done && done <= told + to_compare, "{name}: {} {}", dry.json, real.json);
    }
    let all = |run: &Run| count(run, "updated") + count(run, "unchanged");
    assert_eq!(all(&dry) + to_compare, all(&real), "{} {}", dry.json, real.json);
    assert_eq!(count(&real, "to_compare"), 0);
    (dry, real)
}

/// A package and, beside it, a copy of its manifest; the entry for it with or without `contents`.
fn package(stage: &Stage, name: &str, head: &str, items: &[Item], has_contents: bool) -> Item {
    let manifest = document(head, items);
    let members = std::iter::once(member("manifest.xml", manifest.as_str())).chain(
        [("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]
            .map(|(path, content)| member(path, content)),
    );
    stage.text(&format!("/{name}.zip"), zip(&members.collect::<Vec<_>>()));
    stage.text(&format!("/{name}.xml"), manifest);
    let item = Item::new(stage.url(&format!("/{name}.zip")));
    match has_contents {
        true => item.link("contents", &stage.url(&format!("/{name}.xml")), ""),
        false => item,
    }
}

fn packed(stage: &Stage, path: &str, content: &str) -> Item {
    stage.item(path).of(content).md("path", format!("/{path}"))
}

/// A Resource Dump with one package for each list of entries.
fn dump(stage: &Stage, time: &str, packages: &[&[Item]], has_contents: bool) {
    let head = format!("<rs:md capability=\"resourcedump-manifest\" at=\"{time}\"/>");
    let listed: Vec<Item> = packages
        .iter()
        .enumerate()
        .map(|(place, items)| package(stage, &format!("dump-{place}"), &head, items, has_contents))
        .collect();
    let head = format!("<rs:md capability=\"resourcedump\" at=\"{time}\"/>");
    stage.text("/resourcedump.xml", document(&head, &listed));
}

fn change_dump(stage: &Stage, from: &str, until: &str, items: &[Item], has_contents: bool) {
    let times = format!("from=\"{from}\" until=\"{until}\"");
    let head = format!("<rs:md capability=\"changedump-manifest\" {times}/>");
    let listed = package(stage, "changes", &head, items, has_contents);
    let head = format!("<rs:md capability=\"changedump\" from=\"{from}\"/>");
    let listed = listed.md("from", from).md("until", until);
    stage.text("/changedump.xml", document(&head, &[listed]));
}

/// Sets of these names and files, with a Resource List each.
fn sets(stage: &Stage, time: &str, sets: &[(&str, &[(&str, &str)])]) {
    let mut lists = Vec::new();
    for (set, files) in sets {
        let list = resource_list_at(time, &stage.items(files));
        stage.text(&format!("/{set}/resourcelist.xml"), list);
        let offers = [("resourcelist", stage.url(&format!("/{set}/resourcelist.xml")))];
        let path = format!("/{set}/capabilitylist.xml");
        stage.text(&path, capability_list(&offers));
        lists.push(stage.url(&path));
    }
    stage.text("/.well-known/resourcesync", description(&lists));
}

const ALONE: &str = "/capabilitylist.xml";

#[test]
fn a_dump_with_contents_is_counted_and_one_without_is_told() {
    let stage = Stage::new();
    let items = [packed(&stage, "a.txt", "one"), packed(&stage, "b.txt", "two")];
    dump(&stage, &at("01-01"), &[&items], true);
    stage.offer(&["resourcedump"]);
    let (dry, _) = forecast(&stage, ALONE, &["--delete"]);
    assert_eq!((count(&dry, "created"), count(&dry, "uncounted_packages")), (2, 0));
    // The next one has something else, and no copy of its manifest: nothing of it can be counted.
    let items = [packed(&stage, "a.txt", "one"), packed(&stage, "c.txt", "three")];
    dump(&stage, &at("02-01"), &[&items], false);
    let dry = stage.sync(&["--delete", "--dry-run"]);
    dry.exits(0).counts("uncounted_packages", 1).counts("created", 0).counts("deleted", 0);
    dry.says("/dump-0.zip: the number of its resources is not known");
    // With a copy of its manifest all of it is counted.
    dump(&stage, &at("02-01"), &[&items], true);
    let (dry, _) = forecast(&stage, ALONE, &["--delete"]);
    assert_eq!((count(&dry, "created"), count(&dry, "deleted")), (1, 1));
    stage.has(&[("a.txt", "one"), ("c.txt", "three")]);
}

#[test]
fn package_members_without_digests_are_left_to_their_bytes() {
    let stage = Stage::copied(FILES);
    // Neither digest nor length nor time: the bytes in the package tell.
    let items = [("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]
        .map(|(path, _)| stage.item(path).md("path", format!("/{path}")));
    dump(&stage, &at("02-01"), &[&items], true);
    stage.offer(&["resourcedump"]);
    let (dry, _) = forecast(&stage, ALONE, &["--delete"]);
    assert_eq!((count(&dry, "to_compare"), count(&dry, "created")), (2, 1));
    // A length that is another one tells by itself.
    let items = [stage.item("a.txt").md("path", "/b.txt").md("length", 300)];
    dump(&stage, &at("03-01"), &[&items], true);
    let dry = stage.sync(&["--dry-run", "--delete", "--force-delete"]);
    dry.counts("to_compare", 0).counts("updated", 1).counts("deleted", 2);
}

#[test]
fn packages_with_nothing_wanted_are_counted_as_skipped() {
    let stage = Stage::new();
    let (a, b) = (packed(&stage, "a.txt", "one"), packed(&stage, "b.txt", "two"));
    dump(&stage, &at("01-01"), &[std::slice::from_ref(&a), &[b]], true);
    let change = packed(&stage, "c.txt", "three").change("created").at(&at("01-05"));
    change_dump(&stage, &at("01-01"), &at("02-01"), &[change], true);
    stage.offer(&["resourcedump", "changedump"]);
    let options = ["--exclude", "**/b.txt", "--exclude", "**/c.txt"];
    let (dry, _) = forecast(&stage, ALONE, &options);
    let told = ["skipped_packages", "passed", "created"].map(|name| count(&dry, name));
    assert_eq!(told, [2, 2, 1]);
}

#[test]
fn changes_in_packages_are_counted() {
    for has_contents in [true, false] {
        let stage = Stage::new();
        let items = [packed(&stage, "a.txt", "0ne"), packed(&stage, "b.txt", "two")];
        stage.files(&[("a.txt", "0ne"), ("b.txt", "two")]);
        stage.list_text(resource_list_at(&at("01-01"), &items));
        stage.sync(&[]).exits(0);
        let items = [
            packed(&stage, "a.txt", "one").change("updated").at(&at("01-02")),
            stage.item("b.txt").change("deleted").at(&at("01-03")),
            packed(&stage, "c.txt", "three").change("created").at(&at("01-04")),
        ];
        change_dump(&stage, &at("01-01"), &at("02-01"), &items, has_contents);
        stage.offer(&["resourcelist", "changedump"]);
        match has_contents {
            true => {
                let (dry, _) = forecast(&stage, ALONE, &["--delete"]);
                let told = ["created", "updated", "deleted"].map(|name| count(&dry, name));
                assert_eq!(told, [1, 1, 1]);
                stage.has(&[("a.txt", "one"), ("c.txt", "three")]);
            }
            false => {
                let dry = stage.sync(&["--delete", "--dry-run"]);
                dry.exits(0).counts("uncounted_packages", 1).counts("updated", 0);
            }
        }
    }
}

#[test]
fn a_delete_that_the_list_has_seen_counts_once() {
    for is_dump in [false, true] {
        let stage = Stage::copied(FILES);
        // The changes tell of it, and reach back to before the list that has it no more.
        let changes = [stage.item("b.txt").change("deleted").at(&at("01-15"))];
        let left = [packed(&stage, "a.txt", "one")];
        match is_dump {
            true => dump(&stage, &at("02-01"), &[&left], true),
            false => stage.list_text(resource_list_at(&at("02-01"), &left)),
        }
        stage.changes(&change_list_of(&at("01-10"), None, &changes));
        stage.offer(&[if is_dump { "resourcedump" } else { "resourcelist" }, "changelist"]);
        let (dry, _) = forecast(&stage, ALONE, &["--delete"]);
        assert_eq!(count(&dry, "deleted"), 1);
        stage.has(&FILES[..1]);
    }
}

#[test]
fn a_newcomer_in_two_sets_counts_once() {
    let stage = Stage::new();
    stage.files(FILES);
    let both = [("x", FILES), ("y", &FILES[..1])];
    sets(&stage, &at("01-01"), &both);
    let (dry, _) = forecast(&stage, "/", &["--all", "--delete"]);
    assert_eq!((count(&dry, "created"), count(&dry, "resources")), (2, 2));
    // Also where the sets do not agree about it, and the server decides.
    stage.files(&[("c.txt", "three"), ("a.txt", "newer")]);
    let older: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "3")];
    let newer: &[(&str, &str)] = &[("a.txt", "newer"), ("c.txt", "three")];
    sets(&stage, &at("02-01"), &[("x", older), ("y", newer)]);
    let (dry, _) = forecast(&stage, "/", &["--all", "--delete"]);
    assert_eq!((count(&dry, "created"), count(&dry, "resources")), (1, 3));
    stage.has(&[("a.txt", "newer"), ("b.txt", "two"), ("c.txt", "three")]);
    // A length that is another one proves nothing where another set has what the server has.
    sets(&stage, &at("03-01"), &[("x", newer), ("y", newer)]);
    forecast(&stage, "/", &["--all", "--delete"]);
    sets(&stage, &at("04-01"), &[("x", newer), ("y", &[("a.txt", "1"), ("c.txt", "three")])]);
    let (dry, _) = forecast(&stage, "/", &["--all", "--delete"]);
    assert_eq!((count(&dry, "updated"), count(&dry, "to_compare")), (0, 1));
}

#[test]
fn a_set_that_disappears_takes_along_what_no_other_set_has() {
    let stage = Stage::new();
    stage.files(&[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]);
    let y: &[(&str, &str)] = &[("a.txt", "one"), ("c.txt", "three")];
    sets(&stage, &at("01-01"), &[("x", FILES), ("y", y)]);
    stage.sync_from("/", &["--all"]).exits(0);
    // One more resource of the set that goes is owed: nobody wants it any more.
    let more: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two"), ("d.txt", "four")];
    sets(&stage, &at("02-01"), &[("x", more), ("y", y)]);
    stage.sync_from("/", &["--all"]).exits(1).counts("failed", 1);
    sets(&stage, &at("03-01"), &[("y", y)]);
    let (dry, _) = forecast(&stage, "/", &["--all"]);
    assert_eq!((count(&dry, "kept"), count(&dry, "resources")), (1, 2));
    let (dry, _) = forecast(&stage, "/", &["--all", "--delete"]);
    assert_eq!((count(&dry, "deleted"), count(&dry, "unchanged")), (1, 2));
    stage.has(y);
}

#[test]
fn entries_without_digest_are_left_to_the_server() {
    let stage = Stage::new();
    for (path, content) in [("a.txt", "one"), ("b.txt", "two")] {
        stage.put(&format!("/{path}"), Reply::ok(content).etag(content));
    }
    let items = ["a.txt", "b.txt"].map(|path| stage.item(path));
    stage.list_text(resource_list_at(&at("01-01"), &items));
    let (dry, _) = forecast(&stage, ALONE, &[]);
    assert_eq!((count(&dry, "created"), count(&dry, "to_compare")), (2, 0));
    stage.put("/b.txt", Reply::ok("newer").etag("newer"));
    stage.list_text(resource_list_at(&at("02-01"), &items));
    let (dry, real) = forecast(&stage, ALONE, &[]);
    assert_eq!((count(&dry, "to_compare"), count(&real, "updated")), (2, 1));
    let (url, copy) = (stage.url(ALONE), stage.copy());
    let output = support::run(["sync", &url, copy.to_str().unwrap(), "--baseline", "--dry-run"]);
    assert!(support::stdout(&output).contains("2 would be compared with the Source"));
}

#[test]
fn newcomers_count_for_the_share_that_may_be_deleted() {
    let names: Vec<String> = (0..60).map(|number| format!("{number}.txt")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "one")).collect();
    let stage = Stage::copied(&files[..30]);
    // 21 of 30 are more than half, and of 60 they are less.
    stage.files(&files);
    stage.list_text(resource_list_at(&at("02-01"), &stage.items(&files[21..])));
    let (dry, _) = forecast(&stage, ALONE, &["--delete", "--max-delete", "40%"]);
    let told = ["created", "deleted", "held", "resources"].map(|name| count(&dry, name));
    assert_eq!(told, [30, 21, 0, 39]);
    // Files that are fetched again since they are lost are no newcomers.
    let stage = Stage::copied(&files[..30]);
    for (name, _) in &files[21..30] {
        fs::remove_file(stage.home().join(name)).unwrap();
    }
    stage.list_text(resource_list_at(&at("02-01"), &stage.items(&files[21..30])));
    let (dry, _) = forecast(&stage, ALONE, &["--delete", "--max-delete", "60%"]);
    let told = ["created", "deleted", "held"].map(|name| count(&dry, name));
    assert_eq!(told, [9, 0, 21], "21 of 30 are more than 60 %, whatever is fetched again");
}

#[test]
fn files_that_are_there_are_adopted_or_in_the_way_once() {
    let stage = Stage::new();
    stage.files(FILES);
    sets(&stage, &at("01-01"), &[("x", FILES), ("y", FILES)]);
    fs::create_dir_all(stage.home()).unwrap();
    fs::write(stage.home().join("a.txt"), "mine").unwrap();
    fs::write(stage.home().join("b.txt"), "two").unwrap();
    let (dry, _) = forecast(&stage, "/", &["--all"]);
    let told = ["adopted", "occupied", "failed", "created"].map(|name| count(&dry, name));
    assert_eq!(told, [1, 1, 1, 0]);
    // It is still in the way for the next run.
    let (dry, _) = forecast(&stage, "/", &["--all"]);
    let told = ["adopted", "occupied", "failed", "created"].map(|name| count(&dry, name));
    assert_eq!(told, [0, 1, 1, 0]);
    let (dry, _) = forecast(&stage, "/", &["--all", "--overwrite"]);
    assert_eq!((count(&dry, "occupied"), count(&dry, "created")), (0, 1));
    stage.has(FILES);
}

#[test]
fn resources_that_are_owed_are_tried_again() {
    let stage = Stage::followed(FILES);
    let changes = |items: &[Item]| stage.changes(&change_list_of(&at("01-01"), None, items));
    let created = stage.item("c.txt").change("created").of("three").at(&at("01-02"));
    let updated = stage.item("a.txt").change("updated").of("newer").at(&at("01-03"));
    let mut items = vec![created, updated];
    changes(&items);
    stage.sync(&["--delete"]).exits(1).counts("failed", 2);
    // They are there by now.
    stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
    let (dry, _) = forecast(&stage, ALONE, &["--delete"]);
    assert_eq!((count(&dry, "created"), count(&dry, "updated")), (1, 1));
    // What was deleted meanwhile is tried no more.
    items.push(stage.item("d.txt").change("created").of("four").at(&at("01-04")));
    changes(&items);
    stage.sync(&["--delete"]).exits(1).counts("failed", 1);
    items.push(stage.item("d.txt").change("deleted").at(&at("01-05")));
    changes(&items);
    let (dry, _) = forecast(&stage, ALONE, &["--delete"]);
    assert_eq!((count(&dry, "created"), count(&dry, "failed")), (0, 0));
    // Nor what a list has no more.
    items.push(stage.item("e.txt").change("created").of("five").at(&at("01-06")));
    changes(&items);
    stage.sync(&["--delete"]).exits(1).counts("failed", 1);
    let listed = [("a.txt", "newer"), ("b.txt", "two"), ("c.txt", "three")];
    stage.list_text(resource_list_at(&at("02-01"), &stage.items(&listed)));
    let (dry, _) = forecast(&stage, ALONE, &["--delete", "--baseline"]);
    assert_eq!((count(&dry, "created"), count(&dry, "unchanged")), (0, 3));
    stage.has(&listed);
}

#[test]
fn resources_of_a_package_come_also_if_a_later_change_deletes_them() {
    let stage = Stage::new();
    let items = [packed(&stage, "a.txt", "one"), packed(&stage, "b.txt", "two")];
    stage.files(&FILES[..1]);
    dump(&stage, &at("01-01"), &[&items], true);
    let changes = [stage.item("b.txt").change("deleted").at(&at("01-15"))];
    stage.changes(&change_list_of(&at("01-01"), None, &changes));
    stage.offer(&["resourcedump", "changelist"]);
    let (dry, _) = forecast(&stage, ALONE, &[]);
    assert_eq!((count(&dry, "created"), count(&dry, "kept")), (2, 1));
}
