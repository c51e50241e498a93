//! Pictures of every page: wide and narrow, light and dark, empty and full and in trouble.
#![allow(clippy::print_stdout, reason = "where the pictures are")]

use crate::browser::{Browser, screenshots};
use crate::stage::{Shelf, at, binary, sign_in};
use crate::support::follower::Follower;
use crate::town::{EMPTY, Town, is_there};

const SIZES: [(&str, u32, u32); 2] = [("wide", 1280, 900), ("narrow", 390, 844)];

/// The page that is open, in all forms.
fn take(browser: &Browser, name: &str) {
    for (size, width, height) in SIZES {
        browser.size(width, height);
        for (scheme, is_dark) in [("light", false), ("dark", true)] {
            browser.dark(is_dark);
            browser.screenshot(&format!("{name}-{size}-{scheme}"));
        }
    }
}

#[test]
fn empty_pages_and_those_in_trouble_are_pictured() {
    let Some(browser) = Browser::start() else { return };
    let follower = Follower::default();
    let server = follower.serve(&["--no-poll"]);
    for (name, path) in EMPTY.iter().filter(|(name, path)| is_there(&server.base, name, path)) {
        browser.open(&at(&server, path));
        take(&browser, &format!("{name}-empty"));
    }
    // In trouble.
    browser.open(&at(&server, "/add"));
    browser.fill("Address", "http://127.0.0.1:1/");
    browser.click("Look at it");
    browser.see("This site cannot be followed");
    take(&browser, "add-error");
    browser.open(&at(&server, "/setup"));
    browser.fill("Your name here", "ann");
    browser.fill("Password", "not the same");
    browser.fill("The password once more", "as this one");
    browser.click("Make the account");
    browser.see("The two passwords are not the same.");
    take(&browser, "setup-error");
}

#[test]
fn every_page_is_pictured() {
    let Some(browser) = Browser::start() else { return };
    let town = Town::build(binary());
    browser.open(&town.url("/login"));
    browser.fill("Name", "ann");
    browser.fill("Password", "not the right one");
    browser.click("Sign in");
    browser.see("The name or the password is wrong.");
    take(&browser, "login-error");
    sign_in(&browser, &town.base);
    for (page, path) in town.pages() {
        browser.open(&town.url(&path));
        if page.name == "batch-texts" {
            browser
                .script("for (const one of document.querySelectorAll('details')) one.open = true");
        }
        take(&browser, &format!("{}-full", page.name));
    }
    // What a site offers that somebody is about to follow.
    let shelf = Shelf::new();
    shelf.change();
    browser.open(&town.url("/add"));
    browser.fill("Address", &shelf.site.url());
    browser.click("Look at it");
    browser.see("How good its documents are");
    take(&browser, "added-full");
    browser.open(&town.url("/"));
    browser.press(['?']);
    browser.see("To the search field");
    take(&browser, "keys-full");
    println!("the pictures are in {}", screenshots().display());
}
