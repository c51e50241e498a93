//! Feeds that a site does not name, or names in old words.

use crate::stage::Stage;
use crate::support::server::Reply;

const PAGE: &str = "<!doctype html><title>Harbour</title><p>Fog.";

fn atom(title: &str) -> String {
    format!(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>{title}</title><id>urn:h</id>\
         <updated>2026-01-02T00:00:00Z</updated><entry><title>Fog</title><id>urn:h:1</id>\
         <link href=\"/fog\"/><updated>2026-01-02T00:00:00Z</updated></entry></feed>"
    )
}

#[test]
fn a_feed_at_a_usual_path_is_found_before_giving_up() {
    let rss = "<rss version=\"2.0\"><channel><title>Harbour news</title><item><title>Fog</title>\
        <link>/fog</link><guid isPermaLink=\"false\">urn:h:1</guid></item></channel></rss>";
    let json = "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"Harbour news\",\
        \"items\":[{\"id\":\"urn:h:1\",\"url\":\"/fog\",\"title\":\"Fog\",\"content_text\":\"\"}]}";
    for (path, feed) in [
        ("/feed", atom("Harbour news")),
        ("/rss.xml", rss.to_owned()),
        ("/atom.xml", atom("Harbour news")),
        ("/index.xml", rss.to_owned()),
        ("/feed.xml", atom("Harbour news")),
        ("/feed.json", json.to_owned()),
        ("/blog/feed.xml", atom("Harbour news")),
    ] {
        let stage = Stage::empty();
        stage.server.put("/", Reply::ok(PAGE).with("Content-Type", "text/html"));
        stage.server.put("/blog/", Reply::ok(PAGE).with("Content-Type", "text/html"));
        stage.text(path, feed);
        let answer = stage.follow_at(if path.starts_with("/blog") { "/blog/" } else { "/" }, &[]);
        answer.exits(0);
        assert_eq!(answer.json["via"], "feed", "{path}: {}", answer.errors);
        assert_eq!(stage.told(), ["created /fog"], "{path}");
        let found_by = stage.follower.site()["found_by"].as_str().unwrap().to_owned();
        assert!(found_by.contains(path), "{found_by}");
    }
}

#[test]
fn a_page_at_the_usual_path_of_a_feed_is_not_followed() {
    let stage = Stage::empty();
    for path in ["/", "/feed", "/rss.xml", "/atom.xml", "/index.xml", "/feed.xml", "/feed.json"] {
        stage.server.put(path, Reply::ok(PAGE).with("Content-Type", "text/html"));
    }
    stage.is_not_followed(&stage.follow(&[]), &["no Atom, RSS or JSON feed"]);
}

#[test]
fn rss_0_90_is_found_by_a_link_to_rdf_and_read() {
    let stage = Stage::empty();
    let page = "<!doctype html><html><head><title>Old</title>\
        <link rel=alternate type=application/rdf+xml href=/old.rdf></head><body>";
    stage.server.put("/", Reply::ok(page).with("Content-Type", "text/html"));
    let item = |name: &str| {
        format!("<item><title>{name}</title><link>{}</link></item>", stage.url(&format!("/{name}")))
    };
    let feed = |items: String| {
        format!(
            "<?xml version=\"1.0\"?><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
             xmlns=\"http://my.netscape.com/rdf/simple/0.9/\"><channel><title>Old news</title>\
             <link>{}</link><description>d</description></channel>{items}</rdf:RDF>",
            stage.url("/")
        )
    };
    stage.text("/old.rdf", feed(item("a")));
    let answer = stage.follow(&[]);
    answer.exits(0);
    assert_eq!(answer.json["title"], "Old news", "{:#}", answer.json);
    stage.text("/old.rdf", feed(item("b") + &item("a")));
    stage.brings(1);
    assert_eq!(stage.told(), ["created /a", "created /b"]);
}
