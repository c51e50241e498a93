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
