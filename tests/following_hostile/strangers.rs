//! Sites that lead where they should not.

use serde_json::json;

use crate::stage::{CAPABILITIES, CHANGES, DESCRIPTION, FEED, SITEMAP, Stage};
use crate::support::documents::{Item, document, index};
use crate::support::server::{Reply, Server};

/// A server that a stranger must not reach.
fn inner() -> Server {
    let inner = Server::at("127.0.0.2:0");
    for path in ["/", CHANGES, SITEMAP, FEED, CAPABILITIES, DESCRIPTION, "/robots.txt"] {
        inner.put(path, Reply::ok("<title>secret</title>"));
    }
    inner
}

/// Who asks over the network is no one that this machine's neighbours are shown to.
#[test]
fn the_api_follows_nothing_at_private_addresses() {
    let stage = Stage::garden(&[]);
    let server = stage.follower.serve(&["--no-poll"]);
    let port = stage.server.port();
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "localhost",
        "LOCALHOST.",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "a.localhost",
    ] {
        for path in ["/", CHANGES, SITEMAP, DESCRIPTION] {
            let url = format!("http://{host}:{port}{path}");
            let answer = server.post("/api/sites", &json!({ "url": url }));
            assert_eq!(answer.status, 422, "{url}: {}", answer.text());
            assert!(
                answer.json()["error"].as_str().unwrap().contains("refused"),
                "{}",
                answer.text()
            );
        }
    }
    for url in [
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "http://192.168.0.1/",
        "http://[fe80::1]/",
        "http://[fd00::1]/",
        "http://127.0.0.1:22/",
    ] {
        let answer = server.post("/api/sites", &json!({ "url": url }));
        assert_eq!(answer.status, 422, "{url}: {}", answer.text());
    }
    for url in ["file:///etc/passwd", "gopher://127.0.0.1/", "javascript:alert(1)", "data:,x", ""] {
        let answer = server.post("/api/sites", &json!({ "url": url }));
        assert_eq!(answer.status, 400, "{url}: {}", answer.text());
    }
    let list = format!(
        "<opml version=\"2.0\"><body><outline text=\"x\" xmlUrl=\"{0}\" htmlUrl=\"{0}\"/></body></opml>",
        stage.url("/")
    );
    let answer = server.request("POST", "/api/opml", "", &list);
    assert_eq!(answer.status, 200);
    assert!(answer.json()[0]["error"].as_str().unwrap().contains("refused"), "{}", answer.text());
    assert!(stage.server.log().is_empty(), "{:?}", stage.server.log());
    assert_eq!(server.get("/api/sites").json()["sites"], json!([]));
}

/// A site that a person on this machine named is trusted, and no other that it leads to.
#[test]
fn a_trusted_site_leads_to_no_other_private_address() {
    let inner = inner();
    let to = |path: &str| Reply::redirect(inner.url(path));
    // By a redirect, at each step.
    let stage = Stage::followed(&[]);
    for status in [301, 302, 303, 307, 308] {
        let away = Reply::new(status, "").with("Location", inner.url(CHANGES));
        stage.server.put(CHANGES, away);
        stage.fails(&["127.0.0.2", "refused"]);
    }
    let stage = Stage::with_sitemap(&["/a"]);
    stage.server.put(SITEMAP, to(SITEMAP));
    stage.fails(&["127.0.0.2"]);
    for path in [DESCRIPTION, CAPABILITIES] {
        let stage = Stage::garden(&[]);
        stage.server.put(path, to(path));
        let answer = stage.follow(&[]);
        stage.is_not_followed(&answer, &["127.0.0.2"]);
    }
    // By what documents name.
    let stage = Stage::garden(&[]);
    let list = stage.capabilities(true, CHANGES);
    let list = list.replace(&stage.url(CHANGES), &inner.url(CHANGES));
    let about = format!("<rs:ln rel=\"describedby\" href=\"{}\"/><rs:md", inner.url("/"));
    stage.text(CAPABILITIES, list.replacen("<rs:md", &about, 1));
    stage.follow(&[]).exits(1);
    stage.is_failing(&["127.0.0.2", "refused"]);
    let stage = Stage::empty();
    stage.text(SITEMAP, index("", &[Item::new(inner.url(SITEMAP))]));
    stage.follow(&[]).exits(0);
    assert!(stage.follower.site()["reason"].as_str().unwrap().contains("127.0.0.2"));
    let stage = Stage::empty();
    let line = format!("User-agent: *\nSitemap: {}\n", inner.url(SITEMAP));
    stage.text("/robots.txt", line);
    let page = format!("<link rel=alternate type=application/rss+xml href={}>", inner.url(FEED));
    stage.text("/", page);
    let answer = stage.follow(&[]);
    stage.is_not_followed(&answer, &["127.0.0.2"]);
    // By the pages that changed, whose titles are wanted.
    let stage = Stage::garden(&[]);
    stage.server.put("/garden/away", to("/"));
    stage.put_changes(&[
        Item::new(inner.url("/page")).change("created").at("2026-01-02"),
        stage.change("away", "created", "2026-01-02"),
    ]);
    stage.follow(&["--titles", "10"]).exits(0);
    assert!(!stage.follower.site().to_string().contains("secret"));
    assert!(inner.log().is_empty(), "{:?}", inner.log());
}

/// The server polls no more than it would follow.
#[test]
fn the_server_does_not_follow_redirects_of_its_sites_either() {
    let inner = inner();
    let stage = Stage::followed(&[]);
    stage.server.put(CHANGES, Reply::redirect(inner.url(CHANGES)));
    let server = stage.follower.serve(&["--no-poll"]);
    let key = stage.follower.site()["key"].as_str().unwrap().to_owned();
    let answer = server.post(&format!("/api/sites/{key}/poll"), &json!({})).json();
    assert_eq!(answer["site"]["state"], "failing");
    assert!(answer["site"]["reason"].as_str().unwrap().contains("refused"), "{answer:#}");
    assert!(inner.log().is_empty());
}

#[test]
fn the_api_does_not_take_away_the_trust_that_somebody_here_gave() {
    let stage = Stage::followed(&[]);
    let server = stage.follower.serve(&["--no-poll"]);
    let answer = server.post("/api/sites", &json!({ "url": stage.url("/"), "titles": 3 }));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(stage.poll().code, Some(0), "{}", stage.follower.site());
}

#[test]
fn redirects_that_go_in_circles_or_on_and_on_are_errors() {
    let stage = Stage::followed(&[]);
    for number in 0..30 {
        let next = format!("/hop-{}", number + 1);
        stage.server.put(&format!("/hop-{number}"), Reply::redirect(next));
    }
    stage.server.put("/ping", Reply::redirect("/pong"));
    stage.server.put("/pong", Reply::redirect("/ping"));
    for to in [CHANGES, "/ping", "/hop-0", "file:///etc/passwd", "gopher://x/", "http://", ""] {
        stage.server.put(CHANGES, Reply::redirect(to));
        stage.server.forget_log();
        stage.fails(&[]);
        assert!(stage.server.log().len() < 10, "{to}: {}", stage.server.log().len());
    }
    stage.server.put(CHANGES, Reply::redirect("/moved.xml"));
    stage.text("/moved.xml", stage.change_list(&[stage.change("a", "created", "2026-01-02")]));
    stage.brings(1);
}

/// What documents name is a page of the site or a word; it is never a script.
#[test]
fn a_collection_that_describes_a_script_is_survived() {
    let stage = Stage::garden(&[]);
    for identity in ["javascript:alert(1)", "data:text/html,&lt;script&gt;1&lt;/script&gt;"] {
        let head = format!(
            "<rs:ln rel=\"describes\" href=\"{identity}\"/><rs:md capability=\"capabilitylist\"/>"
        );
        let offer = Item::new(stage.url(CHANGES)).md("capability", "changelist");
        stage.text(CAPABILITIES, document(&head, &[offer]));
        let other = Stage { server: Server::start(), follower: Default::default() };
        other.run(&["follow", &stage.url("/"), "--titles", "0"]).exits(0);
        let server = other.follower.serve(&["--no-poll"]);
        let key = other.follower.site()["key"].as_str().unwrap().to_owned();
        for path in other.feeds().into_iter().chain([
            "/".to_owned(),
            format!("/sites/{key}"),
            "/feeds.opml".to_owned(),
        ]) {
            let text = server.get(&path).text();
            for bad in
                ["href=\"javascript", "href=\"data", "Url=\"javascript", "_url\": \"javascript"]
            {
                assert!(!text.contains(bad), "{path}: {text}");
            }
            // Pages have one, which is ours.
            let text = text.replace("<script src=\"/tidings.js?", "");
            assert!(path.ends_with(".json") || !text.contains("<script"), "{path}: {text}");
        }
    }
}

/// What says that the test runs in a network of its own.
const INSIDE: &str = "TIDINGS_TEST_NETWORK";

/// Runs a test again in a network of its own, where an address of the public internet is this machine's:
/// a stranger that is no stranger to the test. True if this is that run.
fn in_a_network_of_its_own(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let unshare = |arguments: &[&str]| {
        let mut command = std::process::Command::new("unshare");
        command.arg("-rn").args(arguments).env(INSIDE, "1");
        command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command
    };
    if !unshare(&["true"]).output().is_ok_and(|output| output.status.success()) {
        println!("{test}: not run, because no network of its own can be had here");
        return false;
    }
    let begin = "ip link set lo up && ip addr add 93.184.216.34/32 dev lo && \
        ip addr add 10.1.2.3/32 dev lo && exec \"$@\"";
    let program = std::env::current_exe().unwrap();
    let program = program.to_str().unwrap();
    let run = ["sh", "-c", begin, "sh", program, "--exact", test, "--nocapture"];
    let output = unshare(&run).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("1 passed"), "{said}");
    false
}

/// The whole way: a site of the public internet, followed over the network, leads home.
#[test]
fn a_stranger_that_is_followed_by_the_api_does_not_lead_to_this_machine() {
    let name = "strangers::a_stranger_that_is_followed_by_the_api_does_not_lead_to_this_machine";
    if !in_a_network_of_its_own(name) {
        return;
    }
    let inner = [Server::at("127.0.0.1:0"), Server::at("10.1.2.3:0")];
    for target in &inner {
        let stage = Stage::at("93.184.216.34:0");
        stage.put_source(true);
        stage.put_changes(&[]);
        let server = stage.follower.serve(&["--no-poll"]);
        let follow = |path: &str| server.post("/api/sites", &json!({ "url": stage.url(path) }));
        // As it is, it can be followed: it is a stranger like any other.
        let followed = follow("/");
        assert_eq!(followed.status, 201, "{}", followed.text());
        let key = followed.json()["key"].as_str().unwrap().to_owned();
        let poll = || server.post(&format!("/api/sites/{key}/poll"), &json!({})).json();
        assert_eq!(poll()["site"]["state"], "well");
        for status in [301, 302, 303, 307, 308] {
            let away = Reply::new(status, "").with("Location", target.url("/x"));
            stage.server.put(CHANGES, away);
            let polled = poll();
            assert_eq!(polled["site"]["state"], "failing");
            let reason = polled["site"]["reason"].as_str().unwrap();
            assert!(reason.contains("refused"), "{reason}");
        }
        let port = target.port();
        for host in ["127.0.0.1", "2130706433", "localhost", "[::1]", "0.0.0.0", "10.1.2.3"] {
            let to = format!("http://{host}:{port}/x");
            stage.server.put(CHANGES, Reply::redirect(to.as_str()));
            assert_eq!(poll()["site"]["state"], "failing", "{to}");
        }
        // Pages that changed, and what describes the site, are looked at no further either.
        let page = Item::new(stage.url("/page")).change("created").at("2026-01-02");
        stage.server.put("/page", Reply::redirect(target.url("/page")));
        stage.put_changes(&[page]);
        assert_eq!(poll()["changes"], 1);
        assert_eq!(server.request("DELETE", &format!("/api/sites/{key}"), "", "").status, 204);
        // Nor is it followed to begin with.
        for path in [DESCRIPTION, CAPABILITIES] {
            stage.put_source(true);
            stage.server.put(path, Reply::redirect(target.url(path)));
            let answer = follow("/");
            assert_eq!(answer.status, 422, "{}", answer.text());
        }
        stage.server.remove(DESCRIPTION);
        stage.server.put(SITEMAP, Reply::redirect(target.url(SITEMAP)));
        stage.text("/robots.txt", format!("Sitemap: {}\n", target.url(SITEMAP)));
        let page =
            format!("<link rel=alternate type=application/rss+xml href={}>", target.url(FEED));
        stage.text("/", page);
        stage.server.put(FEED, Reply::redirect(target.url(FEED)));
        for path in ["/", FEED] {
            assert_eq!(follow(path).status, 422);
        }
        assert!(target.log().is_empty(), "{:?}", target.log());
    }
}
