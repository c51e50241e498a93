//! A copy as a bag (RFC 8493).
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use support::documents::{digest, hex};
use support::server::Reply;
use support::stage::{Stage, files_of};
use support::{run, stderr, stdout};
use tidings_document::Algorithm;

/// Exports the copy of a stage, into a folder beside it.
fn export(stage: &Stage, out: &Path) -> Output {
    let copy = stage.copy();
    run(["export", copy.to_str().unwrap(), "--bagit", out.to_str().unwrap(), "--json"])
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("bag");
    (folder, out)
}

/// Reads a bag again as RFC 8493 has it, and answers with its payload by URI. All digests, the oxum and
/// the completeness of all manifests are checked.
#[track_caller]
fn read_bag(bag: &Path) -> BTreeMap<String, (String, Vec<u8>)> {
    let files = files_of(bag);
    let text = |name: &str| String::from_utf8(files[name].clone()).unwrap();
    assert_eq!(text("bagit.txt"), "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    let payload: BTreeSet<&String> =
        files.keys().filter(|name| name.starts_with("data/")).collect();
    let check = |manifest: &str| -> BTreeSet<String> {
        let name = manifest.rsplit_once('-').unwrap().1.strip_suffix(".txt").unwrap();
        let algorithm = Algorithm::by_name(name).unwrap();
        let decoded =
            |path: &str| path.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%");
        let line = |line: &str| {
            let (expected, path) = line.split_once("  ").unwrap();
            let path = decoded(path);
            let found = hex(&digest(algorithm, &files[&path]));
            assert_eq!(found, expected, "{manifest}: {path}");
            path
        };
        text(manifest).lines().map(line).collect()
    };
    let manifests = files.keys().filter(|name| name.starts_with("manifest-"));
    for manifest in manifests {
        assert_eq!(check(manifest).iter().collect::<BTreeSet<_>>(), payload, "{manifest}");
    }
    let tags = check("tagmanifest-sha256.txt");
    let other = |name: &&String| !name.starts_with("data/") && !name.starts_with("tagmanifest-");
    assert_eq!(tags, files.keys().filter(other).cloned().collect());
    let bytes: usize = payload.iter().map(|name| files[*name].len()).sum();
    let oxum = format!("Payload-Oxum: {bytes}.{}\n", payload.len());
    assert!(text("bag-info.txt").contains(&oxum), "{}", text("bag-info.txt"));
    let resource = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let path = line["path"].as_str().unwrap().to_owned();
        let bytes = files[&path].clone();
        (line["uri"].as_str().unwrap().to_owned(), (path, bytes))
    };
    text("resources.jsonl").lines().map(resource).collect()
}

#[test]
fn a_bag_has_every_file_of_the_copy_with_its_digests() {
    let files = [("a.txt", "alpha"), ("b/c d.txt", "gamma"), ("b/ü.txt", ""), ("index/", "page")];
    let stage = Stage::new();
    let named: Vec<(String, &str)> = files
        .iter()
        .map(|(name, text)| (name.replace(' ', "%20").replace('ü', "%C3%BC"), *text))
        .collect();
    let named: Vec<(&str, &str)> =
        named.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    stage.files(&named);
    let items = named.iter().map(|(name, text)| {
        let item = stage.item(name).of(text).md("type", "text/plain");
        item.lastmod("2026-01-01T00:00:00Z")
    });
    stage.list(&items.collect::<Vec<_>>());
    stage.sync(&[]).exits(0);
    let (_folder, out) = place();
    let output = export(&stage, &out);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["files"], &report["bytes"]), (&4.into(), &14.into()), "{report}");
    let bag = read_bag(&out);
    assert_eq!(bag.len(), 4);
    for (name, text) in named {
        let (path, bytes) = &bag[&stage.url(&format!("/{name}"))];
        assert_eq!(String::from_utf8_lossy(bytes), text, "{path}");
        // Not all validators decode a percent sign.
        assert!(!path.contains('%'), "{path}");
    }
    let info = fs::read_to_string(out.join("bag-info.txt")).unwrap();
    let source = format!("External-Identifier: {}\n", stage.url("/capabilitylist.xml"));
    assert!(info.contains(&source), "{info}");
    assert!(info.contains("Bag-Software-Agent: tidings ") && info.contains("Bagging-Date: 20"));
    let lines = fs::read_to_string(out.join("resources.jsonl")).unwrap();
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(first["type"], "text/plain");
    assert_eq!(first["lastmod"], "2026-01-01T00:00:00Z");
}

#[test]
fn a_manifest_of_another_algorithm_is_there_if_every_file_has_a_digest_of_it() {
    let stage = Stage::new();
    stage.files(&[("a.txt", "a"), ("b.txt", "b")]);
    let md5 = |text: &str| format!("md5:{}", hex(&digest(Algorithm::Md5, text.as_bytes())));
    let sha1 = |text: &str| format!("sha-1:{}", hex(&digest(Algorithm::Sha1, text.as_bytes())));
    stage.list(&[
        stage.item("a.txt").md("hash", format!("{} {}", md5("a"), sha1("a"))),
        stage.item("b.txt").md("hash", md5("b")),
    ]);
    stage.sync(&[]).exits(0);
    let (_folder, out) = place();
    let output = export(&stage, &out);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names = serde_json::json!(["manifest-md5.txt", "manifest-sha256.txt"]);
    assert_eq!(report["manifests"], names, "{}", stderr(&output));
    assert_eq!(read_bag(&out).len(), 2);
    assert!(!out.join("manifest-sha1.txt").exists());
}

#[test]
fn a_file_that_is_not_what_was_recorded_stops_the_export() {
    for damage in ["other bytes", "another length", "nothing"] {
        let stage = Stage::copied(&[("a.txt", "aaaa"), ("b.txt", "bbbb")]);
        let file = stage.home().join("b.txt");
        match damage {
            "other bytes" => fs::write(&file, "bbbB").unwrap(),
            "another length" => fs::write(&file, "bbbbb").unwrap(),
            _ => fs::remove_file(&file).unwrap(),
        }
        let (folder, out) = place();
        let output = export(&stage, &out);
        assert_eq!(output.status.code(), Some(2), "{damage}: {}", stdout(&output));
        assert!(stderr(&output).contains("b.txt"), "{damage}: {}", stderr(&output));
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().collect();
        assert!(left.is_empty(), "{damage}: {left:?}");
    }
}

#[test]
fn a_bag_has_neither_what_the_source_deleted_nor_what_nobody_recorded() {
    let stage = Stage::copied(&[("a.txt", "a"), ("b.txt", "b")]);
    stage.list(&stage.items(&[("a.txt", "a")]));
    // Without --delete the file stays.
    stage.sync(&["--baseline"]).exits(0).counts("kept", 1);
    fs::write(stage.home().join("mine.txt"), "not of the Source").unwrap();
    let (_folder, out) = place();
    assert_eq!(export(&stage, &out).status.code(), Some(0));
    let bag = read_bag(&out);
    assert_eq!(bag.keys().collect::<Vec<_>>(), [&stage.url("/a.txt")]);
}

#[test]
fn names_that_meet_in_the_bag_are_kept_apart() {
    // In the copy the first has a percent sign where the second has an equals sign.
    let files = [("x%25y", "percent"), ("x=25y", "equals"), ("x=25y/z", "below")];
    let stage = Stage::with(&files);
    stage.sync(&[]).exits(0);
    let (_folder, out) = place();
    let output = export(&stage, &out);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let bag = read_bag(&out);
    for (name, text) in files {
        let (_, bytes) = &bag[&stage.url(&format!("/{name}"))];
        assert_eq!(String::from_utf8_lossy(bytes), text, "{bag:?}");
    }
    assert!(bag.values().any(|(path, _)| path.starts_with("data/=conflicts/")), "{bag:?}");
}

#[test]
fn a_bag_is_refused_where_it_cannot_be() {
    let stage = Stage::copied(&[("a.txt", "a")]);
    let (folder, out) = place();
    fs::create_dir(&out).unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(stage.copy(), &link).unwrap();
    for (out, reason) in [
        (out.clone(), "exists already"),
        (stage.copy().join("bag"), "inside the copy"),
        (link.join("bag"), "inside the copy"),
        (PathBuf::from("s3://bucket/bag"), "is a URL"),
        (folder.path().join("no/such/bag"), "could not open"),
    ] {
        let output = export(&stage, &out);
        assert_eq!(output.status.code(), Some(2), "{}", out.display());
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
    stage.has(&[("a.txt", "a")]);
    assert!(fs::read_dir(&out).unwrap().next().is_none());
}

#[test]
fn a_copy_that_lacks_resources_says_so() {
    let stage = Stage::with(&[("a.txt", "a"), ("b.txt", "b")]);
    stage.put("/b.txt", Reply::new(404, ""));
    stage.sync(&[]).exits(1);
    let (_folder, out) = place();
    let output = export(&stage, &out);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("the bag lacks 1 resource that could not be fetched"),
        "{}",
        stderr(&output)
    );
    assert_eq!(read_bag(&out).len(), 1);
}

#[test]
fn what_is_no_copy_is_not_exported() {
    let folder = tempfile::tempdir().unwrap();
    let (_place, out) = place();
    let output = run(["export", folder.path().to_str().unwrap(), "--bagit", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("tidings sync URL"), "{}", stderr(&output));
    assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
}

#[test]
fn an_export_that_is_killed_leaves_nothing_under_the_name_of_the_bag() {
    let text = "x".repeat(2 << 20);
    let names: Vec<String> = (0..12).map(|number| format!("{number}.txt")).collect();
    let files: Vec<(&str, &str)> =
        names.iter().map(|name| (name.as_str(), text.as_str())).collect();
    let stage = Stage::with(&files);
    stage.sync(&[]).exits(0);
    let (folder, out) = place();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tidings"));
    command.arg("export").arg(stage.copy()).arg("--bagit").arg(&out);
    let mut child = command.spawn().unwrap();
    // As soon as the first file is on its way.
    let begun = std::time::Instant::now();
    while files_of(folder.path()).keys().all(|name| !name.contains("/data/")) {
        assert!(begun.elapsed().as_secs() < 60, "nothing was written");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!out.exists() || read_bag(&out).len() == 12);
    let _ = fs::remove_dir_all(&out);
    assert_eq!(export(&stage, &out).status.code(), Some(0));
    assert_eq!(read_bag(&out).len(), 12);
    assert_eq!(names_in(folder.path()), ["bag"]);
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_export_removes_what_killed_exports_to_its_place_have_left_and_nothing_else() {
    let stage = Stage::copied(&[("a.txt", "one")]);
    let (folder, out) = place();
    let make = |name: &str| {
        fs::create_dir_all(folder.path().join(name).join("data")).unwrap();
        fs::File::open(folder.path().join(name)).unwrap()
    };
    make(".bag.Ab3dEf.unfinished");
    let others = [".bag.notes.unfinished", ".bags.Ab3dEf.unfinished", ".bag.Ab3dEf.finished"];
    others.iter().for_each(|name| drop(make(name)));
    // One that is at work holds a lock.
    let at_work = make(".bag.Gh5iJk.unfinished");
    at_work.lock().unwrap();
    assert_eq!(export(&stage, &out).status.code(), Some(0));
    let mut expected = [&others[..], &[".bag.Gh5iJk.unfinished", "bag"]].concat();
    expected.sort_unstable();
    assert_eq!(names_in(folder.path()), expected);
}
