//! S: where a Source sends those who copy it. The server is at 127.0.0.1 and was typed, so it is
//! trusted; every other address of that kind is not.

use crate::support::documents::{AT, Item, capability_list, document, index, resource_list};
use crate::support::server::{Reply, Server};
use crate::support::stage::{Case, Stage, case};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];

/// Addresses and names of what only this machine, or its network, can reach.
const PRIVATE: &[&str] = &[
    "127.0.0.2",
    "127.255.255.254",
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.2]",
    "[64:ff9b::7f00:2]",
    "[2002:7f00:2::]",
    "[fc00::1]",
    "[fe80::1]",
    "[2001:db8::1]",
    "2130706434",
    "0x7f.0.0.2",
    "0177.0.0.2",
    "127.2",
    "localhost",
    "localhost.",
    "a.localhost",
    "0xA9FEA9FE",
    "%31%32%37.0.0.2",
];

/// A resource at such an address, and one that redirects there.
fn private(host: &'static str) -> Case {
    let row = if host.contains("local")
        || host.parse::<std::net::Ipv4Addr>().is_err() && !host.starts_with('[')
    {
        "S2"
    } else {
        "S1"
    };
    case(format!("{row} {host}"), move || {
        let stage = Stage::with(FILES);
        stage.put("/r.txt", Reply::redirect(format!("http://{host}/latest/meta-data/")));
        let mut items = stage.items(FILES);
        items.push(stage.item("r.txt"));
        items.push(Item::new(format!("http://{host}/x")));
        stage.list(&items);
        stage.sync(&[]).exits(1).says("--allow-private").counts("failed", 2);
        stage.has(FILES);
    })
}

/// A resource that redirects.
fn redirect(name: &str, exit: i32, to: fn(&Stage) -> String) -> Case {
    case(name, move || {
        let stage = Stage::copied(FILES);
        stage.put("/a.txt", Reply::redirect(to(&stage)));
        stage.text("/there.txt", "newer");
        stage.list(&stage.items(&[("a.txt", "newer"), ("b.txt", "two")]));
        stage.sync(&[]).exits(exit);
        let a = if exit == 0 { "newer" } else { "one" };
        stage.has(&[("a.txt", a), ("b.txt", "two")]);
    })
}

/// Indexes that lead nowhere, or in circles: the run ends, and nothing is removed.
fn circle(name: &str, publish: fn(&Stage)) -> Case {
    case(name, move || {
        let stage = Stage::copied(FILES);
        publish(&stage);
        stage.server.forget_log();
        stage.sync(&["--delete"]);
        stage.has(FILES);
        assert!(stage.server.log().len() < 100, "{} requests", stage.server.log().len());
    })
}

fn list_index(items: &[Item]) -> String {
    index(&format!("<rs:md capability=\"resourcelist\" at=\"{AT}\"/>"), items)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = PRIVATE.iter().map(|host| private(host)).collect();
    cases.extend(redirects());
    cases.extend(documents());
    cases.extend(circles());
    cases
}

fn redirects() -> Vec<Case> {
    vec![
        redirect("S3 to the same host", 0, |stage| stage.url("/there.txt")),
        redirect("S3 relative", 0, |_| "there.txt".into()),
        redirect("S3 to a file", 1, |_| "file:///etc/passwd".into()),
        redirect("S3 to gopher", 1, |_| "gopher://127.0.0.1/".into()),
        redirect("S3 to ftp", 1, |_| "ftp://127.0.0.1/".into()),
        redirect("S3 to data", 1, |_| "data:,newer".into()),
        redirect("S5 to itself", 1, |_| "/a.txt".into()),
        redirect("S5 to nothing", 1, |_| "http://".into()),
        redirect("S5 to what is no URL", 1, |_| "http://[".into()),
        redirect("S7 to port 22", 1, |_| "http://127.0.0.1:22/".into()),
        redirect("S7 to port 25", 1, |_| "http://127.0.0.1:25/".into()),
        redirect("S7 to port 6379", 1, |_| "http://127.0.0.1:6379/".into()),
        case("S5 in a circle", || {
            let stage = Stage::copied(FILES);
            stage.put("/a.txt", Reply::redirect("/x"));
            stage.put("/x", Reply::redirect("/y"));
            stage.put("/y", Reply::redirect("/x"));
            stage.list(&stage.items(&[("a.txt", "newer"), ("b.txt", "two")]));
            stage.sync(&[]).exits(1);
            stage.has(FILES);
        }),
        case("S5 five hops are few enough, six are not", || {
            for (hops, exit) in [(5, 0), (6, 1)] {
                let stage = Stage::copied(FILES);
                stage.put("/a.txt", Reply::redirect("/1"));
                for hop in 1..hops {
                    stage.put(&format!("/{hop}"), Reply::redirect(format!("/{}", hop + 1)));
                }
                stage.text(&format!("/{hops}"), "newer");
                stage.list(&stage.items(&[("a.txt", "newer"), ("b.txt", "two")]));
                stage.sync(&[]).exits(exit);
            }
        }),
        case("S5 a redirect without a place", || {
            let stage = Stage::copied(FILES);
            stage.put("/a.txt", Reply::new(302, "newer"));
            stage.list(&stage.items(&[("a.txt", "newer"), ("b.txt", "two")]));
            stage.sync(&[]).exits(1);
            stage.has(FILES);
        }),
        case("S3 a secret goes to its own host, and no further", || {
            let stage = Stage::new();
            let other = Server::at("127.0.0.2:0");
            other.put("/a.txt", Reply::ok("one"));
            stage.put("/a.txt", Reply::redirect(other.url("/a.txt")));
            stage.put("/b.txt", Reply::ok("two").needs("Authorization", "Bearer secret"));
            stage.list(&stage.items(FILES));
            let header = ["--header", "Authorization: Bearer secret"];
            stage.sync(&[&header[..], &["--allow-private"]].concat()).exits(0);
            stage.has(FILES);
            assert!(!other.log().is_empty());
            for request in other.log() {
                assert_eq!(request.header("Authorization"), None, "{request:?}");
            }
        }),
        case("S3 nobody calls at an address that is refused", || {
            let stage = Stage::with(FILES);
            let other = Server::at("127.0.0.2:0");
            stage.put("/r.txt", Reply::redirect(other.url("/latest/meta-data/")));
            let mut items = stage.items(FILES);
            items.extend([stage.item("r.txt"), Item::new(other.url("/x"))]);
            items.push(stage.item("m.txt").of("m").link(
                "duplicate",
                &other.url("/m"),
                "pri=\"1\"",
            ));
            stage.list(&items);
            stage.sync(&[]).exits(1).says("127.0.0.2");
            assert!(other.log().is_empty(), "{:?}", other.log());
        }),
        case("S6 a proxy from the environment is not asked", || {
            let stage = Stage::with(FILES);
            let proxy = Server::start();
            let mut tidings = crate::support::tidings();
            tidings.args(["sync", &stage.url("/capabilitylist.xml")]).arg(stage.copy());
            for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
                tidings.env(name, proxy.url("/"));
            }
            assert_eq!(tidings.output().unwrap().status.code(), Some(0));
            stage.has(FILES);
            assert!(proxy.log().is_empty());
        }),
    ]
}

/// The documents themselves are elsewhere.
fn documents() -> Vec<Case> {
    let elsewhere = |name: &str, publish: fn(&Stage, &Server)| {
        case(name, move || {
            let stage = Stage::copied(FILES);
            let other = Server::at("127.0.0.2:0");
            other.put("/resourcelist.xml", Reply::ok(resource_list(&[])));
            publish(&stage, &other);
            stage.sync(&["--delete", "--force-delete", "--baseline"]).says("127.0.0.2");
            stage.has(FILES);
            assert!(other.log().is_empty(), "{:?}", other.log());
        })
    };
    vec![
        elsewhere("S3 a list redirects to a private address", |stage, other| {
            stage.put("/resourcelist.xml", Reply::redirect(other.url("/resourcelist.xml")));
        }),
        elsewhere("S1 a Capability List names a private address", |stage, other| {
            let offers = [("resourcelist", other.url("/resourcelist.xml"))];
            stage.text("/capabilitylist.xml", capability_list(&offers));
        }),
        elsewhere("S1 an index names a private address", |stage, other| {
            stage.list_text(list_index(&[Item::new(other.url("/resourcelist.xml"))]));
        }),
        elsewhere("S1 a package is at a private address", |stage, other| {
            let head = format!("<rs:md capability=\"resourcedump\" at=\"{AT}\"/>");
            stage.text("/resourcedump.xml", document(&head, &[Item::new(other.url("/p.zip"))]));
            stage.offer(&["resourcedump"]);
        }),
    ]
}

fn circles() -> Vec<Case> {
    vec![
        circle("S8 an index of itself", |stage| {
            stage.list_text(list_index(&[stage.item("resourcelist.xml")]));
        }),
        circle("S8 two indexes of each other", |stage| {
            stage.list_text(list_index(&[stage.item("i.xml")]));
            stage.text("/i.xml", list_index(&[stage.item("resourcelist.xml")]));
        }),
        circle("S8 an index of what redirects to it", |stage| {
            stage.list_text(list_index(&[stage.item("i.xml")]));
            stage.put("/i.xml", Reply::redirect("/resourcelist.xml"));
        }),
        circle("S8 indexes in indexes in indexes", |stage| {
            stage.list_text(list_index(&[stage.item("i0.xml")]));
            for level in 0..50 {
                let next = stage.item(&format!("i{}.xml", level + 1));
                stage.text(&format!("/i{level}.xml"), list_index(&[next]));
            }
        }),
        circle("S8 a Capability List of itself", |stage| {
            let itself = stage.url("/capabilitylist.xml");
            stage.text("/capabilitylist.xml", capability_list(&[("capabilitylist", itself)]));
        }),
        circle("S8 a Capability List as its own Resource List", |stage| {
            let itself = stage.url("/capabilitylist.xml");
            stage.text("/capabilitylist.xml", capability_list(&[("resourcelist", itself)]));
        }),
        case("S8 an index that names one list 50,000 times", || {
            let stage = Stage::with(FILES);
            let part = resource_list(&stage.items(FILES));
            stage.text("/p.xml", part);
            stage.list_text(list_index(&vec![stage.item("p.xml"); 50_000]));
            stage.sync(&[]).exits(0);
            stage.has(FILES);
            assert_eq!(stage.server.count("/p.xml"), 1);
        }),
        case("S8 links up in a circle", || {
            let stage = Stage::with(FILES);
            let up = |to: &str| format!("<rs:ln rel=\"up\" href=\"{}\"/>", stage.url(to));
            let head = format!("{}<rs:md capability=\"resourcelist\" at=\"{AT}\"/>", up("/u.xml"));
            stage.text("/l.xml", document(&head, &stage.items(FILES)));
            let head = format!("{}<rs:md capability=\"resourcelist\" at=\"{AT}\"/>", up("/l.xml"));
            stage.text("/u.xml", document(&head, &[]));
            stage.sync_from("/l.xml", &[]).exits(0);
            stage.has(FILES);
        }),
    ]
}
