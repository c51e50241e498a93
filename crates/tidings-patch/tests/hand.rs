//! Patches by hand: what is made of which pair, and what it gives.

use tidings_patch::{Format, MAX_INPUT, PatchError, apply, make};

/// Makes a patch, and applies it as a Destination would.
fn patched(old: &[u8], new: &[u8], media_type: Option<&str>) -> Option<Format> {
    let patch = make(old, new, media_type)?;
    assert!(patch.bytes.len() < new.len());
    let applied = apply(patch.format, old, &patch.bytes, new.len(), |bytes| bytes == new);
    assert_eq!(applied.as_deref(), Ok(new));
    let format = patch.format;
    assert_eq!(make(old, new, media_type), Some(patch), "equal input gives equal bytes");
    Some(format)
}

const JSON: Option<&str> = Some("application/json");

#[test]
fn text_gets_a_unified_diff() {
    let lines: Vec<String> = (0..50).map(|n| format!("line {n} of the text\n")).collect();
    let old = lines.concat();
    let new = old.replace("line 7 ", "line seven ").replace("line 40 of the text\n", "");
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let trimmed = |text: &str| text.trim_end().to_owned();
    for (old, new) in [
        (old.clone(), new.clone()),
        (crlf(&old), crlf(&new)),
        (trimmed(&old), trimmed(&new)),
        (old.clone(), trimmed(&old)),
        (trimmed(&old), old.clone()),
        (format!("{old}\n\n\n"), format!("\n{old}\n\n")),
    ] {
        for media_type in [None, Some("text/plain"), Some("application/xml"), Some("image/png")] {
            let format = patched(old.as_bytes(), new.as_bytes(), media_type);
            assert_eq!(format, Some(Format::UnifiedDiff));
        }
    }
}

#[test]
fn bytes_that_are_no_text_get_none() {
    let old = b"caf\xe9 one\n".repeat(40);
    let mut new = old.clone();
    new.extend_from_slice(b"caf\xe9 two\n");
    assert_eq!(patched(&old, &new, Some("text/plain; charset=latin1")), Some(Format::UnifiedDiff));
    assert_eq!(patched(&old, &new, None), None);
    new.push(0);
    assert_eq!(patched(&old, &new, Some("text/plain")), None);
}

#[test]
fn nothing_is_made_that_is_not_worth_it() {
    assert_eq!(make(b"same\n", b"same\n", None), None);
    assert_eq!(make(b"a\n", b"b\n", None), None);
    assert_eq!(make(b"something\n", b"", None), None);
    assert_eq!(make(b"", b"all of it is new\n", None), None);
    let long = b"x\n".repeat(MAX_INPUT / 2 + 1);
    let mut longer = long.clone();
    longer.extend_from_slice(b"y\n");
    assert_eq!(make(&long, &longer, None), None);
}

#[test]
fn json_keeps_its_bytes() {
    let filler = "x".repeat(200);
    let cases = [
        (r#""n":1"#, r#""n":1.0"#),
        (r#""n":1"#, r#""n":1e400"#),
        (r#""n":1"#, r#""n":12345678901234567890"#),
        (r#""n":0"#, r#""n":-0"#),
        (r#""n":[1.10,2E+05]"#, r#""n":[1.10,2E+05,3]"#),
        (r#""z":1,"a":2"#, r#""z":1,"m":0,"a":2"#),
        (r#""z":1,"a":2"#, r#""a":2,"z":1"#),
        (r#""t":"caf\u00e9 \/""#, r#""t":"caf\u00e9 \/","u":"\u00c9""#),
        (r#""t":"\ud800""#, r#""t":"\udfff""#),
        (r#""k\u0041":1"#, r#""k\u0041":2"#),
        (r#""":1"#, r#""":{"":[]}"#),
    ];
    let compact = |members: &str| format!(r#"{{"filler":"{filler}",{members}}}"#);
    for (old, new) in cases {
        let (old, new) = (compact(old), compact(new));
        for (old, new) in [
            (old.clone(), new.clone()),
            (format!("{old}\n"), format!("{new}\n")),
            (format!(" {old}"), new),
        ] {
            let format = patched(old.as_bytes(), new.as_bytes(), JSON);
            assert_eq!(format, Some(Format::JsonPatch), "{old} {new}");
        }
    }
}

#[test]
fn json_in_its_own_style_gets_a_unified_diff() {
    // Two spaces after each colon: no candidate has that.
    let members = |last| {
        let lines: String = (0..40).map(|n| format!("  \"member{n}\":  {n},\n")).collect();
        format!("{{\n{lines}  \"last\":  {last}\n}}\n")
    };
    let format = patched(members(1).as_bytes(), members(2).as_bytes(), JSON);
    assert_eq!(format, Some(Format::UnifiedDiff));
    // On one line there is no diff that is smaller.
    let line = |last| members(last).replace('\n', " ");
    assert_eq!(patched(line(1).as_bytes(), line(2).as_bytes(), JSON), None);
    // Nor can a name that is there twice be pointed to.
    let twice = |last| format!(r#"{{"a":1,"a":{last},"filler":"{}"}}"#, "x".repeat(200));
    assert_eq!(patched(twice(1).as_bytes(), twice(2).as_bytes(), JSON), None);
}

#[test]
fn json_that_is_none_is_text() {
    let old = "{ not JSON\n".repeat(30);
    let new = format!("{old}}}\n");
    let format = patched(old.as_bytes(), new.as_bytes(), Some("application/ld+json"));
    assert_eq!(format, Some(Format::UnifiedDiff));
}

#[test]
fn what_is_not_accepted_is_not_given() {
    let patch = br#"[{"op":"add","path":"/a","value":1}]"#;
    let mut offered = 0;
    let result = apply(Format::JsonPatch, b"{}", patch, 100, |_| {
        offered += 1;
        false
    });
    assert_eq!(result, Err(PatchError::NotAccepted { candidates: 10 }));
    assert_eq!(offered, 10);
    let diff = b"--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n";
    let result = apply(Format::UnifiedDiff, b"a\n", diff, 100, |_| false);
    assert_eq!(result, Err(PatchError::NotAccepted { candidates: 1 }));
}
