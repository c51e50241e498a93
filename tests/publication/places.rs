//! Where a publication cannot go, or come from.

use std::fs;

use crate::support::copied::{Copy, Served, files_below};
use crate::support::site::{BASE, Site};
use crate::support::{run, stderr, stdout};

#[track_caller]
fn assert_refused(arguments: &[&str], words: &[&str]) {
    let output = run(["publish", "--base", BASE].iter().chain(arguments).copied());
    assert_eq!(output.status.code(), Some(2), "{}{}", stdout(&output), stderr(&output));
    for word in words {
        assert!(stderr(&output).contains(word), "{word}: {}", stderr(&output));
    }
}

#[test]
fn a_url_is_no_folder_to_write_into() {
    let site = Site::new(&[("a.txt", "one")]);
    let folder = site.path().to_str().unwrap();
    for out in ["s3://bucket/site", "https://example.com/", "file:///tmp/x", "sftp://host/x"] {
        assert_refused(&[folder, "--out", out], &[out, "--out DIR"]);
        assert_refused(&["s3://bucket/site", "--out", out], &[out, "--out DIR"]);
    }
    let records = site.path().join("records.jsonl");
    fs::write(&records, "").unwrap();
    let records = records.to_str().unwrap();
    assert_refused(&["s3://bucket/site", "--from-jsonl", records], &["s3://bucket/site"]);
    // A configuration says no more than the command line.
    let config = site.path().join("tidings.toml");
    fs::write(&config, "[publish]\nout = \"gs://bucket\"\n").unwrap();
    assert_refused(&[folder, "--config", config.to_str().unwrap()], &["gs://bucket"]);
    assert_eq!(files_below(site.path()).len(), 3, "{:?}", files_below(site.path()).keys());
}

#[test]
fn a_url_that_is_no_object_store_cannot_be_published() {
    let out = tempfile::tempdir().unwrap();
    let out = out.path().to_str().unwrap();
    for url in ["https://example.com/", "ftp://host/x", "sftp://host/x"] {
        assert_refused(&[url], &[url, "give a folder"]);
        assert_refused(&[url, "--out", out], &[url, "give a folder"]);
    }
}

#[test]
fn an_object_store_is_published_into_a_folder() {
    let (store, out) = (Site::new(&[("a.txt", "one")]), tempfile::tempdir().unwrap());
    let url = format!("file://{}", store.path().display());
    let out = out.path().to_str().unwrap();
    let output = run(["publish", &url, "--base", BASE, "--out", out]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn a_copy_is_not_published_into() {
    let source = Served::new(&[("a.html", "a"), ("b/c.html", "c")]);
    source.publish(&[]);
    let copy = Copy::new();
    copy.sync(&source.url(), &[]);
    let before = files_below(copy.path());
    let path = copy.path().canonicalize().unwrap();
    let path = path.to_str().unwrap();
    let remedy = format!("tidings republish {path}");
    let (host, new) = (copy.host(), copy.path().join("not/there"));
    let link = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(&host, link.path().join("link")).unwrap();
    let linked = link.path().join("link");
    for folder in [copy.path(), &host, &linked] {
        let folder = folder.to_str().unwrap();
        assert_refused(&[folder], &[&remedy, "state.sqlite"]);
        assert_refused(&[folder, "--dry-run"], &[&remedy]);
    }
    let site = Site::new(&[("a.txt", "one")]);
    let (folder, new) = (site.path().to_str().unwrap(), new.to_str().unwrap());
    assert_refused(&[folder, "--out", new], &[&remedy]);
    assert_eq!(files_below(copy.path()), before);

    // Out of it, and by the command that is meant for it.
    let host = host.to_str().unwrap();
    let output = run(["publish", host, "--base", BASE, "--out", link.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let output = run(["republish", path, "--base", BASE]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}
