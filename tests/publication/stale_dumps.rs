//! Dumps that the Change Lists no longer reach.

use std::fs;
use std::time::Duration;

use crate::support::site::Site;
use crate::support::{run, stderr, stdout};

/// Change Lists are closed at the next change, and forgotten at the next run.
const QUICK: &str = "[publish.keep]\nopen-days = 0\nchanges-days = 0\n";

/// A Source of which `options` asked for dumps, with a change since.
fn begun(options: &[&str]) -> (Site, tempfile::TempDir, String) {
    let site = Site::new(&[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]);
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tidings.toml");
    fs::write(&config, QUICK).unwrap();
    let config = config.to_str().unwrap().to_owned();
    site.published(&[options, &["--config", &config]].concat());
    change(&site, "a.txt", "another");
    site.published(&["--config", &config]);
    (site, folder, config)
}

/// Changes a file, after so long that what was published before is old.
fn change(site: &Site, name: &str, text: &str) {
    wait();
    fs::write(site.path().join(name), text).unwrap();
}

fn wait() {
    std::thread::sleep(Duration::from_millis(1_100));
}

/// Has the Change List closed, and then forgotten; the answer is the output of that last run.
fn retire(site: &Site, config: &str, options: &[&str]) -> serde_json::Value {
    change(site, "b.txt", "changed");
    let before = site.publish(&["--config", config, "--json"]);
    assert!(stdout(&before).contains("\"withdrawn\": []"), "{}", stdout(&before));
    site.assert_valid();
    wait();
    let output = site.publish(&[options, &["--config", config, "--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(site.read("resourcesync/changelist.xml").contains("<urlset"));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn capabilities(site: &Site) -> String {
    site.read("resourcesync/capabilitylist.xml")
}

fn time<'t>(document: &'t str, name: &str) -> &'t str {
    document.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap()
}

#[test]
fn a_dump_that_no_change_list_leads_on_from_is_withdrawn() {
    let (site, _folder, config) = begun(&["--dump"]);
    assert!(capabilities(&site).contains("resourcedump.xml"));
    let found = retire(&site, &config, &[]);
    assert_eq!(found["withdrawn"], serde_json::json!(["resourcesync/resourcedump.xml"]));
    assert_eq!(found["written"].to_string().matches("capabilitylist").count(), 1, "{found}");
    assert!(!capabilities(&site).contains("resourcedump"), "{}", capabilities(&site));
    site.assert_valid();

    // Somebody may be reading it still; and it is said once.
    let dump = site.read("resourcesync/resourcedump.xml");
    let package = dump.split("<loc>").nth(1).unwrap().split('<').next().unwrap();
    let package = site.path().join("resourcesync").join(package.rsplit('/').next().unwrap());
    assert!(package.exists());
    assert_eq!(site.published(&["--config", &config]).3, Vec::<String>::new());
    assert_eq!(stderr(&site.publish(&["--config", &config])), "");

    // It goes as other superseded files do.
    fs::write(&config, format!("{QUICK}superseded-days = 0\n")).unwrap();
    wait();
    site.published(&["--config", &config]);
    assert!(!site.path().join("resourcesync/resourcedump.xml").exists() && !package.exists());
    site.assert_valid();
}

#[test]
fn a_dump_that_is_asked_for_is_refreshed_even_where_nothing_changed() {
    let (site, _folder, config) = begun(&["--dump"]);
    let found = retire(&site, &config, &["--dump"]);
    assert_eq!(found["withdrawn"], serde_json::json!([]));
    let told = |name: &str| site.read(&format!("resourcesync/{name}.xml"));
    assert!(time(&told("resourcedump"), "at") >= time(&told("changelist"), "from"));
    assert!(capabilities(&site).contains("resourcedump.xml"));
    site.assert_valid();
}

#[test]
fn a_package_that_would_be_the_same_gets_another_time() {
    let site = Site::new(&[("a.txt", "one")]);
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tidings.toml");
    fs::write(&config, QUICK).unwrap();
    let config = config.to_str().unwrap();
    let file = site.path().join("a.txt");
    let written = fs::metadata(&file).unwrap().modified().unwrap();
    site.published(&["--config", config, "--dump"]);
    change(&site, "a.txt", "two");
    site.published(&["--config", config]);
    change(&site, "a.txt", "one");
    fs::File::options().append(true).open(&file).unwrap().set_modified(written).unwrap();
    site.published(&["--config", config]);
    wait();
    site.published(&["--config", config, "--dump"]);
    let told = |name: &str| site.read(&format!("resourcesync/{name}.xml"));
    assert!(time(&told("resourcedump"), "at") >= time(&told("changelist"), "from"));
    assert!(capabilities(&site).contains("resourcedump.xml"));
    site.assert_valid();
}

#[test]
fn a_withdrawn_dump_comes_back_when_it_is_asked_for() {
    let (site, _folder, config) = begun(&["--dump"]);
    retire(&site, &config, &[]);
    let (.., written) = site.published(&["--config", &config, "--dump"]);
    assert!(written.contains(&"resourcesync/capabilitylist.xml".to_owned()), "{written:?}");
    assert!(capabilities(&site).contains("resourcedump.xml"));
    site.assert_valid();
}

#[test]
fn a_change_dump_with_a_gap_is_withdrawn_and_begins_again_after_it() {
    let (site, _folder, config) = begun(&["--change-dump"]);
    assert!(capabilities(&site).contains("changedump.xml"));
    let found = retire(&site, &config, &[]);
    assert_eq!(found["withdrawn"], serde_json::json!(["resourcesync/changedump.xml"]));
    assert!(!capabilities(&site).contains("changedump"), "{}", capabilities(&site));
    site.assert_valid();
    site.published(&["--config", &config, "--change-dump"]);
    let told = |name: &str| site.read(&format!("resourcesync/{name}.xml"));
    assert_eq!(time(&told("changedump"), "from"), time(&told("changelist"), "from"));
    assert_eq!(told("changedump").matches("<url>").count(), 1);
    assert!(capabilities(&site).contains("changedump.xml"));
    site.assert_valid();
}

#[test]
fn a_dry_run_says_what_would_be_withdrawn_and_touches_nothing() {
    let (site, _folder, config) = begun(&["--dump"]);
    change(&site, "b.txt", "changed");
    site.published(&["--config", &config]);
    wait();
    let before = site.state();
    let folder = site.path().to_str().unwrap();
    let base = crate::support::site::BASE;
    let output =
        run(["publish", folder, "--base", base, "--config", &config, "--dry-run", "--json"]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["withdrawn"], serde_json::json!(["resourcesync/resourcedump.xml"]));
    assert_eq!(site.state(), before);
}
