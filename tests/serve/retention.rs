//! Tests that old changes are forgotten in whole archives, and that the rest still fits together.

use rusqlite::Connection;

use crate::stage::{COLLECTION, SITE, with_batches};
use crate::support::follower::{Answer, Follower, Serving};
use crate::support::stderr;

/// The archive that comes before a feed, by the last part of its path.
fn previous_archive(answer: &Answer) -> Option<String> {
    let links = answer.feed().links;
    let link = links.into_iter().find(|link| link.rel.as_deref() == Some("prev-archive"))?;
    link.href.rsplit('/').next().map(str::to_owned)
}

fn is_there(server: &Serving, path: &str) -> bool {
    let answer = server.get(path);
    assert!(matches!(answer.status, 200 | 404), "{path}: {}", answer.head);
    answer.status == 200
}

/// The garden with so many batches, the first of which were found three years ago.
fn garden(count: u32, old: u32) -> Follower {
    let (follower, store) = with_batches(count);
    drop(store);
    let database = Connection::open(follower.data().join("tidings.db")).unwrap();
    let sql = "UPDATE batches SET seen_at = seen_at - 3 * 365 * 86400000 WHERE sequence <= ?1";
    assert_eq!(database.execute(sql, [old]).unwrap(), old as usize);
    follower
}

#[test]
fn what_is_too_old_is_forgotten_in_whole_archives() {
    let follower = garden(170, 120);
    let counted = |follower: &Follower| {
        let database = Connection::open(follower.data().join("tidings.db")).unwrap();
        let count = "SELECT count(*) FROM changes";
        database.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    for (keep, left) in [
        ("keep = \"forever\"\nkeep-changes = 0", 170),
        ("keep = \"4y\"", 170),
        // By number, as many archives go as leave that many changes.
        ("keep = \"forever\"\nkeep-changes = 110", 120),
        // By age, whole archives: two of the 120.
        ("", 70),
        // An archive's worth stays, whatever its age.
        ("keep = \"1d\"\nkeep-changes = 1", 70),
    ] {
        follower.configure(&format!("[follow]\n{keep}\n"));
        let output = follower.run(&["poll", "--due"]);
        assert!(output.status.success(), "{keep}: {}", stderr(&output));
        assert_eq!(counted(&follower), left, "{keep}");
    }
    follower.configure("");
    let server = follower.serve(&["--no-poll"]);
    for place in [format!("/feeds/{COLLECTION}"), format!("/sites/{SITE}")] {
        let newest = server.get(&format!("{place}.atom"));
        assert_eq!(newest.feed().entries.len(), 50, "{place}");
        assert_eq!(previous_archive(&newest).as_deref(), Some("3.atom"), "{place}");
        let oldest = server.get(&format!("{place}/archive/3.atom"));
        assert_eq!(oldest.feed().entries.len(), 50, "{place}");
        assert_eq!(previous_archive(&oldest), None, "nothing is left before it");
        assert!(!is_there(&server, &format!("{place}/archive/2.atom")), "{place}");
    }
    let site = follower.json(&["sites"])["sites"][0].clone();
    assert_eq!(site["collections"][0]["changes"], 170, "how many there were is still known");
}

#[test]
fn unless_told_otherwise_a_hundred_thousand_changes_of_a_collection_are_kept() {
    let follower = garden(160, 0);
    let database = Connection::open(follower.data().join("tidings.db")).unwrap();
    let number = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    // Each of the first 150 batches has 1,000 changes, as a large site has them.
    let more = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1000)
        INSERT INTO changes (collection_id, key, batch, position, uri, kind, time)
        SELECT collection_id, randomblob(16), batch, n, uri || '/' || n, kind, time
        FROM changes, n WHERE batch <= 150 AND n < 1000";
    assert_eq!(database.execute(more, []).unwrap(), 150 * 999);
    let counted = "UPDATE batches SET recorded = 1000, updated = 1000 WHERE sequence <= 150";
    assert_eq!(database.execute(counted, []).unwrap(), 150);
    let (changes, oldest) = ("SELECT count(*) FROM changes", "SELECT min(batch) FROM changes");
    assert_eq!(number(changes), 150_010);
    let output = follower.run(&["poll", "--due"]);
    assert!(output.status.success(), "{}", stderr(&output));
    // The first archive goes: without the second, fewer than 100,000 would be left.
    assert_eq!((number(changes), number(oldest)), (100_010, 51));
}

#[test]
fn a_server_forgets_by_itself() {
    let follower = garden(110, 60);
    let server = follower.serve(&[]);
    while is_there(&server, &format!("/feeds/{COLLECTION}/archive/1.atom")) {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(is_there(&server, &format!("/feeds/{COLLECTION}/archive/2.atom")));
}

#[test]
fn what_to_keep_is_said_clearly_or_not_at_all() {
    let follower = garden(1, 0);
    for (keep, words) in [
        ("keep = \"2h\"", "give it as 90d, 26w or 2y, or forever"),
        ("keep-changes = -1", "give 0 to keep all"),
    ] {
        follower.configure(&format!("[follow]\n{keep}\n"));
        let output = follower.run(&["poll", "--due"]);
        assert_eq!(output.status.code(), Some(2), "{keep}");
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
}
