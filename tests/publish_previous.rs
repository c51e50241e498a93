//! `tidings publish --previous`: a job with an empty disk goes on with the history of a live site.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;

use support::site::Site;
use support::{Nginx, run, stderr, stdout, write_all};

const PAGES: [(&str, &str); 3] =
    [("index.html", "<p>home"), ("a.html", "<p>a"), ("b.html", "<p>b")];

#[test]
fn the_history_of_a_live_site_goes_on() {
    let live = Site::new(&PAGES);
    let server = Nginx::serve(live.path(), "");
    let base = server.url();
    let publish = |folder: &str, options: &[&str]| {
        let all = ["publish", folder, "--base", &base, "--previous", &base, "--change-dump"];
        run(all.into_iter().chain(options.iter().copied()))
    };
    // Nothing there yet: the first publication.
    let output = publish(live.path().to_str().unwrap(), &[]);
    assert!(stdout(&output).contains("nothing was published"), "{}", stdout(&output));
    assert!(stdout(&output).contains("first publication: 3"), "{}", stderr(&output));

    // Another build on another disk, with one change.
    let build = tempfile::tempdir().unwrap();
    write_all(build.path(), &PAGES);
    fs::write(build.path().join("a.html"), "<p>changed").unwrap();
    let folder = build.path().to_str().unwrap();
    let output = publish(folder, &["--dry-run"]);
    assert!(stdout(&output).contains("updated"), "{}{}", stdout(&output), stderr(&output));
    assert!(!build.path().join("resourcesync").exists());
    let output = publish(folder, &[]);
    assert!(stdout(&output).contains("0 created, 1 updated, 0 deleted"), "{}", stdout(&output));

    // Deployed, it is what is live; and so on.
    for entry in [".well-known/resourcesync", "resourcesync", "a.html"] {
        let (from, to) = (build.path().join(entry), live.path().join(entry));
        if from.is_dir() {
            for file in fs::read_dir(from).unwrap().flatten() {
                fs::copy(file.path(), to.join(file.file_name())).unwrap();
            }
        } else {
            fs::copy(from, to).unwrap();
        }
    }
    let next = tempfile::tempdir().unwrap();
    write_all(next.path(), &PAGES[..2]);
    fs::write(next.path().join("a.html"), "<p>changed").unwrap();
    let output = publish(next.path().to_str().unwrap(), &[]);
    assert!(stdout(&output).contains("0 created, 0 updated, 1 deleted"), "{}", stdout(&output));
    let changes = fs::read_to_string(next.path().join("resourcesync/changelist.xml")).unwrap();
    assert_eq!(changes.matches("<url>").count(), 2, "{changes}");
    let map = format!("{base}={}", next.path().display());
    let start = format!("{base}.well-known/resourcesync");
    let output = run(["validate", "--follow", "--map", &map, &start]);
    assert!(stdout(&output).contains("nothing wrong\n"), "{}", stdout(&output));
}

#[test]
fn a_site_that_cannot_be_reached_is_not_taken_for_an_empty_one() {
    let site = Site::new(&PAGES);
    let output = site.publish(&["--previous", "http://127.0.0.1:9/"]);
    assert_eq!(output.status.code(), Some(2));
    let error = stderr(&output);
    assert!(error.contains("; --previous is needed to go on with its history, --full"), "{error}");
    assert!(!site.path().join(".well-known").exists());
}
