//! The cache is true to the files.
#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tidings_document::Change;
use tidings_site::{Fault, PageMetaCache, Reserved};

fn open(root: &Path) -> Arc<PageMetaCache> {
    PageMetaCache::open(root, Reserved::new("back-room").unwrap()).unwrap()
}

fn sitemap(cache: &PageMetaCache) -> Vec<String> {
    cache.refresh();
    cache.sitemap().metas().map(|meta| meta.url_path()).collect()
}

fn changes(cache: &PageMetaCache, after: i64) -> Vec<(String, Change)> {
    cache.refresh();
    let changes = cache.journal().changes(after, 1_000).unwrap();
    changes.into_iter().map(|entry| (entry.path, entry.change)).collect()
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn object(root: &Path, id: &str, version: u32, sidecar: &str, blob: &str) {
    let shard = &id[14..];
    write(root, &format!("content/{shard}/{id}.{version}"), blob);
    write(root, &format!("content/{shard}/{id}.{version}.ron"), sidecar);
}

#[test]
fn what_is_on_disk_is_what_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "pages/index.md", "# Home\n");
    write(root, "pages/docs/a b.md", "---\ntitle: A\n---\nText\n");
    write(root, "pages/img/Cat.JPG", "x");
    let cache = open(root);
    assert_eq!(sitemap(&cache), ["/", "/docs/a-b"]);
    assert!(cache.find("img/cat.jpg").is_some());
    let start = cache.snapshot().1;

    write(root, "pages/new.md", "# New\n");
    assert_eq!(sitemap(&cache), ["/", "/docs/a-b", "/new"]);
    write(root, "pages/deep/er/page.md", "# Deep\n");
    assert_eq!(sitemap(&cache), ["/", "/deep/er/page", "/docs/a-b", "/new"]);
    write(root, "pages/new.md", "---\nalias: newer\n---\n# Newer\n");
    assert_eq!(sitemap(&cache), ["/", "/deep/er/page", "/docs/a-b", "/newer"]);
    fs::remove_file(root.join("pages/new.md")).unwrap();
    fs::rename(root.join("pages/deep"), root.join("pages/moved")).unwrap();
    assert_eq!(sitemap(&cache), ["/", "/docs/a-b", "/moved/er/page"]);
    write(root, "pages/moved/er/page.md", "# Deep, edited\n");
    cache.refresh();
    assert_eq!(&*cache.find("moved/er/page").unwrap().title, "Deep, edited");
    fs::remove_dir_all(root.join("pages/moved")).unwrap();
    write(root, "pages/docs/a b.md", "---\ntitle: A\nroles: [staff]\n---\nText\n");
    assert_eq!(sitemap(&cache), ["/"]);
    let told = changes(&cache, start);
    for expected in [
        ("/new", Change::Created),
        ("/new", Change::Deleted),
        ("/newer", Change::Created),
        ("/newer", Change::Deleted),
        ("/deep/er/page", Change::Deleted),
        ("/moved/er/page", Change::Updated),
        ("/docs/a-b", Change::Deleted),
    ] {
        assert!(told.contains(&(expected.0.to_owned(), expected.1)), "{expected:?} {told:?}");
    }
}

#[test]
fn objects_with_sidecars_are_served_by_their_highest_version() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    object(
        root,
        "1122334455667788",
        0,
        r#"(alias: "old", title: "One", mime: "text/markdown")"#,
        "a",
    );
    object(
        root,
        "1122334455667788",
        1,
        r#"(alias: "a", title: Some("Two"), mime: "text/markdown")"#,
        "b",
    );
    object(root, "00000000000000aa", 0, r#"(title: "No alias", mime: "text/markdown")"#, "b");
    object(root, "00000000000000ab", 0, r#"(alias: "pic.png", mime: "image/png")"#, "b");
    object(
        root,
        "00000000000000ac",
        0,
        r#"(alias: "login/x", title: "R", mime: "text/markdown")"#,
        "b",
    );
    object(root, "00000000000000ad", 0, r#"(alias: "x", title: "#, "b");
    object(
        root,
        "00000000000000ae",
        0,
        r#"(alias: "A", title: "Same", mime: "text/markdown")"#,
        "b",
    );
    object(
        root,
        "00000000000000af",
        0,
        r#"(alias: "t", title: "T", mime: "text/markdown", tags: ["in"])"#,
        "b",
    );
    write(root, "content/b0/00000000000000b0.0", "blob alone");
    write(root, "content/00/00000000000000b1.0", "in the wrong shard");
    write(root, "state/sys/tags.yaml", "in:\n  name: Inner\n  roles: [staff]\n");
    let cache = open(root);
    assert_eq!(sitemap(&cache), ["/a", "/id/00000000000000aa"]);
    assert_eq!(cache.find("a").unwrap().id.to_string(), "00000000000000ae");
    assert!(cache.find("login/x").is_none());
    let faults: Vec<Fault> = cache.findings().iter().map(|finding| finding.fault).collect();
    for fault in [Fault::Metadata, Fault::ReservedAlias, Fault::NoSidecar, Fault::DuplicateAlias] {
        assert!(faults.contains(&fault), "{fault:?} {faults:?}");
    }
    assert_eq!(faults.len(), 4, "{:?}", cache.findings());
    let start = cache.snapshot().1;
    write(root, "state/sys/tags.yaml", "in:\n  name: Inner\n  roles: []\n");
    assert_eq!(sitemap(&cache), ["/a", "/id/00000000000000aa", "/t"]);
    // The last good rules stay.
    write(root, "state/sys/tags.yaml", "in: [");
    assert_eq!(sitemap(&cache), ["/a", "/id/00000000000000aa", "/t"]);
    assert!(cache.findings().iter().any(|finding| finding.fault == Fault::Rules));
    assert_eq!(changes(&cache, start), [("/t".to_owned(), Change::Created)]);
    assert_eq!(cache.versions(cache.find("a").unwrap().id), [0]);
    fs::remove_file(root.join("content/ae/00000000000000ae.0.ron")).unwrap();
    cache.refresh();
    assert_eq!(&*cache.find("a").unwrap().title, "Two");
}

#[test]
fn what_changed_while_nobody_looked_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for name in ["a", "b", "c"] {
        write(root, &format!("pages/{name}.md"), "# Title\n");
    }
    let cache = open(root);
    assert!(changes(&cache, 0).is_empty());
    let from = cache.journal().from().unwrap();
    drop(cache);
    fs::remove_file(root.join("pages/a.md")).unwrap();
    write(root, "pages/b.md", "# Another title\n");
    write(root, "pages/d.md", "# Title\n");
    let cache = open(root);
    assert_eq!(
        changes(&cache, 0),
        [
            ("/a".to_owned(), Change::Deleted),
            ("/b".to_owned(), Change::Updated),
            ("/d".to_owned(), Change::Created)
        ]
    );
    assert_eq!(cache.journal().from().unwrap(), from);
}

#[test]
fn a_page_that_is_read_is_the_one_on_disk() {
    use std::io::Read as _;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "pages/a.md", "# One\n");
    let cache = open(root);
    let meta = cache.find("a").unwrap();
    write(root, "pages/a.md", "# Two, which is longer\n");
    // Nobody took what the kernel has to say.
    let (mut file, meta) = cache.open_blob(&meta).unwrap();
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), &*meta.title), ("# Two, which is longer\n", "Two, which is longer"));
    fs::remove_file(root.join("pages/a.md")).unwrap();
    assert!(cache.open_blob(&meta).is_err());
    assert!(cache.find("a").is_none());
}

#[test]
fn links_out_of_the_root_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
    write(&outside, "secret.md", "# Secret\n");
    write(&root, "pages/a.md", "# A\n");
    std::os::unix::fs::symlink(outside.join("secret.md"), root.join("pages/s.md")).unwrap();
    std::os::unix::fs::symlink(&outside, root.join("pages/out")).unwrap();
    std::os::unix::fs::symlink("a.md", root.join("pages/within.md")).unwrap();
    let cache = open(&root);
    assert_eq!(sitemap(&cache), ["/a", "/within"]);
    assert_eq!(cache.findings().len(), 2, "{:?}", cache.findings());
}

const STAFF: &str = "in:\n  name: Inner\n  roles: [staff]\n";
const TAGGED: &str = "---\ntitle: Inner\ntags: [in]\n---\nText\n";

#[test]
fn rules_that_are_being_written_open_nothing() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "pages/inner.md", TAGGED);
    write(root, "state/sys/tags.yaml", STAFF);
    let cache = open(root);
    assert!(sitemap(&cache).is_empty());
    let start = cache.snapshot().1;
    // Emptied, as most programs do before they write.
    let mut file = fs::File::create(root.join("state/sys/tags.yaml")).unwrap();
    assert!(sitemap(&cache).is_empty());
    file.write_all(b"other:\n  name: Other\n  roles: []\n").unwrap();
    assert!(sitemap(&cache).is_empty());
    file.write_all(STAFF.as_bytes()).unwrap();
    drop(file);
    assert!(sitemap(&cache).is_empty());
    assert!(changes(&cache, start).is_empty());
    // What is closed counts.
    write(root, "state/sys/tags.yaml", "in:\n  name: Inner\n  roles: []\n");
    assert_eq!(sitemap(&cache), ["/inner"]);
}

#[test]
fn rules_that_cannot_be_read_open_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    write(&root, "pages/inner.md", TAGGED);
    write(folder.path(), "elsewhere.yaml", STAFF);
    fs::create_dir_all(root.join("state/sys")).unwrap();
    let link = root.join("state/sys/tags.yaml");
    std::os::unix::fs::symlink(folder.path().join("elsewhere.yaml"), link).unwrap();
    let cache = open(&root);
    assert!(sitemap(&cache).is_empty());
    assert!(cache.findings().iter().any(|finding| finding.fault == Fault::Rules));
}

#[test]
fn an_object_stays_when_a_page_with_its_id_goes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let id = "1122334455667788";
    write(root, "pages/a.md", &format!("---\nid: {id}\ntitle: A\n---\nText\n"));
    write(root, "content/keep", "");
    let cache = open(root);
    assert_eq!(sitemap(&cache), ["/a"]);
    object(root, id, 0, r#"(alias: "b", title: "B", mime: "text/markdown")"#, "text");
    assert_eq!(sitemap(&cache), ["/a", "/b"]);
    fs::remove_file(root.join("pages/a.md")).unwrap();
    assert_eq!(sitemap(&cache), ["/b"]);
    cache.sweep();
    assert_eq!(sitemap(&cache), ["/b"]);
}

#[test]
fn a_journal_is_opened_by_several_at_once_and_has_one_identity() {
    let folder = tempfile::tempdir().unwrap();
    let open = || tidings_site::Journal::open(folder.path()).unwrap().identity().unwrap();
    let names: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(names[0].len(), 32);
    assert!(names.iter().all(|name| *name == names[0]), "{names:?}");
    assert_eq!(open(), names[0]);
}
