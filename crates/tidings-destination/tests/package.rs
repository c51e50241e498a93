//! Packages that somebody made to do harm, and what becomes of them: rows Z1 to Z6 of the threats.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::Command;
use std::time::Instant;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use proptest::prelude::*;
use tidings_destination::{Fault, Package, PackageError, PackageLimits};

/// One entry, with every field that a test may want to be wrong.
#[derive(Clone)]
struct Entry {
    name: Vec<u8>,
    data: Vec<u8>,
    length: u32,
    sum: u32,
    method: u16,
    flags: u16,
    attributes: u32,
    /// Before the member, instead of the name, the method, the length and the sum.
    header: (Option<Vec<u8>>, Option<u16>, Option<u32>, Option<u32>),
    /// Behind the member.
    behind: Vec<u8>,
    /// Where it is said to begin.
    start: Option<u32>,
}

fn stored(name: &str, data: &[u8]) -> Entry {
    Entry {
        name: name.into(),
        data: data.to_vec(),
        length: data.len() as u32,
        sum: crc32fast::hash(data),
        method: 0,
        flags: 0,
        attributes: 0o100_644 << 16,
        header: (None, None, None, None),
        behind: Vec::new(),
        start: None,
    }
}

fn deflated(name: &str, data: &[u8]) -> Entry {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    Entry { data: encoder.finish().unwrap(), method: 8, ..stored(name, data) }
        .with(|entry| entry.length = data.len() as u32)
        .with(|entry| entry.sum = crc32fast::hash(data))
}

impl Entry {
    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Sum and lengths stand behind the member.
    fn described(self) -> Self {
        self.with(|entry| {
            entry.flags |= 8;
            entry.header.2 = Some(0);
            entry.header.3 = Some(0);
            let stored = entry.data.len() as u32;
            entry.behind = b"PK\x07\x08".to_vec();
            for number in [entry.sum, stored, entry.length] {
                entry.behind.extend(number.to_le_bytes());
            }
        })
    }
}

fn zip(entries: &[Entry]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let start = entry.start.unwrap_or(bytes.len() as u32);
        let stored = entry.data.len() as u32;
        let (name, method, length, sum) = &entry.header;
        let name = name.as_ref().unwrap_or(&entry.name);
        bytes.extend(b"PK\x03\x04\x14\0");
        for number in [entry.flags, method.unwrap_or(entry.method), 0, 0x21] {
            bytes.extend(number.to_le_bytes());
        }
        let in_header = if length.is_some() { 0 } else { stored };
        for number in [sum.unwrap_or(entry.sum), in_header, length.unwrap_or(entry.length)] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend(name);
        bytes.extend(&entry.data);
        bytes.extend(&entry.behind);

        directory.extend(b"PK\x01\x02\x14\x03\x14\0");
        for number in [entry.flags, entry.method, 0, 0x21] {
            directory.extend(number.to_le_bytes());
        }
        for number in [entry.sum, stored, entry.length] {
            directory.extend(number.to_le_bytes());
        }
        for number in [entry.name.len() as u16, 0, 0, 0, 0] {
            directory.extend(number.to_le_bytes());
        }
        directory.extend(entry.attributes.to_le_bytes());
        directory.extend(start.to_le_bytes());
        directory.extend(&entry.name);
    }
    let start = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend((entries.len() as u16).to_le_bytes());
    bytes.extend((entries.len() as u16).to_le_bytes());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn open(bytes: &[u8]) -> Result<Package, PackageError> {
    Package::open(file(bytes), &PackageLimits::default())
}

fn manifest() -> Entry {
    deflated("manifest.xml", b"<urlset/>")
}

/// A package of a manifest and these.
fn with(entries: &[Entry]) -> Vec<u8> {
    let mut all = vec![manifest()];
    all.extend_from_slice(entries);
    zip(&all)
}

fn read(package: &Package, path: &str) -> io::Result<Vec<u8>> {
    let member = package.member(path).ok_or(io::ErrorKind::NotFound)?;
    let mut bytes = Vec::new();
    package.read(&member).read_to_end(&mut bytes)?;
    assert_eq!(bytes.len() as u64, member.length());
    Ok(bytes)
}

/// The fault of the member `x`, found when the package is opened.
fn refused(bytes: &[u8]) -> Fault {
    match open(bytes).unwrap_err() {
        PackageError::Member { name, fault } if name == "x" => fault,
        other => panic!("{other}"),
    }
}

/// The fault of the member `x`, found when it is read; so it is when it is read byte by byte, before
/// the last of them is given.
fn damaged(bytes: &[u8]) -> Fault {
    let package = open(bytes).unwrap();
    let member = package.member("/x").unwrap();
    let mut whole = vec![0; member.length() as usize];
    let error = package.read(&member).read_exact(&mut whole).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    let mut reader = package.read(&member);
    let mut byte_by_byte = || (0..=member.length()).find_map(|_| reader.read(&mut [0]).err());
    assert_eq!(error.to_string(), byte_by_byte().unwrap().to_string());
    // It does not end well after it has failed.
    assert_eq!(error.to_string(), byte_by_byte().unwrap().to_string());
    match error.downcast().unwrap() {
        PackageError::Member { name, fault } if name == "x" => fault,
        other => panic!("{other}"),
    }
}

fn patched(mut bytes: Vec<u8>, from_end: usize, patch: &[u8]) -> Vec<u8> {
    let at = bytes.len() - from_end;
    bytes[at..at + patch.len()].copy_from_slice(patch);
    bytes
}

#[test]
fn what_is_sound_is_read() {
    let long = b"0123456789abcdef".repeat(20_000);
    let package = open(&with(&[
        stored("a/b", b"hello"),
        stored("a/", b""),
        deflated("long", &long).with(|entry| entry.flags |= 2),
        stored("long.stored", &long),
        stored("empty", b""),
        deflated("empty.deflated", b"").described(),
        deflated("é.described", b"hello").described(),
        stored("long.described", &long).described(),
        stored("bare", b"hello").described().with(|entry| entry.behind = entry.behind.split_off(4)),
    ]))
    .unwrap();
    assert_eq!(package.manifest().unwrap(), b"<urlset/>");
    assert_eq!(package.members(), 8);
    package.check_headers().unwrap();
    for (path, expected) in [
        ("/a/b", &b"hello"[..]),
        ("a/b", b"hello"),
        ("/long", &long),
        ("/long.stored", &long),
        ("/empty", b""),
        ("/empty.deflated", b""),
        ("/é.described", b"hello"),
        ("/long.described", &long),
        ("/bare", b"hello"),
    ] {
        assert_eq!(read(&package, path).unwrap(), expected, "{path}");
    }
    assert!(package.member("/a/b").unwrap().is_stored());
    assert!(!package.member("/long").unwrap().is_stored());
    for path in ["/A/B", "/a", "/a/", "/manifest.xml", "", "/"] {
        assert_eq!(package.member(path), None, "{path}");
    }
    let listed = [package.member("/a/b").unwrap(), package.member("/empty").unwrap()];
    assert_eq!(package.unlisted(listed.iter().chain(&listed)), 6);
}

#[test]
fn several_threads_read_at_once() {
    let texts: Vec<Vec<u8>> = (0..8_u8).map(|n| vec![n; 100_000]).collect();
    let entries: Vec<_> =
        texts.iter().enumerate().map(|(n, text)| deflated(&n.to_string(), text)).collect();
    let package = &open(&with(&entries)).unwrap();
    std::thread::scope(|scope| {
        for (number, text) in texts.iter().enumerate() {
            scope.spawn(move || assert_eq!(&read(package, &number.to_string()).unwrap(), text));
        }
    });
}

#[test]
fn z1_names_are_only_compared() {
    let names =
        ["../x", "..\\x", "/etc/x", "C:\\x", "\\\\host\\x", "//x", "a\0b", "a/../x", "./x", "a//x"];
    let odd: Vec<_> = names.iter().map(|name| stored(name, b"x")).collect();
    let package = open(&with(&odd)).unwrap();
    for name in names.into_iter().filter(|name| *name != "/etc/x") {
        assert_eq!(package.member(name), None, "{name:?}");
    }
    // The slash of the path is not that of the name.
    assert_eq!(package.member("/etc/x"), None);
    assert_eq!(package.member("//etc/x"), None);
    assert_eq!(package.unlisted([]), names.len());
    // These mean something only to those who make files of them.
    let package = open(&with(&[stored("CON", b"x"), stored("dot.", b"y")])).unwrap();
    assert_eq!(read(&package, "/CON").unwrap(), b"x");
    assert_eq!(read(&package, "/dot.").unwrap(), b"y");
}

#[test]
fn z2_links_and_devices_are_refused() {
    for mode in [0o120_777, 0o020_666, 0o060_666, 0o010_666, 0o140_666, 0o040_755] {
        let link = stored("x", b"/etc").with(|entry| entry.attributes = mode << 16);
        assert_eq!(refused(&with(&[link])), Fault::NotAFile);
    }
    let folder = stored("x/", b"content");
    assert!(matches!(
        open(&with(&[folder])).unwrap_err(),
        PackageError::Member { fault: Fault::NotAFile, .. }
    ));
    let folder = stored("x/", b"").with(|entry| entry.attributes = 0o040_755 << 16 | 0x10);
    assert_eq!(open(&with(&[folder])).unwrap().members(), 0);
    let plain = stored("x", b"").with(|entry| entry.attributes = 0);
    assert_eq!(open(&with(&[plain])).unwrap().members(), 1);
}

#[test]
fn z3_bombs_are_refused_before_they_are_read() {
    let zeros = vec![0; 4 << 20];
    let Fault::Ratio { length, .. } = refused(&with(&[deflated("x", &zeros)])) else { panic!() };
    assert_eq!(length, 4 << 20);
    // Below a mebibyte it may be chance, but not again and again.
    let small = deflated("x", &zeros[..1 << 20]);
    assert!(open(&with(std::slice::from_ref(&small))).is_ok());
    let named = |n: u8| small.clone().with(|entry| entry.name = format!("{n}").into());
    let many: Vec<_> = (0..65).map(named).collect();
    let error = open(&with(&many)).unwrap_err();
    assert!(matches!(error, PackageError::Total { fault: Fault::Ratio { .. } }), "{error}");

    // Two that have their bytes in common, in each of the ways.
    let first = stored("x", &[7; 1000]);
    // Where the first begins after the manifest.
    let at = with(&[]).windows(4).position(|four| four == b"PK\x01\x02").unwrap() as u32;
    for start in [at, at + 500] {
        let second = stored("y", &[7; 10]).with(|entry| entry.start = Some(start));
        let error = open(&with(&[first.clone(), second])).unwrap_err();
        assert!(matches!(error, PackageError::Overlap { .. }), "{error}");
    }
    // More entries than are allowed, by the number and by the count.
    let limits = PackageLimits { entries: 2, ..PackageLimits::default() };
    let three = with(&[stored("x", b""), stored("y", b"")]);
    let error = Package::open(file(&three), &limits).unwrap_err();
    assert!(matches!(error, PackageError::Entries { entries: 3, most: 2 }));
    let lying = patched(three, 14, &[1, 0, 1, 0]);
    assert!(matches!(
        Package::open(file(&lying), &limits).unwrap_err(),
        PackageError::Entries { entries: 3, .. }
    ));
    assert!(matches!(open(&lying).unwrap_err(), PackageError::Directory { .. }));
    // A package in a package is a file like others.
    let inner = with(&[]);
    assert_eq!(read(&open(&with(&[stored("x", &inner)])).unwrap(), "x").unwrap(), inner);
}

#[test]
fn z3_limits_are_kept() {
    let bytes = with(&[stored("x", b"0123456789")]);
    let with_limits = |change: fn(&mut PackageLimits)| {
        let mut limits = PackageLimits::default();
        change(&mut limits);
        Package::open(file(&bytes), &limits)
    };
    let fault = |error| match error {
        PackageError::Member { fault, .. } | PackageError::Total { fault } => fault,
        other => panic!("{other}"),
    };
    let error = with_limits(|limits| limits.manifest_bytes = 8).unwrap_err();
    assert_eq!(fault(error), Fault::TooLong { length: 9, most: 8 });
    let error = with_limits(|limits| limits.member_bytes = 9).unwrap_err();
    assert_eq!(fault(error), Fault::TooLong { length: 10, most: 9 });
    let error = with_limits(|limits| limits.total = 18).unwrap_err();
    assert_eq!(fault(error), Fault::TooLong { length: 19, most: 18 });
}

#[test]
fn z4_names_are_there_once() {
    for (one, other) in [
        ("a", "a"),
        ("Readme", "README"),
        ("é", "e\u{301}"),
        ("straße", "STRASSE"),
        ("manifest.xml", "y"),
        ("MANIFEST.XML", "y"),
    ] {
        let error = open(&with(&[stored(one, b"1"), stored(other, b"2")])).unwrap_err();
        assert!(matches!(error, PackageError::Twins { .. }), "{error}");
    }
    for none in [&[][..], &[stored("a/manifest.xml", b"")], &[stored("Manifest.xml", b"")]] {
        let mut entries = none.to_vec();
        entries.push(stored("x", b""));
        assert!(matches!(open(&zip(&entries)).unwrap_err(), PackageError::NoManifest));
    }
}

#[test]
fn z5_headers_and_directory_agree() {
    let x = || deflated("x", b"hello hello");
    type Change = fn(&mut Entry);
    let table: [(Change, &str); 6] = [
        (|entry| entry.header.0 = Some(b"y".to_vec()), "name"),
        (|entry| entry.header.1 = Some(0), "method"),
        (|entry| entry.header.2 = Some(5), "length"),
        (|entry| entry.header.2 = Some(u32::MAX), "length"),
        (|entry| entry.header.3 = Some(0), "CRC"),
        (|entry| (entry.start, entry.behind) = (Some(60), vec![0; 20]), "place"),
    ];
    for (change, what) in table {
        let bytes = with(&[x().with(change)]);
        assert_eq!(damaged(&bytes), Fault::Header { what });
        let error = open(&bytes).unwrap().check_headers().unwrap_err();
        assert!(
            matches!(error, PackageError::Member { fault: Fault::Header { what: w }, .. } if w == what),
            "{error}"
        );
    }
    let lying = x().described().with(|entry| entry.behind[5] ^= 1);
    assert_eq!(damaged(&with(&[lying])), Fault::Header { what: "descriptor" });
    let none = x().described().with(|entry| entry.behind.clear());
    assert_eq!(damaged(&with(&[none])), Fault::Header { what: "descriptor" });
    // A header so long that the member would lie over what follows it.
    let mut bytes = with(&[x(), stored("y", b"")]);
    let at = bytes.windows(4).rposition(|four| four == b"x\xCBH\xCD").unwrap();
    bytes[at - 2] = 1;
    assert_eq!(damaged(&bytes), Fault::Outside);
}

#[test]
fn z5_the_end_says_the_truth() {
    let bytes = with(&[stored("x", b"hello")]);
    // The directory is said to be elsewhere, with and without a sign that it is there.
    for place in [0_u32, 1, 60, u32::MAX] {
        assert!(open(&patched(bytes.clone(), 6, &place.to_le_bytes())).is_err());
    }
    let mut prefixed = b"#!/bin/sh\n".to_vec();
    prefixed.extend(&bytes);
    assert!(matches!(open(&prefixed).unwrap_err(), PackageError::Directory { .. }));
    let mut followed = bytes.clone();
    followed.extend(b"more");
    assert!(matches!(open(&followed).unwrap_err(), PackageError::Directory { .. }));
    // An end within the comment of the end, with a directory of its own.
    let mut nested = patched(bytes.clone(), 2, &(bytes.len() as u16).to_le_bytes());
    nested.extend(&bytes);
    assert!(matches!(open(&nested).unwrap_err(), PackageError::Directory { .. }));
    // A length that is in a field that is not there.
    let endless = stored("x", b"hello").with(|entry| entry.length = u32::MAX);
    assert_eq!(refused(&with(&[endless])), Fault::Length);
    let endless = deflated("x", b"hello").with(|entry| entry.length = u32::MAX);
    assert!(matches!(refused(&with(&[endless])), Fault::Ratio { .. }));
    let outside = stored("x", b"hello").with(|entry| entry.start = Some(u32::MAX));
    assert_eq!(refused(&with(&[outside])), Fault::Outside);
}

#[test]
fn z6_damage_is_seen() {
    let x = || deflated("x", b"hello hello");
    assert_eq!(damaged(&with(&[x().with(|entry| entry.sum ^= 1)])), Fault::Sum);
    assert_eq!(damaged(&with(&[stored("x", b"a").with(|entry| entry.sum ^= 1)])), Fault::Sum);
    assert_eq!(damaged(&with(&[x().with(|entry| entry.length += 1)])), Fault::Length);
    assert_eq!(damaged(&with(&[x().with(|entry| entry.length -= 1)])), Fault::Length);
    assert_eq!(damaged(&with(&[x().with(|entry| entry.data.push(0))])), Fault::Length);
    let cut = x().with(|entry| entry.data.truncate(4));
    assert!(matches!(damaged(&with(&[cut])), Fault::Length | Fault::Deflate));
    assert_eq!(damaged(&with(&[x().with(|entry| entry.data[0] = 0xFF)])), Fault::Deflate);
    for flag in [1, 1 << 6, 1 << 13] {
        assert_eq!(refused(&with(&[x().with(|entry| entry.flags |= flag)])), Fault::Encrypted);
    }
    for method in [1, 9, 12, 14, 93, 99] {
        let odd = x().with(|entry| entry.method = method);
        assert_eq!(refused(&with(&[odd])), Fault::Method { method });
    }
    let bytes = with(&[x()]);
    for disk in [18, 16] {
        assert!(matches!(
            open(&patched(bytes.clone(), disk, &[1, 0])).unwrap_err(),
            PackageError::Parts
        ));
    }
    let partial = patched(bytes.clone(), 14, &[1, 0]);
    assert!(matches!(open(&partial).unwrap_err(), PackageError::Parts));
    for length in 0..bytes.len() {
        assert!(open(&bytes[..length]).is_err(), "{length}");
    }
    assert!(matches!(open(b"<html>").unwrap_err(), PackageError::NotZip { .. }));
}

#[test]
fn archives_of_python_are_read() {
    const SCRIPT: &str = r#"
import io, sys, zipfile
class Pipe(io.RawIOBase):
    def __init__(self, path): self.file = open(path, "wb")
    def writable(self): return True
    def write(self, data): return self.file.write(data)
def fill(zip):
    zip.writestr("manifest.xml", "<urlset/>")
    zip.writestr("resources/", "")
    zip.writestr("resources/caf\u00e9.txt", "hello " * 5000)
    with zip.open("wide", "w", force_zip64=True) as out: out.write(b"wide")
    zip.writestr(zipfile.ZipInfo("stored"), b"stored")
folder = sys.argv[1]
with zipfile.ZipFile(folder + "/plain.zip", "w", zipfile.ZIP_DEFLATED) as zip: fill(zip)
with zipfile.ZipFile(Pipe(folder + "/described.zip"), "w", zipfile.ZIP_DEFLATED) as zip: fill(zip)
with zipfile.ZipFile(folder + "/commented.zip", "w") as zip:
    fill(zip)
    zip.comment = b"a comment"
zipfile.ZIP_FILECOUNT_LIMIT = 2
with zipfile.ZipFile(folder + "/zip64.zip", "w", zipfile.ZIP_DEFLATED) as zip: fill(zip)
"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let status = Command::new("python3").arg("-c").arg(SCRIPT).arg(path).status().unwrap();
    assert!(status.success());
    for name in ["plain.zip", "described.zip", "commented.zip", "zip64.zip"] {
        let bytes = std::fs::read(path.join(name)).unwrap();
        let package = open(&bytes).unwrap();
        assert_eq!(package.manifest().unwrap(), b"<urlset/>", "{name}");
        assert_eq!(package.members(), 3, "{name}");
        package.check_headers().unwrap();
        let text = read(&package, "/resources/café.txt").unwrap();
        assert_eq!(text, b"hello ".repeat(5000), "{name}");
        assert_eq!(read(&package, "/wide").unwrap(), b"wide", "{name}");
        assert_eq!(read(&package, "/stored").unwrap(), b"stored", "{name}");
    }
    // The record of ZIP64 stands 20 bytes before the end's 22, with its locator between.
    let wide = std::fs::read(path.join("zip64.zip")).unwrap();
    let record = wide.len() - 22 - 20 - 56;
    assert_eq!(&wide[record..record + 4], b"PK\x06\x06");
    for at in [16, 20, 24, 32, 48, 56 + 4, 56 + 8, 56 + 16] {
        let mut lying = wide.clone();
        lying[record + at] += 2;
        let error = open(&lying).unwrap_err();
        let is_seen = matches!(error, PackageError::Parts | PackageError::Directory { .. });
        assert!(is_seen || matches!(error, PackageError::NotZip { .. }), "{at}: {error}");
    }
}

/// The program may be missing; Python, above, is there wherever the project is built.
#[test]
fn archives_of_info_zip_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::create_dir(path.join("a")).unwrap();
    std::fs::write(path.join("manifest.xml"), "<urlset/>").unwrap();
    std::fs::write(path.join("a/b"), "hello ".repeat(5000)).unwrap();
    for script in [
        "zip -qr out.zip manifest.xml a",
        "zip -qr0 - manifest.xml a | cat >out.zip",
        "zip -qr -fd - manifest.xml a | cat >out.zip",
        // What comes from without may be long, so its header gets the field of ZIP64.
        r"zip -q out.zip manifest.xml - <a/b; printf '@ -\n@=a/b\n' | zipnote -w out.zip",
    ] {
        let _ = std::fs::remove_file(path.join("out.zip"));
        let run = Command::new("sh").arg("-ec").arg(script).current_dir(path).output().unwrap();
        if String::from_utf8_lossy(&run.stderr).contains("not found") {
            return;
        }
        let bytes = std::fs::read(path.join("out.zip")).unwrap();
        let package = open(&bytes).unwrap();
        assert_eq!(package.manifest().unwrap(), b"<urlset/>", "{script}");
        assert_eq!(read(&package, "/a/b").unwrap(), b"hello ".repeat(5000), "{script}");
    }
}

#[test]
fn many_entries_are_opened_fast() {
    let entries: Vec<_> =
        (0..20_000).map(|n| stored(&format!("resources/{n:05}.html"), &[b'x'; 4096])).collect();
    let file = file(&with(&entries));
    let begun = Instant::now();
    let package = Package::open(file, &PackageLimits::default()).unwrap();
    let opened = begun.elapsed();
    package.check_headers().unwrap();
    let checked = begun.elapsed() - opened;
    let begun = Instant::now();
    for n in 0..20_000 {
        read(&package, &format!("/resources/{n:05}.html")).unwrap();
    }
    let read = begun.elapsed();
    println!("20,000 entries opened in {opened:?}, checked in {checked:?}, read in {read:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// Whatever is changed, nothing is read that was not packed.
    #[test]
    fn no_change_goes_unseen(flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u8), 1..4)) {
        let entries = [
            ("manifest.xml", &b"<urlset/>"[..]),
            ("a", b"hello hello hello"),
            ("b", b"stored, and not short"),
            ("c", b""),
            ("d", b"described, described"),
        ];
        let packed = |place: usize| {
            let (name, data) = entries[place];
            match place {
                2 => stored(name, data),
                4 => deflated(name, data).described(),
                _ => deflated(name, data),
            }
        };
        let mut bytes = zip(&[packed(0), packed(1), packed(2), packed(3), packed(4)]);
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        if let Ok(package) = open(&bytes) {
            if let Ok(manifest) = package.manifest() {
                prop_assert_eq!(manifest, entries[0].1);
            }
            for (name, data) in &entries[1..] {
                if let Ok(found) = read(&package, name) {
                    prop_assert_eq!(&found, data);
                }
            }
        }
    }
}
