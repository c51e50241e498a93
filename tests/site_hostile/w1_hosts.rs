//! W1: the host of a request is in each absolute URL of its answer, and comes from whoever asks.

use crate::content_root::{LAYOUTS, Layout, Page, Root, Site, entries};
use crate::support::follower::Answer;

const PATHS: [&str; 6] = [
    "/robots.txt",
    "/sitemap.xml",
    "/feed.atom",
    "/.well-known/resourcesync",
    "/resourcesync/resourcelist.xml",
    "/a",
];

fn asked(site: &Site, target: &str, headers: &str) -> Answer {
    site.raw(format!("GET {target} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").as_bytes())
}

/// Refused, and without a word of what was sent.
#[track_caller]
fn assert_refused(site: &Site, headers: &str, never: &str) {
    for path in PATHS {
        let answer = asked(site, path, headers);
        assert_eq!(answer.status, 400, "{path} {headers:?}: {}", answer.head);
        let all = format!("{}{}", answer.head, String::from_utf8_lossy(&answer.body));
        assert!(!all.contains(never), "{path} {headers:?}: {all}");
    }
}

#[test]
fn w1_what_is_no_host_is_refused() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("a")]);
        let site = root.serve(&[]);
        for (host, never) in [
            ("\"><script>alert(1)</script>", "script"),
            ("a.example\"/><x>", "a.example"),
            ("user@a.example", "a.example"),
            ("user:word@a.example", "a.example"),
            ("a b.example", "b.example"),
            ("a.example/path", "a.example"),
            ("a.example?x", "a.example"),
            ("a.example#x", "a.example"),
            ("a.example\\x", "a.example"),
            ("a.example:80x", "a.example"),
            ("a.example:-1", "a.example"),
            ("a.example:99999", "a.example"),
            ("a.example:80:80", "a.example"),
            ("a.example, b.example", "b.example"),
            ("a&amp;.example", "&amp;."),
            ("a%2eexample", "%2e"),
            ("a..example", "a..example"),
            ("[::1", "[::1"),
            ("::1", "::1\n"),
            ("[fe80::1%25eth0]", "eth0"),
            ("[::1]x", "[::1]x"),
            ("ex\u{e4}mple.example", "mple.example"),
            ("1.2.3.4.5", "1.2.3.4.5"),
            ("'", "'s host"),
            ("<", "<x"),
        ] {
            assert_refused(&site, &format!("Host: {host}\r\n"), never);
        }
    }
}

#[test]
fn w1_none_and_two_hosts_are_refused() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let site = root.serve(&[]);
    assert_refused(&site, "", "never");
    assert_refused(&site, "Host: a.example\r\nHost: b.example\r\n", "b.example");
    assert_refused(&site, "Host: a.example\r\nhost: a.example\r\n", "a.example");
    assert_refused(&site, "Host:\r\n", "never");
    // HTTP/1.0 needs none, and is answered for the address itself.
    let answer = site.raw(b"GET /robots.txt HTTP/1.0\r\n\r\n");
    assert_eq!(answer.status, 200);
    assert!(answer.text().contains(&format!("Sitemap: {}sitemap.xml", site.base)));
}

#[test]
fn w1_line_ends_in_a_host_split_nothing() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let site = root.serve(&[]);
    for host in [
        "a.example\r\n X-Injected: yes",
        "a.example\rX-Injected: yes",
        "a.example\nX-Injected: yes",
        "a.example\u{0}",
        "a.example%0d%0aX-Injected:%20yes",
        "a.example\u{b}",
    ] {
        let answer = asked(&site, "/sitemap.xml", &format!("Host: {host}\r\n"));
        assert!(!answer.head.to_lowercase().contains("x-injected"), "{host:?}: {}", answer.head);
        if answer.status == 200 {
            // A line of its own is a header of its own, and the host is what is before it.
            assert!(host.contains('\n') && !host.contains('\r'), "{host:?}");
            assert!(answer.text().contains("<loc>http://a.example/a</loc>"));
        } else {
            assert_eq!(answer.status, 400, "{host:?}");
        }
    }
}

#[test]
fn w1_a_long_host_is_refused_or_whole() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let site = root.serve(&[]);
    let label = "a".repeat(63);
    let longest = [label.as_str(); 3].join(".") + ".example";
    let answer = asked(&site, "/sitemap.xml", &format!("Host: {longest}\r\n"));
    assert_eq!(entries(&answer.text(), "url")[0].0, format!("http://{longest}/a"));
    for host in [format!("{label}a.example"), "a.".repeat(500) + "example", "a".repeat(100_000)] {
        let answer = asked(&site, "/sitemap.xml", &format!("Host: {host}\r\n"));
        assert!(matches!(answer.status, 400 | 413 | 431 | 0), "{}", answer.head);
        assert!(!String::from_utf8_lossy(&answer.body).contains("aaa"));
    }
}

#[test]
fn w1_hosts_of_all_kinds_are_told_in_one_spelling() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let site = root.serve(&[]);
    for (host, origin) in [
        ("A.Example", "http://a.example"),
        ("a.example:80", "http://a.example"),
        ("a.example:", "http://a.example"),
        ("a.example:08080", "http://a.example:8080"),
        ("[::1]", "http://[::1]"),
        ("[2001:DB8:0:0:0:0:0:1]:8080", "http://[2001:db8::1]:8080"),
        ("192.0.2.1:81", "http://192.0.2.1:81"),
        ("my_host", "http://my_host"),
    ] {
        let answer = asked(&site, "/sitemap.xml", &format!("Host: {host}\r\n"));
        assert_eq!(entries(&answer.text(), "url")[0].0, format!("{origin}/a"), "{host}");
        let robots = asked(&site, "/robots.txt", &format!("Host: {host}\r\n")).text();
        assert!(robots.ends_with(&format!("Sitemap: {origin}/sitemap.xml\n")), "{robots}");
    }
}

#[test]
fn w1_a_whole_url_as_target_names_the_host() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let site = root.serve(&[]);
    // RFC 9112, section 3.2.2: it counts, and `Host` does not.
    let answer = asked(&site, "http://b.example:81/sitemap.xml", "Host: a.example\r\n");
    assert_eq!(entries(&answer.text(), "url")[0].0, "http://b.example:81/a");
    for target in [
        "http://user@b.example/sitemap.xml",
        "http://user:word@b.example/sitemap.xml",
        "http://b..example/sitemap.xml",
        "http://b.example:99999/sitemap.xml",
        "http:///sitemap.xml",
    ] {
        let answer = asked(&site, target, "Host: a.example\r\n");
        assert!(matches!(answer.status, 400 | 404), "{target}: {}", answer.head);
        assert!(!String::from_utf8_lossy(&answer.body).contains("b.example"), "{target}");
    }
    let answer =
        asked(&site, "http://b.example/sitemap.xml", "Host: a.example\r\nHost: b.example\r\n");
    assert_eq!(answer.status, 400);
}

#[test]
fn w1_only_a_trusted_proxy_is_believed() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let told = [
        "X-Forwarded-Host: public.example\r\nX-Forwarded-Proto: https\r\n",
        "Forwarded: for=192.0.2.1;host=public.example;proto=https\r\n",
        "Forwarded: host=\"evil.example\", for=192.0.2.1;proto=https;host=\"public.example\"\r\n",
        "X-Forwarded-Host: evil.example, public.example\r\nX-Forwarded-Proto: http, https\r\n",
    ];
    let site = root.serve(&[]);
    for headers in told {
        let listed = site.get_with("/sitemap.xml", headers).text();
        assert_eq!(entries(&listed, "url")[0].0, format!("{}a", site.base), "{headers}");
        let robots = site.get_with("/robots.txt", headers).text();
        assert!(!robots.contains("public.example") && !robots.contains("https"), "{robots}");
    }
    site.stop();
    let site = root.serve(&["--trust-proxy", "127.0.0.1"]);
    for headers in told {
        let listed = site.get_with("/sitemap.xml", headers).text();
        assert_eq!(entries(&listed, "url")[0].0, "https://public.example/a", "{headers}");
    }
    // What it says has to be a host all the same.
    for headers in [
        "X-Forwarded-Host: \"><script>\r\n",
        "X-Forwarded-Host: user@public.example\r\n",
        "X-Forwarded-Host: a.example/x\r\n",
        "Forwarded: host=\"a b\"\r\n",
        "Forwarded: host=\"<x>\";proto=https\r\n",
    ] {
        let answer = site.get_with("/sitemap.xml", headers);
        assert_eq!(answer.status, 400, "{headers}");
        assert!(!answer.text().contains("script"), "{headers}");
    }
    // A scheme is one of two.
    let answer = site.get_with("/sitemap.xml", "X-Forwarded-Proto: javascript\r\n");
    assert_eq!(entries(&answer.text(), "url")[0].0, format!("{}a", site.base));
    site.stop();
    let site = root.serve(&["--trust-proxy", "192.0.2.0/24"]);
    let listed = site.get_with("/sitemap.xml", told[0]).text();
    assert_eq!(entries(&listed, "url")[0].0, format!("{}a", site.base));
}
