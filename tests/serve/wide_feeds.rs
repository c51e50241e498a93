//! Tests the feed of everything, filters in the URLs of feeds, saved searches, and sites that a user leaves out.

use serde_json::json;

use crate::accounts::{PASSWORD, user};
use crate::browser::{Tab, to};
use crate::stage::{COLLECTION, SITE, garden, grow, with_batches};
use crate::support::follower::{Answer, Follower, Serving, path_of};
use crate::support::server::{Reply, Server};

const ALL: &str = "/feeds/all.atom";

/// A site of its own, followed, with pages that are updated, created and deleted in one poll.
fn follow_harbour(follower: &Follower) -> (Server, String) {
    let server = Server::start();
    let sitemap = |pages: &[(&str, &str)]| {
        let entry = |(page, time): &(&str, &str)| {
            format!("<url><loc>{}</loc><lastmod>{time}</lastmod></url>", server.url(page))
        };
        let pages: String = pages.iter().map(entry).collect();
        format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{pages}</urlset>")
    };
    let old = "2020-01-01";
    let before = sitemap(&[("/news/old", old), ("/about", old), ("/fish", old)]);
    server.put("/sitemap.xml", Reply::ok(before));
    server.put("/", Reply::ok("<title>The harbour</title>"));
    let told = follower.json(&["follow", &server.url("/")]);
    let after = [("/news/fog", "2021-05-05"), ("/about", "2021-05-05"), ("/fish", old)];
    server.put("/sitemap.xml", Reply::ok(sitemap(&after)));
    server.put("/news/fog", Reply::ok("<title>Fog over the harbour</title>"));
    server.put("/about", Reply::ok("<title>About fog &amp; fish</title>"));
    let polled = follower.json(&["poll", &server.url("/")]);
    assert_eq!(polled["polled"][0]["changes"], 3, "{polled:#}");
    (server, told["key"].as_str().unwrap().to_owned())
}

fn ids(answer: &Answer) -> Vec<String> {
    answer.feed().entries.into_iter().map(|entry| entry.id).collect()
}

/// The links of a feed's own with that relation, as paths with their queries.
fn links(answer: &Answer, rel: &str) -> Vec<String> {
    let links = answer.feed().links.into_iter().filter(|link| link.rel.as_deref() == Some(rel));
    links
        .map(|link| {
            let url = url::Url::parse(&link.href).unwrap();
            format!("{}?{}", url.path(), url.query().unwrap_or_default())
        })
        .collect()
}

#[test]
fn one_feed_has_the_newest_of_everything_that_is_followed() {
    let (follower, store) = with_batches(3);
    let (_site, _) = follow_harbour(&follower);
    let server = follower.serve(&["--no-poll"]);
    let all = server.get(ALL);
    assert_eq!(
        all.titles(),
        [
            "The harbour: Fog over the harbour, and 2 more pages",
            "Beds & borders: Updated: Bed 2",
            "Beds & borders: Updated: Bed 1",
            "Beds & borders: Updated: Bed 0"
        ]
    );
    let own = server.get(&format!("/feeds/{COLLECTION}.atom"));
    assert_eq!(ids(&all)[1..], ids(&own), "an entry is the same in each feed");
    assert_eq!(all.feed().entries[0].authors[0].name.as_deref(), Some("The harbour"));
    assert_eq!(links(&all, "self"), ["/feeds/all.atom?"]);
    for path in ["/feeds/all.rss", "/feeds/all.json"] {
        assert_eq!(server.get(path).titles(), all.titles(), "{path}");
    }
    assert_eq!(server.get("/feeds/all/changes.atom").feed().entries.len(), 6);
    for path in ["/feeds/all/archive/1.atom", "/feeds/all/changes/2.atom", "/feeds/users/1.atom"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    // It is made anew when something is new, and else it is the same.
    let etag = all.header("etag").unwrap();
    let known = format!("If-None-Match: {etag}\r\n");
    assert_eq!(server.request("GET", ALL, &known, "").status, 304);
    grow(&store, 3..4);
    while server.get(ALL).feed().entries.len() < 5 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(server.get("/").text().contains(ALL), "pages lead to it");
}

#[test]
fn a_filter_in_the_url_leaves_only_what_matches() {
    let (follower, _store) = with_batches(3);
    let (site, key) = follow_harbour(&follower);
    let server = follower.serve(&["--no-poll"]);
    let titles = |query: &str| server.get(&format!("{ALL}?{query}")).titles();
    assert_eq!(titles("kind=created"), ["The harbour: New: Fog over the harbour"]);
    assert_eq!(titles("kind=created&path=/news/&text=fog"), titles("kind=created"));
    assert_eq!(titles("path=/news/"), ["The harbour: Fog over the harbour, and 1 more page"]);
    assert_eq!(
        titles("text=FOG+harbour"),
        ["The harbour: New: Fog over the harbour"],
        "all words have to be there, in any case"
    );
    assert_eq!(
        titles("kind=created,deleted"),
        ["The harbour: Fog over the harbour, and 1 more page"]
    );
    assert!(titles("text=nothing+like+that").is_empty());
    assert_eq!(titles("utm_source=x").len(), 4, "what is no filter is not looked at");
    for bad in ["kind=new", "day=today", "before=1.2"] {
        let answer = server.get(&format!("{ALL}?{bad}"));
        assert_eq!(answer.status, 400, "{bad} must not show everything");
    }
    // Each feed has filters: of a site, of a collection, of single changes.
    let collection = follower.json(&["sites", &key])["sites"][0]["collections"][0].clone();
    let feed = path_of(collection["feeds"]["rss"].as_str().unwrap());
    assert_eq!(
        server.get(&format!("{feed}?kind=deleted")).titles(),
        [format!("Deleted: {}", site.url("/news/old"))]
    );
    let of_site = server.get(&format!("/sites/{SITE}.atom?text=Bed+1"));
    assert_eq!(of_site.titles(), ["Beds & borders: Updated: Bed 1"]);
    assert_eq!(links(&of_site, "self"), [format!("/sites/{SITE}.atom?text=Bed+1")]);
    assert_eq!(
        links(&of_site, "alternate")[1..],
        [format!("/sites/{SITE}.rss?text=Bed+1"), format!("/sites/{SITE}.json?text=Bed+1")]
    );
    // Another filter is another feed with other entries, and the same one the same, however it is written.
    let one = server.get(&format!("{ALL}?path=/news/&kind=created"));
    let same = server.get(&format!("{ALL}?kind=created&path=%2Fnews%2F"));
    assert_eq!(one.body, same.body);
    let other = server.get(&format!("{ALL}?kind=created"));
    assert_ne!(one.feed().id, other.feed().id);
    assert_ne!(ids(&one), ids(&other));
    assert_eq!(server.get(&format!("{ALL}?kind=created")).feed().id, other.feed().id);
}

#[test]
fn filtered_changes_go_on_from_place_to_place() {
    let follower = Follower::default();
    let store = garden(&follower);
    grow(&store, 0..450);
    let server = follower.serve(&["--no-poll"]);
    let mut next = Some(format!("/feeds/{COLLECTION}/changes.atom?text=bed&kind=updated"));
    let mut found = Vec::new();
    while let Some(path) = next {
        let page = server.get(&path);
        found.extend(page.titles());
        next = links(&page, "next").pop();
    }
    let expected: Vec<String> =
        (0..450).rev().map(|number| format!("Updated: Bed {number}")).collect();
    assert_eq!(found, expected, "none is missing, and none is there twice");
}

#[test]
fn a_saved_search_has_a_feed_of_its_own() {
    let (follower, store) = with_batches(3);
    let server = follower.serve(&["--no-poll"]);
    let made = server.post("/api/searches", &json!({ "name": "The second", "text": "bed 1" }));
    assert_eq!(made.status, 201, "{}", made.text());
    let search = made.json();
    assert_eq!(search["query"], "?text=bed+1");
    let feed = path_of(search["feeds"]["atom"].as_str().unwrap());
    let answer = server.get(&feed);
    assert_eq!(answer.feed().title.unwrap().content, "The second");
    assert_eq!(answer.titles(), ["Beds & borders: Updated: Bed 1"]);
    assert_eq!(links(&answer, "self"), [format!("{feed}?")]);
    for format in ["rss", "json"] {
        let path = path_of(search["feeds"][format].as_str().unwrap());
        assert_eq!(server.get(&path).titles(), answer.titles(), "{path}");
    }
    grow(&store, 10..11);
    while server.get(&feed).feed().entries.len() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(server.get("/api/searches").json()[0]["id"], search["id"]);
    for (bad, status) in [
        (json!({ "name": "", "text": "x" }), 400),
        (json!({ "name": "x" }), 400),
        (json!({ "name": "x", "kind": "y" }), 400),
        (json!({ "name": "x", "text": "x".repeat(5000) }), 400),
    ] {
        assert_eq!(server.post("/api/searches", &bad).status, status, "{bad}");
    }
    let path = format!("/api/searches/{}", search["id"]);
    assert_eq!(server.request("DELETE", &path, "", "").status, 204);
    assert_eq!(server.request("DELETE", &path, "", "").status, 404);
    // The page saves searches, too.
    let tab = Tab::new(&server);
    let from = "/search?text=bed+2";
    let fields = [("query", "?text=bed+2"), ("name", "Third <b>")];
    assert_eq!(to(&tab.send(from, "/searches", &fields)), "/search?text=bed+2&said=search-saved");
    let page = tab.get("/search").text();
    assert!(page.contains("Third &#60;b&#62;"), "{page}");
    let at = page.find("/feeds/searches/").unwrap();
    let feed = page[at..].split('"').next().unwrap();
    assert_eq!(server.get(feed).titles(), ["Beds & borders: Updated: Bed 2"]);
    let id = feed.rsplit('/').next().unwrap().trim_end_matches(".atom");
    assert_eq!(
        to(&tab.send("/search", &format!("/searches/{id}/remove"), &[])),
        "/search?said=search-removed"
    );
    assert_eq!(server.get(feed).status, 404, "with its search a feed is gone");
}

fn with_accounts(follower: &Follower) -> Serving {
    user(follower, "ann", "admin");
    user(follower, "bob", "reader");
    follower.serve(&["--no-poll"])
}

#[test]
fn each_account_has_a_feed_without_what_it_leaves_out() {
    let (follower, _store) = with_batches(2);
    let (_site, _) = follow_harbour(&follower);
    let server = with_accounts(&follower);
    let (ann, bob) = (Tab::new(&server), Tab::new(&server));
    to(&ann.sign_in("ann", PASSWORD));
    to(&bob.sign_in("bob", PASSWORD));
    let feed = |tab: &Tab<'_>| {
        let page = tab.get("/").text();
        let at = page.find("/feeds/users/").unwrap_or_else(|| panic!("{page}"));
        page[at..].split('"').next().unwrap().to_owned()
    };
    let (of_ann, of_bob) = (feed(&ann), feed(&bob));
    assert_ne!(of_ann, of_bob);
    assert_eq!(server.get(&of_bob).titles(), server.get(ALL).titles());
    // A reader may do so: it is nobody else's feed.
    let page = format!("/sites/{SITE}");
    let form = format!("{page}/feed");
    let said = to(&bob.send(&page, &form, &[("left_out", "on")]));
    assert_eq!(said, format!("{page}?said=left-out"));
    let left = ["The harbour: Fog over the harbour, and 2 more pages"];
    assert_eq!(server.get(&of_bob).titles(), left);
    assert_eq!(server.get(&of_ann).feed().entries.len(), 3);
    assert_eq!(server.get(&format!("{of_bob}?text=bed")).feed().entries.len(), 0);
    assert_eq!(server.get(&of_bob.replace(".atom", "/changes.atom")).feed().entries.len(), 3);
    to(&bob.send(&page, &form, &[("left_out", "off")]));
    assert_eq!(server.get(&of_bob).feed().entries.len(), 3);
    // With the account its feed is gone.
    let output = follower.run(&["user", "remove", "bob"]);
    assert!(output.status.success());
    while server.get(&of_bob).status != 404 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn pages_of_other_sites_may_read_feeds_that_everybody_may_read() {
    let (follower, _store) = with_batches(1);
    let allowed = |server: &Serving, method: &str| {
        let headers = "Host: feeds.example\r\nOrigin: https://reader.example\r\n";
        let answer = server.request(method, ALL, headers, "");
        answer.header("access-control-allow-origin")
    };
    let server = follower.serve(&["--no-poll", "--base", "https://feeds.example/"]);
    for method in ["GET", "HEAD", "OPTIONS"] {
        assert_eq!(allowed(&server, method).as_deref(), Some("*"), "{method}");
    }
    let asked = server.request("OPTIONS", ALL, "Host: feeds.example\r\n", "");
    assert_eq!(asked.status, 204);
    let headers = asked.header("access-control-allow-headers").unwrap();
    assert!(headers.contains("if-none-match"), "{headers}");
    assert!(server.get("/api/sites").header("access-control-allow-origin").is_none());
    drop(server);
    // What only this machine can reach, or only those who are let in, is not for pages of other sites.
    let server = follower.serve(&["--no-poll"]);
    assert_eq!(server.get(ALL).header("access-control-allow-origin"), None);
    drop(server);
    let server = follower.serve(&["--no-poll", "--private", "--base", "https://feeds.example/"]);
    assert_eq!(allowed(&server, "OPTIONS"), None);
}
