//! Audits of copies that have other representations than those that the Source speaks of (`--prefer`).

use crate::support::documents::{Item, change_list, md5, sha256};
use crate::support::stage::Stage;
use crate::{LIST, audit};

/// A page with its digest, and a link to its text with these attributes.
fn page(stage: &Stage, html: &str, facts: &str) -> Item {
    let item = stage.item("a.html").md("hash", format!("md5:{}", md5(html.as_bytes())));
    let more = format!("type=\"text/plain\" {facts}");
    item.md("type", "text/html").link("alternate", &stage.url("/a.txt"), &more)
}

/// What a link says of a text, in different words.
fn facts(text: &str) -> [String; 4] {
    [
        format!("length=\"{}\" hash=\"sha-256:{}\"", text.len(), sha256(text.as_bytes())),
        format!("hash=\"md5:{}\"", md5(text.as_bytes())),
        format!("length=\"{}\"", text.len()),
        String::new(),
    ]
}

/// A copy of the text of the page, and of a resource that has no text.
fn copied(facts: &str) -> Stage {
    let stage = Stage::new();
    stage.files(&[("a.html", "<p>a"), ("a.txt", "a"), ("b.bin", "b")]);
    stage.list(&[page(&stage, "<p>a", facts), stage.item("b.bin").of("b")]);
    stage.changes(&change_list(&[]));
    stage.sync(&["--prefer", "text/plain"]).exits(0);
    stage.has(&[("a.html", "a"), ("b.bin", "b")]);
    stage.in_sync(LIST, &[]);
    stage
}

#[test]
fn an_audit_finds_that_a_preferred_representation_changed() {
    for (old, new) in facts("a").iter().zip(facts("bb")) {
        for is_change in [false, true] {
            let stage = copied(old);
            stage.files(&[("a.html", "<p>bb"), ("a.txt", "bb")]);
            let entry = page(&stage, "<p>bb", &new);
            match is_change {
                true => stage.changes(&change_list(&[entry.change("updated")])),
                false => {
                    stage.list(&[entry, stage.item("b.bin").of("b")]);
                    stage.changes(&change_list(&[]));
                }
            }
            audit(&stage, &[]).exits(1).counts("changed", 1);
            let options: &[&str] = if is_change { &[] } else { &["--baseline"] };
            stage.sync(&[options, &["--prefer", "text/plain"]].concat()).exits(0);
            stage.has(&[("a.html", "bb"), ("b.bin", "b")]);
            stage.in_sync(LIST, &[]);
        }
    }
}

#[test]
fn a_representation_that_changed_alone_is_fetched_again() {
    let [old, ..] = facts("a");
    let [new, ..] = facts("bb");
    for is_change in [false, true] {
        let stage = copied(&old);
        stage.files(&[("a.txt", "bb")]);
        let entry = page(&stage, "<p>a", &new);
        match is_change {
            true => stage.changes(&change_list(&[entry.change("updated")])),
            false => {
                stage.list(&[entry, stage.item("b.bin").of("b")]);
                stage.changes(&change_list(&[]));
            }
        }
        audit(&stage, &[]).exits(1).counts("changed", 1);
        let options: &[&str] = if is_change { &[] } else { &["--baseline"] };
        stage.sync(&[options, &["--prefer", "text/plain"]].concat()).exits(0).counts("updated", 1);
        stage.has(&[("a.html", "bb"), ("b.bin", "b")]);
        stage.in_sync(LIST, &[]);
    }
}

#[test]
fn an_audit_of_a_copy_with_a_preference_compares_what_has_only_one_representation() {
    let stage = copied("");
    stage.files(&[("b.bin", "c")]);
    stage.list(&[page(&stage, "<p>a", ""), stage.item("b.bin").of("c")]);
    stage.changes(&change_list(&[]));
    audit(&stage, &[]).exits(1).counts("changed", 1).says("/b.bin");
}
