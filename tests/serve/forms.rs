//! Forms: taken only from pages of ours, filled by whoever got them.

use std::path::Path;

use crate::browser::{Tab, to};
use crate::stage::{COLLECTION, SITE, with_batches};

/// Every form of every page: where it is sent, and what it would do. An upload is a form of another kind.
const FORMS: [(&str, &[(&str, &str)]); 28] = [
    ("/add", &[("url", "http://127.0.0.1:9/")]),
    ("/add/none/follow", &[]),
    ("/sites/SITE/poll", &[]),
    ("/sites/SITE/pause", &[("paused", "on")]),
    ("/sites/SITE/settings", &[("titles", "3")]),
    ("/sites/SITE/collections", &[("collection", "x")]),
    ("/sites/SITE/remove", &[]),
    ("/sites/SITE/feed", &[("left_out", "on")]),
    ("/searches", &[("name", "x"), ("query", "?text=x")]),
    ("/searches/1/remove", &[]),
    ("/login", &[("name", "ann"), ("password", "a long password")]),
    ("/logout", &[]),
    ("/setup", &[("name", "eve"), ("password", "a long password"), ("again", "a long password")]),
    ("/account/password", &[("old", "x"), ("password", "another password")]),
    ("/account/sessions", &[]),
    ("/tokens", &[("name", "evil"), ("scope", "admin")]),
    ("/tokens/remove", &[("name", "x")]),
    ("/users", &[("name", "eve"), ("role", "admin")]),
    ("/users/1", &[("role", "reader")]),
    ("/users/1/remove", &[]),
    ("/robots", &[("url", "http://127.0.0.1:9/"), ("text", "User-agent: *")]),
    ("/copies/forget", &[("key", "x")]),
    ("/webfeeds/import", &[("list", "http://127.0.0.1:9/index.txt")]),
    ("/webfeeds/read", &[("until", "1")]),
    ("/webfeeds/SITE/tiles", &[("tiles", "1")]),
    ("/webfeeds/posts/1/unread", &[]),
    ("/webfeeds/posts/1/retry", &[]),
    ("/webfeeds/posts/1/follow", &[]),
];

fn path(form: &str) -> String {
    form.replace("SITE", SITE)
}

/// What pages do not show is not forgotten here.
#[test]
fn the_list_of_forms_is_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tidings-serve/src");
    let routes: usize = ["pages/mod.rs", "tools.rs", "webfeeds.rs"]
        .iter()
        .map(|name| {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            text.matches("post(").count() - text.matches("store.post(").count()
        })
        .sum();
    // The form for how pages look changes nothing but a cookie; uploads are tried below, and with the
    // tools.
    assert_eq!(routes, FORMS.len() + 3, "a form is missing in the list, or in the pages");
}

/// W8: six ways to have somebody else's browser send a form, for every form.
#[test]
fn forged_and_replayed_forms_are_refused() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let tab = Tab::new(&server);
    let own = tab.guard("/add");
    let other = Tab::new(&server).guard("/add");
    assert_ne!(own, other);
    let host = &server.address;
    for (form, fields) in FORMS {
        let path = path(form);
        let refused = |what: &str, answer: crate::support::follower::Answer| {
            assert!(matches!(answer.status, 403 | 415), "{what} {path}: {}", answer.head);
            assert!(answer.text().contains("<h1>"), "{what} {path}");
        };
        let kind = "Content-Type: application/x-www-form-urlencoded\r\n";
        refused("without a guard", tab.ask("POST", &path, kind, "a=b"));
        refused("empty", tab.post(&path, "", fields, ""));
        refused("of nobody", tab.post(&path, &"A".repeat(43), fields, ""));
        refused("of somebody else", tab.post(&path, &other, fields, ""));
        refused(
            "from elsewhere",
            tab.post(&path, &own, fields, "Origin: https://evil.example\r\n"),
        );
        refused("from nowhere", tab.post(&path, &own, fields, "Origin: null\r\n"));
        let port = format!("Origin: http://127.0.0.1:1{}\r\n", host.rsplit(':').next().unwrap());
        refused("from a neighbour", tab.post(&path, &own, fields, &port));
        let cross = "Sec-Fetch-Site: cross-site\r\n";
        refused("as the browser says", tab.post(&path, &own, fields, cross));
        refused("as a sibling", tab.post(&path, &own, fields, "Sec-Fetch-Site: same-site\r\n"));
        let body = format!("guard={own}");
        refused("as text", tab.ask("POST", &path, "Content-Type: text/plain\r\n", &body));
        refused("as JSON", tab.ask("POST", &path, "Content-Type: application/json\r\n", "{}"));
        refused("without a type", tab.ask("POST", &path, "", &body));
        // A link does nothing.
        let linked = tab.get(&path);
        let leads = linked.header("location").unwrap_or_default();
        assert!(linked.status != 303 || leads == "/setup", "{path} leads to {leads}");
    }
    // Nothing of all that had an effect.
    assert_eq!(tab.get(&format!("/sites/{SITE}")).status, 200);
    assert_eq!(follower.sites()[0]["state"], "well");
    assert!(follower.json(&["token", "list"])["tokens"].as_array().unwrap().is_empty());
    assert!(follower.json(&["user", "list"])["users"].as_array().unwrap().is_empty());
}

#[test]
fn a_form_of_a_session_that_is_over_is_refused() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let tab = Tab::new(&server);
    let password = "a long password";
    let made = tab.send(
        "/setup",
        "/setup",
        &[("name", "ann"), ("password", password), ("again", password)],
    );
    assert_eq!(to(&made), "/?said=welcome");
    let guard = tab.guard("/add");
    let session = tab.cookie("tidings-session").unwrap();
    let path = format!("/sites/{SITE}/pause");
    assert_eq!(tab.post(&path, &guard, &[("paused", "on")], "").status, 303);
    assert!(to(&tab.post("/logout", &guard, &[], "")).starts_with("/login"));
    // The same again, with the cookie and the guard of then.
    tab.cookies.borrow_mut().insert("tidings-session".to_owned(), session);
    let answer = tab.post(&path, &guard, &[("paused", "off")], "");
    assert_eq!(answer.status, 403, "{}", answer.text());
    assert_eq!(follower.sites()[0]["state"], "paused");
}

#[test]
fn an_upload_is_guarded_like_any_form() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let tab = Tab::new(&server);
    let guard = tab.guard("/subscriptions");
    let list = "<opml version=\"2.0\"><body/></opml>";
    let part = |name: &str, value: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let kind = "Content-Type: multipart/form-data; boundary=x\r\n";
    let send = |body: &str, more: &str| {
        tab.ask("POST", "/subscriptions", &format!("{kind}{more}"), &format!("{body}--x--\r\n"))
    };
    let whole = part("guard", &guard) + &part("list", list);
    assert_eq!(send(&part("list", list), "").status, 403);
    assert_eq!(send(&(part("guard", "wrong") + &part("list", list)), "").status, 403);
    assert_eq!(send(&(part("list", list) + &part("guard", &guard)), "").status, 403, "too late");
    assert_eq!(send(&whole, "Origin: https://evil.example\r\n").status, 403);
    assert_eq!(send(&whole, "Sec-Fetch-Site: cross-site\r\n").status, 403);
    assert!(to(&send(&whole, "")).starts_with("/subscriptions/"));
    let junk = part("guard", &guard) + &part("list", "no list");
    assert_eq!(send(&junk, "").status, 400);
    // Too large: refused before it is sent.
    let huge = format!(
        "POST /subscriptions HTTP/1.1\r\nHost: {}\r\nContent-Length: 1000000000\r\nConnection: close\r\n{kind}\r\n",
        server.address
    );
    let (head, _) = server.ask(&huge);
    assert!(head.contains(" 413 "), "{head}");
}

#[test]
fn two_people_who_edit_one_site_do_not_undo_each_other() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let (ann, bob) = (Tab::new(&server), Tab::new(&server));
    let page = format!("/sites/{SITE}");
    let version = |tab: &Tab<'_>| {
        let text = tab.get(&page).text();
        let at = text.find("name=\"version\" value=\"").unwrap();
        let value = text[at..].split('"').nth(3).unwrap();
        value.replace("&#34;", "\"").replace("&#38;", "&")
    };
    let (of_ann, of_bob) = (version(&ann), version(&bob));
    let path = format!("{page}/settings");
    let saved = ann.send(&page, &path, &[("version", &of_ann), ("titles", "7"), ("diff", "on")]);
    assert_eq!(to(&saved), format!("{page}?said=saved"));
    let late = bob.send(&page, &path, &[("version", &of_bob), ("titles", "9")]);
    assert_eq!(late.status, 409);
    assert!(late.text().contains("changed since you loaded the page"));
    let settings = &follower.sites()[0]["settings"];
    assert_eq!((settings["titles"].as_u64(), settings["diff"].as_bool()), (Some(7), Some(true)));
    // With what there is now, it works; and what is no number is said.
    let again = version(&bob);
    for (field, value) in
        [("titles", "many"), ("titles", "101"), ("every", "often"), ("every", "-1")]
    {
        let fields = [("version", again.as_str()), (field, value), ("titles", "9")];
        assert_eq!(bob.send(&page, &path, &fields).status, 400, "{field} {value}");
    }
    let saved = bob.send(&page, &path, &[("version", &again), ("titles", "9"), ("every", "1.5")]);
    assert_eq!(saved.status, 303);
    assert_eq!(follower.sites()[0]["settings"]["every"], 5_400_000);
}

#[test]
fn a_site_that_was_removed_says_so_everywhere() {
    let (follower, _store) = with_batches(2);
    let server = follower.serve(&["--no-poll"]);
    let tab = Tab::new(&server);
    let (page, batch) = (format!("/sites/{SITE}"), format!("/collections/{COLLECTION}/batches/1"));
    let guard = tab.guard(&page);
    assert_eq!(tab.get(&batch).status, 200);
    assert_eq!(to(&tab.post(&format!("{page}/remove"), &guard, &[], "")), "/?said=removed");
    for path in
        [page.clone(), format!("{page}/remove"), format!("/collections/{COLLECTION}"), batch]
    {
        let answer = tab.get(&path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.text().contains("not followed"), "{path}: {}", answer.text());
    }
    for form in ["poll", "pause", "settings", "collections", "remove"] {
        let answer = tab.post(&format!("{page}/{form}"), &guard, &[("titles", "1")], "");
        assert_eq!(answer.status, 404, "{form}");
    }
}

#[test]
fn where_a_form_leads_back_is_always_here() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let tab = Tab::new(&server);
    for (next, expected) in [
        ("/search?text=a", "/search?text=a"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example/", "/"),
        ("\\\\evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("/a\r\nX: y", "/"),
        ("", "/"),
    ] {
        let answer = tab.send("/", "/look", &[("theme", "dark"), ("next", next)]);
        assert_eq!(to(&answer), expected, "{next}");
    }
    assert!(tab.get("/").text().contains("data-theme=\"dark\""));
}
