//! W4: no file is served that is not content, however it is asked for.

use std::fs;
use std::os::unix::fs::symlink;

use crate::content_root::{Layout, Page, Root, id_of, version_path};

const CANARY: &str = "CANARY-4711";

/// A root of both layouts with secrets around and inside it.
fn guarded() -> Root {
    let root = Root::with(Layout::Plain, &[Page::new("fine"), Page::new("docs/a")]);
    root.put(Layout::Versioned, &Page::new("object"));
    fs::create_dir_all(root.outside()).unwrap();
    fs::write(root.outside().join("secret.md"), format!("# {CANARY}\n")).unwrap();
    fs::write(root.outside().join("secret.txt"), CANARY).unwrap();
    root.write("secret.md", CANARY);
    root.write("users.yaml", CANARY);
    root.write("state/sys/roles.yaml", format!("- {CANARY}\n"));
    root.write("pages/.hidden.md", CANARY);
    root.write("pages/.git/config", CANARY);
    root.write("pages/docs/.env", CANARY);
    root.write("content/legacy/old.md", CANARY);
    root.write("content/88/notes.txt", CANARY);
    root.write("content/88/1122334455667799.0", CANARY);
    root.write(
        "content/88/1122334455667799.0.ron",
        "(mime: \"text/plain\", alias: \"wrong-shard\")",
    );
    root
}

#[test]
fn w4_no_path_leads_out() {
    let root = guarded();
    let site = root.serve(&[]);
    root.write("state/tidings/canary", CANARY);
    let sidecar = format!("/{}.ron", version_path(id_of("object"), 0));
    let blob = format!("/{}", version_path(id_of("object"), 0));
    let absolute = root.outside().join("secret.txt").display().to_string();
    let paths = [
        "/../secret.md".to_owned(),
        "/../outside/secret.txt".into(),
        "/docs/../../secret.md".into(),
        "/docs/../../../outside/secret.txt".into(),
        "/%2e%2e/secret.md".into(),
        "/docs/%2e%2e/%2e%2e/secret.md".into(),
        "/%2e%2e%2fsecret.md".into(),
        "/..%2fsecret.md".into(),
        "/..%5csecret.md".into(),
        "/..\\secret.md".into(),
        "/%252e%252e/secret.md".into(),
        "/%c0%ae%c0%ae/secret.md".into(),
        "/fine%00".into(),
        "/fine%00.md".into(),
        "/../secret.md%00.html".into(),
        "/pages/fine.md".into(),
        "/fine.md".into(),
        "/.hidden".into(),
        "/.hidden.md".into(),
        "/.git/config".into(),
        "/docs/.env".into(),
        sidecar.clone(),
        blob.clone(),
        format!("/id{sidecar}"),
        "/content/88/1122334455667799.0.ron".into(),
        "/content/88/notes.txt".into(),
        "/content/legacy/old.md".into(),
        "/wrong-shard".into(),
        "/state/tidings/admin-path".into(),
        "/state/tidings/accounts.db".into(),
        "/state/tidings/canary".into(),
        "/state/sys/tags.yaml".into(),
        "/state/sys/roles.yaml".into(),
        "/users.yaml".into(),
        "/secret".into(),
        "/secret.md".into(),
        absolute.clone(),
        format!("/{absolute}"),
        format!("file://{absolute}"),
        "/etc/passwd".into(),
        "//etc/passwd".into(),
        "/builtin/theme/../../../secret.md".into(),
        "/builtin/theme/%2e%2e/%2e%2e/secret.md".into(),
        "/builtin/theme//etc/passwd".into(),
        "/builtin/theme/page.html".into(),
        "/builtin/memento/../../secret.md".into(),
        format!("/builtin/memento/{:016x}.0.ron", id_of("object")),
        "/resourcesync/../secret.md".into(),
        "/.well-known/../secret.md".into(),
        "/sitemaps/../secret.md".into(),
        "/docs".into(),
        "/docs/".into(),
    ];
    for path in &paths {
        let answer = site.get(path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.head);
        let body = String::from_utf8_lossy(&answer.body);
        assert!(!body.contains(CANARY) && !body.contains("root:"), "{path}");
        assert!(!body.contains(site.admin()), "{path}");
    }
    let list = site.text("/resourcesync/resourcelist.xml");
    assert_eq!(list.matches("<url>").count(), 3, "{list}");
}

#[test]
fn w4_no_link_leads_out() {
    let root = guarded();
    let outside = root.outside();
    let site = root.serve(&[]);
    root.write("state/tidings/canary.txt", CANARY);
    // Files, folders, chains, relative and absolute, and in a shard.
    symlink(outside.join("secret.md"), root.path("pages/l1.md")).unwrap();
    symlink("../../outside/secret.md", root.path("pages/l2.md")).unwrap();
    symlink(&outside, root.path("pages/l3")).unwrap();
    symlink("../../outside", root.path("pages/l4")).unwrap();
    symlink("l1.md", root.path("pages/l5.md")).unwrap();
    symlink(outside.join("secret.txt"), root.path("pages/l6.txt")).unwrap();
    symlink("/proc/self/environ", root.path("pages/l7.txt")).unwrap();
    symlink("/proc/self/root/etc/passwd", root.path("pages/l8.txt")).unwrap();
    symlink("/etc/passwd", root.path("pages/docs/l9.txt")).unwrap();
    symlink(".", root.path("pages/l10")).unwrap();
    symlink("l11.md", root.path("pages/l11.md")).unwrap();
    let id = 0x1122_3344_5566_7788_u64;
    let path = version_path(id, 0);
    root.write(&format!("{path}.ron"), "(mime: \"text/plain\", alias: \"l12\")");
    symlink(outside.join("secret.txt"), root.path(&path)).unwrap();
    let other = version_path(id + 0x100, 0);
    root.write(&other, "blob");
    fs::write(outside.join("side.ron"), "(mime: \"text/plain\", alias: \"l13\")").unwrap();
    symlink(outside.join("side.ron"), root.path(&format!("{other}.ron"))).unwrap();
    fs::create_dir_all(outside.join("shard")).unwrap();
    fs::write(outside.join("shard/00000000000000aa.0"), CANARY).unwrap();
    fs::write(
        outside.join("shard/00000000000000aa.0.ron"),
        "(mime: \"text/plain\", alias: \"l14\")",
    )
    .unwrap();
    symlink(outside.join("shard"), root.path("content/aa")).unwrap();
    let all = [
        "/l1",
        "/l2",
        "/l3/secret",
        "/l3/secret.txt",
        "/l4/secret",
        "/l5",
        "/l6.txt",
        "/l7.txt",
        "/l8.txt",
        "/docs/l9.txt",
        "/l10/fine",
        "/l11",
        "/l12",
        "/l13",
        "/l14",
    ];
    let check = |site: &crate::content_root::Site| {
        for path in all {
            let answer = site.get(path);
            assert_eq!(answer.status, 404, "{path}: {}", answer.head);
            let body = String::from_utf8_lossy(&answer.body);
            assert!(!body.contains(CANARY) && !body.contains("root:"), "{path}");
        }
        let list = site.text("/resourcesync/resourcelist.xml");
        assert_eq!(list.matches("<url>").count(), 3, "{list}");
    };
    check(&site);
    site.stop();
    check(&root.serve(&[]));
    // A page that becomes a link is gone in the next response.
    let site = root.serve(&[]);
    assert_eq!(site.status("/fine"), 200);
    fs::remove_file(root.path("pages/fine.md")).unwrap();
    symlink(outside.join("secret.md"), root.path("pages/fine.md")).unwrap();
    assert_eq!(site.status("/fine"), 404);
}

#[test]
fn w4_no_link_leads_to_what_the_site_keeps_for_itself() {
    // Whoever may add pages, by a pull request, say, must not get at accounts and the admin path.
    let root = guarded();
    let site = root.serve(&[]);
    root.write("state/tidings/canary.txt", CANARY);
    symlink("../state/tidings/canary.txt", root.path("pages/s1.txt")).unwrap();
    symlink("../state/tidings/admin-path", root.path("pages/s2.txt")).unwrap();
    symlink("../state/tidings/accounts.db", root.path("pages/s3.txt")).unwrap();
    symlink("../users.yaml", root.path("pages/s4.txt")).unwrap();
    symlink(format!("../{}.ron", version_path(id_of("object"), 0)), root.path("pages/s5.txt"))
        .unwrap();
    symlink(".hidden.md", root.path("pages/s6.md")).unwrap();
    let id = 0x1122_3344_5566_7788_u64;
    root.write(&format!("{}.ron", version_path(id, 0)), "(mime: \"text/plain\", alias: \"s7\")");
    symlink("../../state/tidings/admin-path", root.path(&version_path(id, 0))).unwrap();
    for path in ["/s1.txt", "/s2.txt", "/s3.txt", "/s4.txt", "/s5.txt", "/s7"] {
        let answer = site.get(path);
        assert_eq!(answer.status, 404, "{path}: {}", answer.head);
        let body = String::from_utf8_lossy(&answer.body);
        assert!(!body.contains(CANARY) && !body.contains(site.admin()), "{path}");
    }
}

#[test]
fn w4_a_link_within_the_pages_is_followed() {
    let root = Root::with(Layout::Plain, &[Page::new("docs/a").says("Here.\n")]);
    symlink("docs/a.md", root.path("pages/b.md")).unwrap();
    let site = root.serve(&[]);
    assert!(site.text("/b").contains("Here."));
}
