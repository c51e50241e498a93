//! What is not for everybody: who sees it, and that nobody else learns of it.

use crate::content_root::{LAYOUTS, Layout, Page, Root, Site, id_of};
use crate::support::follower::Answer;

const SECRET: &str = "Quarterly-Figures";

/// A public page, and one for the staff in the navigation.
fn staffed(layout: Layout) -> (Root, Site) {
    let root = Root::with(
        layout,
        &[
            Page::new("open").in_navigation("Open").says("For all.\n"),
            Page::new("figures")
                .titled(SECRET)
                .tagged(&["staff"])
                .in_navigation(SECRET)
                .says("The secret number is 4711.\n"),
        ],
    );
    root.restrict();
    let site = root.serve(&[]);
    (root, site)
}

/// An answer without what differs between any two requests.
fn alike(answer: &Answer) -> (Vec<String>, Vec<u8>) {
    let lines = answer.head.lines().filter(|line| !line.to_lowercase().starts_with("date:"));
    (lines.map(str::to_owned).collect(), answer.body.clone())
}

#[test]
fn a_restricted_page_is_there_for_those_with_the_role_alone() {
    for layout in LAYOUTS {
        let (root, site) = staffed(layout);
        let missing = site.get("/missing");
        assert_eq!(missing.status, 404);
        let staff = site.sign_in_as(&root, "ann", &["staff"]);
        let other = site.sign_in_as(&root, "bob", &["press"]);
        let admin = site.sign_in_admin();
        for (who, status) in [("", 404), (&other, 404), (&staff, 200), (&admin, 200)] {
            let answer = site.get_with("/figures", who);
            assert_eq!(answer.status, status, "{layout:?}");
            assert_eq!(answer.text().contains("4711"), status == 200, "{layout:?}");
            if status == 200 {
                let kept = answer.header("cache-control");
                assert_eq!(kept.as_deref(), Some("private, no-store"));
                assert!(answer.text().contains(&format!(">{SECRET}</a>")), "it is in their menu");
            }
        }
        // Strangers cannot tell it from what is not there.
        assert_eq!(alike(&site.get("/figures")), alike(&missing), "{layout:?}");
        let id = format!("/id/{:016x}", id_of("figures"));
        assert_eq!(alike(&site.get(&id)), alike(&missing), "{layout:?}");
        assert_eq!(alike(&site.get("/Figures/")), alike(&missing), "{layout:?}");
    }
}

#[test]
fn a_sign_in_that_is_wrong_ends_nowhere() {
    let (root, site) = staffed(Layout::Plain);
    let form = site.get("/login/");
    assert_eq!(form.status, 200);
    assert_eq!(form.header("cache-control").as_deref(), Some("no-store"));
    assert_eq!(site.get("/login").header("location").as_deref(), Some("/login/"));
    let cookie = form.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap());
    let text = form.text();
    let guard = text.split("name=\"guard\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let post = |headers: &str, body: &str| {
        let headers = format!("Content-Type: application/x-www-form-urlencoded\r\n{headers}");
        site.request("POST", "/login/", &headers, body)
    };
    let right = site.ready["password"].as_str().unwrap();
    let wrong = format!("name=admin&password=wrong-wrong&guard={guard}");
    assert_eq!(post(&cookie, &wrong).status, 401);
    // Without what the form carried, or from another site, even the right words are not taken.
    let well = format!("name=admin&password={right}&guard={guard}");
    assert_eq!(post("", &well).status, 403);
    assert_eq!(post(&cookie, &format!("name=admin&password={right}")).status, 403);
    assert_eq!(post(&format!("{cookie}Origin: https://evil.example\r\n"), &well).status, 403);
    assert_eq!(post(&format!("{cookie}Sec-Fetch-Site: cross-site\r\n"), &well).status, 403);
    let _ = root;
}

#[test]
fn who_signs_out_sees_what_strangers_see() {
    let (root, site) = staffed(Layout::Plain);
    let session = site.sign_in_as(&root, "ann", &["staff"]);
    assert_eq!(site.get_with("/figures", &session).status, 200);
    let text = site.get_with("/login/", &session).text();
    let guard = text.split("name=\"guard\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let headers = format!("{session}Content-Type: application/x-www-form-urlencoded\r\n");
    let answer = site.request("POST", "/login/out", &headers, &format!("guard={guard}"));
    assert_eq!(answer.status, 303, "{}", answer.head);
    assert_eq!(site.get_with("/figures", &session).status, 404);
}

/// All lists, as a stranger gets them, by what they are called.
fn lists(site: &Site) -> Vec<(&'static str, Answer)> {
    let paths = [
        "/",
        "/open",
        "/missing",
        "/sitemap.xml",
        "/sitemap_index.xml",
        "/sitemaps/sitemap-0001.xml",
        "/feed.atom",
        "/.well-known/resourcesync",
        "/resourcesync/capabilitylist.xml",
        "/resourcesync/resourcelist.xml",
        "/resourcesync/resourcelist-part.xml?from=%2Ff&until=%2Fg",
        "/resourcesync/changelist.xml",
        "/resourcesync/resourcedump.xml",
        "/resourcesync/resourcedump-part.zip",
        "/builtin/search?q=figures",
        "/builtin/search?q=staff",
        "/builtin/search?q=quarterly-figures",
    ];
    paths.into_iter().map(|path| (path, site.get(path))).collect()
}

/// What of a restricted page an answer has: its URL, its title, its words.
fn leaks(answer: &Answer) -> Vec<&'static str> {
    let text = format!("{}\n{}", answer.head, String::from_utf8_lossy(&answer.body));
    let unpacked = unzipped(&answer.body);
    // What was looked for is said again.
    let text = text.replace("value=\"figures\"", "").replace("value=\"quarterly-figures\"", "");
    ["/figures", SECRET, "4711"]
        .into_iter()
        .filter(|word| text.contains(word) || unpacked.contains(word))
        .collect()
}

/// All members of a package, one after the other; nothing if it is none.
fn unzipped(bytes: &[u8]) -> String {
    let Ok(archive) = rawzip::ZipArchive::from_slice(bytes) else { return String::new() };
    let mut text = String::new();
    for entry in archive.entries() {
        let entry = entry.unwrap();
        let found = archive.get_entry(entry.wayfinder()).unwrap();
        let mut member = Vec::new();
        if entry.compression_method() == rawzip::CompressionMethod::DEFLATE {
            let mut decoder = flate2::read::DeflateDecoder::new(found.data());
            std::io::Read::read_to_end(&mut decoder, &mut member).unwrap();
        } else {
            member.extend_from_slice(found.data());
        }
        text += &String::from_utf8_lossy(&member);
    }
    text
}

#[test]
fn w5_a_restricted_page_is_in_no_list() {
    for layout in LAYOUTS {
        let (root, site) = staffed(layout);
        for (path, answer) in lists(&site) {
            assert_eq!(leaks(&answer), [""; 0], "{layout:?} {path}");
        }
        // Not after it is edited, either, nor to somebody of another role.
        root.put(layout, &Page::new("figures").titled(SECRET).tagged(&["staff"]).says("4711!\n"));
        for (path, answer) in lists(&site) {
            assert_eq!(leaks(&answer), [""; 0], "{layout:?} {path}");
        }
        let other = site.sign_in_as(&root, "bob", &["press"]);
        for path in ["/open", "/builtin/search?q=staff", "/sitemap.xml", "/feed.atom"] {
            assert_eq!(leaks(&site.get_with(path, &other)), [""; 0], "{layout:?} {path}");
        }
        // A package is what the test takes it for.
        let package = site.get("/resourcesync/resourcedump-part.zip");
        assert!(unzipped(&package.body).contains("For all."), "{layout:?}");
    }
}

#[test]
fn w5_lists_are_the_same_for_those_who_see_more() {
    // They are for crawlers and copies; what is restricted never gets there.
    for layout in LAYOUTS {
        let (root, site) = staffed(layout);
        let staff = site.sign_in_as(&root, "ann", &["staff"]);
        for path in [
            "/sitemap.xml",
            "/feed.atom",
            "/resourcesync/resourcelist.xml",
            "/resourcesync/changelist.xml",
        ] {
            assert_eq!(leaks(&site.get_with(path, &staff)), [""; 0], "{layout:?} {path}");
        }
    }
}

#[test]
fn w5_a_validator_says_nothing_of_a_restricted_page() {
    for layout in LAYOUTS {
        let (root, site) = staffed(layout);
        root.write("state/sys/tags.yaml", "{}\n");
        let public = site.get("/figures");
        let (etag, modified) =
            (public.header("etag").unwrap(), public.header("last-modified").unwrap());
        root.restrict();
        // Whoever saw it then is not told that it is still the same.
        for condition in [
            format!("If-None-Match: {etag}\r\n"),
            "If-None-Match: *\r\n".to_owned(),
            format!("If-Modified-Since: {modified}\r\n"),
            "Range: bytes=0-1\r\n".to_owned(),
        ] {
            let answer = site.get_with("/figures", &condition);
            let missing = site.get_with("/missing", &condition);
            assert_eq!(answer.status, 404, "{layout:?} {condition}");
            assert_eq!(alike(&answer), alike(&missing), "{layout:?} {condition}");
            assert_eq!(answer.header("etag"), None);
        }
        // And the staff get no validator that could be tried.
        let staff = site.sign_in_as(&root, "ann", &["staff"]);
        assert_eq!(site.get_with("/figures", &staff).header("etag"), None, "{layout:?}");
    }
}

#[test]
fn w5_what_becomes_restricted_is_told_as_deleted() {
    for layout in LAYOUTS {
        let (root, site) = staffed(layout);
        root.write("state/sys/tags.yaml", "{}\n");
        let entry = |site: &Site| {
            let changes = site.text("/resourcesync/changelist.xml");
            changes.rsplit("<url>").find(|it| it.contains("/figures<")).map(str::to_owned)
        };
        assert!(entry(&site).unwrap().contains("change=\"created\""), "{layout:?}");
        assert!(site.listed_paths().contains("/figures"));
        root.restrict();
        let deleted = entry(&site).unwrap();
        assert!(deleted.contains("change=\"deleted\""), "{layout:?}: {deleted}");
        assert!(!site.listed_paths().contains("/figures"));
        let feed = site.text("/feed.atom");
        assert!(!feed.contains(SECRET) && !feed.contains("4711"), "{feed}");
        // By its own tags as well as by the rules.
        root.write("state/sys/tags.yaml", "{}\n");
        root.put(layout, &Page::new("figures").titled(SECRET));
        root.restrict();
        assert!(site.listed_paths().contains("/figures"));
        root.put(layout, &Page::new("figures").titled(SECRET).tagged(&["staff"]));
        assert!(entry(&site).unwrap().contains("change=\"deleted\""), "{layout:?}");
    }
}

#[test]
fn w5_rules_that_cannot_be_read_restrict_all_that_has_tags() {
    for layout in LAYOUTS {
        let (root, site) = staffed(layout);
        for broken in ["staff: [", "\u{0}", "staff:\n  roles: {a: b}\n", "- a\n- b\n"] {
            root.write("state/sys/tags.yaml", broken);
            assert_eq!(site.status("/figures"), 404, "{layout:?} {broken:?}");
            assert_eq!(site.listed_paths(), ["/open".to_owned()].into(), "{layout:?} {broken:?}");
        }
    }
}

#[test]
fn w5_past_versions_are_as_restricted_as_they_were() {
    let root = Root::new();
    let id = id_of("a");
    root.version(id, 0, &Page::new("a").tagged(&["staff"]).sidecar(), "Then 4711.\n");
    root.version(id, 1, &Page::new("a").sidecar(), "Now.\n");
    root.version(2, 0, &Page::new("b").alias("b").sidecar(), "Open then.\n");
    root.version(2, 1, &Page::new("b").alias("b").tagged(&["staff"]).sidecar(), "Not now.\n");
    root.restrict();
    let site = root.serve(&[]);
    let map = site.text(&format!("/builtin/timemap/{id:016x}"));
    assert!(
        !map.contains(&format!("{id:016x}.0>")) && map.contains(&format!("{id:016x}.1>")),
        "{map}"
    );
    assert_eq!(site.status(&format!("/builtin/memento/{id:016x}.0")), 404);
    assert_eq!(site.status(&format!("/builtin/memento/{id:016x}.1")), 200);
    // What is restricted now has no past for strangers.
    for path in
        ["timemap/0000000000000002", "timegate/0000000000000002", "memento/0000000000000002.0"]
    {
        assert_eq!(site.status(&format!("/builtin/{path}")), 404, "{path}");
    }
    let staff = site.sign_in_as(&root, "ann", &["staff"]);
    let answer = site.get_with(&format!("/builtin/memento/{id:016x}.0"), &staff);
    assert!(answer.text().contains("4711"));
    let kept = answer.header("cache-control").unwrap_or_default();
    assert!(kept.contains("no-store"), "{}", answer.head);
}

#[test]
fn w5_roles_and_drafts_in_front_matter_count() {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    root.write("pages/mine.md", "---\ntitle: Mine\nroles: [staff]\n---\n4711\n");
    root.write("pages/draft.md", "---\ntitle: Draft\ndraft: true\n---\n4711\n");
    root.write("pages/toml.md", "+++\ntitle = \"T\"\nroles = [\"staff\"]\n+++\n4711\n");
    let site = root.serve(&[]);
    assert_eq!(site.listed_paths(), ["/open".to_owned()].into());
    let staff = site.sign_in_as(&root, "ann", &["staff"]);
    for (path, status) in [("/mine", 200), ("/draft", 404), ("/toml", 200)] {
        assert_eq!(site.status(path), 404, "{path}");
        assert_eq!(site.get_with(path, &staff).status, status, "{path}");
    }
    assert_eq!(site.get_with("/draft", &site.sign_in_admin()).status, 200);
}

#[test]
fn w5_a_page_that_is_being_written_is_not_open_meanwhile() {
    // Who saves a file empties it first, and it says then who may see it no more.
    use std::io::Write as _;
    let (root, site) = staffed(Layout::Plain);
    let text = Page::new("figures").titled(SECRET).tagged(&["staff"]).front_matter();
    for name in ["figures", "fresh"] {
        for _ in 0..10 {
            let mut file = std::fs::File::create(root.path(&format!("pages/{name}.md"))).unwrap();
            assert_eq!(site.status(&format!("/{name}")), 404, "{name}");
            assert_eq!(site.listed_paths(), ["/open".to_owned()].into(), "{name}");
            file.write_all(text.as_bytes()).unwrap();
            assert_eq!(site.status(&format!("/{name}")), 404, "{name}");
            drop(file);
            assert_eq!(site.listed_paths(), ["/open".to_owned()].into(), "{name}");
        }
    }
    assert_eq!(site.text("/resourcesync/changelist.xml").matches("<url>").count(), 0);
    // An empty page that is finished is one, once nobody fills it.
    std::fs::File::create(root.path("pages/empty.md")).unwrap();
    let begun = std::time::Instant::now();
    while site.status("/empty") != 200 {
        assert!(begun.elapsed().as_secs() < 60, "it stays hidden");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn w5_a_sidecar_that_is_being_written_takes_nothing_away() {
    let (root, site) = staffed(Layout::Versioned);
    let sidecar = root.files(Layout::Versioned, "open").pop().unwrap();
    let file = std::fs::File::create(&sidecar).unwrap();
    assert_eq!(site.listed_paths(), ["/open".to_owned()].into());
    drop(file);
    root.put(Layout::Versioned, &Page::new("open").says("Saved.\n"));
    assert!(site.text("/open").contains("Saved."));
}
