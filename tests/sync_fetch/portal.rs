//! The page of a captive portal never replaces a file.

use crate::support::server::{Reply, Server};
use crate::support::stage::Stage;

const PAGE: &str = "<!doctype html><title>Accept our terms</title>";

fn page() -> Reply {
    Reply::ok(PAGE).with("Content-Type", "text/html; charset=utf-8")
}

#[test]
fn a_page_is_refused_where_the_source_says_another_type() {
    let stage = Stage::new();
    stage.put("/a.pdf", page());
    stage.list(&[stage.item("a.pdf").lastmod("2026-01-01").md("type", "application/pdf")]);
    stage.sync(&[]).exits(1).says("an HTML page came");
    stage.has(&[]);
    stage.text("/a.pdf", "%PDF");
    stage.sync(&[]).exits(0);
    stage.has(&[("a.pdf", "%PDF")]);
}

#[test]
fn a_page_is_refused_where_the_copy_has_another_type() {
    let stage = Stage::new();
    stage.put("/a.csv", Reply::ok("1;2").with("Content-Type", "text/csv"));
    stage.list(&[stage.item("a.csv").lastmod("2026-01-01")]);
    stage.sync(&[]).exits(0);
    stage.put("/a.csv", page());
    stage.list(&[stage.item("a.csv").lastmod("2026-01-02")]);
    stage.sync(&["--baseline"]).exits(1).says("should be text/csv");
    stage.has(&[("a.csv", "1;2")]);
    // Whoever says that it is a page now is taken at their word.
    stage.list(&[stage.item("a.csv").lastmod("2026-01-03").md("type", "text/html")]);
    stage.sync(&["--baseline"]).exits(0);
    stage.has(&[("a.csv", PAGE)]);
}

#[test]
fn verified_bytes_are_not_replaced_by_what_another_origin_sends() {
    let portal = Server::start();
    portal.put("/", Reply::ok("other bytes"));
    let stage = Stage::copied(&[("a.txt", "one")]);
    stage.put("/a.txt", Reply::redirect(portal.url("/")));
    // The Source gives no digest any more.
    stage.list(&[stage.item("a.txt").lastmod("2026-01-02")]);
    let options = ["--baseline", "--allow-private"];
    stage.sync(&options).exits(1).says("were verified by one");
    stage.has(&[("a.txt", "one")]);
    stage.text("/a.txt", "newer");
    stage.sync(&options).exits(0);
    stage.has(&[("a.txt", "newer")]);
    // These bytes were not verified: there is nothing to lose.
    stage.put("/a.txt", Reply::redirect(portal.url("/")));
    stage.list(&[stage.item("a.txt").lastmod("2026-01-03")]);
    stage.sync(&options).exits(0);
    stage.has(&[("a.txt", "other bytes")]);
}

#[test]
fn verified_bytes_are_not_replaced_while_the_source_gives_a_digest_that_cannot_be_checked() {
    let stage = Stage::copied(&[("a.txt", "one")]);
    stage.text("/a.txt", "newer");
    stage.list(&[stage.item("a.txt").lastmod("2026-01-02").md("hash", "blake3:0011")]);
    stage.sync(&["--baseline"]).exits(1).says("its digest cannot be checked");
    stage.has(&[("a.txt", "one")]);
    stage.list(&[stage.item("a.txt").lastmod("2026-01-02")]);
    stage.sync(&["--baseline"]).exits(0);
    stage.has(&[("a.txt", "newer")]);
}
