//! Links of feeds go to the clipboard.

use serde_json::json;

use crate::browser::Browser;
use crate::stage::{Shelf, at, collection, followed};

#[test]
fn the_link_of_a_feed_is_copied() {
    let Some(browser) = Browser::start() else { return };
    let shelf = Shelf::new();
    let (_follower, server, site) = followed(&shelf);
    let key = collection(&site, "Books");
    let page = at(&server, &format!("/collections/{key}"));
    browser.open(&page);
    let wanted = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    browser.own("Browser.grantPermissions", &wanted);
    // Both ways: as browsers do it today, and as they do it where that is not allowed.
    for way in [
        "",
        "Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })",
    ] {
        browser.open(&page);
        browser.see("Copy link");
        browser.script(way);
        browser.click("Copy link");
        browser.see("Copied");
        assert_eq!(
            browser.script("return document.getElementById('spoken').textContent"),
            "Link copied"
        );
        // What is pasted is what was copied.
        browser.script(
            "const field = document.createElement('textarea'); field.id = 'pasted'; document.body.append(field); field.focus();",
        );
        browser.own(
            "Input.dispatchKeyEvent",
            &json!({ "type": "keyDown", "key": "v", "code": "KeyV", "modifiers": 2, "commands": ["paste"] }),
        );
        let expected = format!("{}feeds/{key}.atom", server.base);
        browser.until("the link is pasted", || {
            browser.script("return document.getElementById('pasted').value") == expected.as_str()
        });
        // The button is called as before after a while.
        browser.until("the button is as before", || !browser.text().contains("Copied"));
    }
}
