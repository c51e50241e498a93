//! Processes that open the state of one site at once.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Barrier;

use tidings_site::{Account, Accounts, Journal};

/// Does the same in several threads at once. Each connection is as one of another process, since SQLite
/// locks its files for it alone.
fn at_once(own: &Path, work: impl Fn(usize, &Path) + Sync) {
    let begin = Barrier::new(8);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (begin, work) = (&begin, &work);
            scope.spawn(move || {
                begin.wait();
                work(number, own);
            });
        }
    });
}

#[test]
fn processes_that_begin_the_accounts_at_once_wait_for_each_other() {
    for round in 0..200 {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("state/tidings");
        at_once(&own, |number, own| {
            let accounts = Accounts::open(own);
            let accounts = accounts.unwrap_or_else(|error| panic!("{round}: {error}"));
            let name = format!("user-{number}");
            accounts.add(&Account { name, roles: BTreeSet::new(), is_admin: true }, "x").unwrap();
        });
        assert_eq!(Accounts::open(&own).unwrap().list().unwrap().len(), 8, "{round}");
    }
}

#[test]
fn processes_that_begin_the_journal_at_once_agree_on_the_name_of_the_site() {
    for round in 0..100 {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("state/tidings");
        let names = std::sync::Mutex::new(BTreeSet::new());
        at_once(&own, |_, own| {
            let journal = Journal::open(own).unwrap_or_else(|error| panic!("{round}: {error}"));
            names.lock().unwrap().insert(journal.identity().unwrap());
        });
        assert_eq!(names.into_inner().unwrap().len(), 1, "{round}");
    }
}
