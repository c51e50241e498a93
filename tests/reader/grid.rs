//! The grid: what is on it, what is read, what failed, and who posts too much.

use serde_json::json;

use crate::browser::screenshots;
use crate::stage::{Stage, html, id_of, post};
use crate::support::follower::Serving;

/// What the tiles say, one after the other.
const TILES: &str = "return [...document.querySelectorAll('.tile')].map((tile) => tile.innerText.replace(/\\s+/g, ' ').trim());";

fn tiles(stage: &Stage) -> Vec<String> {
    let told = stage.browser.script(TILES);
    told.as_array().unwrap().iter().map(|tile| tile.as_str().unwrap().to_owned()).collect()
}

/// Polls, and opens the grid anew.
fn poll(stage: &Stage, server: &Serving) -> Vec<String> {
    stage.follower.run(&["poll"]);
    stage.open(server, "/webfeeds");
    tiles(stage)
}

#[test]
fn the_grid_has_the_leads_of_all_webfeeds_the_newest_first() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog", "rope"]);
    let bens = ["tea", "jam", "bread", "salt", "rice"];
    stage.publish("ben", "Ben", &bens);
    stage.list("ben", &[]);
    stage.follow("ada");
    stage.follow("ben");
    stage.list("ben", &bens);
    // A post of somebody else, one that is not there, and one more.
    stage.web.put("/ada/late", post("Ada", "On late", 2));
    stage.list("ada", &["fog", "rope", "gone", "http://localhost:1/of-cy", "late"]);
    let server = stage.follower.serve(&["--no-poll"]);
    let told = poll(&stage, &server);
    // What has come last is first; three of Ben's have tiles, and two share one. Ada's first ones stay.
    assert_eq!(told.len(), 5 + 4, "{told:#?}");
    assert!(
        told.iter().any(|tile| tile.contains("2 more posts") && tile.contains("from Ben")),
        "{told:#?}"
    );
    let shared = told.iter().find(|tile| tile.contains("more posts")).unwrap();
    assert!(shared.contains("This webfeed has 3 tiles a day. Change"), "{shared}");
    let names = "return [...document.querySelectorAll('a.cover')].map((one) => one.textContent.trim().replace(/\\s+/g, ' '))";
    let names = stage.browser.script(names);
    assert!(names.as_array().unwrap().contains(&json!("On late, by Ada")), "{names}");
    // Links to posts are named, frames have titles, nothing in frames can be reached by keys.
    let bad = "return [...document.querySelectorAll('.tile iframe')].filter((one) => !one.title || one.tabIndex !== -1 || !one.closest('[inert]')).length";
    assert_eq!(stage.browser.script(bad), 0);
    stage.picture("reader-grid");
    for (dark, name) in [(true, "reader-grid-dark"), (false, "reader-grid-light")] {
        stage.browser.dark(dark);
        stage.picture(name);
    }
    assert!(screenshots().join("reader-grid.png").exists());
}

#[test]
fn reposts_say_from_where_they_are() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog"]);
    stage.list("ada", &["fog", "http://friend.invalid/post-a"]);
    stage.follow("ada");
    let server = stage.follower.serve(&["--no-poll"]);
    stage.open(&server, "/webfeeds");
    let told = tiles(&stage);
    assert!(told[0].contains("Repost from friend.invalid"), "{told:?}");
    assert!(
        told[0].contains("(Author unknown)") && told[0].contains("reposted by Ada"),
        "{told:?}"
    );
    assert!(!told[1].contains("Repost"), "{told:?}");
    stage.browser.click("It could not be fetched");
    stage.browser.see("Repost from friend.invalid");
    stage.browser.see("This post cannot be shown");
}

#[test]
fn a_post_that_failed_says_why_and_is_tried_again() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog"]);
    stage.web.put("/ada/odd", crate::support::server::Reply::new(503, "not now"));
    stage.list("ada", &["fog", "odd"]);
    stage.follow("ada");
    let server = stage.follower.serve(&[]);
    stage.open(&server, "/webfeeds");
    stage.browser.see("503");
    stage.picture("reader-error");
    stage.browser.click("It could not be fetched");
    stage.browser.see("This post cannot be shown");
    stage.picture("reader-post-error");
    stage.web.put("/ada/odd", post("Ada", "Here now", 1));
    stage.browser.click("← Back");
    stage.browser.see("503");
    stage.browser.click(&format!("Try again: 127.0.0.1:{}/ada/odd", stage.web.port()));
    stage.browser.see("The post is fetched again in a moment.");
    stage.browser.until("the post is there", || {
        stage.open(&server, "/webfeeds");
        stage.browser.has("Here now, by Ada")
    });
    stage.browser.sees_no("503");
}

#[test]
fn what_is_read_is_marked_and_can_be_left_out() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog", "rope", "salt"]);
    stage.follow("ada");
    let server = stage.follower.serve(&["--no-poll"]);
    stage.open(&server, "/webfeeds");
    stage.browser.sees_no("✓ Read");
    stage.browser.click("On rope, by Ada");
    stage.browser.see("1 of 5");
    stage.browser.click("← Back");
    stage.browser.reach("/webfeeds");
    stage.browser.see("✓ Read");
    let read = "return [...document.querySelectorAll('.tile.read')].map((one) => one.querySelector('.cover').textContent)";
    assert_eq!(stage.browser.script(read), json!(["On rope, by Ada"]));
    stage.browser.click("Not read");
    stage.browser.until("two are left", || tiles(&stage).len() == 2);
    assert!(!stage.browser.has("On rope, by Ada"));
    // Taken back.
    stage.open(&server, &format!("/webfeeds/posts/{}", id_of(&stage.follower, "/rope")));
    stage.browser.click("Mark unread");
    stage.browser.see("The post is marked as not read.");
    stage.browser.sees_no("✓ Read");
    stage.browser.click("Mark all as read");
    stage.browser.see("All posts are marked as read.");
    stage.browser.click("Not read");
    stage.browser.see("You have read everything.");
    stage.browser.click("All posts");
    stage.browser.until("all are there", || tiles(&stage).len() == 3);
    assert_eq!(stage.browser.text().matches("✓ Read").count(), 3);
    // What comes after is not read.
    stage.web.put("/ada/new", post("Ada", "On new", 1));
    stage.list("ada", &["fog", "rope", "salt", "new"]);
    let told = poll(&stage, &server);
    assert!(told.len() == 4 && !told[0].contains("✓ Read"), "{told:?}");
}

#[test]
fn what_an_author_removes_or_adds_is_gone_or_there_after_a_poll() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog", "rope"]);
    stage.follow("ada");
    let gone = id_of(&stage.follower, "/fog");
    let server = stage.follower.serve(&["--no-poll"]);
    stage.open(&server, "/webfeeds");
    assert_eq!(tiles(&stage).len(), 2);
    stage.web.put(
        "/ada/newest",
        html("<meta name=author content=Ada><section><h1>Newest</h1></section>"),
    );
    stage.list("ada", &["rope", "newest"]);
    poll(&stage, &server);
    assert_eq!(tiles(&stage).len(), 2);
    assert!(stage.browser.has("Newest, by Ada") && !stage.browser.has("On fog, by Ada"));
    let answer = server.get(&format!("/webfeeds/posts/{gone}"));
    assert_eq!(answer.status, 404);
    stage.open(&server, &format!("/webfeeds/posts/{gone}"));
    stage.browser.see("authors may take posts back");
    for frame in ["lead", "sections/1", "text"] {
        assert_eq!(server.get(&format!("/webfeeds/posts/{gone}/{frame}")).status, 404);
    }
}

#[test]
fn posts_that_wait_say_so() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog"]);
    stage.list("ada", &["fog", "odd"]);
    stage.follow("ada");
    // Where nobody polls, what is to be tried again waits.
    let server = stage.follower.serve(&["--no-poll"]);
    stage.open(&server, "/webfeeds");
    stage.browser.click(&format!("Try again: 127.0.0.1:{}/ada/odd", stage.web.port()));
    stage.browser.see("The post is fetched again in a moment.");
    let told = tiles(&stage);
    assert!(told[0].contains("Not fetched yet"), "{told:#?}");
    stage.picture("reader-waiting");
    stage.open(&server, &format!("/webfeeds/posts/{}", id_of(&stage.follower, "/odd")));
    stage.browser.see("Not fetched yet");
}

#[test]
fn without_webfeeds_it_says_what_they_are() {
    let Some(stage) = Stage::set() else { return };
    let server = stage.follower.serve(&["--no-poll"]);
    stage.open(&server, "/webfeeds");
    stage.browser.see("No webfeeds are followed yet");
    stage.picture("reader-empty");
    stage.browser.dark(true);
    stage.picture("reader-empty-dark");
}
