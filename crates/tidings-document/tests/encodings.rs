//! X7: whatever a document is encoded in, it is read as its UTF-8 twin, or refused; never as
//! something else.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test")]

use tidings_document::{CheckOptions, Entry, ReadOptions, Reader, check};

const LOC: &str = "http://example.com/caf%C3%A9?a=\u{e9}";

fn text(encoding: &str) -> String {
    let declaration = match encoding {
        "" => String::new(),
        name => format!("<?xml version=\"1.0\" encoding=\"{name}\"?>"),
    };
    format!(
        "{declaration}<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>{LOC}</loc></url></urlset>"
    )
}

fn utf16(text: &str, big: bool, mark: bool) -> Vec<u8> {
    let mark = if mark { "\u{feff}" } else { "" };
    let units = mark.encode_utf16().chain(text.encode_utf16());
    units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

fn read(bytes: &[u8], charset: Option<&str>) -> Result<Vec<Entry<'static>>, &'static str> {
    let options = ReadOptions { charset: charset.map(str::to_owned), ..ReadOptions::default() };
    let mut reader = Reader::with_options(bytes, options);
    let mut entries = Vec::new();
    loop {
        match reader.next_entry() {
            Ok(Some(entry)) => entries.push(entry.into_owned()),
            Ok(None) => return Ok(entries),
            Err(error) => return Err(error.finding().unwrap().rule.id),
        }
    }
}

#[test]
fn x7_encodings_that_can_be_read() {
    let twin = read(text("").as_bytes(), None).unwrap();
    assert_eq!(twin[0].loc, LOC);
    let marked = [b"\xef\xbb\xbf".as_slice(), text("UTF-8").as_bytes()].concat();
    for (name, bytes, charset) in [
        ("UTF-8 declared", text("utf-8").into_bytes(), None),
        ("UTF-8 with a mark", marked, None),
        ("UTF-16LE with a mark", utf16(&text("UTF-16"), false, true), None),
        ("UTF-16BE with a mark", utf16(&text("UTF-16"), true, true), None),
        ("UTF-16LE without a mark", utf16(&text("UTF-16LE"), false, false), None),
        ("UTF-16BE without a mark", utf16(&text("UTF-16BE"), true, false), None),
        ("ISO-8859-1", latin(&text("ISO-8859-1")), None),
        ("Windows-1252", latin(&text("windows-1252")), None),
        ("ISO-8859-1 by the header", latin(&text("")), Some("iso-8859-1")),
        ("header against declaration", text("ISO-8859-1").into_bytes(), Some("UTF-8")),
        ("UTF-16 declared, but it is not", text("UTF-16").into_bytes(), None),
    ] {
        assert_eq!(read(&bytes, charset).as_ref(), Ok(&twin), "{name}");
    }
}

#[test]
fn x7_encodings_that_cannot_be_read() {
    let overlong = text("").replace("caf", "\u{1}\u{2}").into_bytes();
    let overlong: Vec<u8> = overlong
        .into_iter()
        .map(|byte| match byte {
            1 => 0xc0,
            2 => 0xaf,
            byte => byte,
        })
        .collect();
    let surrogate: Vec<u8> = text("").replace("caf", "\u{1}\u{2}\u{3}").into_bytes();
    let surrogate: Vec<u8> = surrogate
        .into_iter()
        .map(|byte| match byte {
            1 => 0xed,
            2 => 0xa0,
            3 => 0x80,
            byte => byte,
        })
        .collect();
    let utf32: Vec<u8> = text("UTF-32").chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    let shift_jis = latin(&text("Shift_JIS"));
    for (name, bytes, rule) in [
        ("bytes that are not UTF-8", latin(&text("")), "XML-4.3.3-encoding"),
        ("an overlong form", overlong, "XML-4.3.3-encoding"),
        ("a surrogate", surrogate, "XML-4.3.3-encoding"),
        ("UTF-32", utf32, "XML-4.3.3-encoding-unknown"),
        ("an unknown name", text("klingon").into_bytes(), "XML-4.3.3-encoding-unknown"),
        ("bytes that are not Shift_JIS", shift_jis, "XML-4.3.3-encoding"),
        (
            "half a character at the end",
            [text("").as_bytes(), b"\xc3"].concat(),
            "XML-4.3.3-encoding",
        ),
    ] {
        assert_eq!(read(&bytes, None), Err(rule), "{name}");
    }
}

#[test]
fn encodings_that_contradict_each_other_are_named() {
    let marked = [b"\xef\xbb\xbf".as_slice(), text("ISO-8859-1").as_bytes()].concat();
    let report = check(marked.as_slice(), &CheckOptions::default()).unwrap();
    assert_eq!(report.findings.count("XML-4.3.3-encoding-conflict"), 1);
}
