//! Names that are ignored, rules of folders, and files beside restricted pages.

use std::fs;
use std::time::{Duration, Instant};

use crate::content_root::{Layout, Page, Root};

/// Longer than any of these tests takes, on a machine however busy: nothing settles.
const NEVER: &str = "600s";
/// How long what is gone counts, unless told otherwise. On a busy machine it may be over before an answer is there:
/// then nothing is said of it.
const SETTLE: Duration = Duration::from_secs(2);

#[test]
fn backups_and_temporary_files_are_not_published() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let names = [
        "a.md~",
        "#a.md#",
        ".#a.md",
        "a.md.bak",
        "a.md.orig",
        ".a.md.swp",
        "a.md.swp",
        "a.md.tmp",
        ".a.md.Xy12Ab",
        "sedXy12Ab",
        ".git/config",
        "docs/.hidden/x.md",
        "4913",
        "a.bak/x.md",
        "lost+found/x.md",
        "a.md.rej",
        // KDE, GNOME, LibreOffice, Syncthing, Nextcloud, macOS, Windows, JetBrains, Visual Studio Code, NFS, Kate.
        ".goutputstream-XY12AB",
        ".~lock.a.md#",
        ".syncthing.a.md.tmp",
        "~syncthing~a.md.tmp",
        ".a.md.~1a2b",
        "a.md.ocTransferId123.part",
        "._a.md",
        ".DS_Store",
        "Thumbs.db",
        "thumbs.db",
        "ehthumbs.db",
        "Desktop.ini",
        "a.md___jb_tmp___",
        "a.md___jb_old___",
        "a.md.vsctmp",
        "a.md.XyZabc",
        "a.md.w6t8e9",
        "photo.jpg.XyZabc",
        "a.md.crswap",
        ".nfs000012ab",
        ".a.md.kate-swp",
        "a.md.~2~",
        "a.md.save",
        "@eaDir/a.md",
        "__MACOSX/a.md",
        ".sync-conflict/a.md",
        "a.sync-conflict-20261119-041343-ABCDEFG.md",
    ];
    let check = |site: &crate::content_root::Site| {
        for name in names {
            let path = name.replace('#', "%23");
            assert_eq!(site.status(&format!("/{path}")), 404, "{name}");
            assert_eq!(site.status(&format!("/{}", path.trim_end_matches(".md"))), 404, "{name}");
        }
        let list = site.text("/resourcesync/resourcelist.xml");
        assert_eq!(list.matches("<url>").count(), 1, "{list}");
    };
    let site = root.serve(&[]);
    for name in names {
        root.write(&format!("pages/{name}"), "# Backup quarzfalter\n");
    }
    check(&site);
    crate::assert_nothing_reported(&site, "ignored");
    site.stop();
    check(&root.serve(&[]));
}

/// Removes a folder at one stroke: of one that is there, the files that restrict others are not to go first.
fn remove_folder(root: &Root, name: &str) {
    fs::rename(root.path(&format!("pages/{name}")), root.outside()).unwrap();
    fs::remove_dir_all(root.outside()).unwrap();
}

/// The status of each path for strangers, and for the staff.
#[track_caller]
fn assert_staff_alone(root: &Root, site: &crate::content_root::Site, paths: &[&str]) {
    let staff = site.sign_in_as(root, &format!("ann{}", paths[0].len()), &["staff"]);
    for path in paths {
        assert_eq!(site.status(path), 404, "{path} for strangers");
        assert_eq!(site.get_with(path, &staff).status, 200, "{path} for the staff");
    }
}

#[test]
fn a_folder_says_who_may_see_what_is_in_it() {
    let root = Root::with(Layout::Plain, &[Page::new("open"), Page::new("team/minutes")]);
    root.write("pages/team/photo.jpg", "jpg");
    root.write("pages/team/deep/er/plan.pdf", "pdf");
    root.write("pages/team/_folder.toml", "roles = [\"staff\"]\n");
    let site = root.serve_settling(NEVER, &[]);
    assert_eq!(site.listed_paths(), ["/open".to_owned()].into());
    let paths = ["/team/minutes", "/team/photo.jpg", "/team/deep/er/plan.pdf"];
    assert_staff_alone(&root, &site, &paths);
    assert_eq!(site.status("/team/_folder.toml"), 404);
    // What comes later as well, and what the file says while it is replaced.
    root.write("pages/team/deep/new.md", "# New\n");
    assert_eq!(site.status("/team/deep/new"), 404);
    fs::rename(root.path("pages/team/_folder.toml"), root.path("pages/team/_folder.toml~"))
        .unwrap();
    assert_eq!(site.status("/team/photo.jpg"), 404, "renamed aside");
    for broken in ["", "roles = [\"sta", "role", "[[["] {
        root.write("pages/team/_folder.toml", broken);
        assert_eq!(site.status("/team/photo.jpg"), 404, "{broken:?}");
        assert_eq!(site.status("/team/minutes"), 404, "{broken:?}");
    }
    site.stop();
    let site = root.serve_settling(NEVER, &[]);
    assert_eq!(site.status("/team/photo.jpg"), 404, "broken at the start");
    crate::assert_nothing_reported(&site, "folder");
    // It is lifted by a file that says so.
    root.write("pages/team/_folder.toml", "roles = [] # for everybody\n");
    assert_eq!(site.status("/team/photo.jpg"), 200);
    for closed in
        ["draft = true\n", "role = [\"staff\"]\n", "Roles = \"staff\"\n", "private = true\n"]
    {
        root.write("pages/team/_folder.toml", closed);
        assert_eq!(site.status("/team/photo.jpg"), 404, "{closed}");
        root.write("pages/team/_folder.toml", "roles = [] # for everybody\n");
    }
}

#[test]
fn rules_of_a_folder_that_are_removed_count_for_a_while_and_no_longer() {
    let root = Root::with(Layout::Plain, &[Page::new("team/minutes")]);
    root.write("pages/team/_folder.toml", "roles = [\"staff\"]\n");
    let site = root.serve(&[]);
    assert_eq!(site.status("/team/minutes"), 404);
    let begun = Instant::now();
    fs::remove_file(root.path("pages/team/_folder.toml")).unwrap();
    while site.status("/team/minutes") != 200 {
        assert!(begun.elapsed().as_secs() < 60, "it stays hidden");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(begun.elapsed() >= SETTLE, "{:?}", begun.elapsed());
}

#[test]
fn files_beside_a_restricted_page_are_as_restricted() {
    let root = Root::with(Layout::Plain, &[Page::new("open").says("![x](shown%20here.jpg)\n")]);
    let party = "---\ntitle: Party\nroles: [staff]\n---\n![y](photo.jpg) [p](plan.pdf) ![z](shown%20here.jpg)\n";
    root.write("pages/party.md", party);
    for name in
        ["photo.jpg", "shown here.jpg", "plan.pdf", "party.pdf", "other.pdf", "else/logo.png"]
    {
        root.write(&format!("pages/{name}"), "bytes");
    }
    // Where all pages are restricted, all files are.
    root.write("pages/team/minutes.md", "---\nroles: [staff]\n---\n# Minutes\n");
    root.write("pages/team/any.jpg", "bytes");
    let site = root.serve_settling(NEVER, &[]);
    let restricted = ["/photo.jpg", "/plan.pdf", "/party.pdf", "/party", "/team/any.jpg"];
    assert_staff_alone(&root, &site, &restricted);
    // What a public page beside it names is for everybody, and so is what no restricted page names.
    for path in ["/shown%20here.jpg", "/else/logo.png", "/other.pdf"] {
        assert_eq!(site.status(path), 200, "{path}");
    }
    assert_eq!(crate::faults(&root), ["inherited", "inherited"]);
    // The page is replaced as a checkout does it.
    for page in ["pages/party.md", "pages/team/minutes.md"] {
        let text = fs::read(root.path(page)).unwrap();
        fs::remove_file(root.path(page)).unwrap();
        for path in restricted {
            assert_eq!(site.status(path), 404, "{path}: {page} is gone for a moment");
        }
        root.write(page, &text);
        for path in restricted {
            assert_eq!(site.status(path), 404, "{path}");
        }
    }
    crate::assert_nothing_reported(&site, "beside");
    // One that is public again opens its files.
    root.write("pages/party.md", "# Party\n");
    assert_eq!(site.status("/photo.jpg"), 200);
    // A public page that comes to name a file opens it, too.
    root.write("pages/party.md", party);
    assert_eq!(site.status("/plan.pdf"), 404);
    root.put(Layout::Plain, &Page::new("open").says("[the plan](plan.pdf)\n"));
    assert_eq!(site.status("/plan.pdf"), 200);
    root.write("pages/_folder.toml", "files = \"public\"\n");
    assert_eq!(site.status("/photo.jpg"), 200);
    assert_eq!(site.status("/party"), 404);
}

#[test]
fn a_copy_of_a_restricted_page_is_as_restricted_whatever_its_name() {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    root.restrict();
    let text = format!("{}{}", crate::figures().front_matter(), crate::figures().body);
    // By what they begin with, and, without that, by the name of the page.
    let copies = [
        "tmpk3j2h1_a",
        "figures.md.1",
        "Figures.md,v",
        "a copy",
        "b.txt",
        "c.md.BASE",
        "figures.md.2026-11-19",
    ];
    let plain = ["figures.md.diff", "figures.pdf", "figures.de.pdf", "figures"];
    let check = |site: &crate::content_root::Site| {
        for name in copies.iter().chain(&plain) {
            let path = name.replace(' ', "%20");
            assert_eq!(site.status(&format!("/{path}")), 404, "{name}");
        }
        crate::assert_hidden(site, "copies");
        assert_eq!(site.status("/data.yaml"), 200);
        assert_eq!(site.status("/figurines.pdf"), 200);
    };
    root.write("pages/data.yaml", "---\ntags: [staff]\n---\n");
    root.write("pages/figurines.pdf", "pdf");
    let site = root.serve(&[]);
    root.write("pages/figures.md", &text);
    for name in copies {
        root.write(&format!("pages/{name}"), &text);
    }
    for name in plain {
        root.write(&format!("pages/{name}"), "quarzfalter");
    }
    check(&site);
    for document in ["/resourcesync/resourcelist.xml", "/resourcesync/changelist.xml"] {
        let list = site.text(document);
        assert!(!copies.iter().any(|name| list.contains(name)), "{list}");
    }
    site.stop();
    check(&root.serve(&[]));
}

#[test]
fn a_folder_that_comes_back_file_by_file_is_as_restricted_as_it_was() {
    // Another branch does not have it, and a checkout makes its files in the order of their names.
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    let write = |name: &str, text: &str| root.write(&format!("pages/team/{name}"), text);
    let write_rules = || write("_folder.toml", "roles = [\"staff\"]\n");
    write("2026.md", "# Quarterly-Figures\nquarzfalter\n");
    write_rules();
    let mut site = root.serve(&[]);
    let mut is_late = false;
    for is_restarted in [false, true] {
        assert_eq!(site.status("/team/2026"), 404);
        remove_folder(&root, "team");
        assert_eq!(site.status("/team/2026"), 404);
        // For longer than what is gone counts otherwise.
        std::thread::sleep(SETTLE + SETTLE * 3 / 4);
        if is_restarted {
            site.stop();
            site = root.serve(&[]);
            std::thread::sleep(SETTLE + SETTLE * 3 / 4);
        }
        let begun = Instant::now();
        write("2026.md", "# Quarterly-Figures\nquarzfalter\n");
        for _ in 0..5 {
            let (status, listed) = (site.status("/team/2026"), site.listed_paths());
            is_late |= begun.elapsed() >= SETTLE;
            assert!(is_late || status == 404, "restarted: {is_restarted}");
            assert!(is_late || listed == ["/open".to_owned()].into(), "{listed:?}");
            std::thread::sleep(Duration::from_millis(150));
        }
        write_rules();
        is_late |= begun.elapsed() >= SETTLE;
        assert_eq!(site.status("/team/2026"), 404, "restarted: {is_restarted}");
    }
    if !is_late {
        crate::assert_nothing_reported(&site, "team");
    }
    // One that comes back without rules has none.
    fs::remove_file(root.path("pages/team/_folder.toml")).unwrap();
    let begun = Instant::now();
    while site.status("/team/2026") != 200 {
        assert!(begun.elapsed().as_secs() < 60, "it stays hidden");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn files_that_come_back_before_their_restricted_page_are_as_restricted() {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    let photo = || root.write("pages/party/a.jpg", "quarzfalter");
    let page = || root.write("pages/party/party.md", "---\nroles: [staff]\n---\n# Party\n");
    photo();
    page();
    let site = root.serve(&[]);
    assert_eq!(site.status("/party/a.jpg"), 404);
    remove_folder(&root, "party");
    assert_eq!(site.status("/party/a.jpg"), 404);
    // For longer than what is gone counts otherwise.
    std::thread::sleep(SETTLE + SETTLE * 3 / 4);
    let begun = Instant::now();
    photo();
    let mut is_late = false;
    for _ in 0..5 {
        let status = site.status("/party/a.jpg");
        is_late |= begun.elapsed() >= SETTLE;
        assert!(is_late || status == 404, "{status}");
        std::thread::sleep(Duration::from_millis(150));
    }
    page();
    is_late |= begun.elapsed() >= SETTLE;
    assert_eq!(site.status("/party/a.jpg"), 404);
    if !is_late {
        crate::assert_nothing_reported(&site, "party");
    }
    // Without the page it is a file as any other.
    fs::remove_file(root.path("pages/party/party.md")).unwrap();
    let begun = Instant::now();
    while site.status("/party/a.jpg") != 200 {
        assert!(begun.elapsed().as_secs() < 60, "it stays hidden");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_folder_of_drafts_is_for_nobody() {
    let folders = ["_drafts", "blog/_drafts", "_Drafts", "_draft"];
    for folder in folders {
        let page = format!("{folder}/b");
        let root = Root::with(Layout::Plain, &[Page::new("a"), Page::new(&page)]);
        let site = root.serve(&[]);
        assert_eq!(site.listed_paths(), ["/a".to_owned()].into(), "{folder}");
        assert_eq!(site.status(&format!("/{page}").to_lowercase()), 404, "{folder}");
    }
}

#[test]
fn a_post_of_jekyll_appears_on_the_date_of_its_name() {
    let root = Root::with(Layout::Plain, &[Page::new("a"), Page::new("2999-01-01-not-a-post")]);
    for name in ["_posts/2999-01-01-x", "blog/_posts/2999-1-1-x", "_posts/2001-01-01-x"] {
        root.write(&format!("pages/{name}.md"), "# X\n");
    }
    let site = root.serve(&[]);
    let public = ["/a", "/2999-01-01-not-a-post", "/_posts/2001-01-01-x"];
    assert_eq!(site.listed_paths(), public.map(str::to_owned).into());
}

#[test]
fn data_of_eleventy_that_restricts_a_folder_closes_it() {
    for (name, text, is_open) in [
        ("posts.json", "{\"layout\": \"post\", \"draft\": true}", false),
        ("posts.11tydata.json", "{\n  \"permalink\": false\n}\n", false),
        ("posts.11tydata.js", "module.exports = {\n  roles: [\"staff\"],\n};\n", false),
        ("posts.json", "{\"layout\": \"post\", \"tags\": [\"posts\"], \"draft\": false}", true),
        ("other.json", "{\"draft\": true}", true),
    ] {
        let root = Root::with(Layout::Plain, &[Page::new("a"), Page::new("posts/deep/figures")]);
        root.write("pages/posts/plan.pdf", "quarzfalter");
        root.write(&format!("pages/posts/{name}"), text);
        let site = root.serve_settling(NEVER, &[]);
        let status = if is_open { 200 } else { 404 };
        for path in ["/posts/deep/figures", "/posts/plan.pdf", &format!("/posts/{name}")] {
            assert_eq!(site.status(path), status, "{name} {text}: {path}");
        }
        assert_eq!(crate::faults(&root).is_empty(), is_open, "{name} {text}");
        fs::remove_file(root.path(&format!("pages/posts/{name}"))).unwrap();
        assert_eq!(site.status("/posts/plan.pdf"), status, "{name} {text}: removed");
    }
}

#[test]
fn a_section_that_is_a_draft_or_cascades_a_restriction_is_for_nobody() {
    for matter in [
        "+++\ndraft = true\n+++\n",
        "---\nDraft: yes\n---\n",
        "---\ncascade:\n  draft: true\n---\n",
        "---\ncascade:\n- _target: {path: /team/**}\n  build: {render: never}\n---\n",
        "+++\n[[cascade]]\n[cascade.params]\nroles = ['staff']\n+++\n",
        "{\"cascade\": {\"draft\": true}}\n",
    ] {
        let root = Root::with(Layout::Plain, &[Page::new("open"), Page::new("team/deep/figures")]);
        root.write("pages/team/plan.pdf", "quarzfalter");
        let site = root.serve_settling("600s", &[]);
        assert_eq!((site.status("/team/plan.pdf"), site.listed().len()), (200, 2));
        root.write("pages/team/_index.md", matter);
        let check = |site: &crate::content_root::Site, when: &str| {
            let listed = site.listed_paths();
            assert!(!listed.contains("/team/deep/figures"), "{matter}: {when}");
            for path in ["/team/deep/figures", "/team/plan.pdf"] {
                assert_eq!(site.status(path), 404, "{matter}: {path} {when}");
            }
        };
        check(&site, "written");
        let faults = crate::faults(&root);
        let is_known = |fault: &String| matches!(&**fault, "misspelt" | "metadata");
        assert!(faults.iter().any(is_known), "{matter}: {faults:?}");
        // While it is replaced as well.
        for text in ["", "---\ncasc", "---\ncascade: [\n---\n"] {
            root.write("pages/team/_index.md", text);
            check(&site, text);
        }
        fs::remove_file(root.path("pages/team/_index.md")).unwrap();
        check(&site, "removed");
        root.write("pages/team/_index.md", matter);
        site.stop();
        let site = root.serve(&[]);
        check(&site, "after a restart");
        root.write("pages/team/_index.md", "---\ntitle: Team\n---\n");
        assert_eq!(site.status("/team/plan.pdf"), 200, "{matter}: mended");
    }
}
