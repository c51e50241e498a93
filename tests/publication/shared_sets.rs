//! Resources that are in several sets.

use std::fs;

use crate::support::site::{BASE, Site};
use crate::support::{stderr, stdout};

const SHARED: &str = r#"
[[publish.set]]
name = "pictures"
globs = ["**/*.png"]
shared = true

[[publish.set]]
name = "gallery"
prefix = "gallery/"

[[publish.set]]
name = "rest"
"#;

fn gallery(config: &str) -> (Site, tempfile::TempDir, String) {
    let site = Site::new(&[
        ("index.html", "<p>home"),
        ("logo.png", "logo"),
        ("gallery/1.html", "<p>one"),
        ("gallery/1.png", "one"),
        ("gallery/2.png", "two"),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tidings.toml");
    fs::write(&path, config).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (site, folder, path)
}

/// The resources of a list of a set, below the base.
fn listed(site: &Site, set: &str, list: &str) -> Vec<String> {
    let text = site.read(&format!("resourcesync/{set}/{list}.xml"));
    let locs = text.split("<loc>").skip(1).map(|rest| rest.split('<').next().unwrap());
    locs.map(|loc| loc.strip_prefix(BASE).unwrap().to_owned()).collect()
}

/// What the Change List of a set tells of a resource, in order.
fn changes(site: &Site, set: &str, name: &str) -> Vec<String> {
    let text = site.read(&format!("resourcesync/{set}/changelist.xml"));
    let entries = text.split("<url>").skip(1).filter(|entry| entry.contains(&format!("{name}<")));
    let change = |entry: &str| {
        entry.split("change=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    entries.map(change).collect()
}

#[test]
fn a_resource_of_several_sets_is_told_of_in_each() {
    for cache in [&[][..], &["--no-cache"]] {
        let (site, _folder, config) = gallery(SHARED);
        let publish = || site.published(&[&["--config", &config], cache].concat());
        publish();
        site.assert_valid();
        assert_eq!(
            listed(&site, "pictures", "resourcelist"),
            ["gallery/1.png", "gallery/2.png", "logo.png"]
        );
        assert_eq!(
            listed(&site, "gallery", "resourcelist"),
            ["gallery/1.html", "gallery/1.png", "gallery/2.png"]
        );
        assert_eq!(listed(&site, "rest", "resourcelist"), ["index.html", "logo.png"]);
        assert_eq!(publish().3, Vec::<String>::new());

        fs::write(site.path().join("gallery/1.png"), "changed").unwrap();
        fs::write(site.path().join("new.png"), "new").unwrap();
        fs::remove_file(site.path().join("gallery/2.png")).unwrap();
        let (created, updated, deleted, _) = publish();
        // However many sets there are, these are three changes.
        assert_eq!((created, updated, deleted), (1, 1, 1));
        for (set, name, change) in [
            ("pictures", "gallery/1.png", &["updated"][..]),
            ("gallery", "gallery/1.png", &["updated"]),
            ("pictures", "gallery/2.png", &["deleted"]),
            ("gallery", "gallery/2.png", &["deleted"]),
            ("pictures", "new.png", &["created"]),
            ("rest", "new.png", &["created"]),
            ("gallery", "new.png", &[]),
            ("rest", "gallery/1.png", &[]),
        ] {
            assert_eq!(changes(&site, set, name), change, "{name} in {set}");
        }
        assert_eq!(
            listed(&site, "pictures", "resourcelist"),
            ["gallery/1.png", "logo.png", "new.png"]
        );
        assert_eq!(publish().3, Vec::<String>::new());
        site.assert_valid();
    }
}

#[test]
fn without_the_key_each_resource_is_in_the_first_set() {
    let (site, _folder, config) = gallery(&SHARED.replace("shared = true", ""));
    site.published(&["--config", &config]);
    assert_eq!(listed(&site, "pictures", "resourcelist").len(), 3);
    assert_eq!(listed(&site, "gallery", "resourcelist"), ["gallery/1.html"]);
    assert_eq!(listed(&site, "rest", "resourcelist"), ["index.html"]);
}

#[test]
fn sharing_that_begins_and_ends_is_told_where_something_changes() {
    let (site, _folder, config) = gallery(&SHARED.replace("shared = true", ""));
    let publish = |text: &str| {
        fs::write(&config, text).unwrap();
        let (created, updated, deleted, _) = site.published(&["--config", &config]);
        site.assert_valid();
        (created, updated, deleted)
    };
    publish(&SHARED.replace("shared = true", ""));
    // The pictures come to the other sets, and stay where they are.
    assert_eq!(publish(SHARED), (3, 0, 0));
    assert_eq!(changes(&site, "pictures", "logo.png"), Vec::<String>::new());
    assert_eq!(changes(&site, "rest", "logo.png"), ["created"]);
    assert_eq!(publish(&SHARED.replace("shared = true", "")), (0, 0, 3));
    assert_eq!(changes(&site, "pictures", "logo.png"), Vec::<String>::new());
    assert_eq!(changes(&site, "rest", "logo.png"), ["created", "deleted"]);
    assert_eq!(site.read("sitemap.xml").matches("<url>").count(), 2);
}

#[test]
fn a_shared_set_alone_is_published_and_the_others_stay() {
    let (site, _folder, config) = gallery(SHARED);
    site.published(&["--config", &config]);
    fs::write(site.path().join("logo.png"), "changed").unwrap();
    let (_, updated, _, written) = site.published(&["--config", &config, "--set", "pictures"]);
    assert_eq!(updated, 1);
    assert!(written.iter().all(|name| name.starts_with("resourcesync/pictures/")), "{written:?}");
    assert_eq!(changes(&site, "rest", "logo.png"), Vec::<String>::new());
    assert_eq!(site.published(&["--config", &config]).1, 1);
    assert_eq!(changes(&site, "rest", "logo.png"), ["updated"]);
    assert_eq!(changes(&site, "pictures", "logo.png"), ["updated"]);
    site.assert_valid();
}

#[test]
fn each_set_gets_the_patch_and_the_packages_of_a_shared_resource() {
    let text = format!("[publish]\npatches = true\n{}", SHARED.replace("**/*.png", "**/*.html"));
    let (site, _folder, config) = gallery(&text);
    let long: String = (0..400).map(|line| format!("<p>line {line}\n")).collect();
    fs::write(site.path().join("gallery/1.html"), &long).unwrap();
    let publish = || {
        let output = site.publish(&["--config", &config, "--dump", "--change-dump"]);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        site.assert_valid();
    };
    publish();
    fs::write(site.path().join("gallery/1.html"), format!("{long}<p>more")).unwrap();
    publish();
    for set in ["pictures", "gallery"] {
        let list = site.read(&format!("resourcesync/{set}/changelist.xml"));
        assert!(
            list.contains("rel=\"http://www.openarchives.org/rs/terms/patch\""),
            "{set}: {list}"
        );
        let dump = site.read(&format!("resourcesync/{set}/changedump.xml"));
        assert_eq!(dump.matches("<url>").count(), 1, "{set}: {dump}");
    }
}
