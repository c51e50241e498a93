//! Restrictions that arrive after what they restrict: a checkout writes files in the order of their names.

use std::fs;
use std::time::{Duration, Instant};

use crate::content_root::{LAYOUTS, Layout, Page, Root, Site};
use crate::{SECRETS, assert_hidden, assert_nothing_reported, figures};

const TAGS: &str = "state/sys/tags.yaml";

/// Longer than any of these tests takes, on a machine however busy: nothing settles.
const NEVER: &str = "600s";
/// How long something is gone until it is taken for deleted, unless told otherwise.
const SETTLE: Duration = Duration::from_secs(2);

/// All that is public, and paths that are not.
fn public_documents(site: &Site, others: &[&str]) -> Vec<(String, u16, String)> {
    let lists = [
        "/open",
        "/sitemap.xml",
        "/feed.atom",
        "/.well-known/resourcesync",
        "/resourcesync/capabilitylist.xml",
        "/resourcesync/resourcelist.xml",
        "/resourcesync/changelist.xml",
        "/resourcesync/resourcedump.xml",
        "/resourcesync/resourcedump-part.zip",
        "/builtin/search?q=hidden",
    ];
    let paths = lists.iter().chain(others);
    let read = |path: &&str| {
        let answer = site.get(path);
        let body = crate::support::zip::members(&answer.body).unwrap_or(answer.body);
        ((*path).to_owned(), answer.status, String::from_utf8_lossy(&body).into_owned())
    };
    paths.map(read).collect()
}

/// Asserts several times that strangers see neither these paths nor secret words.
#[track_caller]
fn assert_unseen(site: &Site, paths: &[&str], when: &str) {
    for round in 0..6 {
        for (path, status, text) in public_documents(site, paths) {
            if paths.contains(&&*path) {
                assert_eq!(status, 404, "{when}: {path}");
            }
            for secret in paths.iter().chain(&SECRETS) {
                assert!(!text.contains(secret), "{when}: {path} has {secret}: {text}");
            }
        }
        if round < 5 {
            std::thread::sleep(Duration::from_millis(150));
        }
    }
}

/// Waits until a path is public.
#[track_caller]
fn wait_until_public(site: &Site, path: &str) {
    let begun = Instant::now();
    while site.status(path) != 200 {
        assert!(begun.elapsed().as_secs() < 60, "{path} stays hidden");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn changes_of(site: &Site, path: &str) -> Vec<String> {
    let list = site.text("/resourcesync/changelist.xml");
    let entries = list.split("<url>").filter(|entry| entry.contains(&format!("{path}</loc>")));
    let change =
        |entry: &str| entry.split("change=\"").nth(1)?.split('"').next().map(str::to_owned);
    entries.filter_map(change).collect()
}

#[test]
fn a_page_that_comes_before_the_rules_of_its_tag_is_not_seen() {
    let rules = "staff:\n  roles: [staff]\n";
    for layout in LAYOUTS {
        for before in [None, Some("{}\n"), Some("press:\n  roles: [press]\n")] {
            let root = Root::with(layout, &[Page::new("open")]);
            if let Some(before) = before {
                root.write(TAGS, before);
            }
            let when = format!("{layout:?} {before:?}");
            let site = root.serve_settling(NEVER, &[]);
            root.put(layout, &figures());
            assert_unseen(&site, &["/figures"], &when);
            root.write(TAGS, format!("{}{rules}", before.unwrap_or_default().replace("{}\n", "")));
            assert_unseen(&site, &["/figures"], &when);
            let staff = site.sign_in_as(&root, "ann", &["staff"]);
            assert_eq!(site.get_with("/figures", &staff).status, 200, "{when}");
            assert_nothing_reported(&site, &when);
        }
    }
}

#[test]
fn a_page_that_gets_another_tag_before_its_rules_is_not_seen() {
    // It was for the staff, and is for the press now.
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("open"), figures()]);
        root.restrict();
        let site = root.serve_settling(NEVER, &[]);
        root.put(layout, &figures().tagged(&["press"]));
        assert_unseen(&site, &["/figures"], "another tag");
        root.write(TAGS, "staff:\n  roles: [staff]\npress:\n  roles: [press]\n");
        assert_unseen(&site, &["/figures"], "other rules");
        assert_nothing_reported(&site, "another tag");
    }
}

#[test]
fn what_a_public_page_says_with_a_new_tag_is_not_seen_before_the_rules_of_the_tag() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("open"), Page::new("notes").says("Then.\n")]);
        let site = root.serve_settling("8s", &[]);
        let page = Page { name: "notes", ..figures().alias("notes").tagged(&["board"]) };
        root.put(layout, &page);
        for _ in 0..5 {
            assert!(!site.get("/notes").text().contains("quarzfalter"), "{layout:?}");
            assert_nothing_reported(&site, "a new tag");
            std::thread::sleep(Duration::from_millis(100));
        }
        root.write(TAGS, "board:\n  roles: [board]\n");
        assert_eq!(site.status("/notes"), 404);
        let begun = Instant::now();
        while changes_of(&site, "/notes") != ["deleted"] {
            assert!(begun.elapsed().as_secs() < 60, "{:?}", changes_of(&site, "/notes"));
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn a_page_with_a_tag_that_stays_unknown_becomes_public_and_is_reported_once() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("open"), Page::new("notes").tagged(&["old"])]);
        let site = root.serve(&[]);
        assert_eq!(site.status("/notes"), 200, "at the start");
        root.put(layout, &Page::new("new").tagged(&["garden"]));
        root.put(layout, &Page::new("notes").tagged(&["old", "garden"]).says("More.\n"));
        wait_until_public(&site, "/new");
        wait_until_public(&site, "/notes");
        assert_eq!(changes_of(&site, "/new"), ["created"], "{layout:?}");
        assert_eq!(changes_of(&site, "/notes"), ["updated"], "{layout:?}");
        // From then on it is as any other.
        root.put(layout, &Page::new("new").tagged(&["garden"]).says("Again.\n"));
        assert!(site.text("/new").contains("Again."), "{layout:?}");
        let begun = Instant::now();
        root.remove(layout, "new");
        root.put(layout, &Page::new("new").tagged(&["garden"]).says("And again.\n"));
        let text = site.get("/new").text();
        // One that is gone for longer is new.
        assert!(text.contains("And again.") || begun.elapsed() >= SETTLE, "{layout:?}");
        // A tag that is known, and has no roles, restricts nothing, and waits for nothing.
        root.write(TAGS, "spring:\n  roles: []\n");
        root.put(layout, &Page::new("known").tagged(&["spring"]));
        assert_eq!(site.status("/known"), 200, "{layout:?}");
    }
}

#[test]
fn a_page_that_comes_before_the_rules_of_its_new_folder_is_not_seen() {
    let secret = format!("{}{}", Page { tags: &[], ..figures() }.front_matter(), figures().body);
    let rules = "roles = [\"staff\"]\n";
    for folder in ["team", "team/deep/er"] {
        let root = Root::with(Layout::Plain, &[Page::new("open")]);
        let site = root.serve_settling(NEVER, &[]);
        let paths = [format!("/{folder}/2026"), format!("/{folder}/plan.pdf")];
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        root.write(&format!("pages/{folder}/2026.md"), &secret);
        root.write(&format!("pages/{folder}/plan.pdf"), "quarzfalter");
        assert_unseen(&site, &paths, folder);
        root.write("pages/team/_folder.toml", rules);
        assert_unseen(&site, &paths, folder);
        if folder == "team" {
            // The file and the folders below may still get other rules.
            let staff = site.sign_in_as(&root, "ann", &["staff"]);
            assert_eq!(site.get_with("/team/2026", &staff).status, 200);
        }
        assert_nothing_reported(&site, folder);
    }
    // With a tag that is known after that.
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    let site = root.serve_settling(NEVER, &[]);
    root.write("pages/team/_folder.toml", "tags = [\"staff\"]\n");
    root.write("pages/team/2026.md", &secret);
    assert_unseen(&site, &["/team/2026"], "tagged");
    root.restrict();
    assert_unseen(&site, &["/team/2026"], "tagged");
    let staff = site.sign_in_as(&root, "ann", &["staff"]);
    assert_eq!(site.get_with("/team/2026", &staff).status, 200);
    assert_nothing_reported(&site, "tagged");
}

#[test]
fn a_new_folder_without_rules_becomes_public_and_one_that_is_renamed_is_at_once() {
    let root = Root::with(Layout::Plain, &[Page::new("open"), Page::new("old/page")]);
    let site = root.serve(&[]);
    root.put(Layout::Plain, &Page::new("new/deep/page"));
    wait_until_public(&site, "/new/deep/page");
    assert_eq!(changes_of(&site, "/new/deep/page"), ["created"]);
    // It was whole before, with its rules if it had some.
    fs::rename(root.path("pages/old"), root.path("pages/older")).unwrap();
    assert_eq!(site.status("/older/page"), 200);
    // Rules that are there first say all.
    root.write("pages/third/_folder.toml", "roles = []\n");
    root.put(Layout::Plain, &Page::new("third/page"));
    assert_eq!(site.status("/third/page"), 200);
    // In a folder that is known a new page is in the next answer.
    root.put(Layout::Plain, &Page::new("new/deep/other"));
    assert!(site.listed_paths().contains("/new/deep/other"));
}

#[test]
fn a_file_that_comes_before_its_restricted_page_is_not_seen() {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    root.restrict();
    let site = root.serve_settling(NEVER, &[]);
    root.write("pages/a.jpg", "quarzfalter");
    assert_unseen(&site, &["/a.jpg"], "before its page");
    root.write("pages/party.md", "---\ntags: [staff]\n---\n# Party\n![a](a.jpg)\n");
    assert_unseen(&site, &["/a.jpg"], "with its page");
    assert_nothing_reported(&site, "a.jpg");
    // A picture that a public page names is there with that page, whichever comes first.
    root.write("pages/b.jpg", "jpg");
    assert_eq!(site.status("/b.jpg"), 404);
    root.put(Layout::Plain, &Page::new("post").says("![b](b.jpg) ![c](c.jpg)\n"));
    assert_eq!(site.status("/b.jpg"), 200);
    root.write("pages/c.jpg", "jpg");
    assert_eq!(site.status("/c.jpg"), 200);
    // Saved again, replaced, or called otherwise, it is no new one.
    fs::remove_file(root.path("pages/c.jpg")).unwrap();
    root.write("pages/c.jpg", "other");
    assert_eq!(site.status("/c.jpg"), 200);
    fs::rename(root.path("pages/c.jpg"), root.path("pages/cc.jpg")).unwrap();
    assert_eq!(site.status("/cc.jpg"), 200);
}

#[test]
fn a_new_file_becomes_public_and_is_reported_once() {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    let site = root.serve(&[]);
    root.write("pages/d.jpg", "jpg");
    wait_until_public(&site, "/d.jpg");
    assert_eq!(changes_of(&site, "/d.jpg"), ["created"]);
    let begun = Instant::now();
    fs::remove_file(root.path("pages/d.jpg")).unwrap();
    root.write("pages/d.jpg", "other");
    let (status, changes) = (site.status("/d.jpg"), changes_of(&site, "/d.jpg"));
    // One that is gone for longer is deleted.
    if begun.elapsed() < SETTLE {
        assert_eq!((status, changes), (200, vec!["created".to_owned(), "updated".to_owned()]));
    }
}

#[test]
fn a_slow_checkout_shows_nothing_before_it_is_over() {
    // It takes longer than the settling time from the page to the rules of its tag. That is long enough for a busy
    // machine to write something meanwhile.
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    let site = root.serve_settling("6s", &[]);
    root.put(Layout::Plain, &figures());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let begun = Instant::now();
            for number in 0.. {
                root.put(Layout::Plain, &Page::new(&format!("more-{number}")));
                if begun.elapsed().as_secs() > 8 {
                    break;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            root.restrict();
        });
        while !writer.is_finished() {
            assert_hidden(&site, "in between");
        }
    });
    assert_hidden(&site, "afterwards");
    let list = site.text("/resourcesync/changelist.xml");
    assert!(!SECRETS.iter().any(|secret| list.contains(secret)), "{list}");
}

#[test]
fn a_checkout_by_git_shows_nothing_of_new_tags_and_folders() {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    root.write(TAGS, "press:\n  roles: [press]\n");
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
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
    root.write(".gitignore", "state/tidings\n");
    assert!(
        git(&["add", "-A"]) && git(&["commit", "-qm", "one"]) && git(&["checkout", "-qb", "two"])
    );
    root.put(Layout::Plain, &figures());
    root.write("pages/team/2026.md", "# Quarterly-Figures\nquarzfalter\n");
    root.write("pages/team/_folder.toml", "roles = [\"staff\"]\n");
    root.write("pages/a.svg", "<svg>quarzfalter</svg>");
    root.write("pages/party.md", "---\nroles: [staff]\n---\n![a](a.svg)\n");
    for number in 0..300 {
        root.put(Layout::Plain, &Page::new(&format!("open-{number}")));
    }
    root.write(TAGS, "press:\n  roles: [press]\nstaff:\n  roles: [staff]\n");
    assert!(
        git(&["add", "-A"]) && git(&["commit", "-qm", "two"]) && git(&["checkout", "-q", "one"])
    );
    let site = root.serve_settling(NEVER, &[]);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            for _ in 0..4 {
                assert!(git(&["checkout", "-q", "two"]) && git(&["checkout", "-q", "one"]));
            }
            assert!(git(&["checkout", "-q", "two"]));
        });
        let paths = ["/figures", "/team/2026", "/a.svg", "/party"];
        while !worker.is_finished() {
            for (path, status, text) in public_documents(&site, &paths) {
                let is_secret = paths.contains(&&*path);
                assert!(!is_secret || status == 404, "{path}: {status}");
                assert!(
                    !text.contains("quarzfalter") && !text.contains("/team/"),
                    "{path}: {text}"
                );
            }
        }
    });
    assert_unseen(&site, &["/figures", "/team/2026", "/a.svg", "/party"], "afterwards");
    assert_eq!(site.status("/open-299"), 200);
}

#[test]
fn a_page_that_is_made_empty_and_filled_later_is_not_seen() {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    root.restrict();
    let site = root.serve_settling(NEVER, &[]);
    for text in ["", "\n", "---", "---\n", "+++\n"] {
        root.write("pages/figures.md", text);
        assert_unseen(&site, &["/figures"], text);
    }
    root.put(Layout::Plain, &figures());
    assert_unseen(&site, &["/figures"], "filled");
    assert_nothing_reported(&site, "filled");
    // What is for everybody is so as soon as it says something.
    root.write("pages/words.md", "");
    assert_unseen(&site, &["/words"], "empty");
    root.write("pages/words.md", "Words.\n");
    assert_eq!(site.status("/words"), 200);
}
