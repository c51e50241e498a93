//! Tests that entries are named after their pages, link to them, and say when pages were missed.

use crate::stage::{SITEMAP, Stage};
use crate::support::documents::{Item, document};
use crate::support::follower::Serving;
use crate::support::server::Reply;

fn followed_with_titles(changes: &[(&str, &str)]) -> (Stage, Serving) {
    let stage = Stage::garden(&[]);
    stage.follow(&["--titles", "20"]).exits(0);
    let server = stage.follower.serve(&["--no-poll"]);
    let changes: Vec<Item> = (10..)
        .zip(changes)
        .map(|(day, (page, kind))| stage.change(page, kind, &format!("2026-01-{day}")))
        .collect();
    stage.put_changes(&changes);
    (stage, server)
}

#[test]
fn a_few_pages_are_named_in_the_title_and_the_entry_links_to_the_page() {
    let (stage, server) = followed_with_titles(&[
        ("old", "deleted"),
        ("rain", "updated"),
        ("mist", "created"),
        ("fog", "created"),
    ]);
    stage.text("/garden/fog", "<title>Fog over the harbour</title>");
    stage.text("/garden/mist", "<h1>Mist <i>at dawn</i></h1>");
    stage.text("/garden/rain", "<meta property=\"og:title\" content=\"Rain\"><h1>Logo</h1>");
    stage.poll().exits(0);
    let [atom, rss, json, changes] = stage.feeds();
    let named = "Fog over the harbour, and 3 more pages";
    for path in [&atom, &rss, &json] {
        let feed = server.get(path).feed();
        assert_eq!(feed.entries[0].title.as_ref().unwrap().content, named, "{path}");
        assert_eq!(feed.entries[0].links[0].href, stage.url("/garden/fog"), "{path}");
    }
    let text = server.get(&atom).text();
    assert!(text.contains("Mist at dawn") && text.contains(">Rain<"), "{text}");
    assert!(text.contains("2 pages created, 1 updated, 1 deleted"), "the summary counts: {text}");
    let titles = server.get(&changes).titles();
    assert_eq!(titles[..2], ["New: Fog over the harbour", "New: Mist at dawn"]);
}

#[test]
fn pages_that_cannot_be_had_end_no_search_for_titles() {
    let pages: Vec<String> = (0..8).map(|number| format!("p{number}")).collect();
    let changes: Vec<(&str, &str)> = pages.iter().map(|page| (&page[..], "updated")).collect();
    let (stage, server) = followed_with_titles(&changes);
    // The newest are asked for first: six of them are not there, or not for us.
    stage.text("/garden/p0", "<title>The last</title>");
    stage.text("/garden/p1", "<title>The last but one</title>");
    stage.server.put("/garden/p7", Reply::new(403, ""));
    stage.poll().exits(0);
    let [atom, ..] = stage.feeds();
    assert_eq!(server.get(&atom).titles(), ["The last but one, and 7 more pages"]);
    // A server in trouble is left alone.
    let (stage, _server) = followed_with_titles(&changes);
    for page in &pages {
        stage.server.put(&format!("/garden/{page}"), Reply::new(500, ""));
    }
    stage.server.forget_log();
    stage.poll().exits(0);
    let asked = stage.server.log().iter().filter(|one| one.path.starts_with("/garden/p")).count();
    assert_eq!(asked, 3);
}

#[test]
fn deletions_say_when_they_were_noticed() {
    // A Source says when a page was deleted, and the follower when it noticed.
    let (stage, server) = followed_with_titles(&[("old", "deleted")]);
    stage.poll().exits(0);
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    let [atom, ..] = stage.feeds();
    let text = server.get(&atom).text();
    assert!(text.contains("datetime=\"2026-01-10\""), "{text}");
    assert!(text.contains(&format!("– noticed {today} ")), "{text}");
    let link = format!("href=\"{}\"", stage.url("/garden/old"));
    assert!(!text.contains(&link), "what is gone is not linked: {text}");
    // A Sitemap says nothing of a page that is gone, least of all its old lastmod.
    let stage = Stage::empty();
    let page = |path: &str| Item::new(stage.url(path)).lastmod("2020-03-04");
    stage.text(SITEMAP, document("", &[page("/a"), page("/b")]));
    stage.follow(&[]).exits(0);
    stage.text(SITEMAP, document("", &[page("/a")]));
    stage.brings(1);
    let server = stage.follower.serve(&["--no-poll"]);
    let [atom, .., changes] = stage.feeds();
    for path in [atom, changes] {
        let text = server.get(&path).text();
        assert!(text.contains(&format!("– noticed {today} ")), "{path}: {text}");
        assert!(!text.contains("2020-03-04"), "{path}: {text}");
    }
}
