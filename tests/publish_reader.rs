//! A reader that goes over a Source again and again while it is published again and again never meets a
//! mixed one, or one that points to something that is not there.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

mod support;

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use support::site::{BASE, Site};
use support::{run, stderr, stdout};

/// How often it is published meanwhile.
const PUBLICATIONS: usize = 200;

#[test]
fn a_reader_meets_no_half_of_two_hundred_publications() {
    let site = Site::new(&[("index.html", "<p>home"), ("a.html", "<p>a"), ("z.html", "<p>z")]);
    for number in 0..20 {
        fs::write(site.path().join(format!("page-{number:02}.html")), "<p>page").unwrap();
    }
    // Few entries to a document: all kinds of indexes, and lists that are closed again and again.
    let options = ["--max-entries", "7", "--dump", "--change-dump"];
    site.published(&options);
    let done = AtomicBool::new(false);
    let map = format!("{BASE}={}", site.path().display());
    let start = format!("{BASE}.well-known/resourcesync");
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut walks = 0;
            while !done.load(Ordering::Relaxed) {
                let output = run(["validate", "--follow", "--map", &map, &start]);
                assert!(
                    stdout(&output).ends_with("nothing wrong\n"),
                    "walk {walks}: {}{}",
                    stdout(&output),
                    stderr(&output)
                );
                walks += 1;
            }
            walks
        });
        for round in 0..PUBLICATIONS {
            let page = site.path().join(format!("page-{:02}.html", round % 20));
            match round % 3 {
                0 if page.exists() => fs::remove_file(page).unwrap(),
                _ => fs::write(page, format!("<p>round {round}")).unwrap(),
            }
            site.published(&options);
            if reader.is_finished() {
                break;
            }
        }
        done.store(true, Ordering::Relaxed);
        let walks = reader.join().unwrap();
        println!("{PUBLICATIONS} publications, {walks} walks");
        assert!(walks > 20, "only {walks} walks");
    });
}
