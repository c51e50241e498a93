//! The API: every verb, and every way to get it wrong.

use serde_json::json;

use crate::stage::{COLLECTION, SITE, operations, problem, with_batches};
use crate::support::documents::{Item, change_list, document};
use crate::support::follower::Follower;
use crate::support::server::{Reply, Server};

/// A site on this machine, which the server may follow.
fn site(server: &Server) {
    let list = document(
        &format!(
            "<rs:ln rel=\"describes\" href=\"{}\"/><rs:md capability=\"capabilitylist\"/>",
            server.url("/")
        ),
        &[Item::new(server.url("/changes.xml")).md("capability", "changelist")],
    );
    server.put("/list.xml", Reply::ok(list));
    put_changes(server, 1);
}

fn put_changes(server: &Server, count: u32) {
    let changes: Vec<Item> = (1..=count)
        .map(|number| {
            let time = format!("2026-01-{number:02}T00:00:00Z");
            Item::new(server.url(&format!("/{number}"))).change("created").at(&time)
        })
        .collect();
    server.put("/changes.xml", Reply::ok(change_list(&changes)));
}

/// Whoever asks the server has no command line.
#[test]
fn errors_name_no_option_of_the_command_line() {
    let theirs = Server::start();
    let text = Reply::ok("gone\n").with("Content-Type", "text/plain");
    theirs.put("/posts.txt", text);
    let follower = Follower::default();
    for (options, said) in [
        (&["--no-poll"][..], "a loopback address"),
        (&["--no-poll", "--allow-private"], "follow it as one"),
    ] {
        let server = follower.serve(options);
        let refused = server.post("/api/sites", &json!({ "url": theirs.url("/posts.txt") }));
        let error = problem(&refused);
        assert!(error.contains(said) && !error.contains("--"), "{options:?}: {error}");
    }
}

#[test]
fn every_verb_works() {
    let theirs = Server::start();
    site(&theirs);
    let follower = Follower::default();
    let server = follower.serve(&["--no-poll", "--allow-private"]);
    let answer = server.post("/api/sites", &json!({ "url": theirs.url("/list.xml"), "titles": 0 }));
    assert_eq!(answer.status, 201, "{}", answer.text());
    let key = answer.json()["key"].as_str().unwrap().to_owned();
    let collection = answer.json()["collections"][0]["key"].as_str().unwrap().to_owned();
    let again = server.post("/api/sites", &json!({ "url": theirs.url("/list.xml") }));
    assert_eq!(again.status, 200, "it is followed already");
    let at = |rest: &str| format!("/api/sites/{key}{rest}");
    assert_eq!(server.get(&at("")).json()["state"], "new");
    let polled = server.post(&at("/poll"), &json!({})).json();
    assert_eq!((&polled["changes"], &polled["site"]["state"]), (&1.into(), &"well".into()));
    put_changes(&theirs, 3);
    assert_eq!(server.post(&at("/poll"), &json!({})).json()["changes"], 2);
    assert_eq!(server.post(&at("/poll"), &json!({})).json()["changes"], 0);
    assert_eq!(server.get(&at("/polls")).json().as_array().unwrap().len(), 3);
    let changes = format!("/api/collections/{collection}/changes");
    assert_eq!(server.get(&changes).json().as_array().unwrap().len(), 3);
    let window = server.get(&format!("{changes}?skip=1&limit=1")).json();
    assert_eq!(window[0]["uri"], theirs.url("/2"));
    assert_eq!(server.get(&format!("/api/collections/{collection}")).json()["changes"], 3);
    let listed = server.get("/api/sites?limit=1&state=well&text=127.0.0.1").json();
    assert_eq!(listed["sites"][0]["key"], key);
    assert_eq!(server.get("/api/sites?state=paused").json()["sites"], json!([]));
    let patch =
        |body: &str| server.request("PATCH", &at(""), "Content-Type: application/json\r\n", body);
    let patched = patch("{\"paused\": true, \"every\": 3600, \"titles\": 7, \"tiles\": 5}");
    assert_eq!(patched.status, 200, "{}", patched.text());
    let patched = patched.json();
    assert_eq!((&patched["state"], &patched["settings"]["titles"]), (&"paused".into(), &7.into()));
    assert_eq!(patched["settings"]["tiles"], 5);
    assert_eq!(server.get("/api/status").json()["paused"], 1);
    assert_ne!(patch("{\"paused\": false, \"every\": 0}").json()["state"], "paused");
    let opml = server.get("/api/opml").text();
    assert!(opml.contains(&format!("feeds/{collection}.atom")), "{opml}");
    let list = format!(
        "<opml version=\"2.0\"><body><outline text=\"x\" xmlUrl=\"{}\"/></body></opml>",
        theirs.url("/list.xml")
    );
    let imported = server.request("POST", "/api/opml", "", &list).json();
    assert_eq!(
        (&imported[0]["site"], &imported[0]["is_new"]),
        (&key.clone().into(), &false.into())
    );
    let made = server.post("/api/tokens", &json!({ "name": "one", "scope": "read" }));
    assert_eq!(made.status, 201);
    assert!(made.json()["token"].as_str().unwrap().len() > 40);
    let tokens = server.get("/api/tokens").text();
    assert!(tokens.contains("\"one\"") && !tokens.contains("tidings_"), "{tokens}");
    assert_eq!(server.request("DELETE", "/api/tokens/one", "", "").status, 204);
    assert_eq!(server.request("DELETE", "/api/tokens/one", "", "").status, 404);
    assert_eq!(server.request("DELETE", &at(""), "", "").status, 204);
    assert_eq!(server.get(&at("")).status, 404);
    assert_eq!(server.get("/api/sites").json()["sites"], json!([]));
}

/// What this process records itself is seen at once.
#[test]
fn what_a_poll_by_hand_brings_is_seen_at_once() {
    let theirs = Server::start();
    site(&theirs);
    let follower = Follower::default();
    let server = follower.serve(&["--no-poll", "--allow-private"]);
    let wish = json!({ "url": theirs.url("/list.xml"), "titles": 0 });
    let site = server.post("/api/sites", &wish).json();
    let key = site["key"].as_str().unwrap();
    let feed = crate::support::follower::path_of(
        site["collections"][0]["feeds"]["atom"].as_str().unwrap(),
    );
    for count in 1..4 {
        put_changes(&theirs, count);
        server.post(&format!("/api/sites/{key}/poll"), &json!({}));
        assert_eq!(server.get(&feed).feed().entries.len(), count as usize);
    }
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("tidings_changes_total 3\n"), "{metrics}");
    assert_eq!(server.request("DELETE", &format!("/api/sites/{key}"), "", "").status, 204);
    assert_eq!(server.get(&feed).status, 410, "what is forgotten is gone");
}

#[test]
fn what_a_new_site_is_answered_with_is_declared() {
    let theirs = Server::start();
    site(&theirs);
    let follower = Follower::default();
    let server = follower.serve(&["--no-poll", "--allow-private"]);
    let document = server.get("/api/openapi.json").json();
    let declared = &document["paths"]["/api/sites"]["post"]["responses"];
    for expected in ["201", "200"] {
        let answer = server.post("/api/sites", &json!({ "url": theirs.url("/list.xml") }));
        assert_eq!(answer.status.to_string(), expected);
        let schema = &declared[expected]["content"]["application/json"]["schema"]["$ref"];
        assert_eq!(schema, "#/components/schemas/Site", "{declared:#}");
    }
}

#[test]
fn what_is_wrong_with_a_request_is_said_as_json() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let json = "Content-Type: application/json\r\n";
    for (method, path, headers, body, status) in [
        ("POST", "/api/sites", json, "{", 400),
        ("POST", "/api/sites", json, "[]", 422),
        ("POST", "/api/sites", json, "{}", 422),
        ("POST", "/api/sites", json, "{\"url\": 7}", 422),
        ("POST", "/api/sites", json, "{\"url\": \"https://a.example/\", \"spilt\": true}", 422),
        ("POST", "/api/sites", "", "{\"url\": \"https://a.example/\"}", 415),
        ("POST", "/api/sites", json, "{\"url\": \"ftp://a.example/\"}", 400),
        ("POST", "/api/sites", json, "{\"url\": \"https://a.example/\", \"titles\": 1000}", 400),
        ("POST", "/api/sites", json, "{\"url\": \"https://a.example/\", \"tiles\": 101}", 400),
        ("POST", "/api/sites", json, "{\"url\": \"https://a.example/\", \"every\": -1}", 400),
        ("POST", "/api/tokens", json, "{\"name\": \"\", \"scope\": \"read\"}", 400),
        ("POST", "/api/tokens", json, "{\"name\": \"x\", \"scope\": \"all\"}", 422),
        ("POST", "/api/tokens", json, "{\"name\": \"x\", \"scope\": \"read\", \"y\": 1}", 422),
        ("POST", "/api/opml", "", "no list", 400),
        ("POST", "/api/opml", "", "", 400),
        ("GET", "/api/sites?limit=many", "", "", 400),
        ("GET", "/api/sites?state=odd", "", "", 400),
        ("GET", "/api/sites?unknown=1", "", "", 400),
        ("GET", "/api/sites/none", "", "", 404),
        ("PATCH", "/api/sites/none", json, "{}", 404),
        ("DELETE", "/api/sites/none", "", "", 404),
        ("POST", "/api/sites/none/poll", json, "{}", 404),
        ("GET", "/api/sites/none/polls", "", "", 404),
        ("GET", "/api/collections/none", "", "", 404),
        ("GET", "/api/collections/none/changes", "", "", 404),
        ("DELETE", "/api/tokens/none", "", "", 404),
        ("GET", "/api/nothing", "", "", 404),
    ] {
        let answer = server.request(method, path, headers, body);
        assert_eq!(answer.status, status, "{method} {path} {body}: {}", answer.text());
        assert!(!problem(&answer).is_empty(), "{method} {path} {body}");
    }
}

#[test]
fn what_the_router_refuses_is_said_as_json_too() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let huge = "x".repeat(5 << 20);
    for (method, path, body, status) in [
        ("DELETE", "/api/sites", "", 405),
        ("PUT", "/api/status", "", 405),
        ("POST", "/api/openapi.json", "", 405),
        ("GET", "/api/sites/%FF", "", 400),
        ("POST", "/api/opml", &huge, 413),
    ] {
        let answer = server.request(method, path, "", body);
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
        problem(&answer);
    }
}

#[test]
fn a_slip_of_the_pen_in_a_change_is_said() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let json = "Content-Type: application/json\r\n";
    let answer = server.request("PATCH", &format!("/api/sites/{SITE}"), json, "{\"pausd\": true}");
    assert_eq!(answer.status, 422, "{}", answer.text());
}

/// What is described can be done, and the names of what is answered are those that are described.
#[test]
fn the_api_is_as_it_describes_itself() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let document = server.get("/api/openapi.json").json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    for (method, path, _) in operations(&server) {
        let answer = server.request(&method, &path, "", "");
        assert_ne!(answer.status, 405, "{method} {path}");
        assert!(answer.status < 500, "{method} {path}: {}", answer.text());
    }
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    for (path, schema) in [
        (format!("/api/sites/{SITE}"), "Site"),
        (format!("/api/collections/{COLLECTION}"), "Collection"),
        ("/api/status".to_owned(), "Status"),
        ("/api/sites".to_owned(), "Sites"),
    ] {
        let described = &document["components"]["schemas"][schema]["properties"];
        let described: Vec<&String> = described.as_object().unwrap().keys().collect();
        let answer = server.get(&path).json();
        let given: Vec<&String> = answer.as_object().unwrap().keys().collect();
        assert_eq!(given, described, "{path}");
    }
}

/// A sample to a line, each of a family that is declared once before it, and counters only grow.
#[test]
fn metrics_are_what_prometheus_reads() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let read = || {
        let text = server.get("/metrics").text();
        assert!(text.ends_with('\n'));
        let mut kinds = std::collections::BTreeMap::new();
        let mut samples = std::collections::BTreeMap::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                assert!(["counter", "gauge"].contains(&kind), "{line}");
                assert!(kinds.insert(name.to_owned(), kind.to_owned()).is_none(), "{line}");
            } else if !line.starts_with("# HELP ") {
                let (name, value) = line.rsplit_once(' ').unwrap();
                let family = name.split('{').next().unwrap();
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                assert!(family.chars().all(is_name) && kinds.contains_key(family), "{line}");
                let value: f64 = value.parse().unwrap();
                assert!(samples.insert(name.to_owned(), value).is_none(), "{line}");
            }
        }
        (kinds, samples)
    };
    let (kinds, before) = read();
    assert_eq!(before["tidings_collections"], 1.0);
    for _ in 0..3 {
        server.get(&format!("/feeds/{COLLECTION}.atom"));
        server.get("/nothing");
    }
    let (_, after) = read();
    for (name, value) in &before {
        let family = name.split('{').next().unwrap();
        assert!(kinds[family] != "counter" || after[name] >= *value, "{name}");
    }
    let more = |name: &str| after[name] - before[name];
    assert!(more("tidings_http_requests_total{status=\"2xx\"}") >= 4.0);
    assert_eq!(more("tidings_http_requests_total{status=\"4xx\"}"), 3.0);
    assert_eq!(more("tidings_feed_cache_total{result=\"miss\"}"), 1.0);
    assert_eq!(more("tidings_feed_cache_total{result=\"hit\"}"), 2.0);
}

#[test]
fn who_makes_it_fetch_too_often_has_to_wait() {
    let follower = Follower::default();
    follower.configure("[serve]\nfetches-per-minute = 3\n");
    let server = follower.serve(&["--no-poll"]);
    let follow = || server.post("/api/sites", &json!({ "url": "http://127.0.0.1:9/" }));
    for _ in 0..3 {
        assert_eq!(follow().status, 422);
    }
    let refused = follow();
    assert_eq!(refused.status, 429);
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert!(problem(&refused).contains("too often"));
    // Reading is not fetching.
    assert_eq!(server.get("/api/sites").status, 200);
    let list =
        "<opml version=\"2.0\"><body><outline xmlUrl=\"http://127.0.0.1:9/\"/></body></opml>";
    assert_eq!(server.request("POST", "/api/opml", "", list).status, 429);
}
