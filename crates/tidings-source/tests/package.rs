//! Packages, as other programs see them.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tidings_document::{
    Algorithm, Capability, Change, CheckOptions, Digest, Entry, Form, Hash, Head, Moment, Severity,
    check,
};
use tidings_source::{Difference, Package, PackageCapacity, PackageError, PackageWriter};

/// A length that is copied piece by piece.
const LONG: usize = (4 << 20) + 1;

const UP: &str = "https://e.example/capabilitylist.xml";

fn moment(text: &str) -> Moment {
    Moment::parse(text).unwrap()
}

fn head() -> Head<'static> {
    let at = moment("2026-11-15T10:00:00Z");
    Head::snapshot(Capability::ResourceDumpManifest, Form::List, at, UP)
}

fn digest(bytes: &[u8]) -> Digest {
    Digest::new(Algorithm::Sha256, &Sha256::digest(bytes)).unwrap()
}

/// Files on disk, with what a list says of them.
struct Files {
    folder: TempDir,
    listed: Vec<(Entry<'static>, PathBuf)>,
}

impl Files {
    fn new<N: AsRef<str>>(files: impl IntoIterator<Item = (N, &'static str, Vec<u8>)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut listed = Vec::new();
        for (place, (name, media_type, bytes)) in files.into_iter().enumerate() {
            let path = folder.path().join(place.to_string());
            fs::write(&path, &bytes).unwrap();
            let mut entry = Entry::new(format!("https://e.example/{}", name.as_ref()));
            entry.metadata.length = Some(bytes.len() as u64);
            entry.metadata.media_type = Some(media_type.into());
            entry.metadata.hash = Some(Hash::new(&[digest(&bytes)]));
            listed.push((entry, path));
        }
        Self { folder, listed }
    }

    fn small(count: usize) -> Self {
        Self::new((0..count).map(|number| {
            (format!("{number}.txt"), "text/plain", format!("this is {number}").into_bytes())
        }))
    }

    fn packages(&self, capacity: PackageCapacity) -> Result<Vec<Package<File>>, PackageError> {
        let mut writer = PackageWriter::new(head(), capacity, |number| {
            File::create_new(self.zip(number).with_extension("new"))
        })?;
        let mut packages = Vec::new();
        for (entry, file) in &self.listed {
            packages.extend(writer.add(entry, file)?);
        }
        packages.push(writer.finish()?);
        for package in &packages {
            let path = self.zip(package.number);
            fs::rename(path.with_extension("new"), path).unwrap();
        }
        Ok(packages)
    }

    fn zip(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("package-{number}.zip"))
    }
}

/// The files of a package with their contents, verified, in the order in which they lie in it.
fn unpacked(package: &Path) -> Vec<(String, CompressionMethod, Vec<u8>)> {
    let bytes = fs::read(package).unwrap();
    let archive = ZipArchive::from_slice(&bytes).unwrap();
    let mut files = Vec::new();
    for record in archive.entries() {
        let record = record.unwrap();
        let entry = archive.get_entry(record.wayfinder()).unwrap();
        let mut content = Vec::new();
        let method = record.compression_method();
        match method {
            CompressionMethod::STORE => {
                entry.verifying_reader(entry.data()).read_to_end(&mut content).unwrap()
            }
            _ => entry
                .verifying_reader(DeflateDecoder::new(entry.data()))
                .read_to_end(&mut content)
                .unwrap(),
        };
        let name = String::from_utf8(record.file_path().as_bytes().to_vec()).unwrap();
        files.push((name, method, content));
    }
    files
}

/// The entries of a manifest that has no errors: path to URI.
fn manifest(bytes: &[u8]) -> BTreeMap<String, String> {
    let report = check(bytes, &CheckOptions::default()).unwrap();
    assert_eq!(report.findings.of(Severity::Error), 0);
    let mut reader = tidings_document::Reader::new(bytes);
    let mut paths = BTreeMap::new();
    while let Some(entry) = reader.next_entry().unwrap() {
        let path = entry.metadata.path.clone().unwrap().into_owned();
        assert!(paths.insert(path, entry.loc.clone().into_owned()).is_none());
    }
    paths
}

/// Runs a program that may not be installed.
fn run(command: &mut Command) -> Option<String> {
    match command.output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            eprintln!("SKIPPED: {:?} is not installed", command.get_program());
            None
        }
        output => {
            let output = output.unwrap();
            assert!(output.status.success(), "{command:?}: {output:?}");
            Some(String::from_utf8(output.stdout).unwrap())
        }
    }
}

/// Bytes that cannot be compressed.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}

fn mixed() -> Files {
    let page = "<p>one and one and one</p>".repeat(500).into_bytes();
    let noise = noise(LONG);
    Files::new([
        ("index.html", "text/html", page.clone()),
        ("a/b.png", "image/png", b"\x89PNG".to_vec()),
        ("empty.txt", "text/plain", Vec::new()),
        ("tiny.txt", "text/plain", b"x".to_vec()),
        ("a%20b/..%2F..%2Fetc%2Fpasswd", "text/plain", page.clone()),
        ("con.aux?x=../../y.txt", "application/json", b"{}".repeat(100)),
        ("%E2%98%83.%E2%98%83", "text/plain", page.clone()),
        ("manifest.xml", "application/xml", page.clone()),
        ("long.bin", "application/octet-stream", noise),
        ("long.svg", "image/svg+xml", page.repeat(LONG / page.len() + 1)),
        ("index.html", "text/html", page),
    ])
}

#[test]
fn what_is_packed_comes_out_again() {
    let files = mixed();
    let package = files.packages(PackageCapacity::default()).unwrap().remove(0);
    let unpacked = unpacked(&files.zip(0));
    let (name, _, bytes) = &unpacked[0];
    assert_eq!(name, "manifest.xml");
    assert_eq!(*bytes, package.manifest);
    assert_eq!(package.entries, files.listed.len() as u64);
    assert_eq!(unpacked.len(), files.listed.len() + 1);
    let manifest = manifest(&package.manifest);
    let mut content = 0;
    for ((entry, path), (name, _, bytes)) in files.listed.iter().zip(&unpacked[1..]) {
        assert_eq!(*bytes, fs::read(path).unwrap());
        assert_eq!(manifest[&format!("/{name}")], entry.loc);
        assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'/' || b == b'.'));
        assert!(name.starts_with("resources/000") && !name.contains(".."), "{name}");
        content += bytes.len() as u64;
    }
    assert_eq!(package.content, content);
    assert_eq!(unpacked[1].0, "resources/00001.html");
    let methods: Vec<bool> =
        unpacked.iter().map(|file| file.1 == CompressionMethod::DEFLATE).collect();
    let deflated = [true, true, false, false, false, true, true, true, true, false, true, true];
    assert_eq!(methods, deflated);
    let bytes = fs::read(files.zip(0)).unwrap();
    assert_eq!((package.bytes, package.digest), (bytes.len() as u64, digest(&bytes)));
}

#[test]
fn other_programs_read_it() {
    let files = mixed();
    files.packages(PackageCapacity::default()).unwrap();
    run(Command::new("unzip").arg("-tq").arg(files.zip(0)));
    let script = "import sys, zipfile\n\
        z = zipfile.ZipFile(sys.argv[1])\n\
        assert z.testzip() is None\n\
        for i in z.infolist():\n  \
          assert i.date_time == (1980, 1, 1, 0, 0, 0), i\n  \
          print(i.filename, len(z.read(i)))";
    let listed = run(Command::new("python3").args(["-c", script]).arg(files.zip(0)));
    let ours: String = unpacked(&files.zip(0))
        .iter()
        .map(|(name, _, bytes)| format!("{name} {}\n", bytes.len()))
        .collect();
    assert_eq!(listed.unwrap_or_else(|| ours.clone()), ours);
}

#[test]
fn equal_files_give_equal_packages() {
    let (one, other) = (mixed(), mixed());
    let (one, other) = (
        (one.packages(PackageCapacity::default()).unwrap(), fs::read(one.zip(0)).unwrap()),
        (other.packages(PackageCapacity::default()).unwrap(), fs::read(other.zip(0)).unwrap()),
    );
    assert!(one.1 == other.1);
    assert_eq!(one.0[0].digest, other.0[0].digest);
}

#[test]
fn a_package_is_full_by_its_entries() {
    let files = Files::small(1001);
    let packages = files.packages(PackageCapacity { entries: 250, ..Default::default() }).unwrap();
    let counts: Vec<u64> = packages.iter().map(|package| package.entries).collect();
    assert_eq!(counts, [250, 250, 250, 250, 1]);
    let uris: Vec<String> = packages
        .iter()
        .flat_map(|package| manifest(&package.manifest).into_values().collect::<Vec<_>>())
        .collect();
    let listed: Vec<&str> = files.listed.iter().map(|(entry, _)| &*entry.loc).collect();
    assert_eq!(uris, listed);
    for package in &packages {
        assert_eq!(unpacked(&files.zip(package.number)).len() as u64, package.entries + 1);
    }
}

#[test]
fn a_package_is_full_by_its_content() {
    let lengths = [40, 60, 1, 300, 99, 1, 0, 50];
    let files = Files::new(lengths.map(|length| ("a", "image/png", vec![7; length])));
    let packages = files.packages(PackageCapacity { content: 100, ..Default::default() }).unwrap();
    let contents: Vec<u64> = packages.iter().map(|package| package.content).collect();
    assert_eq!(contents, [100, 1, 300, 100, 50]);
}

#[test]
fn a_package_may_be_empty() {
    let files = Files::small(0);
    let packages = files.packages(PackageCapacity::default()).unwrap();
    assert_eq!((packages.len(), packages[0].entries, packages[0].content), (1, 0, 0));
    let unpacked = unpacked(&files.zip(0));
    assert_eq!(unpacked.len(), 1);
    assert!(manifest(&unpacked[0].2).is_empty());
}

/// Packs these files after the second was replaced: the error, which has to name that file.
fn after_change(second: (&'static str, Vec<u8>), now: Option<&[u8]>) -> PackageError {
    let first = ("a", "text/plain", b"first".to_vec());
    let files = Files::new([first, ("b", second.0, second.1)]);
    let changed = &files.listed[1].1;
    match now {
        Some(bytes) => fs::write(changed, bytes).unwrap(),
        None => fs::remove_file(changed).unwrap(),
    }
    let error = files.packages(PackageCapacity::default()).unwrap_err();
    assert!(error.to_string().contains(&changed.display().to_string()), "{error}");
    error
}

#[test]
fn a_file_that_changed_fails_the_package() {
    let second = || ("text/plain", b"second".to_vec());
    for (now, by_length) in [(&b"secone"[..], false), (b"secon", true), (b"seconds", true)] {
        let error = after_change(second(), Some(now));
        let PackageError::Changed { difference, .. } = error else { panic!("{error}") };
        assert_eq!(matches!(difference, Difference::Length { .. }), by_length);
    }
    assert!(matches!(after_change(second(), None), PackageError::Read { .. }));
}

#[test]
fn a_long_file_that_changed_fails_the_package() {
    let long = vec![1; LONG];
    let mut other = long.clone();
    other[LONG - 1] = 2;
    let more = [&long[..], b"more"].concat();
    for (media_type, now, by_length) in [
        ("text/plain", &other[..], false),
        ("image/png", &other, false),
        ("image/png", &long[1..], true),
        ("image/png", &more, true),
    ] {
        let error = after_change((media_type, long.clone()), Some(now));
        let PackageError::Changed { difference, .. } = error else { panic!("{error}") };
        assert_eq!(matches!(difference, Difference::Length { .. }), by_length);
    }
    assert!(matches!(after_change(("image/png", long), None), PackageError::Read { .. }));
}

#[test]
fn after_a_failure_nothing_more_is_written() {
    let files = Files::small(3);
    fs::write(&files.listed[0].1, "another").unwrap();
    let capacity = PackageCapacity { entries: 1, ..Default::default() };
    let mut writer = PackageWriter::new(head(), capacity, |_| Ok(Vec::new())).unwrap();
    let mut add = |place: usize| writer.add(&files.listed[place].0, &files.listed[place].1);
    assert!(add(0).unwrap().is_none());
    assert!(matches!(add(1), Err(PackageError::Changed { .. })));
    assert!(matches!(add(2), Err(PackageError::Failed)));
    assert!(matches!(writer.finish(), Err(PackageError::Failed)));
}

#[test]
fn what_cannot_be_written_is_said() {
    struct Disk(usize);
    impl io::Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let files = Files::new([("a", "image/png", vec![1; 1 << 20]), ("b", "image/png", noise(LONG))]);
    for room in [0, 1 << 20, 3 << 20] {
        let open = |_| Ok(Disk(room));
        let mut writer = PackageWriter::new(head(), PackageCapacity::default(), open).unwrap();
        for (entry, file) in &files.listed {
            writer.add(entry, file).unwrap();
        }
        let Err(PackageError::Write { number: 0, source }) = writer.finish() else { panic!() };
        assert_eq!(source.kind(), io::ErrorKind::StorageFull);
    }
    let list = Head::capability_list(UP);
    let open = |_| Ok(Vec::new());
    let refused = PackageWriter::new(list, PackageCapacity::default(), open).err().unwrap();
    assert!(matches!(refused, PackageError::Head { .. }));
}

#[test]
fn changes_are_packed_under_a_head_for_each_package() {
    let files = Files::small(2);
    let days =
        ["2026-11-13", "2026-11-14", "2026-11-15"].map(|day| moment(&format!("{day}T00:00:00Z")));
    let head = |day: usize| {
        let (from, until) = (days[day], Some(days[day + 1]));
        Head::interval(Capability::ChangeDumpManifest, Form::List, from, until, UP)
    };
    let capacity = PackageCapacity { entries: 2, ..Default::default() };
    let mut writer = PackageWriter::new(head(0), capacity, |_| Ok(Vec::new())).unwrap();
    let changed = |place: usize, change, day: usize| {
        let mut entry = files.listed[place].0.clone();
        entry.metadata.change = Some(change);
        entry.metadata.datetime = Some(days[day]);
        entry
    };
    writer.add(&changed(0, Change::Created, 0), &files.listed[0].1).unwrap();
    let mut gone = Entry::new("https://e.example/gone");
    gone.metadata.change = Some(Change::Deleted);
    gone.metadata.datetime = Some(days[0]);
    writer.mention(&gone).unwrap();
    let next = changed(1, Change::Updated, 1);
    let add = |writer: &mut PackageWriter<'_, _>| writer.add(&next, &files.listed[1].1);
    assert!(matches!(add(&mut writer), Err(PackageError::Full)));
    let first = writer.begin(head(1)).unwrap();
    assert!(add(&mut writer).unwrap().is_none());
    let second = writer.finish().unwrap();
    assert_eq!((first.number, first.entries), (0, 2));
    assert_eq!((second.number, second.entries), (1, 1));
    let first = String::from_utf8(first.manifest).unwrap();
    assert_eq!(first.matches("path=\"/changes/").count(), 1);
    assert!(first.contains("/changes/00001.txt"));
}
