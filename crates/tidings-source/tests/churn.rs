//! A folder that changes at random, published again and again: what is published is always what is
//! there, and of a list only those documents are written in which something changed.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::time::SystemTime;

use tidings_document::{Change, Entry, Form, Reader};
use tidings_source::{Options, Outcome, Progress, Set, Spec, publication_folder, publish};

const BASE: &str = "http://e.example/";

struct Silent;

impl Progress for Silent {
    fn expected(&mut self, _: u64, _: u64) {}
    fn looked_at(&mut self, _: u64, _: u64) {}
    fn changed(&mut self, _: Change, _: &str) {}
    fn writing(&mut self, _: &str) {}
}

/// Numbers that look random, and are the same at each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// Reads a list, or all parts of an index: the entries, and how many each document has.
fn entries(folder: &Path, name: &str) -> (Vec<Entry<'static>>, BTreeMap<String, usize>) {
    let (mut all, mut counts) = (Vec::new(), BTreeMap::new());
    let mut reader = Reader::new(File::open(folder.join(name)).unwrap());
    let form = reader.head().unwrap().form;
    let mut own = Vec::new();
    while let Some(entry) = reader.next_entry().unwrap() {
        own.push(entry.into_owned());
    }
    if form == Form::List {
        counts.insert(name.to_owned(), own.len());
        return (own, counts);
    }
    for part in own {
        let (entries, count) = entries(folder, part.loc.strip_prefix(BASE).unwrap());
        all.extend(entries);
        counts.extend(count);
    }
    (all, counts)
}

/// The documents of the folder, with their times.
fn times(folder: &Path) -> BTreeMap<String, SystemTime> {
    let mut times = BTreeMap::new();
    for below in ["resourcesync", "resourcesync/a", "resourcesync/rest", ""] {
        let Ok(files) = fs::read_dir(folder.join(below)) else { continue };
        for file in files {
            let file = file.unwrap();
            let metadata = file.metadata().unwrap();
            let name = file.file_name().into_string().unwrap();
            if metadata.is_file() && name.ends_with(".xml") {
                times.insert(format!("{below}/{name}"), metadata.modified().unwrap());
            }
        }
    }
    times
}

struct Churn {
    folder: tempfile::TempDir,
    files: BTreeMap<String, String>,
    numbers: Numbers,
}

impl Churn {
    fn new(seed: u64) -> Self {
        let numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        // In memory where that can be: nothing here is about what a disk keeps.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        Self { folder, files: BTreeMap::new(), numbers }
    }

    fn write(&mut self, name: &str, content: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self.files.insert(name.to_owned(), content.to_owned());
    }

    fn remove(&mut self, name: &str) {
        fs::remove_file(self.folder.path().join(name)).unwrap();
        self.files.remove(name);
    }

    /// Makes some changes; none now and then.
    fn change(&mut self, most: u64) {
        for _ in 0..self.numbers.below(most) {
            let number = self.numbers.below(120);
            let name = format!("{}/{number:03}.html", ["a", "b", "c"][(number % 3) as usize]);
            match self.numbers.below(3) {
                0 if self.files.contains_key(&name) && self.files.len() > 1 => self.remove(&name),
                _ => {
                    let content = format!("{number} {}", self.numbers.below(1_000));
                    self.write(&name, &content);
                }
            }
        }
    }

    fn uris(&self, of: impl Fn(&str) -> bool) -> Vec<String> {
        let names = self.files.keys().filter(|name| of(name));
        names.map(|name| format!("{BASE}{name}")).collect()
    }
}

/// Publishes, and holds all that is published against the folder.
fn publish_and_check(
    churn: &Churn,
    options: &Options,
    told: &mut BTreeMap<String, BTreeSet<String>>,
) -> Outcome {
    let folder = churn.folder.path();
    let outcome = publish(options, &mut publication_folder(folder), &mut Silent).unwrap();
    let (pages, _) = entries(folder, "sitemap.xml");
    for set in &options.sets {
        let below = set.name.as_ref().map_or(String::new(), |name| format!("{name}/"));
        let own = |name: &str| match below.as_str() {
            "a/" => name.starts_with("a/"),
            "rest/" => !name.starts_with("a/"),
            _ => true,
        };
        let (listed, counts) = entries(folder, &format!("resourcesync/{below}resourcelist.xml"));
        let uris: Vec<String> = listed.iter().map(|entry| entry.loc.to_string()).collect();
        assert_eq!(uris, churn.uris(own));
        assert!(counts.values().all(|count| *count as u64 <= options.max_entries), "{counts:?}");
        // Replayed, the Change Lists give the same: here since the beginning.
        let (changes, _) = entries(folder, &format!("resourcesync/{below}changelist.xml"));
        let state = told.entry(below.clone()).or_default();
        if outcome.first {
            state.extend(uris.iter().cloned());
        }
        let mut replayed = state.clone();
        let mut last = None;
        for change in &changes {
            let time = change.change_time();
            assert!(last <= time, "the list runs backwards");
            last = time;
            match change.metadata.change.unwrap() {
                Change::Deleted => replayed.remove(change.loc.as_ref()),
                _ => replayed.insert(change.loc.to_string()),
            };
        }
        assert_eq!(replayed.into_iter().collect::<Vec<_>>(), uris);
        // Of a resource that changed both lists tell the same time, and so does the Sitemap.
        for entry in &listed {
            if let Some(change) = changes.iter().rfind(|change| change.loc == entry.loc) {
                assert_eq!(change.lastmod, entry.lastmod, "{} {:?}", entry.loc, options.spec);
            }
            let page = pages.iter().find(|page| page.loc == entry.loc).unwrap();
            assert_eq!(page.lastmod, entry.lastmod, "{} in the Sitemap", entry.loc);
        }
    }
    let pages: Vec<String> = pages.iter().map(|entry| entry.loc.to_string()).collect();
    assert_eq!(pages, churn.uris(|_| true));
    outcome
}

fn rounds(seed: u64, sets: Vec<Set>, cached: bool) {
    let mut churn = Churn::new(seed);
    let cache = tempfile::tempdir().unwrap();
    churn.write("a/000.html", "first");
    churn.change(60);
    let mut options = Options::folder(churn.folder.path(), BASE);
    options.max_entries = 2 + churn.numbers.below(12);
    options.sets = sets;
    options.spec = [Spec::Both, Spec::V1_0, Spec::V1_1][(seed % 3) as usize];
    options.cache = cached.then(|| cache.path().to_owned());
    let mut told = BTreeMap::new();
    publish_and_check(&churn, &options, &mut told);
    for _ in 0..25 {
        let before = (churn.files.clone(), times(churn.folder.path()));
        let most = if churn.numbers.below(4) == 0 { 40 } else { 4 };
        churn.change(most);
        let outcome = publish_and_check(&churn, &options, &mut told);
        if churn.files == before.0 {
            assert_eq!(outcome.written, Vec::<String>::new());
            assert_eq!(times(churn.folder.path()), before.1);
        }
    }
}

#[test]
fn what_is_published_is_what_is_there() {
    for seed in 1..=6 {
        rounds(seed, vec![Set::default()], seed % 2 == 0);
    }
}

#[test]
fn so_it_is_with_sets() {
    for seed in 101..=106 {
        let sets = vec![Set::named("a").with_prefix("a/").unwrap(), Set::named("rest")];
        rounds(seed, sets, seed % 2 == 0);
    }
}

#[test]
fn one_change_writes_one_part_of_many() {
    let mut churn = Churn::new(1);
    for number in 0..400 {
        churn.write(&format!("{number:04}.txt"), "x");
    }
    let mut options = Options::folder(churn.folder.path(), BASE);
    options.max_entries = 10;
    let mut store = publication_folder(churn.folder.path());
    publish(&options, &mut store, &mut Silent).unwrap();
    churn.write("0205.txt", "y");
    let outcome = publish(&options, &mut store, &mut Silent).unwrap();
    let parts = outcome.written.iter().filter(|name| name.contains("resourcelist-")).count();
    assert_eq!((outcome.updated, parts), (1, 1), "{:?}", outcome.written);
    // One more than fits in makes two of it.
    churn.write("0205-a.txt", "z");
    let outcome = publish(&options, &mut store, &mut Silent).unwrap();
    let parts = outcome.written.iter().filter(|name| name.contains("resourcelist-")).count();
    assert_eq!((outcome.created, parts), (1, 2), "{:?}", outcome.written);
    let (_, counts) = entries(churn.folder.path(), "resourcesync/resourcelist.xml");
    assert_eq!(counts.len(), 41);
    assert!(counts.values().all(|count| (5..=10).contains(count)), "{counts:?}");
}
