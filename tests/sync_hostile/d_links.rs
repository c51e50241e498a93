//! D7 and D8: mirrors and patches. Whatever they are, the right bytes come.

use crate::support::server::{Reply, Server};
use crate::support::stage::{Case, Stage, case};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = mirrors();
    cases.extend(patches());
    cases
}

/// A mirror that answers so; whatever it does, the right bytes come.
fn mirror(name: &str, reply: fn() -> Reply, mirrored: u64) -> Case {
    case(format!("D7 {name}"), move || {
        let stage = Stage::with(FILES);
        let other = Server::at("127.0.0.2:0");
        other.put("/a.txt", reply());
        let item =
            stage.items(FILES).remove(0).link("duplicate", &other.url("/a.txt"), "pri=\"1\"");
        stage.list(&[item, stage.items(FILES).remove(1)]);
        stage.sync(&["--allow-private"]).exits(0).counts("mirrored", mirrored);
        stage.has(FILES);
    })
}

fn mirrors() -> Vec<Case> {
    vec![
        mirror("a mirror", || Reply::ok("one"), 1),
        mirror("a mirror that lies", || Reply::ok("eno"), 0),
        mirror("a mirror that is a page", || Reply::ok("<html>Sign in</html>"), 0),
        mirror("a mirror that is not there", || Reply::new(404, ""), 0),
        mirror(
            "a mirror that redirects to another port",
            || Reply::redirect("http://127.0.0.1:25/"),
            0,
        ),
        case("D7 mirrors of other kinds", || {
            let stage = Stage::with(FILES);
            let item = stage.items(FILES).remove(0);
            let item = item.link("duplicate", "gsiftp://a.example/a.txt", "pri=\"1\"");
            let item = item.link("duplicate", "file:///etc/passwd", "pri=\"2\"");
            stage.list(&[item, stage.items(FILES).remove(1)]);
            stage.sync(&[]).exits(0);
            stage.has(FILES);
        }),
        case("D7 without a digest no mirror is asked", || {
            let stage = Stage::with(FILES);
            stage.text("/mirror", "lies");
            let item = stage.item("a.txt").link("duplicate", &stage.url("/mirror"), "pri=\"1\"");
            stage.list(&[item, stage.items(FILES).remove(1)]);
            stage.sync(&[]).exits(0);
            stage.has(FILES);
            assert_eq!(stage.server.count("/mirror"), 0);
        }),
        case("D7 only a mirror has it", || {
            let stage = Stage::with(FILES);
            stage.server.remove("/a.txt");
            stage.text("/mirror", "one");
            let item = stage.items(FILES).remove(0).link("duplicate", &stage.url("/mirror"), "");
            stage.list(&[item, stage.items(FILES).remove(1)]);
            stage.sync(&[]).exits(0);
            stage.has(FILES);
        }),
    ]
}

const OLD: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
const NEW: &str = "one\ntwo\nthree\nfour\nFIVE\nsix\nseven\neight\nnine\nten\n";
const PATCH: &str = "--- a\n+++ b\n@@ -3,5 +3,5 @@\n three\n four\n-five\n+FIVE\n six\n seven\n";

/// A patch from the old text to the new one; whatever it is, the right bytes come.
fn patch(name: &str, kind: &'static str, body: &'static str, patched: u64) -> Case {
    case(format!("D8 {name}"), move || {
        let stage = Stage::copied(&[("a.txt", OLD)]);
        stage.text("/a.txt", NEW);
        stage.text("/patch", body);
        let rel = "http://www.openarchives.org/rs/terms/patch";
        let more = format!("type=\"{kind}\"");
        stage.list(&[stage.item("a.txt").of(NEW).link(rel, &stage.url("/patch"), &more)]);
        stage.sync(&[]).exits(0).counts("patched", patched);
        stage.has(&[("a.txt", NEW)]);
    })
}

fn patches() -> Vec<Case> {
    vec![
        patch("a patch", "text/x-diff", PATCH, 1),
        patch(
            "a patch of something else",
            "text/x-diff",
            "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-eno\n+one\n",
            0,
        ),
        patch(
            "a patch to something else",
            "text/x-diff",
            "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-one\n+ONE\n",
            0,
        ),
        patch("no patch", "text/x-diff", "<html>Sign in</html>", 0),
        patch("a kind that nobody knows", "application/x-unknown", PATCH, 0),
        patch(
            "numbers without end",
            "text/x-diff",
            "--- a\n+++ b\n@@ -1,18446744073709551615 +1,18446744073709551615 @@\n one\n",
            0,
        ),
        case("D8 copies of copies of copies", || {
            let old = "{\"a\":\"0123456789\"}";
            let stage = Stage::copied(&[("a.json", old)]);
            stage.text("/a.json", "{}");
            let copies: Vec<String> = (0..60)
                .map(|number| format!("{{\"op\":\"copy\",\"from\":\"\",\"path\":\"/b{number}\"}}"))
                .collect();
            stage.text("/patch", format!("[{}]", copies.join(",")));
            let rel = "http://www.openarchives.org/rs/terms/patch";
            let more = "type=\"application/json-patch+json\"";
            stage.list(&[stage.item("a.json").of("{}").link(rel, &stage.url("/patch"), more)]);
            stage.sync(&[]).exits(0).counts("patched", 0);
            stage.has(&[("a.json", "{}")]);
        }),
        case("D8 the file that it starts from was damaged", || {
            let stage = Stage::copied(&[("a.txt", OLD)]);
            std::fs::write(stage.home().join("a.txt"), OLD.replace("one", "eno")).unwrap();
            stage.text("/a.txt", NEW);
            stage.text("/patch", PATCH);
            let rel = "http://www.openarchives.org/rs/terms/patch";
            let item = stage.item("a.txt").of(NEW);
            stage.list(&[item.link(rel, &stage.url("/patch"), "type=\"text/x-diff\"")]);
            stage.sync(&[]).exits(0);
            stage.has(&[("a.txt", NEW)]);
        }),
    ]
}
