//! Hosts that hang: they wait for themselves, and nobody waits for them.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::stage::{CHANGES, Stage, wait_until};
use crate::support::server::{Reply, Server, Way};

const WAYS: [Way; 3] = [Way::Silent, Way::Stalled, Way::Drip(Duration::from_millis(100))];

/// Sites on hosts of their own, all followed by one, and none polled yet.
fn sites(stage: &Stage, addresses: std::ops::Range<u8>) -> Vec<Server> {
    let mut servers = Vec::new();
    for address in addresses {
        let other = Stage::at(&format!("127.0.0.{address}:0"));
        other.put_source(true);
        other.put_changes(&[other.change("a", "created", "2026-01-02")]);
        stage.run(&["follow", &other.url("/"), "--titles", "0", "--no-poll"]).exits(0);
        servers.push(other.server);
    }
    servers
}

/// Even if only one poll may be worked on at once.
#[test]
fn hosts_that_hang_hold_up_no_others() {
    let stage = Stage::empty();
    // Those that hang are due first.
    let hanging = sites(&stage, 40..43);
    let good = sites(&stage, 10..30);
    for (server, way) in hanging.iter().zip(WAYS) {
        server.put(CHANGES, Reply::ok("<urlset/>".repeat(1_000)).by(way));
    }
    // To follow them was to look at their documents.
    hanging.iter().chain(&good).for_each(Server::forget_log);
    let server = stage.follower.serve(&["--jobs", "1"]);
    let well = || server.get("/api/status").json()["well"].as_u64().unwrap();
    wait_until("the others are polled", Duration::from_secs(10), || well() == 20);
    for site in &good {
        assert_eq!(site.count(CHANGES), 1);
    }
    // Nor do they hold up a poll by hand, or the pages.
    let sites = server.get("/api/sites?state=well&limit=1").json();
    let key = sites["sites"][0]["key"].as_str().unwrap().to_owned();
    let begun = Instant::now();
    let polled = server.post(&format!("/api/sites/{key}/poll"), &json!({}));
    assert_eq!(polled.status, 200, "{}", polled.text());
    assert_eq!(server.get("/").status, 200);
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    // Of those that hang nothing was told; they are under way.
    assert_eq!(server.get("/api/status").json()["well"], 20);
    assert_eq!(hanging.iter().map(|server| server.count(CHANGES)).sum::<usize>(), 3);
    assert_eq!(stage.told().len(), 20);
}

#[test]
fn a_host_that_is_silent_is_given_up_after_a_while() {
    let stage = Stage::followed(&[]);
    stage.server.put(CHANGES, Reply::ok("").by(Way::Silent));
    let begun = Instant::now();
    stage.fails(&[CHANGES, "15s"]);
    assert!(begun.elapsed() < Duration::from_secs(18), "{:?}", begun.elapsed());
}

/// What a poll had under way when the server was stopped can be polled by somebody else at once.
#[test]
fn a_server_that_stops_gives_its_hosts_back() {
    let stage = Stage::empty();
    let hanging = sites(&stage, 50..51);
    hanging[0].put(CHANGES, Reply::ok("x").by(Way::Silent));
    hanging[0].forget_log();
    let mut server = stage.follower.serve(&[]);
    wait_until("it is polled", Duration::from_secs(5), || hanging[0].count(CHANGES) == 1);
    server.signal("-TERM");
    let begun = Instant::now();
    let status = server.child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(13), "{:?}", begun.elapsed());
    let list = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
        xmlns:rs=\"http://www.openarchives.org/rs/terms/\">\
        <rs:md capability=\"changelist\" from=\"2020-01-01\"/></urlset>";
    hanging[0].put(CHANGES, Reply::ok(list));
    let begun = Instant::now();
    stage.poll().exits(0);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}
