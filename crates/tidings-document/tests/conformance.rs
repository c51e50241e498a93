//! Holds every document of `tests/conformance` against the rules: each has its expected findings
//! beside it, and nothing else may be found.
//!
//! `NAME.expect` stands beside `NAME.xml` (or `NAME.xml.gz`, `NAME.bin` …). Its lines are options,
//! `spec: 1.0`, `profile: ifcc`, `url: http://…`, and rule ids, each with a count where it is not 1:
//! `RS-12.1-order 2`. A document without rule ids is a valid one.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use tidings_document::{CheckOptions, Profile, Report, Spec, check, rule};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance")
}

struct Case {
    document: PathBuf,
    options: CheckOptions,
    expected: BTreeMap<String, u64>,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut folders = vec![folder()];
    while let Some(folder) = folders.pop() {
        for file in
            fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        {
            let path = file.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "expect") {
                cases.push(case(&path));
            }
        }
    }
    cases.sort_by(|a, b| a.document.cmp(&b.document));
    cases
}

fn case(expectation: &Path) -> Case {
    let stem = expectation.file_stem().unwrap().to_str().unwrap().to_owned() + ".";
    let document = fs::read_dir(expectation.parent().unwrap())
        .unwrap()
        .map(|file| file.unwrap().path())
        .find(|path| {
            path != expectation && path.file_name().unwrap().to_str().unwrap().starts_with(&stem)
        })
        .unwrap_or_else(|| panic!("no document beside {}", expectation.display()));
    let mut options = CheckOptions::default();
    let mut expected = BTreeMap::new();
    for line in fs::read_to_string(expectation).unwrap().lines() {
        let line = line.trim();
        match line.split_once(": ") {
            _ if line.is_empty() || line.starts_with('#') => {}
            Some(("spec", "1.0")) => options.spec = Spec::V1_0,
            Some(("spec", "1.1")) => options.spec = Spec::V1_1,
            Some(("profile", "resourcesync")) => options.profile = Profile::ResourceSync,
            Some(("profile", "ifcc")) => options.profile = Profile::Ifcc,
            Some(("profile", "sitemap")) => options.profile = Profile::Sitemap,
            Some(("charset", charset)) => options.read.charset = Some(charset.into()),
            Some(("url", url)) => options.url = Some(url.into()),
            Some(other) => panic!("{}: {other:?}", expectation.display()),
            None => {
                let (id, count) = line.split_once(' ').unwrap_or((line, "1"));
                assert!(
                    rule::by_id(id).is_some(),
                    "{}: there is no rule {id}",
                    expectation.display()
                );
                expected.insert(id.to_owned(), count.parse().unwrap());
            }
        }
    }
    Case { document, options, expected }
}

fn run(case: &Case) -> Report {
    check(BufReader::new(File::open(&case.document).unwrap()), &case.options).unwrap()
}

#[test]
fn every_document_has_its_findings_and_no_others() {
    let cases = cases();
    assert!(cases.len() > 100, "only {} documents found", cases.len());
    let mut wrong = String::new();
    for case in &cases {
        let report = run(case);
        let found: BTreeMap<String, u64> =
            report.findings.by_rule().map(|(id, count)| (id.to_owned(), count)).collect();
        if found != case.expected {
            let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
            let name = case.document.strip_prefix(folder()).unwrap().display();
            wrong += &format!(
                "{name}\n  expected {:?}\n  found    {found:?}\n  {}\n",
                case.expected,
                findings.join("\n  ")
            );
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_rule_has_a_document_that_breaks_only_that_rule() {
    let alone: BTreeSet<String> = cases()
        .into_iter()
        .filter(|case| case.expected.len() == 1)
        .flat_map(|case| case.expected.into_keys())
        .collect();
    let source: Vec<&str> = rule::source::ALL.iter().map(|rule| rule.id).collect();
    // These take documents too large to keep; `hostile.rs` makes them.
    let large = [
        "LIMIT-entries",
        "LIMIT-bytes",
        "LIMIT-inflation",
        "LIMIT-entry",
        "LIMIT-token",
        "LIMIT-head",
        "SM-entries",
        "SM-bytes",
    ];
    // Only in a Source of several documents can these be broken.
    let several = ["IFCC-describes-differs", "IFCC-describes-duplicate", "IFCC-describedby-absent"];
    // Those of webfeeds are checked, and tested, with webfeeds.
    let webfeeds: Vec<&str> = rule::webfeed::ALL.iter().map(|rule| rule.id).collect();
    let missing: Vec<&str> = rule::all()
        .map(|rule| rule.id)
        .filter(|id| {
            !alone.contains(*id)
                && !source.contains(id)
                && !webfeeds.contains(id)
                && !large.contains(id)
                && !several.contains(id)
        })
        .collect();
    assert!(missing.is_empty(), "no document breaks only {missing:?}");
}

#[test]
fn every_finding_names_its_line() {
    for case in cases() {
        for finding in &run(&case).findings {
            assert!(finding.place.line > 0, "{}: {finding}", case.document.display());
        }
    }
}
