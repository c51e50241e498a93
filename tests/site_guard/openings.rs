//! Pages whose first lines restrict them, and are no front matter that is read; rules of folders under other names.

use std::fs;

use crate::content_root::{Layout, Page, Root, Site};
use crate::{assert_hidden, assert_nothing_reported, figures};

/// Lines that say who may see a page, in the words and fences of other programs, or nearly so.
const OPENINGS: [&str; 34] = [
    "---json\n{\n  \"title\": \"T\",\n  \"draft\": true\n}\n---\n",
    "---js\n{\n  title: \"T\",\n  draft: true,\n}\n---\n",
    "---toml\ntitle = \"T\"\ndraft = true\n---\n",
    "--- # front matter\nroles: [staff]\n---\n",
    "{\n  \"title\": \"T\",\n  \"draft\": true\n}\n",
    "{ \"title\": \"T\", \"roles\": [\"staff\"] }\n",
    "\n---\ndraft: true\n---\n",
    "\n  \n\r\n---\nroles: [staff]\n---\n",
    "\u{feff}\n---\ntitle: T\ndraft: true\n---\n",
    "\n+++\ndraft = true\n+++\n",
    "----\ndraft: true\n----\n",
    "--\nprivate: true\n--\n",
    " ---\ntags: [staff]\n---\n",
    "\t---\nvisibility: private\n---\n",
    "---\u{a0}\nexpiryDate: 2001-01-01\n---\n",
    "\u{200b}---\ndraft: true\n---\n",
    "—\ndraft: true\n—\n",
    "---\rdraft: true\r---\r",
    "++++\nhidden = true\n++++\n",
    "title: T\ndraft: true\n\n",
    "title: T\nroles: [staff]\n---\n",
    "#+title: T\n#+draft: true\n\n",
    "<!-- front matter -->\n---\ndrafft: true\n---\n",
    "---\n\n\"unlisted\": [true\n---\n",
    "---\n---\ndraft: true\n---\n",
    "---\n\n---\nroles: [staff]\n---\n",
    "---\ntitle: T\n---\n---\ndraft: true\n---\n",
    "---\ntitle: T\n---\n\n+++\ndraft = true\n+++\n",
    "# T\n---\ntitle: T\ndraft: true\n---\n",
    "---\ndraft true\n---\n",
    "---\nPrivate\n---\n",
    "draft: true\n",
    "Title: T\nRoles: staff\n\n",
    "\u{ff0d}\u{ff0d}\u{ff0d}\ndraft: true\n---\n",
];

fn in_utf16(text: &str, is_little: bool) -> Vec<u8> {
    let bytes = |unit: u16| if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() };
    text.encode_utf16().flat_map(bytes).collect()
}

/// Asserts that the file of the page for the staff shows nothing, and that a finding says so.
#[track_caller]
fn assert_withheld(root: &Root, site: &Site, when: &str) {
    assert_hidden(site, when);
    assert_eq!(site.listed_paths(), ["/open".to_owned()].into(), "{when}");
    let faults = crate::faults(root);
    assert!(faults.iter().all(|fault| fault == "metadata"), "{when}: {faults:?}");
}

#[test]
fn a_page_whose_restriction_stands_in_no_known_front_matter_is_for_nobody() {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    let mut site = root.serve(&[]);
    let body = "# Quarterly-Figures\n\nThe secret word is quarzfalter.\n";
    let mut files: Vec<Vec<u8>> =
        OPENINGS.iter().map(|opening| format!("{opening}{body}").into_bytes()).collect();
    for text in ["---\ndraft: true\n---\n", "\u{feff}---\ndraft: true\n---\n", "\u{feff}"] {
        files.extend([true, false].map(|is_little| in_utf16(&format!("{text}{body}"), is_little)));
    }
    for (number, file) in files.iter().enumerate() {
        let when = format!("{number}: {:?}", String::from_utf8_lossy(file));
        fs::remove_file(root.path("pages/figures.md")).unwrap_or_default();
        root.write("pages/figures.md", file);
        assert_withheld(&root, &site, &when);
        // What is understood is nothing wrong.
        let is_understood = (6..10).contains(&number);
        assert_eq!(crate::faults(&root).is_empty(), is_understood, "{when}");
    }
    for (number, file) in files.iter().enumerate() {
        root.write(&format!("pages/figures-{number}.md"), file);
    }
    site.stop();
    site = root.serve(&[]);
    for number in 0..files.len() {
        assert_eq!(site.status(&format!("/figures-{number}")), 404, "{number}");
    }
    assert_withheld(&root, &site, "at the start");
    assert_nothing_reported(&site, "at the start");
}

#[test]
fn a_restricted_page_stays_so_when_lines_come_before_its_front_matter() {
    for before in ["\n", "\r\n \n", "\u{feff}\n", " ", "-", "<!-- edited -->\n"] {
        let root = Root::with(Layout::Plain, &[Page::new("open"), figures()]);
        root.restrict();
        let mut site = root.serve(&[]);
        let text = fs::read_to_string(root.path("pages/figures.md")).unwrap();
        root.write("pages/figures.md", format!("{before}{text}"));
        assert_hidden(&site, before);
        site.stop();
        site = root.serve(&[]);
        assert_hidden(&site, &format!("{before:?}, after a restart"));
        assert_nothing_reported(&site, before);
    }
}

#[test]
fn front_matter_after_empty_lines_is_read() {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    root.restrict();
    root.write("pages/a.md", "\n\n---\ntitle: Anemone\n---\nWords.\n");
    root.write("pages/b.md", "\n+++\ntitle = \"Bluebell\"\nroles = [\"staff\"]\n+++\nWords.\n");
    let site = root.serve(&[]);
    let page = site.text("/a");
    assert!(page.contains("<title>Anemone") && !page.contains("title:"), "{page}");
    let staff = site.sign_in_as(&root, "ann", &["staff"]);
    assert_eq!((site.status("/b"), site.get_with("/b", &staff).status), (404, 200));
}

#[test]
fn words_that_only_look_like_front_matter_are_public() {
    let root = Root::new();
    let pages = [
        "---\n\nStatus: good.\n\n---\n\nMore.\n",
        "\n\n---\n\nSome text.\n",
        "----\n\nSome text.\n",
        "----\ntitle: x\ndraft: false\n----\n",
        "{{< toc >}}\n\nWe talk about drafts: true ones.\n",
        "-- a dash, and a draft\n",
        "Access: by tram\n\nAnd on foot.\n",
        "# A\n\n```yaml\n---\ndraft: true\n---\n```\n",
        "---\ntitle: A\n---\n---\n\nStatus: draft, it says.\n\n---\n",
        "---\ntitle: A\n---\nStatus: draft\n",
        "<!-- lint: off -->\n\n# A\n\nStatus: draft, roles: many\n",
        "{\"title\": \"x\", \"draft\": false}\n\nWords.\n",
    ];
    for (number, page) in pages.iter().enumerate() {
        root.write(&format!("pages/p{number}.md"), page);
    }
    let site = root.serve(&[]);
    for (number, page) in pages.iter().enumerate() {
        assert_eq!(site.status(&format!("/p{number}")), 200, "{page}");
    }
    assert_eq!(site.listed().len(), pages.len());
}

#[test]
fn rules_of_a_folder_under_another_name_close_it() {
    let names = [
        "_Folder.toml",
        "_FOLDER.TOML",
        "_folder.tml",
        "_folder.yaml",
        "_folder.toml.txt",
        "folder.toml",
        "_floder.toml",
        ".folder.toml",
    ];
    for name in names {
        let root = Root::with(Layout::Plain, &[Page::new("open"), Page::new("team/deep/figures")]);
        let path = format!("pages/team/{name}");
        root.write(&path, "roles = [\"staff\"]\n");
        root.write("pages/team/deep/plan.pdf", "quarzfalter");
        let mut site = root.serve(&[]);
        let check = |site: &Site, when: &str| {
            assert_eq!(site.listed_paths(), ["/open".to_owned()].into(), "{name}: {when}");
            let file = format!("/team/{name}");
            for path in ["/team/deep/figures", "/team/deep/plan.pdf", &file] {
                assert_eq!(site.status(path), 404, "{name}: {path} {when}");
            }
            assert!(!site.text("/resourcesync/resourcelist.xml").contains("/team/"), "{name}");
        };
        check(&site, "at the start");
        assert_eq!(crate::faults(&root), ["misspelt"], "{name}");
        // Renamed to the right name it says what it says.
        fs::rename(root.path(&path), root.path("pages/team/_folder.toml")).unwrap();
        let staff = site.sign_in_as(&root, "ann", &["staff"]);
        assert_eq!(site.status("/team/deep/plan.pdf"), 404, "{name}: renamed");
        assert_eq!(site.get_with("/team/deep/plan.pdf", &staff).status, 200, "{name}: renamed");
        // And beside that it closes the folder as well.
        root.write("pages/team/_folder.toml", "roles = [] # for everybody\n");
        assert_eq!(site.status("/team/deep/plan.pdf"), 200, "{name}: open");
        root.write(&path, "roles = [\"staff\"]\n");
        check(&site, "beside");
        site.stop();
        site = root.serve(&[]);
        check(&site, "after a restart");
        fs::remove_file(root.path(&path)).unwrap();
        assert_eq!(site.status("/team/deep/plan.pdf"), 200, "{name}: removed");
    }
}

#[test]
fn a_checkout_that_renames_misnamed_rules_opens_nothing() {
    let root = Root::with(Layout::Plain, &[Page::new("open"), Page::new("team/figures")]);
    root.write("pages/team/_Folder.toml", "roles = [\"staff\"]\n");
    let site = root.serve_settling("600s", &[]);
    fs::remove_file(root.path("pages/team/_Folder.toml")).unwrap();
    assert_eq!(site.status("/team/figures"), 404);
    root.write("pages/team/_folder.toml", "roles = [\"staff\"]\n");
    assert_eq!(site.status("/team/figures"), 404);
    assert_nothing_reported(&site, "renamed");
}
