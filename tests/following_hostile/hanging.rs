//! Hosts that hang: they wait for themselves, and nobody waits for them.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::stage::{CHANGES, Stage, wait_until};
use crate::support::follower::Serving;
use crate::support::server::{Reply, Server, Way};

/// How long anything may take that nothing but a busy machine delays: more than a host is waited for that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many polls the server has under way.
fn under_way(server: &Serving) -> u64 {
    let metrics = server.get("/metrics").text();
    let line = metrics.lines().find_map(|line| line.strip_prefix("tidings_polls_under_way "));
    line.unwrap_or_else(|| panic!("{metrics}")).parse().unwrap()
}

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
    wait_until("the others are polled", PATIENCE, || well() == 20);
    assert!(under_way(&server) > 0, "they were polled after those that hang");
    for site in &good {
        assert_eq!(site.count(CHANGES), 1);
    }
    // Nor do they hold up a poll by hand, or the pages.
    let sites = server.get("/api/sites?state=well&limit=1").json();
    let key = sites["sites"][0]["key"].as_str().unwrap().to_owned();
    let polled = server.post(&format!("/api/sites/{key}/poll"), &json!({}));
    assert_eq!(polled.status, 200, "{}", polled.text());
    assert_eq!(server.get("/").status, 200);
    assert!(under_way(&server) > 0, "it waited for those that hang");
    // Of those that hang nothing was told; they are under way.
    assert_eq!(server.get("/api/status").json()["well"], 20);
    assert_eq!(hanging.iter().map(|server| server.count(CHANGES)).sum::<usize>(), 3);
    assert_eq!(stage.told().len(), 20);
}

#[test]
fn a_host_that_is_silent_is_given_up_after_a_while() {
    let stage = Stage::followed(&[]);
    stage.server.put(CHANGES, Reply::ok("").by(Way::Silent));
    stage.server.forget_log();
    let begun = Instant::now();
    stage.fails(&[CHANGES, "15s"]);
    assert_eq!(stage.server.count(CHANGES), 1, "it is not waited for twice");
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

/// What a poll had under way when the server was stopped can be polled by somebody else at once.
#[test]
fn a_server_that_stops_gives_its_hosts_back() {
    let stage = Stage::empty();
    let hanging = sites(&stage, 50..51);
    // Of all that hang, this is given up last.
    let slow = Reply::ok("<urlset/>".repeat(1_000)).by(Way::Drip(Duration::from_millis(100)));
    hanging[0].put(CHANGES, slow);
    hanging[0].forget_log();
    let mut server = stage.follower.serve(&[]);
    wait_until("it is polled", PATIENCE, || hanging[0].count(CHANGES) == 1);
    server.signal("-TERM");
    let status = server.child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    // It did not wait for the end of the poll, which would have been a failure.
    assert_eq!(stage.follower.sites()[0]["state"], "new");
    let list = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
        xmlns:rs=\"http://www.openarchives.org/rs/terms/\">\
        <rs:md capability=\"changelist\" from=\"2020-01-01\"/></urlset>";
    hanging[0].put(CHANGES, Reply::ok(list));
    assert_eq!(stage.follower.leased_hosts(), Vec::<String>::new());
    stage.poll().exits(0);
    assert_eq!(stage.follower.sites()[0]["state"], "well");
}
