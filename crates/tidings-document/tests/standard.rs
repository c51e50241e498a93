//! The standard's own examples, which are not ours to keep: in `../shared/corpus` beside the
//! checkout, or where `TIDINGS_CORPUS` says. Without them these tests are skipped, and say so.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use quick_xml::escape::unescape;
use quick_xml::events::Event;
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;
use tidings_document::{CheckOptions, Reader, Report, Severity, Spec, Writer, check};

fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("TIDINGS_CORPUS").map_or_else(beside, PathBuf::from);
    if folder.join("spec-1.1").is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: the standard's examples are not at {}", folder.display());
    None
}

fn documents(corpus: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ["spec-1.0", "spec-1.1"]
        .iter()
        .flat_map(|version| fs::read_dir(corpus.join(version)).unwrap())
        .map(|file| file.unwrap().path())
        .collect();
    found.sort();
    found
}

fn checked(path: &Path, spec: Spec) -> Report {
    let options = CheckOptions { spec, ..CheckOptions::default() };
    check(BufReader::new(File::open(path).unwrap()), &options).unwrap()
}

fn errors(report: &Report) -> Vec<&'static str> {
    report
        .findings
        .iter()
        .filter(|one| one.rule.severity == Severity::Error)
        .map(|one| one.rule.id)
        .collect()
}

/// The walkthrough's examples leave out the mandatory link up.
fn leaves_out_up(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_str().unwrap();
    [
        "resourcesync_ex_1",
        "resourcesync_ex_2",
        "resourcesync_ex_3",
        "resourcesync_ex_4",
        "resourcesync_ex_5",
        "resourcesync_ex_8",
    ]
    .contains(&name)
}

#[test]
fn every_example_is_read_to_its_end_and_only_up_is_missing() {
    let Some(corpus) = corpus() else { return };
    let documents = documents(&corpus);
    assert_eq!(documents.len(), 67);
    let mut without = 0;
    for path in &documents {
        let version =
            if path.to_str().unwrap().contains("spec-1.0") { Spec::V1_0 } else { Spec::V1_1 };
        for spec in [Spec::Auto, version] {
            let report = checked(path, spec);
            assert!(report.complete, "{}", path.display());
            let errors = errors(&report);
            if leaves_out_up(path) {
                assert_eq!(errors.len(), 1, "{}: {errors:?}", path.display());
                assert!(errors[0].ends_with("up-missing"), "{}: {errors:?}", path.display());
            } else {
                assert!(errors.is_empty(), "{}: {errors:?}", path.display());
                without += usize::from(spec == Spec::Auto);
            }
        }
    }
    assert_eq!(without, 55);
}

#[test]
fn digests_of_example_27_cannot_be_verified_but_are_not_wrong() {
    let Some(corpus) = corpus() else { return };
    for version in ["spec-1.0", "spec-1.1"] {
        let report = checked(&corpus.join(version).join("resourcesync_ex_27.xml"), Spec::Auto);
        assert_eq!(report.findings.by_rule().collect::<Vec<_>>(), [("RS-7-hash-hex", 4)]);
        assert_eq!(report.findings.of(Severity::Error), 0);
    }
}

/// Reads a document and writes it again. Those without a link up would be refused, so one is lent to
/// them.
fn rewritten(path: &Path) -> Vec<u8> {
    let mut reader = Reader::new(BufReader::new(File::open(path).unwrap()));
    let mut head = reader.head().unwrap().clone();
    if leaves_out_up(path) {
        head.links.push(tidings_document::Link::new("up", "http://lent.example/"));
    }
    let mut writer = Writer::new(Vec::new(), &head).unwrap();
    while let Some(entry) = reader.next_entry().unwrap() {
        writer.write(&entry).unwrap();
    }
    writer.finish().unwrap().0
}

#[test]
fn every_example_survives_a_round_trip() {
    let Some(corpus) = corpus() else { return };
    for path in documents(&corpus) {
        let original = canonical(&fs::read_to_string(&path).unwrap());
        let again = canonical(std::str::from_utf8(&rewritten(&path)).unwrap());
        let again: Vec<String> =
            again.into_iter().filter(|line| !line.contains("http://lent.example/")).collect();
        assert_eq!(original, again, "{}", path.display());
    }
}

/// A document as a list of its elements and texts: names with their namespaces, attributes sorted,
/// white space collapsed (a `hash` may have line ends between its digests).
fn canonical(text: &str) -> Vec<String> {
    let mut reader = NsReader::from_str(text);
    let mut lines = Vec::new();
    loop {
        let (namespace, event) = reader.read_resolved_event().unwrap();
        let namespace = match namespace {
            ResolveResult::Bound(namespace) => namespace.into_inner().to_owned(),
            _ => String::new(),
        };
        match event {
            Event::Start(start) | Event::Empty(start) => {
                let attributes: BTreeMap<String, String> = start
                    .attributes()
                    .map(Result::unwrap)
                    .map(|one| (one.key.as_ref().to_owned(), one.value.to_string()))
                    .filter(|(name, _)| !name.starts_with("xmlns"))
                    .map(|(name, value)| {
                        (name, value.split_whitespace().collect::<Vec<_>>().join(" "))
                    })
                    .collect();
                lines.push(format!("{namespace} {} {attributes:?}", start.local_name().as_ref()));
            }
            Event::Text(text) => {
                let text = unescape(&text).unwrap().trim().to_owned();
                if !text.is_empty() {
                    lines.push(text);
                }
            }
            Event::Eof => return lines,
            _ => {}
        }
    }
}

#[test]
fn what_is_written_is_valid_by_the_schema_as_far_as_that_goes() {
    let Some(corpus) = corpus() else { return };
    // The schema is that of a draft before 1.0: it knows no `datetime`.
    let unknown = ["_3.", "_19.", "_21.", "_23.", "_25.", "_26.", "_28."];
    let mut validated = 0;
    for path in documents(&corpus) {
        let name = path.to_str().unwrap();
        if name.contains("spec-1.1") && unknown.iter().any(|number| name.contains(number)) {
            continue;
        }
        let document = rewritten(&path);
        let index = String::from_utf8_lossy(&document).contains("<sitemapindex");
        let schema = corpus.join("xsd").join(if index { "w_index.xsd" } else { "w_urlset.xsd" });
        let mut xmllint = Command::new("xmllint")
            .args(["--noout", "--nonet", "--schema"])
            .arg(schema)
            .arg("-")
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("xmllint; `cargo xtask setup` installs it");
        xmllint.stdin.take().unwrap().write_all(&document).unwrap();
        let output = xmllint.wait_with_output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        validated += 1;
    }
    assert_eq!(validated, 60);
}
