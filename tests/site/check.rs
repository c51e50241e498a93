//! `tidings site --check`.

use serde_json::Value;

use crate::content_root::{LAYOUTS, Layout, Page, Root};
use crate::support::{run, stderr, stdout};

fn faults(root: &Root) -> (Option<i32>, Vec<String>) {
    let output = root.check(&["--json"]);
    let found: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}{}", stdout(&output), stderr(&output)));
    let findings = found["findings"].as_array().unwrap();
    for finding in findings {
        assert!(finding["place"].is_string() && finding["message"].is_string(), "{finding}");
        assert!(finding["served"].is_boolean(), "{finding}");
    }
    let faults = findings.iter().map(|finding| finding["fault"].as_str().unwrap().to_owned());
    (output.status.code(), faults.collect())
}

#[test]
fn content_with_nothing_wrong_ends_with_0() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("a"), Page::new("b")]);
        assert_eq!(faults(&root), (Some(0), vec![]), "{layout:?}");
        let output = root.check(&[]);
        assert_eq!(stdout(&output), "2 pages and files, 0 findings\n");
        // To check is not to serve: nothing is written.
        assert!(!root.path("state").exists());
    }
}

#[test]
fn each_fault_is_found_and_ends_with_1() {
    let root = Root::new();
    root.version(1, 0, "(mime: \"text/markdown\", title: \"x\", alias: \"login\")", "x");
    root.version(2, 0, "(nonsense", "x");
    root.version(3, 0, "(mime: \"text/markdown\")", "x");
    root.version(4, 0, "(mime: \"text/plain\", alias: \"a b\")", "x");
    root.write(&crate::content_root::version_path(5, 0), "no sidecar");
    root.version(6, 0, "(mime: \"text/plain\", alias: \"same\")", "x");
    root.version(7, 0, "(mime: \"text/plain\", alias: \"same\")", "x");
    root.write("pages/untitled.md", "no heading");
    root.write("pages/bad.md", "---\ntitle: [\n---\n");
    let (code, mut found) = faults(&root);
    assert_eq!(code, Some(1));
    found.sort();
    assert_eq!(
        found,
        [
            "alias",
            "duplicate-alias",
            "metadata",
            "metadata",
            "metadata",
            "no-sidecar",
            "no-title",
            "reserved-alias"
        ]
    );
    let output = root.check(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("pages/bad.md: line 2"), "{}", stdout(&output));
}

#[test]
fn what_is_no_content_root_ends_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    for arguments in [&["site", path, "--check"][..], &["site", path, "--listen", "127.0.0.1:0"]] {
        let output = run(arguments.iter().copied());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains("is no content root"), "{}", stderr(&output));
    }
    assert_eq!(std::fs::read_dir(path).unwrap().count(), 0, "nothing is made in it");
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    for wrong in ["login", "abc", "UPPER", "a b c d"] {
        let output = root.check(&["--admin-path", wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert!(stderr(&output).contains("admin path"), "{}", stderr(&output));
    }
}
