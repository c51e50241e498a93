//! From an empty server to a site that is followed, and seen to change.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::browser::Browser;
use crate::stage::{Shelf, at, page};
use crate::support::follower::Follower;

#[test]
fn a_site_is_added_with_one_of_its_collections_and_seen_to_change() {
    let Some(browser) = Browser::start() else { return };
    let shelf = Shelf::new();
    let follower = Follower::default();
    let server = follower.serve(&[]);
    browser.open(&at(&server, "/"));
    browser.see("Nothing is followed yet");
    browser.fill("Any address on the site", &shelf.site.url());
    browser.click("Look at it");
    // The report comes by itself.
    browser.see("How good its documents are");
    browser.see("The shelf");
    browser.see("0 errors");
    browser.tick("Maps", false);
    browser.tick("Keep the text of changed pages", true);
    // So slow that the page is there before the poll is over.
    shelf.site.set_pause(Duration::from_millis(400));
    browser.click("Follow");
    browser.see("The site is followed from now on");
    // The first poll ends, and the page is loaded again by itself.
    browser.until("the first poll is over", || browser.text().contains("well ·"));
    browser.see("Books");
    let muted = "return [...document.querySelectorAll('.list > li')].map((one) => one.innerText)";
    let lines = browser.script(muted);
    let lines: Vec<&str> =
        lines.as_array().unwrap().iter().filter_map(|one| one.as_str()).collect();
    assert!(
        lines.iter().any(|one| one.contains("Maps") && one.contains("not followed")),
        "{lines:?}"
    );
    assert!(
        lines.iter().any(|one| one.contains("Books") && !one.contains("not followed")),
        "{lines:?}"
    );

    // It changes; the other collection does, too.
    shelf.site.put("maps/town.html", &page("A map of the town"));
    shelf.change();
    browser.click("Check now");
    browser.see("3 changes");
    browser.see("just now");
    assert!(!browser.at().contains("events"), "{}", browser.at());
    browser.click("Books");
    for text in
        ["A larger book of herbs", "A book of winds", "books/knots.html", "created", "deleted"]
    {
        browser.see(text);
    }
    browser.open(&at(&server, "/search"));
    browser.see("A book of winds");
    browser.sees_no("A map of the town");
}

#[test]
fn what_cannot_be_followed_is_said_beside_what_was_typed() {
    let Some(browser) = Browser::start() else { return };
    let follower = Follower::default();
    let server = follower.serve(&["--no-poll"]);
    // Nobody listens on a port that was just given back.
    let nothing = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    browser.open(&at(&server, "/add"));
    browser.fill("Address", &format!("http://{nothing}/"));
    browser.click("Look at it");
    browser.see("This site cannot be followed");
    let kept = browser.script("return document.getElementById('url').value");
    assert_eq!(kept, format!("http://{nothing}/"));
    assert_eq!(browser.script("return document.getElementById('url').ariaInvalid"), "true");
}

#[test]
fn a_poll_that_is_over_is_told_to_whoever_comes_late() {
    let shelf = Shelf::new();
    let follower = Follower::default();
    let server = follower.serve(&["--allow-private"]);
    // The page is made while the site is polled.
    shelf.site.set_pause(Duration::from_millis(100));
    let made = server.post("/api/sites", &json!({ "url": shelf.site.url() }));
    assert_eq!(made.status, 201, "{}", made.text());
    let key = made.json()["key"].as_str().unwrap().to_owned();
    let page = server.get(&format!("/sites/{key}")).text();
    let events = page.split("data-live=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    // The browser asks for more when that is over.
    shelf.site.set_pause(Duration::ZERO);
    let begun = Instant::now();
    while server.get(&format!("/api/sites/{key}")).json()["state"] == "new" {
        assert!(begun.elapsed() < Duration::from_secs(60), "it is not polled");
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let address = &server.address;
    let events = events.replace("&amp;", "&").replace("&#38;", "&");
    write!(stream, "GET {events} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let begun = Instant::now();
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut lines = lines.take_while(|_| begun.elapsed() < Duration::from_secs(60));
    assert!(lines.any(|line| line == "event: done"), "whoever came late waits for ever");
}
