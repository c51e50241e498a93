//! `tidings sync` and `tidings audit`: a real Source behind a real nginx, and a copy of it.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;

use support::copied::{Copy, Served};
use support::{stderr, stdout};

const FILES: [(&str, &str); 5] = [
    ("index.html", "<h1>Shrine</h1>"),
    ("a/one.html", "one"),
    ("a/two.html", "two"),
    ("a b/ä.txt", "umlaut"),
    ("data.bin", "\u{0}\u{1}"),
];

#[test]
fn a_copy_is_made_kept_in_step_and_asked_for_once() {
    let source = Served::new(&FILES);
    source.publish(&[]);
    let copy = Copy::new();
    let report = copy.sync(&source.url(), &[]);
    assert_eq!(report["created"], 5);
    assert_eq!(copy.files(), source.files());
    source.asked();

    let report = copy.sync(&source.url(), &[]);
    assert_eq!(report["requests"], 1, "{report}");
    assert_eq!(source.asked(), ["/resourcesync/changelist.xml"]);

    fs::write(source.path("a/one.html"), "uno").unwrap();
    fs::write(source.path("a/three.html"), "three").unwrap();
    fs::remove_file(source.path("a/two.html")).unwrap();
    source.publish(&[]);
    source.asked();
    let report = copy.sync(&source.url(), &["--delete"]);
    assert_eq!(
        (&report["created"], &report["updated"], &report["deleted"]),
        (&1.into(), &1.into(), &1.into())
    );
    assert_eq!(copy.files(), source.files());
    let asked = source.asked();
    assert_eq!(asked.len(), 4, "the Change List, robots.txt and two files: {asked:?}");
    copy.assert_in_sync(&source.url(), &[]);
}

#[test]
fn packages_bring_the_same_with_fewer_requests() {
    let source = Served::new(&FILES);
    source.publish(&["--dump"]);
    for way in ["list", "dump"] {
        let copy = Copy::new();
        let report = copy.sync(&source.url(), &["--via", way]);
        assert_eq!(report["created"], 5);
        assert_eq!(report["unpacked"], if way == "dump" { 5 } else { 0 });
        assert_eq!(copy.files(), source.files());
        copy.assert_in_sync(&source.url(), &[]);
    }
}

#[test]
fn a_source_without_a_dump_says_so() {
    let source = Served::new(&FILES);
    source.publish(&[]);
    let output = Copy::new().run("sync", &source.url(), &["--via", "dump"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("has no Resource Dump; it has resourcelist, changelist"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn what_is_gone_stays_until_it_is_to_be_deleted() {
    let source = Served::new(&FILES);
    source.publish(&[]);
    let copy = Copy::new();
    copy.sync(&source.url(), &[]);
    fs::remove_file(source.path("data.bin")).unwrap();
    source.publish(&[]);
    let report = copy.sync(&source.url(), &[]);
    assert_eq!((&report["deleted"], &report["kept"]), (&0.into(), &1.into()));
    assert!(copy.files().contains_key("data.bin"));
    let report = copy.sync(&source.url(), &["--delete", "--trash"]);
    assert_eq!(report["deleted"], 1);
    assert!(!copy.files().contains_key("data.bin"));
    let trash = support::copied::files_below(&copy.path().join(".tidings/trash"));
    assert_eq!(trash.into_values().collect::<Vec<_>>(), [b"\0\x01"]);
    copy.assert_in_sync(&source.url(), &[]);
}

#[test]
fn d4_too_many_deletes_are_held_back_until_they_are_forced() {
    let names: Vec<String> = (0..60).map(|number| format!("{number}.txt")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let source = Served::new(&files);
    source.publish(&[]);
    let copy = Copy::new();
    copy.sync(&source.url(), &[]);
    for name in &names[..40] {
        fs::remove_file(source.path(name)).unwrap();
    }
    source.publish(&["--force-delete"]);
    let output = copy.run("sync", &source.url(), &["--delete"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("--force-delete"), "{}", stderr(&output));
    assert_eq!(copy.files().len(), 60);
    let output = copy.run("sync", &source.url(), &["--delete", "--max-delete", "50%"]);
    assert_eq!((output.status.code(), copy.files().len()), (Some(1), 60));
    let report = copy.sync(&source.url(), &["--delete", "--force-delete"]);
    assert_eq!((&report["deleted"], copy.files().len()), (&40.into(), 20));
    copy.assert_in_sync(&source.url(), &[]);
}

#[test]
fn a_dry_run_says_what_would_be_done_and_leaves_all_alone() {
    let source = Served::new(&FILES);
    source.publish(&["--dump"]);
    let copy = Copy::new();
    let report = copy.sync(&source.url(), &["--dry-run", "--via", "list"]);
    assert_eq!(report["created"], 5);
    assert!(copy.files().is_empty());
    copy.sync(&source.url(), &[]);
    fs::write(source.path("index.html"), "new").unwrap();
    source.publish(&[]);
    for _ in 0..2 {
        let report = copy.sync(&source.url(), &["--dry-run"]);
        assert_eq!(report["updated"], 1, "{report}");
    }
    assert_eq!(copy.files()["index.html"], b"<h1>Shrine</h1>");
}

#[test]
fn an_audit_finds_every_kind_of_damage_and_repairs_it() {
    let source = Served::new(&FILES);
    source.publish(&[]);
    let copy = Copy::new();
    copy.sync(&source.url(), &[]);
    let host = copy.host();
    fs::remove_file(host.join("a/one.html")).unwrap();
    fs::write(host.join("a/two.html"), "longer than it was").unwrap();
    let times = fs::metadata(host.join("index.html")).unwrap().modified().unwrap();
    fs::write(host.join("index.html"), "<h1>Shrink</h1>").unwrap();
    let file = fs::File::options().write(true).open(host.join("index.html")).unwrap();
    file.set_modified(times).unwrap();
    let output = copy.run("audit", &source.url(), &["--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!((&report["missing"], &report["corrupt"]), (&1.into(), &1.into()), "{report}");
    let output = copy.run("audit", &source.url(), &["--deep", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["corrupt"], 2, "only the bytes tell");
    let output = copy.run("audit", &source.url(), &["--deep", "--repair"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert_eq!(copy.files(), source.files());
}

#[test]
fn a_plain_sitemap_will_do() {
    let source = Served::new(&FILES);
    let url = source.url();
    let sitemap = format!(
        "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>{url}index.html</loc>\
         </url><url><loc>{url}a/one.html</loc><lastmod>2026-01-02</lastmod></url></urlset>"
    );
    fs::write(source.path("sitemap.xml"), sitemap).unwrap();
    let copy = Copy::new();
    let report = copy.sync(&url, &[]);
    assert_eq!(report["created"], 2);
    assert_eq!(copy.files()["a/one.html"], b"one");
    source.asked();
    copy.sync(&url, &[]);
    assert_eq!(source.asked(), ["/sitemap.xml"]);
    fs::write(source.path("index.html"), "changed, and the Sitemap does not say so").unwrap();
    let report = copy.sync(&url, &["--baseline"]);
    assert_eq!(report["updated"], 1, "the server knows: {report}");
}

#[test]
fn robots_txt_is_kept_to_unless_it_is_said_otherwise() {
    let source = Served::new(&FILES);
    fs::write(source.path("robots.txt"), "User-agent: *\nDisallow: /a/\n").unwrap();
    source.publish(&[]);
    let copy = Copy::new();
    let output = copy.run("sync", &source.url(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("robots.txt line 2: Disallow: /a/"), "{}", stderr(&output));
    let has = |name: &str| copy.files().contains_key(name);
    assert!(has("index.html") && !has("a/one.html") && !has("a/two.html"));
    copy.sync(&source.url(), &["--no-robots"]);
    assert!(has("a/one.html") && has("a/two.html"));
}

#[test]
fn a_map_puts_files_elsewhere() {
    let source = Served::new(&FILES);
    source.publish(&[]);
    let copy = Copy::new();
    let map = format!("{}=.", source.url());
    copy.sync(&source.url(), &["--map", &map]);
    assert_eq!(fs::read(copy.path().join("a/one.html")).unwrap(), b"one");
    copy.assert_in_sync(&source.url(), &["--map", &map]);
}

#[test]
fn patches_are_applied_where_they_are_shorter() {
    let text: String = (0..200).map(|number| format!("line {number}\n")).collect();
    let source = Served::new(&[("text.txt", &text)]);
    let config = source.folder.path().with_extension("toml");
    fs::write(&config, "[publish]\npatches = true\n").unwrap();
    let options = ["--config", config.to_str().unwrap()];
    source.publish(&options);
    let copy = Copy::new();
    copy.sync(&source.url(), &[]);
    fs::write(source.path("text.txt"), text.replace("line 77", "seventy-seven")).unwrap();
    source.publish(&options);
    fs::remove_file(&config).unwrap();
    source.asked();
    let report = copy.sync(&source.url(), &[]);
    assert_eq!(report["patched"], 1, "{report}");
    assert_eq!(copy.files(), source.files());
    assert!(!source.asked().contains(&"/text.txt".to_owned()));
}

#[test]
fn one_folder_is_the_copy_of_one_source() {
    let (one, other) = (Served::new(&FILES), Served::new(&FILES));
    one.publish(&[]);
    other.publish(&[]);
    let copy = Copy::new();
    copy.sync(&one.url(), &[]);
    let output = copy.run("sync", &other.url(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is a copy of"), "{}", stderr(&output));
}

#[test]
fn what_changed_comes_in_packages_too() {
    let source = Served::new(&FILES);
    source.publish(&["--dump", "--change-dump"]);
    let copy = Copy::new();
    copy.sync(&source.url(), &["--via", "dump"]);
    for round in 0..3 {
        fs::write(source.path("a/one.html"), format!("one, {round}")).unwrap();
        fs::write(source.path(&format!("new-{round}.html")), "new").unwrap();
        source.publish(&["--dump", "--change-dump"]);
    }
    fs::remove_file(source.path("data.bin")).unwrap();
    source.publish(&["--dump", "--change-dump"]);
    source.asked();
    let report = copy.sync(&source.url(), &["--via", "dump", "--delete"]);
    let asked = source.asked();
    assert!(!asked.iter().any(|path| path.ends_with(".html")), "{asked:?}");
    assert_eq!((&report["packages"], &report["deleted"]), (&4.into(), &1.into()), "{report}");
    assert_eq!(copy.files(), source.files());
    copy.assert_in_sync(&source.url(), &[]);
    let report = copy.sync(&source.url(), &["--via", "dump"]);
    assert_eq!(report["requests"], 1);
}
