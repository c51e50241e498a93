//! A post: from section to section by keys, wheel and buttons, back to the same place, as plain text, and
//! where its links lead.

use serde_json::{Value, json};

use crate::browser::{Browser, keys};
use crate::stage::{Stage, at, follow, html, id_of};
use crate::support::follower::Follower;
use crate::support::server::{Reply, Server};

/// Waits until that is where one is.
#[track_caller]
fn is_at(browser: &Browser, place: &str) {
    browser.until(&format!("one is at {place:?}"), || {
        browser.script("return document.getElementById('at').textContent") == place
            && is_still(browser)
    });
}

/// Whether a section is just where it should be, and nothing moves.
fn is_still(browser: &Browser) -> bool {
    let script = "const screens = document.getElementById('screens'); return screens.scrollTop % screens.clientHeight === 0";
    browser.script(script) == Value::Bool(true)
}

#[test]
fn keys_wheel_and_buttons_lead_from_section_to_section() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog"]);
    stage.follow("ada");
    let server = stage.follower.serve(&["--no-poll"]);
    let browser = &stage.browser;
    stage.open(&server, "/webfeeds");
    browser.click("On fog, by Ada");
    is_at(browser, "1 of 5");
    stage.picture("reader-post");
    for (key, place) in [
        (keys::ARROW_DOWN, "2 of 5"),
        ('j', "3 of 5"),
        ('k', "2 of 5"),
        (' ', "3 of 5"),
        (keys::PAGE_DOWN, "4 of 5"),
        (keys::ARROW_UP, "3 of 5"),
        (keys::END, "5 of 5"),
        ('j', "5 of 5"),
        (keys::HOME, "1 of 5"),
        ('k', "1 of 5"),
    ] {
        browser.press([key]);
        is_at(browser, place);
    }
    // What cannot be done is said to be so.
    let disabled =
        "return document.querySelector('[data-step=\"-1\"]').getAttribute('aria-disabled')";
    assert_eq!(browser.script(disabled), "true");
    browser.click("Next section");
    is_at(browser, "2 of 5");
    browser.click("Previous section");
    is_at(browser, "1 of 5");
    browser.wheel(600.0, 500.0, 400.0);
    is_at(browser, "2 of 5");
    // Each section fills the place there is, and says which it is.
    let labels = browser.script("return [...document.querySelectorAll('.screens > section')].map((one) => [one.getAttribute('aria-label'), one.querySelector('iframe').title, one.clientHeight === document.getElementById('screens').clientHeight])");
    assert_eq!(labels[1], json!(["Section 2 of 5: Part 2", "Section 2 of 5: Part 2", true]));
    browser.press([keys::ESCAPE]);
    browser.reach("/webfeeds");
    // Whoever presses in a frame goes on by keys all the same, after the next section has come.
    stage.open(&server, &format!("/webfeeds/posts/{}", id_of(&stage.follower, "/fog")));
    is_at(browser, "1 of 5");
    browser.prefers("prefers-reduced-motion", "reduce");
    browser.press([keys::END]);
    is_at(browser, "5 of 5");
    let calm = browser
        .script("return getComputedStyle(document.getElementById('screens')).scrollBehavior");
    assert_eq!(calm, "auto");
}

/// How far a section is scrolled in its frame.
fn scrolled(browser: &Browser, frame: u16) -> f64 {
    let script = "return document.querySelector('section:not([hidden])').scrollTop";
    browser.script_in_frame(frame, script).and_then(|top| top.as_f64()).unwrap_or(-1.0)
}

#[test]
fn a_section_that_overflows_is_scrolled_by_wheel_and_keys_in_the_post() {
    let Some(stage) = Stage::set() else { return };
    let long = "<p style=\"height:100px\">Fog</p>".repeat(40);
    let post = format!(
        "<meta name=author content=Ada><section><h1>Long</h1>{long}</section><section><h1>Short</h1></section>"
    );
    stage.web.put("/ada/long", html(post));
    stage.list("ada", &["long"]);
    stage.follow("ada");
    let server = stage.follower.serve(&["--no-poll"]);
    let browser = &stage.browser;
    stage.open(&server, "/webfeeds");
    browser.click("Long, by Ada");
    is_at(browser, "1 of 2");
    let has_come = "return document.readyState === 'complete' && document.querySelector('section').scrollHeight > 4000";
    browser.until("the section has come", || {
        browser.script_in_frame(0, has_come) == Some(Value::Bool(true))
    });
    // A frame may have come a moment before the wheel does something in it.
    browser.until("the wheel scrolls it", || {
        browser.wheel(600.0, 500.0, 10.0);
        scrolled(browser, 0) > 0.0
    });
    is_at(browser, "1 of 2");
    // Keys go to the section after a click in it, and after Tab; Shift+Tab leads out.
    let focused = "return document.activeElement.tagName";
    browser.click_at(600.0, 500.0);
    browser.until("the section has the focus", || browser.script(focused) == "IFRAME");
    let mut before = scrolled(browser, 0);
    for key in [keys::ARROW_DOWN, ' ', keys::PAGE_DOWN, keys::ARROW_DOWN] {
        browser.press([key]);
        browser.until("a key scrolls it", || scrolled(browser, 0) > before);
        // Until nothing moves any more.
        browser.until("it is still", || {
            let now = scrolled(browser, 0);
            std::mem::replace(&mut before, now) == now
        });
        is_at(browser, "1 of 2");
        assert_eq!(browser.script(focused), "IFRAME", "nothing takes the focus away");
    }
    // First from the words that were clicked to the section, then out of it.
    browser.press_backwards();
    browser.until("the section itself has the focus", || {
        browser.script_in_frame(0, focused) == Some(Value::from("SECTION"))
    });
    browser.press_backwards();
    let has_post = || browser.script("return document.activeElement.id") == "screens";
    browser.until("the post has the focus", has_post);
    browser.press(['j']);
    is_at(browser, "2 of 2");
    browser.press(['k']);
    is_at(browser, "1 of 2");
    browser.press([keys::TAB]);
    browser.until("the section has the focus again", || browser.script(focused) == "IFRAME");
    browser.press([keys::PAGE_UP]);
    browser.until("a key scrolls it back", || scrolled(browser, 0) < before);
    // At its end, the same keys go on to the next, where the post has the focus again.
    browser.press([keys::END]);
    let end = "const section = document.querySelector('section'); return section.scrollHeight - section.clientHeight - section.scrollTop < 1";
    browser
        .until("it is at its end", || browser.script_in_frame(0, end) == Some(Value::Bool(true)));
    browser.until("the next has come", || {
        browser.press([keys::ARROW_DOWN]);
        browser.script("return document.getElementById('at').textContent") == "2 of 2"
    });
    is_at(browser, "2 of 2");
    browser.until("the post has the focus again", has_post);
    browser.press([keys::ESCAPE]);
    browser.reach("/webfeeds");
}

#[test]
fn back_leads_to_the_same_place_in_the_grid() {
    leads_back(Browser::start());
}

/// A browser that is short of memory gives up the pages that it keeps for the way back.
#[test]
fn back_leads_to_the_same_place_in_a_grid_that_the_browser_gave_up() {
    leads_back(Browser::without_kept_pages());
}

fn leads_back(browser: Option<Browser>) {
    let Some(stage) = browser.map(Stage::with) else { return };
    for author in 0..12 {
        stage.publish(&format!("w{author}"), &format!("Author {author}"), &["one", "two", "three"]);
        stage.follow(&format!("w{author}"));
    }
    let server = stage.follower.serve(&["--no-poll"]);
    let browser = &stage.browser;
    for way in ["button", "key", "browser"] {
        stage.open(&server, "/webfeeds");
        browser.script("scrollTo(0, 1100)");
        browser.until("it is scrolled", || browser.script("return Math.round(scrollY)") == 1100);
        let name = browser.script("return [...document.querySelectorAll('.cover')].find((one) => one.getBoundingClientRect().top > 200).textContent");
        browser.click(name.as_str().unwrap());
        browser.see("1 of 5");
        match way {
            "button" => browser.click("← Back"),
            "key" => browser.press([keys::ESCAPE]),
            _ => browser.back(),
        }
        browser.reach("/webfeeds");
        browser.until(&format!("by {way}, the place is the same"), || {
            browser.script("return Math.abs(scrollY - 1100) < 60") == Value::Bool(true)
        });
        browser.see("✓ Read");
    }
}

#[test]
fn without_scripts_links_lead_from_section_to_section() {
    let Some(browser) = Browser::without_scripts() else { return };
    let (web, follower) = (Server::start(), Follower::default());
    web.put("/fog", crate::stage::post("Ada", "On fog", 3));
    web.put("/index.txt", crate::stage::index("fog\n"));
    follow(&follower, &web.url("/index.txt"));
    let server = follower.serve(&["--no-poll"]);
    browser.open(&at(&server, "/webfeeds"));
    browser.click("On fog, by Ada");
    browser.see("Next");
    assert!(!browser.has("Next section"), "buttons that do nothing are not to be seen");
    let is_at = |number: u64| {
        browser.until(&format!("section {number} is there"), || {
            let script = "const screens = document.getElementById('screens'); return screens.scrollTop / screens.clientHeight";
            browser.script(script).as_f64() == Some((number - 1) as f64)
        });
    };
    is_at(1);
    browser.click("Next");
    is_at(2);
    let page = at(&server, &format!("/webfeeds/posts/{}", id_of(&follower, "/fog")));
    browser.open(&format!("{page}#s3"));
    is_at(3);
    browser.click("← Back");
    browser.reach("/webfeeds");
    browser.see("✓ Read");
}

#[test]
fn the_plain_view_has_all_sections_and_scrolls() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog"]);
    stage.web.put("/ada/offers", html("<meta name=author content=Ada><section><h1>Offers</h1><a data-webfeed-href=/other/index.txt href=/other/>another</a></section>"));
    stage.list("ada", &["fog", "offers"]);
    stage.follow("ada");
    let server = stage.follower.serve(&["--no-poll"]);
    stage.open(&server, "/webfeeds");
    stage.browser.click("On fog, by Ada");
    stage.browser.click("Plain view");
    stage.browser.see("As its author made it");
    stage.picture("reader-plain");
    let text =
        server.get(&format!("/webfeeds/posts/{}/text", id_of(&stage.follower, "/fog"))).text();
    assert!((2..=5).all(|number| text.contains(&format!("Part {number}"))), "{text}");
    stage.browser.click("As its author made it");
    stage.browser.see("1 of 5");
    // A webfeed that a post offers is followed from there.
    stage.open(&server, &format!("/webfeeds/posts/{}/plain", id_of(&stage.follower, "/offers")));
    stage.browser.see("It offers webfeeds to follow");
    stage.browser.see("/other/index.txt");
}

#[test]
fn links_open_in_a_window_that_knows_nothing_of_the_reader() {
    let Some(stage) = Stage::set() else { return };
    let elsewhere = Server::start();
    elsewhere.put("/page", Reply::ok("<title>Elsewhere</title>").with("Content-Type", "text/html"));
    let link = elsewhere.url("/page");
    stage.web.put("/ada/links", html(format!("<meta name=author content=Ada><style>a{{display:block;height:100vh}}</style><section><h1>Links</h1><a href=\"{link}\" target=_top rel=opener referrerpolicy=unsafe-url>press</a></section>")));
    stage.list("ada", &["links"]);
    stage.follow("ada");
    let server = stage.follower.serve(&["--no-poll"]);
    let browser = &stage.browser;
    stage.open(&server, "/webfeeds");
    browser.click("Links, by Ada");
    browser.until("the frame is there", || browser.script("return document.querySelector('iframe') !== null && document.readyState === 'complete'") == Value::Bool(true));
    browser.until("the link is pressed", || {
        browser.click_at(600.0, 600.0);
        elsewhere.count("/page") > 0
    });
    assert!(browser.at().contains("/webfeeds/posts/"), "the reader stays: {}", browser.at());
    browser.other_window();
    browser.until("it is there", || browser.at() == link);
    assert_eq!(
        browser.script("return [window.opener === null, document.referrer, document.title]"),
        json!([true, "", "Elsewhere"])
    );
    for asked in elsewhere.log() {
        assert_eq!(asked.header("Referer").filter(|_| asked.path == "/page"), None);
    }
}
