//! A Source that changes all the time: every run that says that all is well ends in a state that was
//! true at some moment, and after the last change the copy is in sync.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use support::copied::{Copy, Served};
use support::{run, stderr, stdout};

type State = BTreeMap<String, Vec<u8>>;

/// How often the Source changes.
const ROUNDS: usize = 60;
const FILES: usize = 40;

#[test]
fn every_run_that_is_well_ends_in_a_state_that_was_true() {
    let source = Served::new(&[("0.txt", "0")]);
    source.publish(&[]);
    let history: Mutex<Vec<State>> = Mutex::new(vec![source.files()]);
    let done = AtomicBool::new(false);
    let copy = Copy::new();
    let (mut runs, mut well) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..=ROUNDS {
                change(&source, round);
                history.lock().unwrap().push(source.files());
                let (folder, url) = (source.folder.path().to_str().unwrap(), source.url());
                let output = run(["publish", folder, "--base", &url]);
                assert!(output.status.success(), "{}", stderr(&output));
            }
            done.store(true, Ordering::Release);
        });
        while !done.load(Ordering::Acquire) {
            let output = copy.run("sync", &source.url(), &["--delete", "--force-delete"]);
            runs += 1;
            let history = history.lock().unwrap().clone();
            let copied = copy.files();
            match output.status.code() {
                Some(0) => {
                    well += 1;
                    assert!(history.contains(&copied), "a mixture: {copied:?}");
                }
                // Something moved on: each file is one that the Source once had.
                Some(1) => {
                    for (path, bytes) in &copied {
                        let once = history.iter().any(|state| state.get(path) == Some(bytes));
                        assert!(once, "{path} never was {bytes:?}");
                    }
                }
                code => panic!("{code:?}: {}{}", stdout(&output), stderr(&output)),
            }
        }
    });
    println!("{ROUNDS} publications, {runs} runs, {well} of them well");
    copy.sync(&source.url(), &["--delete", "--force-delete"]);
    copy.assert_in_sync(&source.url(), &[]);
    assert_eq!(copy.files(), source.files());
}

fn change(source: &Served, round: usize) {
    for step in 0..5 {
        let number = (round * 7 + step * 11) % FILES;
        let path = source.path(&format!("{number}.txt"));
        if (round + step).is_multiple_of(4) && path.exists() {
            fs::remove_file(&path).unwrap();
        } else {
            // As editors do it: nobody reads half a file.
            let temporary = source.folder.path().with_extension("new");
            fs::write(&temporary, format!("{number} in round {round}")).unwrap();
            fs::rename(&temporary, &path).unwrap();
        }
    }
}
