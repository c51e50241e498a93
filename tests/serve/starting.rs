//! Starting and stopping, as it should be and as it should not.

use std::net::TcpListener;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::stage::{COLLECTION, SITE, grow, with_batches};
use crate::support::documents::{Item, change_list, document};
use crate::support::follower::Follower;
use crate::support::server::{Reply, Server, Way};
use crate::support::stderr;

fn fails(follower: &Follower, arguments: &[&str]) -> String {
    let mut command = follower.command(&[&["serve"], arguments].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors
}

#[test]
fn what_cannot_be_begun_is_said() {
    let follower = Follower::default();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let errors = fails(&follower, &["--listen", &address]);
    assert!(errors.contains(&address) && errors.contains("--listen"), "{errors}");
    for listen in ["nonsense", "127.0.0.1", "localhost:1", "127.0.0.1:99999"] {
        assert!(fails(&follower, &["--listen", listen]).contains(listen));
    }
    for base in [
        "feeds.example.org",
        "ftp://a.example/",
        "https://a.example/?x",
        "https://a.example/#x",
        "",
        "javascript:x",
    ] {
        let errors = fails(&follower, &["--listen", "127.0.0.1:0", "--base", base]);
        assert!(errors.contains(&format!("{base:?}")) && errors.contains("base URL"), "{errors}");
    }
    follower.configure("[serve]\nlisten = \"here\"\n");
    assert!(fails(&follower, &[]).contains("here"));
    follower.configure("[serve]\nlisten-on = \"127.0.0.1:0\"\n");
    assert!(fails(&follower, &[]).contains("listen-on"));
}

#[test]
fn a_base_is_what_feeds_are_named_by() {
    let (follower, _store) = with_batches(1);
    for (base, expected) in [
        ("https://feeds.example.org", "https://feeds.example.org/feeds/"),
        ("https://a.example/tidings", "https://a.example/tidings/feeds/"),
    ] {
        let server = follower.serve(&["--no-poll", "--base", base]);
        let atom = server.get(&format!("/feeds/{COLLECTION}.atom")).text();
        assert!(atom.contains(&format!("href=\"{expected}{COLLECTION}.atom\"")), "{atom}");
        // Whatever a request says it is called.
        let other = server.request(
            "GET",
            &format!("/feeds/{COLLECTION}.atom"),
            "Host: evil.example\r\nX-Forwarded-Host: evil.example\r\n",
            "",
        );
        assert_eq!(other.text(), atom);
    }
}

/// A site that the server may follow, and whose Change List does not come.
fn hanging(theirs: &Server) {
    let offer = Item::new(theirs.url("/changes.xml")).md("capability", "changelist");
    let list = document("<rs:md capability=\"capabilitylist\"/>", &[offer]);
    theirs.put("/list.xml", Reply::ok(list));
    theirs.put("/changes.xml", Reply::ok(change_list(&[])));
}

#[test]
fn who_is_being_answered_is_answered_before_it_stops() {
    let theirs = Server::start();
    hanging(&theirs);
    let follower = Follower::default();
    let mut server = follower.serve(&["--no-poll", "--allow-private"]);
    let followed = server.post("/api/sites", &json!({ "url": theirs.url("/list.xml") })).json();
    let key = followed["key"].as_str().unwrap().to_owned();
    // It takes two seconds to come.
    let list = change_list(&[Item::new(theirs.url("/a")).change("created").at("2026-01-02")]);
    let pause = Duration::from_secs(2) / u32::try_from(list.len()).unwrap();
    theirs.put("/changes.xml", Reply::ok(list).by(Way::Drip(pause)));
    theirs.forget_log();
    let answer = std::thread::scope(|scope| {
        let asked = scope.spawn(|| server.post(&format!("/api/sites/{key}/poll"), &json!({})));
        while theirs.count("/changes.xml") == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        server.signal("-TERM");
        asked.join().unwrap()
    });
    assert_eq!((answer.status, answer.json()["changes"].as_i64()), (200, Some(1)));
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    // What was leased was given back.
    theirs.put("/changes.xml", Reply::ok(change_list(&[])));
    assert_eq!(follower.leased_hosts(), Vec::<String>::new());
    follower.json(&["poll", "--allow-private"]);
}

#[test]
fn idle_connections_do_not_keep_it_from_stopping() {
    let follower = Follower::default();
    for signal in ["-TERM", "-INT"] {
        let mut server = follower.serve(&["--no-poll"]);
        let idle: Vec<_> =
            (0..20).map(|_| std::net::TcpStream::connect(&server.address).unwrap()).collect();
        assert_eq!(server.get("/healthz").status, 200);
        server.signal(signal);
        let begun = Instant::now();
        assert_eq!(server.child.wait().unwrap().code(), Some(0));
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
        drop(idle);
    }
}

#[test]
fn what_was_served_before_kill_9_is_served_after_it() {
    let (follower, store) = with_batches(7);
    let mut server = follower.serve(&["--no-poll", "--base", "http://127.0.0.1/"]);
    let made = server.post("/api/tokens", &json!({ "name": "x", "scope": "write" }));
    assert_eq!(made.status, 201);
    let json = "Content-Type: application/json\r\n";
    let paused = server.request("PATCH", &format!("/api/sites/{SITE}"), json, "{\"paused\": true}");
    assert_eq!(paused.status, 200);
    let feed = server.get(&format!("/feeds/{COLLECTION}.atom")).text();
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let server = follower.serve(&["--no-poll", "--base", "http://127.0.0.1/"]);
    assert_eq!(server.get(&format!("/feeds/{COLLECTION}.atom")).text(), feed);
    assert_eq!(server.get(&format!("/api/sites/{SITE}")).json()["state"], "paused");
    assert_eq!(server.get("/api/tokens").json()[0]["name"], "x");
    grow(&store, 7..8);
    drop(server);
    let server = follower.serve(&["--no-poll"]);
    assert_eq!(server.get(&format!("/feeds/{COLLECTION}.atom")).feed().entries.len(), 8);
}

/// A server that died keeps a site from others for no longer than its lease.
#[test]
fn what_a_server_was_polling_when_it_died_is_polled_by_the_next() {
    let theirs = Server::start();
    hanging(&theirs);
    let follower = Follower::default();
    follower.configure("[serve]\nlease = \"2s\"\n");
    follower.json(&["follow", "--no-poll", &theirs.url("/list.xml")]);
    theirs.put("/changes.xml", Reply::ok("x").by(Way::Silent));
    theirs.forget_log();
    let mut first = follower.serve(&[]);
    while theirs.count("/changes.xml") == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    let news = Item::new(theirs.url("/a")).change("created").at("2026-01-02");
    theirs.put("/changes.xml", Reply::ok(change_list(&[news])));
    let second = follower.serve(&[]);
    let begun = Instant::now();
    while second.get("/api/status").json()["well"] != 1 {
        assert!(begun.elapsed() < Duration::from_secs(8));
        std::thread::sleep(Duration::from_millis(50));
    }
    let metrics = second.get("/metrics").text();
    for line in ["polls_total{result=\"well\"} 1", "changes_total 1", "batches_total 1"] {
        assert!(metrics.contains(&format!("tidings_{line}\n")), "{metrics}");
    }
}
