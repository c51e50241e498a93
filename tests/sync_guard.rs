//! A copy never costs its user a file: what the copy did not write is left alone.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

mod support;

use std::fs;

use support::copied::{Copy, Served};
use support::documents::change_list;
use support::stage::{Stage, files_of};
use support::{run, stderr, stdout, write_all};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("d/b.txt", "two")];

const LIST: &str = "/capabilitylist.xml";

/// Puts a file of the user's where one of the copy will be.
fn put(stage: &Stage, path: &str, text: &str) {
    let path = stage.home().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_file_that_the_copy_did_not_write_is_not_replaced() {
    let stage = Stage::with(FILES);
    put(&stage, "a.txt", "mine");
    stage.sync(&[]).exits(1).says("a.txt").says("did not write").counts("occupied", 1);
    stage.has(&[("a.txt", "mine"), ("d/b.txt", "two")]);
    // It is tried again, without being fetched, and comes when the place is free.
    stage.server.forget_log();
    stage.sync(&[]).exits(1).counts("occupied", 1).counts("failed", 1);
    assert_eq!(stage.server.count("/a.txt"), 0);
    stage.has(&[("a.txt", "mine"), ("d/b.txt", "two")]);
    fs::rename(stage.home().join("a.txt"), stage.home().join("mine.txt")).unwrap();
    stage.sync(&[]).exits(0).counts("failed", 0);
    stage.has(&[("a.txt", "one"), ("mine.txt", "mine"), ("d/b.txt", "two")]);
}

#[test]
fn overwriting_is_asked_for() {
    let stage = Stage::with(FILES);
    put(&stage, "a.txt", "mine");
    stage.sync(&[]).exits(1);
    stage.sync(&["--overwrite"]).exits(0);
    stage.has(FILES);
    stage.in_sync(LIST, &[]);
}

#[test]
fn a_folder_of_the_user_keeps_its_files_when_a_copy_is_mapped_into_it() {
    let stage = Stage::with(&[("a.txt", "one"), ("notes.txt", "theirs"), ("same.txt", "same")]);
    fs::create_dir_all(stage.copy()).unwrap();
    fs::write(stage.copy().join("notes.txt"), "mine").unwrap();
    fs::write(stage.copy().join("same.txt"), "same").unwrap();
    let map = format!("{}=.", stage.url("/"));
    stage.sync(&["--map", &map]).exits(1).says("notes.txt").counts("adopted", 1);
    let read = |name: &str| fs::read_to_string(stage.copy().join(name)).unwrap();
    assert_eq!((read("a.txt"), read("notes.txt")), ("one".to_owned(), "mine".to_owned()));
}

#[test]
fn a_file_with_the_right_bytes_becomes_part_of_the_copy_without_a_digest() {
    let stage = Stage::new();
    stage.files(FILES);
    stage.list(&[stage.item("a.txt"), stage.item("d/b.txt")]);
    put(&stage, "a.txt", "one");
    let time = fs::metadata(stage.home().join("a.txt")).unwrap().modified().unwrap();
    stage.sync(&[]).exits(0).counts("adopted", 1).counts("created", 1);
    stage.has(FILES);
    let after = fs::metadata(stage.home().join("a.txt")).unwrap().modified().unwrap();
    assert_eq!(time, after, "it was not replaced");
    stage.in_sync(LIST, &[]);
    // From now on it is the copy's.
    stage.files(&[("a.txt", "newer")]);
    stage.list(&[stage.item("a.txt").of("newer"), stage.item("d/b.txt")]);
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "newer"), ("d/b.txt", "two")]);
}

#[test]
fn a_dry_run_says_which_files_are_in_the_way() {
    let stage = Stage::with(FILES);
    put(&stage, "a.txt", "mine");
    put(&stage, "d/b.txt", "two");
    stage.sync(&["--dry-run"]).exits(1).says("a.txt").counts("occupied", 1).counts("adopted", 1);
    stage.has(&[("a.txt", "mine"), ("d/b.txt", "two")]);
    let run = stage.sync(&["--dry-run", "--overwrite"]);
    run.exits(0).counts("created", 1).counts("adopted", 1);
    assert!(!stage.copy().join(".tidings").exists());
}

#[test]
fn a_file_of_a_killed_run_whose_resource_is_gone_goes_to_the_trash() {
    let stage = Stage::copied(FILES);
    // As a run leaves it that is killed between the rename and the record.
    put(&stage, "gone.txt", "gone");
    let home = format!("127.0.0.1+{}", stage.server.port());
    let state = rusqlite::Connection::open(stage.copy().join(".tidings/state.sqlite")).unwrap();
    let announced = format!("{home}/gone.txt\n{home}/a.txt");
    state.execute("INSERT INTO setting VALUES ('placing', ?1)", [announced]).unwrap();
    stage.sync(&[]).exits(0).says("left by a run that was stopped");
    stage.has(FILES);
    let trash = files_of(&stage.copy().join(".tidings/trash"));
    assert_eq!(trash.into_values().collect::<Vec<_>>(), [b"gone"]);
    let left: i64 = state
        .query_row("SELECT count(*) FROM setting WHERE name = 'placing'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 0);
}

#[test]
fn a_file_of_the_copy_that_was_edited_is_replaced() {
    let stage = Stage::copied(FILES);
    put(&stage, "a.txt", "edited");
    stage.files(&[("a.txt", "newer")]);
    stage.list(&stage.items(&[("a.txt", "newer"), ("d/b.txt", "two")]));
    stage.sync(&[]).exits(0);
    stage.has(&[("a.txt", "newer"), ("d/b.txt", "two")]);
}

#[test]
fn a_list_that_names_a_resource_twice_does_not_block_itself() {
    let stage = Stage::new();
    stage.files(FILES);
    stage.list(&[stage.item("a.txt"), stage.item("a.txt"), stage.item("d/b.txt")]);
    stage.sync(&[]).exits(0);
    stage.has(FILES);
}

#[test]
fn a_deleted_file_that_was_edited_goes_to_the_trash() {
    let stage = Stage::copied(&[("a.txt", "one"), ("d/b.txt", "two"), ("c.txt", "three")]);
    put(&stage, "a.txt", "edited by hand");
    stage.list(&stage.items(&[("d/b.txt", "two")]));
    stage.sync(&["--delete"]).exits(0).counts("deleted", 2).says("kept as");
    stage.has(&[("d/b.txt", "two")]);
    let trash = files_of(&stage.copy().join(".tidings/trash"));
    assert_eq!(trash.into_values().collect::<Vec<_>>(), [b"edited by hand"]);
}

#[test]
fn a_deleted_file_that_was_only_touched_is_removed() {
    let stage = Stage::copied(&[("a.txt", "one"), ("d/b.txt", "two")]);
    put(&stage, "a.txt", "one");
    stage.list(&stage.items(&[("d/b.txt", "two")]));
    stage.sync(&["--delete"]).exits(0).counts("deleted", 1);
    assert!(!stage.copy().join(".tidings/trash").exists());
}

#[test]
fn a_url_is_no_folder() {
    let source = Stage::with(FILES);
    let url = source.url(LIST);
    for arguments in [
        vec!["sync", url.as_str(), "s3://bucket/copy"],
        vec!["audit", url.as_str(), "s3://bucket/copy"],
        vec!["republish", "s3://bucket/copy", "--base", "https://m.example/"],
    ] {
        let output = run(arguments.iter().copied());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains("s3://bucket/copy is a URL"), "{}", stderr(&output));
    }
    assert!(!std::path::Path::new("s3:").exists());
}

#[test]
fn a_publication_is_not_copied_into() {
    let stage = Stage::with(FILES);
    fs::create_dir_all(stage.copy().join("site")).unwrap();
    fs::write(stage.copy().join("index.html"), "mine").unwrap();
    let folder = stage.copy();
    let published = run(["publish", folder.to_str().unwrap(), "--base", "https://m.example/"]);
    assert_eq!(published.status.code(), Some(0), "{}", stderr(&published));
    let before = files_of(&folder);
    stage.sync(&[]).exits(2).says("is published by ResourceSync itself");
    assert_eq!(files_of(&folder), before);
    // Nor one of sets.
    fs::remove_dir_all(folder.join(".well-known")).unwrap();
    fs::create_dir_all(folder.join("resourcesync/books")).unwrap();
    let (from, to) = ("resourcesync/capabilitylist.xml", "resourcesync/books/capabilitylist.xml");
    fs::rename(folder.join(from), folder.join(to)).unwrap();
    stage.sync(&[]).exits(2).says("resourcesync/books/capabilitylist.xml");
}

#[test]
fn a_copy_that_is_republished_in_place_goes_on() {
    let source = Served::new(FILES);
    source.publish(&[]);
    let copy = Copy::new();
    copy.sync(&source.url(), &[]);
    let republished =
        run(["republish", copy.path().to_str().unwrap(), "--base", "https://m.example/"]);
    assert_eq!(republished.status.code(), Some(0), "{}", stderr(&republished));
    fs::write(source.path("a.txt"), "newer").unwrap();
    source.publish(&[]);
    assert_eq!(copy.sync(&source.url(), &[])["updated"], 1);
}

/// The same files at another place, published.
fn elsewhere(files: &[(&str, &str)]) -> Served {
    let source = Served::new(files);
    source.publish(&[]);
    source
}

/// The files of a copy below the folder of any host.
fn bytes_of(copy: &Copy) -> Vec<String> {
    copy.files().into_values().map(|bytes| String::from_utf8(bytes).unwrap()).collect()
}

#[test]
fn a_source_that_moved_is_followed_without_fetching_anything_again() {
    let old = elsewhere(FILES);
    let copy = Copy::new();
    copy.sync(&old.url(), &[]);
    let (host, old_url) = (copy.host(), old.url());
    drop(old);
    let new = elsewhere(FILES);
    // It is asked for, and the message says how.
    let output = copy.run("sync", &new.url(), &[]);
    assert_eq!(output.status.code(), Some(2));
    let told = stderr(&output);
    assert!(told.contains(&old_url), "{told}");
    let command = format!("tidings sync --moved {} {}", new.url(), copy.path().display());
    assert!(told.contains(&command), "{told}");
    new.asked();
    let report = copy.sync(&new.url(), &["--moved"]);
    assert_eq!((&report["unchanged"], &report["created"]), (&2.into(), &0.into()), "{report}");
    let asked = new.asked();
    assert!(FILES.iter().all(|(path, _)| !asked.contains(&format!("/{path}"))), "{asked:?}");
    copy.assert_in_sync(&new.url(), &[]);
    // From now on it is a copy of the Source at its new place, with its files where they were.
    let report = copy.sync(&new.url(), &[]);
    assert_eq!(report["requests"], 1, "{report}");
    write_all(new.folder.path(), &[("a.txt", "newer"), ("n.txt", "new")]);
    fs::remove_file(new.path("d/b.txt")).unwrap();
    new.publish(&[]);
    let report = copy.sync(&new.url(), &["--delete"]);
    assert_eq!((&report["updated"], &report["deleted"]), (&1.into(), &1.into()), "{report}");
    assert_eq!(fs::read_to_string(host.join("a.txt")).unwrap(), "newer");
    assert!(!host.join("d").exists());
    let mut bytes = bytes_of(&copy);
    bytes.sort();
    assert_eq!(bytes, ["new", "newer"]);
    copy.assert_in_sync(&new.url(), &[]);
    // Said again, it changes nothing; and the way back is the same.
    assert_eq!(copy.sync(&new.url(), &["--moved"])["unchanged"], 0);
}

#[test]
fn a_source_that_moved_and_changed_is_compared() {
    let old = elsewhere(&[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]);
    let (copy, other) = (Copy::new(), Copy::new());
    let map = format!("{}=.", old.url());
    copy.sync(&old.url(), &["--map", &map]);
    other.sync(&old.url(), &[]);
    drop(old);
    let files = [("a.txt", "one"), ("b.txt", "other"), ("d.txt", "four")];
    let new = elsewhere(&files);
    for one in [&copy, &other] {
        let report = one.sync(&new.url(), &["--moved", "--delete"]);
        let counts = ["unchanged", "updated", "created", "deleted"].map(|name| &report[name]);
        assert_eq!(counts, [&1, &1, &1, &1].map(|count| count), "{report}");
        one.assert_in_sync(&new.url(), &[]);
    }
    // The rule of where files go has moved, too.
    for (path, text) in files {
        assert_eq!(fs::read_to_string(copy.path().join(path)).unwrap(), text);
    }
    let mut bytes = bytes_of(&other);
    bytes.sort();
    assert_eq!(bytes, ["four", "one", "other"]);
}

#[test]
fn a_file_of_a_moved_copy_that_was_damaged_is_replaced_where_it_is() {
    let old = elsewhere(FILES);
    let copy = Copy::new();
    copy.sync(&old.url(), &[]);
    let host = copy.host();
    fs::write(host.join("a.txt"), "edited").unwrap();
    drop(old);
    let new = elsewhere(FILES);
    copy.sync(&new.url(), &["--moved"]);
    assert_eq!(fs::read_to_string(host.join("a.txt")).unwrap(), "one");
    assert_eq!(bytes_of(&copy).len(), 2);
    copy.assert_in_sync(&new.url(), &[]);
}

#[test]
fn a_source_that_moved_is_compared_whatever_its_change_list_says() {
    let old = Stage::followed(FILES);
    // Its Change List reaches back to before the copy was made, and tells of nothing.
    let new = Stage::with(&[("a.txt", "other"), ("d/b.txt", "two"), ("n.txt", "new")]);
    new.changes(&change_list(&[]));
    let (url, folder) = (new.url(LIST), old.copy());
    let arguments = ["sync", "--moved", &url, folder.to_str().unwrap(), "--json"];
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let counts = ["unchanged", "updated", "created"].map(|name| report[name].as_u64());
    assert_eq!(counts, [Some(1); 3], "{report}");
    assert!(report["ways"].to_string().contains("the Source has moved"), "{report}");
}

#[test]
fn only_a_copy_moves() {
    let new = elsewhere(FILES);
    let copy = Copy::new();
    let output = copy.run("sync", &new.url(), &["--moved"]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains("is no copy"), "{}", stderr(&output));
    let output = copy.run("sync", &new.url(), &["--moved", "--dry-run"]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
}

#[test]
fn a_folder_below_a_publication_is_not_copied_into() {
    let stage = Stage::with(FILES);
    let site = stage.parent().join("outside");
    fs::create_dir_all(site.join("below")).unwrap();
    fs::write(site.join("index.html"), "mine").unwrap();
    let published = run(["publish", site.to_str().unwrap(), "--base", "https://m.example/"]);
    assert_eq!(published.status.code(), Some(0), "{}", stderr(&published));
    let before = files_of(&site);
    std::os::unix::fs::symlink(site.join("below"), stage.parent().join("outside/link")).unwrap();
    for folder in ["below", "new/deep", "link/new"] {
        let (url, folder) = (stage.url(LIST), site.join(folder));
        let output = run(["sync", url.as_str(), folder.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        let publication = site.canonicalize().unwrap();
        let said = format!("{} is published by ResourceSync itself", publication.display());
        assert!(stderr(&output).contains(&said), "{}", stderr(&output));
    }
    fs::remove_file(site.join("link")).unwrap();
    assert_eq!(files_of(&site), before);
}
