//! `tidings explore`: a Source as a tree, from wherever it is found.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use serde_json::Value;
use support::{Nginx, run, stderr, stdout, write_all};

const NS: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:rs=\"http://www.openarchives.org/rs/terms/\"";

/// A folder that `tidings publish` has made a Source, with a dump, behind a server.
fn published() -> (tempfile::TempDir, Nginx) {
    let folder = tempfile::tempdir().unwrap();
    let server = Nginx::serve(folder.path(), "");
    write_all(folder.path(), &[("a.txt", "one"), ("b/c.txt", "two")]);
    let path = folder.path().to_str().unwrap();
    let output = run(["publish", path, "--base", &server.url(), "--dump", "--no-cache"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    (folder, server)
}

fn tree(arguments: &[&str]) -> (Value, Option<i32>) {
    let output = run(["explore", "--json"].into_iter().chain(arguments.iter().copied()));
    let found = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}{}", stdout(&output), stderr(&output)));
    (found, output.status.code())
}

#[test]
fn a_published_source_is_shown_from_the_top() {
    let (_folder, server) = published();
    let output = run(["explore", &server.url()]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    for part in [
        "Found by its /.well-known/resourcesync; 1 set: ",
        "/.well-known/resourcesync: Source Description, 1 entry, ",
        ": Capability List, ",
        ": Resource List, 2 entries, ",
        "links: ",
        "    at 20",
        "    package ",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    // The same from any place that leads there.
    let (found, _) = tree(&[&server.url()]);
    let documents = found["documents"].as_array().unwrap();
    assert_eq!(documents[0]["kind"], "Source Description");
    for document in documents {
        let start = document["url"].as_str().unwrap();
        let (again, code) = tree(&[start]);
        assert_eq!(code, Some(0), "{start}");
        assert_eq!(again["documents"], found["documents"], "{start}");
    }
    let dump = documents.iter().find(|one| one["capability"] == "resourcedump").unwrap();
    assert!(dump["packages"][0]["length"].as_u64().unwrap() > 0, "{dump}");
    assert_eq!(dump["packages"][0]["type"], "application/zip");
}

#[test]
fn packages_are_not_fetched() {
    let (folder, server) = published();
    let (found, _) = tree(&[&server.url()]);
    for document in found["documents"].as_array().unwrap() {
        for package in document["packages"].as_array().unwrap() {
            let path = package["url"].as_str().unwrap().replace(&server.url(), "");
            std::fs::remove_file(folder.path().join(path)).unwrap();
        }
    }
    assert_eq!(tree(&[&server.url()]).1, Some(0));
}

#[test]
fn levels_are_limited() {
    let (_folder, server) = published();
    for (depth, documents) in [("1", 1), ("2", 2)] {
        let (found, code) = tree(&["--depth", depth, &server.url()]);
        assert_eq!(found["documents"].as_array().unwrap().len(), documents, "{found}");
        assert!(found["left"].as_u64().unwrap() > 0);
        assert_eq!(code, Some(0));
    }
    let text = stdout(&run(["explore", "--depth", "1", &server.url()]));
    assert!(text.contains("1 document, 1 more not looked at"), "{text}");
}

#[test]
fn what_is_missing_is_said_where_it_belongs() {
    let folder = tempfile::tempdir().unwrap();
    let server = Nginx::serve(folder.path(), "");
    let base = server.url();
    let head = format!("<rs:ln rel=\"up\" href=\"{base}.well-known/resourcesync\"/>");
    let list = format!(
        "<urlset {NS}>{head}<rs:md capability=\"capabilitylist\"/>\
        <url><loc>{base}missing.xml</loc><rs:md capability=\"resourcelist\"/></url>\
        <url><loc>{base}changes.xml</loc><rs:md capability=\"changelist\"/></url>\
        <url><loc>{base}broken.xml</loc><rs:md capability=\"resourcedump\"/></url></urlset>"
    );
    let changes = format!(
        "<urlset {NS}><rs:ln rel=\"up\" href=\"{base}capabilitylist.xml\"/>\
        <rs:md capability=\"changelist\" from=\"2026-01-01T00:00:00Z\"/>\
        <url><loc>{base}a</loc><rs:md change=\"updated\" datetime=\"2026-01-02T00:00:00Z\"/>\
        <rs:ln rel=\"describedby\" href=\"{base}a.html\"/><rs:ln rel=\"describedBy\" href=\"{base}b.html\"/></url></urlset>"
    );
    write_all(
        folder.path(),
        &[
            ("capabilitylist.xml", &list),
            ("changes.xml", &changes),
            ("broken.xml", "<!doctype html><p>\u{1b}[2J"),
        ],
    );
    let start = format!("{base}capabilitylist.xml");
    let output = run(["explore", &start]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        ".well-known/resourcesync: error: ",
        "  http://",
        "missing.xml: error: ",
        "404",
        "    from 2026-01-01T00:00:00Z, open",
        "links: describedby 2, up 1",
        "broken.xml: not readable, 1 error (error: an HTML page where a document was expected)",
        "5 documents, 3 could not be had",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let (found, code) = tree(&[&start]);
    assert_eq!(code, Some(1));
    let changes = &found["documents"][3];
    assert_eq!((&changes["open"], &changes["links"]["describedby"]), (&true.into(), &2.into()));
    assert!(found["documents"][2]["problem"].as_str().unwrap().contains("404"), "{found}");
}

#[test]
fn a_site_with_nothing_but_sitemaps_is_shown_too() {
    let folder = tempfile::tempdir().unwrap();
    let server = Nginx::serve(folder.path(), "");
    let base = server.url();
    let index =
        format!("<sitemapindex {NS}><sitemap><loc>{base}one.xml</loc></sitemap></sitemapindex>");
    let one = format!("<urlset {NS}><url><loc>{base}a</loc></url></urlset>");
    write_all(folder.path(), &[("sitemap.xml", &index), ("one.xml", &one)]);
    let output = run(["explore", &base]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    assert!(text.starts_with("Found by its /sitemap.xml; 1 set: sitemap\n"), "{text}");
    assert!(text.contains("sitemap.xml: Sitemap Index, 1 entry"), "{text}");
    assert!(text.contains("  http"), "{text}");
    assert!(text.contains("one.xml: Sitemap, 1 entry"), "{text}");
}

#[test]
fn where_there_is_no_source_it_is_said_where_it_was_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = Nginx::serve(folder.path(), "");
    let output = run(["explore", &server.url()]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    for part in [".well-known/resourcesync answered 404", "robots.txt", "/sitemap.xml answered 404"]
    {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(run(["explore", "public"]).status.code(), Some(2));
}
