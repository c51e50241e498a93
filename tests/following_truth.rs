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

/// The number of histories, unless the variable `TIDINGS_HISTORIES` gives another; each test runs a quarter of them.
const HISTORIES: u64 = 200;

/// How many histories there are between two lines that say how far a test is.
const PROGRESS_EVERY: u64 = 25;

/// The number that a variable of the environment gives.
fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|number| number.parse().unwrap())
}

/// Runs a quarter of the histories, from the number on that the variable `TIDINGS_SEED` gives; or the one whose number
/// the variable `TIDINGS_HISTORY` gives.
fn run(quarter: u64) {
    let count = variable("TIDINGS_HISTORIES").unwrap_or(HISTORIES).div_ceil(4);
    let first = variable("TIDINGS_SEED").unwrap_or(0) + quarter * count;
    let numbers = match variable("TIDINGS_HISTORY") {
        Some(_) if quarter > 0 => 0..0,
        Some(chosen) => chosen..chosen + 1,
        None => first..first + count,
    };
    let mut told = 0;
    let mut wrong = Vec::new();
    for number in numbers.clone() {
        match History::new(number).run() {
            Ok(count) => told += count,
            Err(why) => {
                println!("{why}");
                wrong.push(number);
            }
        }
        if (number + 1 - numbers.start).is_multiple_of(PROGRESS_EVERY) {
            println!(
                "histories {}..={number}: {told} changes, {} wrong",
                numbers.start,
                wrong.len()
            );
        }
    }
    assert!(wrong.is_empty(), "{} histories are wrong: {wrong:?}", wrong.len());
    println!("histories {numbers:?}: {told} real changes, each told once, and nothing else");
}

#[test]
fn each_real_change_is_told_once_in_the_first_quarter_of_histories() {
    run(0);
}

#[test]
fn each_real_change_is_told_once_in_the_second_quarter_of_histories() {
    run(1);
}

#[test]
fn each_real_change_is_told_once_in_the_third_quarter_of_histories() {
    run(2);
}

#[test]
fn each_real_change_is_told_once_in_the_last_quarter_of_histories() {
    run(3);
}

/// In these a part of a Sitemap whose times are wrong could not be read, and the pages of the other part were few.
#[test]
fn each_real_change_is_told_once_while_a_part_of_a_sitemap_cannot_be_read() {
    for number in [700_016, 700_021] {
        History::new(number).run().unwrap();
    }
}

/// In this one a page is deleted twice from a Sitemap, before and after the site was followed by its Source.
#[test]
fn each_real_change_is_told_once_where_a_site_returns_to_its_sitemap() {
    History::new(802_289).run().unwrap();
}
