//! Narrow screens and large letters: nothing is wider than the page.

use crate::browser::Browser;
use crate::stage::{at, binary, sign_in};
use crate::support::follower::Follower;
use crate::town::{EMPTY, Town, is_there};

/// What is wider than the page, outside of what can be scrolled by itself.
const WIDER: &str = "
    const width = document.documentElement.clientWidth;
    const inside = (one) => { for (let up = one.parentElement; up; up = up.parentElement) {
      const flow = getComputedStyle(up).overflowX; if (flow === 'auto' || flow === 'scroll' || flow === 'hidden') return true; } return false; };
    const wide = [...document.body.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > width + 1 && !inside(one));
    return [document.documentElement.scrollWidth, width, wide.slice(0, 5).map((one) => one.outerHTML.slice(0, 200))];";

#[track_caller]
fn fits(browser: &Browser, name: &str, wrong: &mut Vec<String>) {
    for (width, height) in [(320, 640), (640, 450)] {
        browser.size(width, height);
        let told = browser.script(WIDER);
        if told[0].as_u64() > Some(u64::from(width)) {
            wrong.push(format!("{name} at {width}: {told}"));
        }
    }
}

#[test]
fn no_page_is_scrolled_sideways() {
    let Some(browser) = Browser::start() else { return };
    let mut wrong = Vec::new();
    let follower = Follower::default();
    let server = follower.serve(&["--no-poll"]);
    for (name, path) in EMPTY.iter().filter(|(name, path)| is_there(&server.base, name, path)) {
        browser.open(&at(&server, path));
        fits(&browser, &format!("{name}, empty"), &mut wrong);
    }
    let town = Town::build(binary());
    sign_in(&browser, &town.base);
    for (page, path) in town.pages() {
        browser.open(&town.url(&path));
        // What is folded in counts, too.
        browser.script("for (const one of document.querySelectorAll('details')) one.open = true");
        fits(&browser, page.name, &mut wrong);
    }
    assert!(wrong.is_empty(), "{} pages are too wide:\n{}", wrong.len(), wrong.join("\n"));
}
