//! Front matter that restricts a page in other words.

use crate::content_root::{Layout, Page, Root};

/// Serves a page with each of these lines of front matter, and asserts the status of each.
#[track_caller]
fn assert_status(lines: &[&str], status: u16) {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    for (number, line) in lines.iter().enumerate() {
        let (fence, title) = if line.contains(" = ") || line.starts_with('[') {
            ("+++", "title = \"x\"")
        } else {
            ("---", "title: x")
        };
        root.write(
            &format!("pages/p{number}.md"),
            format!("{fence}\n{title}\n{line}\n{fence}\nquarzfalter\n"),
        );
    }
    root.restrict();
    let site = root.serve(&[]);
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(site.status(&format!("/p{number}")), status, "{line}");
    }
    let listed = if status == 200 { lines.len() + 1 } else { 1 };
    assert_eq!(site.listed().len(), listed);
}

#[test]
fn other_programs_words_for_not_public_are_understood() {
    assert_status(
        &[
            "draft: true",
            "draft = true",
            "Draft: true",
            "draft: True",
            "draft: \"yes\"",
            "draft: on",
            "DRAFT: TRUE",
            "published: off",
            "Published: No",
            "published: FALSE",
            "render = false",
            "isDraft: true",
            "_build: {render: never}",
            "published: false",
            "published = false",
            "published: \"false\"",
            "publish: no",
            "private: true",
            "private: yes",
            "unlisted: true",
            "hidden: true",
            "public: false",
            "status: draft",
            "visibility: private",
            "permalink: false",
            "headless: true",
            "publishDate: 2999-01-01",
            "publishdate: 2999-01-01T10:00:00+02:00",
            "publishDate = 2999-01-01",
            "publishDate = 2999-01-01T00:00:00Z",
            "published: 2999-01-01",
            "pubdate: \"2999-01-01\"",
            "date: 2999-01-01",
            "date: 2999-01-01 10:00:00 +0000",
            "date = 2999-01-01",
            "date: 2999-1-5",
            "date: 5 Jan 2999",
            "date: January 5th, 2999",
            "date: 05.01.2999",
            "date: \"Sat, 05 Jan 2999 10:00:00 GMT\"",
            "date: 2999",
            "date: 32503680000",
            "expiryDate: 2001-01-01",
            "expiryDate = 2001-01-01T00:00:00Z",
            "unpublishdate: 2001-01-01",
            "publishDate: next week",
            "build: {render: never}",
            "tag: staff",
            "tags: staff garden",
            "taxonomies: {Tags: [staff]}",
            "dg-publish: false",
            "visible: false",
            "listed: no",
            "hide: true",
            "confidential: yes",
            "login: required",
            "state: draft",
            "status: [draft]",
            "status: drfat",
            "embargo: 2999-01-01",
            "datePublished: 2999-01-01",
            "release_date: 2999-01-01",
            "expiry: 2001-01-01",
            "allowed_roles: [staff]",
            "extra: {private: true}",
            "params: {nested: {roles: [staff]}}",
            "[extra]\nprivate = true",
            "[params]\ndraft = true",
            "[taxonomies]\ntags = [\"staff\"]",
        ],
        404,
    );
}

#[test]
fn misspelt_restrictions_are_for_nobody() {
    let lines = [
        "role: [staff]",
        "Roles: [staff]",
        "ROLES: staff",
        "rolse: [staff]",
        "rules: [staff]",
        "Tags: [staff]",
        "taggs: [staff]",
        "drafft: true",
        "privat: true",
        "publised: false",
        "publish-dat: 2999-01-01",
        "access: staff",
        "groups: [staff]",
        "permisions: staff",
        "date: next week",
        "date: 5. Dezember 2999",
        "date: \"{{ date }}\"",
        "cascade: {draft: true}",
        "cascade: [{_target: {path: /x}, private: yes}]",
        "cascade: {params: {roles: [staff]}}",
        "cascade: {build: {render: never}}",
        "role = \"staff\"",
    ];
    assert_status(&lines, 404);
    let root = Root::new();
    for (number, line) in lines[..21].iter().enumerate() {
        root.write(
            &format!("pages/p{number}.md"),
            format!("---\ntitle: x\n{line}\n---\nquarzfalter\n"),
        );
    }
    assert_eq!(crate::faults(&root), vec!["misspelt"; 21]);
}

#[test]
fn keys_that_restrict_nothing_restrict_nothing() {
    assert_status(
        &[
            "draft: false",
            "published: true",
            "published: 2001-01-01",
            "private: false",
            "publishDate: 2001-01-01",
            "date: 2001-01-01",
            "date: git Last Modified",
            "date: Created",
            "date: 2001-1-5",
            "date: 5 Jan 2001 10:00",
            "date: 5. Januari 2001",
            "date:",
            "publishDate: 5 Jan 2001",
            "cascade: {type: docs, draft: false}",
            "expiryDate: 2999-01-01",
            "visibility: public",
            "status: published",
            "layout: post",
            "permalink: /x/",
            "author: Ada",
            "Title: x",
            "mood: good",
            "weight: 3",
            "[extra]\nkey = 1",
            "[extra]\ndraft = false\nrolls = 3",
            "live: https://demo.example/",
            "state: Bavaria",
            "tags: spring garden",
        ],
        200,
    );
}

#[test]
fn unknown_keys_and_keys_in_other_case_are_found() {
    let root = Root::new();
    root.write("pages/a.md", "---\ntitle: x\nmood: good\n---\n");
    root.write("pages/b.md", "---\nTitle: x\n---\n# B\n");
    root.write("pages/c.md", "---\ntitle: x\nPublished: false\n---\n");
    root.write("pages/d.md", "---\ntitle: x\nauthor: Ada\nlayout: post\n---\n");
    assert_eq!(crate::faults(&root), vec!["unknown-key"; 3]);
}

#[test]
fn a_page_appears_at_its_time_and_goes_at_its_end() {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    let at = |seconds: i64| {
        let now = jiff::Timestamp::now().as_second();
        jiff::Timestamp::from_second(now + seconds).unwrap().to_string()
    };
    let site = root.serve(&[]);
    // Two pages: on a busy machine one that is there for a few seconds may never be seen.
    let (soon, end) = (at(3), at(3));
    root.write("pages/soon.md", format!("---\ntitle: x\npublishDate: {soon}\n---\n"));
    root.write("pages/ends.md", format!("---\ntitle: x\nexpiryDate: {end}\n---\n"));
    let (before, after) = (site.status("/soon"), site.status("/ends"));
    if at(0) < soon {
        assert_eq!((before, after), (404, 200));
    }
    let wait_for = |path: &str, status: u16| {
        let begun = std::time::Instant::now();
        while site.status(path) != status {
            assert!(begun.elapsed().as_secs() < 60, "{path} {status}");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        at(0)
    };
    assert!(wait_for("/soon", 200) >= soon);
    assert!(wait_for("/ends", 404) >= end);
    let changes = site.text("/resourcesync/changelist.xml");
    assert!(changes.contains("/soon") && changes.contains("created"), "{changes}");
    if after == 200 {
        assert!(changes.contains("/ends") && changes.contains("deleted"), "{changes}");
    }
}

#[test]
fn robots_may_be_a_list() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    root.write("pages/b.md", "---\ntitle: x\nrobots: [noindex, nofollow]\n---\n");
    root.write("pages/c.md", "+++\ntitle = \"x\"\nrobots = [\"nofollow\", \"noindex\"]\n+++\n");
    let site = root.serve(&[]);
    assert_eq!(site.listed_paths(), ["/a".to_owned()].into());
    let answer = site.get("/b");
    assert_eq!(answer.header("x-robots-tag").as_deref(), Some("noindex, nofollow"));
}
