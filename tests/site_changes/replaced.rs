//! Files that are replaced, touched, moved and named otherwise.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use crate::content_root::{LAYOUTS, Layout, Page, Root, set_time};
use crate::{reported, wait_until};

#[test]
fn a_page_that_is_unlinked_and_made_anew_is_updated_once() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("a"), Page::new("same")]);
        // Nothing is gone for so long, on a machine however busy.
        let site = root.serve_settling("600s", &[]);
        root.remove(layout, "a");
        assert_eq!(site.status("/a"), 404);
        root.put(layout, &Page::new("a").says("Other words.\n"));
        assert!(site.text("/a").contains("Other words."));
        // One that comes back as it was is no change at all.
        root.remove(layout, "same");
        assert_eq!(site.status("/same"), 404);
        root.put(layout, &Page::new("same"));
        assert_eq!(site.status("/same"), 200);
        let expected = [("/a".to_owned(), vec!["updated".to_owned()])];
        assert_eq!(reported(&site), expected.into(), "{layout:?}");
    }
}

#[test]
fn files_that_are_written_in_place_while_they_are_read_report_nothing() {
    // Whoever writes a file anew empties it first: what is read in between is a part of it.
    let body = "Many words.\n".repeat(2_000);
    for layout in LAYOUTS {
        let page = Page::new("a").says(&body);
        let root = Root::with(layout, &[page]);
        let site = root.serve(&[]);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for _ in 0..300 {
                    root.put(layout, &page);
                }
            });
            while !writer.is_finished() {
                let _ = site.status("/a");
                let _ = site.listed();
            }
        });
        assert!(site.text("/a").contains("Many words."));
        assert!(reported(&site).is_empty(), "{layout:?}: {:?}", reported(&site));
    }
}

#[test]
fn a_page_whose_absence_was_listed_is_reported_when_it_comes_back() {
    // Whoever copied the list meanwhile does not have it.
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let site = root.serve_settling("600s", &[]);
    fs::rename(root.path("pages/a.md"), root.path("a.md")).unwrap();
    assert!(!site.text("/resourcesync/resourcelist.xml").contains("/a<"));
    fs::rename(root.path("a.md"), root.path("pages/a.md")).unwrap();
    assert_eq!(site.status("/a"), 200);
    assert_eq!(reported(&site), [("/a".to_owned(), vec!["updated".to_owned()])].into());
}

#[test]
fn a_deletion_is_reported_after_two_seconds() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("a"), Page::new("b")]);
        let site = root.serve(&[]);
        let begun = Instant::now();
        root.remove(layout, "a");
        assert_eq!(site.listed_paths(), ["/b".to_owned()].into());
        let early = reported(&site);
        // On a busy machine the time may be over by then.
        assert!(early.is_empty() || begun.elapsed() >= Duration::from_secs(2), "{layout:?}");
        wait_until("the deletion is reported", || !reported(&site).is_empty());
        assert!(begun.elapsed() >= Duration::from_secs(2), "{:?}", begun.elapsed());
        assert_eq!(reported(&site), [("/a".to_owned(), vec!["deleted".to_owned()])].into());
    }
}

#[test]
fn touching_all_pages_reports_nothing() {
    for layout in LAYOUTS {
        let names: Vec<String> = (0..50).map(|number| format!("p{number}")).collect();
        let root = Root::new();
        for name in &names {
            root.put(layout, &Page::new(name));
        }
        let site = root.serve(&[]);
        let touch = |seconds: u64| {
            for file in names.iter().flat_map(|name| root.files(layout, name)) {
                set_time(&file, seconds);
            }
        };
        touch(1_700_000_000);
        assert_eq!(site.listed().len(), 50);
        assert!(reported(&site).is_empty(), "{layout:?}");
        site.stop();
        touch(1_700_000_100);
        let site = root.serve(&[]);
        assert!(reported(&site).is_empty(), "{layout:?}, after a restart");
        let feed = site.text("/feed.atom");
        assert!(!feed.contains("Edited:"), "{layout:?}: {feed}");
    }
}

#[test]
fn switching_a_branch_reports_exactly_the_differences() {
    let root = Root::new();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(root.folder()).args(arguments);
        for name in ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"] {
            command.env(name, "Ada");
        }
        for name in ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"] {
            command.env(name, "ada@example.org");
        }
        command.output().is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "-q", "-b", "one"]) {
        println!("skipped: there is no git; `cargo xtask setup` installs it");
        return;
    }
    let put = |name: &str, words: &str| root.put(Layout::Plain, &Page::new(name).says(words));
    for number in 0..300 {
        put(&format!("p{number}"), "One.\n");
    }
    root.write(".gitignore", "state\n");
    assert!(git(&["add", "-A"]) && git(&["commit", "-qm", "one"]));
    assert!(git(&["checkout", "-qb", "two"]));
    for number in 0..40 {
        put(&format!("p{number}"), "Two.\n");
        put(&format!("new{number}"), "Two.\n");
        root.remove(Layout::Plain, &format!("p{}", 100 + number));
    }
    assert!(
        git(&["add", "-A"]) && git(&["commit", "-qm", "two"]) && git(&["checkout", "-q", "one"])
    );
    let site = root.serve(&[]);
    let count = |change: &str| {
        let all = reported(&site);
        all.values().filter(|changes| **changes == [change.to_owned()]).count()
    };
    assert!(git(&["checkout", "-q", "two"]));
    assert_eq!(site.listed().len(), 300);
    wait_until("the deletions are reported", || count("deleted") == 40);
    assert_eq!((count("updated"), count("created"), reported(&site).len()), (40, 40, 120));
}

#[test]
fn a_page_that_is_moved_is_created_there_and_deleted_here() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let site = root.serve(&[]);
    fs::rename(root.path("pages/a.md"), root.path("pages/b.md")).unwrap();
    assert_eq!(site.listed_paths(), ["/b".to_owned()].into());
    wait_until("both are reported", || reported(&site).len() == 2);
    let all = reported(&site);
    assert_eq!(
        (&all["/a"][..], &all["/b"][..]),
        (&["deleted".into()][..], &["created".into()][..])
    );
}

#[test]
fn both_forms_of_a_letter_lead_to_the_same_page() {
    // As Linux and macOS write the same name.
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}");
    for name in [composed, decomposed] {
        let root = Root::with(Layout::Plain, &[Page::new(name).says("Coffee.\n")]);
        root.write("pages/alias.md", format!("---\nalias: th{decomposed}\n---\n# Tea\n"));
        let site = root.serve(&[]);
        assert_eq!(site.status("/caf%C3%A9"), 200);
        assert!(site.text("/caf%C3%A9").contains("Coffee."));
        let other = site.get("/cafe%CC%81");
        assert_eq!(other.status, 301);
        assert!(other.header("location").unwrap().ends_with("/caf%C3%A9"));
        assert_eq!(site.status("/thcaf%C3%A9"), 200);
        // And one name written in the other form is the same page.
        let rename = |from: &str, to: &str| {
            let path = |name: &str| root.path(&format!("pages/{name}.md"));
            fs::rename(path(from), path(to)).unwrap();
        };
        let to = if name == composed { decomposed } else { composed };
        rename(name, to);
        assert_eq!(site.status("/caf%C3%A9"), 200);
        assert_eq!(site.listed().len(), 2);
    }
}

#[test]
fn a_time_in_the_future_is_not_printed() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("a")]);
        let future = SystemTime::now() + Duration::from_secs(10 * 365 * 86_400);
        let future = future.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        root.date(layout, "a", future);
        let site = root.serve(&[]);
        let now = jiff::Timestamp::now().to_string();
        let time = &site.listed()["/a"];
        assert!(time[..19] <= now[..19], "{layout:?}: {time}");
        let modified = site.get("/a").header("last-modified").unwrap();
        assert!(modified.contains(&now[..4]), "{layout:?}: {modified}");
        for path in ["/resourcesync/resourcelist.xml", "/feed.atom", "/a"] {
            let year = &jiff::Timestamp::from_second(i64::try_from(future).unwrap())
                .unwrap()
                .to_string()[..5];
            assert!(!site.text(path).contains(year), "{layout:?} {path}");
        }
    }
}

#[test]
fn temporary_files_that_a_killed_editor_left_are_removed() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let left = [
        "pages/.tidings-0123456789abcdef",
        "pages/docs/deep/.tidings-00000000000000ff",
        "content/ab/.tidings-0123456789abcdef",
        "state/sys/.tidings-0123456789abcdef",
    ];
    let others =
        ["pages/.tidings-notes", "pages/.hidden", "state/tidings/.tidings-0123456789abcdef"];
    for name in left.iter().chain(&others) {
        root.write(name, "left");
    }
    let _site = root.serve(&[]);
    for name in left {
        assert!(!root.path(name).exists(), "{name}");
    }
    for name in others {
        assert!(root.path(name).exists(), "{name}");
    }
}
