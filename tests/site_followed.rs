//! The live site as a Source: copies of it stay in step, and followers learn of each change.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    missing_docs,
    reason = "a test"
)]

mod support;

#[path = "support/content_root.rs"]
mod content_root;

use std::collections::BTreeSet;

use content_root::{LAYOUTS, Layout, Page, Root, Site, judge, version_path};
use support::copied::Copy;
use support::follower::Follower;
use support::{run, stderr, stdout};

fn site(layout: Layout) -> (Root, Site) {
    let root = Root::new();
    for name in ["a", "b/c", "a&b", "über", "edited", "gone", "closed", "home"] {
        root.put(layout, &Page::new(name).says(&format!("Words of {name}.\n")));
    }
    root.put(layout, &Page::new("closed").tagged(&["staff"]).says("Secret soon.\n"));
    picture(&root, layout, b"\x89PNG first");
    let site = root.serve_unsettled(&[]);
    (root, site)
}

fn picture(root: &Root, layout: Layout, bytes: &[u8]) {
    match layout {
        Layout::Plain => root.write("pages/picture.png", bytes),
        Layout::Versioned => {
            root.version(1, 0, "(alias: \"picture.png\", mime: \"image/png\")", bytes);
        }
    }
}

/// Edits one, adds two, removes one, closes one, replaces the picture.
fn change(root: &Root, layout: Layout) {
    root.put(layout, &Page::new("edited").says("Other words.\n"));
    root.put(layout, &Page::new("new").says("New words.\n"));
    root.put(layout, &Page::new("deep/new").says("More words.\n"));
    root.remove(layout, "gone");
    root.restrict();
    picture(root, layout, b"\x89PNG second, and longer");
}

/// A page without what is around it: all pages have the menu, and no list says that it changed.
fn article(body: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(body);
    match text.split_once("<article>").and_then(|(_, rest)| rest.split_once("</article>")) {
        Some((article, _)) => article.as_bytes().to_vec(),
        None => body.to_vec(),
    }
}

/// What the copy should be: each public URL, with what is sent there.
#[track_caller]
fn assert_copied(site: &Site, copy: &Copy, when: &str) {
    let list = site.text("/resourcesync/resourcelist.xml");
    let locs = list.split("<loc>").skip(1).map(|rest| rest.split('<').next().unwrap());
    let mut bodies: Vec<Vec<u8>> = locs
        .map(|loc| site.get(loc.replace("&amp;", "&").strip_prefix(site.origin()).unwrap()).body)
        .collect();
    let mut copied: Vec<Vec<u8>> = copy.files().into_values().collect();
    for body in bodies.iter_mut().chain(&mut copied) {
        *body = article(body);
    }
    bodies.sort();
    copied.sort();
    let shown = |all: &[Vec<u8>]| {
        all.iter().map(|one| String::from_utf8_lossy(one).into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shown(&copied), shown(&bodies), "{when}: {:?}", copy.files().keys());
}

#[test]
fn a_copy_is_kept_in_step_by_list_and_by_package() {
    for layout in LAYOUTS {
        for way in ["list", "dump"] {
            let when = format!("{layout:?} {way}");
            let (root, site) = site(layout);
            let copy = Copy::new();
            copy.sync(&site.base, &["--via", way]);
            assert_copied(&site, &copy, &when);
            copy.assert_in_sync(&site.base, &[]);
            change(&root, layout);
            let report = copy.sync(&site.base, &["--delete"]);
            let count = |name: &str| report[name].as_u64().unwrap();
            assert_eq!((count("created"), count("deleted")), (2, 2), "{when}: {report}");
            assert_copied(&site, &copy, &when);
            copy.assert_in_sync(&site.base, &[]);
            let all: Vec<u8> = copy.files().into_values().flatten().collect();
            assert!(!String::from_utf8_lossy(&all).contains("Secret soon."), "{when}");
            // Nothing changed: nothing is fetched but the list.
            let report = copy.sync(&site.base, &["--delete"]);
            assert_eq!(report["requests"], 1, "{when}: {report}");
        }
    }
}

#[test]
fn a_menu_that_changes_is_in_the_copy() {
    for layout in LAYOUTS {
        let (root, site) = site(layout);
        let copy = Copy::new();
        copy.sync(&site.base, &[]);
        root.put(layout, &Page::new("closed").in_navigation("Quarterly Figures"));
        copy.sync(&site.base, &["--delete"]);
        let has_it = |body: &Vec<u8>| String::from_utf8_lossy(body).contains("Quarterly Figures");
        let with_it = copy.files().values().filter(|body| has_it(body)).count();
        assert!(with_it > 1, "{layout:?}: it is in the menus of {with_it} pages");
        root.remove(layout, "closed");
        copy.sync(&site.base, &["--delete"]);
        for (path, body) in copy.files() {
            let text = String::from_utf8_lossy(&body).into_owned();
            assert!(!text.contains("Quarterly"), "{layout:?}: {path} still has it in its menu");
        }
    }
}

#[test]
fn many_small_changes_arrive_one_after_the_other() {
    for layout in LAYOUTS {
        let (root, site) = site(layout);
        let copy = Copy::new();
        copy.sync(&site.base, &[]);
        for round in 0..12 {
            match round % 4 {
                0 => root.put(layout, &Page::new("a").says(&format!("Round {round}.\n"))),
                1 => root.put(layout, &Page::new(&format!("n{round}"))),
                2 => root.remove(layout, &format!("n{}", round - 1)),
                _ if round % 8 == 3 => root.restrict(),
                _ => root.write("state/sys/tags.yaml", "{}\n"),
            }
            copy.sync(&site.base, &["--delete"]);
            assert_copied(&site, &copy, &format!("{layout:?} {round}"));
        }
        copy.assert_in_sync(&site.base, &[]);
    }
}

#[test]
fn a_copy_finds_what_changed_while_the_site_was_down() {
    for layout in LAYOUTS {
        let (root, before) = site(layout);
        let address = before.address.clone();
        let copy = Copy::new();
        copy.sync(&before.base, &[]);
        before.stop();
        change(&root, layout);
        let site = root.serve_unsettled(&["--listen", &address]);
        copy.sync(&site.base, &["--delete"]);
        assert_copied(&site, &copy, &format!("{layout:?}"));
    }
}

#[test]
fn the_source_has_nothing_wrong() {
    for layout in LAYOUTS {
        let (root, site) = site(layout);
        change(&root, layout);
        let start = format!("{}.well-known/resourcesync", site.base);
        for options in [["--spec", "1.1"], ["--profile", "ifcc"]] {
            let output =
                run(["validate", "--follow"].into_iter().chain(options).chain([start.as_str()]));
            assert_eq!(
                output.status.code(),
                Some(0),
                "{layout:?} {options:?} {}{}",
                stdout(&output),
                stderr(&output)
            );
            assert!(!stdout(&output).contains("warning"), "{options:?} {}", stdout(&output));
        }
        let sitemap = format!("{}sitemap.xml", site.base);
        let output = run(["validate", "--profile", "sitemap", &sitemap]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{layout:?} {}{}",
            stdout(&output),
            stderr(&output)
        );
    }
}

#[test]
fn followers_get_a_feed_of_the_changes() {
    for layout in LAYOUTS {
        let (root, site) = site(layout);
        let follower = Follower::default();
        let output = follower.run(&["follow", &site.base]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{layout:?} {}{}",
            stdout(&output),
            stderr(&output)
        );
        change(&root, layout);
        let output = follower.run(&["poll"]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{layout:?} {}{}",
            stdout(&output),
            stderr(&output)
        );
        let server = follower.serve(&[]);
        let key = follower.site()["collections"][0]["key"].as_str().unwrap().to_owned();
        let feed = server.get(&format!("/feeds/{key}/changes.atom"));
        assert_eq!(feed.status, 200, "{layout:?} {}", feed.head);
        let text = feed.text();
        for path in ["edited", "new", "deep/new", "gone", "closed", "picture.png"] {
            assert!(text.contains(&format!("{}{path}", site.base)), "{layout:?} {path}: {text}");
        }
        assert!(!text.contains(&format!("{}b/c", site.base)), "{text}");
    }
}

#[test]
fn the_sites_own_feed_tells_of_the_changes() {
    for layout in LAYOUTS {
        let (root, site) = site(layout);
        change(&root, layout);
        let feed = feed_rs::parser::parse(&site.get("/feed.atom").body[..]).unwrap();
        let titles: BTreeSet<String> =
            feed.entries.iter().map(|entry| entry.title.clone().unwrap().content).collect();
        for title in ["new", "deep/new", "Edited: edited", "Gone: /gone", "Gone: /closed"] {
            assert!(titles.contains(title), "{layout:?} {title}: {titles:?}");
        }
        let ids: BTreeSet<String> = feed.entries.iter().map(|entry| entry.id.clone()).collect();
        assert_eq!(ids.len(), feed.entries.len());
    }
}

#[test]
fn past_versions_are_in_step_with_the_list() {
    let root = Root::new();
    let id = content_root::id_of("a");
    root.version(id, 0, &Page::new("a").sidecar(), "One.\n");
    let site = root.serve_unsettled(&[]);
    let copy = Copy::new();
    copy.sync(&site.base, &[]);
    root.version(id, 1, &Page::new("a").sidecar(), "Two.\n");
    copy.sync(&site.base, &[]);
    assert_copied(&site, &copy, "a new version");
    std::fs::remove_file(root.path(&version_path(id, 1))).unwrap();
    copy.sync(&site.base, &[]);
    assert_copied(&site, &copy, "back to the one before");
}

#[test]
fn the_reference_client_copies_and_keeps_in_step() {
    let run = |what: &str, base: &str, folder: &std::path::Path| -> Option<String> {
        let mut command = judge("resync-sync")?;
        // It looks for the Change List beside the site's root alone, if it is not told.
        let changes = format!("{base}resourcesync/changelist.xml");
        if what == "--incremental" {
            command.args(["--changelist-uri", &changes]);
        }
        command.args([what, "--delete", base]).arg(folder.join("copy")).current_dir(folder);
        let output = command.stdin(std::process::Stdio::null()).output().unwrap();
        Some(format!("{}{}", stdout(&output), stderr(&output)))
    };
    for layout in LAYOUTS {
        // Other names than its own program can keep as files are no matter of ours.
        let root = Root::new();
        for name in ["a", "b/c", "edited", "gone"] {
            root.put(layout, &Page::new(name));
        }
        let site = root.serve_unsettled(&[]);
        let folder = tempfile::tempdir().unwrap();
        let Some(said) = run("--baseline", &site.base, folder.path()) else { return };
        let status = |said: &str| {
            let line = said.lines().rfind(|line| line.starts_with("Status:")).unwrap_or_default();
            line.to_owned()
        };
        assert!(status(&said).contains("SYNC"), "{layout:?}: {said}");
        let copied = |name: &str| std::fs::read_to_string(folder.path().join("copy").join(name));
        assert!(copied("b/c").unwrap().contains("Words."), "{said}");
        root.put(layout, &Page::new("edited").says("Other words.\n"));
        root.put(layout, &Page::new("new"));
        root.remove(layout, "gone");
        let said = run("--incremental", &site.base, folder.path()).unwrap();
        assert!(copied("edited").unwrap().contains("Other words."), "{layout:?}: {said}");
        assert!(copied("new").unwrap().contains("Words."), "{layout:?}: {said}");
        assert!(copied("gone").is_err(), "{layout:?}: {said}");
        let said = run("--audit", &site.base, folder.path()).unwrap();
        let status = status(&said);
        assert!(status.contains("IN SYNC") && !status.contains("NOT "), "{layout:?}: {said}");
    }
}

#[test]
fn a_webfeed_among_the_pages_is_listed_and_can_be_followed() {
    let root = Root::with(Layout::Plain, &[Page::new("home")]);
    let feed = root.path("pages/feed");
    let feed = feed.to_str().unwrap();
    let made = run(["webfeed", "init", feed, "--author", "Ada"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let site = root.serve_unsettled(&[]);
    let list = site.text("/resourcesync/resourcelist.xml");
    assert!(list.contains("/feed/hello.html</loc>"), "{list}");
    let index = format!("{}feed/index.txt", site.base);
    let checked = run(["webfeed", "check", &index]);
    assert_eq!(checked.status.code(), Some(0), "{}{}", stdout(&checked), stderr(&checked));
    let follower = Follower::default();
    let followed = follower.run(&["follow", &index]);
    assert_eq!(followed.status.code(), Some(0), "{}", stderr(&followed));
    assert_eq!(follower.site()["via"], "webfeed");
    // The next answer has the edit, and the next poll sees it.
    let notes = tempfile::tempdir().unwrap();
    let note = notes.path().join("fog.md");
    std::fs::write(&note, "# Fog\n").unwrap();
    let added = run(["webfeed", "add", feed, note.to_str().unwrap()]);
    assert_eq!(added.status.code(), Some(0), "{}", stderr(&added));
    let polled = follower.run(&["poll"]);
    assert!(stdout(&polled).contains("1 change"), "{}{}", stdout(&polled), stderr(&polled));
    assert!(site.text("/resourcesync/changelist.xml").contains("/feed/fog.html</loc>"));
}
