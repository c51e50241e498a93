//! Copies of Sources of every legal shape, held to one sentence: exit code 0 means that the copy is what
//! the documents of the Source say, and an audit that finds the copy in sync says the same.
//!
//! `tests/sources/` draws the habits of a publisher and a history of changes. A client comes by now and
//! then, with or without faults on the way. `TIDINGS_HISTORIES` says how many histories are drawn, and
//! `TIDINGS_SEED` where they begin: each has its own seed, which a failure names.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::needless_pass_by_value,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "a test"
)]

#[path = "sources/mod.rs"]
mod sources;
mod support;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sources::history::History;
use sources::tally::Tally;

const HISTORIES: u64 = 300;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn no_copy_of_a_legal_source_is_silently_wrong() {
    let (histories, first) = (number("TIDINGS_HISTORIES", HISTORIES), number("TIDINGS_SEED", 1));
    // Most of the time of a history is spent waiting: for a server that closes, or for a kill.
    let threads = number("TIDINGS_THREADS", 8);
    let next = AtomicU64::new(0);
    let told: Mutex<(Tally, Vec<String>)> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= histories {
                        return;
                    }
                    let result = std::panic::catch_unwind(|| History::draw(first + seed).run());
                    let mut told = told.lock().unwrap();
                    match result {
                        Ok(Ok(tally)) => told.0.add(&tally),
                        Ok(Err(wrong)) => told.1.push(format!("seed {}: {wrong}", first + seed)),
                        Err(_) => told.1.push(format!("seed {}: it panicked", first + seed)),
                    }
                }
            });
        }
    });
    let (tally, mut wrong) = told.into_inner().unwrap();
    wrong.sort();
    println!("{histories} histories from seed {first}: {tally}; {} wrong", wrong.len());
    for one in &wrong {
        println!("{}", one.lines().next().unwrap_or_default());
    }
    let shown = wrong.iter().take(3).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {histories} histories are wrong:\n{shown}", wrong.len());
}
