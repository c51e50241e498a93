//! Changes on disk are in the very next response: no test here waits for anything.

use std::collections::BTreeMap;
use std::fs;

use crate::content_root::{LAYOUTS, Layout, Page, Root, w3c};

const ROUNDS: u64 = 200;
/// When the first page was written: a past that no clock of now is near.
const BEGIN: u64 = 1_600_000_000;

/// What should be listed: aliases, each with its time and whether it is for the staff.
type Model = BTreeMap<String, (u64, bool)>;

fn expected(model: &Model, is_restricted: bool) -> BTreeMap<String, String> {
    let seen = model.iter().filter(|(_, (_, is_staff))| !(is_restricted && *is_staff));
    seen.map(|(alias, (time, _))| (format!("/{alias}"), w3c(*time))).collect()
}

#[test]
fn each_of_two_hundred_changes_is_in_the_next_response() {
    for layout in LAYOUTS {
        change_two_hundred_times(layout);
    }
}

fn change_two_hundred_times(layout: Layout) {
    let root = Root::new();
    let mut model = Model::new();
    let put = |model: &mut Model, name: &str, time: u64, is_staff: bool, body: &str| {
        let tags: &[&str] = if is_staff { &["staff"] } else { &[] };
        root.put(layout, &Page::new(name).tagged(tags).says(body));
        root.date(layout, name, time);
        model.insert(name.to_owned(), (time, is_staff));
    };
    for number in 0..5 {
        put(&mut model, &format!("page-{number}"), BEGIN + number, number == 4, "Words.\n");
    }
    let site = root.serve(&[]);
    let mut is_restricted = false;
    for round in 0..ROUNDS {
        let time = BEGIN + 1_000 + round * 10;
        let name = format!("page-{}", round % 5);
        let what = round % 7;
        match what {
            0 => {
                let body = format!("Edited in round {round}.\n");
                put(&mut model, &name, time, name == "page-4", &body);
                if !(name == "page-4" && is_restricted) {
                    assert!(site.text(&format!("/{name}")).contains(body.trim()), "{layout:?}");
                }
            }
            1 => put(&mut model, &format!("new-{round}"), time, false, "New.\n"),
            2 => {
                let gone = format!("new-{}", round - 1);
                root.remove(layout, &gone);
                model.remove(&gone);
                assert_eq!(site.status(&format!("/{gone}")), 404, "{layout:?} {round}");
            }
            // What is touched is as new as its newest file.
            3 => {
                let last = root.files(layout, &name).pop().unwrap();
                crate::content_root::set_time(&last, time);
                model.get_mut(&name).unwrap().0 = time;
            }
            // A page moves, and comes back in the next round but one.
            4 => {
                rename(&root, layout, &name, &format!("moved-{round}"), time);
                let (_, is_staff) = model.remove(&name).unwrap();
                model.insert(format!("moved-{round}"), (time, is_staff));
                assert_eq!(site.status(&format!("/{name}")), 404, "{layout:?} {round}");
                assert_eq!(site.listed(), expected(&model, is_restricted), "{layout:?} {round}");
                let (_, is_staff) = model.remove(&format!("moved-{round}")).unwrap();
                rename_back(&root, layout, &name, &format!("moved-{round}"), time);
                model.insert(name.clone(), (time, is_staff));
            }
            5 => {
                is_restricted = !is_restricted;
                if is_restricted {
                    root.restrict();
                } else {
                    root.write("state/sys/tags.yaml", "{}\n");
                }
                assert_eq!(site.status("/page-4"), if is_restricted { 404 } else { 200 });
            }
            // Editors write beside, and move over.
            _ => {
                let file = root.files(layout, &name).remove(0);
                let aside = file.with_file_name(".saved");
                fs::copy(&file, &aside).unwrap();
                fs::rename(&aside, &file).unwrap();
                root.date(layout, &name, time);
                model.get_mut(&name).unwrap().0 = time;
            }
        }
        assert_eq!(site.listed(), expected(&model, is_restricted), "{layout:?} {round} ({what})");
    }
}

fn rename(root: &Root, layout: Layout, name: &str, to: &str, time: u64) {
    match layout {
        // The alias is in the sidecar, tags and all.
        Layout::Versioned => {
            let sidecar = root.files(layout, name).pop().unwrap();
            let text = fs::read_to_string(&sidecar).unwrap();
            let text = text.replace(&format!("alias: \"{name}\""), &format!("alias: \"{to}\""));
            fs::write(&sidecar, text).unwrap();
            root.date(layout, name, time);
        }
        Layout::Plain => {
            fs::rename(
                root.path(&format!("pages/{name}.md")),
                root.path(&format!("pages/{to}.md")),
            )
            .unwrap();
            root.date(layout, to, time);
        }
    }
}

fn rename_back(root: &Root, layout: Layout, name: &str, from: &str, time: u64) {
    match layout {
        Layout::Versioned => {
            let sidecar = root.files(layout, name).pop().unwrap();
            let text = fs::read_to_string(&sidecar).unwrap();
            fs::write(&sidecar, text.replace(from, name)).unwrap();
            root.date(layout, name, time);
        }
        Layout::Plain => rename(root, layout, from, name, time),
    }
}

#[test]
fn folders_of_pages_come_move_and_go_as_one() {
    let root = Root::with(Layout::Plain, &[Page::new("index").alias("index")]);
    // A new folder settles before it is public, unless nothing does.
    let site = root.serve_unsettled(&[]);
    let deep: Vec<String> = (0..30).map(|number| format!("a/b/c/page-{number}")).collect();
    for name in &deep {
        root.put(Layout::Plain, &Page::new(name));
    }
    assert_eq!(site.listed().len(), 31);
    for round in 0..20 {
        let (from, to) = if round % 2 == 0 { ("a", "z") } else { ("z", "a") };
        fs::rename(root.path(&format!("pages/{from}")), root.path(&format!("pages/{to}"))).unwrap();
        let listed = site.listed_paths();
        assert_eq!(listed.len(), 31, "{round}");
        assert!(listed.contains(&format!("/{to}/b/c/page-7")), "{round}: {listed:?}");
        // What is in a folder that was moved is watched there.
        root.put(Layout::Plain, &Page::new(&format!("{to}/b/c/page-7")).says("Moved.\n"));
        assert!(site.text(&format!("/{to}/b/c/page-7")).contains("Moved."), "{round}");
    }
    fs::remove_dir_all(root.path("pages/a")).unwrap();
    assert_eq!(site.listed().len(), 1);
    assert_eq!(site.status("/a/b/c/page-7"), 404);
}

#[test]
fn a_new_version_replaces_the_one_before_when_it_is_whole() {
    let root = Root::with(Layout::Versioned, &[Page::new("a").says("First.\n")]);
    let id = crate::content_root::id_of("a");
    let site = root.serve(&[]);
    for number in 1..50 {
        let path = crate::content_root::version_path(id, number);
        root.write(&path, format!("Version {number}.\n"));
        // Half of a version is none yet.
        assert!(!site.text("/a").contains(&format!("Version {number}.")), "{number}");
        root.write(&format!("{path}.ron"), Page::new("a").sidecar());
        assert!(site.text("/a").contains(&format!("Version {number}.")), "{number}");
    }
    for number in (1..50).rev() {
        fs::remove_file(root.path(&crate::content_root::version_path(id, number))).unwrap();
    }
    assert!(site.text("/a").contains("First."));
}

#[test]
fn robots_and_sitemap_follow_the_host_that_is_asked() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let site = root.serve(&[]);
    for host in ["one.example", "two.example:8080", "[::1]:99"] {
        let headers = format!("Host: {host}\r\n");
        let robots = site.get_with("/robots.txt", &headers).text();
        assert!(robots.ends_with(&format!("\nSitemap: http://{host}/sitemap.xml\n")), "{robots}");
        let sitemap = site.get_with("/sitemap.xml", &headers).text();
        assert!(sitemap.contains(&format!("<loc>http://{host}/a</loc>")), "{sitemap}");
    }
}

#[test]
fn a_restarted_site_tells_what_changed_while_it_was_down() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("kept"), Page::new("gone"), Page::new("old")]);
        root.serve(&[]).stop();
        root.remove(layout, "gone");
        root.put(layout, &Page::new("old").says("Other words.\n"));
        root.put(layout, &Page::new("new"));
        let site = root.serve(&[]);
        let changes = site.text("/resourcesync/changelist.xml");
        for (path, change) in [("gone", "deleted"), ("old", "updated"), ("new", "created")] {
            let entry = changes.split("<url>").find(|entry| entry.contains(&format!("/{path}<")));
            let entry = entry.unwrap_or_else(|| panic!("{layout:?} {path}: {changes}"));
            assert!(entry.contains(&format!("change=\"{change}\"")), "{layout:?}: {entry}");
        }
        assert!(!changes.contains("/kept<"), "{changes}");
    }
}

#[test]
fn another_folder_in_place_of_the_root_is_served_at_once() {
    // As a deployment does it that changes a link from one release to the next.
    let root = Root::with(Layout::Plain, &[Page::new("a"), Page::new("old")]);
    let folder = root.folder();
    let (first, second) = (folder.with_file_name("first"), folder.with_file_name("second"));
    fs::rename(&folder, &first).unwrap();
    std::os::unix::fs::symlink(&first, &folder).unwrap();
    fs::create_dir_all(second.join("pages")).unwrap();
    for name in ["a", "new"] {
        fs::write(second.join(format!("pages/{name}.md")), format!("# Second {name}\n")).unwrap();
    }
    let site = root.serve(&[]);
    assert_eq!(site.listed_paths(), ["/a", "/old"].map(str::to_owned).into());
    let link = folder.with_file_name("link");
    std::os::unix::fs::symlink(&second, &link).unwrap();
    fs::rename(&link, &folder).unwrap();
    assert_eq!(site.listed_paths(), ["/a", "/new"].map(str::to_owned).into());
    assert_eq!(site.status("/old"), 404);
    assert!(site.text("/a").contains("Second a"));
    fs::write(second.join("pages/new.md"), "# Edited\n").unwrap();
    assert!(site.text("/new").contains("Edited"));
}

#[test]
fn rules_that_change_tell_of_those_pages_alone() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("a"), Page::new("s").tagged(&["staff"])]);
        let site = root.serve(&[]);
        root.restrict();
        assert_eq!(site.listed_paths(), ["/a".to_owned()].into());
        root.write("state/sys/tags.yaml", "{}\n");
        assert_eq!(site.listed().len(), 2);
        let changes = site.text("/resourcesync/changelist.xml");
        assert!(!changes.contains("/a<"), "{layout:?}: {changes}");
        assert_eq!(changes.matches("/s<").count(), 2, "{layout:?}: {changes}");
    }
}
