//! Webfeeds: followed from the page, alone and in lists, and unfollowed; each with a page of its own.

use crate::browser::keys;
use crate::stage::{Stage, html};

#[test]
fn a_webfeed_is_followed_from_the_reader_and_unfollowed() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog", "rope", "tea", "salt", "rice"]);
    let server = stage.follower.serve(&[]);
    stage.open(&server, "/webfeeds");
    stage.browser.fill("Follow a webfeed", &stage.web.url("/ada/index.txt"));
    stage.browser.click("Look at it");
    stage.browser.see("How good its documents are");
    stage.browser.click("Follow");
    stage.browser.until("its page is there", || stage.browser.at().contains("/webfeeds/"));
    stage.browser.until("its posts are there", || stage.browser.has("On rope, by Ada"));
    stage.browser.see("All about Ada");
    stage.browser.see("5 posts, 5 not read");
    let identity = "return document.querySelector('.identity h1').textContent";
    assert_eq!(stage.browser.script(identity), "Ada");
    stage.picture("reader-feed");
    // All posts of the first look have a tile here, and among those of others.
    let tiles = "return document.querySelectorAll('.tile').length";
    assert_eq!(stage.browser.script(tiles), 5);
    stage.open(&server, "/webfeeds");
    assert_eq!(stage.browser.script(tiles), 5);
    stage.open(&server, &format!("/webfeeds/{}#tiles", stage.key("ada")));
    stage.browser.until("its page is there", || stage.browser.at().contains("#tiles"));
    if !stage.browser.text().contains("Here each post has its own") {
        stage.browser.click("Tiles a day: 3");
    }
    stage.browser.fill("Tiles a day", "0");
    stage.browser.click("Save");
    stage.browser.see("Saved.");
    stage.open(&server, "/webfeeds");
    assert_eq!(stage.browser.script(tiles), 1);
    stage.browser.see("5 posts");
    stage.browser.click("5 posts");
    stage.browser.see("All about Ada");
    stage.browser.click("Unfollow");
    stage.browser.see("Remove Ada?");
    stage.browser.click("Remove it");
    stage.browser.until("it is gone", || !stage.browser.at().contains("/remove"));
    stage.open(&server, "/webfeeds");
    stage.browser.see("No webfeeds are followed yet");
}

#[test]
fn a_page_that_offers_a_webfeed_is_enough_to_follow_it() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog"]);
    stage.web.put(
        "/",
        html("<title>Ada's</title><p><a data-webfeed-href=\"/ada/index.txt\">Follow me</a>"),
    );
    let server = stage.follower.serve(&[]);
    stage.open(&server, "/webfeeds");
    stage.browser.fill("Follow a webfeed", &stage.web.url("/"));
    stage.browser.press([keys::ENTER]);
    stage.browser.see("How good its documents are");
    stage.browser.click("Follow");
    stage.browser.until("its posts are there", || stage.browser.has("On fog, by Ada"));
    // What leads nowhere says so.
    stage.open(&server, "/webfeeds");
    stage.browser.fill("Follow a webfeed", &stage.web.url("/nothing.txt"));
    stage.browser.click("Look at it");
    stage.browser.see("This webfeed cannot be followed");
}

#[test]
fn a_list_of_webfeeds_is_taken_away_and_brought() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog"]);
    stage.publish("ben", "Ben", &["tea"]);
    stage.follow("ada");
    stage.follow("ben");
    let server = stage.follower.serve(&["--no-poll"]);
    let list = server.get("/webfeeds.txt");
    assert_eq!(list.header("content-type").as_deref(), Some("text/uri-list; charset=utf-8"));
    let mut lines: Vec<String> = list.text().lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, [stage.web.url("/ada/index.txt"), stage.web.url("/ben/index.txt")]);
    drop(server);
    // Somebody else brings it. The addresses of this test are private ones.
    let other = crate::support::follower::Follower::default();
    let server = other.serve(&["--allow-private"]);
    stage.browser.open(&crate::stage::at(&server, "/webfeeds"));
    stage.browser.click("Follow a whole list");
    stage.browser.fill(
        "Addresses of webfeeds",
        &format!("# mine\n{}\n\nhttp://127.0.0.1:1/none.txt\n", lines.join("\n")),
    );
    stage.browser.click("Follow all of them");
    stage.browser.see("The list is taken over");
    stage.browser.see("2 sites are followed now, 0 were followed already, 1 could not be followed");
    stage.browser.until("all posts are there", || {
        stage.browser.open(&crate::stage::at(&server, "/webfeeds"));
        stage.browser.has("On fog, by Ada") && stage.browser.has("On tea, by Ben")
    });
    let mut brought: Vec<String> =
        server.get("/webfeeds.txt").text().lines().map(str::to_owned).collect();
    brought.sort();
    assert_eq!(brought, lines);
}
