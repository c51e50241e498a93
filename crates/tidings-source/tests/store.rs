//! Publishing into a store that is no folder: the same documents as in a folder, and whole whenever the store
//! takes nothing more.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

#[path = "store/failing.rs"]
mod failing;
#[path = "../../tidings-bytes/tests/conformance/memory.rs"]
mod memory;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::Path;

use tidings_bytes::{ByteReader, ByteStore, ListedFile};
use tidings_document::{Algorithm, Change, Digest, SourceCheck, SourceCheckOptions};
use tidings_source::{
    Function, Options, Outcome, Progress, Set, plan_publication, publication_folder, publish,
};

use failing::FailingStore;
use memory::MemoryStore;

const BASE: &str = "http://e.example/";

struct Silent;

impl Progress for Silent {
    fn expected(&mut self, _: u64, _: u64) {}
    fn looked_at(&mut self, _: u64, _: u64) {}
    fn changed(&mut self, _: Change, _: &str) {}
    fn writing(&mut self, _: &str) {}
}

/// A folder of files, and how it is published: few entries to a document, so that all kinds are written.
fn options(site: &Path, cache: &Path) -> Options {
    let mut options = Options::folder(site, BASE);
    options.max_entries = 5;
    options.cache = Some(cache.to_owned());
    (options.dump, options.change_dump, options.patches) = (true, true, true);
    options.sets = vec![Set::named("notes").with_prefix("notes/").unwrap(), Set::named("rest")];
    options
}

fn write(site: &Path, name: &str, text: &str) {
    let path = site.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn begin(site: &Path) {
    for number in 0..13 {
        write(site, &format!("page-{number:02}.html"), &format!("<p>{number}"));
        write(site, &format!("notes/{number:02}.txt"), &number.to_string());
    }
    // Long enough for a patch to be shorter.
    let text: String = (0..60).map(|number| format!("<p>line {number}\n")).collect();
    write(site, "text.html", &text);
}

/// Changes files in one of three ways.
fn change(site: &Path, round: usize) {
    write(site, &format!("new-{round}.html"), "<p>new");
    let text = fs::read_to_string(site.join("text.html")).unwrap();
    write(site, "text.html", &text.replace(&format!("line 2{round}"), "another line"));
    fs::remove_file(site.join(format!("notes/0{round}.txt"))).unwrap();
}

/// All files of a store but packages, without the times in them.
fn documents(store: &mut dyn ByteStore) -> BTreeMap<String, String> {
    let mut names = Vec::new();
    store.list(&mut |listed| {
        if let ListedFile::File(path) = listed {
            names.push(path.to_str().unwrap().to_owned());
        }
        ControlFlow::Continue(())
    });
    // The same moment has the same number in every name.
    let stamps: BTreeSet<&str> = names.iter().flat_map(|name| stamps(name)).collect();
    let numbered = |text: &str| {
        let stamps = stamps.iter().enumerate();
        stamps.fold(text.to_owned(), |text, (number, stamp)| {
            text.replace(stamp, &format!("<{number}>"))
        })
    };
    let mut documents = BTreeMap::new();
    for name in names.iter().filter(|name| !name.ends_with(".zip")) {
        let text = String::from_utf8(bytes(store, name).unwrap()).unwrap();
        documents.insert(numbered(name), without_times(&numbered(&text)));
    }
    documents
}

/// The times in a name: `20261119150341123`.
fn stamps(name: &str) -> impl Iterator<Item = &str> {
    let pieces = name.split(|one: char| !one.is_ascii_digit());
    pieces.filter(|piece| piece.len() == 17)
}

/// A text without its times, and without what it says of packages, which have times in them.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n').filter(|line| !line.contains(".zip<")) {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let skipped = match digits {
                // In names: `20261119150341123`.
                17 => 17,
                // `2026-11-19T15:03:41.123Z`.
                4 if rest.as_bytes().get(10) == Some(&b'T') => rest.find('Z').unwrap() + 1,
                _ => 0,
            };
            match skipped {
                0 => out.push(first),
                _ => out.push('#'),
            }
            rest = &rest[skipped.max(first.len_utf8())..];
        }
    }
    out
}

fn bytes(reader: &mut (impl ByteReader + ?Sized), name: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.open(name).ok()?.read_to_end(&mut bytes).unwrap();
    Some(bytes)
}

/// Checks the whole Source in a store, and says how many documents it has.
#[track_caller]
fn assert_whole(store: &dyn ByteStore, point: &str) -> usize {
    let mut reader = store.reader().unwrap();
    let reader = reader.as_mut();
    if reader.stamp(".well-known/resourcesync").is_none() {
        return 0;
    }
    let resolve = |base: &str, reference: &str| -> Option<String> {
        Some(url::Url::parse(base).ok()?.join(reference).ok()?.into())
    };
    let check_options = SourceCheckOptions { check: Default::default(), documents: 1_000, resolve };
    let mut check = SourceCheck::new(&format!("{BASE}.well-known/resourcesync"), check_options);
    while let Some(request) = check.next_request() {
        let name = request.url.strip_prefix(BASE).unwrap();
        let Some(found) = bytes(reader, name) else {
            check.missing(&request, "it is not there");
            continue;
        };
        if !request.context.is_package {
            check.visit(&request, &request.url, None, found.as_slice()).unwrap();
            continue;
        }
        let listed = &request.context.listed;
        assert_eq!(listed.length, Some(found.len() as u64), "{point}: {name}");
        let mut function = Function::new(Algorithm::Sha256);
        function.update(&found);
        let digests: Vec<Digest> =
            listed.hash.iter().flat_map(|hash| hash.digests().flatten()).collect();
        assert_eq!(digests, Vec::from_iter(function.finish()), "{point}: {name}");
        // The manifest in it is the one beside it.
        let manifest = bytes(reader, &name.replace(".zip", ".xml")).unwrap();
        check.package(&request, manifest.as_slice()).unwrap();
    }
    let visited = check.finish();
    for document in &visited {
        let findings: Vec<_> = document.report.findings.iter().collect();
        assert!(findings.is_empty(), "{point}: {}: {findings:?}", document.url);
    }
    visited.len()
}

fn numbers(outcome: &Outcome) -> (u64, u64, u64, u64, Vec<String>) {
    let written = outcome.written.iter().map(|name| without_times(name)).collect();
    (outcome.resources, outcome.created, outcome.updated, outcome.deleted, written)
}

#[test]
fn a_store_in_memory_gets_the_documents_of_a_folder() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let site = path("site");
    begin(&site);
    let mut folder = publication_folder(&path("out"));
    let mut memory = MemoryStore::new(&path("staging"));
    for round in 0..4 {
        let plan = plan_publication(&options(&site, &path("c")), &memory, &mut Silent).unwrap();
        let in_memory = publish(&options(&site, &path("m")), &mut memory, &mut Silent).unwrap();
        let in_folder = publish(&options(&site, &path("f")), &mut folder, &mut Silent).unwrap();
        assert_eq!(numbers(&in_memory), numbers(&in_folder), "round {round}");
        // Of patches nothing is planned: for them, texts would have to be remembered.
        let mut expected = in_memory.clone();
        expected.written.retain(|name| !name.starts_with("resourcesync/patches/"));
        assert_eq!(numbers(&plan.outcome), numbers(&expected), "round {round}");
        let (found, expected) = (documents(&mut memory), documents(&mut folder));
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (name, text) in &expected {
            assert_eq!(&found[name], text, "round {round}: {name}");
        }
        let visited = assert_whole(&memory, "memory");
        assert!(visited > 20, "{visited}");
        assert_eq!(visited, assert_whole(&folder, "folder"));
        // What is published is known by what it says, in whatever store it is.
        let again = publish(&options(&site, &path("m")), &mut memory, &mut Silent).unwrap();
        assert!(again.written.is_empty(), "{:?}", again.written);
        change(&site, round);
    }
    // Nothing is left of what was staged.
    let staged = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten().count();
    let areas = fs::read_dir(path("staging")).unwrap().flatten();
    assert_eq!(areas.map(|area| staged(&area.path())).sum::<usize>(), 0);
    assert!(!site.join("resourcesync").exists());
}

/// A webfeed in the same folder remembers there which file made which post.
#[test]
fn only_temporary_files_are_swept_away() {
    let site = tempfile::tempdir().unwrap();
    begin(site.path());
    let kept = [".tidings-posts", ".tidings-0123", "resourcesync/mine.txt"];
    let swept =
        [".tidings-a1B2c3", ".well-known/.tidings-0123456789abcdef", "resourcesync/.tidings-x"];
    for name in kept.iter().chain(&swept) {
        write(site.path(), name, "x");
    }
    let options = Options::folder(site.path(), BASE);
    publish(&options, &mut publication_folder(site.path()), &mut Silent).unwrap();
    assert!(kept.iter().all(|name| site.path().join(name).exists()));
    assert!(!swept.iter().any(|name| site.path().join(name).exists()));
}

/// Wherever the store stops taking files, no document points to one that is not there, and the next
/// publication makes up for it.
#[test]
fn a_store_that_stops_has_a_whole_source() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let (mut commits, mut stops) = (0, 0);
    loop {
        let site = path(&format!("site-{commits}"));
        begin(&site);
        let mut memory = MemoryStore::new(&path(&format!("staging-{commits}")));
        let options = options(&site, &path(&format!("cache-{commits}")));
        publish(&options, &mut memory, &mut Silent).unwrap();
        change(&site, 1);
        let mut failing = FailingStore::new(memory.clone(), commits);
        let stopped = publish(&options, &mut failing, &mut Silent).is_err();
        assert_whole(&memory, &format!("after {commits} files"));
        publish(&options, &mut memory, &mut Silent).unwrap();
        assert_whole(&memory, &format!("after {commits} files and once more"));
        if !stopped {
            break;
        }
        (commits, stops) = (commits + 1, stops + 1);
    }
    assert!(stops > 12, "{stops}");
}
