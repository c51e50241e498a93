//! Tests that trouble with sites is said: in their state, in the log, and to whom they can write.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::stage::{CHANGES, DESCRIPTION, SITEMAP, Stage};
use crate::support::documents::{Item, description, document};
use crate::support::server::Reply;

/// The garden, and a pond beside it.
fn two_sets() -> Stage {
    let stage = Stage::garden(&[]);
    let head = format!(
        "<rs:ln rel=\"describes\" href=\"{}\"/><rs:md capability=\"capabilitylist\"/>",
        stage.url("/pond/")
    );
    let offer = Item::new(stage.url("/pond/changes.xml")).md("capability", "changelist");
    stage.text("/pond/list.xml", document(&head, &[offer]));
    stage.text("/pond/changes.xml", stage.change_list(&[]));
    let sets = [stage.url(crate::stage::CAPABILITIES), stage.url("/pond/list.xml")];
    stage.text(DESCRIPTION, description(&sets));
    stage.follow(&[]).exits(0);
    stage
}

#[test]
fn a_site_with_one_broken_set_is_partly_failing() {
    let stage = two_sets();
    stage.poll().exits(0);
    let state = || stage.follower.site()["state"].clone();
    assert_eq!(state(), "well");
    stage.server.put("/pond/changes.xml", Reply::new(500, ""));
    stage.put_changes(&[stage.change("a", "created", "2026-01-02")]);
    let polled = stage.poll();
    assert_eq!(polled.changes(), 1, "the other set goes on");
    assert_eq!(state(), "partly-failing");
    let site = stage.follower.site();
    assert_eq!(site["failures"], 0);
    assert!(site["reason"].as_str().unwrap().contains("/pond/changes.xml"), "{site:#}");
    assert_eq!(site["succeeded_at"], site["polled_at"]);
    let listed = stage.run(&["sites", "--state", "partly-failing"]);
    assert_eq!(listed.json["sites"].as_array().unwrap().len(), 1);
    let server = stage.follower.serve(&["--no-poll"]);
    assert_eq!(server.get("/api/status").json()["partly_failing"], 1);
    assert_eq!(
        server.get("/api/sites?state=partly-failing").json()["sites"][0]["state"],
        "partly-failing"
    );
    assert!(server.get("/?state=partly-failing").text().contains("Partly failing"));
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("tidings_sites{state=\"partly-failing\"} 1"), "{metrics}");
    drop(server);
    // All of them broken is failing, and none is well.
    stage.server.put(CHANGES, Reply::new(500, ""));
    stage.poll().exits(1);
    assert_eq!(state(), "failing");
    stage.text("/pond/changes.xml", stage.change_list(&[]));
    stage.put_changes(&[]);
    stage.poll().exits(0);
    assert_eq!(state(), "well");
}

#[test]
fn a_poll_that_fails_is_logged_with_its_reason() {
    let stage = Stage::with_sitemap(&["/a"]);
    stage.server.put(SITEMAP, Reply::new(503, ""));
    let key = stage.follower.site()["key"].as_str().unwrap().to_owned();
    let mut command =
        stage.follower.command(&["serve", "--listen", "127.0.0.1:0", "--log", "json"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let lines = BufReader::new(server.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut logged = lines.map(|line| serde_json::from_str::<serde_json::Value>(&line).unwrap());
    let ready = logged.find(|line| line["message"] == "ready").unwrap();
    let base = ready["base"].as_str().unwrap();
    let url = url::Url::parse(base).unwrap();
    let address = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
    let mut stream = std::net::TcpStream::connect(&address).unwrap();
    use std::io::Write as _;
    write!(
        stream,
        "POST /api/sites/{key}/poll HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\n\r\n"
    )
    .unwrap();
    let failed = logged.find(|line| line["message"] == "a poll failed").unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!((&failed["level"], &failed["site"]), (&"WARN".into(), &key.into()), "{failed}");
    assert_eq!(failed["failures"], 1);
    assert!(failed["reason"].as_str().unwrap().contains("503"), "{failed}");
}

#[test]
fn the_user_agent_has_a_contact() {
    let stage = Stage::followed(&[]);
    let agent = || {
        stage.server.forget_log();
        stage.poll().exits(0);
        stage.server.log()[0].header("User-Agent").unwrap().to_owned()
    };
    let plain = format!("tidings/{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(agent(), plain);
    for (serve, contact) in [
        ("contact = \"https://people.example/bot\"", "https://people.example/bot"),
        ("contact = \"mailto:ann@people.example\"", "mailto:ann@people.example"),
        ("base = \"https://feeds.example/\"", "https://feeds.example/"),
    ] {
        stage.follower.configure(&format!("[serve]\n{serve}\n"));
        assert_eq!(agent(), format!("{plain} (+{contact})"));
    }
    // A machine without a name is no contact.
    stage.follower.configure("[serve]\nbase = \"http://127.0.0.1:8420/\"\n");
    assert_eq!(agent(), plain);
    for bad in ["ann", "javascript:x", "https://x.example/(y)"] {
        stage.follower.configure(&format!("[serve]\ncontact = \"{bad}\"\n"));
        let answer = stage.poll();
        answer.exits(2);
        assert!(answer.errors.contains("contact"), "{}", answer.errors);
    }
}
