//! Tests that lists of sites and of feeds go out and in again, and that all that is skipped is counted.

use crate::stage::Stage;
use crate::support::follower::Follower;
use crate::support::server::Reply;
use crate::support::{stderr, stdout};

fn import(follower: &Follower, list: &str, options: &[&str]) -> serde_json::Value {
    let file = follower.folder.path().join("list.opml");
    std::fs::write(&file, list).unwrap();
    let file = file.to_str().unwrap();
    follower.json(&[&["opml", "import", file, "--allow-private"], options].concat())
}

/// A Source with two sets and settings of its own, followed; and a feed beside it.
fn followed() -> (Stage, Stage) {
    let stage = Stage::garden(&[]);
    let head = format!(
        "<rs:ln rel=\"describes\" href=\"{}\"/><rs:md capability=\"capabilitylist\"/>",
        stage.url("/pond/")
    );
    let list = crate::support::documents::document(&head, &[]);
    stage.text("/pond.xml", list);
    let sets = [stage.url(crate::stage::CAPABILITIES), stage.url("/pond.xml")];
    stage.text(crate::stage::DESCRIPTION, crate::support::documents::description(&sets));
    let options = ["--titles", "7", "--diff", "--every", "6h"];
    stage.follow_at("/garden/", &options[..]).exits(0);
    let feed = "<rss version=\"2.0\"><channel><title>The news</title></channel></rss>";
    let other = Stage::empty();
    other.server.put("/news.xml", Reply::ok(feed));
    let told = stage.run(&["follow", &other.url("/news.xml")]);
    told.exits(0);
    (stage, other)
}

fn settings(follower: &Follower) -> Vec<(String, serde_json::Value)> {
    let mut sites: Vec<_> = follower
        .sites()
        .into_iter()
        .map(|site| (site["asked"].as_str().unwrap().to_owned(), site["settings"].clone()))
        .collect();
    for (_, settings) in &mut sites {
        // Whoever takes a list over trusts nothing in it with private addresses.
        settings["private"] = false.into();
    }
    sites.sort_by(|one, other| one.0.cmp(&other.0));
    sites
}

#[test]
fn the_list_of_sites_brings_their_settings_to_another_follower() {
    let (stage, _other) = followed();
    let list = stdout(&stage.follower.run(&["opml", "export"]));
    assert!(list.contains("xmlns:tidings=\"urn:x-tidings:opml\""), "{list}");
    assert!(
        list.contains("tidings:titles=\"7\"") && list.contains("tidings:every=\"21600\""),
        "{list}"
    );
    let server = stage.follower.serve(&["--no-poll"]);
    assert_eq!(server.get("/sites.opml").text(), list);
    assert_eq!(server.get("/api/opml?of=sites").text(), list);
    assert_eq!(server.get("/api/opml?of=pages").status, 400);
    let copy = Follower::default();
    let told = import(&copy, &list, &[]);
    assert_eq!(told["imported"].as_array().unwrap().len(), 2, "{told:#}");
    assert_eq!(told["skipped"].as_array().unwrap().len(), 0);
    assert_eq!(settings(&copy), settings(&stage.follower));
    assert_eq!(stdout(&copy.run(&["opml", "export"])), list, "nothing is lost on the way");
    // What the command line says counts more.
    let third = Follower::default();
    import(&third, &list, &["--titles", "3"]);
    assert!(settings(&third).iter().all(|(_, settings)| settings["titles"] == 3));
}

#[test]
fn the_list_of_feeds_leads_to_the_sites_and_not_to_our_feeds() {
    let (stage, _other) = followed();
    let list = stdout(&stage.follower.run(&[
        "opml",
        "export",
        "--feeds",
        "--base",
        "http://127.0.0.1:9/",
    ]));
    assert_eq!(list.matches("xmlUrl=\"http://127.0.0.1:9/feeds/").count(), 3, "{list}");
    let copy = Follower::default();
    let told = import(&copy, &list, &[]);
    assert_eq!(settings(&copy), settings(&stage.follower));
    // Two of the feeds are of one site.
    assert_eq!(told["imported"].as_array().unwrap().len(), 2);
    let skipped = told["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 1, "{told:#}");
    assert_eq!(skipped[0]["reason"], "its address is in the list already");
}

#[test]
fn everything_in_a_list_that_is_skipped_is_counted() {
    let (_stage, other) = followed();
    let feed = other.url("/news.xml");
    let list = format!(
        "<opml version=\"2.0\" xmlns:t=\"urn:x-tidings:opml\"><body>\
         <outline text=\"folder\"><outline text=\"news\" xmlUrl=\"{feed}\" t:site=\"{feed}\" t:titles=\"900\" t:mood=\"good\" t:diff=\"true\"/></outline>\
         <outline text=\"again\" xmlUrl=\"{feed}\"/>\
         <outline text=\"a page\" type=\"link\" url=\"{feed}\"/>\
         <outline text=\"another list\" type=\"include\" url=\"{feed}\"/>\
         <outline text=\"a note\"/>\
         <outline text=\"nowhere\" xmlUrl=\"http://127.0.0.1:9/feed\"/>\
         </body></opml>"
    );
    let copy = Follower::default();
    let file = copy.folder.path().join("list.opml");
    std::fs::write(&file, &list).unwrap();
    let output = copy.run(&["opml", "import", file.to_str().unwrap(), "--allow-private"]);
    assert_eq!(output.status.code(), Some(1), "one cannot be followed");
    assert!(
        stdout(&output)
            .contains("1 site is followed, 0 were already, 1 cannot be, 4 lines are skipped"),
        "{}",
        stdout(&output)
    );
    let errors = stderr(&output);
    for words in ["titles=\"900\"", "mood=\"good\"", "a note is skipped", "another list is skipped"]
    {
        assert!(errors.contains(words), "{words}: {errors}");
    }
    assert_eq!(copy.site()["settings"]["diff"], true);
    assert_eq!(copy.site()["settings"]["titles"], 20);
    // The same over the network, where each line of the answer is a line of the list.
    let third = Follower::default();
    let server = third.serve(&["--no-poll", "--allow-private"]);
    let answer = server.request("POST", "/api/opml", "", &list).json();
    let lines = answer.as_array().unwrap();
    let said = |words: &str| {
        lines
            .iter()
            .filter(|line| line["error"].as_str().is_some_and(|it| it.contains(words)))
            .count()
    };
    assert_eq!((lines.len(), said("skipped: "), said("not understood")), (6, 4, 1), "{answer:#}");
}
