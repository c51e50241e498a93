//! The history of a copy: `tidings runs`, and the lag and accuracy of syncs and audits.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;

use serde_json::Value;
use support::documents::change_list;
use support::server::Reply;
use support::stage::Stage;
use support::{run, stderr, stdout};

#[track_caller]
fn runs(stage: &Stage) -> Vec<Value> {
    let copy = stage.copy();
    let output = run(["runs", copy.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    told["runs"].as_array().unwrap().clone()
}

/// Kind and outcome of each run.
fn ends(runs: &[Value]) -> Vec<String> {
    runs.iter()
        .map(|run| {
            format!("{} {}", run["kind"].as_str().unwrap(), run["outcome"].as_str().unwrap())
        })
        .collect()
}

/// A time some seconds ago, as a Source writes it.
fn ago(seconds: i64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let then = i64::try_from(now.as_secs()).unwrap() - seconds;
    tidings_document::Moment::from_unix(then, 0, tidings_document::Precision::Second)
        .unwrap()
        .to_string()
}

#[test]
fn every_sync_and_audit_is_kept_the_newest_last() {
    let stage = Stage::followed(&[("a.txt", "a"), ("b.txt", "b")]);
    stage.sync(&[]).exits(0);
    stage.run("audit", "/capabilitylist.xml", &["--deep"]).exits(0);
    fs::write(stage.home().join("b.txt"), "c").unwrap();
    stage.run("audit", "/capabilitylist.xml", &["--deep"]).exits(1);
    stage.put("/changelist.xml", Reply::new(404, ""));
    stage.sync(&["--dry-run"]);
    let runs = runs(&stage);
    assert_eq!(ends(&runs), ["sync well", "sync well", "audit well", "audit differs"]);
    assert_eq!((&runs[0]["created"], &runs[0]["accuracy"]), (&2.into(), &1.0.into()));
    // One small row for a poll that found nothing.
    assert_eq!((&runs[1]["created"], &runs[1]["requests"]), (&0.into(), &1.into()));
    assert!(runs[1]["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!((&runs[2]["deep"], &runs[2]["checked"]), (&true.into(), &2.into()));
    assert_eq!((&runs[3]["corrupt"], &runs[3]["accuracy"]), (&1.into(), &0.5.into()));
    assert_eq!(runs[3]["differences"].as_array().unwrap().len(), 1);
}

#[test]
fn the_history_is_a_table_for_people() {
    let stage = Stage::copied(&[("a.txt", "a")]);
    stage.run("audit", "/capabilitylist.xml", &[]).exits(0);
    let copy = stage.copy();
    let output = run(["runs", copy.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    // The columns stand below each other.
    for heading in ["RUN", "OUTCOME", "COUNTS"] {
        let column = lines[0].find(heading).unwrap();
        for line in &lines[1..] {
            let (before, cell) = line.split_at(column);
            assert!(before.ends_with("  ") && !cell.starts_with(' '), "{heading}:\n{text}");
        }
    }
    assert!(lines[1].ends_with("1 created") && lines[2].contains("1 checked"), "{text}");
}

#[test]
fn a_sync_that_fails_is_kept_with_its_error() {
    let stage = Stage::copied(&[("a.txt", "a")]);
    stage.put("/capabilitylist.xml", Reply::new(404, ""));
    stage.put("/resourcelist.xml", Reply::new(404, ""));
    stage.sync(&["--baseline"]).exits(2);
    let kept = runs(&stage);
    assert_eq!(ends(&kept), ["sync well", "sync failed"]);
    assert!(!kept[1]["error"].as_str().unwrap().is_empty(), "{kept:?}");
    stage.run("audit", "/capabilitylist.xml", &[]).exits(2);
    assert_eq!(ends(&runs(&stage)), ["sync well", "sync failed", "audit failed"]);
}

#[test]
fn a_first_sync_that_fails_is_kept_as_well() {
    let stage = Stage::new();
    stage.sync(&[]).exits(2);
    assert_eq!(ends(&runs(&stage)), ["sync failed"]);
}

#[test]
fn a_folder_that_is_no_copy_has_no_history() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(["runs", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("tidings sync URL"), "{}", stderr(&output));
    assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
}

#[test]
fn the_lag_is_that_of_the_newest_change() {
    let stage = Stage::followed(&[("a.txt", "a"), ("b.txt", "b"), ("c.txt", "c")]);
    stage.files(&[("a.txt", "A"), ("b.txt", "B")]);
    let updated =
        |name: &str, text: &str, time: &str| stage.item(name).of(text).change("updated").at(time);
    let (newer, older) = (ago(100), ago(500));
    stage.changes(&change_list(&[updated("b.txt", "B", &older), updated("a.txt", "A", &newer)]));
    let report = stage.sync(&[]);
    let lag = &report.exits(0).json["lag"];
    assert_eq!(lag["uri"], stage.url("/a.txt"), "{lag}");
    assert_eq!(lag["changed"], newer, "{lag}");
    let seconds = lag["seconds"].as_f64().unwrap();
    assert!((99.0..160.0).contains(&seconds), "{lag}");
    assert_eq!(report.json["accuracy"], 1.0);

    // A run without news has none; an audit tells of the last that is known.
    assert_eq!(stage.sync(&[]).exits(0).json["lag"], Value::Null);
    let audit = stage.run("audit", "/capabilitylist.xml", &[]);
    assert_eq!(audit.exits(0).json["lag"]["changed"], newer);

    // A delete is a change, too, once it is carried out.
    let deleted = stage.item("c.txt").change("deleted").at(&ago(50));
    let all = [updated("b.txt", "B", &older), updated("a.txt", "A", &newer), deleted];
    stage.changes(&change_list(&all));
    assert_eq!(stage.sync(&[]).exits(0).json["lag"], Value::Null);
    let report = stage.sync(&["--delete"]);
    assert_eq!(report.exits(0).counts("deleted", 1).json["accuracy"], 1.0);
}

#[test]
fn deletes_count_for_the_lag() {
    let stage = Stage::followed(&[("a.txt", "a"), ("b.txt", "b")]);
    stage.changes(&change_list(&[stage.item("b.txt").change("deleted").at(&ago(50))]));
    let report = stage.sync(&["--delete"]);
    let lag = &report.exits(0).counts("deleted", 1).json["lag"];
    assert_eq!(lag["uri"], stage.url("/b.txt"), "{lag}");
    assert!((49.0..110.0).contains(&lag["seconds"].as_f64().unwrap()), "{lag}");
}

#[test]
fn resources_that_could_not_be_fetched_lower_the_accuracy() {
    let stage = Stage::with(&[("a.txt", "a"), ("b.txt", "b"), ("c.txt", "c"), ("d.txt", "d")]);
    stage.put("/d.txt", Reply::new(404, ""));
    assert_eq!(stage.sync(&[]).exits(1).json["accuracy"], 0.75);
    // One that the copy has in an older version is not in step, either.
    stage.changes(&change_list(&[]));
    stage.text("/d.txt", "d");
    assert_eq!(stage.sync(&["--baseline"]).exits(0).json["accuracy"], 1.0);
    stage.put("/a.txt", Reply::new(404, ""));
    let change = stage.item("a.txt").of("A").change("updated").at(&ago(5));
    stage.changes(&change_list(&[change]));
    assert_eq!(stage.sync(&[]).exits(1).json["accuracy"], 0.75);
    let kept = runs(&stage);
    assert_eq!(ends(&kept), ["sync differs", "sync well", "sync differs"]);
    assert_eq!(kept[2]["failures"].as_array().unwrap().len(), 1, "{kept:?}");
}

#[test]
fn a_copy_of_the_first_version_keeps_its_history() {
    let stage = Stage::copied(&[("a.txt", "a")]);
    let path = stage.copy().join(".tidings/state.sqlite");
    {
        let state = rusqlite::Connection::open(&path).unwrap();
        state
            .execute_batch(
                "DELETE FROM run;
                 ALTER TABLE run DROP COLUMN kind; ALTER TABLE run DROP COLUMN outcome;
                 ALTER TABLE run DROP COLUMN error;
                 ALTER TABLE resource_set DROP COLUMN unsettled_until;
                 ALTER TABLE resource DROP COLUMN lastmod_is_open;
                 ALTER TABLE document DROP COLUMN identity;
                 ALTER TABLE document DROP COLUMN from_text;
                 ALTER TABLE document DROP COLUMN tail; ALTER TABLE document DROP COLUMN tail_text;
                 DROP TABLE damage; DROP INDEX resource_path; DROP TABLE owed;
                 CREATE TABLE owed (uri TEXT PRIMARY KEY, set_id INTEGER NOT NULL,
                    entry TEXT NOT NULL, reason TEXT NOT NULL, run INTEGER NOT NULL) WITHOUT ROWID;
                 INSERT INTO run (ended, report) VALUES
                    ('2026-01-01T00:00:00Z', '{\"created\": 5, \"failed\": 1, \"held\": 0}');
                 PRAGMA user_version = 1;",
            )
            .unwrap();
    }
    stage.sync(&[]).exits(0);
    let kept = runs(&stage);
    assert_eq!(ends(&kept), ["sync differs", "sync well"]);
    assert_eq!(kept[0]["created"], 5);
}
