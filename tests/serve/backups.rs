//! Tests backups of the state while a server works on it, and the way back.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;

use crate::stage::{COLLECTION, garden, grow, with_batches};
use crate::support::follower::{Follower, Serving};
use crate::support::stderr;

fn run(follower: &Follower, arguments: &[&str]) {
    let output = follower.run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
}

fn refused(follower: &Follower, arguments: &[&str], words: &str) {
    let output = follower.run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Waits until the feed of the garden has so many entries.
fn has(server: &Serving, count: usize) {
    let path = format!("/feeds/{COLLECTION}.atom");
    while server.get(&path).feed().entries.len() != count {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_backup_goes_back_while_the_server_runs() {
    let (follower, store) = with_batches(3);
    let server = follower.serve(&["--no-poll"]);
    has(&server, 3);
    let ids = server.get(&format!("/feeds/{COLLECTION}.atom")).feed().entries;
    let file = follower.folder.path().join("backup.db");
    let told = follower.json(&["backup", text(&file)]);
    assert_eq!(told["bytes"], std::fs::metadata(&file).unwrap().len());
    let token = server.post("/api/tokens", &serde_json::json!({ "name": "late", "scope": "read" }));
    assert_eq!(token.status, 201);
    grow(&store, 3..6);
    has(&server, 6);
    refused(&follower, &["restore", text(&file)], "--replace");
    has(&server, 6);
    run(&follower, &["restore", text(&file), "--replace"]);
    has(&server, 3);
    assert!(server.get("/api/tokens").json().as_array().unwrap().is_empty());
    // The same server goes on from there, with leases that nobody else has.
    grow(&store, 3..5);
    has(&server, 5);
    let again = server.get(&format!("/feeds/{COLLECTION}.atom")).feed().entries;
    assert_eq!(again[2..], ids[..], "what was told before is told the same");
}

#[test]
fn a_backup_is_whole_while_others_write() {
    let follower = Follower::default();
    let store = garden(&follower);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 0;
            while !is_over.load(Ordering::Relaxed) {
                grow(&store, number..number + 1);
                number += 1;
            }
        });
        for number in 0..5 {
            let file = follower.folder.path().join("backup.db");
            run(&follower, &["backup", text(&file)]);
            let copy = Connection::open(&file).unwrap();
            let one = |sql: &str| copy.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
            let counted = one("SELECT count(*) FROM batches");
            for sum in ["SELECT batches FROM sites", "SELECT changes FROM collections"] {
                assert_eq!(one(sum), counted, "{number}: {sum}");
            }
            assert_eq!(one("SELECT count(*) FROM changes"), counted, "{number}");
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_backup_makes_new_state_and_what_is_none_changes_nothing() {
    let (follower, _store) = with_batches(2);
    let file = follower.folder.path().join("backup.db");
    run(&follower, &["backup", text(&file)]);
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "nobody else may read it");
    let other = Follower::default();
    run(&other, &["restore", text(&file)]);
    assert_eq!(other.sites(), follower.sites());
    // What is no backup, or only a part of one, is refused before anything is changed.
    let bytes = std::fs::read(&file).unwrap();
    for (name, bytes) in
        [("half", &bytes[..bytes.len() / 2]), ("text", b"not a database"), ("empty", b"")]
    {
        let bad = follower.folder.path().join(name);
        std::fs::write(&bad, bytes).unwrap();
        refused(&other, &["restore", text(&bad), "--replace"], name);
        assert_eq!(other.sites().len(), 1, "{name}");
    }
    let nothing = follower.folder.path().join("nothing");
    refused(&other, &["restore", text(&nothing), "--replace"], "no such file");
    let left: Vec<_> = std::fs::read_dir(other.data()).unwrap().flatten().collect();
    assert!(left.iter().all(|one| !one.file_name().to_string_lossy().starts_with(".restore")));
    refused(&Follower::default(), &["backup", text(&file)], "no state");
    // PostgreSQL has its own tools.
    let mut command = crate::support::tidings();
    command.args(["backup", text(&file), "--database", "postgres://user:secret@127.0.0.1/x"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let words = stderr(&output);
    assert!(words.contains("pg_dump") && !words.contains("secret"), "{words}");
}
