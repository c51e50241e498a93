//! Keys alone.

use std::time::Duration;

use crate::browser::{Browser, keys};
use crate::folder::Folder;
use crate::stage::{Shelf, at, collection, followed, key};
use crate::support::follower::Follower;

/// Goes on with Tab until something of that name has the focus, which is to be seen all the way.
#[track_caller]
fn tab_to(browser: &Browser, name: &str) {
    let mut passed = Vec::new();
    for _ in 0..60 {
        browser.press([keys::TAB]);
        let focused = browser.focused();
        if !focused.is_empty() {
            assert!(browser.is_focus_visible(), "{focused:?} has the focus, and nobody sees it");
        }
        if focused.starts_with(name) {
            return;
        }
        passed.push(focused);
    }
    panic!("Tab does not lead to {name:?}, but to {passed:?}");
}

#[test]
fn a_site_is_added_by_keys_alone() {
    let Some(browser) = Browser::start() else { return };
    let shelf = Shelf::new();
    let follower = Follower::default();
    let server = follower.serve(&[]);
    browser.open(&at(&server, "/"));
    browser.press([keys::TAB]);
    assert_eq!(browser.focused(), "Skip to the page");
    assert!(browser.is_focus_visible());
    browser.press([keys::ENTER]);
    assert_eq!(browser.script("return document.activeElement.id"), "main");
    tab_to(&browser, "Any address on the site");
    browser.press(shelf.site.url().chars());
    browser.press([keys::ENTER]);
    browser.see("How good its documents are");
    tab_to(&browser, "Maps");
    browser.press([' ']);
    tab_to(&browser, "Follow");
    // So slow that the page is there before the poll is over.
    shelf.site.set_pause(Duration::from_millis(400));
    browser.press([keys::ENTER]);
    browser.see("The site is followed from now on");
    browser.until("the first poll is over", || browser.text().contains("well ·"));
    // Whoever goes all around comes by everything, and nothing holds them.
    browser.open(&at(&server, "/"));
    tab_to(&browser, "Colours");
    browser.press_backwards();
    assert_eq!(browser.focused(), "Keyboard shortcuts");
}

#[test]
fn keys_lead_through_the_pages() {
    let Some(browser) = Browser::start() else { return };
    let shelf = Shelf::new();
    let (follower, server, site) = followed(&shelf);
    // Another site, to go to and fro between.
    let place = tempfile::tempdir().unwrap();
    let other = Folder::serve(place.path());
    other.put("index.html", "<title>Another</title>");
    let entry = "<url><loc>U</loc><lastmod>2026-01-01</lastmod></url>".replace('U', &other.url());
    other.put(
        "sitemap.xml",
        &format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entry}</urlset>"),
    );
    follower.json(&["follow", &other.url()]);

    browser.open(&at(&server, "/"));
    browser.press(['j']);
    let first = browser.focused();
    assert!(browser.is_focus_visible());
    browser.press(['j']);
    let second = browser.focused();
    assert_ne!(first, second);
    browser.press(['j']);
    assert_eq!(browser.focused(), second, "the last is the last");
    browser.press(['k']);
    assert_eq!(browser.focused(), first);
    if first != "The shelf" {
        browser.press(['j']);
    }
    assert_eq!(browser.focused(), "The shelf");
    browser.press([keys::ENTER]);
    browser.reach(&format!("/sites/{}", key(&site)));

    browser.press(['g', 's']);
    browser.reach("/search");
    browser.press(['/']);
    assert!(browser.focused().starts_with("Words in title"), "{}", browser.focused());
    // In a field, keys are letters.
    browser.press(['g', 'h', 'j', '?']);
    assert_eq!(browser.script("return document.activeElement.value"), "ghj?");
    assert_eq!(browser.script("return document.getElementById('keys').open"), false);
    browser.press([keys::ESCAPE]);
    assert_eq!(browser.focused(), "");
    browser.press(['g', 'h']);
    browser.reach("/");
    browser.press(['g', 'a']);
    browser.reach("/add");

    // The list of keys takes the focus, and gives it back.
    browser.open(&at(&server, "/"));
    browser.press(['j']);
    let before = browser.focused();
    browser.press(['?']);
    assert_eq!(browser.script("return document.getElementById('keys').open"), true);
    let is_inside =
        browser.script("return document.getElementById('keys').contains(document.activeElement)");
    assert_eq!(is_inside, true);
    browser.press([keys::ESCAPE]);
    assert_eq!(browser.script("return document.getElementById('keys').open"), false);
    assert_eq!(browser.focused(), before);

    // Up, from a batch to all sites.
    let books = collection(&site, "Books");
    browser.open(&at(&server, &format!("/collections/{books}/batches/1")));
    for path in [format!("/collections/{books}"), format!("/sites/{}", key(&site)), "/".to_owned()]
    {
        browser.press(['u']);
        browser.reach(&path);
    }
    // A check at once.
    browser.open(&at(&server, &format!("/sites/{}", key(&site))));
    shelf.site.put("books/rain.html", "<title>A book of rain</title>");
    shelf.publish();
    browser.press(['R']);
    browser.until("the check is over", || browser.text().contains("4 changes"));
}

#[test]
fn keys_can_be_turned_off() {
    let Some(browser) = Browser::start() else { return };
    let follower = Follower::default();
    let server = follower.serve(&["--no-poll"]);
    browser.open(&at(&server, "/shortcuts"));
    browser.click("Turn shortcuts off");
    browser.see("They are turned off in this browser.");
    // Were a key to do something, it would be before what comes after it.
    browser.press(['?', 'g', 's', '/']);
    assert_eq!(browser.focused(), "");
    browser.press([keys::TAB]);
    browser.script(
        "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    browser.reach("/shortcuts");
    browser.click("Turn shortcuts on");
    browser.see("Turn shortcuts off");
    browser.press(['g', 's']);
    browser.reach("/search");
}
