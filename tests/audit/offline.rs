//! Audits that do not ask the Source, of copies that are known to lack something.

use std::fs;

use serde_json::Value;

use crate::support::documents::{
    capability_list, change_list, change_list_of, description, index, resource_list,
};
use crate::support::server::Reply;
use crate::support::stage::{Run, Stage};
use crate::{FILES, audit, of_kind};

fn offline(stage: &Stage) -> Run {
    audit(stage, &["--offline"])
}

#[test]
fn an_offline_audit_names_what_the_last_sync_could_not_fetch() {
    let stage = Stage::followed(FILES);
    offline(&stage).exits(0);
    let created = stage.item("new.txt").of("new").change("created");
    let updated = stage.item("a.txt").of("newer").change("updated");
    stage.put("/a.txt", Reply::new(404, ""));
    stage.changes(&change_list(&[created, updated]));
    stage.sync(&[]).exits(1).counts("failed", 2);
    let run = offline(&stage);
    run.exits(1).counts("missing", 1).counts("changed", 1).counts("resources", 4);
    assert_eq!(of_kind(&run.json, "missing"), [stage.url("/new.txt")]);
    assert_eq!(of_kind(&run.json, "changed"), [stage.url("/a.txt")]);
    assert!(run.json["accuracy"].as_f64().unwrap() < 0.6, "{}", run.json["accuracy"]);
    stage.files(&[("new.txt", "new"), ("a.txt", "newer")]);
    stage.sync(&[]).exits(0);
    offline(&stage).exits(0);
}

#[test]
fn an_offline_audit_names_a_set_of_which_a_document_was_not_read() {
    let stage = Stage::with(FILES);
    let items = stage.items(FILES);
    stage.text("/1.xml", resource_list(&items[..2]));
    let head = "<rs:md capability=\"resourcelist\" at=\"2026-01-01T00:00:00Z\"/>";
    stage.list_text(index(head, &[stage.item("1.xml"), stage.item("2.xml")]));
    stage.sync(&[]).exits(1);
    let run = offline(&stage);
    run.exits(1).says("no sync has read all documents");
    assert_eq!(run.json["accuracy"], Value::Null);
    stage.text("/2.xml", resource_list(&items[2..]));
    stage.sync(&[]).exits(0);
    offline(&stage).exits(0);
    // One that fails later is known, too.
    stage.server.remove("/2.xml");
    stage.sync(&["--baseline"]).exits(1);
    offline(&stage).exits(1).says("gaps");
}

#[test]
fn an_offline_audit_names_a_gap_of_the_last_sync() {
    let stage = Stage::with(FILES);
    stage.files(&[("a.txt", "newer")]);
    let updated = stage.item("a.txt").of("newer").change("updated");
    stage.changes(&change_list_of("2026-02-01T00:00:00Z", None, &[updated]));
    stage.sync(&[]).exits(1);
    let run = offline(&stage);
    run.exits(1).says("the last sync did not lead to a state of the Source");
    assert_eq!(run.json["gaps"].as_array().unwrap().len(), 1, "{}", run.json["gaps"]);
    // Where no change was applied, the run is all that tells of it.
    let stage = Stage::with(FILES);
    stage.changes(&change_list_of("2026-02-01T00:00:00Z", None, &[]));
    stage.sync(&[]).exits(1);
    offline(&stage).exits(1);
}

#[test]
fn an_offline_audit_of_a_copy_that_has_found_no_source_is_not_well() {
    let stage = Stage::new();
    stage.sync(&[]).exits(2);
    offline(&stage).exits(1).says("no sync has found the Source yet");
}

#[test]
fn an_offline_audit_of_one_set_looks_at_what_it_shares_with_others() {
    let stage = Stage::new();
    stage.files(&[("a.txt", "a"), ("b.txt", "b")]);
    let sets = ["x", "y"].map(|set| {
        let list = format!("/{set}/resourcelist.xml");
        stage.text(&list, resource_list(&stage.items(&[("a.txt", "a")])));
        let path = format!("/{set}/capabilitylist.xml");
        stage.text(&path, capability_list(&[("resourcelist", stage.url(&list))]));
        stage.url(&path)
    });
    stage.text("/.well-known/resourcesync", description(&sets));
    stage.sync_from("/", &["--all"]).exits(0);
    fs::remove_file(stage.home().join("a.txt")).unwrap();
    for set in &sets {
        stage.run("audit", "/", &["--offline", "--set", set]).exits(1).counts("missing", 1);
    }
}
