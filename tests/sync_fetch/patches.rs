//! Patches: compressed ones, and several in a row.

use crate::support::documents::{Item, change_list, gzip};
use crate::support::server::Reply;
use crate::support::stage::Stage;

const REL: &str = "http://www.openarchives.org/rs/terms/patch";

/// A line of the text: in each version another one is in capitals.
fn line(number: usize, version: usize) -> String {
    match number == version {
        true => format!("LINE {number} IS ANOTHER\n"),
        false => format!("line {number} of a text that is long enough\n"),
    }
}

fn version(version: usize) -> String {
    (0..40).map(|number| line(number, version)).collect()
}

/// The patch from one version to the next.
fn patch(from: usize) -> String {
    let (next, at) = (from + 1, from + 1);
    let lines = |sign: char, version: usize| -> String {
        [from, next].map(|number| format!("{sign}{}", line(number, version))).concat()
    };
    format!("--- a\n+++ b\n@@ -{at},2 +{at},2 @@\n{}{}", lines('-', from), lines('+', next))
}

/// The change to a version, with its patch.
fn change(stage: &Stage, number: usize) -> Item {
    let path = format!("/patch-{}", number - 1);
    stage.text(&path, patch(number - 1));
    let item = stage.item("a.txt").change("updated").of(version(number));
    item.at(&format!("2026-01-{:02}T00:00:00Z", number + 1)).link(
        REL,
        &stage.url(&path),
        "type=\"text/x-diff\"",
    )
}

fn followed() -> Stage {
    Stage::followed(&[("a.txt", &version(0))])
}

/// The copy gets the last version, by patch if it can.
#[track_caller]
fn gets(stage: &Stage, number: usize, changes: &[Item], patched: u64) {
    stage.text("/a.txt", version(number));
    stage.changes(&change_list(changes));
    stage.server.forget_log();
    stage.sync(&[]).exits(0).counts("patched", patched);
    assert_eq!(stage.server.count("/a.txt") as u64, 1 - patched);
    stage.has(&[("a.txt", &version(number))]);
}

#[test]
fn a_patch_that_comes_compressed_is_applied() {
    let stage = followed();
    let changes = [change(&stage, 1)];
    let reply = Reply::ok(gzip(patch(0).as_bytes())).with("Content-Encoding", "gzip");
    stage.put("/patch-0", reply);
    gets(&stage, 1, &changes, 1);
    let stage = followed();
    let changes = [change(&stage, 1)];
    stage.put("/patch-0", Reply::ok("no gzip").with("Content-Encoding", "gzip"));
    gets(&stage, 1, &changes, 0);
}

#[test]
fn patches_in_a_row_are_applied_one_after_the_other() {
    let stage = followed();
    let changes = [change(&stage, 1), change(&stage, 2), change(&stage, 3)];
    gets(&stage, 3, &changes, 1);
    // From a version in between: the list is another one, and read again from its beginning.
    let stage = followed();
    gets(&stage, 1, &[change(&stage, 1)], 1);
    stage.files(&[("b.txt", "two")]);
    stage.text("/a.txt", version(3));
    let other = stage.item("b.txt").change("created").of("two").at("2026-01-01T00:00:00Z");
    stage.changes(&change_list(&[other, change(&stage, 1), change(&stage, 2), change(&stage, 3)]));
    stage.server.remove("/patch-0");
    stage.sync(&[]).exits(0).counts("patched", 1);
    stage.has(&[("a.txt", &version(3)), ("b.txt", "two")]);
}

#[test]
fn a_chain_with_a_fault_is_no_reason_to_go_without() {
    for fault in ["/patch-0", "/patch-1", "/patch-2"] {
        for reply in [Reply::new(404, ""), Reply::ok("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n")] {
            let stage = followed();
            let changes = [change(&stage, 1), change(&stage, 2), change(&stage, 3)];
            stage.put(fault, reply);
            gets(&stage, 3, &changes, 0);
        }
    }
    // A change without a patch in between.
    let stage = followed();
    let at = "2026-01-03T00:00:00Z";
    let bare = stage.item("a.txt").change("updated").of(version(2)).at(at);
    let changes = [change(&stage, 1), bare, change(&stage, 3)];
    gets(&stage, 3, &changes, 0);
}
