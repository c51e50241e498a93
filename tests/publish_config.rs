//! `tidings publish` with a `tidings.toml`: sets, links, what is left out, what is kept.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;

use support::site::{BASE, Site};
use support::{run, stderr, stdout};

fn gallery() -> Site {
    Site::new(&[
        ("index.html", "<!doctype html><title>Home</title>"),
        ("gallery/1.html", "<!doctype html><title>One</title>"),
        ("gallery/1.png", "one"),
        ("gallery/2.png", "two"),
        ("data/a.json", "{\"a\": 1}"),
        ("drafts/secret.html", "not yet"),
        ("notes.bak", "old"),
    ])
}

/// Writes the configuration beside nothing that is published, and gives the options for it.
fn configured(site: &Site, text: &str) -> String {
    let path = site.path().join("tidings.toml");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn each_set_is_a_collection_of_its_own() {
    let site = gallery();
    let config = configured(
        &site,
        r#"
[publish]
exclude = ["drafts", "*.bak"]
author = "Anna"

[[publish.set]]
name = "gallery"
prefix = "gallery/"
title = "The <gallery>"
language = "en"

[[publish.set]]
name = "data"
globs = ["**/*.json"]

[[publish.set]]
name = "pages"
"#,
    );
    let (.., written) = site.published(&["--config", &config]);
    assert_eq!(written.last().unwrap(), "robots.txt");
    site.assert_valid();
    let list = site.read("resourcesync/gallery/resourcelist.xml");
    assert_eq!(list.matches("<url>").count(), 3, "{list}");
    assert_eq!(site.read("resourcesync/data/resourcelist.xml").matches("<url>").count(), 1);
    let pages = site.read("resourcesync/pages/resourcelist.xml");
    assert_eq!(pages.matches("<url>").count(), 1, "{pages}");
    let description = site.read(".well-known/resourcesync");
    for part in ["https://shrine.example/gallery/\"", "https://shrine.example/#data\""] {
        assert!(description.contains(part), "{description}");
    }
    let about = site.read("resourcesync/gallery/about.xml");
    assert!(about.contains("The &lt;gallery&gt;") && about.contains("Anna"), "{about}");
    // A Sitemap has them all.
    assert_eq!(site.read("sitemap.xml").matches("<url>").count(), 2);

    // What changes in one set is told there alone.
    fs::write(site.path().join("gallery/1.png"), "changed").unwrap();
    let (_, updated, _, written) = site.published(&["--config", &config]);
    assert_eq!(updated, 1);
    assert_eq!(
        written,
        ["resourcesync/gallery/changelist.xml", "resourcesync/gallery/resourcelist.xml"]
    );
    site.assert_valid();

    // A file that goes from one set to another goes from the one and comes to the other.
    fs::rename(site.path().join("gallery/2.png"), site.path().join("2.png")).unwrap();
    assert_eq!(site.published(&["--config", &config]).0, 1);
    assert!(site.read("resourcesync/gallery/changelist.xml").contains("deleted"));
    assert!(site.read("resourcesync/pages/changelist.xml").contains("created"));
    site.assert_valid();
}

#[test]
fn one_set_alone_is_published_and_the_others_stay() {
    let site = gallery();
    let config = configured(
        &site,
        "[[publish.set]]\nname = \"gallery\"\nprefix = \"gallery\"\n[[publish.set]]\nname = \"rest\"\n",
    );
    site.published(&["--config", &config]);
    fs::write(site.path().join("gallery/1.png"), "changed").unwrap();
    fs::write(site.path().join("index.html"), "changed").unwrap();
    let (created, updated, deleted, written) =
        site.published(&["--config", &config, "--set", "gallery"]);
    assert_eq!((created, updated, deleted), (0, 1, 0));
    assert!(written.iter().all(|name| name.starts_with("resourcesync/gallery/")), "{written:?}");
    site.assert_valid();
    assert_eq!(site.published(&["--config", &config]).1, 1);
    site.assert_valid();
    let output = site.publish(&["--config", &config, "--set", "other"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("there are: gallery, rest"), "{}", stderr(&output));
}

#[test]
fn rules_give_links_of_every_kind() {
    let site = gallery();
    let config = configured(
        &site,
        r#"
[publish]
exclude = ["drafts", "*.bak"]

[[publish.link]]
globs = ["**/*.png"]
rel = "duplicate"
href = "https://mirror-1.example/{path}"
pri = 1

[[publish.link]]
globs = ["**/*.png"]
rel = "duplicate"
href = "https://mirror-2.example/{path}"
pri = 2

[[publish.link]]
globs = ["index.html"]
rel = "canonical"
href = "{base}"

[[publish.link]]
globs = ["gallery/*.html"]
rel = "alternate"
href = "{base}{stem}.txt"
type = "text/plain"

[[publish.link]]
globs = ["gallery/*.png"]
rel = "describedby"
href = "{base}{folder}about.rdf"
type = "application/rdf+xml"

[[publish.link]]
globs = ["data/*"]
rel = "profile"
href = "https://shrine.example/profiles/data"

[[publish.link]]
globs = ["gallery/**"]
rel = "collection"
href = "{base}gallery/"

[[publish.link]]
rel = "memento"
href = "https://archive.example/{timestamp}/{uri}"

[[publish.link]]
rel = "timegate"
href = "https://archive.example/timegate/{uri}"

[[publish.link]]
rel = "timemap"
href = "https://archive.example/timemap/{uri}"
"#,
    );
    site.published(&["--config", &config]);
    site.assert_valid();
    let list = site.read("resourcesync/resourcelist.xml");
    for part in [
        "<rs:ln rel=\"duplicate\" pri=\"1\" href=\"https://mirror-1.example/gallery/1.png\"/>",
        "rel=\"canonical\" href=\"https://shrine.example/\"",
        "rel=\"alternate\" href=\"https://shrine.example/gallery/1.txt\" type=\"text/plain\"",
        "rel=\"describedby\" href=\"https://shrine.example/gallery/about.rdf\"",
        "rel=\"profile\"",
        "rel=\"collection\"",
        "rel=\"timegate\" href=\"https://archive.example/timegate/https://shrine.example/index.html\"",
        "type=\"application/link-format\"",
    ] {
        assert!(list.contains(part), "{part}\n{list}");
    }
    assert_eq!(site.published(&["--config", &config]).3, Vec::<String>::new());

    // What is gone still has a history.
    fs::remove_file(site.path().join("gallery/2.png")).unwrap();
    site.published(&["--config", &config]);
    let changes = site.read("resourcesync/changelist.xml");
    assert!(changes.contains("timemap") && !changes.contains("duplicate"), "{changes}");
    site.assert_valid();

    // Other rules: the list says so, but nothing has changed.
    let config = configured(&site, "[publish]\nexclude = [\"drafts\", \"*.bak\"]\n");
    let (created, updated, deleted, written) = site.published(&["--config", &config]);
    assert_eq!((created, updated, deleted), (0, 0, 0));
    assert_eq!(written, ["resourcesync/resourcelist.xml"]);
    assert!(!site.read("resourcesync/resourcelist.xml").contains("duplicate"));
    site.assert_valid();
}

#[test]
fn what_is_not_wanted_is_left_out() {
    let site = gallery();
    let output = run([
        "publish",
        site.path().to_str().unwrap(),
        "--base",
        BASE,
        "--include",
        "**/*.html",
        "--exclude",
        "drafts",
    ]);
    assert!(stdout(&output).contains("2 resources"), "{}{}", stdout(&output), stderr(&output));
    // What is left out from now on is gone for those who follow.
    let (_, _, deleted, _) = site.published(&["--include", "index.html"]);
    assert_eq!(deleted, 1);
}

#[test]
fn a_change_list_is_written_for_one_version_or_for_both() {
    for (version, datetime, lastmod) in [("1.0", false, true), ("1.1", true, true)] {
        let site = gallery();
        site.published(&["--spec", version]);
        fs::write(site.path().join("index.html"), "changed").unwrap();
        fs::remove_file(site.path().join("notes.bak")).unwrap();
        site.published(&["--spec", version]);
        let list = site.read("resourcesync/changelist.xml");
        assert_eq!(list.contains("datetime="), datetime, "{list}");
        assert_eq!(list.contains("<lastmod>"), lastmod, "{list}");
        site.assert_valid_as(&[["--spec", version]]);
    }
}

#[test]
fn a_configuration_with_a_slip_is_not_followed() {
    let site = gallery();
    for (text, said) in [
        ("[publish]\nbsae = \"x\"\n", "bsae"),
        ("[[publish.set]]\nname = \"a/b\"\n", "a/b"),
        ("[[publish.set]]\nname = \"a\"\n[[publish.set]]\nname = \"a\"\n", "one of its own"),
        ("[[publish.set]]\nname = \"a\"\nglobs = [\"[\"]\n", "not a glob"),
        ("[[publish.link]]\nrel = \"alternate\"\nhref = \"{nothing}\"\n", "stands for nothing"),
        ("[[publish.link]]\nrel = \"duplicate\"\nhref = \"x{uri}\"\npri = 0\n", "pri = 0"),
        ("[publish]\nmax-entries = 0\n", "1 to 50,000"),
        ("[publish\n", "line 1"),
    ] {
        let config = configured(&site, text);
        let output = site.publish(&["--config", &config]);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(stderr(&output).contains(said), "{text}: {}", stderr(&output));
        assert!(!site.path().join("resourcesync").exists(), "{text}");
    }
    let output = site.publish(&["--config", "/nowhere/tidings.toml"]);
    assert!(stderr(&output).contains("/nowhere/tidings.toml"), "{}", stderr(&output));
    let folder = site.path().to_str().unwrap();
    let output = run(["publish", folder]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--base URL"), "{}", stderr(&output));
}

#[test]
fn old_change_lists_are_closed_and_forgotten() {
    let site = gallery();
    let keep = |text: &str| configured(&site, &format!("[publish.keep]\n{text}\n"));
    site.published(&[]);
    fs::write(site.path().join("index.html"), "once").unwrap();
    site.published(&[]);
    // As if that had been long ago.
    let old = site.read("resourcesync/changelist.xml");
    let from = old.split("from=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    fs::write(
        site.path().join("resourcesync/changelist.xml"),
        old.replace(&from, "2020-01-01T00:00:00.000Z"),
    )
    .unwrap();
    let config = keep("open-days = 7");
    fs::write(site.path().join("index.html"), "twice").unwrap();
    let (.., written) = site.published(&["--config", &config]);
    let closed = |name: &String| name.starts_with("resourcesync/changelist-20200101000000000-");
    assert!(written.iter().any(closed), "{written:?}");
    site.assert_valid();
    let index = site.read("resourcesync/changelist.xml");
    assert!(index.contains("<sitemapindex") && index.contains("until="), "{index}");

    // Nothing is old enough to be forgotten: the list was closed just now.
    let config = keep("changes-days = 1");
    assert_eq!(site.published(&["--config", &config]).3, Vec::<String>::new());
    let config = keep("changes-days = 0");
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let (.., written) = site.published(&["--config", &config]);
    // The Resource List is as old as the oldest change that is still told, or newer.
    assert!(written.contains(&"resourcesync/changelist.xml".into()), "{written:?}");
    assert!(site.read("resourcesync/changelist.xml").contains("<urlset"));
    site.assert_valid();
    assert_eq!(site.published(&["--config", &config]).3, Vec::<String>::new());
}

#[test]
fn a_set_that_is_given_up_is_not_given_up_in_silence() {
    let site = gallery();
    site.published(&[]);
    let config = configured(&site, "[[publish.set]]\nname = \"all\"\n");
    let output = site.publish(&["--config", &config]);
    assert!(
        stderr(&output).contains("resourcesync/capabilitylist.xml is no longer published"),
        "{}",
        stderr(&output)
    );
    assert_eq!(stderr(&site.publish(&["--config", &config])), "");
    let config = configured(&site, "[[publish.set]]\nname = \"all\"\nprefix = \"nowhere\"\n");
    let output = site.publish(&["--config", &config]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("in a set"), "{}", stderr(&output));
}

#[test]
fn a_sitemap_of_the_author_is_a_resource_wherever_the_documents_go() {
    let site = gallery();
    fs::write(site.path().join("sitemap.xml"), "<urlset/>").unwrap();
    fs::write(site.path().join("robots.txt"), "User-agent: *\n").unwrap();
    let out = tempfile::tempdir().unwrap();
    let elsewhere = out.path().to_str().unwrap();
    site.published(&["--out", elsewhere]);
    assert!(!out.path().join("sitemap.xml").exists() && !out.path().join("robots.txt").exists());
    let list = fs::read_to_string(out.path().join("resourcesync/resourcelist.xml")).unwrap();
    assert!(list.contains("sitemap.xml") && list.contains("robots.txt"), "{list}");
}

#[test]
fn a_change_list_that_is_lost_is_missed() {
    let site = gallery();
    site.published(&[]);
    fs::remove_file(site.path().join("resourcesync/changelist.xml")).unwrap();
    let output = site.publish(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("changelist.xml") && stderr(&output).contains("--full"));
    site.published(&["--full"]);
    site.assert_valid();
}

const TWO: &str =
    "[[publish.set]]\nname = \"g\"\nprefix = \"gallery/\"\n[[publish.set]]\nname = \"rest\"\n";

#[test]
fn a_sitemap_goes_with_one_set_too() {
    let site = gallery();
    let config = configured(&site, TWO);
    site.published(&["--config", &config]);
    fs::remove_file(site.path().join("gallery/1.html")).unwrap();
    fs::write(site.path().join("gallery/9.html"), "<p>new").unwrap();
    site.published(&["--config", &config, "--set", "g"]);
    for _ in 0..2 {
        let sitemap = site.read("sitemap.xml");
        assert!(sitemap.contains("gallery/9.html") && sitemap.contains("index.html"), "{sitemap}");
        assert!(!sitemap.contains("gallery/1.html"), "{sitemap}");
        assert_eq!(sitemap.matches("<url>").count(), 3, "{sitemap}");
        site.published(&["--config", &config]);
    }
    site.assert_valid();
    // A page that only goes from one set to another stays a page.
    let moved = TWO.replace("prefix = \"gallery/\"", "globs = [\"gallery/**\", \"index.html\"]");
    let config = configured(&site, &moved);
    site.published(&["--config", &config, "--set", "g"]);
    site.published(&["--config", &config]);
    assert!(site.read("sitemap.xml").contains("index.html"));
    site.assert_valid();
}

#[test]
fn what_is_touched_is_not_changed_even_with_its_time_in_a_link() {
    let site = gallery();
    let config = configured(
        &site,
        "[[publish.link]]\nrel = \"memento\"\nhref = \"https://a.example/{timestamp}/{uri}\"\n",
    );
    site.published(&["--config", &config]);
    let file = fs::File::options().append(true).open(site.path().join("index.html")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(site.published(&["--config", &config]), (0, 0, 0, Vec::new()));
}

#[test]
fn documents_in_a_folder_of_the_site_are_not_part_of_it() {
    let site = gallery();
    let out = site.path().join("docs");
    let out = out.to_str().unwrap();
    site.published(&["--out", out]);
    assert_eq!(site.published(&["--out", out]), (0, 0, 0, Vec::new()));
}

#[test]
fn a_thousand_folders_need_not_a_thousand_open_files() {
    let site = Site::new(&[("index.html", "<p>home")]);
    for number in 0..1_500 {
        let folder = site.path().join(format!("{number:04}"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("index.html"), "<p>").unwrap();
    }
    let command = format!(
        "ulimit -n 400; exec {} publish {} --base {BASE}",
        env!("CARGO_BIN_EXE_tidings"),
        site.path().display()
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &command])
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap();
    assert!(stdout(&output).contains("1,501 resources"), "{}{}", stdout(&output), stderr(&output));
    // With too few it is not taken for a small site.
    let command =
        command.replace("ulimit -n 400", "ulimit -n 20").replace(" publish ", " publish --full ");
    let output = std::process::Command::new("sh")
        .args(["-c", &command])
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
}

#[test]
fn a_given_up_set_stays_whole() {
    let site = gallery();
    site.published(&["--max-entries", "2"]);
    let text = format!("[publish.keep]\nsuperseded-days = 0\n{TWO}");
    let config = configured(&site, &text);
    site.publish(&["--config", &config]);
    std::thread::sleep(std::time::Duration::from_millis(20));
    site.publish(&["--config", &config]);
    let index = site.read("resourcesync/resourcelist.xml");
    let part = index.split("<loc>").nth(1).unwrap().split('<').next().unwrap();
    assert!(site.path().join(part.strip_prefix(BASE).unwrap()).exists(), "{part}");
}
