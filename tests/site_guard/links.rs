//! Which links of public pages open the files beside restricted ones.

use crate::content_root::{Layout, Page, Root};

/// A folder with a restricted page and its picture, beside a public page that says this.
fn root_with(words: &str) -> Root {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    root.put(Layout::Plain, &Page::new("party/open").says(words));
    root.write("pages/party/secret.md", "---\nroles: [staff]\n---\n![x](cover.jpg)\n");
    for name in ["party/cover.jpg", "party/holiday/cover.jpg", "cover.jpg"] {
        root.write(&format!("pages/{name}"), "jpg");
    }
    root
}

#[test]
fn a_file_of_the_same_name_elsewhere_opens_nothing() {
    for words in [
        "![x](holiday/cover.jpg)",
        "![x](../cover.jpg)",
        "![x](/cover.jpg)",
        "![x](https://example.org/cover.jpg)",
        "![x](//example.org/party/cover.jpg)",
        "[x](https://example.org/?image=cover.jpg)",
        "Our cover.jpg is `cover.jpg`.",
        "<!-- ![x](cover.jpg) <img src=\"cover.jpg\"> -->",
    ] {
        let root = root_with(&format!("{words}\n"));
        let site = root.serve(&[]);
        assert_eq!(site.status("/party/cover.jpg"), 404, "{words}");
        let list = site.text("/resourcesync/resourcelist.xml");
        assert!(!list.contains("/party/cover.jpg"), "{words}: {list}");
        assert_eq!(site.status("/party/holiday/cover.jpg"), 200, "{words}");
    }
}

#[test]
fn a_new_file_is_not_opened_by_a_link_to_another_of_its_name() {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    root.put(Layout::Plain, &Page::new("party/open").says("![x](holiday/cover.jpg)\n"));
    let site = root.serve_settling("600s", &[]);
    root.write("pages/party/cover.jpg", "jpg");
    assert_eq!(site.status("/party/cover.jpg"), 404);
    root.put(Layout::Plain, &Page::new("party/open").says("![x](cover.jpg)\n"));
    assert_eq!(site.status("/party/cover.jpg"), 200);
}

#[test]
fn a_link_to_the_very_file_opens_it() {
    for words in [
        "![x](cover.jpg)",
        "![x](./cover.jpg \"title\")",
        "![x](../party/Cover.jpg?v=1)",
        "[x](/party/cover.jpg#a)",
        "<img src=\"cover.jpg\">",
        "![x][r]\n\n[r]: cover%2Ejpg",
    ] {
        let root = root_with(&format!("{words}\n"));
        let site = root.serve(&[]);
        assert_eq!(site.status("/party/cover.jpg"), 200, "{words}");
    }
}

#[test]
fn files_below_a_folder_of_restricted_pages_are_as_restricted() {
    let root = Root::with(Layout::Plain, &[Page::new("open").says("![x](team/img/shown.jpg)\n")]);
    root.write(
        "pages/team/minutes.md",
        "---\nroles: [staff]\n---\n# Minutes\n![x](img/photo.jpg)\n",
    );
    root.write("pages/team/board.md", "---\nroles: [board]\n---\n# Board\n");
    root.put(Layout::Plain, &Page::new("team/news/open"));
    for name in ["img/photo.jpg", "img/deep/other.jpg", "img/shown.jpg", "news/logo.png"] {
        root.write(&format!("pages/team/{name}"), "bytes");
    }
    let mut site = root.serve_settling("600s", &[]);
    let closed = ["/team/img/photo.jpg", "/team/img/deep/other.jpg", "/team/img/shown.jpg"];
    for is_restarted in [false, true] {
        for path in closed {
            assert_eq!(site.status(path), 404, "{path}, restarted: {is_restarted}");
        }
        let list = site.text("/resourcesync/resourcelist.xml");
        assert!(!list.contains("/team/img/"), "{list}");
        assert_eq!(site.status("/team/news/logo.png"), 200);
        if !is_restarted {
            let staff = site.sign_in_as(&root, "ann", &["staff"]);
            assert_eq!(site.get_with(closed[0], &staff).status, 200, "the page that shows it");
            assert_eq!(site.get_with(closed[1], &staff).status, 404, "one role of two");
        }
        site.stop();
        site = root.serve_settling("600s", &[]);
    }
    assert_eq!(crate::faults(&root), ["inherited"]);
    // A page of its own says that the folder is another thing.
    root.put(Layout::Plain, &Page::new("team/img/index"));
    assert_eq!(site.status(closed[0]), 200);
    std::fs::remove_file(root.path("pages/team/img/index.md")).unwrap();
    site.stop();
    // A start waits for what is missing until that has settled.
    site = root.serve(&[]);
    assert_eq!(site.status(closed[0]), 404);
    root.write("pages/team/_folder.toml", "files = \"public\"\n");
    assert_eq!(site.status(closed[0]), 200, "files = public");
    std::fs::remove_file(root.path("pages/team/_folder.toml")).unwrap();
    // Pages that are for everybody may show these files as well.
    for page in ["minutes", "board"] {
        root.put(Layout::Plain, &Page::new(&format!("team/{page}")));
    }
    for path in closed {
        assert_eq!(site.status(path), 200, "{path}");
    }
}

#[test]
fn a_public_file_elsewhere_that_a_restricted_page_shows_is_found() {
    let root = Root::with(Layout::Plain, &[Page::new("open").says("![x](img/both.jpg)\n")]);
    let words = "![x](img/photo.jpg) ![x](Img/Other.jpg) ![x](img/both.jpg) ![x](/team/a.jpg)";
    root.write("pages/secret.md", format!("---\nroles: [staff]\n---\n# Secret\n{words}\n"));
    root.write("pages/team/_folder.toml", "roles = [\"staff\"]\n");
    for name in ["img/photo.jpg", "img/other.jpg", "img/both.jpg", "team/a.jpg"] {
        root.write(&format!("pages/{name}"), "bytes");
    }
    assert_eq!(crate::faults(&root), ["public-file"]);
    let text = String::from_utf8(root.check(&[]).stdout).unwrap();
    assert!(text.contains("img/other.jpg is for everybody, and so is one more"), "{text}");
    root.write("pages/img/_folder.toml", "files = \"public\"\n");
    assert_eq!(crate::faults(&root), [""; 0]);
}

#[test]
fn a_restricted_page_closes_what_it_names_in_whatever_words() {
    let root = Root::with(Layout::Plain, &[Page::new("open")]);
    let names = ["a (1).jpg", "it's b.jpg", "c=c.jpg", "d_d.jpg", "e.jpg", "f.jpg", "g (2).jpg"];
    for name in names {
        root.write(&format!("pages/{name}"), "jpg");
    }
    root.write(
        "pages/secret.md",
        "---\nroles: [staff]\ncover: it's b.jpg\n---\n![x](<a (1).jpg>) ![x](c=c.jpg) d\\_d.jpg\n\
         ![[e.jpg|200]] x\\f.jpg ![[g (2).jpg]]\n",
    );
    let site = root.serve(&[]);
    for name in names {
        let path = format!("/{}", name.replace(' ', "%20"));
        assert_eq!(site.status(&path), 404, "{name}");
    }
}
