//! The register, told by hand what runs would tell it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::{CopyReport, Register, RunOutcome, Work};
use crate::{AuditReport, Report, Step, SyncError};

const SOURCE: &str = "https://a.example/";

fn register() -> (TempDir, Register) {
    let folder = tempfile::tempdir().unwrap();
    let register = Register::at(folder.path().join("state/copies"));
    (folder, register)
}

/// A folder with a copy in it, as far as the register cares.
fn copy(folder: &TempDir, name: &str) -> std::path::PathBuf {
    let path = folder.path().join(name);
    fs::create_dir_all(path.join(".tidings")).unwrap();
    path
}

#[track_caller]
fn only(register: &Register) -> CopyReport {
    let mut all = register.list().unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn step(done: u64) -> Step<'static> {
    Step { doing: "copying", done, total: 10, bytes: 5 }
}

fn locked(path: &Path) -> Result<Report, SyncError> {
    Err(SyncError::Locked { path: path.to_owned() })
}

fn broken() -> SyncError {
    SyncError::Document { url: SOURCE.to_owned(), reason: "it is empty".to_owned() }
}

#[test]
fn a_run_is_at_work_until_it_ends() {
    let (folder, register) = register();
    assert_eq!(register.list().unwrap(), []);
    let copy = folder.path().join("copy");
    let entry = register.enter(&copy, "https://me:secret@a.example/?x=1", Work::Sync).unwrap();
    let found = only(&register);
    let running = found.running.clone().unwrap();
    assert_eq!((running.what, running.done, running.began), (Work::Sync, 0, running.at));
    assert!(!found.is_there && found.since.is_none() && found.last_sync.is_none());
    assert_eq!(found.source, "https://a.example/?x=1");

    fs::create_dir_all(copy.join(".tidings")).unwrap();
    let report = Report {
        sets: vec!["books".to_owned()],
        created: 3,
        resources: 7,
        failed: 1,
        ..Report::default()
    };
    entry.synced(&Ok(report));
    let found = only(&register);
    assert!(found.is_there && found.running.is_none());
    assert_eq!((found.resources, found.sets.as_slice()), (Some(7), &["books".to_owned()][..]));
    let last = found.last_sync.unwrap();
    assert_eq!((last.outcome, last.created, last.failed), (RunOutcome::Differs, 3, 1));
    assert_eq!(found.since, Some(last.began));
    assert!(last.began <= last.ended && last.error.is_none());
}

#[test]
fn progress_is_written_twice_in_a_second_at_most() {
    let (folder, register) = register();
    let copy = copy(&folder, "copy");
    let mut entry = register.enter(&copy, SOURCE, Work::Sync).unwrap();
    for done in 1..=10_000 {
        entry.progress(&step(done));
    }
    assert_eq!(only(&register).running.unwrap().done, 1, "the first is told, the next wait");
    std::thread::sleep(Duration::from_millis(501));
    entry.progress(&step(10_001));
    let running = only(&register).running.unwrap();
    assert_eq!((running.done, running.total, running.bytes), (10_001, 10, 5));
    assert!(running.at > running.began && running.doing == "copying");
    // One that is gone without a word is not at work; nothing came of it.
    drop(entry);
    let found = only(&register);
    assert!(found.running.is_none() && found.last_sync.is_none(), "{found:?}");
}

#[test]
fn a_sync_and_an_audit_at_once_lose_nothing_of_each_other() {
    let (folder, register) = register();
    let copy = copy(&folder, "copy");
    let mut sync = register.enter(&copy, SOURCE, Work::Sync).unwrap();
    let audit = register.enter(&copy, SOURCE, Work::Audit).unwrap();
    assert_eq!(only(&register).running.unwrap().what, Work::Sync);
    let again = register.enter(&copy, SOURCE, Work::Sync).unwrap_err();
    assert_eq!(again.kind(), std::io::ErrorKind::WouldBlock);
    let report = AuditReport { checked: 9, corrupt: 2, resources: 9, ..AuditReport::default() };
    audit.audited(&Ok(report), true);
    sync.progress(&step(1));
    sync.synced(&Ok(Report::default()));
    let found = only(&register);
    assert_eq!(found.last_sync.unwrap().outcome, RunOutcome::Well);
    let last = found.last_audit.unwrap();
    assert_eq!((last.outcome, last.checked, last.deep), (RunOutcome::Differs, 9, true));
    assert_eq!((last.differences.corrupt, last.differences.missing), (2, 0));
    // An audit alone is shown as such.
    let _audit = register.enter(&copy, SOURCE, Work::Audit).unwrap();
    assert_eq!(only(&register).running.unwrap().what, Work::Audit);
}

#[test]
fn a_run_that_was_refused_leaves_all_as_it_was() {
    let (folder, register) = register();
    let copy = copy(&folder, "copy");
    register.enter(&copy, SOURCE, Work::Sync).unwrap().synced(&locked(&copy));
    assert_eq!(register.list().unwrap(), [], "of a copy that nobody knows, nothing is kept");
    register.enter(&copy, SOURCE, Work::Sync).unwrap().synced(&Ok(Report::default()));
    let before = only(&register);
    let other = "https://other.example/";
    let of = SOURCE.to_owned();
    let refused = SyncError::OtherSource { path: copy.clone(), of, url: other.to_owned() };
    register.enter(&copy, other, Work::Sync).unwrap().synced(&Err(refused));
    assert_eq!(only(&register), before);
    // What could not even be begun, where nothing ever was.
    let nowhere = folder.path().join("nowhere");
    register.enter(&nowhere, SOURCE, Work::Sync).unwrap().synced(&Err(broken()));
    assert_eq!(only(&register), before);
}

#[test]
fn a_failure_is_kept_with_its_reason_beside_what_was_known() {
    let (folder, register) = register();
    let copy = copy(&folder, "copy");
    let report = Report { resources: 4, ..Report::default() };
    register.enter(&copy, SOURCE, Work::Sync).unwrap().synced(&Ok(report));
    let before = only(&register);
    register.enter(&copy, SOURCE, Work::Sync).unwrap().synced(&Err(broken()));
    let found = only(&register);
    assert_eq!((found.resources, found.since), (Some(4), before.since));
    let last = found.last_sync.unwrap();
    assert_eq!(last.outcome, RunOutcome::Failed);
    assert_eq!(last.error.as_deref(), Some("https://a.example/ cannot be used: it is empty"));
    let what = "could not read";
    let source = std::io::Error::other("no luck");
    let error = SyncError::Io { what, path: "x".into(), source };
    register.enter(&copy, SOURCE, Work::Audit).unwrap().audited(&Err(error), false);
    let error = only(&register).last_audit.unwrap().error;
    assert_eq!(error.as_deref(), Some("could not read x: no luck"));
}

#[test]
fn a_copy_has_one_entry_whatever_leads_to_it() {
    let (folder, register) = register();
    let copy = copy(&folder, "copy");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&copy, &link).unwrap();
    let ways = [copy.clone(), link, copy.join("../copy/."), folder.path().join("no/../copy")];
    for way in ways {
        register.enter(&way, SOURCE, Work::Sync).unwrap().synced(&Ok(Report::default()));
    }
    assert_eq!(only(&register).folder, copy.canonicalize().unwrap().to_str().unwrap());
    assert!(register.enter(&copy, "no URL", Work::Sync).is_err());
}

#[test]
fn copies_are_forgotten_by_their_keys_only() {
    let (folder, register) = register();
    let (one, two) = (copy(&folder, "a"), copy(&folder, "b"));
    for copy in [&one, &two] {
        register.enter(copy, SOURCE, Work::Sync).unwrap().synced(&Ok(Report::default()));
    }
    fs::remove_dir_all(&one).unwrap();
    let all = register.list().unwrap();
    assert_eq!(all.iter().map(|copy| copy.is_there).collect::<Vec<_>>(), [false, true]);
    assert_eq!(register.find(&all[1].key).as_ref(), Some(&all[1]));
    for other in ["", ".", "..", "../b", "/", &"0".repeat(32), &all[0].key.to_uppercase()] {
        assert!(!register.forget(other).unwrap(), "{other:?}");
        assert!(register.find(other).is_none(), "{other:?}");
    }
    let busy = register.enter(&two, SOURCE, Work::Audit).unwrap();
    let error = register.forget(&all[1].key).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ResourceBusy);
    drop(busy);
    assert!(register.forget(&all[0].key).unwrap() && !register.forget(&all[0].key).unwrap());
    assert_eq!(only(&register).key, all[1].key);
    assert!(two.join(".tidings").is_dir(), "the copy itself is left alone");
}

#[test]
fn what_is_damaged_or_of_a_later_version_does_no_harm() {
    let (folder, register) = register();
    let copy = copy(&folder, "copy");
    register.enter(&copy, SOURCE, Work::Sync).unwrap().synced(&Ok(Report::default()));
    let path = folder.path().join("state/copies").join(only(&register).key).join("sync.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen('{', "{\"later\":[1],", 1)).unwrap();
    assert_eq!(only(&register).source, SOURCE);
    fs::write(&path, &text[..text.len() / 2]).unwrap();
    assert_eq!(register.list().unwrap(), []);
    register.enter(&copy, SOURCE, Work::Sync).unwrap().synced(&Ok(Report::default()));
    assert_eq!(only(&register).source, SOURCE);
    // A register that goes away takes no run with it.
    let mut entry = register.enter(&copy, SOURCE, Work::Sync).unwrap();
    fs::remove_dir_all(folder.path().join("state")).unwrap();
    entry.progress(&step(1));
    entry.synced(&Ok(Report::default()));
    assert_eq!(register.list().unwrap(), []);
}
