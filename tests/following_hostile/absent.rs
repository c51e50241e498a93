//! Sites that are not there, that come back, or that do not want to be asked.

use std::net::TcpListener;

use serde_json::Value;

use crate::stage::{CHANGES, DESCRIPTION, SITEMAP, Stage};
use crate::support::documents::Item;
use crate::support::server::{Reply, Server};

#[test]
fn a_site_that_is_not_there_is_not_followed() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for url in [format!("http://{free}/"), "http://no-such-site.invalid/".to_owned()] {
        let stage = Stage::empty();
        let answer = stage.run(&["follow", &url]);
        stage.is_not_followed(&answer, &[&url, "no ResourceSync Source and no Sitemap was found"]);
    }
}

#[test]
fn a_site_that_goes_away_is_failing_until_it_is_back() {
    let mut stage = Stage::followed(&[]);
    let address = format!("127.0.0.1:{}", stage.server.port());
    let documents: Vec<(String, String)> = vec![(
        CHANGES.to_owned(),
        stage.change_list(&[stage.change("a", "created", "2026-01-02T00:00:00Z")]),
    )];
    // The port is free from now on.
    stage.server = Server::start();
    for failures in 1..=3 {
        stage.fails(&[&address]);
        assert_eq!(stage.follower.site()["failures"], failures);
    }
    stage.server = Server::at(&address);
    stage.put_source(true);
    for (path, body) in documents {
        stage.text(&path, body);
    }
    stage.brings(1);
    let site = stage.follower.site();
    assert_eq!((&site["reason"], &site["failures"]), (&Value::Null, &0.into()));
}

/// Back-off grows with each failure; a poll by hand is made nevertheless.
#[test]
fn failures_are_polled_less_and_less_but_always_by_hand() {
    let stage = Stage::followed(&[]);
    stage.server.put(CHANGES, Reply::new(500, "oh"));
    let mut before = 0;
    for _ in 0..5 {
        stage.fails(&["500"]);
        let site = stage.follower.site();
        let wait = seconds(&site["next_poll_at"]) - seconds(&site["polled_at"]);
        assert!(wait > before, "{wait} s after {before} s");
        before = wait;
    }
    stage.put_changes(&[]);
    stage.brings(0);
}

#[test]
fn a_site_is_left_alone_for_as_long_as_it_asks_and_polled_by_hand_nevertheless() {
    let stage = Stage::followed(&[]);
    for (status, retry_after, least) in [(503, "86400", 86_000), (429, "7200", 7_100)] {
        stage.server.put(CHANGES, Reply::new(status, "later").with("Retry-After", retry_after));
        stage.fails(&[&status.to_string()]);
        let site = stage.follower.site();
        let wait = seconds(&site["next_poll_at"]) - seconds(&site["polled_at"]);
        assert!((least..=7 * 86_400).contains(&wait), "{wait} s");
        // It is not due, and a poll of what is due leaves it alone.
        stage.server.forget_log();
        stage.run(&["poll", "--due"]).exits(0);
        assert!(stage.server.log().is_empty());
    }
    // However long a site asks for, it is not forgotten.
    let long = Reply::new(503, "").with("Retry-After", "99999999999");
    stage.server.put(CHANGES, long);
    stage.fails(&["503"]);
    let site = stage.follower.site();
    let wait = seconds(&site["next_poll_at"]) - seconds(&site["polled_at"]);
    assert!(wait <= 7 * 86_400, "{wait} s");
    stage.put_changes(&[stage.change("a", "created", "2026-01-02T00:00:00Z")]);
    stage.brings(1);
}

#[test]
fn robots_txt_is_heeded_and_the_line_is_named() {
    let garden = Stage::garden(&[news()]);
    let sitemap = Stage::empty();
    sitemap.put_sitemap(&["/a"]);
    for (stage, path) in [(garden, CHANGES), (sitemap, SITEMAP)] {
        stage.text("/robots.txt", format!("User-agent: *\n# not this\nDisallow: {path}\n"));
        stage.follow(&[]).exits(1);
        stage.is_failing(&["robots.txt", "line 3", path]);
        assert!(stage.told().is_empty());
        stage.fails(&["line 3"]);
        // A day later it is looked at again.
        stage.text("/robots.txt", "User-agent: *\nDisallow: /other\n");
        stage.a_day_passes();
        stage.poll().exits(0);
    }
}

#[test]
fn robots_txt_is_heeded_by_the_daily_look_too() {
    let stage = Stage::followed(&[]);
    stage.text("/robots.txt", "User-agent: *\nDisallow: /\n");
    stage.a_day_passes();
    stage.server.forget_log();
    stage.poll().exits(1);
    stage.is_failing(&["robots.txt", "line 2"]);
    assert_eq!(stage.server.count(DESCRIPTION), 0);
}

/// A change of the garden.
fn news() -> Item {
    Item::new("/garden/a").change("created").at("2026-01-02T00:00:00Z")
}

/// RFC 9309, 2.3.1.4: what a server in trouble allows is not known, so nothing is.
#[test]
fn robots_txt_that_cannot_be_had_allows_nothing_for_now() {
    let stage = Stage::garden(&[news()]);
    stage.server.put("/robots.txt", Reply::new(500, "oh"));
    stage.follow(&[]).exits(2);
    assert_eq!(stage.server.count(CHANGES), 0);
    stage.server.remove("/robots.txt");
    stage.follow(&[]).exits(0);
    assert_eq!(stage.told().len(), 1);
}

fn seconds(time: &Value) -> i64 {
    time.as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_second()
}
