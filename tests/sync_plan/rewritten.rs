//! Closed parts of a Change List that are rewritten, or that are as they were.

use crate::support::documents::{Item, change_list_of, index, md5, resource_list_at, sha256};
use crate::support::server::Reply;
use crate::support::stage::Stage;
use crate::{FILES, at, changed};

/// The facts that an index gives of a part, apart from its interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Told {
    Hash,
    Lastmod,
    Length,
    Nothing,
}

/// A closed part and an open one.
struct Source {
    stage: Stage,
    told: Told,
    has_validators: bool,
}

impl Source {
    fn new(told: Told, has_validators: bool) -> Self {
        let stage = Stage::with(FILES);
        Self { stage, told, has_validators }
    }

    fn put(&self, path: &str, body: &str) {
        let reply = Reply::ok(body);
        let etag = md5(body.as_bytes());
        self.stage.put(path, if self.has_validators { reply.etag(&etag) } else { reply });
    }

    /// Writes the parts, and an index of them which was made at a time.
    fn publish(&self, time: &str, closed: &[Item], open: &[Item]) {
        let (from, until) = (at("01-01"), at("02-01"));
        let first = change_list_of(&from, Some(&until), closed);
        self.put("/1.xml", &first);
        self.put("/2.xml", &change_list_of(&until, None, open));
        let part = self.stage.item("1.xml").md("from", &from).md("until", &until);
        let part = match self.told {
            Told::Hash => part.md("hash", format!("sha-256:{}", sha256(first.as_bytes()))),
            Told::Lastmod => part.lastmod(&at(if closed.len() == 1 { "02-01" } else { "03-01" })),
            Told::Length => part.md("length", first.len()),
            Told::Nothing => part,
        };
        let head = format!("<!-- {time} --><rs:md capability=\"changelist\" from=\"{from}\"/>");
        let listed = [part, self.stage.item("2.xml").md("from", &until)];
        self.put("/changelist.xml", &index(&head, &listed));
        self.stage.offer(&["resourcelist", "changelist"]);
    }

    fn asked(&self) -> usize {
        self.stage.server.count("/1.xml")
    }
}

const TOLD: [Told; 4] = [Told::Hash, Told::Lastmod, Told::Length, Told::Nothing];

#[test]
fn a_rewritten_closed_part_is_noticed() {
    for (told, has_validators) in TOLD.into_iter().flat_map(|told| [(told, true), (told, false)]) {
        let source = Source::new(told, has_validators);
        let stage = &source.stage;
        let first = changed(stage, "a.txt", "updated", "newer");
        stage.files(&[("a.txt", "newer")]);
        source.publish("once", std::slice::from_ref(&first), &[]);
        stage.sync(&[]).exits(0);
        stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
        // The publisher had forgotten a change.
        stage.files(&[("c.txt", "three")]);
        source.publish("again", &[first, changed(stage, "c.txt", "created", "three")], &[]);
        let list = [("a.txt", "newer"), ("b.txt", "two"), ("c.txt", "three")];
        stage.list_text(resource_list_at(&at("03-01"), &stage.items(&list)));
        stage.offer(&["resourcelist", "changelist"]);
        stage.sync(&[]).exits(0).says("rewritten");
        stage.has(&list);
        stage.in_sync("/capabilitylist.xml", &[]);
        stage.sync(&[]).exits(0).says("nothing is new");
    }
}

#[test]
fn a_rewritten_closed_part_that_no_list_settles_is_a_gap() {
    let source = Source::new(Told::Nothing, true);
    let stage = &source.stage;
    let first = changed(stage, "a.txt", "created", "one");
    source.publish("once", std::slice::from_ref(&first), &[]);
    stage.offer(&["changelist"]);
    stage.sync(&[]).exits(0);
    source.publish("again", &[first, changed(stage, "b.txt", "created", "two")], &[]);
    stage.offer(&["changelist"]);
    stage.sync(&[]).exits(1).says("rewritten");
}

#[test]
fn a_closed_part_is_not_asked_for_where_the_index_did_not_change() {
    for (told, has_validators) in TOLD.into_iter().flat_map(|told| [(told, true), (told, false)]) {
        let source = Source::new(told, has_validators);
        let stage = &source.stage;
        stage.files(&[("a.txt", "newer")]);
        source.publish("once", &[changed(stage, "a.txt", "updated", "newer")], &[]);
        stage.sync(&[]).exits(0);
        let asked = source.asked();
        stage.sync(&[]).exits(0);
        assert_eq!(source.asked(), asked, "{told:?}, {has_validators}");
    }
}

#[test]
fn a_closed_part_is_asked_for_at_most_once_where_the_index_changed() {
    for told in TOLD {
        let source = Source::new(told, true);
        let stage = &source.stage;
        let first = [changed(stage, "a.txt", "updated", "newer")];
        stage.files(&[("a.txt", "newer")]);
        source.publish("once", &first, &[]);
        stage.sync(&[]).exits(0);
        stage.server.forget_log();
        stage.files(&[("b.txt", "newest")]);
        source.publish("again", &first, &[changed(stage, "b.txt", "updated", "newest")]);
        stage.sync(&[]).exits(0).counts("updated", 1);
        stage.has(&[("a.txt", "newer"), ("b.txt", "newest")]);
        let log = stage.server.log();
        let asked: Vec<_> = log.iter().filter(|request| request.path == "/1.xml").collect();
        // What the index says of the part is the proof; a length alone is none.
        let proves = matches!(told, Told::Hash | Told::Lastmod);
        assert_eq!(asked.len(), usize::from(!proves), "{told:?}");
        assert!(asked.iter().all(|request| request.header("If-None-Match").is_some()));
        // It was asked for that index: not once more.
        for _ in 0..2 {
            stage.sync(&[]).exits(0);
            assert_eq!(source.asked(), asked.len());
        }
        // Nor where the index is another one, and nothing else is.
        source.publish("a third time", &first, &[changed(stage, "b.txt", "updated", "newest")]);
        stage.sync(&[]).exits(0);
        let asked = source.asked();
        stage.sync(&[]).exits(0);
        assert_eq!(source.asked(), asked, "{told:?}");
    }
}

/// An index of parts: their names, intervals and entries.
fn publish_parts(stage: &Stage, parts: &[(&str, &str, Option<&str>, &[Item])]) {
    let listed: Vec<Item> = parts
        .iter()
        .map(|(name, from, until, items)| {
            let until = until.map(at);
            let path = format!("/{name}.xml");
            stage.text(&path, change_list_of(&at(from), until.as_deref(), items));
            let part = stage.item(&format!("{name}.xml")).md("from", at(from));
            until.iter().fold(part, |part, until| part.md("until", until))
        })
        .collect();
    let head = format!("<rs:md capability=\"changelist\" from=\"{}\"/>", at("01-01"));
    stage.text("/changelist.xml", index(&head, &listed));
    stage.offer(&["resourcelist", "changelist"]);
}

#[test]
fn a_source_restored_from_before_its_newest_part_is_compared_with_the_list() {
    let stage = Stage::with(FILES);
    let first = changed(&stage, "a.txt", "updated", "newer").at(&at("01-02"));
    let second = changed(&stage, "c.txt", "created", "three").at(&at("02-02"));
    stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
    let closed = ("1", "01-01", Some("02-01"), std::slice::from_ref(&first));
    publish_parts(&stage, &[closed, ("2", "02-01", None, &[second])]);
    stage.sync(&["--delete"]).exits(0);
    stage.has(&[("a.txt", "newer"), ("b.txt", "two"), ("c.txt", "three")]);
    // The first part is open again, and goes on; what was in the second never was.
    let third = changed(&stage, "b.txt", "updated", "newer").at(&at("03-02"));
    stage.files(&[("b.txt", "newer")]);
    stage.server.remove("/c.txt");
    stage.server.remove("/2.xml");
    let list = [("a.txt", "newer"), ("b.txt", "newer")];
    stage.list_text(resource_list_at(&at("03-03"), &stage.items(&list)));
    publish_parts(&stage, &[("1", "01-01", None, &[first, third])]);
    stage.sync(&["--delete"]).exits(0).says("rolled back");
    stage.has(&list);
    stage.in_sync("/capabilitylist.xml", &[]);
    stage.sync(&["--delete"]).exits(0).says("nothing is new");
}

#[test]
fn a_source_restored_from_before_a_part_without_entries_is_compared_with_the_list() {
    let stage = Stage::with(FILES);
    let first = changed(&stage, "c.txt", "created", "three").at(&at("01-02"));
    let list = [("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")];
    stage.files(&list);
    stage.list_text(resource_list_at(&at("02-01"), &stage.items(&list)));
    publish_parts(&stage, &[("1", "01-01", Some("02-01"), &[first]), ("2", "02-01", None, &[])]);
    stage.sync(&["--delete"]).exits(0);
    stage.has(&list);
    // The first part is open again, and what was read of its changes in the list never was.
    let second = changed(&stage, "b.txt", "updated", "newer").at(&at("03-02"));
    stage.files(&[("b.txt", "newer")]);
    stage.server.remove("/c.txt");
    stage.server.remove("/2.xml");
    let list = [("a.txt", "one"), ("b.txt", "newer")];
    stage.list_text(resource_list_at(&at("03-03"), &stage.items(&list)));
    publish_parts(&stage, &[("1", "01-01", None, &[second])]);
    stage.sync(&["--delete"]).exits(0).says("rolled back");
    stage.has(&list);
    stage.sync(&["--delete"]).exits(0).says("nothing is new");
}
