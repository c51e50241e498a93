//! A stranger reads all public documents of a live site while programs and people work on its files. None
//! of them may show anything of a restricted page, and no page that stays may be reported as deleted.
//!
//! `TIDINGS_STRANGER_SECONDS` says how long it takes, 8 seconds unless told otherwise, and `TIDINGS_STRANGER_RATE` how
//! many answers a second there have to be of each document: without it each has to be answered after each piece of
//! work, however long a busy machine takes for that.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    missing_docs,
    reason = "a test"
)]

mod support;

#[path = "support/content_root.rs"]
mod content_root;
#[path = "site_stranger/garden.rs"]
mod garden;
#[path = "site_stranger/histories.rs"]
mod histories;
#[path = "site_stranger/stranger.rs"]
mod stranger;
#[path = "site_stranger/workers.rs"]
mod workers;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use garden::Garden;
use stranger::Stranger;

#[test]
fn a_stranger_sees_nothing_restricted_and_no_false_deletion() {
    let seconds = std::env::var("TIDINGS_STRANGER_SECONDS").ok();
    let seconds = seconds.map_or(8, |seconds| seconds.parse().unwrap());
    let garden = Garden::new();
    let site = garden.root.serve(&[]);
    let stranger = Stranger::new(&site);
    let is_over = AtomicBool::new(false);
    let begun = Instant::now();
    let worked = std::thread::scope(|scope| {
        for document in 0..stranger.documents() {
            let (stranger, is_over) = (&stranger, &is_over);
            scope.spawn(move || stranger.poll(document, is_over));
        }
        let work = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            workers::work(&garden, Duration::from_secs(seconds), || stranger.wait_for_all())
        }));
        // What was deleted would be reported by then.
        std::thread::sleep(Duration::from_secs(4));
        is_over.store(true, Ordering::Relaxed);
        work.unwrap()
    });
    let false_changes = garden.false_changes(&site);
    let elapsed = begun.elapsed().as_secs_f64();
    let (slowest, median) = stranger.slowest_and_median();
    println!(
        "{elapsed:.0} s: {} answers ({:.1} a second of each document, {:.1} of the slowest, {} of 503); {} rounds of \
         work ({}; {} stalls); {} leaks; {} false deletions and creations",
        stranger.answers(),
        median as f64 / elapsed,
        slowest as f64 / elapsed,
        stranger.unavailable(),
        worked.rounds,
        worked.kinds.join(", "),
        garden.stalls(),
        stranger.leaks().len(),
        false_changes.len()
    );
    assert!(worked.pieces > 0 && slowest >= 2 * worked.pieces, "{slowest} {}", worked.pieces);
    if let Ok(rate) = std::env::var("TIDINGS_STRANGER_RATE") {
        let rate: f64 = rate.parse().unwrap();
        assert!(slowest as f64 >= rate * elapsed, "{:.1} a second", slowest as f64 / elapsed);
    }
    assert_eq!(stranger.leaks(), [""; 0]);
    assert_eq!(false_changes, [""; 0]);
    assert!(garden.is_served(&site), "the pages that stay are served");
}
