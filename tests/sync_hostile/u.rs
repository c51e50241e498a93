//! U: URIs that lead out of the copy, into each other, or into what is not theirs.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::documents::Item;
use crate::support::server::Server;
use crate::support::stage::{Case, Stage, case};

/// Resources with these paths in the Source, as they are written there. Each answers with its own
/// path, and all are in the copy, in as many files.
fn kept(name: &str, paths: &'static [&'static str]) -> Case {
    case(name, move || {
        let stage = Stage::new();
        let items: Vec<Item> = paths
            .iter()
            .map(|path| {
                let uri = stage.url(path);
                // The path as it goes over the wire.
                let sent = url::Url::parse(&uri).unwrap();
                let query = sent.query().map_or(String::new(), |query| format!("?{query}"));
                let sent = format!("{}{query}", sent.path());
                stage.text(&sent, sent.as_bytes());
                Item::new(uri.replace('&', "&amp;"))
            })
            .collect();
        stage.list(&items);
        stage.sync(&["--jobs", "1"]).exits(0);
        let found = stage.found();
        assert_eq!(found.len(), paths.len(), "{:?}", found.keys());
        assert!(!found.keys().any(|path| path.starts_with("../")), "{:?}", found.keys());
        stage.in_sync("/capabilitylist.xml", &[]);
        // A second run has nothing to do: every file is found again under its name.
        stage.sync(&["--baseline", "--delete"]).exits(0).counts("created", 0).counts("deleted", 0);
        assert_eq!(stage.found(), found);
    })
}

/// A resource that is not the server's own is not taken.
fn not_had(name: &str, loc: &'static str, says: &'static str) -> Case {
    case(name, move || {
        let stage = Stage::with(&[("a.txt", "one")]);
        let mut items = stage.items(&[("a.txt", "one")]);
        items.push(Item::new(loc));
        stage.list(&items);
        stage.sync(&[]).exits(1).says(says);
        stage.has(&[("a.txt", "one")]);
    })
}

/// Something is planted in the folder of the copy before it is made.
fn planted(name: &str, exit: i32, plant: fn(&Stage)) -> Case {
    case(name, move || {
        let stage = Stage::with(&[("d/a.txt", "one"), ("b.txt", "two")]);
        let outside = stage.parent().join("outside");
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("a.txt"), "theirs").unwrap();
        fs::create_dir_all(stage.home()).unwrap();
        plant(&stage);
        stage.sync(&[]).exits(exit);
        let left = crate::support::stage::files_of(&outside);
        assert_eq!(left.len(), 1, "{:?}", left.keys());
        assert_eq!(left["a.txt"], b"theirs");
    })
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = paths();
    cases.extend(authorities());
    cases.extend(links());
    cases
}

fn paths() -> Vec<Case> {
    // Longer than a name may be, than a path may be, and than most servers take.
    let long = |length: usize| -> &'static str { format!("/{}", "x".repeat(length)).leak() };
    let deep: &'static str = "/0123456789".repeat(400).leak();
    let many = |one: &'static str, other: &'static str| -> &'static [&'static str] {
        vec![one, other].leak()
    };
    vec![
        kept("U1 ..", &["/x/../../../tmp/e"]),
        kept("U1 .", &["/./x/./e"]),
        kept("U1 %2e%2e", &["/x/%2e%2e/%2E%2E/e"]),
        kept("U1 .%2e", &["/x/.%2e/e"]),
        kept("U1 %2f", &["/x%2f..%2f..%2fe", "/x/e"]),
        kept("U1 %5c", &["/x%5c..%5c..%5ce"]),
        kept("U1 %252e", &["/%252e%252e/%252e%252e/e"]),
        kept("U1 backslash", &["/x\\..\\..\\e"]),
        kept("U1 empty segments", &["//x//e", "/x/e", "/x//e"]),
        kept("U1 ;", &["/x;/..;/e", "/x/e"]),
        kept("U1 %00", &["/e%00.txt", "/e"]),
        kept("U1 ...", &["/.../e", "/e"]),
        kept("U3 case twins", &["/A.txt", "/a.txt", "/A/x", "/a/x"]),
        kept("U3 NFC and NFD", &["/caf%C3%A9", "/cafe%CC%81"]),
        kept("U3 sharp s", &["/stra%C3%9Fe", "/strasse"]),
        kept("U3 Turkish i", &["/%C4%B0", "/i", "/%C4%B1", "/I"]),
        kept("U3 not decoded twice", &["/%C3%A9", "/%25C3%25A9"]),
        kept("U4 queries", &["/p", "/p?a=1", "/p?a=2", "/p?"]),
        kept("U4 the order of a query", &["/p?a=1&b=2", "/p?b=2&a=1"]),
        kept("U4 %3F", &["/p%3Fa=1", "/p?a=1"]),
        kept("U4 plus and blank", &["/a+b", "/a%20b"]),
        kept("U4 a slash in a query", &["/p?a=../../../e", "/p?a=/etc/passwd"]),
        kept("U5 a name of 255 bytes", many(long(255), long(254))),
        kept("U5 a name of 2,000 bytes", many(long(2_000), long(1_999))),
        kept("U5 a path of 4,400 bytes", many(deep, "/0123456789/x")),
        case(
            "U5 a URI of 60,000 bytes: the reader's limit is 8 kB (X6), and it is told",
            move || {
                let stage = Stage::new();
                stage.text("/x", "x");
                stage.list(&[Item::new(stage.url(long(60_000))), Item::new(stage.url("/x"))]);
                stage.sync(&[]).exits(1).says("1 of its entries cannot be used");
                stage.has(&[("x", "x")]);
            },
        ),
        kept("U6 a file and a folder", &["/a", "/a/b", "/a/"]),
        kept("U6 the folder first", &["/a/b", "/a", "/a/b/c"]),
        kept("U7 our own folder", &["/.tidings/state", "/.tidings/tmp/0", "/.tidings"]),
        kept("U7 hidden files", &["/.htaccess", "/.git/config", "/.tmp"]),
        kept("U7 devices", &["/CON", "/nul.txt", "/aux", "/COM1", "/lpt9.log"]),
        kept("U7 what our names look like", &["/%25_index", "/", "/%25_self", "/%25_~0"]),
        kept("U7 ends that are lost", &["/a.", "/a", "/a%20"]),
        case("U4 a fragment is no part", || {
            let stage = Stage::new();
            stage.text("/p", "page");
            stage.list(&[stage.item("p#one"), stage.item("p#two")]);
            stage.sync(&[]).exits(0);
            stage.has(&[("p", "page")]);
        }),
        case("U6 a file becomes a folder", || {
            let stage = Stage::copied(&[("a", "file"), ("x", "x")]);
            stage.files(&[("a/b", "in a folder")]);
            stage.list(&stage.items(&[("a/b", "in a folder"), ("x", "x")]));
            stage.sync(&["--delete"]).exits(0);
            let found = stage.found();
            assert_eq!(found.len(), 2, "{found:?}");
            stage.in_sync("/capabilitylist.xml", &[]);
            stage.files(&[("a", "file")]);
            stage.list(&stage.items(&[("a", "file"), ("x", "x")]));
            stage.sync(&["--delete"]).exits(0);
            assert_eq!(stage.found().len(), 2, "{:?}", stage.found());
            stage.in_sync("/capabilitylist.xml", &[]);
        }),
    ]
}

fn authorities() -> Vec<Case> {
    vec![
        not_had("U2 another port of this machine", "http://127.0.0.1:1/x", "is blocked"),
        not_had("U2 another scheme", "file:///etc/passwd", "file"),
        not_had("U2 credentials", "http://user:secret@127.0.0.1/x", "127.0.0.1"),
        not_had("U2 v6", "http://[::1]/x", "--allow-private"),
        not_had("U2 a name of this machine", "http://localhost./x", "--allow-private"),
        not_had("U2 a host of dots", "http://../x", ".."),
        case("U2 the case of the host, and its default port", || {
            let stage = Stage::new();
            stage.text("/a", "one");
            let loc = stage.url("/a").replace("http:", "HTTP:");
            stage.list(&[Item::new(loc)]);
            stage.sync(&[]).exits(0);
            stage.has(&[("a", "one")]);
        }),
        case("U2 two hosts do not meet", || {
            let stage = Stage::with(&[("a.txt", "one")]);
            let other = Server::at("127.0.0.2:0");
            other.put("/a.txt", crate::support::server::Reply::ok("other"));
            let mut items = stage.items(&[("a.txt", "one")]);
            items.push(Item::new(other.url("/a.txt")));
            stage.list(&items);
            stage.sync(&["--allow-private"]).exits(0);
            let theirs = format!("../127.0.0.2+{}/a.txt", other.port());
            stage.has(&[("a.txt", "one"), (theirs.as_str(), "other")]);
        }),
    ]
}

fn links() -> Vec<Case> {
    vec![
        planted("U8 a folder of the copy is a link", 1, |stage| {
            symlink("../../outside", stage.home().join("d")).unwrap();
        }),
        planted("U8 a file of the copy is a link", 1, |stage| {
            symlink("../../outside/a.txt", stage.home().join("b.txt")).unwrap();
        }),
        planted("U8 the folder of the host is a link", 1, |stage| {
            fs::remove_dir(stage.home()).unwrap();
            symlink("../outside", stage.home()).unwrap();
        }),
        planted("U8 a link that leads nowhere", 1, |stage| {
            symlink("../../outside/new.txt", stage.home().join("b.txt")).unwrap();
        }),
        planted("U8 our folder of what is unfinished is a link", 2, |stage| {
            fs::create_dir_all(stage.copy().join(".tidings")).unwrap();
            symlink("../../outside", stage.copy().join(".tidings/tmp")).unwrap();
        }),
        planted("U8 our own folder is a link", 2, |stage| {
            symlink("../outside", stage.copy().join(".tidings")).unwrap();
        }),
        planted("U8 our lock is a link", 2, |stage| {
            fs::create_dir_all(stage.copy().join(".tidings")).unwrap();
            symlink("../../outside/a.txt", stage.copy().join(".tidings/lock")).unwrap();
        }),
        case("U8 a link is planted between two runs", || {
            let stage = Stage::copied(&[("d/a.txt", "one"), ("b.txt", "two")]);
            let outside = stage.parent().join("outside");
            fs::create_dir_all(&outside).unwrap();
            fs::write(outside.join("a.txt"), "theirs").unwrap();
            fs::remove_dir_all(stage.home().join("d")).unwrap();
            symlink(&outside, stage.home().join("d")).unwrap();
            stage.files(&[("d/a.txt", "newer")]);
            stage.list(&stage.items(&[("d/a.txt", "newer"), ("b.txt", "two")]));
            stage.sync(&[]).exits(1).says("link");
            // Deleting is not done through it, either.
            stage.list(&stage.items(&[("b.txt", "two")]));
            stage.sync(&["--delete"]);
            assert_eq!(fs::read(outside.join("a.txt")).unwrap(), b"theirs");
            stage.run("audit", "/capabilitylist.xml", &["--deep"]);
        }),
    ]
}
