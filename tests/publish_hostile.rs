//! `tidings publish` where things go wrong.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use support::site::{BASE, Site};
use support::{run, stderr, stdout};

#[test]
fn a_file_that_is_just_written_is_not_listed_with_a_wrong_digest() {
    let site = Site::new(&[("index.html", "<p>home")]);
    let path = site.path().join("growing.bin");
    fs::write(&path, vec![0; 4 << 20]).unwrap();
    let done = AtomicBool::new(false);
    let output = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = File::options().append(true).open(&path).unwrap();
            while !done.load(Ordering::Relaxed) {
                file.write_all(&[1]).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        });
        let output = site.publish(&[]);
        done.store(true, Ordering::Relaxed);
        output
    });
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stderr(&output).contains("it changed while it was read"), "{}", stderr(&output));
    let list = site.read("resourcesync/resourcelist.xml");
    assert!(!list.contains("growing.bin") && list.contains("index.html"), "{list}");
    // Quiet again, it is there.
    let (created, ..) = site.published(&[]);
    assert_eq!(created, 1);
    site.assert_valid();
}

#[test]
fn names_of_any_kind_become_uris_or_are_passed_over() {
    let site = Site::new(&[("a b&c<d>.html", "1"), ("☃/ü.html", "2"), ("100%.html", "3")]);
    let odd = std::ffi::OsStr::from_bytes(b"\xff\xfe.html");
    fs::write(site.path().join(odd), "4").unwrap();
    fs::write(site.path().join("new\nline\t.html"), "5").unwrap();
    // A path that is far too long for a URI, made folder by folder.
    let mut deep = site.path().to_owned();
    for _ in 0..45 {
        deep.push("☃".repeat(25));
    }
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("x.html"), "6").unwrap();
    let output = site.publish(&[]);
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("5 resources"), "{}", stdout(&output));
    assert!(stderr(&output).contains("its URI would have"), "{}", stderr(&output));
    let list = site.read("resourcesync/resourcelist.xml");
    for uri in [
        "a%20b&amp;c%3Cd%3E.html",
        "%E2%98%83/%C3%BC.html",
        "100%25.html",
        "%FF%FE.html",
        "new%0Aline%09.html",
    ] {
        assert!(list.contains(uri), "{uri}: {list}");
    }
    site.assert_valid();
}

#[test]
fn where_nothing_can_be_written_that_is_said() {
    let site = Site::new(&[("index.html", "<p>home")]);
    let output = site.publish(&["--out", "/proc/nowhere"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("/proc/nowhere"), "{}", stderr(&output));
    let output = run(["publish", "/nowhere", "--base", BASE]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("/nowhere"), "{}", stderr(&output));
}

#[test]
fn what_is_remembered_may_be_lost_or_damaged() {
    let cache = tempfile::tempdir().unwrap();
    let site = Site::new(&[("a.html", "<p>a"), ("b.html", "<p>b"), ("c.html", "<p>c")]);
    let publish = || {
        let output = support::tidings()
            .args(["publish", site.path().to_str().unwrap(), "--base", BASE])
            .env("XDG_CACHE_HOME", cache.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    assert!(publish().starts_with("first publication: 3"));
    let file = fs::read_dir(cache.path().join("tidings")).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&file).unwrap();
    for length in 0..whole.len() {
        fs::write(&file, &whole[..length]).unwrap();
        assert!(publish().starts_with("0 created, 0 updated, 0 deleted; 3 "), "cut at {length}");
    }
    fs::write(&file, &whole).unwrap();
    for place in 64..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x55;
        fs::write(&file, &damaged).unwrap();
        let said = publish();
        assert!(said.starts_with("0 created, 0 updated, 0 deleted; 3 "), "at {place}: {said}");
    }
}

#[test]
fn a_file_with_the_same_size_and_time_is_still_seen_to_have_changed() {
    let site = Site::new(&[("a.html", "<p>one"), ("b.html", "<p>b")]);
    site.published(&[]);
    let path = site.path().join("a.html");
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, "<p>two").unwrap();
    File::options().append(true).open(&path).unwrap().set_modified(before).unwrap();
    assert_eq!(site.published(&[]).1, 1);
    // And one that only looks as if it had is not.
    File::options().append(true).open(&path).unwrap().set_modified(before).unwrap();
    assert_eq!(site.published(&[]), (0, 0, 0, Vec::new()));
    let output = Command::new("touch").arg(site.path().join("b.html")).status().unwrap();
    assert!(output.success());
    assert_eq!(site.published(&[]), (0, 0, 0, Vec::new()));
}
