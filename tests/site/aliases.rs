//! Reserved paths are nobody's alias, and aliases have one owner.

use serde_json::Value;

use crate::content_root::{LAYOUTS, Layout, Page, Root, id_of};

/// Each reserved path, and what is below those that take all below.
const RESERVED: [&str; 20] = [
    "robots.txt",
    "sitemap.xml",
    "sitemap_index.xml",
    "feed.atom",
    "sitemaps",
    "sitemaps/sitemap-0001.xml",
    "id",
    "id/0000000000000001",
    "login",
    "login/x",
    "builtin",
    "builtin/search",
    "api",
    "api/v1/x",
    "resourcesync",
    "resourcesync/changelist.xml",
    ".well-known",
    ".well-known/resourcesync",
    "back-room",
    "back-room/pages",
];

#[test]
fn no_alias_is_a_reserved_path() {
    for layout in LAYOUTS {
        let names: Vec<String> = (0..RESERVED.len()).map(|number| format!("n{number}")).collect();
        let pages: Vec<Page<'_>> = RESERVED
            .iter()
            .zip(&names)
            .map(|(alias, name)| Page::new(name).alias(alias).says("CANARY\n"))
            .collect();
        let root = Root::with(layout, &pages);
        root.put(layout, &Page::new("fine"));
        let site = root.serve(&["--admin-path", "back-room"]);
        assert_eq!(site.listed_paths(), ["/fine".to_owned()].into(), "{layout:?}");
        for path in RESERVED {
            let answer = site.get(&format!("/{path}"));
            assert!(!String::from_utf8_lossy(&answer.body).contains("CANARY"), "{layout:?} {path}");
        }
        // Such an object is not served by its id either.
        for name in &names {
            assert_eq!(site.status(&format!("/id/{:016x}", id_of(name))), 404, "{layout:?} {name}");
        }
        let findings = site.ready["findings"].as_array().unwrap();
        let count = findings.iter().filter(|one| one["fault"] == "reserved-alias").count();
        assert_eq!(count, RESERVED.len(), "{layout:?}: {findings:?}");
        // Which of them is that of the administration, nobody can tell.
        let output = root.check(&["--json", "--admin-path", "back-room"]);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        for one in found["findings"].as_array().unwrap() {
            let message = one["message"].as_str().unwrap();
            assert!(message.ends_with(" is reserved; take another one"), "{message}");
        }
    }
}

#[test]
fn files_of_the_plain_layout_take_no_reserved_path() {
    let root = Root::new();
    for path in [
        "robots.txt",
        "sitemap.xml",
        "feed.atom",
        "login/a.png",
        "Api/x.md",
        "BUILTIN/index.md",
        "id/index.md",
        "login.md",
        "back-room/x.html",
        "sitemaps/a.xml",
    ] {
        root.write(&format!("pages/{path}"), "CANARY");
    }
    root.write("pages/apis.md", "# Fine\n");
    let site = root.serve(&["--admin-path", "back-room"]);
    assert_eq!(site.listed_paths(), ["/apis".to_owned()].into());
    let list = site.text("/resourcesync/resourcelist.xml");
    assert_eq!(list.matches("<url>").count(), 1, "{list}");
    for path in ["/robots.txt", "/sitemap.xml", "/feed.atom", "/login", "/login/a.png", "/api/x"] {
        let body = site.get(path).body;
        assert!(!String::from_utf8_lossy(&body).contains("CANARY"), "{path}");
    }
}

#[test]
fn near_a_reserved_path_all_is_free() {
    let near = ["robots.txt/extra", "identity", "apis", "loginn", "x/api", "back-rooms", "sitemap"];
    for layout in LAYOUTS {
        let pages: Vec<Page<'_>> = near.iter().map(|alias| Page::new(alias)).collect();
        let root = Root::with(layout, &pages);
        let site = root.serve(&["--admin-path", "back-room"]);
        let expected: std::collections::BTreeSet<String> =
            near.iter().map(|alias| format!("/{alias}")).collect();
        assert_eq!(site.listed_paths(), expected, "{layout:?}");
        for alias in near {
            assert_eq!(site.status(&format!("/{alias}")), 200, "{layout:?} {alias}");
        }
    }
}

#[test]
fn of_two_with_one_alias_the_same_one_is_served_always() {
    for layout in LAYOUTS {
        let root = Root::new();
        root.put(layout, &Page::new("one").alias("same").says("First words.\n"));
        root.put(layout, &Page::new("two").alias("Same/").says("Second words.\n"));
        let site = root.serve(&[]);
        let served = site.text("/same");
        assert_eq!(site.listed_paths(), ["/same".to_owned()].into());
        site.stop();
        let site = root.serve(&[]);
        assert_eq!(site.text("/same").contains("First words."), served.contains("First words."));
        // It takes the place as soon as that is free.
        let (winner, other, words) = if served.contains("First words.") {
            ("one", "two", "Second words.")
        } else {
            ("two", "one", "First words.")
        };
        root.remove(layout, winner);
        assert!(site.text("/same").contains(words), "{layout:?} {other}");
        if layout == Layout::Versioned {
            assert_eq!(site.get(&format!("/id/{:016x}", id_of(other))).status, 301);
        }
    }
}
