//! Each page has one URL; all others lead to it.

use crate::content_root::{LAYOUTS, Layout, Page, Root, id_of};

#[test]
fn each_spelling_leads_to_the_one_url() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("docs/guide"), Page::new("über")]);
        let site = root.serve(&[]);
        assert_eq!(site.status("/docs/guide"), 200);
        let mut ways = vec![
            ("/docs/guide/", "/docs/guide"),
            ("/Docs/GUIDE", "/docs/guide"),
            ("//docs//guide", "/docs/guide"),
            ("/docs/guid%65", "/docs/guide"),
            ("/docs/guide/?a=b&c=%2F", "/docs/guide?a=b&c=%2F"),
            ("/DOCS/guide?", "/docs/guide?"),
            ("/%c3%bcber", "/%C3%BCber"),
            ("/%C3%9CBER", "/%C3%BCber"),
        ];
        let id = format!("/id/{:016x}", id_of("docs/guide"));
        let (slash, query) = (format!("{id}/"), format!("{id}?x=1"));
        if layout == Layout::Versioned {
            ways.extend([
                (id.as_str(), "/docs/guide"),
                (slash.as_str(), "/docs/guide"),
                (query.as_str(), "/docs/guide?x=1"),
            ]);
        }
        for (asked, to) in ways {
            let answer = site.get(asked);
            assert_eq!(answer.status, 301, "{layout:?} {asked}: {}", answer.head);
            assert_eq!(answer.header("location").as_deref(), Some(to), "{layout:?} {asked}");
        }
        // A query of its own is the page's.
        assert_eq!(site.status("/docs/guide?a=b"), 200);
        let page = site.text("/docs/guide");
        let canonical = format!("<link rel=\"canonical\" href=\"{}docs/guide\">", site.base);
        assert!(page.contains(&canonical), "{page}");
    }
}

#[test]
fn a_redirect_never_leaves_the_site() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("evil.example/x"), Page::new("a")]);
        let site = root.serve(&[]);
        for target in
            ["//evil.example/x", "///evil.example/x/", "//a", "/a//", "/a/?//evil.example/"]
        {
            let answer = site.get(target);
            assert_eq!(answer.status, 301, "{target}");
            let to = answer.header("location").unwrap();
            assert!(to.starts_with('/') && !to.starts_with("//"), "{target}: {to}");
        }
    }
}

#[test]
fn the_home_page_is_at_the_root() {
    let root = Root::with(Layout::Plain, &[Page::new("docs/index").alias("docs/index")]);
    root.write("pages/index.md", "# Welcome\n");
    let site = root.serve(&[]);
    assert!(site.text("/").contains("Welcome"));
    assert_eq!(site.listed_paths(), ["/", "/docs"].map(str::to_owned).into());
    assert_eq!(site.status("/docs"), 200);

    // The other layout has an alias for it.
    let root = Root::with(Layout::Versioned, &[Page::new("index")]);
    let site = root.serve(&[]);
    assert_eq!(site.listed_paths(), ["/index".to_owned()].into());
    assert_eq!(site.get("/").header("location").as_deref(), Some("/index"));
    assert_eq!(site.status("/index"), 200);
}

#[test]
fn an_id_has_one_spelling() {
    let root = Root::new();
    root.version(0xaabb_ccdd_eeff_0011, 0, &Page::new("x").alias("").sidecar(), "Words.\n");
    let site = root.serve(&[]);
    assert_eq!(site.status("/id/aabbccddeeff0011"), 200);
    assert_eq!(site.status("/id/aabbccddeeff0011/"), 301);
    for other in
        ["/id/AABBCCDDEEFF0011", "/id/aabbccddeeff011", "/id/", "/id", "/ID/aabbccddeeff0011"]
    {
        assert_eq!(site.status(other), 404, "{other}");
    }
}
