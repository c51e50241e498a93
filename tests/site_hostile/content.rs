//! Content that is broken, hostile, large, or gone.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::content_root::{LAYOUTS, Layout, Page, Root, Site, version_path};

const CHANGES: &str = "/resourcesync/changelist.xml";

#[test]
fn broken_sidecars_and_front_matter_harm_nobody_else() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("fine")]);
        let deep = "[".repeat(10_000);
        let wrong = [
            "",
            "(",
            ")",
            "(mime: )",
            "(mime: 5)",
            "(mime: \"\")",
            "(mime: \"text/markdown\")",
            "\u{0}",
            "null",
            "(alias: \"x\", mime: \"text/plain\", tags: [\"\"])",
            "(mime: \"text/plain\", nav_order: 99999999999999)",
            &deep,
            "(mime: \"text/plain\", alias: \"a\\u{0}b\")",
            "(mime: \"text/plain\", alias: \"a\\nb\")",
            "(mime: \"a\\r\\nX-Injected: yes\", alias: \"crlf\")",
        ];
        for (number, text) in wrong.iter().enumerate() {
            let number = number as u64;
            match layout {
                Layout::Versioned => root.version(number << 8 | 1, 0, text, "words"),
                Layout::Plain => {
                    let front = format!("---\ntitle: T\nbroken: {text}\n\t- [\n---\nwords\n");
                    root.write(&format!("pages/wrong-{number}.md"), front);
                }
            }
        }
        root.write("pages/not-text.md", b"---\ntitle: \xff\xfe\n---\n");
        root.write("pages/endless.md", format!("---\ntitle: T\n{}", "a: b\n".repeat(20_000)));
        root.write(&version_path(0xff02, 0), "a blob without its sidecar");
        root.write(
            &format!("{}.ron", version_path(0xff03, 0)),
            "(mime: \"text/plain\", alias: \"half\")",
        );
        root.version(0xff04, 0, &"x".repeat(1 << 20), "words");
        let site = root.serve(&[]);
        assert_eq!(site.listed_paths(), ["/fine".to_owned()].into(), "{layout:?}");
        assert_eq!(site.status("/half"), 404);
        assert_eq!(site.status("/fine"), 200);
        let crlf = site.get("/crlf");
        assert!(!crlf.head.to_lowercase().contains("x-injected"), "{}", crlf.head);
        assert!(!site.ready["findings"].as_array().unwrap().is_empty());
    }
}

#[test]
fn control_characters_are_in_no_alias() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("fine")]);
        for (number, letter) in
            ["\\u0000", "\\u0007", "\\u001b", "\\u007f", "\\u0085", "\\u202e", "\\u200b", "\\n"]
                .iter()
                .enumerate()
        {
            let name = format!("n{number}");
            match layout {
                Layout::Plain => root.write(
                    &format!("pages/{name}.md"),
                    format!("---\ntitle: T\nalias: \"a{letter}b\"\n---\n"),
                ),
                Layout::Versioned => {
                    let letter = letter.replace("\\u", "\\u{");
                    let letter =
                        if letter.starts_with("\\u{") { format!("{letter}}}") } else { letter };
                    let sidecar =
                        format!("(title: \"T\", mime: \"text/markdown\", alias: \"a{letter}b\")");
                    root.version(number as u64 + 1, 0, &sidecar, "words");
                }
            }
        }
        let site = root.serve(&[]);
        assert_eq!(site.listed_paths(), ["/fine".to_owned()].into(), "{layout:?}");
    }
}

#[test]
fn a_page_of_a_hundred_megabytes_takes_no_such_memory() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("fine"), Page::new("large")]);
        let file = root.files(layout, "large").remove(0);
        let mut file = fs::OpenOptions::new().append(true).open(file).unwrap();
        let line = "A line of a page that is far too long for anybody.\n".repeat(20_000);
        for _ in 0..100 {
            file.write_all(line.as_bytes()).unwrap();
        }
        drop(file);
        let site = root.serve(&[]);
        site.get("/fine");
        let before = site.peak_memory();
        let answer = site.get("/large");
        assert_eq!(answer.status, 200);
        assert!(answer.body.len() > 100_000_000, "{}", answer.body.len());
        let kind = answer.header("content-type");
        assert_eq!(kind.as_deref(), Some("text/plain; charset=utf-8"));
        let more = site.peak_memory() - before;
        assert!(more < 30_000, "{layout:?}: {more} KiB more");
    }
}

#[test]
fn a_root_that_is_gone_for_a_while_is_not_deleted() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("a"), Page::new("b")]);
        let site = root.serve(&[]);
        let before = site.text(CHANGES);
        let aside = root.folder().with_file_name("aside");
        for _ in 0..3 {
            fs::rename(root.folder(), &aside).unwrap();
            for path in [
                "/a",
                "/missing",
                "/sitemap.xml",
                "/sitemap_index.xml",
                "/sitemaps/sitemap-0001.xml",
                "/feed.atom",
                CHANGES,
                "/.well-known/resourcesync",
                "/resourcesync/resourcelist.xml",
            ] {
                let answer = site.get(path);
                assert_eq!(answer.status, 503, "{layout:?} {path}");
                assert!(answer.header("retry-after").is_some(), "{path}");
            }
            // A crawler that cannot have it stays away from everything.
            assert_eq!(site.status("/robots.txt"), 200);
            fs::rename(&aside, root.folder()).unwrap();
            assert_eq!(site.status("/a"), 200, "{layout:?}");
            assert_eq!(site.listed().len(), 2, "{layout:?}");
        }
        let without_time = |text: &str| text.matches("<url>").count();
        let after = site.text(CHANGES);
        assert_eq!(without_time(&after), without_time(&before), "{layout:?}: {after}");
        assert!(!after.contains("deleted"), "{after}");
        // What is changed there meanwhile is in the next response, too.
        fs::rename(root.folder(), &aside).unwrap();
        assert_eq!(site.status("/a"), 503);
        fs::rename(&aside, root.folder()).unwrap();
        root.put(layout, &Page::new("a").says("Back again.\n"));
        assert!(site.text("/a").contains("Back again."), "{layout:?}");
        // And that it was stopped and started meanwhile changes nothing.
        site.stop();
        let site = root.serve(&[]);
        assert!(!site.text(CHANGES).contains("deleted"));
    }
}

#[test]
fn only_the_folder_of_the_content_may_be_away() {
    // A disk that is not mounted leaves the root as it is, without what should be in it.
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("a")]);
        let (used, other) = match layout {
            Layout::Versioned => ("content", "pages"),
            Layout::Plain => ("pages", "content"),
        };
        fs::remove_dir(root.path(other)).unwrap();
        let site = root.serve(&[]);
        fs::rename(root.path(used), root.path("aside")).unwrap();
        assert_eq!(site.status("/a"), 503, "{layout:?}");
        assert_eq!(site.status("/sitemap.xml"), 503, "{layout:?}");
        fs::rename(root.path("aside"), root.path(used)).unwrap();
        assert_eq!(site.status("/a"), 200, "{layout:?}");
        assert_eq!(site.text(CHANGES).matches("deleted").count(), 0, "{layout:?}");
    }
}

#[test]
fn a_root_that_was_removed_leaves_the_server_up() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let site = root.serve(&[]);
    fs::remove_dir_all(root.folder()).unwrap();
    for path in ["/a", "/sitemap.xml", "/feed.atom", "/missing"] {
        assert_eq!(site.status(path), 503, "{path}");
    }
    assert_eq!(site.status("/robots.txt"), 200);
    root.put(Layout::Plain, &Page::new("new"));
    assert_eq!(site.listed_paths(), ["/new".to_owned()].into());
    assert_eq!(site.status("/new"), 200);
}

#[test]
fn what_cannot_be_read_is_left_out() {
    let root =
        Root::with(Layout::Plain, &[Page::new("fine"), Page::new("closed"), Page::new("later")]);
    let close = |name: &str| {
        let path = root.path(&format!("pages/{name}.md"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        fs::read(&path).is_err()
    };
    if !close("closed") {
        println!("skipped: whoever runs this may read everything");
        return;
    }
    let site = root.serve(&[]);
    assert_eq!(site.status("/closed"), 404);
    close("later");
    assert_eq!(site.status("/later"), 404);
    assert_eq!(site.listed_paths(), ["/fine".to_owned()].into());
}

#[test]
fn what_is_no_file_keeps_nobody_waiting() {
    let root = Root::with(Layout::Plain, &[Page::new("fine")]);
    let site = root.serve(&[]);
    let make = |name: &str| {
        let made = Command::new("mkfifo").arg(root.path(name)).status();
        assert!(made.unwrap().success());
    };
    make("pages/pipe.md");
    make("pages/pipe.txt");
    fs::create_dir_all(root.path("content/01")).unwrap();
    make("content/01/0000000000000001.0");
    root.write("content/01/0000000000000001.0.ron", "(mime: \"text/plain\", alias: \"pipe2\")");
    root.write("content/01/0000000000000101.0", "blob");
    make("content/01/0000000000000101.0.ron");
    fs::create_dir_all(root.path("pages/folder.md")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.path("pages/socket.md")).unwrap();
    let check = |site: &Site| {
        for path in [
            "/pipe",
            "/pipe.txt",
            "/pipe2",
            "/folder",
            "/folder.md",
            "/socket",
            "/id/0000000000000101",
        ] {
            assert_eq!(site.status(path), 404, "{path}");
        }
        assert_eq!(site.listed_paths(), ["/fine".to_owned()].into());
    };
    check(&site);
    site.stop();
    let site = root.serve(&[]);
    check(&site);
    // A page that becomes one is gone.
    fs::remove_file(root.path("pages/fine.md")).unwrap();
    make("pages/fine.md");
    assert_eq!(site.status("/fine"), 404);
    fs::create_dir_all(root.path("state/sys")).unwrap();
    make("state/sys/tags.yaml");
    assert_eq!(site.status("/robots.txt"), 200);
    assert_eq!(site.status("/sitemap.xml"), 200);
}

#[test]
fn a_bomb_of_tags_opens_nothing_and_takes_no_time() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("fine"), Page::new("tagged").tagged(&["staff"])]);
        root.restrict();
        let site = root.serve(&[]);
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..10 {
            let before = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb += &format!("a{level}: &a{level} [{before}]\n");
        }
        let anchors: String =
            (0..10_000).map(|number| format!("t{number}: &t{number} {{roles: [r]}}\n")).collect();
        let repeated = "base: &b {roles: [r]}\n".to_owned()
            + &(0..10_000).map(|number| format!("t{number}: *b\n")).collect::<String>();
        let deep = format!("a: {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
        let long = format!("# {}\n", "x".repeat(5 << 20));
        for text in [&bomb, &anchors, &repeated, &deep, &long] {
            root.write("state/sys/tags.yaml", text);
            assert_eq!(site.status("/tagged"), 404, "{layout:?}: {}", &text[..60]);
            assert_eq!(site.listed_paths(), ["/fine".to_owned()].into(), "{layout:?}");
        }
        assert!(site.peak_memory() < 200_000, "{} KiB", site.peak_memory());
        // Many are no bomb. A file that is written in place names the restrictions that end.
        let many = "staff: {roles: []}\n".to_owned()
            + &(0..10_000)
                .map(|number| format!("t{number}: {{name: T, roles: [r]}}\n"))
                .collect::<String>();
        root.write("state/sys/tags.yaml", many);
        assert_eq!(site.listed().len(), 2, "{layout:?}");
    }
}

#[test]
fn letters_that_xml_and_urls_use_stay_what_they_are() {
    for layout in LAYOUTS {
        let root = Root::new();
        let aliases = ["a&b", "it's", "a&amp;b", "&lt;x", "q'q&q", "a;b&c"];
        for alias in aliases {
            root.put(layout, &Page::new(alias).titled("<b>\"&'</b>"));
        }
        let site = root.serve(&[]);
        let expected: std::collections::BTreeSet<String> =
            aliases.iter().map(|alias| format!("/{alias}")).collect();
        assert_eq!(site.listed_paths(), expected, "{layout:?}");
        for path in expected {
            let page = site.text(&path);
            assert!(!page.contains("<b>\"&'</b>"), "{path}");
        }
        let raw = site.text("/sitemap.xml");
        assert!(raw.contains("/a&amp;b<") && raw.contains("/a&amp;amp;b<"), "{raw}");
    }
}
