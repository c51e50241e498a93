//! Pictures and other files: ranges, types, and what a browser may do with them.

use crate::content_root::{LAYOUTS, Layout, Page, Root, Site};

const DIGITS: &str = "0123456789";

fn served(layout: Layout) -> (Root, Site) {
    let root = Root::with(layout, &[Page::new("page")]);
    let large: Vec<u8> = (0..1_000_000_u32).map(|number| (number % 251) as u8).collect();
    let files: [(&str, &str, &[u8]); 7] = [
        ("digits.bin", "application/octet-stream", DIGITS.as_bytes()),
        ("large.bin", "application/octet-stream", &large),
        ("empty.bin", "application/octet-stream", b""),
        (
            "drawing.svg",
            "image/svg+xml",
            b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>",
        ),
        ("page.html", "text/html", b"<script>alert(1)</script>"),
        ("picture.png", "image/png", b"\x89PNG\r\n\x1a\n"),
        ("notes.txt", "text/plain", "ä".as_bytes()),
    ];
    for (number, (name, mime, bytes)) in files.iter().enumerate() {
        match layout {
            Layout::Plain => root.write(&format!("pages/{name}"), bytes),
            Layout::Versioned => root.version(
                number as u64 + 1,
                0,
                &format!("(alias: \"{name}\", mime: \"{mime}\")"),
                bytes,
            ),
        }
    }
    let site = root.serve(&[]);
    (root, site)
}

#[test]
fn a_range_of_a_file_is_sent() {
    for layout in LAYOUTS {
        let (_root, site) = served(layout);
        for (range, body, told) in [
            ("bytes=0-3", "0123", "bytes 0-3/10"),
            ("bytes=4-4", "4", "bytes 4-4/10"),
            ("bytes=7-", "789", "bytes 7-9/10"),
            ("bytes=-2", "89", "bytes 8-9/10"),
            ("bytes=-99", DIGITS, "bytes 0-9/10"),
            ("bytes=8-99", "89", "bytes 8-9/10"),
        ] {
            let answer = site.get_with("/digits.bin", &format!("Range: {range}\r\n"));
            assert_eq!((answer.status, answer.text().as_str()), (206, body), "{range}");
            assert_eq!(answer.header("content-range").as_deref(), Some(told), "{range}");
            assert_eq!(answer.header("content-length"), Some(body.len().to_string()));
        }
        let answer = site.get("/digits.bin");
        assert_eq!(answer.header("accept-ranges").as_deref(), Some("bytes"));
        assert_eq!(answer.text(), DIGITS);
        // Pieces of a large file make the whole.
        let whole = site.get("/large.bin").body;
        let mut pieces = Vec::new();
        for start in (0..whole.len()).step_by(300_001) {
            let range = format!("Range: bytes={start}-{}\r\n", start + 300_000);
            pieces.extend(site.get_with("/large.bin", &range).body);
        }
        assert!(pieces == whole, "{layout:?}");
    }
}

#[test]
fn a_range_that_is_not_there_is_refused() {
    for layout in LAYOUTS {
        let (_root, site) = served(layout);
        for range in ["bytes=10-", "bytes=99-100", "bytes=-0"] {
            let answer = site.get_with("/digits.bin", &format!("Range: {range}\r\n"));
            assert_eq!(answer.status, 416, "{range}");
            assert_eq!(answer.header("content-range").as_deref(), Some("bytes */10"), "{range}");
            assert!(answer.body.is_empty());
        }
        assert_eq!(site.get_with("/empty.bin", "Range: bytes=0-\r\n").status, 416);
        // What is no range, or several, is answered with all of it.
        for range in ["bytes=5-2", "bytes=a-b", "lines=1-2", "bytes=0-1,4-5", "bytes"] {
            let answer = site.get_with("/digits.bin", &format!("Range: {range}\r\n"));
            assert_eq!((answer.status, answer.text().as_str()), (200, DIGITS), "{range}");
        }
    }
}

#[test]
fn a_range_of_another_state_is_not_mixed_in() {
    for layout in LAYOUTS {
        let (root, site) = served(layout);
        let etag = site.get("/digits.bin").header("etag").unwrap();
        assert!(!etag.starts_with("W/"), "{etag}");
        let asked = format!("Range: bytes=5-\r\nIf-Range: {etag}\r\n");
        assert_eq!(site.get_with("/digits.bin", &asked).text(), "56789");
        let name = match layout {
            Layout::Plain => "pages/digits.bin".to_owned(),
            Layout::Versioned => crate::content_root::version_path(1, 0),
        };
        root.write(&name, "abcdefghij");
        let answer = site.get_with("/digits.bin", &asked);
        assert_eq!((answer.status, answer.text().as_str()), (200, "abcdefghij"), "{layout:?}");
        // What is known is known, whatever part of it is wanted.
        let etag = answer.header("etag").unwrap();
        let both = format!("Range: bytes=5-\r\nIf-None-Match: {etag}\r\n");
        let answer = site.get_with("/digits.bin", &both);
        assert_eq!((answer.status, answer.header("content-range")), (304, None));
    }
}

#[test]
fn a_date_in_if_range_is_understood() {
    // RFC 9110, section 13.1.5: a date is compared exactly; not to know it costs a whole transfer.
    for layout in LAYOUTS {
        let (_root, site) = served(layout);
        let asked = "Range: bytes=5-\r\nIf-Range: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
        assert_eq!(site.get_with("/digits.bin", asked).text(), DIGITS, "{layout:?}");
    }
}

#[test]
fn head_of_a_file_says_how_long_it_is() {
    for layout in LAYOUTS {
        let (_root, site) = served(layout);
        for (path, length) in [("/digits.bin", "10"), ("/large.bin", "1000000")] {
            let answer = site.request("HEAD", path, "", "");
            assert_eq!((answer.status, answer.body.len()), (200, 0));
            assert_eq!(answer.header("content-length").as_deref(), Some(length), "{path}");
            assert_eq!(answer.header("accept-ranges").as_deref(), Some("bytes"));
        }
        let answer = site.get("/empty.bin");
        assert_eq!((answer.status, answer.header("content-length").as_deref()), (200, Some("0")));
    }
}

#[test]
fn a_file_is_shown_without_the_rights_of_the_site() {
    for layout in LAYOUTS {
        let (_root, site) = served(layout);
        for (path, kind) in [
            ("/drawing.svg", "image/svg+xml"),
            ("/page.html", "text/html; charset=utf-8"),
            ("/picture.png", "image/png"),
            ("/notes.txt", "text/plain; charset=utf-8"),
        ] {
            for answer in [site.get(path), site.get_with(path, "Range: bytes=0-1\r\n")] {
                let policy = answer.header("content-security-policy").unwrap();
                let rules: Vec<&str> = policy.split(';').map(str::trim).collect();
                assert!(rules.contains(&"sandbox"), "{path}: {policy}");
                assert!(rules.contains(&"default-src 'none'"), "{path}: {policy}");
                assert!(!policy.contains("script-src"), "{path}: {policy}");
                assert_eq!(answer.header("content-type").as_deref(), Some(kind), "{path}");
                assert_eq!(answer.header("x-content-type-options").as_deref(), Some("nosniff"));
            }
        }
    }
}
