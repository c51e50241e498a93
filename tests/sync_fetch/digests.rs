//! Digests of all kinds: in base64, of other algorithms than before, of none that is known.

use tidings_document::Algorithm;

use crate::support::documents::{change_list, digest, hex, md5, sha256};
use crate::support::stage::Stage;
use crate::support::{run, stderr, stdout};

const ALGORITHMS: [Algorithm; 6] = [
    Algorithm::Md5,
    Algorithm::Sha1,
    Algorithm::Sha224,
    Algorithm::Sha256,
    Algorithm::Sha384,
    Algorithm::Sha512,
];

fn token(algorithm: Algorithm, bytes: &str) -> String {
    format!("{}:{}", algorithm.name(), hex(&digest(algorithm, bytes.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// A copy of `a.txt`, of which the list gives these digests.
fn copied(bytes: &str, hash: &str) -> Stage {
    let stage = Stage::new();
    stage.text("/a.txt", bytes);
    stage.list(&[stage.item("a.txt").md("hash", hash)]);
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", bytes)]);
    stage
}

#[test]
fn digests_in_base64_verify() {
    for algorithm in ALGORITHMS {
        let right = base64(&digest(algorithm, b"one"));
        let hash = format!("{}:{right}", algorithm.name());
        let stage = copied("one", &hash);
        stage.run("sync", "/capabilitylist.xml", &["--baseline"]).exits(0).says("base64");
        let wrong = base64(&digest(algorithm, b"other"));
        stage.list(&[stage.item("a.txt").md("hash", format!("{}:{wrong}", algorithm.name()))]);
        let run = stage.sync(&["--baseline"]);
        run.exits(1).says("is not the one").counts("unchecked_digests", 0);
        stage.has(&[("a.txt", "one")]);
    }
}

#[test]
fn digests_that_cannot_be_checked_are_counted() {
    let short = base64(&[0; 15]);
    let hash = format!("blake3:00 md5:{short} md5:{}", md5(b"one"));
    let stage = copied("one", &hash);
    stage.sync(&["--baseline"]).exits(0).counts("unchecked_digests", 2);
    stage.run("audit", "/capabilitylist.xml", &[]).exits(0).counts("unchecked_digests", 2);
    let stage = copied("one", "blake3:00");
    stage.sync(&["--baseline"]).exits(0).counts("unchecked_digests", 1);
    // People are told, too.
    for command in ["sync", "audit"] {
        let (url, copy) = (stage.url("/capabilitylist.xml"), stage.copy());
        let baseline: &[&str] = if command == "sync" { &["--baseline"] } else { &[] };
        let arguments = [command, url.as_str(), copy.to_str().unwrap()];
        let output = run(arguments.into_iter().chain(baseline.iter().copied()));
        let text = stdout(&output);
        assert!(text.contains("1 digest could not be checked"), "{text}{}", stderr(&output));
    }
}

#[test]
fn another_algorithm_is_no_other_version() {
    for before in ALGORITHMS {
        for after in ALGORITHMS.into_iter().filter(|after| *after != before) {
            let stage = copied("one", &token(before, "one"));
            stage.list(&[stage.item("a.txt").md("hash", token(after, "one"))]);
            stage.run("audit", "/capabilitylist.xml", &[]).exits(0);
            stage.run("audit", "/capabilitylist.xml", &["--deep"]).exits(0);
            stage.server.forget_log();
            stage.sync(&["--baseline"]).exits(0).counts("unchanged", 1);
            assert_eq!(stage.server.count("/a.txt"), 0, "{before:?} {after:?}");
            // Other bytes are seen all the same, and by either.
            for algorithm in [before, after] {
                stage.list(&[stage.item("a.txt").md("hash", token(algorithm, "newer"))]);
                stage.run("audit", "/capabilitylist.xml", &[]).exits(1).counts("changed", 1);
            }
        }
    }
}

#[test]
fn a_change_with_another_algorithm_is_fetched_only_if_the_bytes_are_others() {
    let stage = Stage::followed(&[("a.txt", "one"), ("b.txt", "two")]);
    stage.text("/b.txt", "newer");
    stage.changes(&change_list(&[
        stage
            .item("a.txt")
            .change("updated")
            .at("2026-01-02T00:00:00Z")
            .md("hash", token(Algorithm::Md5, "one")),
        stage
            .item("b.txt")
            .change("updated")
            .at("2026-01-02T00:00:00Z")
            .md("hash", token(Algorithm::Md5, "newer")),
    ]));
    stage.server.forget_log();
    stage.sync(&[]).exits(0).counts("updated", 1).counts("unchanged", 1);
    assert_eq!(stage.server.count("/a.txt"), 0);
    stage.has(&[("a.txt", "one"), ("b.txt", "newer")]);
    stage.in_sync("/capabilitylist.xml", &[]);
}

#[test]
fn a_file_that_was_touched_is_not_asked() {
    let stage = copied("one", &format!("sha-256:{}", sha256(b"one")));
    std::fs::write(stage.home().join("a.txt"), "bad").unwrap();
    stage.list(&[stage.item("a.txt").md("hash", token(Algorithm::Md5, "one"))]);
    stage.run("audit", "/capabilitylist.xml", &[]).exits(1).counts("corrupt", 1);
    stage.sync(&["--baseline"]).exits(0);
    stage.has(&[("a.txt", "one")]);
}
