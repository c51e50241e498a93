//! S9 and S10: servers that are slow, silent, endless, or wrong about lengths. The program's own
//! limits are too long to wait for, so those that wait are run in this process with short ones.

use std::time::{Duration, Instant};

use tidings_destination::{Report, SyncOptions};
use tidings_web::TimeOuts;

use crate::support::server::{Reply, Way};
use crate::support::stage::{Case, Stage, case, sync_here};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];

/// A run that waits for nothing longer than a moment.
fn hurried(stage: &Stage) -> Option<Report> {
    let mut options =
        SyncOptions::new(stage.url("/capabilitylist.xml").parse().unwrap(), stage.copy());
    let short = Duration::from_millis(150);
    options.client.time_outs =
        TimeOuts { connect: short, headers: short, idle: short, whole: short * 4 };
    options.delete = true;
    sync_here(&options).ok()
}

/// A document or a resource that answers so; the run ends, and cannot be used.
fn ends(name: &str, path: &'static str, reply: fn() -> Reply) -> Case {
    case(format!("S9 {name}, {path}"), move || {
        let stage = Stage::copied(FILES);
        stage.list(&stage.items(&[("a.txt", "newer"), ("b.txt", "two")]));
        stage.put(path, reply());
        let begun = Instant::now();
        let report = hurried(&stage);
        assert!(report.is_none_or(|report| !report.is_well()));
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        stage.has(FILES);
    })
}

/// A resource whose answer is wrong about itself: the old bytes stay, or the right ones come.
fn wrong(name: &str, exit: i32, reply: fn() -> Reply) -> Case {
    case(format!("S10 {name}"), move || {
        let stage = Stage::copied(FILES);
        stage.put("/a.txt", reply());
        stage.list(&stage.items(&[("a.txt", "newer"), ("b.txt", "two")]));
        stage.sync(&[]).exits(exit);
        let a = if exit == 0 { "newer" } else { "one" };
        stage.has(&[("a.txt", a), ("b.txt", "two")]);
    })
}

fn raw(head: &str, body: &str) -> Reply {
    Reply::raw(format!("HTTP/1.1 200 OK\r\n{head}\r\n{body}"))
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in ["/resourcelist.xml", "/a.txt"] {
        cases.extend([
            ends("no head", path, || Reply::ok("").by(Way::Silent)),
            ends("no body", path, || Reply::ok("newer").by(Way::Stalled)),
            ends("closed", path, || Reply::ok("").by(Way::Closed)),
            ends("10,000 headers", path, || raw(&"X-Header: value\r\n".repeat(10_000), "newer")),
            ends("a header of 1 MB", path, || raw(&format!("X: {}\r\n", "x".repeat(1 << 20)), "")),
            ends("no HTTP", path, || Reply::raw("220 mail.example ESMTP\r\n")),
        ]);
    }
    cases.extend([
        ends("a byte at a time", "/resourcelist.xml", || {
            Reply::ok("<".repeat(100)).by(Way::Drip(Duration::from_millis(100)))
        }),
        ends("endless", "/resourcelist.xml", || {
            Reply::ok("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>")
                .by(Way::Endless)
        }),
        ends("endless", "/a.txt", || Reply::ok("x").by(Way::Endless)),
        case("S9 a slow file keeps no other waiting", || {
            let stage = Stage::new();
            stage.put("/a.txt", Reply::ok("one").by(Way::Silent));
            stage.files(&[("b.txt", "two"), ("c.txt", "three")]);
            stage.list(&stage.items(&[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]));
            let report = hurried(&stage).unwrap();
            assert_eq!((report.created, report.failed), (2, 1));
            stage.has(&[("b.txt", "two"), ("c.txt", "three")]);
        }),
        case("S9 a server that recovers", || {
            let stage = Stage::with(FILES);
            stage.server.put_all("/a.txt", vec![Reply::new(503, ""), Reply::ok("one")]);
            stage.sync(&[]).exits(0);
            stage.has(FILES);
        }),
        case("S9 a server that asks for patience beyond all patience", || {
            let stage = Stage::with(FILES);
            stage.put("/a.txt", Reply::new(503, "").with("Retry-After", "86400"));
            let options = ["--jobs", "1"];
            stage.run_within(8, "sync", "/capabilitylist.xml", &options).exits(1);
            stage.has(&[("b.txt", "two")]);
        }),
    ]);
    cases.extend(lengths());
    cases
}

fn lengths() -> Vec<Case> {
    vec![
        wrong("the connection breaks", 1, || Reply::ok("newer").by(Way::Cut(3))),
        wrong("the chunks break off", 1, || Reply::ok("newer").by(Way::ChunkedCut(3))),
        wrong("a length that is too long", 1, || Reply::ok("newer").by(Way::Says(9))),
        wrong("a length that is too short", 1, || Reply::ok("newer").by(Way::Says(3))),
        wrong("a negative length", 1, || raw("Content-Length: -5\r\n", "newer")),
        wrong("two lengths", 1, || raw("Content-Length: 5\r\nContent-Length: 3\r\n", "newer")),
        wrong("no length, and closed", 0, || raw("", "newer")),
        wrong("a length of nothing", 1, || raw("Content-Length: 0\r\n", "")),
        wrong("more than was said of it", 1, || Reply::ok("newer and more")),
        wrong("less than was said of it", 1, || Reply::ok("new")),
        wrong("chunks", 0, || Reply::ok("newer").by(Way::Chunked)),
        wrong("204", 1, || Reply::new(204, "")),
        wrong("206 that nobody asked for", 1, || {
            Reply::new(206, "newer").with("Content-Range", "bytes 0-4/5")
        }),
        wrong("304 that nobody asked for", 1, || Reply::raw("HTTP/1.1 304 Same\r\n\r\n")),
        wrong("a page instead", 1, || {
            Reply::ok("<html>Sign in</html>").with("Content-Type", "text/html")
        }),
        case("S10 a length without a digest counts", || {
            let stage = Stage::copied(FILES);
            stage.text("/a.txt", "short");
            let item = stage.item("a.txt").lastmod("2026-02-01").md("length", 1_000);
            stage.list(&[item, stage.items(FILES).remove(1)]);
            stage.sync(&[]).exits(1).says("1000");
            stage.has(FILES);
        }),
        case("S10 a long body goes on where it broke off", || {
            let stage = Stage::new();
            let body = "0123456789abcdef".repeat(3 << 16);
            let cut = Reply::ok(body.as_bytes()).etag("1").with_ranges().by(Way::Cut(2 << 20));
            stage.put("/a.txt", cut);
            stage.list(&[stage.item("a.txt").of(&body)]);
            stage.sync(&[]).exits(0);
            stage.has(&[("a.txt", &body)]);
            let ranges =
                stage.server.log().iter().filter(|one| one.header("Range").is_some()).count();
            assert_eq!(ranges, 1);
        }),
        case("S10 what goes on is not what broke off", || {
            let stage = Stage::new();
            let body = "0123456789abcdef".repeat(3 << 16);
            let other = "fedcba9876543210".repeat(3 << 16);
            let cut = Reply::ok(other.as_bytes()).etag("1").by(Way::Cut(2 << 20));
            let rest = Reply::ok(body.as_bytes()).etag("1").with_ranges();
            stage.server.put_all("/a.txt", vec![cut, rest]);
            stage.list(&[stage.item("a.txt").of(&body)]);
            // The mixture is seen by its digest, and all of it is fetched once more.
            stage.sync(&[]).exits(0);
            stage.has(&[("a.txt", &body)]);
        }),
    ]
}
