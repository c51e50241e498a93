//! Steps 1 and 2 of IFCC-0001, "Checking for Updates", at every check.

use crate::stage::{CAPABILITIES, DESCRIPTION, Stage};
use crate::support::documents::{Item, description, document, index};
use crate::support::server::Reply;

/// The Capability List of a set with a Change List of one page.
fn put_set(stage: &Stage, name: &str) {
    let head = format!(
        "<rs:ln rel=\"describes\" href=\"{}\"/><rs:md capability=\"capabilitylist\"/>",
        stage.url(&format!("/{name}/"))
    );
    let list = format!("/{name}/changelist.xml");
    let offer = Item::new(stage.url(&list)).md("capability", "changelist");
    stage.text(&format!("/{name}/list.xml"), document(&head, &[offer]));
    let change = Item::new(stage.url(&format!("/{name}/a"))).change("created").at("2026-01-02");
    stage.text(&list, stage.change_list(&[change]));
}

fn name_sets(stage: &Stage, sets: &[&str]) {
    let urls: Vec<String> = sets.iter().map(|path| stage.url(path)).collect();
    stage.text(DESCRIPTION, description(&urls));
}

#[test]
fn a_new_set_is_noticed_at_the_next_poll_and_a_vanished_one_too() {
    let stage = Stage::followed(&[]);
    put_set(&stage, "pond");
    name_sets(&stage, &[CAPABILITIES, "/pond/list.xml"]);
    let polled = stage.poll();
    polled.exits(0);
    assert_eq!(polled.changes(), 1);
    let site = stage.follower.site();
    assert_eq!(site["collections"][1]["identity"], stage.url("/pond/"), "{site:#}");
    name_sets(&stage, &["/pond/list.xml"]);
    stage.poll().exits(0);
    assert_eq!(stage.collection()["is_gone"], true);
    name_sets(&stage, &[CAPABILITIES, "/pond/list.xml"]);
    stage.poll().exits(0);
    assert_eq!(stage.collection()["is_gone"], false);
    stage.is_settled();
}

#[test]
fn the_source_description_and_the_capability_lists_are_asked_for_conditionally() {
    let stage = Stage::garden(&[]);
    for (path, tag) in [(DESCRIPTION, "d1"), (CAPABILITIES, "c1")] {
        let reply = stage.server.reply(path).unwrap().etag(tag);
        stage.server.put(path, reply);
    }
    stage.follow(&[]).exits(0);
    stage.server.forget_log();
    stage.poll().exits(0);
    let log = stage.server.log();
    for (path, tag) in [(DESCRIPTION, "\"d1\""), (CAPABILITIES, "\"c1\"")] {
        let asked: Vec<_> = log.iter().filter(|request| request.path == path).collect();
        assert_eq!(asked.len(), 1, "{path} is asked for once");
        assert_eq!(asked[0].header("If-None-Match"), Some(tag), "{path}");
    }
    // A server without validators is known by what it says.
    let stage = Stage::followed(&[]);
    stage.server.forget_log();
    stage.poll().exits(0);
    assert_eq!(stage.server.count(DESCRIPTION), 1, "nothing changed: no second look");
    assert_eq!(stage.server.count(CAPABILITIES), 1);
}

#[test]
fn a_set_below_an_index_of_source_descriptions_is_noticed_at_once() {
    let stage = Stage::garden(&[]);
    let head = "<rs:md capability=\"description\"/>";
    let part = Item::new(stage.url("/part.xml")).md("capability", "description");
    stage.text(DESCRIPTION, index(head, &[part]));
    stage.text("/part.xml", description(&[stage.url(CAPABILITIES)]));
    stage.follow(&[]).exits(0);
    put_set(&stage, "pond");
    stage.text("/part.xml", description(&[stage.url(CAPABILITIES), stage.url("/pond/list.xml")]));
    let polled = stage.poll();
    polled.exits(0);
    assert_eq!(polled.changes(), 1);
}

#[test]
fn a_capability_list_that_was_missing_is_noticed_when_it_appears() {
    let stage = Stage::garden(&[]);
    name_sets(&stage, &[CAPABILITIES, "/pond/list.xml"]);
    stage.follow(&[]).exits(0);
    assert_eq!(stage.follower.site()["collections"].as_array().unwrap().len(), 1);
    stage.poll().exits(0);
    put_set(&stage, "pond");
    let polled = stage.poll();
    polled.exits(0);
    assert_eq!(polled.changes(), 1);
}

#[test]
fn a_source_description_in_trouble_keeps_no_change_back() {
    let stage = Stage::followed(&[]);
    stage.server.put(DESCRIPTION, Reply::new(500, ""));
    stage.put_changes(&[stage.change("a", "created", "2026-01-02")]);
    let polled = stage.poll();
    polled.exits(0);
    assert_eq!(polled.changes(), 1);
    let reason = stage.follower.site()["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains(DESCRIPTION) && reason.contains("500"), "{reason}");
}
