//! Patches made to do harm: they give errors, and no more than the limit.

use tidings_patch::{Format, PatchError, apply};

const LIMIT: usize = 1 << 20;

fn json(old: &str, operations: impl IntoIterator<Item = String>) -> Result<usize, PatchError> {
    let patch = format!("[{}]", operations.into_iter().collect::<Vec<_>>().join(","));
    apply(Format::JsonPatch, old.as_bytes(), patch.as_bytes(), LIMIT, |_| true).map(|new| new.len())
}

fn copy(from: &str, path: &str) -> String {
    format!(r#"{{"op":"copy","from":"{from}","path":"{path}"}}"#)
}

#[test]
fn copies_of_copies_are_stopped() {
    let doubled = (0..100).map(|_| copy("/a", "/a/-"));
    assert_eq!(json(r#"{"a":[1]}"#, doubled), Err(PatchError::TooLarge { limit: LIMIT }));
    let wide = (0..100).flat_map(|n| [copy("/a", &format!("/b{n}")), copy("", "/a")]);
    assert_eq!(json(r#"{"a":[1]}"#, wide), Err(PatchError::TooLarge { limit: LIMIT }));
}

#[test]
fn nesting_is_stopped() {
    // Small, but deeper with each operation.
    let deeper = (0..1000).map(|_| copy("", "/a"));
    assert_eq!(json(r#"{"a":0}"#, deeper), Err(PatchError::TooLarge { limit: LIMIT }));
    let path = |depth: usize| "/0".repeat(depth);
    let nested = (0..1000).map(|n| format!(r#"{{"op":"add","path":"{}","value":[]}}"#, path(n)));
    assert_eq!(json("0", nested), Err(PatchError::TooLarge { limit: LIMIT }));
    let brackets = "[".repeat(1 << 20);
    let error = apply(Format::JsonPatch, b"{}", brackets.as_bytes(), LIMIT, |_| true).unwrap_err();
    assert!(matches!(error, PatchError::NotAPatch { .. }), "{error}");
    let error = apply(Format::JsonPatch, brackets.as_bytes(), b"[]", LIMIT, |_| true).unwrap_err();
    assert!(matches!(error, PatchError::DoesNotFit { .. }), "{error}");
}

#[test]
fn work_without_end_is_stopped() {
    let old = format!(r#"{{"a":"{}"}}"#, "x".repeat(LIMIT / 4));
    let copies = (0..100_000).map(|_| copy("/a", "/b"));
    let error = json(&old, copies).unwrap_err();
    assert!(matches!(error, PatchError::TooCostly { .. }), "{error}");
    let old = format!("[{}0]", "0,".repeat(LIMIT / 4));
    let shifts = (0..50_000).map(|_| r#"{"op":"move","from":"/0","path":"/1"}"#.to_owned());
    let error = json(&old, shifts).unwrap_err();
    assert!(matches!(error, PatchError::TooCostly { .. }), "{error}");
}

#[test]
fn results_stay_within_the_limit() {
    let value = "x".repeat(100);
    let add = format!(r#"[{{"op":"add","path":"/a","value":"{value}"}}]"#);
    let patched = |limit| apply(Format::JsonPatch, b"{}", add.as_bytes(), limit, |_| true);
    assert_eq!(patched(107), Err(PatchError::TooLarge { limit: 107 }));
    assert_eq!(patched(108).map(|new| new.len()), Ok(108));
    assert_eq!(patched(0), Err(PatchError::TooLarge { limit: 0 }));
    let diff = b"--- a\n+++ b\n@@ -1 +1,2 @@\n a\n+b\n";
    let patched = |limit| apply(Format::UnifiedDiff, b"a\nc\n", diff, limit, |_| true);
    for limit in 0..6 {
        assert_eq!(patched(limit), Err(PatchError::TooLarge { limit }));
    }
    assert_eq!(patched(6).as_deref(), Ok(&b"a\nb\nc\n"[..]));
}

fn diff(old: &str, patch: &str) -> Result<String, PatchError> {
    apply(Format::UnifiedDiff, old.as_bytes(), patch.as_bytes(), LIMIT, |_| true)
        .map(|bytes| String::from_utf8(bytes).expect("UTF-8"))
}

#[test]
fn diffs_of_others_are_read() {
    let old = "a\n\nb\nc";
    let cases = [
        ("--- a\t2013-01-03\n+++ b\t2013-01-04\n@@ -1,2 +1,2 @@ fn\n-a\n+A\n \n", "A\n\nb\nc"),
        (
            "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+A\n\n",
            "A\n\nb\nc",
        ),
        ("--- a\n+++ b\n@@ -1,0 +2 @@\n+x\n", "a\nx\n\nb\nc"),
        ("--- a\n+++ b\n@@ -4 +4 @@\n-c\n\\ Kein Zeilenumbruch\n+c\n", "a\n\nb\nc\n"),
        ("--- a\n+++ b\n@@ -1 +0,0 @@\n-a\n@@ -3 +2 @@\n-b\n+B\n", "\nB\nc"),
    ];
    for (patch, new) in cases {
        assert_eq!(diff(old, patch).as_deref(), Ok(new), "{patch}");
    }
}

#[test]
fn diffs_that_are_none_are_refused() {
    for patch in [
        "",
        "\n",
        "@@ -1 +1 @@\n-a\n+b\n",
        "--- a\n",
        "--- a\n+++ b\n",
        "--- a\n@@ -1 +1 @@\n-a\n+b\n",
        "--- a\n+++ b\nnothing\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-a\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b",
        "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n+c\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-a\n-b\n+c\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-a\n?b\n",
        "--- a\n+++ b\n@@ -1 +2 @@\n-a\n+b\n",
        "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -2 +2 @@\n-b\n+B\n",
        "--- a\n+++ b\n@@ -3 +3 @@\n-c\n+C\n@@ -1 +1 @@\n-a\n+A\n",
        "--- a\n+++ b\n@@ -1,18446744073709551615 +1,18446744073709551615 @@\n-a\n+b\n",
        "--- a\n+++ b\n@@ -1,99999999999999999999 +1 @@\n-a\n+b\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ d\n@@ -1 +1 @@\n-a\n+b\n",
    ] {
        let error = diff("a\nb\nc\n", patch).unwrap_err();
        assert!(matches!(error, PatchError::NotAPatch { .. }), "{patch}: {error}");
    }
}

#[test]
fn diffs_that_do_not_fit_are_refused() {
    for patch in [
        "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n",
        "--- a\n+++ b\n@@ -2 +2 @@\n-a\n+A\n",
        "--- a\n+++ b\n@@ -18446744073709551615 +1 @@\n-a\n+b\n",
        "--- a\n+++ b\n@@ -9 +9 @@\n-a\n+A\n",
        "--- a\n+++ b\n@@ -3,2 +3 @@\n c\n-d\n",
        "--- a\n+++ b\n@@ -3 +3 @@\n-c\n\\ No newline at end of file\n+C\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+A\n\\ No newline at end of file\n",
        "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n+A\n\\ No newline at end of file\n b\n",
    ] {
        let error = diff("a\nb\nc\n", patch).unwrap_err();
        assert!(matches!(error, PatchError::DoesNotFit { .. }), "{patch}: {error}");
    }
}
