//! The examples of RFC 6902, appendix A, and what its section 4 and 5 forbid.

use tidings_patch::{Format, PatchError, apply};

fn patched(old: &str, patch: &str) -> Result<String, PatchError> {
    apply(Format::JsonPatch, old.as_bytes(), patch.as_bytes(), 10_000, |_| true)
        .map(|bytes| String::from_utf8(bytes).expect("UTF-8"))
}

#[test]
fn what_may_be_applied() {
    let cases = [
        // A.1 to A.7.
        (
            r#"{"foo":"bar"}"#,
            r#"[{"op":"add","path":"/baz","value":"qux"}]"#,
            r#"{"foo":"bar","baz":"qux"}"#,
        ),
        (
            r#"{"foo":["bar","baz"]}"#,
            r#"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
            r#"{"foo":["bar","qux","baz"]}"#,
        ),
        (r#"{"baz":"qux","foo":"bar"}"#, r#"[{"op":"remove","path":"/baz"}]"#, r#"{"foo":"bar"}"#),
        (
            r#"{"foo":["bar","qux","baz"]}"#,
            r#"[{"op":"remove","path":"/foo/1"}]"#,
            r#"{"foo":["bar","baz"]}"#,
        ),
        (
            r#"{"baz":"qux","foo":"bar"}"#,
            r#"[{"op":"replace","path":"/baz","value":"boo"}]"#,
            r#"{"baz":"boo","foo":"bar"}"#,
        ),
        (
            r#"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
            r#"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
            r#"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#,
        ),
        (
            r#"{"foo":["all","grass","cows","eat"]}"#,
            r#"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
            r#"{"foo":["all","cows","eat","grass"]}"#,
        ),
        // A.8: tests that hold.
        (
            r#"{"baz":"qux","foo":["a",2,"c"]}"#,
            r#"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
            r#"{"baz":"qux","foo":["a",2,"c"]}"#,
        ),
        // A.10, A.11, A.14, A.16.
        (
            r#"{"foo":"bar"}"#,
            r#"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
            r#"{"foo":"bar","child":{"grandchild":{}}}"#,
        ),
        (
            r#"{"foo":"bar"}"#,
            r#"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
            r#"{"foo":"bar","baz":"qux"}"#,
        ),
        (r#"{"/":9,"~1":10}"#, r#"[{"op":"test","path":"/~01","value":10}]"#, r#"{"/":9,"~1":10}"#),
        (
            r#"{"foo":["bar"]}"#,
            r#"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
            r#"{"foo":["bar",["abc","def"]]}"#,
        ),
        // Tests compare what is meant; the whole may be replaced, copied and moved to itself.
        (
            r#"{"a":1.0,"b":"é"}"#,
            r#"[{"op":"test","path":"","value":{"b":"\u00e9","a":10e-1}}]"#,
            r#"{"a":1.0,"b":"é"}"#,
        ),
        (r#"{"a":1}"#, r#"[{"op":"add","path":"","value":[]}]"#, "[]"),
        (r#"{"a":1}"#, r#"[{"op":"replace","path":"","value":7}]"#, "7"),
        (r#"{"a":1}"#, r#"[{"op":"copy","from":"","path":"/b"}]"#, r#"{"a":1,"b":{"a":1}}"#),
        (r#"{"a":1}"#, r#"[{"op":"move","from":"","path":""}]"#, r#"{"a":1}"#),
        (r#"{"a":1,"b":2}"#, r#"[{"op":"move","from":"/b","path":"/a"}]"#, r#"{"a":2}"#),
        (r#"{"a":1}"#, r#"[{"op":"add","path":"/a","value":null}]"#, r#"{"a":null}"#),
        (r#"{"a":1}"#, "[]", r#"{"a":1}"#),
    ];
    for (old, patch, new) in cases {
        assert_eq!(patched(old, patch).as_deref(), Ok(new), "{patch}");
    }
}

#[test]
fn what_does_not_fit() {
    let cases = [
        // A.9, A.12, A.15.
        (r#"{"baz":"qux"}"#, r#"[{"op":"test","path":"/baz","value":"bar"}]"#),
        (r#"{"foo":"bar"}"#, r#"[{"op":"add","path":"/baz/bat","value":"qux"}]"#),
        (r#"{"/":9,"~1":10}"#, r#"[{"op":"test","path":"/~01","value":"10"}]"#),
        (r#"{"a":1}"#, r#"[{"op":"remove","path":"/b"}]"#),
        (r#"{"a":1}"#, r#"[{"op":"remove","path":""}]"#),
        (r#"{"a":1}"#, r#"[{"op":"replace","path":"/b","value":1}]"#),
        (r#"{"a":1}"#, r#"[{"op":"add","path":"/a/b","value":1}]"#),
        (r#"{"a":{"b":1}}"#, r#"[{"op":"move","from":"/a","path":"/a/b"}]"#),
        (r#"{"a":1}"#, r#"[{"op":"copy","from":"/b","path":"/c"}]"#),
        ("[1,2]", r#"[{"op":"add","path":"/3","value":1}]"#),
        ("[1,2]", r#"[{"op":"add","path":"/01","value":1}]"#),
        ("[1,2]", r#"[{"op":"add","path":"/99999999999999999999","value":1}]"#),
        ("[1,2]", r#"[{"op":"remove","path":"/2"}]"#),
        ("[1,2]", r#"[{"op":"remove","path":"/-"}]"#),
        ("[1,2]", r#"[{"op":"replace","path":"/-","value":1}]"#),
        ("[1,2]", r#"[{"op":"test","path":"/0","value":true}]"#),
        ("not JSON", "[]"),
        ("\u{feff}{}", "[]"),
    ];
    for (old, patch) in cases {
        let error = patched(old, patch).unwrap_err();
        assert!(matches!(error, PatchError::DoesNotFit { .. }), "{patch}: {error}");
    }
}

#[test]
fn what_is_no_patch() {
    for patch in [
        "",
        "{}",
        "null",
        "[1]",
        "[{}]",
        r#"[{"op":"add","path":"/a","value":1}"#,
        r#"[{"op":"add","path":"/a"}]"#,
        r#"[{"op":"add","value":1}]"#,
        r#"[{"path":"/a","value":1}]"#,
        r#"[{"op":"move","path":"/a"}]"#,
        r#"[{"op":"spam","path":"/a"}]"#,
        r#"[{"op":1,"path":"/a"}]"#,
        r#"[{"op":"remove","path":1}]"#,
        r#"[{"op":"remove","path":"a"}]"#,
        r#"[{"op":"remove","path":"/~2"}]"#,
        // A.13.
        r#"[{"op":"add","path":"/baz","value":"qux","op":"remove"}]"#,
    ] {
        let error = patched(r#"{"a":1}"#, patch).unwrap_err();
        assert!(matches!(error, PatchError::NotAPatch { .. }), "{patch}: {error}");
    }
}
