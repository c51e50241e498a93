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
