//! Large files and packages that broke off are gone on with, by the next run, too.

use std::fs;

use crate::support::documents::{document, sha256};
use crate::support::server::{Reply, Way};
use crate::support::stage::{Stage, files_of};
use crate::support::zip::{member, zip};

const LENGTH: usize = 6 << 20;
const FIRST: usize = 4 << 20;

/// Bytes that do not repeat in a way that a wrong join would hide.
fn bytes(seed: u32) -> Vec<u8> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..LENGTH).map(next).collect()
}

/// A Source of one large file, with its digest or without.
fn source(body: &[u8], with_digest: bool) -> Stage {
    let stage = Stage::new();
    let item = stage.item("large.bin");
    stage.list(&[if with_digest { item.of(body) } else { item.md("length", body.len()) }]);
    stage
}

fn whole(body: &[u8]) -> Reply {
    Reply::ok(body).etag("1").with_ranges()
}

/// The ranges that were asked for.
fn ranges(stage: &Stage) -> Vec<String> {
    let log = stage.server.log();
    log.iter().filter_map(|request| request.header("Range").map(str::to_owned)).collect()
}

#[track_caller]
fn nothing_kept(stage: &Stage) {
    let left: Vec<String> = files_of(&stage.copy().join(".tidings/partial")).into_keys().collect();
    assert_eq!(left, Vec::<String>::new());
}

#[track_caller]
fn has(stage: &Stage, body: &[u8]) {
    assert!(fs::read(stage.home().join("large.bin")).unwrap() == body, "other bytes");
    nothing_kept(stage);
}

#[test]
fn a_file_that_broke_off_is_gone_on_with_by_the_next_run() {
    for with_digest in [true, false] {
        let body = bytes(1);
        let stage = source(&body, with_digest);
        stage.put("/large.bin", Reply::ok(&*body).etag("1").by(Way::Cut(FIRST)));
        stage.sync(&[]).exits(1).says("broke off");
        stage.put("/large.bin", whole(&body));
        stage.server.forget_log();
        let run = stage.sync(&[]);
        run.exits(0).counts("created", 1);
        assert_eq!(ranges(&stage), [format!("bytes={FIRST}-")]);
        assert!(run.json["bytes"].as_u64().unwrap() < (LENGTH - FIRST + 10_000) as u64);
        has(&stage, &body);
        stage.in_sync("/capabilitylist.xml", &[]);
    }
}

#[test]
fn a_run_that_was_killed_is_gone_on_with_if_a_digest_says_that_it_is_right() {
    for with_digest in [true, false] {
        let body = bytes(2);
        let stage = source(&body, with_digest);
        stage.put("/large.bin", Reply::ok(&*body).etag("1").by(Way::Paused(FIRST)));
        stage.run_within(3, "sync", "/capabilitylist.xml", &[]);
        stage.put("/large.bin", whole(&body));
        stage.server.forget_log();
        stage.sync(&[]).exits(0);
        assert_eq!(ranges(&stage).len(), usize::from(with_digest));
        has(&stage, &body);
    }
}

#[test]
fn another_version_is_fetched_from_its_beginning() {
    let (old, new) = (bytes(3), bytes(4));
    let stage = source(&old, true);
    stage.put("/large.bin", Reply::ok(&*old).etag("1").by(Way::Cut(FIRST)));
    stage.sync(&[]).exits(1);
    stage.list(&[stage.item("large.bin").of(&new)]);
    stage.put("/large.bin", Reply::ok(&*new).etag("2").with_ranges());
    stage.sync(&["--baseline"]).exits(0);
    has(&stage, &new);
    // The same where the server does not keep to what it says of itself.
    let stage = source(&old, true);
    stage.put("/large.bin", Reply::ok(&*old).etag("1").by(Way::Cut(FIRST)));
    stage.sync(&[]).exits(1);
    stage.list(&[stage.item("large.bin").of(&new)]);
    stage.put("/large.bin", whole(&new));
    stage.sync(&["--baseline"]).exits(0);
    has(&stage, &new);
}

#[test]
fn what_cannot_be_known_again_is_not_kept() {
    let body = bytes(5);
    for reply in [
        Reply::ok(&*body),
        Reply::ok(&*body).with("ETag", "W/\"1\""),
        Reply::ok(&*body).etag("1").with("Content-Encoding", "gzip"),
    ] {
        let stage = source(&body, true);
        stage.put("/large.bin", reply.by(Way::Cut(FIRST)));
        stage.sync(&[]).exits(1);
        nothing_kept(&stage);
    }
}

#[test]
fn a_package_that_broke_off_is_gone_on_with() {
    let body = bytes(6);
    let stage = Stage::new();
    let head = "<rs:md capability=\"resourcedump-manifest\" at=\"2026-01-01T00:00:00Z\"/>";
    let item = stage.item("large.bin").of(&body).md("path", "/large.bin");
    let package =
        zip(&[member("manifest.xml", document(head, &[item])), member("large.bin", &*body)]);
    let head = "<rs:md capability=\"resourcedump\" at=\"2026-01-01T00:00:00Z\"/>";
    let listed = stage.item("p.zip").md("hash", format!("sha-256:{}", sha256(&package)));
    stage.text("/resourcedump.xml", document(head, &[listed]));
    stage.offer(&["resourcedump"]);
    stage.put("/p.zip", Reply::ok(&*package).etag("1").by(Way::Cut(FIRST)));
    stage.sync(&[]).exits(1);
    stage.put("/p.zip", Reply::ok(&*package).etag("1").with_ranges());
    stage.server.forget_log();
    stage.sync(&[]).exits(0).counts("unpacked", 1);
    assert_eq!(ranges(&stage), [format!("bytes={FIRST}-")]);
    has(&stage, &body);
}
