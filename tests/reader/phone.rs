//! Small screens, and keys alone: nothing is scrolled sideways, everything is reached.

use serde_json::{Value, json};

use crate::browser::keys;
use crate::stage::{Stage, id_of};

/// How far the page could be scrolled sideways, and how many columns the grid has.
const WIDTH: &str = "
    const grid = document.querySelector('.grid');
    return [document.documentElement.scrollWidth - document.documentElement.clientWidth,
      grid ? getComputedStyle(grid).gridTemplateColumns.split(' ').length : 0];";

#[test]
fn on_a_phone_the_grid_has_two_columns_and_nothing_is_scrolled_sideways() {
    let Some(stage) = Stage::set() else { return };
    stage.publish(
        "ada",
        "Ada of the very long name who lives in Llanfairpwllgwyngyllgogerychwyrndrobwll",
        &["fog", "rope"],
    );
    stage.publish("ben", "Ben", &["tea", "jam", "bread", "salt", "rice"]);
    stage.list("ada", &["fog", "rope", "gone", "http://friend-with-a-long-name.invalid/post-a"]);
    stage.follow("ada");
    stage.follow("ben");
    let server = stage.follower.serve(&["--no-poll"]);
    let (key, fog) = (stage.key("ada"), id_of(&stage.follower, "/fog"));
    let gone = id_of(&stage.follower, "/gone");
    for (width, height) in [(375, 700), (320, 568)] {
        stage.browser.size(width, height);
        for (name, path, columns) in [
            ("grid", "/webfeeds".to_owned(), 2),
            ("feed", format!("/webfeeds/{key}"), 2),
            ("post", format!("/webfeeds/posts/{fog}"), 0),
            ("plain", format!("/webfeeds/posts/{fog}/plain"), 0),
            ("error", format!("/webfeeds/posts/{gone}"), 0),
        ] {
            stage.open(&server, &path);
            let told = stage.browser.script(WIDTH);
            assert_eq!(told, json!([0, columns]), "{path} at {width}");
            stage.picture(&format!("reader-phone-{width}-{name}"));
        }
        // A post has most of the screen, and one leads to the next.
        stage.open(&server, &format!("/webfeeds/posts/{fog}"));
        let share = stage
            .browser
            .script("return document.getElementById('screens').clientHeight / innerHeight");
        assert!(share.as_f64().unwrap() > 0.75, "{share}");
        stage.browser.click("Next section");
        stage.browser.see("2 of 5");
    }
    stage.browser.dark(true);
    stage.open(&server, "/webfeeds");
    stage.picture("reader-phone-dark");
}

#[test]
fn keys_alone_lead_through_the_reader() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog", "rope"]);
    stage.follow("ada");
    let server = stage.follower.serve(&["--no-poll"]);
    let browser = &stage.browser;
    stage.open(&server, "/webfeeds");
    browser.press([keys::TAB]);
    assert_eq!(browser.focused(), "Skip to the page");
    assert!(browser.is_focus_visible());
    let mut passed = Vec::new();
    while browser.focused() != "On rope, by Ada" {
        assert!(passed.len() < 40, "{passed:?}");
        browser.press([keys::TAB]);
        let focused = browser.focused();
        assert!(browser.is_focus_visible(), "{focused:?} has the focus, and nobody sees it");
        assert!(!focused.trim().is_empty(), "after {passed:?} comes something without a name");
        passed.push(focused);
    }
    // As they are seen: the form, which posts, and then the tiles.
    let order = ["Follow a webfeed", "All", "Not read", "Mark all as read", "On rope, by Ada"];
    let places: Vec<_> =
        order.iter().map(|name| passed.iter().position(|one| one == name)).collect();
    assert!(places.is_sorted() && !places.contains(&None), "{passed:?}");
    browser.press([keys::TAB]);
    assert_eq!(browser.focused(), "Ada", "the frame is passed by");
    browser.press_backwards();
    browser.press([keys::ENTER]);
    browser.see("1 of 5");
    // The post has the focus, so that keys do something at once; and nothing holds them.
    assert_eq!(browser.script("return document.activeElement.id"), "screens");
    let mut names = Vec::new();
    for _ in 0..14 {
        browser.press_backwards();
        names.push(browser.focused());
    }
    assert!(
        names.iter().any(|name| name == "Plain view")
            && names.iter().any(|name| name.ends_with("Back")),
        "{names:?}"
    );
    assert!(names.contains(&"Skip to the post".to_owned()), "{names:?}");
    // Frames and links have names, pictures have a text or are no matter, and the page has a language.
    let bad = "return [...document.querySelectorAll('iframe:not([title]), img:not([alt]), html:not([lang])')].length + [...document.querySelectorAll('a[href], button')].filter((one) => !(one.getAttribute('aria-label') || one.textContent).trim()).length";
    assert_eq!(browser.script(bad), Value::from(0));
}
