//! `follow --pages`: sites that offer nothing but their pages.

use std::time::Instant;

use crate::stage::{DESCRIPTION, Stage};
use crate::support::server::Reply;

fn put(stage: &Stage, path: &str, title: &str, body: &str) {
    let page = format!("<!doctype html><title>{title}</title><p>{body}");
    stage.server.put(path, Reply::ok(page).with("Content-Type", "text/html"));
}

/// A home page with links to these, and a picture and another host.
fn put_home(stage: &Stage, links: &[&str]) {
    let links: String = links.iter().map(|link| format!("<a href={link}#top>x</a> ")).collect();
    let more =
        "<a href=/photo.png>p</a><a href=http://other.example/>o</a><a href=/private/x>s</a>";
    let other = stage.url("/elsewhere").replace("127.0.0.1", "localhost");
    put(stage, "/elsewhere", "Elsewhere", "Of somebody else.");
    put(stage, "/", "Home", &format!("Welcome {more}<a href={other}>e</a>{links}"));
}

/// A site of three pages, followed by them.
fn followed() -> Stage {
    let stage = Stage::empty();
    stage.text("/robots.txt", "User-agent: *\nDisallow: /private/\n");
    stage.server.put("/photo.png", Reply::ok("x").with("Content-Type", "image/png"));
    put(&stage, "/private/x", "Secret", "s");
    put_home(&stage, &["/a"]);
    put(&stage, "/a", "Fog", "Fog over the harbour. <a href=b>next</a><a href=/>home</a>");
    put(&stage, "/b", "Boats", "Boats.");
    stage.follow(&["--pages"]).exits(0);
    stage
}

fn titles(stage: &Stage) -> Vec<String> {
    stage.rows("SELECT kind || ' ' || title FROM changes ORDER BY batch, position")
}

#[test]
fn pages_are_read_and_what_was_created_updated_and_deleted_is_told() {
    let stage = followed();
    assert_eq!(stage.follower.site()["via"], "pages");
    assert_eq!(stage.follower.site()["title"], "Home");
    assert!(stage.told().is_empty(), "the pages that were there are not new");
    assert_eq!(stage.follower.site()["settings"]["pages"], 100, "unless another number is given");
    assert_eq!(stage.server.count("/private/x"), 0, "robots.txt is heeded");
    assert_eq!(
        stage.server.count("/elsewhere"),
        0,
        "the same server by another name is another host"
    );
    put(
        &stage,
        "/a",
        "Fog",
        "Fog over the harbour, and boats. <a href=b>next</a><a href=/c>new</a>",
    );
    put(&stage, "/c", "Cranes", "Cranes.");
    stage.server.remove("/b");
    assert_eq!(stage.poll().changes(), 3);
    assert_eq!(titles(&stage), ["deleted Boats", "updated Fog", "created Cranes"]);
    stage.is_settled();
}

#[test]
fn one_page_a_second_is_read_and_no_more_than_was_asked_for() {
    let stage = Stage::empty();
    put_home(&stage, &["/p1", "/p2", "/p3", "/p4"]);
    for number in 1..=4 {
        put(&stage, &format!("/p{number}"), "P", &format!("Page {number}"));
    }
    stage.follow(&["--pages=3", "--no-poll"]).exits(0);
    stage.server.forget_log();
    let begun = Instant::now();
    stage.poll().exits(0);
    let (log, took) = (stage.server.log(), begun.elapsed());
    let pages = log.iter().filter(|one| one.path == "/" || one.path.starts_with("/p")).count();
    assert!(took.as_secs_f64() >= (pages - 1) as f64, "{pages} requests within {took:?}");
    let read = log.iter().filter(|one| one.path.starts_with("/p") && one.path.len() == 3).count();
    assert_eq!(read, 2, "the home page and two more");
    let reason = stage.follower.site()["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("more than 3 pages"), "{reason}");
    // What there was no room for is not new when there is room.
    stage.server.remove("/p1");
    stage.poll().exits(0);
    assert_eq!(stage.told(), ["deleted /p1"]);
}

#[test]
fn a_page_in_trouble_is_not_deleted_and_many_that_are_gone_are_held() {
    let stage = followed();
    stage.server.put("/b", Reply::new(500, ""));
    let polled = stage.poll();
    polled.exits(0);
    assert_eq!(polled.changes(), 0);
    assert!(stage.follower.site()["reason"].as_str().unwrap().contains("500"));
    put(&stage, "/b", "Boats", "Boats.");
    // The whole site is gone: an error, and no news.
    stage.server.put("/", Reply::new(404, ""));
    stage.fails(&["404"]);
    put_home(&stage, &["/a"]);
    for path in ["/a", "/b"] {
        stage.server.remove(path);
    }
    assert_eq!(stage.poll().changes(), 0);
    assert!(stage.follower.site()["reason"].as_str().unwrap().contains("2 of its 3 pages"));
    assert_eq!(stage.poll().changes(), 2);
}

#[test]
fn a_page_that_moved_is_one_entry() {
    let stage = followed();
    stage.server.put("/b", Reply::redirect("/boats"));
    put(&stage, "/boats", "Boats", "Boats.");
    stage.poll().exits(0);
    let expected =
        format!("updated 1 page moved from {} to {}", stage.url("/b"), stage.url("/boats"));
    assert_eq!(titles(&stage), [expected]);
    stage.is_settled();
}

#[test]
fn what_a_site_offers_comes_before_its_pages() {
    let stage = Stage::empty();
    put_home(&stage, &["/a"]);
    stage.put_sitemap(&["/a", "/b"]);
    stage.follow(&["--pages"]).exits(0);
    assert_eq!(stage.follower.site()["via"], "sitemap");
    // And takes their place when it comes later.
    let stage = followed();
    let key = stage.collection()["key"].clone();
    stage.put_source(true);
    stage.put_changes(&[]);
    stage.brings(0);
    assert_eq!(stage.follower.site()["via"], "resourcesync");
    assert_eq!(stage.collection()["key"], key);
    stage.server.remove(DESCRIPTION);
    // Without the option nothing is read.
    let stage = Stage::empty();
    put_home(&stage, &["/a"]);
    stage.is_not_followed(&stage.follow(&[]), &["no Atom, RSS or JSON feed"]);
}
