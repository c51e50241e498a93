use proptest::prelude::*;

use super::*;

fn feed(text: &str, url: &str) -> Outline {
    Outline {
        text: text.into(),
        xml_url: Some(url.into()),
        kind: Some("rss".into()),
        ..Outline::default()
    }
}

fn folder(text: &str, children: Vec<Outline>) -> Outline {
    Outline { text: text.into(), children, ..Outline::default() }
}

#[test]
fn a_list_is_written() {
    let opml = Opml {
        title: "A & B".into(),
        outlines: vec![
            folder("F", vec![feed("\"x\"", "http://e.example/?a&b")]),
            Outline {
                text: "y".into(),
                xml_url: Some("javascript:x".into()),
                ..Outline::default()
            },
        ],
    };
    assert_eq!(
        opml.write(Some("2026-03-01T00:00:00Z".parse().unwrap())),
        r#"<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
<head>
<title>A &amp; B</title>
<dateCreated>Sun, 01 Mar 2026 00:00:00 GMT</dateCreated>
</head>
<body>
<outline text="F">
<outline text="&quot;x&quot;" type="rss" xmlUrl="http://e.example/?a&amp;b"/>
</outline>
<outline text="y"/>
</body>
</opml>
"#
    );
}

#[test]
fn what_other_programs_write_is_read() {
    let opml = Opml::read(
        b"<?xml version='1.0' encoding='ISO-8859-1'?>\n<OPML version='1.0'>\n<body>\
          <outline TITLE='K\xe4se &amp; Co' XMLURL=\"http://e.example/?a=1&b=2&amp;c\" type=rss/>\
          <outline text='F'><outline text='G'><outline url='feed://e.example/f' text='f'/>\
          </outline><outline xmlUrl='feed:https://e.example/g'/></outline>\
          <outline type='link' text='l' url='http://e.example/page'/></body></OPML>",
    )
    .unwrap();
    let found: Vec<(&str, Option<&str>)> =
        opml.feeds().map(|one| (&one.text[..], one.xml_url.as_deref())).collect();
    assert_eq!(
        found,
        [
            ("K\u{e4}se & Co", Some("http://e.example/?a=1&b=2&c")),
            ("f", Some("http://e.example/f")),
            ("https://e.example/g", Some("https://e.example/g")),
        ]
    );
    assert_eq!(opml.outlines[2].html_url.as_deref(), Some("http://e.example/page"));
    let utf16: Vec<u8> = "\u{FEFF}<opml><head><title>T\u{e4}</title></head></opml>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(Opml::read(&utf16).unwrap().title, "T\u{e4}");
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let many = "<outline text='a'/>".repeat(100_001);
    for (text, expected) in [
        ("", "empty"),
        ("hello", "no XML"),
        ("<!DOCTYPE html><p>", "an HTML page"),
        ("<feed/>", "begins with <feed>"),
        ("<opml>\n<body>", "line 2 "),
        ("<opml>\n<body>\n</opml>", "line 3 "),
        ("\n<!DOCTYPE opml [<!ENTITY a 'b'>]><opml/>", "line 2 "),
        (&format!("<opml>\n{}", "<outline>".repeat(1 << 20)), "deeper than 32"),
        (&format!("<opml>\n{many}</opml>"), "outline number 100001"),
    ] {
        let error = Opml::read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

fn outline() -> impl Strategy<Value = Outline> {
    let text = "\\PC*|[\t\n\r<>&\"' a]*";
    let one = (text, proptest::option::of("[a-z/?&=%]{0,9}")).prop_map(|(text, path)| {
        let url = path.map(|path| format!("http://e.example/{path}"));
        let kind = url.is_some().then(|| "rss".to_owned());
        let text = format!("a{}z", text.replace('\u{FFFE}', ""));
        Outline { text, html_url: url.clone(), xml_url: url, kind, ..Outline::default() }
    });
    one.prop_recursive(4, 24, 4, |inner| {
        ("[a-z]{1,5}", proptest::collection::vec(inner, 0..4))
            .prop_map(|(text, c)| folder(&text, c))
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(outlines in proptest::collection::vec(outline(), 0..5)) {
        let opml = Opml { title: "T <&> T".into(), outlines };
        prop_assert_eq!(Opml::read(opml.write(None).as_bytes()).unwrap(), opml);
    }

    #[test]
    fn any_text_can_be_written(text in any::<String>(), url in any::<String>()) {
        let one = Outline { xml_url: Some(url), ..folder(&text, Vec::new()) };
        let opml = Opml { title: text, outlines: vec![one] };
        Opml::read(opml.write(None).as_bytes()).unwrap();
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in any::<Vec<u8>>()) {
        let _ = Opml::read(&bytes);
        let _ = Opml::read(&[b"<opml><outline ", &bytes[..]].concat());
    }
}

#[test]
fn sites_and_their_settings_go_out_and_in() {
    let site = FollowedSite {
        url: "http://e.example/?a&b".into(),
        settings: vec![("titles".into(), "5".into()), ("diff".into(), "true".into())],
    };
    let outline = Outline { text: "E".into(), site: Some(site), ..Outline::default() };
    let opml = Opml { title: "T".into(), outlines: vec![outline] };
    let text = opml.write(None);
    assert!(text.contains("<opml version=\"2.0\" xmlns:tidings=\"urn:x-tidings:opml\">"), "{text}");
    assert!(
        text.contains("tidings:site=\"http://e.example/?a&amp;b\" tidings:titles=\"5\""),
        "{text}"
    );
    assert_eq!(Opml::read(text.as_bytes()).unwrap(), opml);
    assert_eq!(opml.feeds().count(), 1);
    // The prefix is whatever the document says, and other namespaces say nothing to us.
    let renamed = text.replace("xmlns:tidings", "xmlns:t").replace(" tidings:", " t:");
    assert_eq!(Opml::read(renamed.as_bytes()).unwrap(), opml);
    let foreign = text.replace("urn:x-tidings:opml", "urn:other");
    assert_eq!(Opml::read(foreign.as_bytes()).unwrap().outlines[0].site, None);
}
