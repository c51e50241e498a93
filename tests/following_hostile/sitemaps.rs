//! Sitemaps that are empty, that miss parts, or that name one page by many names.

use crate::stage::{SITEMAP, Stage};
use crate::support::documents::{Item, document, index};
use crate::support::server::Reply;

fn pages(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("/p{number}")).collect()
}

fn names(pages: &[String]) -> Vec<&str> {
    pages.iter().map(String::as_str).collect()
}

/// What is missing is not gone.
#[test]
fn pages_of_a_sitemap_that_is_missing_are_not_deleted() {
    let stage = Stage::empty();
    let child = |name: &str| Item::new(stage.url(name));
    stage.text(SITEMAP, index("", &[child("/one.xml"), child("/two.xml")]));
    stage.text("/one.xml", stage.sitemap(&["/a", "/b"]));
    stage.text("/two.xml", stage.sitemap(&["/c", "/d"]));
    stage.follow(&[]).exits(0);
    for reply in [
        Reply::new(404, ""),
        Reply::new(410, ""),
        Reply::new(403, ""),
        Reply::ok(crate::stage::HTML),
        Reply::ok(""),
        Reply::redirect("/two.xml"),
    ] {
        stage.server.put("/two.xml", reply);
        let polled = stage.poll();
        polled.exits(0);
        assert_eq!(polled.changes(), 0, "{:?}", stage.told());
        let reason = stage.follower.site()["reason"].as_str().unwrap().to_owned();
        assert!(reason.contains("/two.xml") && reason.contains("1 of its"), "{reason}");
    }
    // The other one is followed in the meantime.
    stage.text("/one.xml", stage.sitemap(&["/a", "/b", "/new"]));
    stage.brings(1);
    stage.text("/two.xml", stage.sitemap(&["/c", "/e"]));
    stage.brings(2);
    assert_eq!(stage.told(), ["created /new", "deleted /d", "created /e"]);
    assert!(stage.follower.site()["reason"].is_null());
}

#[test]
fn an_empty_sitemap_is_no_reason_to_say_that_all_is_gone() {
    let pages = pages(30);
    let stage = Stage::with_sitemap(&names(&pages));
    for empty in [stage.sitemap(&[]), index("", &[])] {
        stage.text(SITEMAP, empty);
        let polled = stage.poll();
        polled.exits(0);
        assert_eq!(polled.changes(), 0);
        let reason = stage.follower.site()["reason"].as_str().unwrap().to_owned();
        assert!(reason.contains("30 of 30 pages are gone"), "{reason}");
        stage.put_sitemap(&names(&pages));
        stage.brings(0);
    }
    assert!(stage.told().is_empty());
}

#[test]
fn an_empty_sitemap_of_a_small_site_is_no_reason_either() {
    let stage = Stage::with_sitemap(&["/a", "/b", "/c"]);
    stage.put_sitemap(&[]);
    assert_eq!(stage.poll().changes(), 0);
    stage.put_sitemap(&["/a", "/b", "/c"]);
    stage.brings(0);
}

#[test]
fn a_sitemap_that_was_empty_from_the_beginning_tells_what_comes() {
    let stage = Stage::with_sitemap(&[]);
    stage.is_settled();
    stage.put_sitemap(&["/a", "/b"]);
    stage.brings(2);
}

/// Spellings are compared as they are; each is told once, and none over and over.
#[test]
fn one_page_by_many_names_is_told_once_by_each_of_them() {
    let stage = Stage::with_sitemap(&["/start"]);
    let upper = stage.url("/a").replacen("http://", "HTTP://", 1);
    let locs = [
        stage.url("/a"),
        stage.url("/a"),
        upper,
        stage.url("/%7Euser"),
        stage.url("/~user"),
        stage.url("/%c3%bc"),
        stage.url("/%C3%BC"),
        stage.url("/ü"),
        format!("  {}\n", stage.url("/a")),
        stage.url("/start"),
    ];
    let items: Vec<Item> = locs.iter().map(Item::new).collect();
    stage.text(SITEMAP, document("", &items));
    stage.poll().exits(0);
    let told = stage.told();
    let mut once = told.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), told.len(), "{told:?}");
    assert!(told.contains(&"created /a".to_owned()), "{told:?}");
    assert!(told.iter().all(|one| one.starts_with("created ")), "{told:?}");
    stage.is_settled();
    // In another order it is the same Sitemap.
    let items: Vec<Item> = locs.iter().rev().map(Item::new).collect();
    stage.text(SITEMAP, document("", &items));
    stage.brings(0);
}

#[test]
fn times_that_are_rough_wrong_or_yet_to_come_make_no_change_by_themselves() {
    let stage = Stage::empty();
    let times = ["2026", "2026-01", "2026-01-02", "2099-01-01", "tomorrow", "", "2026-02-30"];
    let items: Vec<Item> = times
        .iter()
        .enumerate()
        .map(|(number, time)| Item::new(stage.url(&format!("/p{number}"))).lastmod(time))
        .collect();
    stage.text(SITEMAP, document("", &items));
    stage.follow(&[]).exits(0);
    assert!(stage.told().is_empty(), "{:?}", stage.told());
    stage.is_settled();
    // A page that gets a time it had not, or loses it, has not changed by that.
    let without: Vec<Item> =
        (0..times.len()).map(|number| Item::new(stage.url(&format!("/p{number}")))).collect();
    stage.text(SITEMAP, document("", &without));
    stage.brings(0);
}

/// Made entries keep their ids, whatever becomes of the pages.
#[test]
fn what_comes_and_goes_is_told_each_time_under_ids_of_its_own() {
    let stage = Stage::with_sitemap(&["/a", "/b"]);
    for round in 1..=3 {
        stage.put_sitemap(&["/a"]);
        stage.brings(1);
        stage.put_sitemap(&["/a", "/b"]);
        stage.brings(1);
        assert_eq!(stage.ids().len(), round * 2);
    }
    let mut keys = stage.rows("SELECT key FROM batches ORDER BY key");
    keys.dedup();
    assert_eq!(keys.len(), 6);
}
