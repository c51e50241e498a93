//! `kill -9` at every call of a publication that changes something on the disk, by strace: whatever is
//! published then is whole, and the next run completes it. And a full disk at every write.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use support::{run, stderr, stdout, write_all};

const BASE: &str = "https://shrine.example/";

/// The calls that change something on the disk.
const CALLS: [&str; 11] = [
    "write",
    "copy_file_range",
    "fsync",
    "syncfs",
    "rename",
    "renameat",
    "unlink",
    "mkdir",
    "fchmod",
    "ftruncate",
    "fdatasync",
];

fn site(folder: &Path) {
    let pages: Vec<(String, String)> =
        (0..12).map(|number| (format!("page-{number}.html"), format!("<p>{number}"))).collect();
    let pages: Vec<(&str, &str)> =
        pages.iter().map(|(name, page)| (name.as_str(), page.as_str())).collect();
    write_all(folder, &pages);
    // Long enough for a patch to be shorter.
    let text: String = (0..60).map(|number| format!("<p>line {number}\n")).collect();
    write_all(folder, &[("text.html", &text)]);
}

fn change(folder: &Path) {
    let text = fs::read_to_string(folder.join("text.html")).unwrap().replace("line 20", "twenty");
    let pages = [("page-1.html", "<p>changed"), ("new.html", "<p>new"), ("text.html", &text)];
    write_all(folder, &pages);
    fs::remove_file(folder.join("page-2.html")).unwrap();
}

/// How to publish: few entries to a document, so that all kinds of documents are written.
fn arguments(folder: &Path, options: &[&str]) -> Vec<String> {
    let all = ["publish", folder.to_str().unwrap(), "--base", BASE, "--max-entries", "5"];
    all.iter().chain(options).map(|word| (*word).to_owned()).collect()
}

/// Publishes under strace.
fn traced(folder: &Path, options: &[&str], expression: &str, log: &Path) -> Output {
    Command::new("strace")
        .args(["-f", "-qq", "-o", log.to_str().unwrap(), "-e", expression])
        .arg(env!("CARGO_BIN_EXE_tidings"))
        .args(arguments(folder, options))
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("strace; `cargo xtask setup` installs it")
}

#[track_caller]
fn publish(folder: &Path, options: &[&str]) {
    let arguments = arguments(folder, options);
    let output = run(arguments.iter().map(String::as_str));
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
}

/// Whatever is published has nothing wrong, notes included.
#[track_caller]
fn assert_whole(folder: &Path, point: &str) {
    if !folder.join(".well-known/resourcesync").exists() {
        return;
    }
    let map = format!("{BASE}={}", folder.display());
    let start = format!("{BASE}.well-known/resourcesync");
    let output = run(["validate", "--follow", "--map", &map, &start]);
    assert!(
        stdout(&output).ends_with("nothing wrong\n"),
        "{point}: {}{}",
        stdout(&output),
        stderr(&output)
    );
}

/// The URIs of the Resource List, and how often each change is told.
fn told(folder: &Path) -> (Vec<String>, usize) {
    let mut uris = Vec::new();
    let mut changes = 0;
    for file in fs::read_dir(folder.join("resourcesync")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.ends_with(".xml") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let locs =
            text.split("<url><loc>").skip(1).map(|rest| rest.split('<').next().unwrap().to_owned());
        if name.starts_with("resourcelist-") {
            let index = fs::read_to_string(folder.join("resourcesync/resourcelist.xml")).unwrap();
            uris.extend(locs.filter(|_| index.contains(&name)));
        } else if name.starts_with("changelist") {
            changes += locs.count();
        }
    }
    uris.sort();
    (uris, changes)
}

/// Runs one publication again and again, killed or failed at one point after the other, and sees what
/// is left each time. `before` makes the state that it starts from.
fn sweep(name: &str, effect: &str, calls: &[&str], options: &[&str], before: impl Fn(&Path)) {
    let expected = {
        let folder = tempfile::tempdir().unwrap();
        before(folder.path());
        publish(folder.path(), options);
        told(folder.path())
    };
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut points = 0;
    for call in calls {
        // As many points as there are such calls when nothing goes wrong.
        let folder = tempfile::tempdir().unwrap();
        before(folder.path());
        let output = traced(folder.path(), options, &format!("trace={call}"), log.path());
        assert!(output.status.success(), "{}", stderr(&output));
        let count = fs::read_to_string(log.path()).unwrap();
        let count = count.matches(&format!("{call}(")).count();
        for number in 1..=count {
            let folder = tempfile::tempdir().unwrap();
            before(folder.path());
            let point = format!("{name}: {effect} at {call} {number}");
            let injection = format!("inject={call}:{effect}:when={number}");
            traced(folder.path(), options, &injection, Path::new("/dev/null"));
            points += 1;
            assert_whole(folder.path(), &point);
            publish(folder.path(), options);
            assert_whole(folder.path(), &point);
            assert_eq!(told(folder.path()), expected, "{point}");
        }
    }
    println!("{name}: {points} points, {effect}");
    assert!(points > 10, "only {points} points");
}

/// With packages and patches.
fn all_options(folder: &Path) -> Vec<String> {
    let config = folder.with_extension("toml");
    fs::write(&config, "[publish]\npatches = true\n").unwrap();
    let words = ["--dump", "--change-dump", "--config", config.to_str().unwrap()];
    words.map(str::to_owned).to_vec()
}

fn later(options: &[&str]) -> impl Fn(&Path) {
    let options: Vec<String> = options.iter().map(|word| (*word).to_owned()).collect();
    move |folder| {
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        site(folder);
        publish(folder, &options);
        change(folder);
    }
}

#[test]
fn r3_killed_at_every_call_of_a_first_publication() {
    sweep("first publication", "signal=SIGKILL", &CALLS, &[], site);
}

#[test]
fn r3_killed_at_every_call_of_a_later_publication() {
    sweep("later publication", "signal=SIGKILL", &CALLS, &[], later(&[]));
}

#[test]
fn r3_killed_at_every_call_with_packages_and_patches() {
    let place = tempfile::tempdir().unwrap();
    let options = all_options(&place.path().join("config"));
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    sweep("with packages", "signal=SIGKILL", &CALLS, &options, later(&options));
}

#[test]
fn r2_a_full_disk_at_every_write_of_a_later_publication() {
    let calls = ["write", "copy_file_range", "fsync", "rename", "renameat", "mkdir"];
    sweep("later publication", "error=ENOSPC", &calls, &[], later(&[]));
}
