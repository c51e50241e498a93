//! The register of copies: what `sync` and `audit` tell it, and that it never stands in their way.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use support::copied::{Copy, Served};
use support::documents::Item;
use support::server::{Reply, Way};
use support::stage::Stage;
use support::{stderr, stdout, tidings};
use tidings_destination::{CopyReport, Register, RunOutcome, Work};

const FILES: [(&str, &str); 3] = [("a.txt", "a"), ("b.txt", "b"), ("c/d.txt", "d")];

/// A home of its own, and the register in it.
struct Home {
    state: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self { state: tempfile::tempdir().unwrap() }
    }

    fn command(&self, verb: &str, url: &str, copy: &Path) -> Command {
        let mut command = tidings();
        command.env("XDG_STATE_HOME", self.state.path()).args([verb, url]).arg(copy);
        command
    }

    fn run(&self, verb: &str, url: &str, copy: &Path, options: &[&str]) -> Output {
        self.command(verb, url, copy).args(options).output().unwrap()
    }

    fn register(&self) -> Register {
        Register::at(self.state.path().join("tidings/copies"))
    }

    fn list(&self) -> Vec<CopyReport> {
        self.register().list().unwrap()
    }

    #[track_caller]
    fn only(&self) -> CopyReport {
        let mut all = self.list();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }
}

#[track_caller]
fn exits(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}{}", stdout(output), stderr(output));
}

fn published() -> Served {
    let source = Served::new(&FILES);
    source.publish(&[]);
    source
}

#[test]
fn what_sync_and_audit_find_is_in_the_register() {
    let (source, home, copy) = (published(), Home::new(), Copy::new());
    exits(&home.run("sync", &source.url(), copy.path(), &["--dry-run"]), 0);
    assert_eq!(home.list(), [], "a dry run is not entered");
    let with_login = source.url().replace("http://", "http://me:secret@");
    exits(&home.run("sync", &with_login, copy.path(), &[]), 0);
    let found = home.only();
    assert_eq!(found.folder, copy.path().canonicalize().unwrap().to_str().unwrap());
    assert_eq!((found.source.clone(), found.resources), (source.url(), Some(3)));
    assert!(found.is_there && found.running.is_none() && found.last_audit.is_none());
    assert_eq!(found.sets.len(), 1);
    let last = found.last_sync.unwrap();
    assert_eq!((last.outcome, last.created, last.error), (RunOutcome::Well, 3, None));
    assert_eq!(found.since, Some(last.began));
    let kept = support::copied::files_below(home.state.path());
    assert!(!kept.is_empty());
    assert!(!kept.values().any(|bytes| String::from_utf8_lossy(bytes).contains("secret")));

    exits(&home.run("audit", &source.url(), copy.path(), &[]), 0);
    let audit = home.only().last_audit.unwrap();
    assert_eq!((audit.outcome, audit.checked, audit.deep), (RunOutcome::Well, 3, false));
    fs::write(copy.host().join("a.txt"), "other").unwrap();
    fs::remove_file(copy.host().join("b.txt")).unwrap();
    exits(&home.run("audit", &source.url(), copy.path(), &["--deep"]), 1);
    let audit = home.only().last_audit.unwrap();
    assert_eq!((audit.outcome, audit.deep), (RunOutcome::Differs, true));
    assert_eq!((audit.differences.corrupt, audit.differences.missing), (1, 1), "{audit:?}");

    exits(&home.run("audit", &source.url(), copy.path(), &["--repair"]), 0);
    let repaired = home.only();
    assert_eq!(repaired.last_audit.unwrap().outcome, RunOutcome::Well);
    assert!(repaired.last_sync.unwrap().began > last.ended, "a repair is a sync");
    assert_eq!(repaired.since, found.since);
}

#[test]
fn a_sync_that_fails_says_why_and_what_was_known_stays() {
    let (source, home, copy) = (published(), Home::new(), Copy::new());
    exits(&home.run("sync", &source.url(), copy.path(), &[]), 0);
    let url = source.url();
    drop(source);
    exits(&home.run("sync", &url, copy.path(), &["--baseline"]), 2);
    let found = home.only();
    let last = found.last_sync.unwrap();
    assert_eq!((last.outcome, found.resources), (RunOutcome::Failed, Some(3)));
    assert!(last.error.unwrap().contains("no ResourceSync Source"));
    exits(&home.run("audit", &url, copy.path(), &[]), 2);
    assert_eq!(home.only().last_audit.unwrap().outcome, RunOutcome::Failed);
    // What was refused says nothing of the copy, and the copy stays that of its Source.
    exits(&home.run("sync", "http://127.0.0.1:9/", copy.path(), &[]), 2);
    assert_eq!(home.only().source, url);
}

/// A Source one of whose resources never comes, and a run that waits for it.
fn stuck(home: &Home, stage: &Stage) -> std::process::Child {
    let names: Vec<String> = (0..20).map(|number| format!("{number}.txt")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    files.push(("last.txt", "x"));
    stage.files(&files);
    let items: Vec<Item> = stage.items(&files);
    stage.list(&items);
    stage.put("/last.txt", Reply::ok("x").by(Way::Stalled));
    let mut command = home.command("sync", &stage.url("/capabilitylist.xml"), &stage.copy());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[track_caller]
fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what} does not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_is_seen_at_work_and_not_any_more_when_it_is_killed() {
    let (home, stage) = (Home::new(), Stage::new());
    let mut child = stuck(&home, &stage);
    wait_for("progress", || {
        let running = home.list().pop().and_then(|copy| copy.running);
        running.is_some_and(|running| running.what == Work::Sync && running.done > 0)
    });
    let running = home.only().running.unwrap();
    assert!(running.at >= running.began && !running.doing.is_empty(), "{running:?}");
    let error = home.register().forget(&home.only().key).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ResourceBusy);
    // Another run is turned away, and changes nothing of that.
    exits(&home.run("sync", &stage.url("/capabilitylist.xml"), &stage.copy(), &[]), 2);
    assert_eq!(home.only().running.unwrap().began, running.began);
    child.kill().unwrap();
    child.wait().unwrap();
    let found = home.only();
    assert!(found.running.is_none() && found.last_sync.is_none(), "{found:?}");
    stage.text("/last.txt", "x");
    exits(&home.run("sync", &stage.url("/capabilitylist.xml"), &stage.copy(), &[]), 0);
    let found = home.only();
    assert_eq!((found.resources, found.last_sync.unwrap().outcome), (Some(21), RunOutcome::Well));
}

#[test]
fn every_poll_of_a_watch_is_entered() {
    let (source, home, copy) = (published(), Home::new(), Copy::new());
    let mut command = home.command("sync", &source.url(), copy.path());
    command.args(["--watch", "--interval", "1"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let last = || home.list().pop().and_then(|copy| copy.last_sync);
    wait_for("the first run", || last().is_some_and(|last| last.created == 3));
    let first = last().unwrap().began;
    wait_for("another poll", || last().is_some_and(|last| last.began > first));
    child.kill().unwrap();
    child.wait().unwrap();
    let found = home.only();
    assert_eq!((found.since, found.resources), (Some(first), Some(3)));
}

#[test]
fn two_copies_and_one_that_is_gone() {
    let (source, home) = (published(), Home::new());
    let parent = tempfile::tempdir().unwrap();
    let (one, two) = (parent.path().join("one"), parent.path().join("deep/two"));
    exits(&home.run("sync", &source.url(), &one, &[]), 0);
    exits(&home.run("sync", &source.url(), &two, &["--exclude", "c"]), 0);
    let all = home.list();
    assert!(all.len() == 2 && all.iter().all(|copy| copy.is_there), "{all:?}");
    let name = |copy: &CopyReport| Path::new(&copy.folder).file_name().unwrap().to_owned();
    assert_eq!((name(&all[0]), name(&all[1])), ("two".into(), "one".into()));
    assert_eq!((all[0].resources, all[1].resources), (Some(2), Some(3)));
    fs::remove_dir_all(&one).unwrap();
    let gone = home.list().remove(1);
    assert!(!gone.is_there && gone.last_sync.is_some(), "{gone:?}");
    // Nobody made a copy there, and none is told of.
    exits(&home.run("audit", &source.url(), &parent.path().join("three"), &[]), 2);
    assert!(home.register().forget(&gone.key).unwrap());
    assert_eq!(name(&home.only()), "two");
    exits(&home.run("sync", &source.url(), &one, &[]), 0);
    assert_eq!(home.list().len(), 2);
}

#[test]
fn a_register_that_cannot_be_written_hurts_nobody() {
    let source = published();
    let file = tempfile::NamedTempFile::new().unwrap();
    let places: [&[(&str, &str)]; 4] = [
        &[("XDG_STATE_HOME", "/proc/nowhere")],
        // A file where the folder should be.
        &[("XDG_STATE_HOME", file.path().to_str().unwrap())],
        &[("XDG_STATE_HOME", "relative"), ("HOME", "relative")],
        &[],
    ];
    for place in places {
        let copy = Copy::new();
        for verb in ["sync", "audit"] {
            let mut command = tidings();
            command.env_remove("XDG_STATE_HOME").env_remove("HOME").envs(place.iter().copied());
            command.args([verb, &source.url()]).arg(copy.path()).current_dir(copy.path());
            let output = command.output().unwrap();
            exits(&output, 0);
            assert_eq!(stderr(&output), "", "{place:?}");
        }
        assert!(!copy.path().join("relative").exists());
        assert_eq!(copy.files(), source.files());
    }
}
