//! Tests the posts of webfeeds in feeds that cut across collections: of everything, of users, of searches, and
//! of what a filter leaves.

use serde_json::json;

use crate::accounts::{PASSWORD, user};
use crate::browser::{Tab, to};
use crate::stage::with_batches;
use crate::support::follower::{Answer, Follower, Serving, path_of};
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
        assert_eq!(polled["polled"][0]["site"]["state"], "well", "{polled:#}");
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

/// Polls a webfeed until nothing waits.
fn poll(follower: &Follower, server: &Server) {
    let polled = follower.json(&["poll", &server.url("/index.txt")]);
    assert_eq!(polled["polled"][0]["site"]["state"], "well", "{polled:#}");
}

fn next_page(answer: &Answer) -> Option<String> {
    let links = answer.feed().links;
    let next = links.into_iter().find(|link| link.rel.as_deref() == Some("next"));
    next.map(|link| url::Url::parse(&link.href).unwrap()[url::Position::BeforePath..].to_owned())
}

/// Puts posts with these numbers on the server, and in the index with all that were there.
fn add_posts(server: &Server, numbers: std::ops::Range<usize>, comment: &str) {
    for number in numbers.clone() {
        server.put(&format!("/{number}"), post(&format!("Post {number}"), "<p>Text</p>"));
    }
    let names: Vec<String> = (0..numbers.end).map(|number| number.to_string()).collect();
    let mut lines: Vec<&str> = names.iter().map(String::as_str).collect();
    lines.insert(0, comment);
    list(server, &lines);
}

#[test]
fn a_feed_has_the_newest_posts_of_each_batch_and_pages_have_each_change() {
    let follower = Follower::default();
    let web = Server::start();
    let batches = [0..1, 1..61, 61..121, 121..181, 181..231, 231..241];
    let numbers = || (0..241).rev().map(|number| format!("Ada: Post {number}"));
    for (index, batch) in batches.iter().enumerate() {
        add_posts(&web, batch.clone(), "#");
        match index {
            0 => drop(follower.json(&["follow", &web.url("/index.txt")])),
            _ => poll(&follower, &web),
        }
    }
    let server = follower.serve(&["--no-poll"]);
    // Of each batch the newest 50, the newest batches first, and 200 in all.
    let newest = [231..241, 181..231, 131..181, 71..121, 21..61];
    let expected: Vec<String> = newest
        .into_iter()
        .flat_map(|batch| batch.rev())
        .map(|number| format!("Ada: Post {number}"))
        .collect();
    assert_eq!(server.get(ALL).titles(), expected);
    // Each change has its place on the pages of single changes.
    let first = server.get("/feeds/all/changes.atom");
    let second = server.get(&next_page(&first).unwrap());
    assert_eq!(next_page(&second), None);
    let told: Vec<String> = [first.titles(), second.titles()].concat();
    assert_eq!(told, numbers().collect::<Vec<_>>());
    assert_eq!(first.titles().len(), 200);
    // A post that was corrected has its place on the first page, too, and is the same entry on both.
    web.put("/0", post("Post 0", "<p>Corrected</p>"));
    add_posts(&web, 1..241, "# edited");
    poll(&follower, &web);
    // A server remembers feeds for a moment if another process polls.
    let server = follower.serve(&["--no-poll"]);
    assert_eq!(server.get(ALL).titles()[0], "Ada: Post 0");
    let first = server.get("/feeds/all/changes.atom");
    let second = server.get(&next_page(&first).unwrap());
    assert_eq!(first.titles()[0], "Ada: Post 0");
    assert_eq!(second.titles().last().unwrap(), "Ada: Post 0");
    assert_eq!(Some(&ids(&first)[0]), ids(&second).last());
    assert!(contents(&second).last().unwrap().contains("Corrected"));
}

#[test]
fn posts_beyond_four_mebibytes_have_entries_without_content() {
    let follower = Follower::default();
    let web = Server::start();
    let long = format!("<p>{}</p>", "fog ".repeat(225_000));
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
        web.put(&format!("/{name}"), post(name, &long));
    }
    list(&web, &["a", "b", "c", "d", "e", "f", "g"]);
    follower.json(&["follow", &web.url("/index.txt")]);
    let [own, _] = own_feeds(&follower, &web);
    let server = follower.serve(&["--no-poll"]);
    for feed in [ALL, "/feeds/all/changes.atom", &format!("{own}.atom")] {
        let answer = server.get(feed);
        assert_eq!(answer.titles().len(), 7, "{feed}");
        let with_content: Vec<bool> =
            contents(&answer).iter().map(|content| content.contains("fog")).collect();
        assert_eq!(with_content, [true, true, true, true, true, false, false], "{feed}");
    }
}

#[test]
fn a_post_has_its_entry_once_it_was_asked_for() {
    let follower = Follower::default();
    let web = Server::start();
    add_posts(&web, 0..1, "#");
    follower.json(&["follow", &web.url("/index.txt")]);
    // One poll fetches 250, the newest first.
    add_posts(&web, 1..301, "#");
    web.remove("/300");
    poll(&follower, &web);
    let [own, _] = own_feeds(&follower, &web);
    let server = follower.serve(&["--no-poll"]);
    let second = |server: &Serving| {
        server.get(&next_page(&server.get("/feeds/all/changes.atom")).unwrap()).titles()
    };
    let titles: Vec<String> =
        (51..101).rev().chain([0]).map(|number| format!("Ada: Post {number}")).collect();
    assert_eq!(second(&server), titles);
    // One that could not be fetched has an entry that leads to it.
    for feed in [ALL, &format!("{own}.atom")] {
        let title = server.get(feed).titles()[0].clone();
        assert!(title.ends_with(&web.url("/300")), "{feed}: {title}");
    }
    poll(&follower, &web);
    assert_eq!(second(&follower.serve(&["--no-poll"])).len(), 101);
}

#[test]
fn posts_that_are_there_take_the_places_of_removed_ones() {
    let follower = Follower::default();
    follower.configure("[follow]\ndoubt = \"0s\"\n");
    let web = Server::start();
    add_posts(&web, 0..1, "#");
    follower.json(&["follow", &web.url("/index.txt")]);
    add_posts(&web, 1..61, "#");
    poll(&follower, &web);
    add_posts(&web, 1..6, "#");
    poll(&follower, &web);
    poll(&follower, &web);
    let server = follower.serve(&["--no-poll"]);
    let expected: Vec<String> = (0..6).rev().map(|number| format!("Ada: Post {number}")).collect();
    assert_eq!(server.get(ALL).titles(), expected);
}
