//! D1 to D3: digests, what changes meanwhile, clocks.

use crate::support::documents::{document, index, md5, resource_list_at, sha256};
use crate::support::server::Reply;
use crate::support::stage::{Case, Stage, case};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = digests();
    cases.extend(meanwhile());
    cases.extend(clocks());
    cases
}

/// The bytes are `newer`, and the list says this of them.
fn digest(name: &str, exit: i32, hash: String) -> Case {
    case(format!("D1 {name}"), move || {
        let stage = Stage::copied(FILES);
        stage.text("/a.txt", "newer");
        let item = stage.item("a.txt").lastmod("2026-02-01T00:00:00Z").md("hash", &hash);
        stage.list(&[item, stage.items(FILES).remove(1)]);
        stage.sync(&[]).exits(exit);
        let a = if exit == 0 { "newer" } else { "one" };
        stage.has(&[("a.txt", a), ("b.txt", "two")]);
        if exit == 0 {
            stage.in_sync("/capabilitylist.xml", &[]);
        }
    })
}

fn digests() -> Vec<Case> {
    let (right5, right256) = (md5(b"newer"), sha256(b"newer"));
    let (wrong5, wrong256) = (md5(b"other"), sha256(b"other"));
    vec![
        digest("md5", 0, format!("md5:{right5}")),
        digest("md5 that is wrong", 1, format!("md5:{wrong5}")),
        digest("sha-256", 0, format!("sha-256:{right256}")),
        digest("sha-256 that is wrong", 1, format!("sha-256:{wrong256}")),
        digest("two, one wrong", 1, format!("md5:{right5} sha-256:{wrong256}")),
        digest("two, the other wrong", 1, format!("md5:{wrong5} sha-256:{right256}")),
        digest(
            "capitals",
            0,
            format!("MD5:{} sha-256:{}", right5.to_uppercase(), right256.to_uppercase()),
        ),
        // The bytes in the copy were verified: they stay until the new ones can be.
        digest("unknown algorithm", 1, "whirlpool:00ff".into()),
        digest("no hexadecimal", 1, "sha-256:h986gT85UFs".into()),
        digest("half of one", 1, format!("sha-256:{}", &right256[..32])),
        digest("nothing in it", 0, String::new()),
        digest("unknown and wrong", 1, format!("x:1 md5:{wrong5}")),
        case("D1 wrong once, right the second time", || {
            let stage = Stage::copied(FILES);
            stage.server.put_all("/a.txt", vec![Reply::ok("wrong"), Reply::ok("newer")]);
            stage.list(&stage.items(&[("a.txt", "newer"), ("b.txt", "two")]));
            stage.sync(&[]).exits(0);
            stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
        }),
        case("D1 what is owed is tried again by the next run", || {
            let stage = Stage::copied(FILES);
            stage.text("/a.txt", "wrong");
            stage.list(&stage.items(&[("a.txt", "newer"), ("b.txt", "two")]));
            stage.sync(&[]).exits(1);
            stage.text("/a.txt", "newer");
            stage.sync(&[]).exits(0);
            stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
        }),
        case("D1 what is owed, and then no longer listed", || {
            let stage = Stage::copied(FILES);
            let items = stage.items(&[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]);
            stage.list(&items);
            stage.sync(&[]).exits(1);
            stage.list(&items[..2]);
            stage.sync(&[]).exits(0);
            stage.has(FILES);
        }),
    ]
}

fn meanwhile() -> Vec<Case> {
    let gone = |status: u16| {
        case(format!("D2 it answers {status}"), move || {
            let stage = Stage::copied(FILES);
            stage.put("/a.txt", Reply::new(status, ""));
            stage.list(&stage.items(&[("a.txt", "newer"), ("b.txt", "two")]));
            stage.sync(&["--delete"]).exits(1).says(&status.to_string());
            stage.has(FILES);
            stage.list(&stage.items(&[("b.txt", "two")]));
            stage.sync(&["--delete"]).exits(0);
            stage.has(&[("b.txt", "two")]);
        })
    };
    let list_index = |stage: &Stage, at: &str| {
        let head = format!("<rs:md capability=\"resourcelist\" at=\"{at}\"/>");
        stage.list_text(index(&head, &[stage.item("p.xml"), stage.item("q.xml")]));
    };
    vec![
        gone(404),
        gone(410),
        gone(403),
        case("D2 newer bytes than the list says", || {
            let stage = Stage::copied(FILES);
            stage.text("/a.txt", "newest");
            stage.list(&stage.items(&[("a.txt", "newer"), ("b.txt", "two")]));
            stage.sync(&[]).exits(1);
            stage.has(FILES);
            stage.list(&stage.items(&[("a.txt", "newest"), ("b.txt", "two")]));
            stage.sync(&[]).exits(0);
            stage.has(&[("a.txt", "newest"), ("b.txt", "two")]);
        }),
        case("D2 an old part under a new index", move || {
            let stage = Stage::with(FILES);
            let items = stage.items(FILES);
            list_index(&stage, "2026-03-01T00:00:00Z");
            stage.text("/p.xml", resource_list_at("2026-03-01T00:00:00Z", &items[..1]));
            stage.text("/q.xml", resource_list_at("2025-01-01T00:00:00Z", &items[1..]));
            stage.sync(&[]).exits(0).says("rolled back");
            stage.has(FILES);
        }),
        case("D2 the ETag flips, and the bytes do not", || {
            let stage = Stage::new();
            let reply = |etag: &str| Reply::ok("one").etag(etag);
            stage.server.put_all("/a.txt", vec![reply("1"), reply("2"), reply("3")]);
            stage.list(&[stage.item("a.txt").lastmod("2026-01-01")]);
            stage.sync(&[]).exits(0);
            stage.list(&[stage.item("a.txt").lastmod("2026-01-02")]);
            stage.sync(&[]).exits(0).counts("updated", 0);
            stage.has(&[("a.txt", "one")]);
        }),
        case("D2 the server says that nothing changed", || {
            let stage = Stage::new();
            stage.put("/a.txt", Reply::ok("one").etag("1"));
            stage.list(&[stage.item("a.txt")]);
            stage.sync(&[]).exits(0);
            stage.sync(&["--baseline"]).exits(0).counts("unchanged", 1);
            stage.has(&[("a.txt", "one")]);
        }),
    ]
}

fn clocks() -> Vec<Case> {
    let times = |name: &str, one: &'static str, other: &'static str| {
        case(format!("D3 {name}"), move || {
            let stage = Stage::new();
            stage.text("/a.txt", "one");
            stage.list_text(resource_list_at(one, &[stage.item("a.txt").lastmod(one)]));
            stage.sync(&[]).exits(0);
            stage.text("/a.txt", "newer");
            stage.list_text(resource_list_at(other, &[stage.item("a.txt").lastmod(other)]));
            stage.sync(&[]).exits(0).counts("updated", 1);
            stage.has(&[("a.txt", "newer")]);
            stage.in_sync("/capabilitylist.xml", &[]);
        })
    };
    vec![
        times("a clock that was set back", "2026-02-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        times("a time in the future", "2999-01-01T00:00:00Z", "2999-01-02T00:00:00Z"),
        times("another zone, another time", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00+01:00"),
        times("dates", "2026-01-01", "2026-01-02"),
        times("fractions", "2026-01-01T00:00:00.1Z", "2026-01-01T00:00:00.12Z"),
        times("the year 1", "0001-01-01T00:00:00Z", "0001-01-01T00:00:01Z"),
        case("D3 one time in two zones is one", || {
            let stage = Stage::new();
            stage.text("/a.txt", "one");
            stage.list(&[stage.item("a.txt").lastmod("2026-01-01T12:00:00Z")]);
            stage.sync(&[]).exits(0);
            stage.server.forget_log();
            stage.list(&[stage.item("a.txt").lastmod("2026-01-01T14:00:00+02:00")]);
            stage.sync(&[]).exits(0).counts("unchanged", 1);
            assert_eq!(stage.server.count("/a.txt"), 0);
        }),
        case("D3 a time that is none", || {
            let stage = Stage::new();
            stage.text("/a.txt", "one");
            stage.list(&[stage.item("a.txt").lastmod("yesterday")]);
            stage.sync(&[]).exits(0);
            stage.has(&[("a.txt", "one")]);
        }),
        case("D3 a list without a time", || {
            let stage = Stage::with(FILES);
            let items = stage.items(FILES);
            stage.list_text(document("<rs:md capability=\"resourcelist\"/>", &items));
            stage.sync(&[]).exits(0);
            stage.has(FILES);
        }),
    ]
}
