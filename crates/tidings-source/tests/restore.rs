//! The last publication, from a real server into a folder that has nothing of it.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "restore/server.rs"]
mod server;
#[path = "restore/site.rs"]
mod site;

use std::cell::Cell;
use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::rc::Rc;

use server::Answer;
use site::{Site, tree, write};
use tidings_document::Algorithm;
use tidings_source::{Options, RestoreError, Set};

fn plain(_: &mut Options) {}

fn dumped(options: &mut Options) {
    (options.dump, options.change_dump) = (true, true);
}

fn indexed(options: &mut Options) {
    options.max_entries = 3;
}

fn in_sets(options: &mut Options) {
    let named = |name: &str| Set::named(name).with_prefix(name).unwrap();
    options.sets = vec![named("a"), named("b")];
}

/// Restores into the empty folder, and goes on there as it would have gone on here.
async fn goes_on(site: &Site, set: &str) {
    let restored = site.restore().await.unwrap();
    assert!(restored.found && !restored.replaced && restored.documents > 3, "{restored:?}");
    site.is_restored();
    let before = site.history(site.live.path(), set);
    write(site.built.path(), "b/7.txt", "changed");
    let outcome = site.publish(site.built.path());
    assert_eq!((outcome.created, outcome.updated, outcome.deleted), (0, 1, 0));
    assert!(!outcome.first);
    let after = site.history(site.built.path(), set);
    assert_eq!(before, after[..after.len() - 1]);
    assert_eq!(before.len(), 12);
    assert!(after[12].0.ends_with("b/7.txt"));
}

#[tokio::test]
async fn a_publication_comes_back_and_its_history_goes_on() {
    let site = Site::published(plain);
    goes_on(&site, "").await;
    let heads = site.server.heads();
    assert!(heads.iter().all(|head| head.contains("cache-control: no-cache")), "{heads:?}");
}

#[tokio::test]
async fn so_does_one_of_sets() {
    goes_on(&Site::published(in_sets), "b/").await;
}

#[tokio::test]
async fn so_does_one_with_indexes() {
    let site = Site::published(indexed);
    goes_on(&site, "").await;
    let names: Vec<_> = tree(site.built.path()).into_keys().collect();
    let parts =
        |stem: &str| names.iter().filter(|name| name.to_string_lossy().starts_with(stem)).count();
    assert!(parts("resourcesync/changelist-") > 2 && parts("sitemap-") > 1, "{names:?}");
}

#[tokio::test]
async fn so_does_one_with_dumps() {
    for adjust in [dumped, |options: &mut Options| {
        dumped(options);
        in_sets(options);
        options.max_entries = 1;
    }] {
        let site = Site::published(adjust);
        let restored = site.restore().await.unwrap();
        assert!(restored.packages >= 5, "{restored:?}");
        let bytes: usize = tree(site.built.path())
            .iter()
            .filter(|(name, _)| !name.starts_with("a") && !name.starts_with("b"))
            .map(|(_, bytes)| bytes.len())
            .sum();
        assert_eq!(restored.bytes, bytes as u64);
        site.is_restored();
        // Nothing has changed, so nothing is written.
        assert_eq!(site.publish(site.built.path()).written, Vec::<String>::new());
    }
}

#[tokio::test]
async fn so_does_one_with_patches() {
    let cache = tempfile::tempdir().unwrap();
    let folder = cache.path().to_owned();
    let site = Site::new(move |options| {
        options.patches = true;
        options.cache = Some(folder.clone());
    });
    let page: String = (0..400).map(|line| format!("<html> line {line}\n")).collect();
    site.write("a/0.html", &page);
    site.publish_live();
    site.write("a/0.html", &page.replace("line 7\n", "line seven\n"));
    site.publish_live();
    assert!(site.live.path().join("resourcesync/patches").exists());
    site.restore().await.unwrap();
    site.is_restored();
}

#[tokio::test]
async fn another_host_may_have_the_files_of_the_base() {
    let mut site = Site::new(dumped);
    site.base = "https://e.example/sub/".into();
    site.publish_live();
    let description = format!("{}.well-known/resourcesync", site.server.url());
    site.restore_from(&description, site.built.path()).await.unwrap();
    site.is_restored();
}

#[tokio::test]
async fn answers_may_come_compressed() {
    let site = Site::published(dumped);
    let live = site.live.path().to_owned();
    site.server.script(move |name, _| {
        let Ok(bytes) = fs::read(live.join(name)) else { return Answer::File };
        let mut coder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        coder.write_all(&bytes).unwrap();
        Answer::Bytes(200, "Content-Encoding: gzip\r\n", coder.finish().unwrap())
    });
    site.restore().await.unwrap();
    site.is_restored();
}

#[tokio::test]
async fn nothing_published_is_no_error() {
    let site = Site::new(plain);
    let before = tree(site.built.path());
    for status in [404, 410] {
        site.server.script(move |_, _| Answer::Bytes(status, "", Vec::new()));
        let restored = site.restore().await.unwrap();
        assert!(!restored.found && restored.documents == 0, "{restored:?}");
        assert_eq!(tree(site.built.path()), before);
        assert!(!site.built.path().join("resourcesync").exists());
    }
    assert_eq!(site.server.heads().len(), 2);
}

#[tokio::test]
async fn a_host_that_fails_leaves_the_folder_as_it_was() {
    let site = Site::published(dumped);
    for name in [".well-known/resourcesync", "resourcesync/changelist.xml", "sitemap.xml"] {
        for status in [500, 503] {
            site.server.script(move |asked, _| match asked == name {
                true => Answer::Bytes(status, "", Vec::new()),
                false => Answer::File,
            });
            let error = site.fails().await;
            assert!(error.contains(&format!("{name} answered {status}")), "{error}");
            assert!(!error.contains("--"), "options are not the library's: {error}");
        }
    }
    for ending in [".zip", "changelist.xml"] {
        site.server.script(move |name, _| match name.ends_with(ending) {
            true => Answer::Half,
            false => Answer::File,
        });
        let error = site.fails().await;
        assert!(error.contains(&format!("{ending} broke off after")), "{error}");
    }
    site.server.script(|_, _| Answer::File);
    site.restore().await.unwrap();
    site.is_restored();
}

#[tokio::test]
async fn a_host_that_is_not_there_is_an_error() {
    let site = Site::new(plain);
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let from = format!("http://127.0.0.1:{port}/");
    let error = site.restore_from(&from, site.built.path()).await.unwrap_err();
    assert!(matches!(error, RestoreError::Fetch { .. }), "{error:?}");
    let error = site.restore_from("somewhere", site.built.path()).await.unwrap_err();
    assert!(error.to_string().contains("give the URL of the site"), "{error}");
    // Whoever publishes there at the same time is not disturbed.
    let lock = site.built.path().join("resourcesync/.lock");
    write(site.built.path(), "resourcesync/.lock", "");
    let lock = fs::File::open(lock).unwrap();
    lock.lock().unwrap();
    let error = site.restore().await.unwrap_err();
    assert!(error.to_string().contains("another publication is under way"), "{error}");
    assert_eq!(site.server.heads(), Vec::<String>::new());
}

#[tokio::test]
async fn what_is_not_as_it_is_listed_is_named() {
    let site = Site::published(dumped);
    let live = site.live.path().to_owned();
    let spoilt = move |ending: &'static str, spoil: fn(&mut Vec<u8>)| {
        let live = live.clone();
        move |name: &str, _| match name.ends_with(ending) {
            true => {
                let mut bytes = fs::read(live.join(name)).unwrap();
                spoil(&mut bytes);
                Answer::Bytes(200, "", bytes)
            }
            false => Answer::File,
        }
    };
    let flip: fn(&mut Vec<u8>) = |bytes| bytes[40] ^= 1;
    let cut: fn(&mut Vec<u8>) = |bytes| bytes.truncate(bytes.len() - 20);
    for (ending, spoil, reason) in [
        (".zip", flip, "its sha-256 is not the one that is said of it"),
        (".zip", cut, "are said of it"),
        (".zip", |bytes| bytes.push(0), "it has more than the"),
        ("resourcelist.xml", cut, "it cannot be read: "),
        ("about.xml", |bytes| *bytes = b"<!DOCTYPE html><p>Sorry".into(), "an HTML page"),
        ("changelist.xml", |bytes| *bytes = b"<html>".into(), "it is an HTML page"),
        ("changelist.xml", |bytes| *bytes = b"Sorry".into(), "it cannot be read"),
    ] {
        site.server.script(spoilt(ending, spoil));
        let error = site.fails().await;
        assert!(error.contains(reason) && error.contains(ending), "{error}");
    }
    site.server.script(|name, _| match name.ends_with("resourcelist.xml") {
        true => Answer::Bytes(404, "", Vec::new()),
        false => Answer::File,
    });
    let error = site.fails().await;
    assert!(error.contains("resourcelist.xml: it is listed, but not there"), "{error}");
}

#[tokio::test]
async fn a_document_of_another_kind_is_not_taken() {
    let site = Site::published(plain);
    let live = site.live.path().to_owned();
    site.server.script(move |name, _| match name {
        "resourcesync/resourcelist.xml" => {
            let bytes = fs::read(live.join("resourcesync/changelist.xml")).unwrap();
            Answer::Bytes(200, "", bytes)
        }
        _ => Answer::File,
    });
    let error = site.fails().await;
    assert!(error.contains("another kind of document than Change List"), "{error}");
}

#[tokio::test]
async fn a_host_that_answers_everything_with_a_page_is_told_apart() {
    let site = Site::new(plain);
    site.server.script(|_, _| {
        Answer::Bytes(200, "Content-Type: text/html\r\n", b"\n<!DOCTYPE html><title>x".to_vec())
    });
    let error = site.fails().await;
    assert!(error.contains("seems to answer everything with a page"), "{error}");
    assert_eq!(site.server.heads().len(), 1);
}

#[tokio::test]
async fn documents_of_another_base_are_refused() {
    let mut site = Site::published(plain);
    let published = std::mem::replace(&mut site.base, "https://other.example/".into());
    let error = site.fails().await;
    assert!(
        error.contains(&format!("is of {published}, not of https://other.example/")),
        "{error}"
    );
    assert!(error.contains("publish with that base"), "{error}");
}

#[tokio::test]
async fn names_that_lead_elsewhere_are_refused() {
    let site = Site::published(indexed);
    let index = site.live.path().join("resourcesync/changelist.xml");
    let text = fs::read_to_string(&index).unwrap();
    let place = text.find("resourcesync/changelist-").unwrap();
    let end = place + text[place..].find('<').unwrap();
    for elsewhere in [
        "resourcesync/../../x",
        "resourcesync/%2e%2e/index.html",
        "index.html",
        "resourcesync/.lock",
        "resourcesync//x",
        "resourcesync/x?y",
        "resourcesync/x\\y",
    ] {
        fs::write(&index, format!("{}{elsewhere}{}", &text[..place], &text[end..])).unwrap();
        let error = site.fails().await;
        let lists = format!("changelist.xml lists {}{elsewhere}, which is not", site.base);
        assert!(error.contains(&lists), "{error}");
    }
}

#[tokio::test]
async fn caches_that_have_two_publications_are_asked_again() {
    for (adjust, stale) in [
        (indexed as fn(&mut Options), "resourcesync/changelist.xml"),
        (dumped, "resourcesync/changelist.xml"),
        (dumped, "resourcesync/resourcedump.xml"),
    ] {
        let site = Site::published(adjust);
        let old = tempfile::tempdir().unwrap();
        for (name, bytes) in tree(site.live.path()) {
            let path = old.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        for number in 3..6 {
            site.write(&format!("b/{number}.txt"), "new");
        }
        site.publish_live();
        let old = old.path().to_owned();
        site.server.script(move |name, time| match name == stale && time == 1 {
            true => Answer::From(old.clone()),
            false => Answer::File,
        });
        site.restore().await.unwrap();
        let heads = site.server.heads();
        let walks = heads.iter().filter(|head| head.contains("/.well-known/resourcesync ")).count();
        assert_eq!(walks, 2, "{stale}");
        let changes = site.history(site.built.path(), "");
        assert!(changes.last().unwrap().0.ends_with("b/5.txt"), "{stale}: {changes:?}");
    }
}

#[tokio::test]
async fn a_list_that_is_ahead_of_its_changes_is_taken_at_the_second_time() {
    let more = Rc::new(Cell::new(false));
    let told = Rc::clone(&more);
    let site = Site::published(move |options| {
        if told.get() {
            options.algorithms.push(Algorithm::Md5);
        }
    });
    more.set(true);
    // More is said of the resources, which have not changed.
    assert_eq!(site.publish_live().updated, 0);
    site.restore().await.unwrap();
    site.is_restored();
    let heads = site.server.heads();
    let asked = |name: &str| heads.iter().filter(|head| head.contains(name)).count();
    assert_eq!((asked("/resourcelist.xml "), asked("/changelist.xml ")), (2, 2));
}

#[tokio::test]
async fn what_readers_see_counts() {
    let site = Site::published(dumped);
    site.restore().await.unwrap();
    let same = site.restore().await.unwrap();
    assert_eq!((same.found, same.replaced, same.documents, same.packages), (true, false, 0, 0));
    // The folder is older.
    site.write("b/5.txt", "new");
    site.publish_live();
    let restored = site.restore().await.unwrap();
    assert!(restored.replaced && restored.documents > 0, "{restored:?}");
    assert_eq!(site.history(site.live.path(), ""), site.history(site.built.path(), ""));
    // The folder is newer, and has what the site has not.
    site.write("b/6.txt", "new");
    site.publish(site.built.path());
    assert_eq!(site.history(site.built.path(), "").len(), 14);
    for document in ["resourcedump.xml", "art/resourcelist.xml", "art/capabilitylist.xml"] {
        write(site.built.path(), &format!("resourcesync/{document}"), "<");
    }
    assert!(site.restore().await.unwrap().replaced);
    assert_eq!(site.history(site.built.path(), "").len(), 13);
    assert!(!site.built.path().join("resourcesync/art/resourcelist.xml").exists());
    assert_eq!(site.publish(site.built.path()).updated, 1);
    assert_eq!(leftovers(site.built.path()), Vec::<String>::new());
}

#[tokio::test]
async fn files_of_the_site_are_its_own() {
    let site = Site::published(plain);
    let own = [
        ("sitemap.xml", "<urlset/>"),
        ("robots.txt", "User-agent: *\n"),
        ("resourcesync/about.xml", "<metadata/>"),
    ];
    for (name, text) in own {
        write(site.built.path(), name, text);
    }
    site.restore().await.unwrap();
    for (name, text) in own {
        assert_eq!(fs::read_to_string(site.built.path().join(name)).unwrap(), text);
    }
    // And those that the live site has of its own are not taken.
    for (name, text) in own {
        write(site.live.path(), name, text);
    }
    let out = tempfile::tempdir().unwrap();
    site.restore_to(&out.path().join("new")).await.unwrap();
    let names: Vec<_> = tree(&out.path().join("new")).into_keys().collect();
    assert!(!names.iter().any(|name| name.starts_with("sitemap.xml")), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("robots.txt")), "{names:?}");
}

#[tokio::test]
async fn what_a_run_before_left_is_removed() {
    let site = Site::published(plain);
    write(site.built.path(), "resourcesync/.tidings-restore-x/new/a", "");
    site.restore().await.unwrap();
    assert_eq!(leftovers(site.built.path()), Vec::<String>::new());
    site.is_restored();
}

/// What is in the folder of documents under hidden names, but the lock.
fn leftovers(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("resourcesync")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with('.') && name != ".lock").collect()
}
