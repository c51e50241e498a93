//! Entries that name nothing, in each kind of document: what they were to name is not in the copy, and nobody
//! knows what that is. Each run says so, until the Source has repaired the document.

use crate::support::documents::{
    Item, capability_list, change_list, change_list_of, description, document, index,
    resource_list, resource_list_at,
};
use crate::support::server::Reply;
use crate::support::stage::Stage;
use crate::{FILES, at, change_dump, changed, dump, package};

const LIST: &str = "/capabilitylist.xml";

/// An entry without a URI.
fn nothing() -> Item {
    Item::new("")
}

/// Every run and every audit names the document, and nothing is deleted.
#[track_caller]
fn is_reported(stage: &Stage, name: &str, files: &[(&str, &str)]) {
    for _ in 0..2 {
        stage.sync(&["--delete", "--force-delete"]).exits(1).says(name).counts("deleted", 0);
        stage.has(files);
    }
    stage.run("audit", LIST, &[]).exits(1).says(name);
}

/// The repaired document is applied, and nothing is left to say.
#[track_caller]
fn is_repaired(stage: &Stage, files: &[(&str, &str)]) {
    stage.sync(&["--delete", "--force-delete"]).exits(0).counts("failed", 0);
    stage.has(files);
    stage.in_sync(LIST, &[]);
    stage.sync(&[]).exits(0).counts("failed", 0);
}

#[test]
fn a_change_list_is_reported_and_read_again_when_an_entry_names_nothing() {
    let stage = Stage::followed(FILES);
    stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
    let deleted = stage.item("b.txt").change("deleted");
    let updated = changed(&stage, "a.txt", "updated", "newer");
    let created = changed(&stage, "c.txt", "created", "three");
    stage.changes(&change_list(&[updated.clone(), nothing(), deleted.clone()]));
    stage.sync(&["--dry-run"]).exits(1).says("changelist.xml");
    // What can be read is applied.
    is_reported(&stage, "changelist.xml", &[("a.txt", "newer"), FILES[1]]);
    stage.changes(&change_list(&[updated, created, deleted]));
    is_repaired(&stage, &[("a.txt", "newer"), ("c.txt", "three")]);
}

#[test]
fn an_entry_that_names_nothing_is_reported_when_it_is_all_that_is_new() {
    let stage = Stage::with(FILES);
    stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
    let updated = changed(&stage, "a.txt", "updated", "newer");
    stage.changes(&change_list(std::slice::from_ref(&updated)));
    stage.sync(&[]).exits(0);
    stage.changes(&change_list(&[updated.clone(), nothing()]));
    is_reported(&stage, "changelist.xml", &[("a.txt", "newer"), FILES[1]]);
    stage.changes(&change_list(&[updated, changed(&stage, "c.txt", "created", "three")]));
    is_repaired(&stage, &[("a.txt", "newer"), FILES[1], ("c.txt", "three")]);
}

#[test]
fn a_newer_resource_list_settles_what_a_change_list_lost() {
    let stage = Stage::followed(FILES);
    stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
    let updated = changed(&stage, "a.txt", "updated", "newer");
    let lossy = change_list_of(&at("01-01"), Some(&at("02-01")), &[updated, nothing()]);
    stage.text("/1.xml", lossy);
    stage.text("/2.xml", change_list_of(&at("02-01"), None, &[]));
    let head = "<rs:md capability=\"changelist\" from=\"2026-01-01T00:00:00Z\"/>";
    let (first, second) = (stage.item("1.xml"), stage.item("2.xml").md("from", at("02-01")));
    let first = first.md("from", at("01-01")).md("until", at("02-01"));
    stage.changes(&index(head, &[first, second]));
    is_reported(&stage, "/1.xml", &[("a.txt", "newer"), FILES[1]]);
    let files = [("a.txt", "newer"), FILES[1], ("c.txt", "three")];
    stage.text("/resourcelist.xml", resource_list_at(&at("02-01"), &stage.items(&files)));
    is_repaired(&stage, &files);
}

#[test]
fn a_resource_list_is_reported_and_read_again_when_an_entry_names_nothing() {
    let stage = Stage::copied(FILES);
    let items = stage.items(FILES);
    stage.list(&[items[0].clone(), nothing()]);
    is_reported(&stage, "resourcelist.xml", FILES);
    stage.list(&items[..1]);
    is_repaired(&stage, &FILES[..1]);
}

#[test]
fn a_resource_dump_is_not_complete_when_its_manifest_has_an_entry_that_names_nothing() {
    let stage = Stage::new();
    dump(&stage, &at("01-01"), FILES);
    stage.offer(&["resourcedump"]);
    stage.sync(&[]).exits(0);
    let kept = stage.item("a.txt").of("newer").md("path", "/a.txt");
    let lost = nothing().md("path", "/b.txt");
    let files = [("a.txt", "newer"), ("b.txt", "two")];
    let head = "<rs:md capability=\"resourcedump-manifest\" at=\"2026-02-01T00:00:00Z\"/>";
    let listed = package(&stage, "dump", head, &[kept, lost], &files);
    let head = "<rs:md capability=\"resourcedump\" at=\"2026-02-01T00:00:00Z\"/>";
    stage.text("/resourcedump.xml", document(head, &[listed]));
    is_reported(&stage, "dump.zip", &files);
    dump(&stage, &at("02-01"), &files[..1]);
    stage.sync(&["--delete"]).exits(0);
    stage.has(&files[..1]);
    stage.in_sync(LIST, &[]);
    // A list beside it tells all that the manifest lost.
    let stage = Stage::with(FILES);
    let kept = stage.item("a.txt").of("one").md("path", "/a.txt");
    let head = "<rs:md capability=\"resourcedump-manifest\" at=\"2026-01-01T00:00:00Z\"/>";
    let listed = package(&stage, "dump", head, &[kept, nothing().md("path", "/b.txt")], FILES);
    let head = "<rs:md capability=\"resourcedump\" at=\"2026-01-01T00:00:00Z\"/>";
    stage.text("/resourcedump.xml", document(head, &[listed]));
    stage.offer(&["resourcelist", "resourcedump"]);
    stage.sync(&["--via", "dump"]).exits(0).says("dump.zip");
    stage.has(FILES);
}

#[test]
fn a_change_dump_is_read_again_when_its_manifest_has_an_entry_that_names_nothing() {
    let stage = Stage::with(FILES);
    stage.sync(&[]).exits(0);
    let updated = changed(&stage, "a.txt", "updated", "newer").md("path", "/1");
    let files = [("1", "newer"), ("2", "three")];
    let lost = nothing().change("created").md("path", "/2");
    let deleted = stage.item("b.txt").change("deleted");
    let items = [updated.clone(), lost, deleted.clone()];
    change_dump(&stage, &at("01-01"), &at("02-01"), &items, &files);
    stage.offer(&["resourcelist", "changedump"]);
    is_reported(&stage, "changes.zip", &[("a.txt", "newer"), FILES[1]]);
    let items = [updated, changed(&stage, "c.txt", "created", "three").md("path", "/2"), deleted];
    change_dump(&stage, &at("01-01"), &at("02-01"), &items, &files);
    stage.sync(&["--delete", "--force-delete"]).exits(0);
    stage.has(&[("a.txt", "newer"), ("c.txt", "three")]);
    stage.in_sync(LIST, &[]);
}

#[test]
fn an_index_of_a_resource_list_is_reported_when_an_entry_names_nothing() {
    for lost in [nothing(), Item::new("http://[")] {
        let stage = Stage::with(FILES);
        let items = stage.items(FILES);
        let head = "<rs:md capability=\"resourcelist\" at=\"2026-01-01T00:00:00Z\"/>";
        stage.text("/1.xml", resource_list(&items[..1]));
        stage.text("/2.xml", resource_list(&items[1..]));
        let parts = [stage.item("1.xml"), stage.item("2.xml")];
        stage.list_text(index(head, &parts));
        stage.sync(&[]).exits(0);
        stage.list_text(index(head, &[parts[0].clone(), lost]));
        for _ in 0..2 {
            stage.sync(&["--delete", "--force-delete"]).exits(1).counts("deleted", 0);
            stage.has(FILES);
        }
        stage.run("audit", LIST, &[]).exits(1).counts("missing", 1);
        stage.list_text(index(head, &parts));
        is_repaired(&stage, FILES);
    }
}

#[test]
fn an_index_of_change_lists_is_reported_when_an_entry_names_nothing() {
    for lost in [nothing(), Item::new("http://[")] {
        let stage = Stage::with(FILES);
        stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
        let head = "<rs:md capability=\"changelist\" from=\"2026-01-01T00:00:00Z\"/>";
        let created = changed(&stage, "c.txt", "created", "three");
        stage.text("/1.xml", change_list_of(&at("01-01"), Some(&at("02-01")), &[created]));
        let updated = changed(&stage, "a.txt", "updated", "newer");
        stage.text("/2.xml", change_list_of(&at("02-01"), None, &[updated]));
        // The index does not say which interval a part has.
        let parts = [stage.item("1.xml"), stage.item("2.xml")];
        stage.changes(&index(head, &[lost, parts[1].clone()]));
        for _ in 0..2 {
            stage.sync(&["--delete"]).exits(1).says("/changelist.xml").says("loc");
        }
        stage.run("audit", LIST, &[]).exits(1).says("/changelist.xml");
        stage.changes(&index(head, &parts));
        is_repaired(&stage, &[("a.txt", "newer"), FILES[1], ("c.txt", "three")]);
    }
}

#[test]
fn a_dump_is_reported_when_an_entry_of_it_names_no_package() {
    for lost in [nothing(), Item::new("http://[")] {
        let stage = Stage::with(FILES);
        stage.sync(&[]).exits(0);
        let items = [changed(&stage, "a.txt", "updated", "newer").md("path", "/1")];
        change_dump(&stage, &at("01-01"), &at("02-01"), &items, &[("1", "newer")]);
        let head = "<rs:md capability=\"changedump\" from=\"2026-01-01T00:00:00Z\"/>";
        let listed = stage.item("changes.zip").md("from", at("01-01")).md("until", at("02-01"));
        stage.text("/changedump.xml", document(head, &[listed.clone(), lost]));
        stage.offer(&["resourcelist", "changedump"]);
        is_reported(&stage, "changedump.xml", FILES);
        stage.text("/changedump.xml", document(head, &[listed]));
        stage.sync(&["--delete"]).exits(0);
        stage.has(&[("a.txt", "newer"), FILES[1]]);
    }
}

#[test]
fn a_uri_that_cannot_be_used_is_reported_by_each_run_until_the_source_has_it_no_more() {
    for uri in ["http://[", "ftp://a.example/x", "http://user:word@a.example/x"] {
        let stage = Stage::with(FILES);
        let mut items = stage.items(FILES);
        items.push(Item::new(uri));
        stage.list(&items);
        stage.changes(&change_list(&[]));
        stage.sync(&[]).exits(1).counts("failed", 1);
        // A poll that finds nothing new is one request all the same.
        stage.sync(&[]).exits(1).counts("failed", 1).counts("requests", 1);
        stage.sync(&["--dry-run"]).exits(1).counts("failed", 1);
        stage.run("audit", LIST, &[]).exits(1).counts("missing", 1);
        stage.list(&items[..2]);
        stage.changes(&change_list(&[]));
        stage.sync(&["--baseline"]).exits(0).counts("failed", 0);
        // The same for a change, and for what was changed and is deleted.
        stage.changes(&change_list(&[Item::new(uri).change("created")]));
        stage.sync(&[]).exits(1).counts("failed", 1);
        stage.sync(&[]).exits(1).counts("failed", 1).counts("requests", 1);
        stage.run("audit", LIST, &[]).exits(1).counts("missing", 1);
        let deleted = Item::new(uri).change("deleted");
        stage.changes(&change_list(&[Item::new(uri).change("created"), deleted]));
        stage.sync(&[]).exits(0).counts("failed", 0);
    }
}

#[test]
fn nothing_is_deleted_when_a_uri_in_the_list_may_be_meant_for_it() {
    let stage = Stage::copied(FILES);
    let items = stage.items(FILES);
    stage.list(&[items[0].clone(), Item::new("http://[b.txt")]);
    for _ in 0..2 {
        stage.sync(&["--delete", "--force-delete"]).exits(1).counts("deleted", 0);
        stage.has(FILES);
    }
    stage.list(&items[..1]);
    stage.sync(&["--delete", "--force-delete"]).exits(0).counts("deleted", 1);
}

#[test]
fn a_capability_list_is_asked_for_again_when_an_entry_of_it_names_nothing() {
    let stage = Stage::copied(FILES);
    stage.files(&[("c.txt", "three")]);
    let list = capability_list(&[
        ("resourcelist", stage.url("/resourcelist.xml")),
        ("changelist", String::new()),
    ]);
    stage.text(LIST, list);
    for _ in 0..2 {
        stage.sync(&[]).exits(1).says("capabilitylist.xml");
    }
    stage.run("audit", LIST, &[]).exits(2).says("capabilitylist.xml");
    stage.changes(&change_list(&[changed(&stage, "c.txt", "created", "three")]));
    is_repaired(&stage, &[FILES[0], FILES[1], ("c.txt", "three")]);
}

#[test]
fn a_set_that_could_not_be_found_is_reported_by_each_run() {
    let stage = Stage::copied(FILES);
    stage.changes(&change_list(&[]));
    let sets = [stage.url(LIST), stage.url("/other/capabilitylist.xml")];
    stage.put("/description.xml", Reply::ok(description(&sets)).etag("1"));
    for _ in 0..2 {
        let run = stage.sync_from("/description.xml", &["--all"]);
        run.exits(1).says("/other/capabilitylist.xml");
    }
    stage.text("/other/resourcelist.xml", resource_list(&[]));
    let offers = [("resourcelist", stage.url("/other/resourcelist.xml"))];
    stage.text("/other/capabilitylist.xml", capability_list(&offers));
    stage.sync_from("/description.xml", &["--all"]).exits(0);
}
