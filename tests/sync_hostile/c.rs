//! C: what comes compressed, documents and resources.

use crate::support::documents::{gzip, resource_list};
use crate::support::server::{Reply, Way};
use crate::support::stage::{Case, Stage, case};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];

/// The Resource List in that form is taken, or it is refused and cannot be used.
fn list(name: &str, exit: i32, form: fn(Vec<u8>) -> Vec<u8>) -> Case {
    case(format!("C1 list, {name}"), move || {
        let stage = Stage::copied(FILES);
        stage.files(&[("a.txt", "newer")]);
        let list = resource_list(&stage.items(&[("a.txt", "newer")]));
        stage.list_text(form(list.into()));
        stage.sync(&["--delete"]).exits(exit);
        stage.has(if exit == 0 { &[("a.txt", "newer")] } else { FILES });
    })
}

/// A resource that comes in that form. What counts is what the Source says of its bytes.
fn resource(name: &str, exit: i32, reply: fn() -> Reply) -> Case {
    case(format!("C1 resource, {name}"), move || {
        let stage = Stage::copied(FILES);
        stage.put("/a.txt", reply());
        stage.list(&stage.items(&[("a.txt", "newer"), ("b.txt", "two")]));
        stage.sync(&[]).exits(exit);
        let a = if exit == 0 { "newer" } else { "one" };
        stage.has(&[("a.txt", a), ("b.txt", "two")]);
    })
}

fn packed(bytes: &[u8]) -> Reply {
    Reply::ok(gzip(bytes)).with("Content-Encoding", "gzip")
}

/// 64 MiB of blanks, in members of one.
fn bomb() -> Vec<u8> {
    gzip(&vec![b' '; 1 << 20]).repeat(64)
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        list("packed", 0, |list| gzip(&list)),
        list("packed twice", 0, |list| gzip(&gzip(&list))),
        list("packed three times", 2, |list| gzip(&gzip(&gzip(&list)))),
        list("two members", 0, |list| {
            let (one, other) = list.split_at(list.len() / 2);
            [gzip(one), gzip(other)].concat()
        }),
        list("a wrong checksum", 2, |list| {
            let mut packed = gzip(&list);
            let at = packed.len() - 8;
            packed[at] ^= 1;
            packed
        }),
        list("junk after the end", 2, |list| [gzip(&list), b"junk".to_vec()].concat()),
        list("a bomb", 2, |_| bomb()),
        list("a bomb in a bomb", 2, |_| gzip(&bomb())),
        list("a bomb after the list", 2, |list| [gzip(&list), bomb()].concat()),
        case("C1 list, Content-Encoding", || {
            let stage = Stage::with(FILES);
            let list = resource_list(&stage.items(FILES));
            stage.list_reply(packed(list.as_bytes()));
            stage.sync(&[]).exits(0);
            stage.has(FILES);
        }),
        resource("Content-Encoding", 0, || packed(b"newer")),
        resource("x-gzip", 0, || Reply::ok(gzip(b"newer")).with("Content-Encoding", "x-gzip")),
        resource("chunked and packed", 0, || packed(b"newer").by(Way::Chunked)),
        resource("br that was not asked for", 1, || {
            Reply::ok("newer").with("Content-Encoding", "br")
        }),
        resource("zstd that was not asked for", 1, || {
            Reply::ok("newer").with("Content-Encoding", "zstd")
        }),
        resource("a wrong checksum", 1, || {
            let mut reply = packed(b"newer");
            let at = reply.body.len() - 8;
            reply.body[at] ^= 1;
            reply
        }),
        resource("broken off", 1, || {
            let mut reply = packed(b"newer");
            reply.body.truncate(12);
            reply
        }),
        resource("other bytes, packed", 1, || packed(b"other")),
        resource("a bomb", 1, || Reply::ok(bomb()).with("Content-Encoding", "gzip")),
        case("C1 resource, a bomb without a length or digest", || {
            let stage = Stage::copied(FILES);
            stage.put("/a.txt", Reply::ok(bomb()).with("Content-Encoding", "gzip"));
            stage.list(&[stage.item("a.txt").lastmod("2026-02-01"), stage.items(FILES).remove(1)]);
            stage.sync(&[]).exits(1).says("cannot be inflated");
            stage.has(FILES);
        }),
        case("C1 resource, a .gz stays one", || {
            let stage = Stage::new();
            let bytes = gzip(b"content");
            stage.text("/a.gz", bytes.clone());
            stage.put("/b.gz", Reply::ok(bytes.clone()).with("Content-Encoding", "gzip"));
            stage.list(&[stage.item("a.gz").of(&bytes), stage.item("b.gz").of(&bytes)]);
            stage.sync(&[]).exits(0);
            let found = stage.found();
            assert_eq!((&found["a.gz"], &found["b.gz"]), (&bytes, &bytes));
        }),
    ]
}
