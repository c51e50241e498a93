//! `/sitemap.xml`: the protocol of sitemaps.org, times, limits.

use std::collections::BTreeSet;
use std::fs;

use crate::content_root::{LAYOUTS, Layout, Page, Root, assert_schema, entries, set_time, w3c};

const BEGIN: u64 = 1_700_000_000;

#[test]
fn the_sitemap_is_well_formed_and_valid() {
    for layout in LAYOUTS {
        let aliases = ["a&b", "it's", "x/y", "über", "a;b=c", "(paren)", "~user", "a+b", "q!$*,:@"];
        let pages: Vec<Page<'_>> = aliases.iter().map(|alias| Page::new(alias)).collect();
        let root = Root::with(layout, &pages);
        let site = root.serve(&[]);
        let answer = site.get("/sitemap.xml");
        let kind = answer.header("content-type");
        assert_eq!(kind.as_deref(), Some("application/xml; charset=utf-8"));
        let text = answer.text();
        assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"), "{text}");
        assert!(!text.contains("changefreq") && !text.contains("priority"), "{text}");
        let locs: BTreeSet<String> =
            entries(&text, "url").into_iter().map(|(loc, _)| loc).collect();
        let expected: BTreeSet<String> = aliases
            .iter()
            .map(|alias| {
                let path = alias.replace('ü', "%C3%BC");
                format!("{}{path}", site.base)
            })
            .collect();
        assert_eq!(locs, expected, "{layout:?}");
        assert_schema(text.as_bytes(), "sitemap.xsd");
        for loc in locs {
            let path = loc.strip_prefix(site.origin()).unwrap();
            assert_eq!(site.status(path), 200, "{layout:?} {path}");
        }
    }
}

#[test]
fn only_markdown_is_listed() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("page")]);
        match layout {
            Layout::Versioned => {
                for (id, mime) in [(1, "image/png"), (2, "text/html"), (3, "text/plain")] {
                    let sidecar = format!("(alias: \"b{id}\", mime: \"{mime}\")");
                    root.version(id, 0, &sidecar, "blob");
                }
            }
            Layout::Plain => {
                for name in ["a.png", "b.html", "c.txt", "d.xml"] {
                    root.write(&format!("pages/{name}"), "blob");
                }
            }
        }
        let site = root.serve(&[]);
        assert_eq!(site.listed_paths(), ["/page".to_owned()].into(), "{layout:?}");
        assert!(site.text("/resourcesync/resourcelist.xml").matches("<url>").count() > 3);
    }
}

#[test]
fn a_page_without_an_alias_is_listed_by_its_id() {
    let root = Root::new();
    root.version(0x1122_3344_5566_7788, 0, &Page::new("x").alias("").sidecar(), "Words.\n");
    let site = root.serve(&[]);
    assert_eq!(site.listed_paths(), ["/id/1122334455667788".to_owned()].into());
    assert_eq!(site.status("/id/1122334455667788"), 200);
}

#[test]
fn lastmod_is_the_later_of_blob_and_sidecar() {
    let root = Root::new();
    for name in ["blob-later", "sidecar-later", "same"] {
        root.put(Layout::Versioned, &Page::new(name));
    }
    for (name, blob, sidecar) in [
        ("blob-later", BEGIN + 60, BEGIN),
        ("sidecar-later", BEGIN, BEGIN + 61),
        ("same", BEGIN, BEGIN),
    ] {
        let files = root.files(Layout::Versioned, name);
        set_time(&files[0], blob);
        set_time(&files[1], sidecar);
    }
    let site = root.serve(&[]);
    let listed = site.listed();
    assert_eq!(listed["/blob-later"], w3c(BEGIN + 60));
    assert_eq!(listed["/sidecar-later"], w3c(BEGIN + 61));
    assert_eq!(listed["/same"], w3c(BEGIN));
    // While it is served, too, and back in time as well.
    let files = root.files(Layout::Versioned, "same");
    for (file, time, lastmod) in [
        (1, BEGIN + 100, BEGIN + 100),
        (0, BEGIN + 200, BEGIN + 200),
        (0, BEGIN - 1, BEGIN + 100),
        (1, BEGIN - 2, BEGIN - 1),
    ] {
        set_time(&files[file], time);
        assert_eq!(site.listed()["/same"], w3c(lastmod));
    }
    let modified = site.get("/same").header("last-modified").unwrap();
    assert!(modified.ends_with(" GMT"), "{modified}");
}

#[test]
fn pages_that_are_not_to_be_indexed_are_left_out() {
    for layout in LAYOUTS {
        let root = Root::new();
        for (name, robots) in [
            ("open", ""),
            ("quiet", "noindex"),
            ("silent", "none"),
            ("loud", "NoIndex, nofollow"),
            ("kept", "noarchive"),
        ] {
            root.put(layout, &Page::new(name).robots(robots));
        }
        let site = root.serve(&[]);
        let expected = ["/open", "/kept"].map(str::to_owned);
        assert_eq!(site.listed_paths(), expected.into(), "{layout:?}");
        for (path, told) in
            [("/open", None), ("/quiet", Some("noindex")), ("/loud", Some("noindex, nofollow"))]
        {
            let answer = site.get(path);
            assert_eq!(answer.status, 200);
            assert_eq!(answer.header("x-robots-tag").as_deref(), told, "{path}");
            let is_marked = answer.text().contains("<meta name=\"robots\" content=\"noindex\">");
            assert_eq!(is_marked, told.is_some(), "{path}");
        }
        root.put(layout, &Page::new("open").robots("noindex"));
        root.put(layout, &Page::new("quiet"));
        let expected = ["/quiet", "/kept"].map(str::to_owned);
        assert_eq!(site.listed_paths(), expected.into(), "{layout:?}");
    }
}

#[test]
fn a_site_without_pages_has_a_sitemap_without_entries() {
    let site_root = Root::new();
    let site = site_root.serve(&[]);
    assert!(site.listed().is_empty());
    assert_eq!(site.status("/sitemap_index.xml"), 200);
}

#[test]
fn more_than_fifty_thousand_pages_are_in_parts() {
    const PAGES: usize = 50_123;
    let root = Root::new();
    for number in 0..PAGES {
        if number % 1_000 == 0 {
            fs::create_dir_all(root.path(&format!("pages/{}", number / 1_000))).unwrap();
        }
        let name = format!("pages/{}/{number}.md", number / 1_000);
        fs::File::create(root.path(&name)).unwrap();
    }
    let site = root.serve(&[]);
    let index = site.text("/sitemap.xml");
    assert_schema(index.as_bytes(), "siteindex.xsd");
    assert_eq!(site.text("/sitemap_index.xml"), index);
    let parts = entries(&index, "sitemap");
    assert!(parts.len() > 1, "{index}");
    let mut all = Vec::new();
    for (number, (loc, lastmod)) in parts.iter().enumerate() {
        assert_eq!(*loc, format!("{}sitemaps/sitemap-{:04}.xml", site.base, number + 1));
        let part = site.text(loc.strip_prefix(site.origin()).unwrap());
        assert!(part.len() <= 52_428_800, "{} bytes", part.len());
        assert_schema(part.as_bytes(), "sitemap.xsd");
        let entries = entries(&part, "url");
        assert!(!entries.is_empty() && entries.len() <= 50_000, "{}", entries.len());
        assert_eq!(entries.iter().map(|(_, lastmod)| lastmod).max(), Some(lastmod));
        all.extend(entries.into_iter().map(|(loc, _)| loc));
    }
    assert_eq!(all.len(), PAGES);
    let unique: BTreeSet<String> = all.into_iter().collect();
    assert_eq!(unique.len(), PAGES);
    for number in [0, 1, 999, 1_000, 25_000, PAGES - 1] {
        assert!(unique.contains(&format!("{}{}/{number}", site.base, number / 1_000)), "{number}");
    }
    let after = format!("/sitemaps/sitemap-{:04}.xml", parts.len() + 1);
    for wrong in [
        after.as_str(),
        "/sitemaps/sitemap-0000.xml",
        "/sitemaps/sitemap-1.xml",
        "/sitemaps/sitemap-00001.xml",
        "/sitemaps/sitemap--001.xml",
        "/sitemaps/sitemap-+001.xml",
        "/sitemaps/",
    ] {
        assert_eq!(site.status(wrong), 404, "{wrong}");
    }
    // The ResourceSync list is in parts as well, and has each page once.
    let index = site.text("/resourcesync/resourcelist.xml");
    assert!(index.contains("<sitemapindex"), "{}", &index[..400]);
    let mut count = 0;
    for part in index.split("<loc>").skip(1) {
        let loc = part.split('<').next().unwrap().replace("&amp;", "&");
        let part = site.text(loc.strip_prefix(site.origin()).unwrap());
        count += part.matches("<url>").count();
    }
    assert_eq!(count, PAGES);
    // And when some go, it is one file again, in the next response.
    for number in 0..500 {
        fs::remove_file(root.path(&format!("pages/0/{number}.md"))).unwrap();
    }
    assert_eq!(site.listed().len(), PAGES - 500);
}
