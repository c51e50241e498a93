//! What is made here is for others too: GNU `patch` gives the same, and what GNU `diff` makes is
//! applied here.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;
use tidings_patch::{Format, apply, make};

fn pairs() -> Vec<(Vec<u8>, Vec<u8>)> {
    let text: String = (0..200).map(|n| format!("line {n} of the text\n")).collect();
    let changed = text
        .replace("line 3 ", "line three ")
        .replace("line 90 of the text\n", "")
        .replace("line 150 of the text\n", "--- a\n+++ b\n@@ -1 +1 @@\n\n");
    let latin = |text: &str| text.bytes().map(|b| if b == b'x' { 0xe9 } else { b }).collect();
    vec![
        (text.clone().into(), changed.clone().into()),
        (text.replace('\n', "\r\n").into(), changed.replace('\n', "\r\n").into()),
        (text.trim_end().into(), changed.trim_end().into()),
        (text.trim_end().into(), text.clone().into()),
        (text.clone().into(), text.trim_end().into()),
        (latin(&text), latin(&changed)),
        (text.clone().into(), format!("first\n{text}last").into()),
        (format!("first\n{text}last").into(), text.clone().into()),
        (text.clone().into(), text["line 0 of the text\n".len()..].into()),
    ]
}

/// Runs a program; without it the test says that it did nothing.
#[expect(clippy::print_stderr, reason = "a test that did not run has to say so")]
fn run(command: &mut Command) -> Option<Output> {
    match command.output() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("SKIPPED: {} is not installed", command.get_program().display());
            None
        }
        Err(error) => panic!("{command:?}: {error}"),
    }
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("written");
    path
}

#[test]
fn gnu_patch_gives_the_same() {
    let folder = TempDir::new().unwrap();
    for (case, (old, new)) in pairs().into_iter().enumerate() {
        let patch = make(&old, &new, Some("text/plain")).unwrap();
        let file = write(folder.path(), "file", &old);
        let diff = write(folder.path(), "diff", &patch.bytes);
        let mut command = Command::new("patch");
        // No fuzz, and no question asked.
        command.args(["--batch", "--fuzz=0", "--binary"]).arg(&file).arg(&diff);
        let Some(output) = run(&mut command) else { return };
        assert!(output.status.success(), "case {case}: {output:?}");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(!said.contains("offset"), "case {case}: {said}");
        assert!(std::fs::read(&file).unwrap() == new, "case {case} gives other bytes");
    }
}

#[test]
fn gnu_diff_is_applied() {
    let folder = TempDir::new().unwrap();
    for (case, (old, new)) in pairs().into_iter().enumerate() {
        let (a, b) = (write(folder.path(), "a", &old), write(folder.path(), "b", &new));
        for context in ["-U0", "-U1", "-U3", "-U1000"] {
            let mut command = Command::new("diff");
            command.args(["--text", context]).arg(&a).arg(&b);
            let Some(output) = run(&mut command) else { return };
            let applied = apply(Format::UnifiedDiff, &old, &output.stdout, new.len(), |_| true);
            assert!(applied.as_deref() == Ok(&new[..]), "case {case} {context}: {applied:?}");
        }
    }
}
