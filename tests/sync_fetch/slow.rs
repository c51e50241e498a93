//! Servers that are too slow.

use std::time::Duration;

use tidings_destination::SyncOptions;

use crate::support::server::{Reply, Way};
use crate::support::stage::{Stage, sync_here};

#[test]
fn a_server_that_sends_less_than_the_least_rate_is_tried_once_more() {
    let stage = Stage::new();
    let body = "x".repeat(10_000);
    stage.put("/a.txt", Reply::ok(body.as_str()).by(Way::Drip(Duration::from_millis(20))));
    stage.files(&[("b.txt", "two")]);
    stage.list(&stage.items(&[("a.txt", &body), ("b.txt", "two")]));
    let url = stage.url("/capabilitylist.xml").parse().unwrap();
    let mut options = SyncOptions::new(url, stage.copy());
    options.client.slow_limit = Duration::from_millis(300);
    let report = sync_here(&options).unwrap();
    assert_eq!((report.created, report.failed), (1, 1));
    assert!(report.failures[0].reason.contains("less than 1 kB"), "{:?}", report.failures);
    assert_eq!(stage.server.count("/a.txt"), 2);
    stage.text("/a.txt", body.as_str());
    assert_eq!(sync_here(&options).unwrap().failed, 0);
}
