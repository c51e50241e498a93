//! W3: nothing that a stranger can reach says where the administration is.

use std::collections::{BTreeSet, VecDeque};

use crate::content_root::{LAYOUTS, Page, Root, Site, id_of};
use crate::support::follower::Answer;

/// What an answer refers to on this site: in its head, and in HTML, XML, CSS and links of any kind.
fn references(site: &Site, answer: &Answer) -> Vec<String> {
    let text = format!("{}\n{}", answer.head, String::from_utf8_lossy(&answer.body));
    let mut found = Vec::new();
    for (before, after) in [
        ("href=\"", "\""),
        ("src=\"", "\""),
        ("action=\"", "\""),
        ("<loc>", "<"),
        ("url(", ")"),
        ("<http", ">"),
        ("ocation: ", "\r"),
        ("ocation: ", "\n"),
        ("<id>", "<"),
        ("Sitemap: ", "\n"),
    ] {
        for rest in text.split(before).skip(1) {
            let value = rest.split(after).next().unwrap_or_default().trim().replace("&amp;", "&");
            let value = if before == "<http" { format!("http{value}") } else { value };
            let value = value.trim_matches(['"', '\'']);
            let path = value.strip_prefix(site.origin()).unwrap_or(value);
            if path.starts_with('/') && !path.starts_with("//") {
                found.push(path.split('#').next().unwrap_or_default().to_owned());
            }
        }
    }
    found
}

#[track_caller]
fn assert_silent(what: &str, answer: &Answer, admin: &str) {
    let head = answer.head.to_lowercase();
    let body = String::from_utf8_lossy(&answer.body).to_lowercase();
    assert!(!head.contains(admin) && !body.contains(admin), "{what}: {head}");
}

#[test]
fn w3_nothing_that_can_be_reached_tells_the_admin_path() {
    for layout in LAYOUTS {
        let root = Root::new();
        for number in 0..20 {
            let name = format!("page-{number}");
            let next = format!("[next](/page-{})\n", number + 1);
            root.put(layout, &Page::new(&name).in_navigation(&name).says(&next));
        }
        // Somebody tried to take it, which must not show either.
        let site = root.serve(&[]);
        let admin = site.admin().to_owned();
        root.put(layout, &Page::new("thief").alias(&admin).says("CANARY\n"));
        root.put(layout, &Page::new("below").alias(&format!("{admin}/x")).says("CANARY\n"));
        root.put(layout, &Page::new("page-3").in_navigation("Three").says("Edited.\n"));
        root.remove(layout, "page-4");
        root.write("themes/tidings/page.html", "{% extends 'builtin/page.html' %}");
        let reader = site.sign_in_as(&root, "ann", &["staff"]);
        for who in ["", &reader] {
            let mut queue: VecDeque<String> = [
                "/",
                "/robots.txt",
                "/sitemap.xml",
                "/sitemap_index.xml",
                "/feed.atom",
                "/login/",
                "/login",
                "/.well-known/resourcesync",
                "/builtin/search?q=page",
                "/missing",
                "/page-0",
                "/page-4",
                "/resourcesync/resourcedump-part.zip",
                "/api/",
                "/builtin/",
                "/id/",
                "/%zz",
                "/..",
            ]
            .map(str::to_owned)
            .into();
            queue.push_back(format!("/builtin/timegate/{:016x}", id_of("page-0")));
            queue.push_back(format!("/builtin/timemap/{:016x}", id_of("page-0")));
            // What a search for it finds says again what was asked for, and nothing else does.
            let mut seen: BTreeSet<String> = queue.iter().cloned().collect();
            while let Some(path) = queue.pop_front() {
                let answer = site.get_with(&path, who);
                assert_silent(&path, &answer, &admin);
                for reference in references(&site, &answer) {
                    if seen.len() < 2_000 && seen.insert(reference.clone()) {
                        queue.push_back(reference);
                    }
                }
            }
            assert!(
                seen.contains("/page-19") && seen.contains("/resourcesync/changelist.xml"),
                "{seen:?}"
            );
            assert!(seen.iter().any(|path| path.starts_with("/builtin/theme/")), "{seen:?}");
        }
        for (what, answer) in [
            ("no host", site.raw(b"GET / HTTP/1.1\r\n\r\n")),
            ("no HTTP", site.raw(b"nonsense\r\n\r\n")),
            ("a method", site.request("DELETE", "/page-0", "", "")),
            ("a form", site.request("POST", "/login/", "", "name=admin&password=x")),
            ("a long path", site.get(&format!("/{}", "a".repeat(60_000)))),
            (
                "a date",
                site.get_with(
                    &format!("/builtin/timegate/{:016x}", id_of("page-0")),
                    "Accept-Datetime: x\r\n",
                ),
            ),
            ("the path itself", site.get(&format!("/{admin}/"))),
            ("the path without its slash", site.get(&format!("/{admin}"))),
            ("a form to it", site.request("POST", &format!("/{admin}/"), "", "x=y")),
            ("the taken alias", site.get(&format!("/{admin}/x"))),
        ] {
            assert_silent(what, &answer, &admin);
        }
    }
}

#[test]
fn w3_a_new_start_does_not_say_it_again() {
    let root = Root::new();
    let site = root.serve(&[]);
    let admin = site.admin().to_owned();
    assert!(admin.len() > 30, "{admin}");
    site.stop();
    let again = root.serve(&[]);
    assert!(again.ready["admin_path"].is_null() && again.ready["password"].is_null());
    let session = again.get(&format!("/{admin}/"));
    assert_eq!(session.status, 404);
    use std::os::unix::fs::PermissionsExt as _;
    for kept in ["admin-path", "accounts.db"] {
        let mode = std::fs::metadata(root.path(&format!("state/tidings/{kept}"))).unwrap();
        assert_eq!(mode.permissions().mode() & 0o077, 0, "{kept}");
    }
    // What is told about the content is told without it.
    root.put(crate::content_root::Layout::Plain, &Page::new("thief").alias(&admin));
    let output = root.check(&["--json"]);
    let text = crate::support::stdout(&output);
    assert!(text.contains("is reserved; take another one"), "{text}");
}
