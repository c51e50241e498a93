//! Filters: what they find, and that none of them takes long.

use std::time::{Duration, Instant};

use crate::browser::Browser;
use crate::stage::{Shelf, at, collection, followed};

#[test]
fn a_collection_is_filtered_by_kind_path_and_words() {
    let Some(browser) = Browser::start() else { return };
    let shelf = Shelf::new();
    let (_follower, server, site) = followed(&shelf);
    let home = format!("/collections/{}", collection(&site, "Books"));
    browser.open(&at(&server, &home));
    browser.see("A book of winds");

    browser.choose("Kind", "created");
    browser.click("Filter");
    browser.until("only one kind is left", || browser.at().contains("kind=created"));
    browser.see("A book of winds");
    browser.sees_no("A larger book of herbs");

    browser.choose("Kind", "all");
    browser.fill("In the address", "/books/knots");
    browser.click("Filter");
    browser.until("only one page is left", || browser.at().contains("knots"));
    browser.see("books/knots.html");
    browser.sees_no("A book of winds");
    // What was asked for is still in the fields.
    assert_eq!(browser.script("return document.getElementById('path').value"), "/books/knots");

    browser.fill("In the address", "");
    browser.fill("Words in title", "LARGER herbs");
    browser.click("Filter");
    browser.until("only one title is left", || browser.at().contains("LARGER"));
    browser.see("A larger book of herbs");
    browser.sees_no("A book of winds");

    browser.fill("Words in title", "neither of them");
    browser.click("Filter");
    browser.see("No change is like that.");
    browser.click("All changes");
    browser.see("A book of winds");
    assert!(browser.at().ends_with(&home), "{}", browser.at());
}

#[test]
fn hostile_filters_are_answered_quickly() {
    let Some(browser) = Browser::start() else { return };
    let shelf = Shelf::new();
    let (_follower, server, site) = followed(&shelf);
    let home = format!("/collections/{}", collection(&site, "Books"));
    let many = "%25".repeat(5_000);
    let nested = "((((a%2B)%2B)%2B)%2B%24";
    for path in [&home[..], "/search"] {
        for field in ["text", "path", "day", "kind"] {
            for value in [nested, &many, "%00", "%F0%9F%A6%86", "'%20OR%201=1--", "%5C", "_%25_"] {
                let begun = Instant::now();
                let answer = server.get(&format!("{path}?{field}={value}"));
                assert!(
                    begun.elapsed() < Duration::from_secs(10),
                    "{path} {field}: {:?}",
                    begun.elapsed()
                );
                assert!(
                    matches!(answer.status, 200 | 400),
                    "{path} {field}={value:.40}: {}",
                    answer.head
                );
            }
        }
        // Also as it is typed.
        browser.open(&at(&server, path));
        browser.fill("Words in title", "((((a+)+)+)+$");
        browser.click(if path == "/search" { "Search" } else { "Filter" });
        browser.see("No change is like that.");
    }
}
