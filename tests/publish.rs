//! `tidings publish`, from the command line: what it writes is a Source with nothing wrong, run after
//! run.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

mod support;

use std::fs;
use std::time::SystemTime;

use support::site::{BASE, Site};
use support::{run, stderr, stdout};

fn shrine() -> Site {
    Site::new(&[
        ("index.html", "<!doctype html><title>Shrine</title>"),
        ("gallery/ä & b.html", "<!doctype html><title>Gallery</title>"),
        ("picture.png", "not really"),
        (".hidden", "secret"),
    ])
}

#[test]
fn a_folder_becomes_a_source_with_nothing_wrong() {
    let site = shrine();
    let output = site.publish(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("first publication: 3 resources; "), "{}", stdout(&output));
    site.assert_valid();
    let list = site.read("resourcesync/resourcelist.xml");
    assert!(
        list.contains("<loc>https://shrine.example/gallery/%C3%A4%20&amp;%20b.html</loc>"),
        "{list}"
    );
    assert!(list.contains("hash=\"sha-256:") && list.contains("type=\"image/png\""), "{list}");
    assert!(
        !list.contains("hidden")
            && !list.contains("robots.txt")
            && !list.contains("resourcesync/about")
    );
    let sitemap = site.read("sitemap.xml");
    assert!(
        sitemap.contains("index.html") && !sitemap.contains("picture") && !sitemap.contains("rs:"),
        "{sitemap}"
    );
    assert!(site.read("robots.txt").contains("Sitemap: https://shrine.example/sitemap.xml"));
}

#[test]
fn where_nothing_changed_nothing_is_written() {
    let site = shrine();
    site.published(&[]);
    // Site generators touch every file.
    let index = site.path().join("index.html");
    let content = fs::read(&index).unwrap();
    fs::write(&index, content).unwrap();
    let before = site.state();
    assert_eq!(site.published(&[]), (0, 0, 0, Vec::new()));
    assert_eq!(site.state(), before);
}

#[test]
fn changes_are_added_to_the_change_list() {
    let site = shrine();
    site.published(&[]);
    fs::write(site.path().join("index.html"), "<!doctype html><title>New</title>").unwrap();
    fs::write(site.path().join("new.txt"), "new").unwrap();
    fs::remove_file(site.path().join("picture.png")).unwrap();
    let (created, updated, deleted, written) = site.published(&[]);
    assert_eq!((created, updated, deleted), (1, 1, 1));
    // The changes are there before the list that has them in it.
    let documents = ["resourcesync/changelist.xml", "sitemap.xml", "resourcesync/resourcelist.xml"];
    assert_eq!(written, documents);
    site.assert_valid();
    fs::write(site.path().join("new.txt"), "newer").unwrap();
    assert_eq!(site.published(&[]).1, 1);
    site.assert_valid();
    let changes = site.read("resourcesync/changelist.xml");
    assert_eq!(changes.matches("<url>").count(), 4);
    assert_eq!(changes.matches("new.txt").count(), 2);
    assert!(changes.contains("change=\"deleted\""), "{changes}");
}

#[test]
fn many_resources_and_changes_are_split_under_indexes() {
    let names: Vec<String> = (0..25).map(|number| format!("{number:02}.html")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "<p>one")).collect();
    let site = Site::new(&files);
    site.published(&["--max-entries", "10"]);
    site.assert_valid();
    for round in 0..6 {
        for name in &names[round..round + 8] {
            fs::write(site.path().join(name), format!("<p>{round}")).unwrap();
        }
        let (created, updated, deleted, _) = site.published(&["--max-entries", "10"]);
        assert_eq!((created, updated, deleted), (0, 8, 0), "round {round}");
        site.assert_valid();
    }
    // More changes at once than one list may hold.
    for name in &names {
        fs::write(site.path().join(name), "<p>all").unwrap();
    }
    assert_eq!(site.published(&["--max-entries", "10"]).1, 25);
    site.assert_valid();
    assert!(site.read("resourcesync/changelist.xml").contains("<sitemapindex"));
    assert!(site.read("resourcesync/resourcelist.xml").contains("<sitemapindex"));
    assert!(site.read("sitemap.xml").contains("<sitemapindex"));
    assert_eq!(site.published(&["--max-entries", "10"]), (0, 0, 0, Vec::new()));
}

#[test]
fn the_changes_since_the_list_count() {
    let site = shrine();
    site.published(&[]);
    let old = site.read("resourcesync/resourcelist.xml");
    fs::write(site.path().join("index.html"), "changed").unwrap();
    fs::remove_file(site.path().join("picture.png")).unwrap();
    site.published(&[]);
    // As if the run had been cut off between the Change List and the Resource List.
    fs::write(site.path().join("resourcesync/resourcelist.xml"), old).unwrap();
    site.assert_valid();
    // The next run has nothing to add to the changes, but brings the list up to them.
    let (created, updated, deleted, written) = site.published(&[]);
    assert_eq!((created, updated, deleted), (0, 0, 0));
    assert_eq!(written[0], "resourcesync/resourcelist.xml");
    assert_eq!(site.published(&[]), (0, 0, 0, Vec::new()));
    fs::write(site.path().join("index.html"), "changed again").unwrap();
    assert_eq!(site.published(&[]).1, 1);
    site.assert_valid();
    assert!(!site.read("resourcesync/resourcelist.xml").contains("picture.png"));
}

#[test]
fn a_dry_run_says_everything_and_touches_nothing() {
    let site = shrine();
    let before = site.state();
    let output = site.publish(&["--dry-run"]);
    assert!(
        stdout(&output).contains("created https://shrine.example/index.html"),
        "{}",
        stdout(&output)
    );
    assert!(stdout(&output).contains("to be written"), "{}", stdout(&output));
    assert_eq!(site.state(), before);
    site.published(&[]);
    fs::write(site.path().join("index.html"), "changed").unwrap();
    let before = site.state();
    let output = site.publish(&["--dry-run"]);
    assert!(
        stdout(&output).contains("updated https://shrine.example/index.html\n0 created, 1 updated"),
        "{}",
        stdout(&output)
    );
    assert_eq!(site.state(), before);
}

#[test]
fn what_cannot_be_is_said_and_nothing_is_written() {
    let site = shrine();
    let refused = |options: &[&str], words: &str| {
        let folder = site.path().to_str().unwrap();
        let output = run(["publish", folder].into_iter().chain(options.iter().copied()));
        assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
        assert!(stderr(&output).contains(words), "no {words:?} in {}", stderr(&output));
    };
    refused(&["--base", "shrine.example"], "absolute URL");
    refused(&["--base", BASE, "--hash", "crc32"], "--hash crc32");
    site.published(&[]);
    refused(&["--base", "https://other.example/"], "is of https://shrine.example/");
    let list = site.path().join("resourcesync/resourcelist.xml");
    let whole = fs::read_to_string(&list).unwrap();
    fs::write(&list, &whole[..whole.len() - 20]).unwrap();
    refused(&["--base", BASE], "resourcelist.xml: line");
    refused(&["--base", BASE], "--full");
    assert!(site.publish(&["--full"]).status.success());
    site.assert_valid();
    let nowhere = site.path().join("nowhere");
    let missing = run(["publish", nowhere.to_str().unwrap(), "--base", BASE]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("nowhere"), "{}", stderr(&missing));
    assert!(!nowhere.exists());
}

#[test]
fn files_of_the_author_are_left_alone() {
    let site =
        Site::new(&[("robots.txt", "User-agent: *\n"), ("sitemap.xml", "mine"), ("a.html", "<p>")]);
    site.published(&[]);
    assert_eq!(
        (site.read("robots.txt").as_str(), site.read("sitemap.xml").as_str()),
        ("User-agent: *\n", "mine")
    );
    let list = site.read("resourcesync/resourcelist.xml");
    assert!(list.contains("robots.txt") && list.contains("sitemap.xml"), "{list}");
}

#[test]
fn documents_can_go_elsewhere() {
    let site = shrine();
    let before = site.state();
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap().to_owned();
    site.published(&["--out", &folder]);
    assert_eq!(site.state(), before);
    assert!(out.path().join(".well-known/resourcesync").exists());
    assert_eq!(site.published(&["--out", &folder]), (0, 0, 0, Vec::new()));
}

#[test]
fn what_a_killed_run_left_behind_is_swept_away() {
    let site = shrine();
    site.published(&[]);
    let left = site.path().join("resourcesync/.tidings-left");
    fs::write(&left, "half").unwrap();
    let old = site.path().join("resourcesync/resourcelist-20200101000000000-00001.xml");
    let recent = site.path().join("resourcesync/resourcelist-20200101000000000-00002.xml");
    fs::write(&recent, "recent").unwrap();
    let long_ago = SystemTime::now() - std::time::Duration::from_secs(8 * 86_400);
    fs::File::create(&old).unwrap().set_modified(long_ago).unwrap();
    site.published(&[]);
    assert!(!left.exists() && !old.exists() && recent.exists());
    site.assert_valid();
}

#[test]
fn two_runs_at_once_do_not_mix() {
    let site = shrine();
    site.published(&[]);
    let lock =
        fs::File::options().write(true).open(site.path().join("resourcesync/.lock")).unwrap();
    lock.lock().unwrap();
    let output = site.publish(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("another publication is under way"), "{}", stderr(&output));
    drop(lock);
    assert!(site.publish(&[]).status.success());
}

#[test]
fn records_become_a_source() {
    let site = Site::new(&[]);
    let records = |lines: &str, name: &str| {
        let path = site
            .path()
            .parent()
            .unwrap()
            .join(format!("{}-{name}", site.path().file_name().unwrap().to_str().unwrap()));
        fs::write(&path, lines).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let first = records(
        "{\"uri\": \"https://data.example/b\", \"lastmod\": \"2026-01-02\", \"length\": 3, \"type\": \"text/html\"}\n\
         {\"uri\": \"https://data.example/a\", \"hash\": \"md5:900150983cd24fb0d6963f7d28e17f72\"}\n",
        "first.jsonl",
    );
    site.published(&["--from-jsonl", &first]);
    site.assert_valid();
    let list = site.read("resourcesync/resourcelist.xml");
    assert!(list.find("data.example/a").unwrap() < list.find("data.example/b").unwrap(), "{list}");
    let second = records(
        "uri,lastmod,length,type\nhttps://data.example/b,2026-01-03,4,text/html\n",
        "second.csv",
    );
    let (created, updated, deleted, _) = site.published(&["--from-csv", &second]);
    assert_eq!((created, updated, deleted), (0, 1, 1));
    site.assert_valid();
    let third = records(
        "{\"uri\": \"relative\"}\nno json\n{\"uri\": \"https://data.example/b\", \"lastmod\": \"2026-01-03\", \"length\": 4}\n",
        "third.jsonl",
    );
    let output = site.publish(&["--from-jsonl", &third]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("line 1") && stderr(&output).contains("line 2"),
        "{}",
        stderr(&output)
    );
    for path in [first, second, third] {
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn an_unusable_record_stands_for_its_own_uri_alone() {
    let site = Site::new(&[]);
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("records.jsonl");
    let from = records.to_str().unwrap();
    let record =
        |path: &str, length: &str| format!(r#"{{"uri":"{BASE}{path}","length":{length}}}"#);
    let (inside, beside) = (record("d/a", "1"), record("z", "1"));
    fs::write(&records, format!("{}\n{inside}\n{beside}\n", record("d/", "1"))).unwrap();
    assert_eq!(site.published(&["--from-jsonl", from]).0, 3);
    for _ in 0..2 {
        fs::write(&records, format!("{}\n{inside}\n{beside}\n", record("d/", "\"x\""))).unwrap();
        let output = site.publish(&["--from-jsonl", from]);
        assert!(stdout(&output).starts_with("0 created, 0 updated, 0 deleted; 3 resources"));
    }
    fs::write(&records, format!("{}\n{beside}\n", record("d/", "\"x\""))).unwrap();
    let output = site.publish(&["--from-jsonl", from]);
    assert!(stdout(&output).starts_with("0 created, 0 updated, 1 deleted; 2 resources"));
}

#[test]
fn what_cannot_be_read_is_said_and_stays_published() {
    let site = Site::new(&[("a.html", "<p>a"), ("secret/b.html", "<p>b"), ("z.html", "<p>z")]);
    site.published(&[]);
    // A link to nowhere in the place of a file cannot be read by anybody, not even by root.
    fs::remove_file(site.path().join("a.html")).unwrap();
    std::os::unix::fs::symlink("nowhere", site.path().join("a.html")).unwrap();
    let output = site.publish(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("a.html"), "{}", stderr(&output));
    assert!(
        stdout(&output).starts_with("0 created, 0 updated, 0 deleted; 3 resources"),
        "{}",
        stdout(&output)
    );
    site.assert_valid();
}

#[test]
fn a_dump_holds_everything() {
    let site = shrine();
    site.published(&["--dump"]);
    site.assert_valid();
    let dump = site.read("resourcesync/resourcedump.xml");
    assert!(
        dump.contains("type=\"application/zip\"") && dump.contains("rel=\"contents\""),
        "{dump}"
    );
    assert!(site.read("resourcesync/capabilitylist.xml").contains("capability=\"resourcedump\""));
    assert_eq!(site.published(&["--dump"]), (0, 0, 0, Vec::new()));
    fs::write(site.path().join("index.html"), "changed").unwrap();
    let (_, updated, _, written) = site.published(&["--dump"]);
    assert_eq!(updated, 1);
    assert!(written.iter().any(|name| name.ends_with(".zip")), "{written:?}");
    site.assert_valid();
    let zip = site.path().join(written.iter().find(|name| name.ends_with(".zip")).unwrap());
    let script = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(len(z.namelist()), z.namelist()[0])";
    let output =
        std::process::Command::new("python3").args(["-c", script]).arg(zip).output().unwrap();
    assert_eq!(stdout(&output), "4 manifest.xml\n", "{}", stderr(&output));
    // A dump that is not made anew is of an earlier moment, which is no fault.
    fs::write(site.path().join("index.html"), "changed again").unwrap();
    site.published(&[]);
    site.assert_valid();
}

#[test]
fn a_folder_that_is_empty_all_at_once_is_not_believed() {
    let site = Site::new(&[("a.html", "<p>a"), ("b.html", "<p>b")]);
    site.published(&[]);
    fs::remove_file(site.path().join("a.html")).unwrap();
    fs::remove_file(site.path().join("b.html")).unwrap();
    let before = site.state();
    let output = site.publish(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("(resources: 2)"), "{}", stderr(&output));
    assert_eq!(site.state(), before);
    assert!(site.publish(&["--full"]).status.success());
    assert!(!site.read("resourcesync/resourcelist.xml").contains("<url>"));
}
