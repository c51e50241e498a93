//! `tidings validate --follow`: packages are opened, and their files held against the manifest.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;
use support::copied::Served;
use support::zip::{Member, member, zip};
use support::{run, stderr, stdout, tidings};

/// A Source with a Resource Dump of two files, and the path of its only package.
fn source() -> (Served, PathBuf) {
    let source = Served::new(&[("a.txt", "one"), ("b.txt", "two")]);
    source.publish(&["--dump"]);
    let package = package_of(&source, "resourcedump");
    (source, package)
}

fn package_of(source: &Served, stem: &str) -> PathBuf {
    let files = fs::read_dir(source.path("resourcesync")).unwrap().map(|file| file.unwrap().path());
    let is_package = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with(&format!("{stem}-")) && name.ends_with(".zip")
    };
    files.into_iter().find(is_package).unwrap()
}

/// Puts another package into its place, with the same manifest and these contents in their order.
fn repack(package: &PathBuf, change: impl Fn(usize, Member) -> Option<Member>) {
    let manifest = fs::read_to_string(package.with_extension("xml")).unwrap();
    let paths = manifest.split("path=\"/").skip(1).map(|rest| rest.split('"').next().unwrap());
    let contents = ["one", "two"].into_iter().cycle();
    let members = paths.zip(contents).map(|(path, content)| member(path, content));
    let members = members.enumerate().filter_map(|(place, member)| change(place, member));
    let all: Vec<Member> =
        std::iter::once(member("manifest.xml", manifest.as_str())).chain(members).collect();
    fs::write(package, zip(&all)).unwrap();
}

fn validate(source: &Served) -> Output {
    run(["validate", "--follow", "--json", &format!("{}.well-known/resourcesync", source.url())])
}

/// The findings at packages: rule, entry and what was found.
fn findings(output: &Output) -> Vec<(String, Value, String)> {
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let documents = found["documents"].as_array().unwrap().iter();
    let packages =
        documents.filter(|document| document["target"].as_str().unwrap().ends_with(".zip"));
    let findings = packages.flat_map(|package| package["findings"].as_array().unwrap().clone());
    findings
        .map(|finding| {
            let text = |name: &str| finding[name].as_str().unwrap().to_owned();
            (text("rule"), finding["entry"].clone(), text("detail"))
        })
        .collect()
}

#[track_caller]
fn assert_found(output: &Output, rule: &str, entry: u64, words: &[&str]) {
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(output), stderr(output));
    let all = findings(output);
    let found = all.iter().find(|found| found.0 == rule);
    let found = found.unwrap_or_else(|| panic!("{rule}: {all:?}"));
    assert_eq!(found.1, entry, "{all:?}");
    assert!(words.iter().all(|word| found.2.contains(word)), "{all:?}");
}

#[test]
fn a_file_that_is_missing_from_a_package_is_an_error() {
    let (source, package) = source();
    repack(&package, |place, member| (place != 1).then_some(member));
    assert_found(&validate(&source), "RS-11.2-bitstream-missing", 2, &["b.txt", &source.url()]);
}

#[test]
fn bytes_that_contradict_their_length_are_an_error() {
    let (source, package) = source();
    let change = |place, one: Member| {
        Some(if place == 0 { member(one.name.clone(), "one more") } else { one })
    };
    repack(&package, change);
    assert_found(&validate(&source), "RS-11.2-length-differs", 1, &["a.txt", "8 bytes", "3"]);
}

#[test]
fn bytes_that_contradict_their_digest_are_an_error() {
    let (source, package) = source();
    let change =
        |place, one: Member| Some(if place == 0 { member(one.name.clone(), "ONE") } else { one });
    repack(&package, change);
    assert_found(&validate(&source), "RS-11.2-hash-differs", 1, &["a.txt", "sha-256"]);
}

#[test]
fn bytes_that_are_damaged_are_an_error() {
    let (source, package) = source();
    repack(&package, |place, member| {
        Some(if place == 1 { member.stored("TWO".as_bytes().to_vec()) } else { member })
    });
    assert_found(&validate(&source), "RS-11.2-package", 2, &["b.txt", "CRC"]);
}

#[test]
fn a_package_that_is_not_the_one_of_its_dump_is_an_error() {
    let (source, package) = source();
    // The same files, but packed in another way.
    repack(&package, |_, member| Some(member));
    let output = validate(&source);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    let all = findings(&output);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0].0, "RS-11.1-package-differs");
    // As long as the dump tells, but other bytes.
    let bytes = fs::read(&package).unwrap();
    let dump = fs::read_to_string(source.path("resourcesync/resourcedump.xml")).unwrap();
    let told = dump.split("length=\"").nth(1).unwrap().split('"').next().unwrap();
    let dump = dump.replace(&format!("length=\"{told}\""), &format!("length=\"{}\"", bytes.len()));
    fs::write(source.path("resourcesync/resourcedump.xml"), dump).unwrap();
    let all = findings(&validate(&source));
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(all[0].0 == "RS-11.1-package-differs" && all[0].2.contains("sha-256"), "{all:?}");
}

#[test]
fn packages_of_a_change_dump_are_opened_too() {
    let source = Served::new(&[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]);
    source.publish(&["--change-dump"]);
    fs::write(source.path("a.txt"), "uno").unwrap();
    fs::remove_file(source.path("c.txt")).unwrap();
    source.publish(&["--change-dump"]);
    let output = validate(&source);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let package = package_of(&source, "changedump");
    repack(&package, |_, member| Some(member));
    assert_found(&validate(&source), "RS-11.2-hash-differs", 1, &["a.txt"]);
}

#[test]
fn memory_does_not_grow_with_a_package() {
    let source = Served::new(&[("a.txt", "one")]);
    // What does not compress, so that the package is as long as its content.
    let mut number = 1_u64;
    let mut noise = Vec::new();
    while noise.len() < 96 << 20 {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        noise.extend((number >> 16).to_le_bytes()[..4].iter());
    }
    fs::write(source.path("noise.bin"), &noise).unwrap();
    source.publish(&["--dump"]);
    let program = tidings();
    let start = format!("{}.well-known/resourcesync", source.url());
    let output = std::process::Command::new("sh")
        .args(["-c", "ulimit -d 65536; exec \"$@\"", "sh"])
        .arg(program.get_program())
        .args(["validate", "--follow", &start])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("nothing wrong"), "{}", stdout(&output));
}
