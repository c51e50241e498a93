//! Deletions of more than is likely to be meant.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::site::{BASE, Site};
use crate::support::{stderr, stdout, tidings};

fn folder_of(count: usize) -> Site {
    let site = Site::new(&[("index.html", "<p>home")]);
    for number in 1..count {
        fs::write(site.path().join(format!("{number}.txt")), number.to_string()).unwrap();
    }
    site.published(&[]);
    site
}

fn remove(site: &Site, numbers: std::ops::Range<usize>) {
    for number in numbers {
        fs::remove_file(site.path().join(format!("{number}.txt"))).unwrap();
    }
}

#[track_caller]
fn assert_refused(site: &Site, options: &[&str], words: &[&str]) {
    let before = site.state();
    let output = site.publish(options);
    assert_eq!(output.status.code(), Some(2), "{}{}", stdout(&output), stderr(&output));
    let place = site.path().to_str().unwrap();
    for word in words.iter().chain(&[place, "--force-delete"]) {
        assert!(stderr(&output).contains(word), "{word}: {}", stderr(&output));
    }
    assert_eq!(site.state(), before);
}

#[test]
fn more_than_half_and_more_than_twenty_are_refused() {
    let site = folder_of(60);
    remove(&site, 1..32);
    let words = ["31 of 60", "50%", "--max-delete"];
    assert_refused(&site, &[], &words);
    assert_refused(&site, &["--dry-run"], &words);
    assert_refused(&site, &["--no-cache"], &words);
    assert_eq!(site.published(&["--force-delete"]).2, 31);
    site.assert_valid();
    // Of the 29 that are left, 20 are more than half, but no more than 20.
    remove(&site, 32..52);
    assert_eq!(site.published(&[]).2, 20);
}

#[test]
fn a_number_and_a_share_move_the_limit() {
    let site = folder_of(60);
    remove(&site, 1..32);
    assert_refused(&site, &["--max-delete", "30"], &["31 of 60", "(30)"]);
    assert_refused(&site, &["--max-delete", "51%"], &["(51%)"]);
    let output = site.publish(&["--max-delete", "many"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--max-delete"), "{}", stderr(&output));
    assert_eq!(site.published(&["--max-delete", "52%", "--dry-run"]).2, 31);
    assert_eq!(site.published(&["--max-delete", "31"]).2, 31);
    remove(&site, 32..34);
    assert_refused(&site, &["--max-delete", "1"], &["2 of 29"]);
}

#[test]
fn what_is_created_does_not_make_up_for_what_is_gone() {
    let site = folder_of(40);
    remove(&site, 1..31);
    for number in 100..200 {
        fs::write(site.path().join(format!("{number}.txt")), "new").unwrap();
    }
    assert_refused(&site, &[], &["30 of 40"]);
}

#[test]
fn an_empty_folder_is_announced_only_by_force() {
    let site = folder_of(3);
    fs::remove_file(site.path().join("index.html")).unwrap();
    remove(&site, 1..3);
    assert_refused(&site, &[], &["(resources: 3)", "--full"]);
    assert_refused(&site, &["--max-delete", "100%"], &["(resources: 3)"]);
    assert_eq!(site.published(&["--force-delete"]).2, 3);
    assert_eq!(site.read("resourcesync/changelist.xml").matches("deleted").count(), 3);
    site.assert_valid();
}

#[test]
fn a_watched_folder_is_watched_on_after_a_refusal() {
    let site = folder_of(20);
    let (folder, aside) = (site.path().join("folder"), tempfile::tempdir().unwrap());
    fs::create_dir(&folder).unwrap();
    for number in 0..40 {
        fs::write(folder.join(number.to_string()), number.to_string()).unwrap();
    }
    let mut command = tidings();
    command.args(["publish", site.path().to_str().unwrap(), "--base", BASE, "--watch", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    // Else a publisher that says nothing would be waited for.
    let child = Arc::new(Mutex::new(child));
    let late = Arc::clone(&child);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(30));
        let _ = late.lock().unwrap().kill();
    });
    assert!(said.next().unwrap().unwrap().contains("\"created\":40"));
    let before = site.read("resourcesync/changelist.xml");
    // All at once, and back.
    fs::rename(&folder, aside.path().join("folder")).unwrap();
    let error = errors.next().unwrap().unwrap();
    assert!(error.contains("40 of 60") && error.contains("--force-delete"), "{error}");
    assert_eq!(site.read("resourcesync/changelist.xml"), before);
    fs::remove_file(aside.path().join("folder/0")).unwrap();
    fs::rename(aside.path().join("folder"), &folder).unwrap();
    assert!(said.next().unwrap().unwrap().contains("\"deleted\":1"));
    let mut child = child.lock().unwrap();
    let _ = child.kill();
    let _ = child.wait();
}
