use proptest::prelude::*;

use super::*;

const BARE: &str = r#"(
    alias: "docs/start",
    title: "Getting Started",
    mime: "text/markdown",
    tags: ["docs"],
    nav_title: "Start",
    nav_parent_id: "1122334455667788",
    nav_order: 3,
)"#;

#[test]
fn both_spellings_of_what_is_optional_are_read() {
    let bare = Sidecar::parse(BARE.as_bytes()).unwrap();
    assert_eq!(bare.title.as_deref(), Some("Getting Started"));
    assert_eq!(bare.nav_order, Some(3));
    let explicit = BARE
        .replace("\"Getting Started\"", "Some(\"Getting Started\")")
        .replace("order: 3", "order: Some(3),\n    theme: None");
    assert_eq!(Sidecar::parse(explicit.as_bytes()).unwrap(), bare);
}

#[test]
fn names_comments_marks_and_fields_of_others_are_passed_over() {
    let plain = Sidecar::parse(b"(mime: \"image/png\")").unwrap();
    for other in [
        "Sidecar(mime: \"image/png\")",
        "// Sidecar\nContentSidecar (mime: \"image/png\")",
        "\u{feff}(mime: \"image/png\")",
        "#![enable(implicit_some)]\n(mime: \"image/png\", /* new */ width: Some(3.5),)",
        "(mime: \"image/png\", mode: Wide, list: [1, (a: 2)], map: {\"k\": None}, on: true)",
    ] {
        assert_eq!(Sidecar::parse(other.as_bytes()).as_ref(), Ok(&plain), "{other}");
    }
}

#[test]
fn an_error_says_where() {
    let error = Sidecar::parse(b"(\n    alias: \"x\",\n    mime: 3,\n)").unwrap_err();
    assert!(matches!(error, SidecarError::Syntax { line: 3, .. }), "{error}");
    assert!(error.to_string().starts_with("line 3, column "), "{error}");
    for bad in ["", "(", "()", "(alias: \"x\")", "[]", "(mime: \"a\" tags: [])", "(mime: \"\\q\")"]
    {
        assert!(Sidecar::parse(bad.as_bytes()).is_err(), "{bad}");
    }
    assert!(Sidecar::parse(b"(mime: \"\xff\")").is_err());
}

#[test]
fn what_nests_deep_is_refused() {
    for (open, close) in [("[", "]"), ("(", ")"), ("Some(", ")"), ("{1:", "}"), ("x(a:", ")")] {
        let (open, close) = (open.repeat(20_000), close.repeat(20_000));
        for text in [
            format!("(mime: \"a\", x: {open}1{close})"),
            format!("{open}{close}"),
            format!("(mime: \"a\", x: {open}"),
            format!("(mime: \"a\", title: {open}1{close})"),
            format!("(mime: \"a\") /*{}", "/*".repeat(20_000)),
        ] {
            assert!(Sidecar::parse(text.as_bytes()).is_err());
        }
    }
    let long = vec![b' '; LONGEST + 1];
    assert_eq!(Sidecar::parse(&long), Err(SidecarError::TooLong(LONGEST + 1)));
}

#[test]
fn what_cannot_be_used_is_named() {
    let good = Sidecar::parse(BARE.as_bytes()).unwrap();
    assert_eq!(good.check(), Ok(()));
    let check = |change: fn(&mut Sidecar)| {
        let mut sidecar = good.clone();
        change(&mut sidecar);
        sidecar.check()
    };
    assert_eq!(check(|one| one.mime = " ".into()), Err(SidecarError::NoMime));
    assert_eq!(check(|one| one.title = None), Err(SidecarError::NoTitle));
    assert_eq!(check(|one| one.title = Some(" ".into())), Err(SidecarError::NoTitle));
    assert_eq!(check(|one| one.tags.push(" ".into())), Err(SidecarError::BlankTag));
    let image = |one: &mut Sidecar| (one.mime, one.title) = ("image/png".into(), None);
    assert_eq!(check(image), Ok(()));
}

#[test]
fn what_is_written_has_no_extensions_and_no_empty_fields() {
    let written = Sidecar::parse(BARE.as_bytes()).unwrap().write();
    assert_eq!(
        written,
        "(\n    alias: \"docs/start\",\n    title: Some(\"Getting Started\"),\n    \
         mime: \"text/markdown\",\n    tags: [\"docs\"],\n    nav_title: Some(\"Start\"),\n    \
         nav_parent_id: Some(\"1122334455667788\"),\n    nav_order: Some(3),\n)\n"
    );
    let none = Sidecar { mime: "image/png".into(), ..Sidecar::default() }.write();
    assert_eq!(none, "(\n    alias: \"\",\n    mime: \"image/png\",\n    tags: [],\n)\n");
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        texts in prop::collection::vec(any::<String>(), 4),
        title in prop::option::of(any::<String>()),
        tags in prop::collection::vec(any::<String>(), 0..4),
        nav_order in any::<Option<i32>>(),
    ) {
        let [alias, mime, name, robots] = texts.try_into().unwrap();
        let sidecar = Sidecar {
            alias, mime, title, tags, nav_order,
            original_filename: Some(name), robots: Some(robots),
            ..Sidecar::default()
        };
        let written = sidecar.write();
        // As the other program reads it: without extensions.
        let other: Sidecar = ron::from_str(&written).unwrap();
        prop_assert_eq!(&other, &sidecar);
        prop_assert_eq!(Sidecar::parse(written.as_bytes()), Ok(sidecar));
    }

    #[test]
    fn nothing_crashes_the_reader(text in "[()\\[\\]{}:,\"a-z0-9 \n/*#!\\\\]{0,80}") {
        let _ = Sidecar::parse(text.as_bytes());
        let _ = Sidecar::parse(format!("(mime: \"a\", x: {text})").as_bytes());
    }
}
