//! Whatever is made gives back what it was made of, and whatever is applied ends in a result.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tidings_patch::{Format, apply, make};

/// Makes a patch and applies it. Whether there was one.
fn round_trip(old: &[u8], new: &[u8], media_type: &str) -> Result<bool, TestCaseError> {
    let Some(patch) = make(old, new, Some(media_type)) else {
        return Ok(false);
    };
    prop_assert!(patch.bytes.len() < new.len());
    let applied = apply(patch.format, old, &patch.bytes, new.len(), |bytes| bytes == new);
    prop_assert_eq!(applied.as_deref(), Ok(new));
    Ok(true)
}

/// Lines of few kinds, so that many are alike, with endings of every kind.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        6 => (0..20_u8).prop_map(|n| format!("a line of the text, number {n}\n").into_bytes()),
        1 => Just(b"\r\n".to_vec()),
        1 => Just(b"\n".to_vec()),
        1 => Just(b"--- a\n+++ b\n".to_vec()),
        1 => Just(b"\\ No newline at end of file\n".to_vec()),
        1 => Just(b"@@ -1 +1 @@\n".to_vec()),
        1 => Just(b"lone \r return".to_vec()),
        1 => vec(1..=255_u8, 0..6),
    ];
    vec(line, 0..60).prop_map(|lines| lines.concat())
}

/// Bytes, and the same after some splices.
fn edited() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let splice = (any::<prop::sample::Index>(), 0..40_usize, vec(1..=255_u8, 0..20));
    (lines(), vec(splice, 0..4)).prop_map(|(old, splices)| {
        let mut new = old.clone();
        for (at, taken, put) in splices {
            let at = at.index(new.len() + 1);
            let end = (at + taken).min(new.len());
            new.splice(at..end, put);
        }
        (old, new)
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-c~/\"\\\\é\u{1}]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec(("[a-e~/é\"]{0,2}", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn styled(value: &Value, style: u8) -> Vec<u8> {
    let mut text = match style / 2 {
        0 => serde_json::to_vec(value).expect("JSON"),
        1 => serde_json::to_vec_pretty(value).expect("JSON"),
        _ => {
            let mut out = Vec::new();
            let indent: &[u8] = if style / 2 == 2 { b"    " } else { b"\t" };
            let formatter = serde_json::ser::PrettyFormatter::with_indent(indent);
            let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
            serde::Serialize::serialize(value, &mut serializer).expect("JSON");
            out
        }
    };
    if style % 2 == 1 {
        text.push(b'\n');
    }
    text
}

proptest! {
    #[test]
    fn texts(old in lines(), new in lines()) {
        round_trip(&old, &new, "text/plain")?;
    }

    #[test]
    fn edits((old, new) in edited()) {
        round_trip(&old, &new, "text/plain")?;
        round_trip(&old, &new, "application/octet-stream")?;
    }

    #[test]
    fn any_bytes(old in vec(any::<u8>(), 0..300), new in vec(any::<u8>(), 0..300)) {
        for media_type in ["text/plain", "application/json", "image/png"] {
            round_trip(&old, &new, media_type)?;
        }
    }

    #[test]
    fn json_values(old in value(), new in value(), before in 0..8_u8, after in 0..8_u8) {
        round_trip(&styled(&old, before), &styled(&new, after), "application/json")?;
        // Beside enough that stays the same there is always a patch, however it is written.
        let filler = "x".repeat(styled(&new, after).len() + 200);
        let (old, new) = (json!({"a": old, "z": filler}), json!({"a": new, "z": filler}));
        if old != new {
            prop_assert!(round_trip(&styled(&old, before), &styled(&new, after), "a/b+json")?);
        }
    }

    #[test]
    fn members_in_any_order(
        old in Just((0..12).collect::<Vec<_>>()).prop_shuffle(), lost in 0..12_usize,
        new in Just((0..12).collect::<Vec<_>>()).prop_shuffle(), kept in 0..12_usize,
    ) {
        let object = |names: &[i32], with: &str| {
            let list: String = names.iter().map(|n| format!("\"m{n}\":[{with}],")).collect();
            format!("{{{list}\"filler\":\"{}\"}}", "x".repeat(1000))
        };
        let (old, new) = (object(&old[lost..], "1"), object(&new[kept..], "1,2"));
        prop_assert!(round_trip(old.as_bytes(), new.as_bytes(), "application/json")?);
    }

    #[test]
    fn mutated_patches_end(
        (old, new) in edited(),
        a in value(), b in value(),
        mutations in vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..6),
    ) {
        let filler = "x".repeat(500);
        let a = styled(&json!({"a": a, "z": filler}), 0);
        let b = styled(&json!({"a": b, "z": filler}), 0);
        for (old, new, media_type) in [(old, new, "text/plain"), (a, b, "application/json")] {
            let Some(mut patch) = make(&old, &new, Some(media_type)) else { continue };
            for (at, byte, how) in &mutations {
                let at = at.index(patch.bytes.len());
                match how {
                    0 => patch.bytes[at] = *byte,
                    1 => patch.bytes.insert(at, *byte),
                    _ => drop(patch.bytes.remove(at)),
                }
            }
            let limit = new.len() + 100;
            let applied = apply(patch.format, &old, &patch.bytes, limit, |_| true);
            prop_assert!(applied.is_err() || applied.is_ok_and(|new| new.len() <= limit));
        }
    }

    #[test]
    fn anything_ends(old in vec(any::<u8>(), 0..100), patch in vec(any::<u8>(), 0..200)) {
        for format in [Format::JsonPatch, Format::UnifiedDiff] {
            let applied = apply(format, &old, &patch, 50, |_| true);
            prop_assert!(applied.is_err() || applied.is_ok_and(|new| new.len() <= 50));
        }
    }
}
