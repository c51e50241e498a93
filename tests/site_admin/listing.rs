//! The overview, and the list of all that there is.

use std::fmt::Write as _;

use crate::stage::{Site, text_of};

#[test]
fn the_overview_counts_and_finds() {
    let site = Site::start(&[
        ("pages/index.md", "---\ntitle: Home\n---\n"),
        ("pages/quiet.md", "---\ntitle: Quiet\nrobots: noindex\n---\n"),
        ("pages/inner.md", "---\ntitle: Inner\nroles: [staff]\n---\n"),
        ("pages/draft.md", "---\ntitle: Draft\ndraft: true\n---\n"),
        ("pages/a.md", "---\ntitle: A\nalias: same\n---\n"),
        ("pages/b.md", "---\ntitle: B\nalias: same\n---\n"),
        ("pages/untitled.md", "no heading\n"),
        ("pages/x.png", "x"),
        ("themes/tidings/page.html", "{% if %}"),
    ]);
    let admin = site.admin();
    let page = admin.page("");
    let text = text_of(&page);
    for words in [
        "7 pages",
        "1 file",
        "2 restricted",
        "1 noindex",
        "Alias of another",
        "No title",
        "Theme (1)",
    ] {
        assert!(text.contains(words), "{words} is not in {text}");
    }
    for path in ["/robots.txt", "/sitemap.xml", "/feed.atom", "/.well-known/resourcesync"] {
        assert!(page.contains(&format!("href=\"{path}\"")), "{path}");
    }
    // A change is there with the next look.
    admin.done("new", &[("title", "Just made"), ("body", "x")]);
    let text = text_of(&admin.page(""));
    assert!(text.contains("created Just made"), "{text}");
    for (query, titles) in [
        ("q=inn", &["Inner"][..]),
        ("kind=file", &["x.png"]),
        ("access=roles", &["Inner"]),
        ("access=nobody", &["Draft"]),
        ("access=restricted", &["Draft", "Inner"]),
        ("index=no", &["Quiet"]),
        ("finding=no-title", &["untitled"]),
        ("q=nothing-like-that", &[]),
    ] {
        let page = admin.page(&format!("pages?{query}"));
        let found: Vec<&str> =
            page.split("<strong>").skip(1).map(|rest| rest.split('<').next().unwrap()).collect();
        assert_eq!(found, titles, "{query}");
    }
    assert!(text_of(&admin.page("pages?finding=duplicate-alias")).contains("not served"));
}

#[test]
fn many_objects_come_a_page_at_a_time() {
    let names: Vec<String> = (0..1_234).map(|number| format!("pages/p{number:05}.md")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "# One\n")).collect();
    let site = Site::start(&files);
    let admin = site.admin();
    let first = admin.page("pages");
    assert!(text_of(&first).contains("1 to 100 of 1,234"));
    assert_eq!(first.matches("<tr>").count(), 101);
    assert!(first.contains("/p00099\"") && !first.contains("/p00100\""));
    let mut seen = String::new();
    for page in 1..=13 {
        write!(seen, "{}", admin.page(&format!("pages?page={page}"))).unwrap();
    }
    for number in 0..1_234 {
        assert!(seen.contains(&format!("href=\"/p{number:05}\"")), "{number}");
    }
    // Further than there are is the last.
    for far in ["14", "18446744073709551615"] {
        let last = text_of(&admin.page(&format!("pages?page={far}")));
        assert!(last.contains("1,201 to 1,234 of 1,234"), "{last}");
    }
    assert!(text_of(&admin.page("pages?page=x&q=p0120")).contains("1 to 10 of 10"));
}
