//! Accounts: made, used, refused, left.

use crate::browser::Browser;
use crate::stage::{Shelf, at, binary, followed, key};
use crate::support::follower::Serving;
use crate::town::{ADMIN, PASSWORD, READER, account};

const SESSION: &str = "tidings-session";

fn session(browser: &Browser) -> Option<String> {
    let cookies = browser.cookies().into_iter();
    cookies.filter(|cookie| cookie.name() == SESSION).map(|cookie| cookie.value().to_owned()).next()
}

/// The status of a page to somebody with this session.
fn status(server: &Serving, path: &str, session: &str) -> u16 {
    server.request("GET", path, &format!("Cookie: {SESSION}={session}\r\n"), "").status
}

#[test]
fn the_first_account_is_made_here_and_opens_what_was_asked_for() {
    let Some(browser) = Browser::start() else { return };
    let shelf = Shelf::new();
    let (_follower, server, _) = followed(&shelf);
    browser.open(&at(&server, "/"));
    browser.click("Set up");
    browser.fill("Your name here", ADMIN);
    browser.fill("Password", PASSWORD);
    browser.fill("The password once more", "another one than that");
    browser.click("Make the account");
    browser.see("The two passwords are not the same.");
    browser.fill("Password", PASSWORD);
    browser.fill("The password once more", PASSWORD);
    browser.click("Make the account");
    browser.see("Your account is made, and you are signed in.");

    let cookies = browser.cookies();
    let cookie = cookies.iter().find(|cookie| cookie.name() == SESSION).unwrap();
    assert_eq!(cookie.http_only(), Some(true));
    assert_eq!(cookie.same_site().map(|same| same.to_string()), Some("Lax".to_owned()));
    assert_eq!(browser.script("return document.cookie"), "", "scripts see no cookie");
    let first = cookie.value().to_owned();
    assert_eq!(status(&server, "/account", &first), 200);

    browser.click(ADMIN);
    browser.see("You are signed in as admin.");
    browser.click("Sign out");
    browser.see("You are signed out.");
    assert_eq!(session(&browser), None);
    assert_eq!(status(&server, "/account", &first), 303, "the old session is over");

    // What only somebody may see leads to the door, and from there to itself.
    browser.open(&at(&server, "/users"));
    browser.reach("/login");
    browser.fill("Name", ADMIN);
    browser.fill("Password", "not the one that it is");
    browser.click("Sign in");
    browser.see("The name or the password is wrong.");
    assert_eq!(session(&browser), None);
    browser.fill("Password", PASSWORD);
    browser.click("Sign in");
    browser.reach("/users");
    browser.see("Make an account");
    assert_ne!(session(&browser), Some(first), "each session has a secret of its own");

    // Back after signing out: what is shown again is not what only they may see.
    browser.open(&at(&server, "/account"));
    browser.click("Sign out");
    browser.see("You are signed out.");
    browser.open(&at(&server, "/account"));
    browser.reach("/login");
    // Nobody is led elsewhere by a link to the door.
    for elsewhere in
        ["//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"]
    {
        let next: String = url::form_urlencoded::byte_serialize(elsewhere.as_bytes()).collect();
        browser.open(&at(&server, &format!("/login?next={next}")));
        browser.fill("Name", ADMIN);
        browser.fill("Password", PASSWORD);
        browser.click("Sign in");
        browser.until("somebody is signed in", || session(&browser).is_some());
        let reached = browser.at();
        assert!(reached.starts_with(&server.base) && !reached.contains("evil"), "{reached}");
        browser.forget_cookies();
    }
}

#[test]
fn a_reader_reads_and_no_more() {
    let Some(browser) = Browser::start() else { return };
    let shelf = Shelf::new();
    let (follower, server, site) = followed(&shelf);
    for (name, role) in [(ADMIN, "admin"), (READER, "reader")] {
        account(binary(), follower.folder.path(), name, role);
    }
    let page = format!("/sites/{}", key(&site));
    browser.open(&at(&server, "/login"));
    browser.fill("Name", READER);
    browser.fill("Password", PASSWORD);
    browser.click("Sign in");
    browser.reach("/");
    browser.see("The shelf");
    let forbidden = [
        "Add",
        "Add a site",
        "Copies",
        "Check now",
        "Pause",
        "Go on",
        "Remove",
        "Settings",
        "Follow those",
    ];
    for path in ["/", &page, "/search", "/subscriptions", "/account"] {
        browser.open(&at(&server, path));
        for name in forbidden {
            assert!(!browser.has(name), "{path} has {name:?}");
        }
    }
    assert!(!browser.has("Accounts") && !browser.has("Tokens"));
    for path in ["/add", "/users", "/tokens", "/log", &format!("{page}/remove")] {
        browser.open(&at(&server, path));
        browser.see("Not allowed");
    }
    // By hand, with all that a form of theirs has.
    browser.open(&at(&server, "/account"));
    let guard = browser.script("return document.querySelector('input[name=guard]').value");
    let guard = guard.as_str().unwrap();
    let session = session(&browser).unwrap();
    let headers = format!(
        "Cookie: {SESSION}={session}\r\nOrigin: http://{}\r\nSec-Fetch-Site: same-origin\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n",
        server.address
    );
    for (path, fields) in [
        ("/add", "url=http://127.0.0.1/"),
        (&format!("{page}/poll"), ""),
        (&format!("{page}/pause"), "paused=on"),
        (&format!("{page}/settings"), "titles=1"),
        (&format!("{page}/collections"), ""),
        (&format!("{page}/remove"), ""),
        ("/users", "name=eve&role=admin"),
        ("/users/1", "role=reader"),
        ("/users/1/remove", ""),
        ("/tokens", "name=eve&scope=admin"),
        ("/tokens/remove", "name=eve"),
    ] {
        let body = format!("guard={guard}&{fields}");
        let answer = server.request("POST", path, &headers, &body);
        assert_eq!(answer.status, 403, "{path}: {}", answer.head);
        // Nor is anybody let in who has no guard, or one of somebody else.
        let other = server.request("POST", path, &headers, &format!("guard=x&{fields}"));
        assert_eq!(other.status, 403, "{path}: {}", other.head);
    }
    assert_eq!(follower.sites().len(), 1);
}
