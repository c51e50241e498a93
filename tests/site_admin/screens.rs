//! The administration in a real browser: by keys alone, and on narrow screens.

use crate::browser::{Browser, keys};
use crate::stage::{FILE, PAGE, Site};

fn sign_in(browser: &Browser, site: &Site) {
    browser.open(&format!("{}login/", site.serving.base));
    browser.fill("Name", "admin");
    browser.fill("Password", site.password());
    browser.click("Sign in");
    browser.reach(&site.admin);
}

#[test]
fn a_page_is_made_in_a_browser() {
    let site = Site::versioned();
    let Some(browser) = Browser::start() else { return };
    sign_in(&browser, &site);
    browser.click("New page");
    browser.fill("Title", "By hand");
    browser.fill("Text (Markdown)", "Some **strong** words");
    browser.fill("Alias", "login");
    browser.click("Save");
    browser.see("The alias \"login\" is reserved");
    browser.fill("Alias", "by-hand");
    browser.click("Preview");
    browser.see("Some strong words");
    assert_eq!(site.get("/by-hand").status, 404);
    browser.click("Save");
    browser.see("The page is there.");
    assert!(site.get("/by-hand").text().contains("<strong>strong</strong>"));
    browser.click("Delete…");
    browser.click("Yes, delete it");
    browser.see("It is gone from the site.");
    assert_eq!(site.get("/by-hand").status, 404);
    // A file, from the disk of whoever uploads it.
    let file = site.folder.path().join("my notes.txt");
    std::fs::write(&file, "from a browser").unwrap();
    browser.click("Upload");
    browser.fill("Folder", "files");
    browser.attach("Files", &file);
    browser.press([keys::TAB, keys::ENTER]);
    browser.see("Uploaded.");
    assert_eq!(site.get("/files/my-notes.txt").text(), "from a browser");
    browser.click("Sign out");
    browser.reach("/");
    assert_eq!(site.get(&site.admin).status, 404);
}

#[test]
fn pages_fit_on_narrow_screens_and_show_where_the_focus_is() {
    let site = Site::versioned();
    let Some(browser) = Browser::start() else { return };
    let long = "a-long-tag-without-any-place-to-break-it-".repeat(4);
    let rules = format!("{long}:\n  name: {long}\n  roles: [{long}]\n");
    site.write("state/sys/tags.yaml", &rules);
    sign_in(&browser, &site);
    let mut paths: Vec<String> =
        ["", "pages", "new", "upload", "tags", "users", "account", "nothing"]
            .map(String::from)
            .into();
    paths.extend([format!("edit/{PAGE}"), format!("file/{FILE}"), format!("delete/{PAGE}")]);
    for (width, is_dark) in [(360, false), (360, true), (1280, false), (1280, true)] {
        browser.size(width, 900);
        browser.dark(is_dark);
        for path in &paths {
            browser.open(&format!("{}{}{path}", site.serving.base, &site.admin[1..]));
            let wide = browser.script("return document.documentElement.scrollWidth");
            assert!(wide.as_u64().unwrap() <= u64::from(width), "{path} is {wide} wide at {width}");
            let unnamed = browser.script(
                "return [...document.querySelectorAll('input:not([type=hidden]):not(.out), select, textarea')] \
                 .filter((one) => !one.labels.length && !one.getAttribute('aria-label')).length",
            );
            assert_eq!(unnamed, 0, "{path} has fields without a label");
            browser.press([keys::TAB]);
            assert!(browser.focused().starts_with("Skip") && browser.is_focus_visible(), "{path}");
            let word = path.split('/').next().unwrap();
            let look = if is_dark { "dark" } else { "light" };
            browser.screenshot(&format!("admin-{word}-{width}-{look}"));
        }
    }
}
