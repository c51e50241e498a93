use std::io::{self, Read};

use super::*;

struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the browser went away"))
    }
}

#[test]
fn a_file_becomes_an_object() {
    let (root, editor) = root(&["content"]);
    let tags = ["docs".to_owned()];
    let (id, place) = editor
        .upload("C:\\x\\Bild ü.png", "image/png", &b"png"[..], 3, Some("bild"), &tags)
        .unwrap();
    let (draft, _) = editor.read(id, &place).unwrap();
    assert_eq!(draft.original_filename.as_deref(), Some("Bild ü.png"));
    assert_eq!((draft.mime.as_str(), &draft.body[..]), ("image/png", &b"png"[..]));
    assert_eq!((draft.alias.as_deref(), &draft.tags[..]), (Some("bild"), &tags[..]));

    let long = editor.upload("x.png", "image/png", &b"png+"[..], 3, None, &[]);
    assert!(matches!(long, Err(EditError::TooLarge { limit: 3 })), "{long:?}");
    assert!(matches!(
        editor.upload("x", "image/png", Failing, 3, None, &[]),
        Err(EditError::Io { .. })
    ));
    assert!(matches!(editor.upload("x", "png", &b""[..], 3, None, &[]), Err(EditError::Mime(_))));
    // Nothing is left of those.
    assert_eq!(files(&root.path().join("content")).len(), 2);
}

#[test]
fn markdown_becomes_a_page() {
    let (root, editor) = root(&["content"]);
    let mime = "text/markdown; charset=utf-8";
    let (id, place) = editor
        .upload("start.md", mime, &b"---\ntitle: Start\ntags: [a]\n---\nHi"[..], 99, None, &[])
        .unwrap();
    let (draft, _) = editor.read(id, &place).unwrap();
    assert_eq!((draft.title.as_deref(), &draft.tags[..]), (Some("Start"), &["a".to_owned()][..]));
    assert_eq!((draft.mime.as_str(), &draft.body[..]), (MARKDOWN, &b"Hi"[..]));
    let (id, place) = editor.upload("No title.md", mime, &b"Hi"[..], 99, None, &[]).unwrap();
    assert_eq!(editor.read(id, &place).unwrap().0.title.as_deref(), Some("No title"));
    for hidden in ["---\ndraft: true\n---\n", "---\nroles: boss\n---\n"] {
        let uploaded = editor.upload("x.md", mime, hidden.as_bytes(), 99, None, &[]);
        assert!(matches!(uploaded, Err(EditError::RolesNeedTag)), "{hidden}");
    }
    assert_eq!(files(&root.path().join("content")).len(), 4);
}

#[test]
fn a_file_is_put_beside_the_pages() {
    let (root, editor) = root(&[]);
    let upload = |name: &str, alias: Option<&str>| {
        let (id, place) = editor.upload(name, "image/png", &b"png"[..], 9, alias, &[])?;
        let Place::File { path } = place else { panic!("{place:?}") };
        assert_eq!(id, ObjectId::of_path(&path));
        Ok::<_, EditError>(path.into_string())
    };
    assert_eq!(upload("../../a b.png", None).unwrap(), "a-b.png");
    assert_eq!(upload("a b.png", None).unwrap(), "a-b-2.png");
    assert_eq!(upload(".hidden", None).unwrap(), "hidden");
    assert_eq!(upload("x.png", Some("img/Logo")).unwrap(), "img/logo.png");
    assert!(matches!(upload("x.png", Some("img/logo")), Err(EditError::Exists(_))));
    for bad in ["../x", ".hidden", "a/../../b", "a\0b", &"x".repeat(300)] {
        assert!(matches!(upload("x.png", Some(bad)), Err(EditError::Name { .. })), "{bad}");
        assert!(upload(bad, None).is_ok(), "{bad}");
    }
    let tagged = editor.upload("x.png", "image/png", &b""[..], 9, None, &["t".to_owned()]);
    assert!(matches!(tagged, Err(EditError::NoTags)));
    let own = "---\nid: 1122334455667788\n---\nHi";
    let (id, _) = editor.upload("p.md", MARKDOWN, own.as_bytes(), 99, None, &[]).unwrap();
    assert_eq!(id.to_string(), "1122334455667788");
    assert!(files(root.path()).iter().all(|path| !path.contains("/.")));
}
