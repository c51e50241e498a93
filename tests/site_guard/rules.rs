//! `tags.yaml` and `roles.yaml` that are not what they were.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::content_root::{LAYOUTS, Layout, Page, Root, Site};
use crate::{assert_hidden, assert_nothing_reported, figures};

const TAGS: &str = "state/sys/tags.yaml";
const STAFF: &str = "staff:\n  name: Staff\n  roles: [staff]\n  access_rule: union\n";

fn staffed(layout: Layout) -> Root {
    let root = Root::with(layout, &[Page::new("open").in_navigation("Open"), figures()]);
    root.restrict();
    root
}

/// Something that happens to the file.
type Accident = fn(&Root);

/// What can become of the file, by name. None of it opens anything.
const ACCIDENTS: [(&str, Accident); 16] = [
    ("missing", |root| fs::remove_file(root.path(TAGS)).unwrap()),
    ("empty", |root| root.write(TAGS, "")),
    ("blank", |root| root.write(TAGS, "\n# nothing\n")),
    ("zeros", |root| root.write(TAGS, vec![0; STAFF.len()])),
    ("cut off after the name", |root| root.write(TAGS, "staff:\n  name: Staff\n")),
    ("cut off in a word", |root| root.write(TAGS, &STAFF[..25])),
    ("cut off in another text", |root| root.write(TAGS, "more: {roles: [x]}\nstaff: {name: St")),
    ("without the roles", |root| root.write(TAGS, "other:\n  roles: [x]\nstaff:\n  name: S\n")),
    ("without the tag, cut off after a new one", |root| {
        root.write(TAGS, "press:\n  name: Press\n  roles: [press]\n");
    }),
    ("without the tag, below a comment", |root| {
        root.write(TAGS, "# The tags of the site.\nnew: {}\n")
    }),
    ("without the tag, made anew", |root| {
        fs::remove_file(root.path(TAGS)).unwrap();
        root.write(TAGS, "press:\n  roles: [press]\n");
    }),
    ("no YAML", |root| root.write(TAGS, "staff: [\n")),
    ("a dangling link", |root| {
        fs::remove_file(root.path(TAGS)).unwrap();
        symlink("nowhere", root.path(TAGS)).unwrap();
    }),
    ("a folder", |root| {
        fs::remove_file(root.path(TAGS)).unwrap();
        fs::create_dir(root.path(TAGS)).unwrap();
    }),
    ("renamed aside", |root| {
        fs::rename(root.path(TAGS), root.path("state/sys/tags.yaml~")).unwrap()
    }),
    ("away with its folder", |root| {
        fs::rename(root.path("state/sys"), root.path("state/aside")).unwrap();
    }),
];

#[test]
fn rules_that_are_gone_or_broken_stay_in_force_also_after_a_restart() {
    for layout in LAYOUTS {
        for (name, happen) in ACCIDENTS {
            let root = staffed(layout);
            let when = format!("{layout:?} {name}");
            let site = root.serve(&[]);
            assert_hidden(&site, &when);
            happen(&root);
            assert_hidden(&site, &when);
            assert_nothing_reported(&site, &when);
            site.stop();
            let site = root.serve(&[]);
            assert_hidden(&site, &format!("{when}, after a restart"));
            assert_nothing_reported(&site, &when);
            // What can be used again is used in the next answer.
            let _ = fs::remove_dir_all(root.path("state/sys"));
            root.write(TAGS, "staff:\n  name: Staff\n  roles: []\n");
            assert_eq!(site.status("/figures"), 200, "{when}");
        }
    }
}

#[test]
fn rules_that_are_not_read_yet_open_nothing() {
    // At the first start there are no last rules.
    for (name, happen) in ACCIDENTS {
        if matches!(name, "missing" | "renamed aside" | "away with its folder") {
            continue;
        }
        if name.starts_with("cut off after") || name.starts_with("without") {
            continue;
        }
        let root = staffed(Layout::Plain);
        happen(&root);
        assert_hidden(&root.serve(&[]), name);
    }
}

#[test]
fn rules_that_are_replaced_again_and_again_open_nothing() {
    for layout in LAYOUTS {
        let root = staffed(layout);
        let site = root.serve(&[]);
        for round in 0..20 {
            fs::remove_file(root.path(TAGS)).unwrap();
            assert_hidden(&site, &format!("{layout:?} {round}"));
            let mut file = fs::File::create(root.path(TAGS)).unwrap();
            assert_hidden(&site, &format!("{layout:?} {round}"));
            std::io::Write::write_all(&mut file, &STAFF.as_bytes()[..22]).unwrap();
            drop(file);
            assert_hidden(&site, &format!("{layout:?} {round}"));
            root.restrict();
            assert_hidden(&site, &format!("{layout:?} {round}"));
        }
        assert_nothing_reported(&site, "replaced");
    }
}

#[test]
fn a_checkout_by_git_opens_nothing() {
    let root = staffed(Layout::Plain);
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
    root.write(".gitignore", "state/tidings\n");
    assert!(
        git(&["add", "-A"]) && git(&["commit", "-qm", "one"]) && git(&["checkout", "-qb", "two"])
    );
    root.write(TAGS, format!("# Other rules.\n{STAFF}"));
    root.put(Layout::Plain, &figures().says("Still quarzfalter.\n"));
    assert!(git(&["commit", "-qam", "two"]));
    let site = root.serve(&[]);
    for round in 0..20 {
        let branch = ["one", "two"][round % 2];
        assert!(git(&["checkout", "-q", branch]));
        assert_hidden(&site, branch);
    }
    assert_nothing_reported(&site, "checked out");
}

#[test]
fn a_full_disk_opens_nothing() {
    for layout in LAYOUTS {
        let root = Root::new();
        let is_done = |arguments: &[&str]| {
            let mut command = Command::new(arguments[0]);
            command.args(&arguments[1..]).arg(root.folder());
            command.output().is_ok_and(|output| output.status.success())
        };
        if !is_done(&["mount", "-t", "tmpfs", "-o", "size=2M", "tmpfs"]) {
            println!("skipped: who runs this may not mount");
            return;
        }
        root.put(layout, &Page::new("open"));
        root.put(layout, &figures());
        root.write("content/.keep", "");
        root.write("pages/.keep", "");
        root.restrict();
        let site = root.serve(&[]);
        assert_hidden(&site, "before");
        let fill = || {
            let file = root.path("filler");
            let mut file = fs::OpenOptions::new().append(true).create(true).open(file).unwrap();
            while std::io::Write::write_all(&mut file, &[0; 512]).is_ok() {}
        };
        // Everything is saved again, which leaves empty files.
        for file in [root.files(layout, "figures"), vec![root.path(TAGS)]].concat() {
            let bytes = fs::read(&file).unwrap();
            for is_removed in [false, true] {
                if is_removed {
                    fs::remove_file(&file).unwrap();
                }
                // It is empty now, and what was freed by that is taken by somebody else.
                let written = fs::File::create(&file).and_then(|mut open| {
                    fill();
                    std::io::Write::write_all(&mut open, &bytes)
                });
                let when = format!("{layout:?}: {}", file.display());
                assert_hidden(&site, &when);
                assert!(written.is_err(), "{when}: there is room");
                fs::remove_file(root.path("filler")).unwrap();
                assert_hidden(&site, &when);
                fs::write(&file, &bytes).unwrap();
                assert_hidden(&site, &when);
            }
        }
        assert_nothing_reported(&site, "full");
        fill();
        let _ = fs::write(root.path(TAGS), STAFF);
        drop(site);
        fs::remove_file(root.path("filler")).unwrap();
        let site = root.serve(&[]);
        assert_hidden(&site, "after a restart");
        assert_nothing_reported(&site, "after a restart");
        drop(site);
        assert!(is_done(&["umount", "-l"]));
    }
}

#[test]
fn roles_that_are_gone_or_broken_open_nothing() {
    const ROLES: &str = "state/sys/roles.yaml";
    for text in [None, Some(""), Some("- sta"), Some("- ["), Some("\0\0\0")] {
        let root = staffed(Layout::Plain);
        root.write(ROLES, "- staff\n- press\n");
        let site = root.serve(&[]);
        fs::remove_file(root.path(ROLES)).unwrap();
        assert_hidden(&site, "no roles");
        if let Some(text) = text {
            root.write(ROLES, text);
        }
        assert_hidden(&site, "other roles");
        site.stop();
        let site = root.serve(&[]);
        assert_hidden(&site, "after a restart");
        assert_nothing_reported(&site, "roles");
    }
}

#[test]
fn a_tag_is_taken_out_by_a_file_that_is_renamed() {
    // As the editor does it: such a file is whole.
    let root = staffed(Layout::Plain);
    root.write(TAGS, format!("a:\n  roles: [a]\n{STAFF}"));
    let site = root.serve(&[]);
    assert_hidden(&site, "before");
    // Written in place it may be the beginning of a longer one.
    root.write(TAGS, "# Fewer tags.\na:\n  roles: [a]\n");
    assert_hidden(&site, "in place");
    assert_eq!(crate::faults(&root), [""; 0], "--check knows no earlier rules");
    let found = site.get_with(&format!("/{}/", site.admin()), &site.sign_in_admin()).text();
    assert!(
        found.contains("the tag &quot;staff&quot;") || found.contains("rename it to this one"),
        "{found}"
    );
    root.write("state/sys/new", "a:\n  roles: [a]\n");
    fs::rename(root.path("state/sys/new"), root.path(TAGS)).unwrap();
    assert_eq!(site.status("/figures"), 200);
}

#[test]
fn a_file_that_was_renamed_once_is_not_whole_for_ever() {
    let root = staffed(Layout::Plain);
    let site = root.serve(&[]);
    for round in 0..3 {
        root.write("state/sys/new", format!("# {round}\n{STAFF}"));
        fs::rename(root.path("state/sys/new"), root.path(TAGS)).unwrap();
        assert_hidden(&site, "renamed");
        root.write(TAGS, format!("# {round}, again\npress:\n  roles: [press]\n"));
        assert_hidden(&site, "written in place afterwards");
    }
    assert_nothing_reported(&site, "renamed");
}

#[test]
fn a_misspelt_tag_is_for_nobody_and_an_unknown_one_is_found() {
    for layout in LAYOUTS {
        let root = staffed(layout);
        root.put(layout, &Page::new("capital").tagged(&["Staff"]));
        root.put(layout, &Page::new("letter").tagged(&["stafff"]));
        root.put(layout, &Page::new("garden").tagged(&["garden"]));
        let site = root.serve(&[]);
        for (path, status) in [("/capital", 404), ("/letter", 404), ("/garden", 200)] {
            assert_eq!(site.status(path), status, "{layout:?} {path}");
        }
        let mut faults = crate::faults(&root);
        faults.sort();
        assert_eq!(faults, ["misspelt", "misspelt", "unknown-tag"], "{layout:?}");
    }
}

#[test]
fn the_administration_does_not_replace_lost_rules_by_none() {
    let root = staffed(Layout::Plain);
    root.write("state/sys/roles.yaml", "- staff\n- press\n");
    let site = root.serve(&[]);
    let admin = site.sign_in_admin();
    let path = format!("/{}/tags", site.admin());
    let before = site.get_with(&path, &admin).text();
    assert!(before.contains("press") && before.contains("staff"), "{before}");
    for name in ["tags.yaml", "roles.yaml"] {
        fs::remove_file(root.path(&format!("state/sys/{name}"))).unwrap();
    }
    let page = site.get_with(&path, &admin).text();
    assert!(page.contains("press") && page.contains("staff"), "{page}");
    let found: Site = site;
    let findings = found.get_with(&format!("/{}/", found.admin()), &admin).text();
    assert!(findings.contains("tags.yaml") && findings.contains("roles.yaml"), "{findings}");
}
