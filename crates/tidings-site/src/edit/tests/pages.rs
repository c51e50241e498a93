use super::*;

fn place(path: &str) -> Place {
    Place::File { path: path.into() }
}

fn text(root: &Path, path: &str) -> String {
    std::fs::read_to_string(root.join("pages").join(path)).unwrap()
}

#[test]
fn a_page_is_made_saved_and_removed() {
    let (root, editor) = root(&[]);
    let draft = Draft { roles: vec!["boss".to_owned()], ..page("Hello, World!", "# Hi\n") };
    let (id, made) = editor.create(&draft).unwrap();
    assert_eq!(made, place("hello-world.md"));
    let expected = "title: \"Hello, World!\"\nroles: [boss]\n---\n# Hi\n";
    assert!(text(root.path(), "hello-world.md").ends_with(expected));
    assert!(matches!(editor.create(&draft), Err(EditError::Exists(_))));

    let (mut read, seen) = editor.read(id, &made).unwrap();
    assert_eq!(read, draft);
    read.body = b"# Ho\n".to_vec();
    assert_eq!(editor.save(id, &made, seen, &read).unwrap(), made);
    // As long as before, and perhaps at the same moment, and still known for another.
    assert!(matches!(editor.save(id, &made, seen, &read), Err(EditError::Changed(_))));
    assert!(matches!(editor.remove(id, &made, seen), Err(EditError::Changed(_))));
    let (_, seen) = editor.read(id, &made).unwrap();
    editor.remove(id, &made, seen).unwrap();
    assert!(matches!(editor.read(id, &made), Err(EditError::Missing(_))));
    let kept = files(root.path());
    assert_eq!(kept.len(), 1);
    assert!(kept[0].starts_with("state/tidings/removed/2"), "{kept:?}");
    assert!(kept[0].ends_with("/pages/hello-world.md"), "{kept:?}");
}

#[test]
fn an_alias_is_where_the_file_is() {
    let (root, editor) = root(&["pages"]);
    let draft = Draft { alias: Some("/Docs//Start/".to_owned()), ..page("x", "y") };
    assert_eq!(editor.create(&draft).unwrap().1, place("docs/start.md"));
    for bad in ["../x", ".hidden", "a/../../b", "a\0b", &"x".repeat(300)] {
        let draft = Draft { alias: Some(bad.to_owned()), ..page("x", "y") };
        assert!(matches!(editor.create(&draft), Err(EditError::Name { .. })), "{bad}");
        let id = ObjectId(1);
        let seen = Seen::File { modified: 0, length: 0 };
        assert!(matches!(editor.read(id, &place(bad)), Err(EditError::Name { .. })));
        let saved = editor.save(id, &place(bad), seen, &page("x", "y"));
        assert!(matches!(saved, Err(EditError::Name { .. })), "{bad}");
        assert!(matches!(editor.remove(id, &place(bad), seen), Err(EditError::Name { .. })));
    }
    let none = Draft { title: None, ..page("", "y") };
    assert!(matches!(editor.create(&none), Err(EditError::NoName)));
    assert_eq!(files(root.path()), ["pages/docs/start.md"]);
}

#[test]
fn what_is_not_ours_stays_and_the_id_is_pinned() {
    use std::os::unix::fs::PermissionsExt as _;
    let (root, editor) = root(&["pages"]);
    let path = root.path().join("pages/a.md");
    std::fs::write(&path, "---\n# Mine\ndate: 2024-01-01\ntitle: Old\ntheme: dark\n---\nOne\n")
        .unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let id = ObjectId::parse("1122334455667788").unwrap();
    let (mut draft, seen) = editor.read(id, &place("a.md")).unwrap();
    assert_eq!((draft.title.as_deref(), &draft.body[..]), (Some("Old"), &b"One\n"[..]));
    // A body that looks like front matter is a body still.
    draft.body = b"---\ntitle: Not this\n---\nTwo\n".to_vec();
    draft.tags = vec!["t".to_owned()];
    editor.save(id, &place("a.md"), seen, &draft).unwrap();
    assert_eq!(
        text(root.path(), "a.md"),
        "---\n# Mine\ndate: 2024-01-01\ntitle: Old\ntheme: dark\nid: \"1122334455667788\"\ntags: [t]\n---\n\
         ---\ntitle: Not this\n---\nTwo\n"
    );
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(editor.read(id, &place("a.md")).unwrap().0, draft);

    // Without any before, and with a break at its top.
    std::fs::write(&path, "---\n\nOne\n\n---\n").unwrap();
    let (draft, seen) = editor.read(id, &place("a.md")).unwrap();
    assert_eq!(draft.body, b"---\n\nOne\n\n---\n");
    editor.save(id, &place("a.md"), seen, &draft).unwrap();
    assert_eq!(editor.read(id, &place("a.md")).unwrap().0, draft);

    std::fs::write(&path, "---\ntitle: [\n---\n").unwrap();
    assert!(matches!(editor.read(id, &place("a.md")), Err(EditError::FrontMatter(_))));
    std::fs::write(&path, "\u{ff}".repeat(LONGEST)).unwrap();
    assert!(matches!(editor.read(id, &place("a.md")), Err(EditError::TooLarge { .. })));
    std::fs::write(&path, b"\xff").unwrap();
    assert!(matches!(editor.read(id, &place("a.md")), Err(EditError::Encoding)));
}

#[test]
fn files_that_are_no_pages_have_a_body_only() {
    let (root, editor) = root(&["pages"]);
    std::fs::write(root.path().join("pages/a.css"), "---\na: b\n---\n").unwrap();
    let id = ObjectId::of_path("a.css");
    let (mut draft, seen) = editor.read(id, &place("a.css")).unwrap();
    assert_eq!((draft.mime.as_str(), &draft.body[..]), ("text/css", &b"---\na: b\n---\n"[..]));
    draft.body = b"\xff".to_vec();
    editor.save(id, &place("a.css"), seen, &draft).unwrap();
    let (mut draft, seen) = editor.read(id, &place("a.css")).unwrap();
    assert_eq!(draft.body, b"\xff");
    draft.roles = vec!["boss".to_owned()];
    assert!(matches!(editor.save(id, &place("a.css"), seen, &draft), Err(EditError::NoTags)));
}

#[test]
fn folders_and_files_that_are_elsewhere_are_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("a.md"), "secret").unwrap();
    let (root, editor) = root(&["pages/real"]);
    let link = |to: &Path, name: &str| {
        std::os::unix::fs::symlink(to, root.path().join("pages").join(name)).unwrap();
    };
    link(outside.path(), "out");
    link(&outside.path().join("a.md"), "a.md");
    link(Path::new("../pages/real"), "within");
    let seen = Seen::File { modified: 0, length: 6 };
    for path in ["out/a.md", "a.md"] {
        let id = ObjectId::of_path(path);
        assert!(matches!(editor.read(id, &place(path)), Err(EditError::Link(_))), "{path}");
        let saved = editor.save(id, &place(path), seen, &page("x", "y"));
        assert!(matches!(saved, Err(EditError::Link(_))), "{path}");
        assert!(matches!(editor.remove(id, &place(path), seen), Err(EditError::Link(_))), "{path}");
    }
    let create =
        |alias: &str| editor.create(&Draft { alias: Some(alias.to_owned()), ..page("x", "y") });
    assert!(matches!(create("out/new"), Err(EditError::Link(_))));
    assert!(matches!(create("out/deep/new"), Err(EditError::Link(_))));
    assert!(matches!(create("a"), Err(EditError::Exists(_))));
    create("within/new").unwrap();
    assert!(root.path().join("pages/real/new.md").exists());
    assert_eq!(files(outside.path()), ["a.md"]);
    assert_eq!(std::fs::read(outside.path().join("a.md")).unwrap(), b"secret");
    // A folder and a pipe are no files.
    std::fs::create_dir(root.path().join("pages/dir.md")).unwrap();
    assert!(matches!(editor.read(ObjectId(1), &place("dir.md")), Err(EditError::Io { .. })));
    assert!(matches!(create("a.md/x"), Err(EditError::Link(_) | EditError::Io { .. })));
}
