//! Without scripts: everything is there, and nothing that does nothing.

use std::time::Duration;

use crate::browser::Browser;
use crate::stage::{Shelf, at, binary, collection, followed, key, sign_in};
use crate::support::follower::Follower;
use crate::town::Town;

/// Buttons to be seen that no form has.
const IDLE: &str = "
    const seen = (one) => one.checkVisibility({ visibilityProperty: true });
    return [...document.querySelectorAll('button')].filter((one) => seen(one) && !one.form).map((one) => one.outerHTML);";

#[test]
fn pages_are_usable_without_scripts() {
    let Some(browser) = Browser::without_scripts() else { return };
    let shelf = Shelf::new();
    let follower = Follower::default();
    let server = follower.serve(&[]);
    browser.open(&at(&server, "/"));
    browser.see("Nothing is followed yet");
    browser.fill("Any address on the site", &shelf.site.url());
    // So slow that the page which waits is seen.
    shelf.site.set_pause(Duration::from_millis(150));
    browser.click("Look at it");
    // Only where scripts are off is this to be seen.
    browser.see("This page is loaded again until it is done.");
    browser.see("How good its documents are");
    shelf.site.set_pause(Duration::ZERO);
    browser.tick("Maps", false);
    browser.click("Follow");
    browser.see("The site is followed from now on");
    browser.until("the first poll is over", || browser.text().contains("well ·"));
    shelf.change();
    shelf.site.set_pause(Duration::from_millis(50));
    browser.click("Check now");
    browser.until("the change is seen", || browser.text().contains("3 changes"));
    browser.click("Books");
    browser.see("A book of winds");
    browser.choose("Kind", "deleted");
    browser.click("Filter");
    browser.until("only what is gone is left", || !browser.text().contains("A book of winds"));
    browser.see("books/knots.html");
    browser.choose("Colours", "dark");
    browser.click("Set");
    browser.until("it is dark", || {
        browser.try_script("return document.documentElement.dataset.theme", Vec::new())
            == Some("dark".into())
    });
}

#[test]
fn no_button_does_nothing_without_scripts() {
    let Some(browser) = Browser::without_scripts() else { return };
    let town = Town::build(binary());
    sign_in(&browser, &town.base);
    for (page, path) in town.pages() {
        browser.open(&town.url(&path));
        let text = browser.text();
        assert!(text.contains("Tidings") && text.len() > 120, "{}: {text}", page.name);
        assert_eq!(browser.script(IDLE), serde_json::json!([]), "{}", page.name);
    }
}

#[test]
fn batches_and_searches_are_read_without_scripts() {
    let Some(browser) = Browser::without_scripts() else { return };
    let shelf = Shelf::new();
    let (_follower, server, site) = followed(&shelf);
    browser.open(&at(&server, &format!("/sites/{}", key(&site))));
    browser.see("Books");
    let books = collection(&site, "Books");
    browser.open(&at(&server, &format!("/collections/{books}")));
    browser.click("1 page created, 1 updated, 1 deleted");
    browser.see("A larger book of herbs");
    browser.click("Search");
    browser.fill("Words in title", "winds");
    browser.click("Search");
    browser.see("A book of winds");
}
