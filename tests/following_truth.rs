//! Random histories of followed sites, held to one sentence: each real change is told exactly once, and nothing
//! else is told.
//!
//! A history is a site whose pages really change, and a publisher with habits: Sitemaps with odd times, feeds that
//! change their ids, other means from one day to the next, sets that come and go, faults. The model knows which
//! changes are real, and which of them its publisher's documents show.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    missing_docs,
    reason = "a test"
)]

mod support;

#[path = "following_truth/history.rs"]
mod history;
#[path = "following_truth/publisher.rs"]
mod publisher;
#[path = "following_truth/random.rs"]
mod random;

use history::History;

/// How many histories there are in each test.
const HISTORIES: u64 = 50;

/// Runs histories, or the one whose number the variable `TIDINGS_HISTORY` gives.
fn run(first: u64) {
    let chosen: Option<u64> =
        std::env::var("TIDINGS_HISTORY").ok().map(|number| number.parse().unwrap());
    let numbers = first..first + HISTORIES;
    let mut told = 0;
    let mut wrong = Vec::new();
    for number in numbers.clone().filter(|number| chosen.is_none_or(|chosen| chosen == *number)) {
        match History::new(number).run() {
            Ok(count) => told += count,
            Err(why) => wrong.push(why),
        }
    }
    assert!(wrong.is_empty(), "{} histories are wrong:\n{}", wrong.len(), wrong.join("\n\n"));
    println!("histories {numbers:?}: {told} real changes, each told once, and nothing else");
}

#[test]
fn each_real_change_is_told_once_in_histories_0_to_49() {
    run(0);
}

#[test]
fn each_real_change_is_told_once_in_histories_50_to_99() {
    run(50);
}

#[test]
fn each_real_change_is_told_once_in_histories_100_to_149() {
    run(100);
}

#[test]
fn each_real_change_is_told_once_in_histories_150_to_199() {
    run(150);
}
