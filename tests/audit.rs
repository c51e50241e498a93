//! `tidings audit`: what it proves, what it reports and what it remembers.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

mod support;

#[path = "audit/offline.rs"]
mod offline;
#[path = "audit/preferred.rs"]
mod preferred;

use std::fs;
use std::path::Path;

use serde_json::Value;
use support::copied::{Copy, Served};
use support::documents::change_list;
use support::server::Reply;
use support::stage::{Run, Stage};
use support::{run, stderr, stdout};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("d/b.txt", "two"), ("c.txt", "three")];

const LIST: &str = "/capabilitylist.xml";

/// Other bytes of the same length and time: only reading finds them.
fn rot(stage: &Stage, path: &str, text: &str) {
    let path = stage.home().join(path);
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, text).unwrap();
    fs::File::open(&path).unwrap().set_modified(time).unwrap();
}

fn audit(stage: &Stage, options: &[&str]) -> Run {
    stage.run("audit", LIST, options)
}

/// What is of that kind: its URIs or paths.
fn of_kind(report: &Value, kind: &str) -> Vec<String> {
    let all = report["differences"].as_array().unwrap().iter();
    let of_kind = all.filter(|difference| difference["kind"] == kind);
    let name = |one: &Value| one["uri"].as_str().or(one["path"].as_str()).unwrap().to_owned();
    let mut names: Vec<String> = of_kind.map(name).collect();
    names.sort();
    names
}

#[test]
fn damage_is_repaired_by_the_next_sync() {
    let stage = Stage::followed(FILES);
    fs::remove_file(stage.home().join("a.txt")).unwrap();
    rot(&stage, "d/b.txt", "owt");
    audit(&stage, &["--deep"]).exits(1).counts("damaged", 2);
    stage.sync(&[]).exits(0).counts("updated", 2);
    stage.has(FILES);
    stage.in_sync(LIST, &[]);
    // Once is enough.
    stage.sync(&[]).exits(0).counts("updated", 0).counts("requests", 1);
}

#[test]
fn a_sync_that_repairs_does_not_say_that_nothing_is_new() {
    let source = Served::new(FILES);
    source.publish(&[]);
    let copy = Copy::new();
    copy.sync(&source.url(), &[]);
    fs::remove_file(copy.host().join("a.txt")).unwrap();
    assert_eq!(copy.run("audit", &source.url(), &[]).status.code(), Some(1));
    let said = stdout(&copy.run("sync", &source.url(), &[]));
    assert!(said.contains("1 updated") && !said.contains("nothing is new"), "{said}");
    let said = stdout(&copy.run("sync", &source.url(), &[]));
    assert!(said.contains("nothing is new"), "{said}");
}

#[test]
fn what_a_sample_found_is_repaired_too() {
    let stage = Stage::followed(FILES);
    fs::remove_file(stage.home().join("c.txt")).unwrap();
    audit(&stage, &["--sample", "3"]).exits(1).counts("damaged", 1);
    stage.sync(&[]).exits(0).counts("updated", 1);
    stage.has(FILES);
}

#[test]
fn a_dry_run_says_what_would_be_repaired() {
    let stage = Stage::followed(FILES);
    fs::remove_file(stage.home().join("c.txt")).unwrap();
    audit(&stage, &[]).exits(1);
    stage.sync(&["--dry-run"]).exits(0).counts("updated", 1);
    assert!(!stage.home().join("c.txt").exists());
    stage.sync(&[]).exits(0).counts("updated", 1);
}

#[test]
fn damage_that_cannot_be_repaired_is_named_until_it_can() {
    let stage = Stage::followed(FILES);
    fs::remove_file(stage.home().join("a.txt")).unwrap();
    audit(&stage, &[]).exits(1);
    // Other bytes than those that were copied, of which the Source says nothing.
    stage.files(&[("a.txt", "eno")]);
    for _ in 0..2 {
        stage.sync(&[]).exits(1).says("/a.txt").says("sha-256").counts("failed", 1);
        assert!(!stage.home().join("a.txt").exists());
    }
    stage.put("/a.txt", Reply::ok("one"));
    stage.sync(&[]).exits(0).counts("failed", 0);
    stage.has(FILES);
    stage.in_sync(LIST, &[]);
    stage.sync(&[]).exits(0).counts("requests", 1);
}

#[test]
fn damage_of_what_the_source_gives_no_digest_is_verified_by_the_copys_own() {
    let stage = Stage::new();
    stage.files(FILES);
    stage.list(&FILES.iter().map(|(path, _)| stage.item(path)).collect::<Vec<_>>());
    stage.changes(&change_list(&[]));
    stage.sync(&[]).exits(0);
    fs::remove_file(stage.home().join("a.txt")).unwrap();
    audit(&stage, &[]).exits(1);
    stage.files(&[("a.txt", "eno")]);
    stage.sync(&[]).exits(1).says("/a.txt");
    stage.sync(&[]).exits(1).says("/a.txt");
    stage.files(&[("a.txt", "one")]);
    stage.sync(&[]).exits(0);
    stage.has(FILES);
}

#[test]
fn damage_that_is_no_more_is_forgotten() {
    let stage = Stage::followed(FILES);
    fs::remove_file(stage.home().join("a.txt")).unwrap();
    fs::remove_file(stage.home().join("c.txt")).unwrap();
    audit(&stage, &[]).exits(1).counts("damaged", 2);
    // One was brought back by hand, and the Source has the other no more.
    fs::write(stage.home().join("a.txt"), "one").unwrap();
    let deleted = stage.item("c.txt").change("deleted").at("2026-02-01T00:00:00Z");
    stage.changes(&change_list(&[deleted]));
    stage.sync(&["--delete"]).exits(0).counts("updated", 0).counts("deleted", 1);
    stage.has(&FILES[..2]);
    stage.in_sync(LIST, &[]);
}

#[test]
fn an_audit_beside_a_writer_says_that_it_could_not_remember() {
    let stage = Stage::followed(FILES);
    fs::remove_file(stage.home().join("a.txt")).unwrap();
    let state = rusqlite::Connection::open(stage.copy().join(".tidings/state.sqlite")).unwrap();
    state.execute_batch("BEGIN IMMEDIATE").unwrap();
    audit(&stage, &[]).exits(1).says("could not be remembered").counts("damaged", 0);
    state.execute_batch("COMMIT").unwrap();
    // Repairing does not depend on it.
    audit(&stage, &["--repair"]).exits(0);
    stage.has(FILES);
}

#[test]
fn the_remedy_is_told() {
    let source = Served::new(FILES);
    source.publish(&[]);
    let copy = Copy::new();
    copy.sync(&source.url(), &[]);
    fs::remove_file(copy.host().join("a.txt")).unwrap();
    let output = copy.run("audit", &source.url(), &[]);
    let command = format!("tidings sync {} {}", source.url(), copy.path().display());
    assert!(stdout(&output).contains(&command), "{}", stdout(&output));
    assert!(!stdout(&output).contains("--repair"), "{}", stdout(&output));
}

#[test]
fn a_stray_file_is_a_difference_and_a_foreign_one_is_noted() {
    let stage = Stage::copied(FILES);
    fs::create_dir_all(stage.copy().join("mine")).unwrap();
    fs::write(stage.copy().join("mine/notes.txt"), "x").unwrap();
    fs::write(stage.copy().join("README"), "x").unwrap();
    audit(&stage, &[]).exits(0).counts("stray", 0).counts("foreign", 2).says("mine/notes.txt");
    fs::write(stage.home().join("d/new.txt"), "x").unwrap();
    fs::create_dir_all(stage.home().join("e/f")).unwrap();
    fs::write(stage.home().join("e/f/g"), "x").unwrap();
    std::os::unix::fs::symlink("a.txt", stage.home().join("link")).unwrap();
    let run = audit(&stage, &[]);
    run.exits(1).counts("stray", 3).counts("foreign", 2);
    let home = format!("127.0.0.1+{}", stage.server.port());
    let names = ["d/new.txt", "e/f/g", "link"].map(|name| format!("{home}/{name}"));
    assert_eq!(of_kind(&run.json, "stray"), names);
    // Nothing is done about it.
    stage.sync(&["--delete", "--baseline"]).exits(0);
    assert!(stage.home().join("d/new.txt").exists());
}

#[test]
fn a_file_that_has_another_name_is_no_stray() {
    // Where `a` is a file, that of `/a/b` has another name.
    let stage = Stage::copied(&[("a", "a file"), ("x", "x")]);
    audit(&stage, &[]).exits(0).counts("stray", 0);
    stage.files(&[("a/b", "in a folder")]);
    stage.list(&stage.items(&[("a", "a file"), ("a/b", "in a folder")]));
    stage.sync(&["--delete"]).exits(0);
    audit(&stage, &[]).exits(0).counts("stray", 0).counts("resources", 2);
}

#[test]
fn names_that_do_not_say_their_uris_are_no_strays() {
    let long = format!("{}/{}.txt", "n".repeat(300), "m".repeat(400));
    let deep = vec!["segment"; 500].join("/");
    let files = [(long.as_str(), "long"), (deep.as_str(), "deep"), ("a%20b?c=d", "q")];
    let stage = Stage::with(&files);
    stage.sync(&[]).exits(0);
    audit(&stage, &[]).exits(0).counts("stray", 0).counts("resources", 3);
    let home = stage.home();
    let entry = fs::read_dir(&home).unwrap().flatten().next().unwrap();
    fs::write(home.join(format!("{}x", entry.file_name().to_string_lossy())), "x").unwrap();
    audit(&stage, &[]).exits(1).counts("stray", 1);
}

#[test]
fn documents_of_republishing_are_no_strays() {
    let source = Served::new(FILES);
    source.publish(&[]);
    let map = format!("{}=.", source.url());
    for options in [vec![], vec!["--map", map.as_str()]] {
        let copy = Copy::new();
        copy.sync(&source.url(), &options);
        let folder = copy.path().to_str().unwrap();
        let output = run(["republish", folder, "--base", "https://m.example/"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let output = copy.run("audit", &source.url(), &["--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["stray"], &report["foreign"]), (&0.into(), &0.into()), "{report}");
    }
}

#[test]
fn a_folder_that_the_copy_is_mapped_into_is_the_copys() {
    let source = Served::new(FILES);
    source.publish(&[]);
    let copy = Copy::new();
    copy.sync(&source.url(), &["--map", &format!("{}=.", source.url())]);
    copy.assert_in_sync(&source.url(), &[]);
    fs::write(copy.path().join("more.txt"), "x").unwrap();
    let output = copy.run("audit", &source.url(), &[]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stdout(&output).contains("stray  more.txt"), "{}", stdout(&output));
}

#[test]
fn an_audit_offline_asks_nobody() {
    let source = Served::new(FILES);
    source.publish(&[]);
    let (copy, url) = (Copy::new(), source.url());
    copy.sync(&url, &[]);
    drop(source);
    let folder = copy.path().to_str().unwrap();
    let forms = [vec!["audit", folder, "--offline"], vec!["audit", &url, folder, "--offline"]];
    for form in &forms {
        let output = run(form.iter().copied().chain(["--json", "--deep"]));
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["checked"], &report["requests"]), (&3.into(), &0.into()));
        assert_eq!((&report["source"], &report["offline"]), (&url.as_str().into(), &true.into()));
    }
    fs::remove_file(copy.host().join("a.txt")).unwrap();
    fs::write(copy.host().join("c.txt"), "other").unwrap();
    fs::write(copy.host().join("new.txt"), "other").unwrap();
    for form in &forms {
        let output = run(form.iter().copied().chain(["--json"]));
        assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let counts = ["missing", "corrupt", "stray", "damaged"].map(|name| report[name].as_u64());
        assert_eq!(counts, [Some(1), Some(1), Some(1), Some(2)], "{report}");
    }
    let output = run(["audit", folder]);
    assert_eq!(output.status.code(), Some(2), "the Source is asked, and has to be named");
}

#[test]
fn a_report_is_written_whole() {
    let source = Served::new(FILES);
    source.publish(&[]);
    let (copy, reports) = (Copy::new(), tempfile::tempdir().unwrap());
    copy.sync(&source.url(), &[]);
    let path = reports.path().join("audit.json");
    let options = ["--deep", "--quiet", "--report", path.to_str().unwrap()];
    let read = |path: &Path| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    let output = copy.run("audit", &source.url(), &options);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = read(&path);
    assert_eq!((&report["in_sync"], &report["depth"]), (&true.into(), &"deep".into()));
    assert_eq!(report["source_digests"], serde_json::json!(["sha-256"]), "{report}");
    assert_eq!((&report["file_digest"], &report["step"]), (&"sha-256".into(), &1.into()));
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert!(report["time"].as_str().unwrap().ends_with('Z'), "{report}");
    fs::remove_file(copy.host().join("a.txt")).unwrap();
    let output = copy.run("audit", &source.url(), &options);
    assert_eq!(output.status.code(), Some(1));
    let report = read(&path);
    assert_eq!(of_kind(&report, "missing"), [format!("{}a.txt", source.url())]);
    // Nothing but the report is left, and one that cannot be written is an error.
    assert_eq!(fs::read_dir(reports.path()).unwrap().count(), 1);
    let output = copy.run("audit", &source.url(), &["--report", "/nowhere/audit.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("/nowhere/audit.json"), "{}", stderr(&output));
}
