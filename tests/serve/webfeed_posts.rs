//! Tests the posts of webfeeds in feeds that cut across collections: of everything, of users, of searches, and
//! of what a filter leaves.

use serde_json::json;

use crate::accounts::{PASSWORD, user};
use crate::browser::{Tab, to};
use crate::stage::with_batches;
use crate::support::follower::{Answer, Follower, path_of};
use crate::support::server::{Reply, Server};

const ALL: &str = "/feeds/all.atom";

fn post(title: &str, text: &str) -> Reply {
    let html = format!("<meta name=author content=Ada><section><h1>{title}</h1>{text}</section>");
    Reply::ok(html).with("Content-Type", "text/html")
}

fn list(server: &Server, names: &[&str]) {
    let index = Reply::ok(names.join("\n") + "\n").with("Content-Type", "text/plain");
    server.put("/index.txt", index);
}

/// A webfeed that removed its post "Rain", corrected its post "Fog", and then added "Snow".
fn follow_webfeed(follower: &Follower) -> Server {
    follower.configure("[follow]\ndoubt = \"0s\"\n");
    let server = Server::start();
    server.put("/rain", post("Rain", "<p>Wet</p>"));
    server.put("/fog", post("Fog", "<p>Grey</p>"));
    list(&server, &["rain", "fog"]);
    follower.json(&["follow", &server.url("/index.txt")]);
    let poll = || {
        let polled = follower.json(&["poll", &server.url("/index.txt")]);
        assert_eq!(polled["polled"][0]["state"], "well", "{polled:#}");
    };
    list(&server, &["fog"]);
    poll();
    // Lines whose order changed are an edit, after which posts are looked after at once.
    server.put("/fog", post("Fog", "<p>Grey, and <img src=harbour.png> cold</p>"));
    server.put("/snow", post("Snow", "<p>White</p>"));
    list(&server, &["# edited", "fog"]);
    poll();
    list(&server, &["# edited", "fog", "snow"]);
    poll();
    server
}

fn contents(answer: &Answer) -> Vec<String> {
    let body = |entry: feed_rs::model::Entry| entry.content.and_then(|content| content.body);
    answer.feed().entries.into_iter().map(|entry| body(entry).unwrap_or_default()).collect()
}

fn ids(answer: &Answer) -> Vec<String> {
    answer.feed().entries.into_iter().map(|entry| entry.id).collect()
}

/// The paths of the feeds of the webfeed and of its site, without their formats.
fn own_feeds(follower: &Follower, server: &Server) -> [String; 2] {
    let url = server.url("/index.txt");
    let site = follower.sites().into_iter().find(|site| site["url"] == *url).unwrap();
    let key = site["key"].as_str().unwrap();
    let site = follower.json(&["sites", key])["sites"][0].clone();
    let feed = path_of(site["collections"][0]["feeds"]["atom"].as_str().unwrap());
    [feed.strip_suffix(".atom").unwrap().to_owned(), format!("/sites/{key}")]
}

#[test]
fn feeds_that_cut_across_collections_have_posts_with_their_content_and_no_removed_ones() {
    let (follower, _store) = with_batches(1);
    let web = follow_webfeed(&follower);
    let [own, _] = own_feeds(&follower, &web);
    let server = follower.serve(&["--no-poll"]);
    let all = server.get(ALL);
    let expected = ["Ada: Snow", "Ada: Fog", "Beds & borders: Updated: Bed 0"];
    assert_eq!(all.titles(), expected);
    let of_posts = contents(&all);
    assert!(of_posts[0].contains("<p>White</p>"), "{of_posts:?}");
    assert!(of_posts[1].contains("cold") && of_posts[1].contains(&web.url("/harbour.png")));
    let links = |answer: &Answer| -> Vec<String> {
        answer.feed().entries.into_iter().map(|entry| entry.links[0].href.clone()).collect()
    };
    assert_eq!(links(&all)[..2], [web.url("/snow"), web.url("/fog")]);
    let of_own = server.get(&format!("{own}.atom"));
    assert_eq!(ids(&all)[..2], ids(&of_own), "a post is the same entry in each feed");
    for path in ["/feeds/all.rss", "/feeds/all.json"] {
        assert_eq!(server.get(path).titles(), expected, "{path}");
    }
    // Each change of a post is told by that post, once.
    let changes = server.get("/feeds/all/changes.atom");
    assert_eq!(changes.titles(), expected);
}

#[test]
fn filtered_feeds_have_posts_with_their_content_and_no_removed_ones() {
    let (follower, _store) = with_batches(1);
    let web = follow_webfeed(&follower);
    let [own, site] = own_feeds(&follower, &web);
    let server = follower.serve(&["--no-poll"]);
    let everywhere = [ALL.to_owned(), "/feeds/all/changes.atom".to_owned()];
    for feed in everywhere.iter().chain(&[format!("{own}.atom"), format!("{own}/changes.atom")]) {
        let titles = |query: &str| server.get(&format!("{feed}?{query}")).titles();
        assert!(titles("kind=deleted").is_empty(), "{feed}: {:?}", titles("kind=deleted"));
        let is_named = titles("kind=created")[0].starts_with("Ada: ");
        let named = |title: &str| {
            if is_named { format!("Ada: {title}") } else { title.to_owned() }
        };
        assert_eq!(is_named, feed.starts_with("/feeds/all"), "{feed}");
        assert_eq!(titles("kind=created"), [named("Snow"), named("Fog")], "{feed}");
        assert_eq!(titles("kind=created,deleted&path=/snow"), [named("Snow")], "{feed}");
        assert_eq!(titles("kind=updated&text=fog"), [named("Fog")], "{feed}");
        assert!(titles("text=rain").is_empty(), "{feed}");
        let body = contents(&server.get(&format!("{feed}?text=snow"))).concat();
        assert!(body.contains("<p>White</p>"), "{feed}: {body}");
    }
    assert!(server.get(&format!("{site}.atom?kind=deleted")).titles().is_empty());
    // A saved search is such a feed, too.
    let made = server.post("/api/searches", &json!({ "name": "All", "kind": "deleted,created" }));
    let feed = path_of(made.json()["feeds"]["atom"].as_str().unwrap());
    assert_eq!(server.get(&feed).titles(), ["Ada: Snow", "Ada: Fog"]);
    // Pages still tell that a post is gone.
    assert!(server.get("/search?kind=deleted").text().contains(&web.url("/rain")));
}

#[test]
fn the_feed_of_a_user_has_posts_and_no_removed_ones() {
    let (follower, _store) = with_batches(1);
    let _web = follow_webfeed(&follower);
    user(&follower, "ann", "admin");
    let server = follower.serve(&["--no-poll"]);
    let ann = Tab::new(&server);
    to(&ann.sign_in("ann", PASSWORD));
    let page = ann.get("/").text();
    let at = page.find("/feeds/users/").unwrap_or_else(|| panic!("{page}"));
    let feed = page[at..].split('"').next().unwrap();
    let of_user = server.get(feed);
    assert_eq!(of_user.titles(), server.get(ALL).titles());
    assert!(contents(&of_user)[0].contains("<p>White</p>"));
    assert!(server.get(&format!("{feed}?kind=deleted")).titles().is_empty());
}
