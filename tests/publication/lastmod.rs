//! All documents tell the same `lastmod` of a resource.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use tidings_document::{Change, Entry, Reader};

use crate::support::site::{BASE, Site};

const SPECS: [&str; 3] = ["both", "1.0", "1.1"];

fn entries(text: &[u8]) -> Vec<Entry<'static>> {
    let (mut reader, mut entries) = (Reader::new(text), Vec::new());
    while let Some(entry) = reader.next_entry().unwrap() {
        entries.push(entry.into_owned());
    }
    entries
}

/// The `lastmod` of each resource, by the last entry that has it.
fn times(site: &Site, document: &str) -> BTreeMap<String, String> {
    let entries = entries(site.read(document).as_bytes());
    let there = entries.iter().filter(|entry| entry.metadata.change != Some(Change::Deleted));
    there.map(|entry| (entry.loc.to_string(), entry.lastmod.unwrap().to_string())).collect()
}

/// The manifests of the packages of that kind, as they lie beside them, in one.
fn manifests(site: &Site, stem: &str) -> BTreeMap<String, String> {
    let mut names: Vec<String> = fs::read_dir(site.path().join("resourcesync"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(&format!("{stem}-")) && name.ends_with(".xml"))
        .collect();
    names.sort();
    names.iter().flat_map(|name| times(site, &format!("resourcesync/{name}"))).collect()
}

/// Asserts that whatever names a resource tells the time that the Resource List tells.
#[track_caller]
fn assert_agree(site: &Site, changed: usize) {
    let listed = times(site, "resourcesync/resourcelist.xml");
    let changes = times(site, "resourcesync/changelist.xml");
    assert_eq!(changes.len(), changed, "{changes:?}");
    for told in [changes, times(site, "sitemap.xml")] {
        for (uri, time) in told {
            assert_eq!(listed.get(&uri), Some(&time), "{uri}");
        }
    }
}

/// Writes a file as if it had been written long ago.
fn write_long_ago(site: &Site, name: &str, text: &str) {
    let path = site.path().join(name);
    fs::write(&path, text).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    File::options().append(true).open(path).unwrap().set_modified(long_ago).unwrap();
}

#[test]
fn lists_and_manifests_agree_under_every_version() {
    for spec in SPECS {
        let site = Site::new(&[("a.html", "a"), ("b.html", "b"), ("c.html", "c")]);
        let publish = |options: &[&str]| {
            let spec = ["--spec", spec, "--dump", "--change-dump"];
            site.published(&[&spec, options].concat())
        };
        publish(&[]);
        // A later file, and one that is older than the publication.
        fs::write(site.path().join("a.html"), "changed").unwrap();
        write_long_ago(&site, "d.html", "new");
        fs::remove_file(site.path().join("c.html")).unwrap();
        publish(&[]);
        assert_agree(&site, 2);
        site.assert_valid_as(&[["--spec", if spec == "both" { "1.0" } else { spec }]]);
        // With the cache and without it nothing is new, and nothing tells another time.
        for options in [&[][..], &["--no-cache"]] {
            assert_eq!(publish(options).3, Vec::<String>::new(), "{spec}");
        }
        write_long_ago(&site, "b.html", "changed, too");
        publish(&["--no-cache"]);
        assert_agree(&site, 3);
        let listed = times(&site, "resourcesync/resourcelist.xml");
        assert_eq!(
            manifests(&site, "changedump").get(&format!("{BASE}d.html")),
            listed.get(&format!("{BASE}d.html"))
        );
        let packed = manifests(&site, "resourcedump");
        for (uri, time) in listed {
            assert_eq!(packed.get(&uri), Some(&time), "{spec}: {uri}");
        }
    }
}

#[test]
fn a_change_is_later_than_the_publication_before_it_for_readers_of_version_1_0() {
    for spec in ["both", "1.0"] {
        let site = Site::new(&[("a.html", "a")]);
        site.published(&["--spec", spec]);
        let list = site.read("resourcesync/changelist.xml");
        let from = list.split("from=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        write_long_ago(&site, "b.html", "new, but written long ago");
        site.published(&["--spec", spec]);
        let time = times(&site, "resourcesync/changelist.xml")[&format!("{BASE}b.html")].clone();
        assert!(time > from, "{time} {from}");
        assert_agree(&site, 1);
    }
}

#[test]
fn the_time_of_a_file_is_told_where_changes_have_a_time_of_their_own() {
    let site = Site::new(&[("a.html", "a")]);
    site.published(&["--spec", "1.1"]);
    write_long_ago(&site, "b.html", "new, but written long ago");
    site.published(&["--spec", "1.1"]);
    let time = times(&site, "resourcesync/resourcelist.xml")[&format!("{BASE}b.html")].clone();
    assert!(time.starts_with("2001-09-09"), "{time}");
    assert_agree(&site, 1);
}

#[test]
fn a_run_that_was_cut_off_between_the_lists_is_made_up_with_the_same_times() {
    for spec in SPECS {
        let site = Site::new(&[("a.html", "a"), ("b.html", "b")]);
        site.published(&["--spec", spec]);
        let list = site.read("resourcesync/resourcelist.xml");
        fs::write(site.path().join("a.html"), "changed").unwrap();
        write_long_ago(&site, "c.html", "new");
        site.published(&["--spec", spec]);
        fs::write(site.path().join("resourcesync/resourcelist.xml"), list).unwrap();
        site.published(&["--spec", spec, "--no-cache"]);
        assert_agree(&site, 2);
        assert_eq!(site.published(&["--spec", spec]).3, Vec::<String>::new());
    }
}

#[test]
fn a_resource_without_a_digest_is_still_known_by_its_time() {
    for spec in SPECS {
        let site = Site::new(&[]);
        let records = tempfile::NamedTempFile::new().unwrap();
        let publish = |lines: &[(&str, &str)]| {
            let line = |(name, time): &(&str, &str)| {
                format!("{{\"uri\": \"{BASE}{name}\", \"lastmod\": \"{time}\", \"length\": 3}}\n")
            };
            fs::write(records.path(), lines.iter().map(line).collect::<String>()).unwrap();
            let from = records.path().to_str().unwrap();
            let (created, updated, deleted, _) =
                site.published(&["--spec", spec, "--from-jsonl", from]);
            (created, updated, deleted)
        };
        let old = "2020-01-01T00:00:00Z";
        publish(&[("a", old), ("b", old)]);
        // Back to an earlier version is a change, too.
        assert_eq!(publish(&[("a", "2019-01-01T00:00:00Z"), ("b", old)]), (0, 1, 0), "{spec}");
        assert_eq!(publish(&[("a", "2019-01-01T00:00:00Z"), ("b", old)]), (0, 0, 0), "{spec}");
        assert_eq!(publish(&[("a", "2019-01-01T00:00:01Z"), ("b", old)]), (0, 1, 0), "{spec}");
    }
}
