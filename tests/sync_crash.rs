//! `kill -9` at every call of a copy that changes something on the disk, by strace: the next run
//! completes it, the copy is right to the last byte, and nothing that was recorded is fetched again.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use rusqlite::{Connection, OpenFlags};
use support::copied::{Copy, Served};
use support::{keep_apart, stderr};

/// The calls that change something on the disk. Only the main thread or only the one that fetches makes
/// each of them, so that counting them by thread, as strace does, counts all.
const CALLS: [&str; 12] = [
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "syncfs",
    "renameat",
    "renameat2",
    "mkdir",
    "mkdirat",
    "unlink",
    "utimensat",
    "ftruncate",
];

fn source(options: &[&str]) -> Served {
    let names: Vec<String> =
        (0..9).map(|number| format!("f{}/page-{number}.html", number % 3)).collect();
    let files: Vec<(&str, &str)> =
        names.iter().map(|name| (name.as_str(), name.as_str())).collect();
    let source = Served::new(&files);
    source.publish(options);
    source
}

fn change(source: &Served) {
    fs::write(source.path("f0/page-0.html"), "changed").unwrap();
    fs::write(source.path("f1/page-1.html"), "changed, too").unwrap();
    fs::write(source.path("f3.html"), "new").unwrap();
    fs::remove_file(source.path("f2/page-2.html")).unwrap();
    source.publish(&[]);
}

fn traced(source: &Served, copy: &Copy, via: &str, expression: &str, log: &Path) -> Output {
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-qq", "-o", log.to_str().unwrap(), "-e", expression])
        .arg(env!("CARGO_BIN_EXE_tidings"))
        .args(["sync", &source.url(), copy.path().to_str().unwrap()])
        .args(["--delete", "--jobs", "1", "--via", via]);
    keep_apart(&mut strace).output().expect("strace; `cargo xtask setup` installs it")
}

/// The paths of what is recorded, with the digest.
fn recorded(copy: &Copy, base: &str) -> Vec<(String, Vec<u8>)> {
    let path = copy.path().join(".tidings/state.sqlite");
    let Ok(connection) = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    else {
        return Vec::new();
    };
    let Ok(mut statement) = connection.prepare("SELECT uri, sha256 FROM resource WHERE gone = 0")
    else {
        return Vec::new();
    };
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?))).unwrap();
    rows.flatten().map(|(uri, digest)| (uri.replacen(base, "/", 1), digest)).collect()
}

fn sweep(name: &str, source: &Served, via: &str, before: impl Fn(&Copy)) {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut points = 0;
    // What the copy records in the end: what is recorded before that is not fetched again.
    let last = {
        let copy = Copy::new();
        before(&copy);
        copy.sync(&source.url(), &["--delete"]);
        recorded(&copy, &source.url())
    };
    for call in CALLS {
        let copy = Copy::new();
        before(&copy);
        let output = traced(source, &copy, via, &format!("trace={call}"), log.path());
        assert!(output.status.success(), "{}", stderr(&output));
        let count = fs::read_to_string(log.path()).unwrap();
        let count = count.matches(&format!("{call}(")).count();
        for number in 1..=count {
            let copy = Copy::new();
            before(&copy);
            let point = format!("{name}: killed at {call} {number}");
            let injection = format!("inject={call}:signal=SIGKILL:when={number}");
            traced(source, &copy, via, &injection, Path::new("/dev/null"));
            points += 1;
            let known = recorded(&copy, &source.url());
            source.asked();
            copy.sync(&source.url(), &["--delete"]);
            let asked = source.asked();
            let right = known.iter().filter(|row| last.contains(row));
            for (path, _) in right {
                assert!(!asked.contains(path), "{point}: {path} was fetched again");
            }
            copy.assert_in_sync(&source.url(), &[]);
            assert_eq!(copy.files(), source.files(), "{point}");
        }
    }
    println!("{name}: killed at {points} points");
    assert!(points > 30, "only {points} points");
}

#[test]
fn r3_killed_at_every_call_of_a_baseline() {
    sweep("baseline", &source(&[]), "list", |_| {});
}

#[test]
fn r3_killed_at_every_call_of_a_baseline_from_packages() {
    sweep("baseline from packages", &source(&["--dump"]), "dump", |_| {});
}

#[test]
fn r3_killed_at_every_call_of_an_increment() {
    let source = source(&[]);
    let before = Copy::new();
    before.sync(&source.url(), &[]);
    change(&source);
    sweep("increment", &source, "list", |copy| {
        // The copy as it was before the change: files with their times, and the state.
        let status = Command::new("cp")
            .args(["-a", &format!("{}/.", before.path().display())])
            .arg(copy.path())
            .status();
        assert!(status.unwrap().success());
    });
}

#[test]
fn r3_what_a_killed_run_wrote_is_its_own_when_the_source_changes_meanwhile() {
    let source = source(&[]);
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut points = 0;
    // From the first file that is in its place to the last record.
    for call in ["renameat2", "syncfs", "pwrite64", "fdatasync"] {
        let output = traced(&source, &Copy::new(), "list", &format!("trace={call}"), log.path());
        assert!(output.status.success(), "{}", stderr(&output));
        let count = fs::read_to_string(log.path()).unwrap();
        let count = count.matches(&format!("{call}(")).count();
        for number in 1..=count {
            let copy = Copy::new();
            let injection = format!("inject={call}:signal=SIGKILL:when={number}");
            traced(&source, &copy, "list", &injection, Path::new("/dev/null"));
            points += 1;
            for page in 0..9 {
                let path = source.path(&format!("f{}/page-{page}.html", page % 3));
                fs::write(path, format!("after {points} kills")).unwrap();
            }
            source.publish(&[]);
            copy.sync(&source.url(), &["--delete"]);
            assert_eq!(copy.files(), source.files(), "killed at {call} {number}");
        }
    }
    println!("killed at {points} points, and the Source changed");
    assert!(points > 10, "only {points} points");
}

#[test]
fn r3_killed_while_the_copy_of_a_source_that_moved_is_rewritten() {
    let (old, new) = (source(&[]), source(&[]));
    let before = Copy::new();
    before.sync(&old.url(), &[]);
    let log = tempfile::NamedTempFile::new().unwrap();
    let moved = |injection: &str, log: &Path| {
        let copy = Copy::new();
        let from = format!("{}/.", before.path().display());
        let status = Command::new("cp").args(["-a", &from]).arg(copy.path()).status();
        assert!(status.unwrap().success());
        let mut strace = Command::new("strace");
        strace
            .args(["-f", "-qq", "-o", log.to_str().unwrap(), "-e", injection])
            .arg(env!("CARGO_BIN_EXE_tidings"))
            .args(["sync", &new.url(), copy.path().to_str().unwrap(), "--moved"]);
        keep_apart(&mut strace).output().expect("strace; `cargo xtask setup` installs it");
        copy
    };
    let mut points = 0;
    for call in ["pwrite64", "fdatasync", "fsync"] {
        moved(&format!("trace={call}"), log.path());
        let count = fs::read_to_string(log.path()).unwrap().matches(&format!("{call}(")).count();
        for number in 1..=count {
            let injection = format!("inject={call}:signal=SIGKILL:when={number}");
            let copy = moved(&injection, Path::new("/dev/null"));
            points += 1;
            new.asked();
            copy.sync(&new.url(), &["--moved"]);
            let asked = new.asked();
            assert!(!asked.iter().any(|path| path.contains("page-")), "{call} {number}: {asked:?}");
            copy.assert_in_sync(&new.url(), &[]);
            assert_eq!(copy.files(), new.files(), "killed at {call} {number}");
        }
    }
    println!("killed at {points} points of a move");
    assert!(points > 5, "only {points} points");
}
