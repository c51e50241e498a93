mod pages;
mod upload;
mod versions;

use std::path::{Path, PathBuf};

use super::*;
use crate::{AccessRule, Tag};

fn root(folders: &[&str]) -> (tempfile::TempDir, Editor) {
    let root = tempfile::tempdir().unwrap();
    for folder in folders {
        std::fs::create_dir_all(root.path().join(folder)).unwrap();
    }
    let editor = Editor::new(root.path());
    (root, editor)
}

fn page(title: &str, body: &str) -> Draft {
    Draft {
        title: Some(title.to_owned()),
        body: body.as_bytes().to_vec(),
        mime: MARKDOWN.to_owned(),
        ..Draft::default()
    }
}

/// All files below a folder, by their paths.
fn files(folder: &Path) -> Vec<String> {
    fn walk(top: &Path, folder: PathBuf, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                walk(top, path, found);
            } else {
                found.push(path.strip_prefix(top).unwrap().display().to_string());
            }
        }
    }
    let mut found = Vec::new();
    walk(folder, folder.to_owned(), &mut found);
    found.retain(|path| path != "state/tidings/edit.lock");
    found.sort();
    found
}

#[test]
fn what_was_seen_goes_through_a_form() {
    for seen in [Seen::Version(7), Seen::File { modified: -5, length: 3 }] {
        assert_eq!(Seen::parse(&seen.to_string()), Some(seen));
    }
    for bad in ["", "v", "v-1", "f1", "f1+", "f1+-2", "x1", "v99999999999"] {
        assert_eq!(Seen::parse(bad), None, "{bad}");
    }
}

#[test]
fn new_objects_go_where_there_is_content() {
    assert_eq!(root(&["content", "pages"]).1.layout(), Layout::Versioned);
    assert_eq!(root(&["pages"]).1.layout(), Layout::Plain);
    assert_eq!(root(&[]).1.layout(), Layout::Plain);
    let nowhere = Editor::new("/nowhere/at/all").create(&page("x", "y"));
    assert!(matches!(nowhere, Err(EditError::Io { .. })), "{nowhere:?}");
}

#[test]
fn what_cannot_be_saved_is_refused_first() {
    for folders in [&["content"][..], &[]] {
        let (root, editor) = root(folders);
        let long = Draft { body: vec![b'x'; LONGEST + 1], ..page("x", "") };
        assert!(matches!(editor.create(&long), Err(EditError::TooLarge { .. })));
        let bytes = Draft { body: vec![0xff], ..page("x", "") };
        assert!(matches!(editor.create(&bytes), Err(EditError::Encoding)));
        for mime in ["", "text", "text/", "text/x\r\nSet-Cookie: a", "é/x"] {
            let draft = Draft { mime: mime.to_owned(), ..page("x", "") };
            assert!(matches!(editor.create(&draft), Err(EditError::Mime(_))), "{mime}");
        }
        assert!(files(root.path()).is_empty());
    }
}

#[test]
fn tags_and_roles_are_replaced() {
    let (root, editor) = root(&[]);
    let mut rules = TagRules::default();
    let tag = Tag {
        name: "Staff".to_owned(),
        roles: vec!["editor".to_owned()],
        access_rule: Some(AccessRule::Union),
    };
    rules.tags.insert("staff".to_owned(), tag);
    for _ in 0..2 {
        editor.save_tags(&rules).unwrap();
        editor.save_roles(&["editor".to_owned(), "admin".to_owned()]).unwrap();
    }
    assert_eq!(files(root.path()), ["state/sys/roles.yaml", "state/sys/tags.yaml"]);
    let read = |name: &str| std::fs::read(root.path().join("state/sys").join(name)).unwrap();
    assert_eq!(TagRules::parse(&read("tags.yaml")).unwrap(), rules);
    assert_eq!(read("roles.yaml"), b"- admin\n- editor\n");
}

#[test]
fn a_state_that_is_elsewhere_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    let (root, editor) = root(&["content"]);
    std::os::unix::fs::symlink(outside.path(), root.path().join("state")).unwrap();
    assert!(matches!(editor.save_roles(&[]), Err(EditError::Link(_))));
    assert!(matches!(editor.create(&page("x", "y")), Err(EditError::Link(_))));
    assert!(files(outside.path()).is_empty());
}
