//! The newest version of an object while its files are replaced, and pages that say nothing any more.

use std::fs;

use crate::content_root::{Layout, Page, Root, id_of, version_path};
use crate::{SECRETS, assert_hidden, assert_nothing_reported, figures};

/// An object whose first version was for everybody, and whose second one is for the staff.
fn versions() -> (Root, String) {
    let root = Root::with(Layout::Versioned, &[Page::new("open")]);
    root.restrict();
    let id = id_of("figures");
    root.version(id, 0, &Page { tags: &[], ..figures() }.sidecar(), "Then quarzfalter.\n");
    root.version(id, 1, &figures().sidecar(), "Now quarzfalter.\n");
    (root, version_path(id, 1))
}

/// Something that happens to the files of a version.
type Accident = fn(&Root, &str);

#[test]
fn an_older_version_is_not_more_public_while_the_newest_is_replaced() {
    let accidents: [(&str, Accident); 6] = [
        ("no sidecar", |root, path| fs::remove_file(root.path(&format!("{path}.ron"))).unwrap()),
        ("no blob", |root, path| fs::remove_file(root.path(path)).unwrap()),
        ("an empty sidecar", |root, path| root.write(&format!("{path}.ron"), "")),
        ("half a sidecar", |root, path| root.write(&format!("{path}.ron"), "(alias: \"fig")),
        ("zeros", |root, path| root.write(&format!("{path}.ron"), [0; 40])),
        ("a dangling link", |root, path| {
            let sidecar = root.path(&format!("{path}.ron"));
            fs::remove_file(&sidecar).unwrap();
            std::os::unix::fs::symlink("nowhere", sidecar).unwrap();
        }),
    ];
    for (name, happen) in accidents {
        let (root, path) = versions();
        let site = root.serve(&[]);
        assert_hidden(&site, name);
        happen(&root, &path);
        assert_hidden(&site, name);
        assert_nothing_reported(&site, name);
        let memento = format!("/builtin/memento/{:016x}.0", id_of("figures"));
        assert_eq!(site.status(&memento), 404, "{name}");
        site.stop();
        let site = root.serve(&[]);
        assert_hidden(&site, &format!("{name}, after a restart"));
        assert_nothing_reported(&site, name);
    }
}

#[test]
fn a_version_that_is_gone_counts_for_a_while_and_no_longer() {
    let (root, path) = versions();
    let site = root.serve_settling("2s", &[]);
    assert_hidden(&site, "before");
    // As a checkout does it: unlinked, and made anew.
    for file in [format!("{path}.ron"), path.clone()] {
        fs::remove_file(root.path(&file)).unwrap();
        assert_hidden(&site, &file);
    }
    // Another branch does not have it at all, and its page is for everybody.
    let begun = std::time::Instant::now();
    while site.status("/figures") != 200 {
        assert!(begun.elapsed().as_secs() < 60, "it stays hidden");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(begun.elapsed().as_millis() > 1_000, "{:?}", begun.elapsed());
}

#[test]
fn a_page_that_says_nothing_stays_as_restricted_as_it_was() {
    let accidents: [(&str, &[u8]); 6] = [
        ("empty", b""),
        ("zeros", &[0; 64]),
        ("a fence", b"---\n"),
        ("half a key", b"---\ntit"),
        ("the title", b"---\ntitle: Quarterly-Figures\n"),
        ("half the tags", b"---\ntitle: Quarterly-Figures\ntags: [st"),
    ];
    for (name, bytes) in accidents {
        let root = Root::with(Layout::Plain, &[Page::new("open"), figures()]);
        root.restrict();
        let site = root.serve(&[]);
        root.write("pages/figures.md", bytes);
        assert_hidden(&site, name);
        site.stop();
        let site = root.serve(&[]);
        assert_hidden(&site, &format!("{name}, after a restart"));
        assert_nothing_reported(&site, name);
        // What it says later counts.
        root.write("pages/figures.md", "# For all\n");
        assert_eq!(site.status("/figures"), 200, "{name}");
    }
}

#[test]
fn a_new_page_that_was_cut_off_is_for_nobody() {
    // A full disk, or a program that was killed: the line that restricts the page may be missing.
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    let texts = [
        "---\n",
        "---\nauthor: Ada",
        "---\nlayout: post\nauthor: A",
        "---\nlayout: post\ntitle: Quarterly-Figures\n",
        "---\nweight: 3\n\ndescription: quarzfalter\n",
        "+++\nauthor = \"Ada\"\n",
    ];
    let site = root.serve(&[]);
    for text in texts {
        root.write("pages/figures.md", text);
        let is_empty = text.len() == 4;
        if !is_empty {
            assert_hidden(&site, text);
            assert_nothing_reported(&site, text);
        }
    }
    site.stop();
    let site = root.serve(&[]);
    assert_hidden(&site, "after a restart");
    // A line across the page is none.
    root.write("pages/lines.md", "---\n\nWords: many.\n");
    assert_eq!(site.status("/lines"), 200);
}

#[test]
fn a_page_that_is_written_in_pieces_is_not_read_before_its_end() {
    use std::io::Write as _;
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    root.restrict();
    let site = root.serve(&[]);
    let text = format!("{}{}", figures().front_matter(), figures().body);
    for round in 0..3 {
        let mut file = fs::File::create(root.path("pages/figures.md")).unwrap();
        for byte in text.as_bytes().chunks(7) {
            file.write_all(byte).unwrap();
            for path in ["/figures", "/sitemap.xml", "/feed.atom"] {
                let answer = site.get(path).text();
                assert!(!SECRETS.iter().any(|secret| answer.contains(secret)), "{round} {path}");
            }
        }
        drop(file);
        assert_hidden(&site, "written");
    }
    assert_nothing_reported(&site, "written");
}

#[test]
fn an_edit_of_the_same_length_and_time_is_seen() {
    for layout in crate::content_root::LAYOUTS {
        let root = Root::with(layout, &[Page::new("a").says("First.\n")]);
        root.date(layout, "a", 1_600_000_000);
        let site = root.serve(&[]);
        let before = site.get("/a");
        assert!(before.text().contains("First."));
        site.stop();
        root.put(layout, &Page::new("a").says("Other.\n"));
        root.date(layout, "a", 1_600_000_000);
        let site = root.serve(&[]);
        let after = site.get("/a");
        assert!(after.text().contains("Other."), "{layout:?}");
        assert_ne!(before.header("etag"), after.header("etag"), "{layout:?}");
        let changes = site.text("/resourcesync/changelist.xml");
        assert!(changes.contains("change=\"updated\""), "{layout:?}: {changes}");
    }
}

#[test]
fn a_misspelt_field_of_a_sidecar_is_for_nobody() {
    let root = Root::with(Layout::Versioned, &[Page::new("open")]);
    root.restrict();
    let written = figures().sidecar();
    assert!(written.contains("tags:"), "{written}");
    for (object, field) in ["Tags:", "tag:", "tgas:", "roles:"].into_iter().enumerate() {
        let alias = format!("figures-{object}");
        let sidecar =
            written.replacen("tags:", field, 1).replacen("\"figures\"", &format!("{alias:?}"), 1);
        root.version(id_of(&alias), 1, &sidecar, "Now quarzfalter.\n");
    }
    let site = root.serve(&[]);
    assert_eq!(site.status("/open"), 200);
    for object in 0..4 {
        assert_eq!(site.status(&format!("/figures-{object}")), 404);
    }
    assert_eq!(crate::faults(&root), ["misspelt"; 4]);
}
