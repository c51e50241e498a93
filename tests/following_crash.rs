//! Following in spite of all: two at once, `kill -9` in the middle of a poll, and state that cannot be
//! used. Every change is told exactly once, and what cannot be done is said.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a test")]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use support::documents::{Item, change_list, document};
use support::follower::Follower;
use support::server::{Reply, Server, Way};
use support::{stderr, stdout};

/// The calls by which the state changes.
const CALLS: [&str; 5] = ["pwrite64", "fdatasync", "fsync", "ftruncate", "unlink"];

/// At how many points of a verb it is killed at the most, so that a test takes no longer than it should.
const POINTS: usize = 32;

fn source(server: &Server) {
    let offer = Item::new(server.url("/changes.xml")).md("capability", "changelist");
    let list = document("<rs:md capability=\"capabilitylist\"/>", &[offer]);
    server.put("/list.xml", Reply::ok(list));
    put_changes(server, 3);
}

fn changes(server: &Server, count: u32) -> String {
    let changes: Vec<Item> = (0..count)
        .map(|number| {
            let time = format!("2026-01-02T00:{:02}:{:02}Z", number / 60, number % 60);
            Item::new(server.url(&format!("/{number}"))).change("created").at(&time)
        })
        .collect();
    change_list(&changes)
}

fn put_changes(server: &Server, count: u32) {
    server.put("/changes.xml", Reply::ok(changes(server, count)));
}

fn put_sitemap(server: &Server, count: u32) {
    let pages: Vec<Item> =
        (0..count).map(|number| Item::new(server.url(&format!("/{number}")))).collect();
    server.put("/sitemap.xml", Reply::ok(document("", &pages)));
}

fn database(follower: &Follower) -> Connection {
    Connection::open(follower.data().join("tidings.db")).unwrap()
}

fn number(follower: &Follower, query: &str) -> i64 {
    database(follower).query_row(query, [], |row| row.get(0)).unwrap()
}

/// Every change is recorded once, in a batch that there is, and counted as often.
fn is_whole(follower: &Follower, count: i64, point: &str) {
    assert_eq!(number(follower, "SELECT count(*) FROM changes"), count, "{point}");
    assert_eq!(number(follower, "SELECT count(DISTINCT uri) FROM changes"), count, "{point}");
    assert_eq!(
        number(follower, "SELECT coalesce(sum(changes), 0) FROM collections"),
        count,
        "{point}"
    );
    assert_eq!(
        number(follower, "SELECT coalesce(sum(recorded), 0) FROM batches"),
        count,
        "{point}"
    );
    let batches =
        "SELECT count(*) - (SELECT coalesce(sum(batches), 0) FROM collections) FROM batches";
    assert_eq!(number(follower, batches), 0, "{point}");
    let check: String =
        database(follower).query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok", "{point}");
}

/// The minute after which what a process that died had leased is free.
fn a_minute_passes(follower: &Follower) {
    let path = follower.data().join("tidings.db");
    if let Ok(database) = Connection::open(path) {
        // There may be no tables yet.
        let _ = database.execute("UPDATE hosts SET lease_until = 0", []);
    }
}

fn traced(follower: &Follower, arguments: &[&str], expression: &str, log: &Path) -> Output {
    let command = follower.command(arguments);
    Command::new("strace")
        .args(["-f", "-qq", "-o", log.to_str().unwrap(), "-e", expression])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(follower.folder.path())
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("strace; `cargo xtask setup` installs it")
}

/// Kills a verb at calls of each kind, runs it again and checks what came of it.
fn sweep(name: &str, before: &Follower, arguments: &[&str], check: impl Fn(&Follower, &str)) {
    let fresh = || {
        let follower = Follower::default();
        if before.data().exists() {
            let mut copy = Command::new("cp");
            copy.arg("-a").arg(before.data()).arg(follower.folder.path());
            assert!(copy.status().unwrap().success());
        }
        follower
    };
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut points = Vec::new();
    for call in CALLS {
        let follower = fresh();
        let output = traced(&follower, arguments, &format!("trace={call}"), log.path());
        assert!(output.status.success(), "{}", stderr(&output));
        let count = fs::read_to_string(log.path()).unwrap().matches(&format!("{call}(")).count();
        points.extend((1..=count).map(|number| (call, number)));
    }
    let step = points.len().div_ceil(POINTS).max(1);
    for (call, number) in points.iter().step_by(step) {
        let follower = fresh();
        let point = format!("{name}: killed at {call} {number}");
        let injection = format!("inject={call}:signal=SIGKILL:when={number}");
        traced(&follower, arguments, &injection, Path::new("/dev/null"));
        a_minute_passes(&follower);
        let output = follower.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{point}: {}", stderr(&output));
        check(&follower, &point);
        // And once more.
        assert_eq!(follower.run(&["poll"]).status.code(), Some(0), "{point}");
        check(&follower, &point);
    }
    println!("{name}: killed at {} of {} points", points.len().div_ceil(step), points.len());
    assert!(points.len() > 8, "only {} points", points.len());
}

#[test]
fn r9_a_poll_of_a_change_list_that_is_killed_tells_each_change_once() {
    let server = Server::start();
    source(&server);
    let before = Follower::default();
    before.json(&["follow", &server.url("/list.xml"), "--titles", "0"]);
    put_changes(&server, 40);
    sweep("change list", &before, &["poll"], |follower, point| is_whole(follower, 40, point));
}

#[test]
fn r9_a_poll_of_a_sitemap_that_is_killed_tells_each_change_once() {
    let server = Server::start();
    put_sitemap(&server, 3);
    let before = Follower::default();
    before.json(&["follow", &server.url("/"), "--titles", "0"]);
    put_sitemap(&server, 43);
    sweep("sitemap", &before, &["poll"], |follower, point| is_whole(follower, 40, point));
}

#[test]
fn r9_a_site_that_was_being_followed_when_it_was_killed_is_followed_once() {
    let server = Server::start();
    source(&server);
    let url = server.url("/list.xml");
    let before = Follower::default();
    sweep("follow", &before, &["follow", &url, "--titles", "0"], |follower, point| {
        is_whole(follower, 3, point);
        assert_eq!(follower.sites().len(), 1, "{point}");
    });
}

/// A poll that was broken off keeps nobody waiting, if it is known that nobody goes on with it.
#[test]
fn a_poll_by_hand_works_after_one_that_was_interrupted() {
    let server = Server::start();
    source(&server);
    let follower = Follower::default();
    follower.json(&["follow", &server.url("/list.xml"), "--titles", "0"]);
    server.put("/changes.xml", Reply::ok("x").by(Way::Silent));
    server.forget_log();
    let mut poll = follower.command(&["poll"]);
    let mut child = poll.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while server.count("/changes.xml") == 0 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    child.wait().unwrap();
    put_changes(&server, 4);
    let output = follower.run(&["poll"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

/// The kernel knows that nobody goes on with it: the lease of the dead is not waited for.
#[test]
fn a_poll_by_hand_does_not_wait_for_the_lease_of_one_that_was_killed() {
    let server = Server::start();
    source(&server);
    let follower = Follower::default();
    follower.json(&["follow", &server.url("/list.xml"), "--titles", "0"]);
    let leased = || number(&follower, "SELECT max(lease_until) FROM hosts");
    let now = || jiff::Timestamp::now().as_millisecond();
    // Whether it was a poll by hand that died, or a server, whose leases last longer.
    for verb in [&["poll"][..], &["serve", "--listen", "127.0.0.1:0", "--allow-private"]] {
        server.put("/changes.xml", Reply::ok("x").by(Way::Silent));
        database(&follower)
            .execute_batch("UPDATE sites SET next_due = 0; UPDATE hosts SET next_due = 0")
            .unwrap();
        server.forget_log();
        let mut poll = follower.command(verb);
        let mut child = poll.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while server.count("/changes.xml") == 0 {
            std::thread::sleep(Duration::from_millis(10));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // The lease would still hold for as long as all that follows may take.
        database(&follower)
            .execute_batch("UPDATE hosts SET lease_until = lease_until + 600000")
            .unwrap();
        let until = leased();
        assert!(until > now() + 500_000, "it has a lease");
        put_changes(&server, 4);
        let output = follower.run(&["poll"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(leased(), 0, "it was given back");
    }
    let left = fs::read_dir(follower.data().join("workers")).unwrap().count();
    assert_eq!(left, 0, "no locks are left over");
}

#[test]
fn r5_several_polls_at_once_tell_each_change_once() {
    let server = Server::start();
    source(&server);
    let follower = Follower::default();
    follower.json(&["follow", &server.url("/list.xml"), "--titles", "0"]);
    let list = changes(&server, 20);
    // Long enough that all of them are under way together.
    let pause = Duration::from_millis(500) / u32::try_from(list.len()).unwrap();
    server.put("/changes.xml", Reply::ok(list).by(Way::Drip(pause)));
    let polls: Vec<_> = (0..4)
        .map(|_| {
            let mut command = follower.command(&["poll", "--json"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut told = 0;
    for poll in polls {
        let output = poll.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        told += json["polled"][0]["changes"].as_i64().unwrap();
    }
    assert_eq!(told, 17);
    is_whole(&follower, 20, "several polls at once");
    assert_eq!(number(&follower, "SELECT count(*) FROM batches"), 2);
}

#[test]
fn r5_several_that_follow_at_once_make_one_site() {
    let server = Server::start();
    source(&server);
    let follower = Follower::default();
    let url = server.url("/list.xml");
    let all: Vec<_> = (0..4)
        .map(|_| {
            let mut command = follower.command(&["follow", &url, "--titles", "0"]);
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for one in all {
        let output = one.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    assert_eq!(follower.sites().len(), 1);
    is_whole(&follower, 3, "several that follow at once");
}

#[test]
fn r5_a_server_and_polls_by_hand_tell_each_change_once() {
    let server = Server::start();
    source(&server);
    let follower = Follower::default();
    follower.json(&["follow", &server.url("/list.xml"), "--titles", "0"]);
    let serving = follower.serve(&[]);
    for count in 4..12 {
        put_changes(&server, count);
        // It is due, so that the server polls it, too.
        let database = database(&follower);
        database.busy_timeout(Duration::from_secs(5)).unwrap();
        database
            .execute_batch("UPDATE sites SET next_due = 0; UPDATE hosts SET next_due = 0")
            .unwrap();
        drop(database);
        let output = follower.run(&["poll"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    drop(serving);
    a_minute_passes(&follower);
    follower.json(&["poll"]);
    is_whole(&follower, 11, "a server and polls by hand");
}

/// What is said when the state cannot be used.
#[track_caller]
fn refuses(follower: &Follower, words: &[&str]) {
    let verbs: [&[&str]; 5] = [
        &["sites"],
        &["poll"],
        &["follow", "http://127.0.0.1:9/"],
        &["serve", "--listen", "127.0.0.1:0"],
        &["token", "list"],
    ];
    for verb in verbs {
        let begun = Instant::now();
        let output = follower.run(verb);
        let errors = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{verb:?}: {errors}");
        assert!(begun.elapsed() < Duration::from_secs(10));
        for word in words {
            assert!(errors.contains(word), "{verb:?}: {word:?} is not in: {errors}");
        }
        assert!(!errors.contains("panicked"), "{errors}");
    }
}

fn followed() -> Follower {
    let server = Server::start();
    source(&server);
    put_changes(&server, 200);
    let follower = Follower::default();
    follower.json(&["follow", &server.url("/list.xml"), "--titles", "0"]);
    follower
}

#[test]
fn r6_damaged_state_is_refused_and_left_as_it_is() {
    let whole = followed();
    let bytes = fs::read(whole.data().join("tidings.db")).unwrap();
    let page = 4096;
    let mut pages = bytes.clone();
    for at in (page..bytes.len()).step_by(page) {
        pages[at..at + 64].fill(0xA5);
    }
    let mut header = bytes.clone();
    header[..16].fill(0);
    for (what, damaged) in [
        ("pages", pages),
        ("header", header),
        ("cut", bytes[..bytes.len() / 2 + 100].to_vec()),
        ("other", b"this is no database at all".to_vec()),
    ] {
        let follower = Follower::default();
        fs::create_dir(follower.data()).unwrap();
        let path = follower.data().join("tidings.db");
        fs::write(&path, &damaged).unwrap();
        refuses(&follower, &["damaged"]);
        assert_eq!(fs::read(&path).unwrap().len(), damaged.len(), "{what}");
    }
    // Another program's.
    let follower = Follower::default();
    fs::create_dir(follower.data()).unwrap();
    database(&follower).execute_batch("CREATE TABLE theirs (x)").unwrap();
    refuses(&follower, &["another program"]);
}

#[test]
fn r6_state_of_a_newer_program_is_refused() {
    let follower = followed();
    let changed =
        database(&follower).execute("UPDATE meta SET value = '999' WHERE key = 'schema'", []);
    assert_eq!(changed.unwrap(), 1);
    refuses(&follower, &["999", "newer"]);
}

#[test]
fn r6_places_that_are_no_folders_are_refused() {
    let follower = Follower::default();
    fs::write(follower.data(), "a file").unwrap();
    refuses(&follower, &["data"]);
}

/// Who is root may write anywhere, so somebody else has to try.
#[test]
fn r6_state_that_can_only_be_read_is_refused() {
    let follower = followed();
    let mode = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(follower.folder.path(), 0o755);
    mode(&follower.data().join("tidings.db"), 0o444);
    mode(&follower.data(), 0o555);
    let is_root = String::from_utf8(Command::new("id").arg("-u").output().unwrap().stdout).unwrap();
    for verb in ["sites", "poll"] {
        let command = follower.command(&[verb]);
        let mut tried = if is_root.trim() == "0" {
            let mut other = Command::new("setpriv");
            other.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
            other.arg(command.get_program());
            other
        } else {
            Command::new(command.get_program())
        };
        tried.args(command.get_args()).current_dir(follower.folder.path());
        let output = tried.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains("can only be read"), "{}", stderr(&output));
    }
    mode(&follower.data(), 0o755);
}

#[test]
fn r6_state_that_somebody_else_locks_for_a_moment_is_waited_for() {
    let follower = followed();
    let database = database(&follower);
    database.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let mut poll = follower.command(&["token", "add", "x"]);
    let child = poll.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let files = format!("/proc/{}/fd", child.id());
    let has_opened = || {
        let files = fs::read_dir(&files).unwrap().flatten();
        files.flat_map(|file| fs::read_link(file.path())).any(|to| to.ends_with("tidings.db"))
    };
    while !has_opened() {
        std::thread::sleep(Duration::from_millis(5));
    }
    database.execute_batch("COMMIT").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}
