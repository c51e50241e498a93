//! Sources whose parts move, vanish and come back.

use serde_json::Value;

use crate::stage::{CAPABILITIES, CHANGES, DESCRIPTION, HTML, Stage};
use crate::support::documents::{Item, description, document};
use crate::support::server::Reply;

/// A second collection, the pond.
fn pond(stage: &Stage) {
    let head = format!(
        "<rs:ln rel=\"describes\" href=\"{}\"/><rs:md capability=\"capabilitylist\"/>",
        stage.url("/pond/")
    );
    let offer = Item::new(stage.url("/pond/changelist.xml")).md("capability", "changelist");
    stage.text("/pond/list.xml", document(&head, &[offer]));
    stage.text(DESCRIPTION, description(&[stage.url(CAPABILITIES), stage.url("/pond/list.xml")]));
    put_pond(stage, &["a"]);
}

fn put_pond(stage: &Stage, pages: &[&str]) {
    let changes: Vec<Item> = pages
        .iter()
        .zip(2..)
        .map(|(page, day)| {
            Item::new(stage.url(&format!("/pond/{page}")))
                .change("created")
                .at(&format!("2026-01-{day:02}"))
        })
        .collect();
    stage.text("/pond/changelist.xml", stage.change_list(&changes));
}

#[test]
fn a_change_list_that_moved_is_found_again() {
    let stage = Stage::garden(&[]);
    let a = stage.change("a", "created", "2026-01-02T00:00:00Z");
    let b = stage.change("b", "created", "2026-01-03T00:00:00Z");
    stage.put_changes(std::slice::from_ref(&a));
    stage.follow(&[]).exits(0);
    let ids = stage.ids();
    for (status, place) in [(404, "/moved.xml"), (410, "/again.xml")] {
        let old = stage.collection()["change_list"].as_str().unwrap().replace(&stage.url(""), "");
        stage.server.put(&old, Reply::new(status, ""));
        stage.text(place, stage.change_list(&[a.clone(), b.clone()]));
        stage.text(CAPABILITIES, stage.capabilities(true, place));
        let polled = stage.poll();
        polled.exits(0);
        assert_eq!(stage.collection()["change_list"], stage.url(place));
    }
    // It is the same collection, with the same entries and one more.
    assert_eq!(stage.told(), ["created a", "created b"]);
    assert_eq!(stage.ids()[..1], ids);
    stage.is_settled();
}

#[test]
fn a_change_list_that_is_gone_for_good_is_an_error_and_not_asked_for_in_vain() {
    let stage = Stage::followed(&[]);
    stage.server.remove(CHANGES);
    stage.server.forget_log();
    stage.fails(&[CHANGES, "404"]);
    assert!(stage.server.log().len() < 20, "{}", stage.server.log().len());
    // Then the whole Source is.
    for reply in [Reply::ok(HTML), Reply::new(404, ""), Reply::new(500, "")] {
        stage.server.put(DESCRIPTION, reply);
        stage.fails(&[]);
    }
    stage.put_source(true);
    stage.put_changes(&[stage.change("a", "created", "2026-01-02")]);
    stage.brings(1);
}

#[test]
fn a_collection_that_vanishes_keeps_its_feed_and_goes_on_when_it_is_back() {
    let stage = Stage::garden(&[]);
    pond(&stage);
    stage.follow(&[]).exits(0);
    let before = stage.follower.site()["collections"][1].clone();
    assert_eq!(before["identity"], stage.url("/pond/"));
    // The site does not name it any more.
    stage.text(DESCRIPTION, description(&[stage.url(CAPABILITIES)]));
    stage.server.remove("/pond/list.xml");
    stage.server.remove("/pond/changelist.xml");
    let polled = stage.poll();
    polled.exits(0);
    assert_eq!(polled.changes(), 0);
    let gone = stage.follower.site()["collections"][1].clone();
    assert_eq!(gone["is_gone"], true);
    assert_eq!(gone["reason"], "its site does not name it any more");
    for same in ["key", "identity", "changes", "batches", "feeds"] {
        assert_eq!(gone[same], before[same]);
    }
    stage.is_settled();
    // It is not asked for any more.
    stage.server.forget_log();
    stage.poll().exits(0);
    assert_eq!(stage.server.count("/pond/changelist.xml"), 0);
    pond(&stage);
    put_pond(&stage, &["a", "b"]);
    stage.a_day_passes();
    let polled = stage.poll();
    polled.exits(0);
    assert_eq!(polled.changes(), 1);
    let back = stage.follower.site()["collections"][1].clone();
    assert_eq!((&back["is_gone"], &back["reason"]), (&false.into(), &Value::Null));
    assert_eq!((&back["key"], &back["changes"]), (&before["key"], &2.into()));
    stage.is_settled();
}

#[test]
fn one_broken_collection_does_not_hold_up_the_others() {
    let stage = Stage::garden(&[]);
    pond(&stage);
    stage.follow(&[]).exits(0);
    stage.text(CHANGES, HTML);
    put_pond(&stage, &["a", "b"]);
    let polled = stage.poll();
    polled.exits(0);
    assert_eq!(polled.changes(), 1);
    let site = stage.follower.site();
    assert!(site["reason"].as_str().unwrap().contains("not all of it could be had"), "{site}");
    assert!(site["collections"][0]["reason"].as_str().unwrap().contains(CHANGES));
    assert!(site["collections"][1]["reason"].is_null());
    stage.put_changes(&[stage.change("x", "created", "2026-01-02")]);
    stage.brings(1);
    let site = stage.follower.site();
    assert!(site["reason"].is_null() && site["collections"][0]["reason"].is_null());
}

/// The rediscovery of each day takes nothing away when it fails.
#[test]
fn a_description_that_is_broken_for_a_day_changes_nothing() {
    let stage = Stage::followed(&[]);
    let before = stage.follower.site()["collections"].clone();
    for reply in [Reply::ok(HTML), Reply::ok(""), Reply::new(404, ""), Reply::new(503, "")] {
        stage.server.put(DESCRIPTION, reply);
        stage.a_day_passes();
        stage.poll();
        let after = stage.follower.site()["collections"].clone();
        assert_eq!(after[0]["is_gone"], false);
        assert_eq!(after[0]["key"], before[0]["key"]);
    }
    stage.put_source(true);
    stage.put_changes(&[stage.change("a", "created", "2026-01-02")]);
    stage.brings(1);
}
