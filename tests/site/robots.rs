//! `/robots.txt`: what it says, and what crawlers make of it.

use std::fs;

use serde_json::Value;

use crate::content_root::{LAYOUTS, Layout, Page, Root, Site};
use crate::support::{run, stderr};

#[test]
fn robots_txt_is_as_it_should_be() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("a")]);
        let site = root.serve(&[]);
        let answer = site.get("/robots.txt");
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type").as_deref(), Some("text/plain; charset=utf-8"));
        let text = answer.text();
        let lines: Vec<&str> = text.lines().collect();
        for line in ["User-agent: *", "Disallow: /login/", "Disallow: /api/", "Disallow: /builtin/"]
        {
            assert!(lines.contains(&line), "{text}");
        }
        assert!(lines.contains(&"Allow: /"), "{text}");
        let sitemap = format!("Sitemap: {}sitemap.xml", site.base);
        assert_eq!(lines.last(), Some(&sitemap.as_str()));
        assert_eq!(text.matches("Sitemap:").count(), 1);
    }
}

#[test]
fn robots_txt_never_tells_the_admin_path() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("a")]);
        let made = root.serve(&[]);
        let (admin, text) = (made.admin().to_owned(), made.text("/robots.txt"));
        assert!(!text.contains(&admin) && !text.contains("admin"), "{text}");
        assert_eq!(text.matches("Disallow:").count(), 3, "{text}");
        // Nor to those who may know it, nor one that was chosen.
        let session = made.sign_in_admin();
        assert!(!made.get_with("/robots.txt", &session).text().contains(&admin));
        made.stop();
        let chosen = root.serve(&["--admin-path", "/back-room/"]);
        assert_eq!(chosen.text("/robots.txt").matches("Disallow:").count(), 3);
        assert!(!chosen.text("/robots.txt").contains("back-room"));
    }
}

/// What the rules allow of these paths, by the matcher that copies and crawls go by.
fn verdicts(site: &Site, paths: &[String]) -> Vec<bool> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), site.get("/robots.txt").body).unwrap();
    let file = file.path().to_str().unwrap().to_owned();
    let urls: Vec<String> = paths.iter().map(|path| format!("{}{path}", site.origin())).collect();
    let arguments = ["robots", "--json", "--agent", "Googlebot", "--file", &file];
    let output = run(arguments.into_iter().chain(urls.iter().map(String::as_str)));
    let found: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    let urls = found["urls"].as_array().unwrap();
    urls.iter().map(|url| url["allowed"].as_bool().unwrap()).collect()
}

#[test]
fn what_is_listed_may_be_crawled_and_what_is_reserved_may_not() {
    for layout in LAYOUTS {
        let names =
            ["a", "apis/b", "loginx", "x/login/y", "built-in", "robots.txt/more", "a&b", "ä"];
        let pages: Vec<Page<'_>> = names.iter().map(|name| Page::new(name)).collect();
        let root = Root::with(layout, &pages);
        if layout == Layout::Versioned {
            root.put(layout, &Page::new("nameless").alias(""));
        }
        let site = root.serve(&[]);
        let listed: Vec<String> = site.listed_paths().into_iter().collect();
        assert!(listed.len() >= names.len(), "{listed:?}");
        assert!(verdicts(&site, &listed).into_iter().all(|allowed| allowed), "{listed:?}");
        let kept =
            ["/login/", "/login/x", "/api/", "/api/v1?x", "/builtin/", "/builtin/search?q=a"]
                .map(str::to_owned);
        assert!(verdicts(&site, &kept).into_iter().all(|allowed| !allowed), "{kept:?}");
        // What a crawler needs to find and to show pages is open to it.
        let open = [
            "/",
            "/robots.txt",
            "/sitemap.xml",
            "/sitemaps/sitemap-0001.xml",
            "/feed.atom",
            "/builtin/theme/style.css",
            "/.well-known/resourcesync",
            "/resourcesync/changelist.xml",
            "/id/0011223344556677",
        ]
        .map(str::to_owned);
        assert!(verdicts(&site, &open).into_iter().all(|allowed| allowed), "{open:?}");
    }
}
