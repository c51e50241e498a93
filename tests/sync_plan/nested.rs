//! Indexes of Change Lists that lead to indexes, and parts that get another name or another end.

use crate::support::documents::{Item, change_list_of, document, index, md5, resource_list_at};
use crate::support::server::Reply;
use crate::support::stage::Stage;
use crate::{FILES, at, changed};

const HEAD: &str = "<rs:md capability=\"changelist\" from=\"2026-01-01T00:00:00Z\"/>";

/// A document that is known again by its bytes.
fn put(stage: &Stage, path: &str, body: &str) {
    stage.put(path, Reply::ok(body).etag(&md5(body.as_bytes())));
}

/// A part with its interval, and the entry for it.
fn part(stage: &Stage, name: &str, (from, until): (&str, Option<&str>), items: &[Item]) -> Item {
    let end = until.map(at);
    put(stage, &format!("/{name}"), &change_list_of(&at(from), end.as_deref(), items));
    let listed = stage.item(name).md("from", at(from));
    match end {
        Some(end) => listed.md("until", end),
        None => listed,
    }
}

#[test]
fn a_part_with_an_interval_that_is_an_index_leads_to_its_own_parts() {
    for head in ["<rs:md capability=\"changelist-archive\"/>", HEAD] {
        let stage = Stage::with(FILES);
        stage.files(&[("a.txt", "newer"), ("c.txt", "three"), ("d.txt", "four")]);
        let parts = [
            part(
                &stage,
                "1.xml",
                ("01-01", Some("02-01")),
                &[changed(&stage, "a.txt", "updated", "newer")],
            ),
            part(
                &stage,
                "2.xml",
                ("02-01", Some("03-01")),
                &[changed(&stage, "c.txt", "created", "three")],
            ),
        ];
        put(&stage, "/winter.xml", &index(HEAD, &parts));
        let winter = stage.item("winter.xml").md("from", at("01-01")).md("until", at("03-01"));
        let created = [changed(&stage, "d.txt", "created", "four").at(&at("03-02"))];
        let newest = part(&stage, "3.xml", ("03-01", None), &created);
        let is_archive = head != HEAD;
        if is_archive {
            put(&stage, "/changelist-archive.xml", &document(head, std::slice::from_ref(&winter)));
            put(&stage, "/changelist.xml", &change_list_of(&at("03-01"), None, &created));
            stage.offer(&["resourcelist", "changelist", "changelist-archive"]);
        } else {
            put(&stage, "/changelist.xml", &index(head, &[winter.clone(), newest]));
            stage.offer(&["resourcelist", "changelist"]);
        }
        let has = [("a.txt", "newer"), ("b.txt", "two"), ("c.txt", "three"), ("d.txt", "four")];
        stage.sync(&["--dry-run"]).exits(0).counts("created", 4);
        stage.sync(&[]).exits(0).counts("failed", 0);
        stage.has(&has);
        stage.in_sync("/capabilitylist.xml", &[]);
        stage.sync(&[]).exits(0).says("nothing is new");
        stage.has(&has);
        if is_archive {
            continue;
        }
        // A part below it is rewritten; the index above it is another one, too.
        let rewritten =
            [changed(&stage, "a.txt", "updated", "newer"), stage.item("b.txt").change("deleted")];
        part(&stage, "1.xml", ("01-01", Some("02-01")), &rewritten);
        put(&stage, "/winter.xml", &index(&format!("<!-- again -->{HEAD}"), &parts));
        let newest = stage.item("3.xml").md("from", at("03-01"));
        put(&stage, "/changelist.xml", &index(&format!("<!-- again -->{HEAD}"), &[winter, newest]));
        let list = [has[0], has[2], has[3]];
        stage.list_text(resource_list_at(&at("04-01"), &stage.items(&list)));
        stage.offer(&["resourcelist", "changelist"]);
        stage.sync(&["--delete"]).exits(0).says("rewritten");
        stage.has(&list);
    }
}

#[test]
fn an_index_that_is_as_it_was_does_not_hide_what_another_one_says() {
    let stage = Stage::with(FILES);
    let first = changed(&stage, "a.txt", "updated", "newer");
    stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
    let january = part(&stage, "1.xml", ("01-01", Some("02-01")), std::slice::from_ref(&first));
    let february = [changed(&stage, "c.txt", "created", "three")];
    let february = part(&stage, "2.xml", ("02-01", Some("03-01")), &february);
    let march = part(&stage, "3.xml", ("03-01", None), &[]);
    put(&stage, "/inner.xml", &index(HEAD, std::slice::from_ref(&february)));
    let outer = |time: &str| {
        let head = format!("<!-- {time} -->{HEAD}");
        let listed = [stage.item("inner.xml"), january.clone(), march.clone()];
        put(&stage, "/changelist.xml", &index(&head, &listed));
        stage.offer(&["resourcelist", "changelist"]);
    };
    outer("once");
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "newer"), ("b.txt", "two"), ("c.txt", "three")]);
    // The part of January is rewritten; the index of February is as it was.
    let rewritten = [first, stage.item("b.txt").change("deleted")];
    part(&stage, "1.xml", ("01-01", Some("02-01")), &rewritten);
    let list = [("a.txt", "newer"), ("c.txt", "three")];
    stage.list_text(resource_list_at(&at("04-01"), &stage.items(&list)));
    outer("again");
    stage.sync(&["--delete"]).exits(0).says("rewritten");
    stage.has(&list);
}

#[test]
fn a_part_that_was_closed_meanwhile_is_read_to_its_end() {
    let stage = Stage::with(FILES);
    let time = at("02-01");
    let first = changed(&stage, "a.txt", "updated", "newer").at(&time);
    stage.files(&[("a.txt", "newer")]);
    let open = part(&stage, "1.xml", ("01-01", None), std::slice::from_ref(&first));
    put(&stage, "/changelist.xml", &index(HEAD, &[open]));
    stage.offer(&["resourcelist", "changelist"]);
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
    // Another change of the same moment, which is the end of the part.
    stage.files(&[("c.txt", "three")]);
    let second = changed(&stage, "c.txt", "created", "three").at(&time);
    let closed = part(&stage, "1.xml", ("01-01", Some("02-01")), &[first, second]);
    let next = part(&stage, "2.xml", ("02-01", None), &[]);
    put(&stage, "/changelist.xml", &index(HEAD, &[closed, next]));
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "newer"), ("b.txt", "two"), ("c.txt", "three")]);
    stage.in_sync("/capabilitylist.xml", &[]);
    stage.sync(&[]).exits(0).says("nothing is new");
}

#[test]
fn a_closed_part_under_another_name_has_the_same_changes_or_was_rewritten() {
    for is_rewritten in [false, true] {
        let stage = Stage::with(FILES);
        let first = changed(&stage, "a.txt", "updated", "newer");
        stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
        let january = ("01-01", Some("02-01"));
        let closed = part(&stage, "1.xml", january, std::slice::from_ref(&first));
        let open = part(&stage, "2.xml", ("02-01", None), &[]);
        put(&stage, "/changelist.xml", &index(HEAD, &[closed, open.clone()]));
        stage.offer(&["resourcelist", "changelist"]);
        stage.sync(&[]).exits(0);
        let more = changed(&stage, "c.txt", "created", "three");
        let items = if is_rewritten { vec![first, more] } else { vec![first] };
        let closed = part(&stage, "renamed.xml", january, &items);
        put(&stage, "/changelist.xml", &index(HEAD, &[closed, open]));
        stage.server.remove("/1.xml");
        let mut list = vec![("a.txt", "newer"), ("b.txt", "two")];
        list.extend(is_rewritten.then_some(("c.txt", "three")));
        stage.list_text(resource_list_at(&at("03-01"), &stage.items(&list)));
        stage.offer(&["resourcelist", "changelist"]);
        let run = stage.sync(&[]);
        run.exits(0).says(if is_rewritten { "rewritten" } else { "nothing is new" });
        stage.has(&list);
        let asked = stage.server.count("/renamed.xml");
        stage.sync(&[]).exits(0).says("nothing is new");
        assert_eq!(stage.server.count("/renamed.xml"), asked);
    }
}

#[test]
fn a_closed_list_without_an_index_that_was_rewritten_is_noticed() {
    let stage = Stage::with(FILES);
    let put_list = |items: &[Item]| {
        stage.changes(&change_list_of(&at("01-01"), Some(&at("02-01")), items));
    };
    let first = changed(&stage, "a.txt", "updated", "newer");
    stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
    put_list(std::slice::from_ref(&first));
    stage.sync(&[]).exits(0);
    let list = [("a.txt", "newer"), ("b.txt", "two"), ("c.txt", "three")];
    stage.list_text(resource_list_at(&at("02-01"), &stage.items(&list)));
    put_list(&[first, changed(&stage, "c.txt", "created", "three")]);
    stage.sync(&[]).exits(0).says("rewritten");
    stage.has(&list);
}
