//! `tidings publish` with packages and patches.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;
use std::process::Command;

use support::site::{BASE, Site};
use support::stdout;

fn texts() -> Site {
    let long: String = (0..400).map(|line| format!("line {line}\n")).collect();
    let json = serde_json::json!({ "items": (0..200).collect::<Vec<_>>(), "title": "Numbers" });
    Site::new(&[
        ("a.txt", &long),
        ("b.json", &serde_json::to_string_pretty(&json).unwrap()),
        ("c.png", "not really"),
    ])
}

/// The packages, tested by another program.
fn assert_readable(site: &Site) -> Vec<String> {
    let mut packages = Vec::new();
    for file in fs::read_dir(site.path().join("resourcesync")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "zip") {
            let output = Command::new("unzip").arg("-tq").arg(&path).output().unwrap();
            assert!(output.status.success(), "{}", stdout(&output));
            packages.push(path.file_name().unwrap().to_str().unwrap().to_owned());
        }
    }
    packages.sort();
    packages
}

#[test]
fn a_change_dump_has_a_bitstream_for_each_change() {
    let site = texts();
    site.published(&["--change-dump"]);
    site.assert_valid();
    assert_eq!(assert_readable(&site).len(), 0);
    fs::write(site.path().join("c.png"), "changed").unwrap();
    fs::write(site.path().join("d.txt"), "new").unwrap();
    fs::remove_file(site.path().join("a.txt")).unwrap();
    site.published(&["--change-dump"]);
    site.assert_valid();
    assert_eq!(assert_readable(&site).len(), 1);
    fs::write(site.path().join("c.png"), "changed again").unwrap();
    site.published(&["--change-dump"]);
    site.assert_valid();
    let packages = assert_readable(&site);
    assert_eq!(packages.len(), 2);
    let package = site.path().join("resourcesync").join(&packages[0]);
    let listing = Command::new("unzip").arg("-Z1").arg(package).output().unwrap();
    let listing = stdout(&listing);
    let names: Vec<&str> = listing.lines().collect();
    assert_eq!(names[0], "manifest.xml");
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(site.published(&["--change-dump"]).3, Vec::<String>::new());

    // Without it the dump waits, and is made up later with what can still be had.
    fs::write(site.path().join("c.png"), "three").unwrap();
    site.published(&[]);
    fs::write(site.path().join("c.png"), "four").unwrap();
    fs::write(site.path().join("d.txt"), "five").unwrap();
    site.published(&["--change-dump"]);
    site.assert_valid();
    assert_eq!(assert_readable(&site).len(), 3);
}

#[test]
fn packages_in_which_nothing_changed_stay() {
    let site = texts();
    site.published(&["--dump"]);
    site.assert_valid();
    let first = assert_readable(&site);
    assert_eq!(site.published(&["--dump"]).3, Vec::<String>::new());
    fs::write(site.path().join("c.png"), "changed").unwrap();
    site.published(&["--dump"]);
    site.assert_valid();
    let second = assert_readable(&site);
    assert_eq!((first.len(), second.len()), (1, 2));
    let dump = site.read("resourcesync/resourcedump.xml");
    assert!(dump.contains(second.last().unwrap()) && !dump.contains(&first[0]), "{dump}");
    // A dump whose package is lost is made anew.
    fs::remove_file(site.path().join("resourcesync").join(second.last().unwrap())).unwrap();
    fs::remove_file(site.path().join("resourcesync/resourcedump.xml")).unwrap();
    site.published(&["--dump"]);
    site.assert_valid();
}

#[test]
fn too_many_packages_are_under_an_index() {
    let site = texts();
    for round in 0..5 {
        fs::write(site.path().join("c.png"), format!("round {round}")).unwrap();
        site.published(&["--change-dump", "--max-entries", "2"]);
        site.assert_valid();
    }
    let index = site.read("resourcesync/changedump.xml");
    assert!(index.contains("<sitemapindex") && index.contains("until="), "{index}");
    assert_eq!(site.published(&["--change-dump", "--max-entries", "2"]).3, Vec::<String>::new());
}

#[test]
fn many_sets_are_under_an_index() {
    let site = texts();
    let sets: String = ["a", "b", "c"]
        .map(|name| format!("[[publish.set]]\nname = \"{name}\"\nglobs = [\"{name}.*\"]\n"))
        .concat();
    let config = site.path().join("tidings.toml");
    fs::write(&config, sets).unwrap();
    let config = config.to_str().unwrap();
    site.published(&["--config", config, "--max-entries", "2", "--dump"]);
    site.assert_valid();
    assert!(site.read(".well-known/resourcesync").contains("<sitemapindex"));
}

#[test]
fn texts_come_with_how_they_changed() {
    let site = texts();
    let config = site.path().join("tidings.toml");
    fs::write(&config, "[publish]\npatches = true\n").unwrap();
    let config = config.to_str().unwrap();
    site.published(&["--config", config]);
    let long = site.read("a.txt");
    fs::write(site.path().join("a.txt"), long.replace("line 200\n", "line two hundred\n")).unwrap();
    let json = site.read("b.json").replace("Numbers", "Many numbers");
    fs::write(site.path().join("b.json"), json).unwrap();
    fs::write(site.path().join("c.png"), "another one").unwrap();
    let (_, updated, _, written) = site.published(&["--config", config]);
    assert_eq!(updated, 3);
    site.assert_valid();
    let patches: Vec<&String> =
        written.iter().filter(|name| name.starts_with("resourcesync/patches/")).collect();
    assert_eq!(patches.len(), 2, "{written:?}");
    let changes = site.read("resourcesync/changelist.xml");
    for part in ["text/x-diff", "application/json-patch+json", "rs/terms/patch"] {
        assert!(changes.contains(part), "{changes}");
    }
    let json: serde_json::Value = serde_json::from_str(&site.read(patches[1])).unwrap();
    assert_eq!(json[0]["path"], "/title");
    // Another program can apply it.
    let old = site.path().join("old.txt");
    fs::write(&old, &long).unwrap();
    let patch = fs::File::open(site.path().join(patches[0])).unwrap();
    let output = Command::new("patch").arg(&old).stdin(patch).output();
    if let Ok(output) = output {
        assert!(output.status.success(), "{}", stdout(&output));
        assert_eq!(fs::read_to_string(old).unwrap(), site.read("a.txt"));
    }
    assert!(changes.contains(&format!("{BASE}resourcesync/patches/")));
}

#[test]
fn a_history_that_is_begun_anew_has_dumps_of_its_own() {
    let site = texts();
    let both = ["--dump", "--change-dump"];
    site.published(&both);
    fs::write(site.path().join("c.png"), "changed").unwrap();
    site.published(&both);
    fs::write(site.path().join("c.png"), "changed again").unwrap();
    site.published(&["--full", "--change-dump"]);
    site.assert_valid();
    assert!(!site.path().join("resourcesync/resourcedump.xml").exists());
    assert!(!site.read("resourcesync/changedump.xml").contains("<url>"));
}

#[test]
fn a_dump_follows_when_a_part_of_the_list_is_gone() {
    let site = Site::new(&[("index.html", "<p>home")]);
    for name in ["a", "b", "c"] {
        for number in 0..4 {
            fs::write(site.path().join(format!("{name}{number}.txt")), name).unwrap();
        }
    }
    let options = ["--max-entries", "4", "--dump"];
    site.published(&options);
    for number in 0..4 {
        fs::remove_file(site.path().join(format!("c{number}.txt"))).unwrap();
    }
    fs::remove_file(site.path().join("index.html")).unwrap();
    site.published(&options);
    site.assert_valid();
    site.published(&options);
    site.assert_valid();
}

#[test]
fn files_with_odd_names_are_in_packages_too() {
    let site = Site::new(&[("a\\b.txt", "one"), ("☃.txt", "two"), ("a b.txt", "three")]);
    let both = ["--dump", "--change-dump"];
    site.published(&both);
    fs::write(site.path().join("a\\b.txt"), "changed").unwrap();
    site.published(&both);
    site.assert_valid();
}

#[test]
fn a_dry_run_names_the_capability_list_that_a_new_dump_changes() {
    let site = Site::new(&[("a.txt", "one")]);
    site.published(&[]);
    let (_, _, _, written) = site.published(&["--dump", "--dry-run"]);
    assert!(written.contains(&"resourcesync/capabilitylist.xml".to_owned()), "{written:?}");
    assert!(!site.path().join("resourcesync/resourcedump.xml").exists());
}

/// Without the digits, which have times.
fn without_digits(names: Vec<String>) -> Vec<String> {
    let without = |name: String| name.chars().filter(|one| !one.is_ascii_digit()).collect();
    names.into_iter().map(without).collect()
}

#[test]
fn a_dry_run_names_the_packages_that_will_be_written() {
    let site = Site::new(&[("a.txt", "one"), ("b.txt", "two")]);
    site.published(&[]);
    for text in ["two", "three"] {
        fs::write(site.path().join("b.txt"), text).unwrap();
        let state = site.state();
        let planned = site.published(&["--dump", "--change-dump", "--dry-run"]).3;
        assert!(planned.iter().any(|name| name.ends_with(".zip")), "{planned:?}");
        assert_eq!(site.state(), state);
        let written = site.published(&["--dump", "--change-dump"]).3;
        assert_eq!(without_digits(planned), without_digits(written));
    }
    assert!(site.published(&["--dump", "--change-dump", "--dry-run"]).3.is_empty());
}
