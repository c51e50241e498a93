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
const CALLS: [&str; 7] = ["write", "fsync", "rename", "unlink", "mkdir", "fchmod", "ftruncate"];

fn site(folder: &Path) {
    let pages: Vec<(String, String)> =
        (0..12).map(|number| (format!("page-{number}.html"), format!("<p>{number}"))).collect();
    let pages: Vec<(&str, &str)> =
        pages.iter().map(|(name, page)| (name.as_str(), page.as_str())).collect();
    write_all(folder, &pages);
}

fn change(folder: &Path) {
    write_all(folder, &[("page-1.html", "<p>changed"), ("new.html", "<p>new")]);
    fs::remove_file(folder.join("page-2.html")).unwrap();
}

fn arguments(folder: &Path) -> [String; 6] {
    let folder = folder.to_str().unwrap();
    // Few entries to a document, so that all kinds of documents are written.
    ["publish", folder, "--base", BASE, "--max-entries", "5"].map(str::to_owned)
}

/// Publishes with something injected at one system call.
fn injected(folder: &Path, injection: &str) -> Output {
    Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("inject={injection}")])
        .arg(env!("CARGO_BIN_EXE_tidings"))
        .args(arguments(folder))
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("strace; `cargo xtask setup` installs it")
}

#[track_caller]
fn publish(folder: &Path) {
    let output = run(arguments(folder).iter().map(String::as_str));
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
fn sweep(name: &str, effect: &str, calls: &[&str], before: impl Fn(&Path)) {
    let expected = {
        let folder = tempfile::tempdir().unwrap();
        before(folder.path());
        publish(folder.path());
        told(folder.path())
    };
    let mut points = 0;
    for call in calls {
        for number in 1.. {
            let folder = tempfile::tempdir().unwrap();
            before(folder.path());
            let point = format!("{name}: {effect} at {call} {number}");
            let output = injected(folder.path(), &format!("{call}:{effect}:when={number}"));
            if output.status.success() {
                break;
            }
            points += 1;
            assert_whole(folder.path(), &point);
            publish(folder.path());
            assert_whole(folder.path(), &point);
            assert_eq!(told(folder.path()), expected, "{point}");
        }
    }
    println!("{name}: {points} points, {effect}");
    assert!(points > 10, "only {points} points");
}

#[test]
fn r3_killed_at_every_call_of_a_first_publication() {
    sweep("first publication", "signal=SIGKILL", &CALLS, site);
}

#[test]
fn r3_killed_at_every_call_of_a_later_publication() {
    sweep("later publication", "signal=SIGKILL", &CALLS, |folder| {
        site(folder);
        publish(folder);
        change(folder);
    });
}

#[test]
fn r2_a_full_disk_at_every_write_of_a_later_publication() {
    sweep("later publication", "error=ENOSPC", &["write", "fsync", "rename", "mkdir"], |folder| {
        site(folder);
        publish(folder);
        change(folder);
    });
}
