//! Power cuts of a disk that a live site is served from: no reported change is forgotten or reported twice.
//!
//! `TIDINGS_POWER_CUTS` says how many there are for each file system, 2 unless told otherwise, and `TIDINGS_SEED` which
//! edits are made, and when the power fails.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    missing_docs,
    reason = "a test"
)]

mod support;

#[path = "support/content_root.rs"]
mod content_root;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use content_root::{Layout, Page, Root, Site};

/// Cuts the power of a file system: what is not on the disk by now never gets there.
const CUT: &str = "import fcntl,os,struct,sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))";

fn is_done(program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).output();
    output.is_ok_and(|output| output.status.success())
}

/// A disk in a file, mounted where a content root is.
struct Disk {
    image: PathBuf,
    folder: PathBuf,
    _place: tempfile::TempDir,
}

impl Disk {
    fn new(kind: &str, folder: PathBuf) -> Option<Self> {
        let place = tempfile::tempdir().unwrap();
        let image = place.path().join("image");
        // XFS has to have 300 MB; the file has holes.
        fs::File::create(&image).unwrap().set_len(320 << 20).unwrap();
        let disk = Self { image, folder, _place: place };
        let image = disk.image.to_str().unwrap();
        (is_done(&format!("mkfs.{kind}"), &["-q", image]) && disk.mount()).then_some(disk)
    }

    fn mount(&self) -> bool {
        let (image, folder) = (self.image.to_str().unwrap(), self.folder.to_str().unwrap());
        is_done("mount", &["-o", "loop", image, folder])
    }

    fn cut(&self) {
        assert!(is_done("python3", &["-c", CUT, self.folder.to_str().unwrap()]));
    }

    fn unmount(&self) {
        while !is_done("umount", &[self.folder.to_str().unwrap()]) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        is_done("umount", &["-l", self.folder.to_str().unwrap()]);
    }
}

/// A reported change: its path, its kind and its time.
type Change = (String, String, String);

/// How often each path was edited.
type Edits = BTreeMap<String, usize>;

/// Random numbers that follow from a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }
}

/// Each reported change.
fn reported(site: &Site) -> Vec<Change> {
    let text = site.text("/resourcesync/changelist.xml");
    let entries = text.split("<url>").skip(1).map(|entry| {
        let between = |start: &str, end: &str| {
            let rest = entry.split(start).nth(1).unwrap_or_else(|| panic!("{start}: {entry}"));
            rest.split(end).next().unwrap().to_owned()
        };
        let path = between("<loc>", "</loc>").replacen(site.origin(), "", 1);
        (path, between("change=\"", "\""), between("datetime=\"", "\""))
    });
    entries.collect()
}

/// Writes a file so that it survives a power cut.
fn write_durably(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::File::open(path).unwrap().sync_all().unwrap();
    fs::File::open(path.parent().unwrap()).unwrap().sync_all().unwrap();
}

fn feed_id(site: &Site) -> String {
    let text = site.text("/feed.atom");
    text.split("<id>").nth(1).unwrap().split('<').next().unwrap().to_owned()
}

/// Edits a page, or removes it, so that that survives a power cut. Each edit says something else.
fn edit(root: &Root, number: usize, text: &str, is_removal: bool, edits: &mut Edits) {
    let page = root.path(&format!("pages/p{number}.md"));
    if is_removal && page.exists() {
        fs::remove_file(&page).unwrap();
        fs::File::open(page.parent().unwrap()).unwrap().sync_all().unwrap();
    } else {
        write_durably(&page, &format!("# {text}\n"));
    }
    *edits.entry(format!("/p{number}")).or_default() += 1;
}

/// Asserts that each path was reported at least once if it was edited, and no more often than it was edited. Of one
/// that is neither there before nor after, nothing has to be told.
#[track_caller]
fn assert_reported(new: &[Change], edits: &Edits, there: [&BTreeSet<String>; 2], when: &str) {
    let mut counts = Edits::new();
    new.iter().for_each(|(path, ..)| *counts.entry(path.clone()).or_default() += 1);
    for (path, count) in &counts {
        let edited = edits.get(path).copied().unwrap_or_default();
        assert!(*count <= edited, "{when}: doubled: {path} was edited {edited} times: {new:?}");
    }
    for path in edits.keys().filter(|path| there.iter().any(|pages| pages.contains(*path))) {
        assert!(counts.contains_key(path), "{when}: forgotten: {path}: {new:?}");
    }
}

/// The pages that remain if all changes are applied in their order.
fn replayed(begin: &BTreeSet<String>, changes: &[Change]) -> BTreeSet<String> {
    let mut pages = begin.clone();
    for (path, change, _) in changes {
        match change.as_str() {
            "deleted" => drop(pages.remove(path)),
            "created" => assert!(pages.insert(path.clone()), "{path} is created twice"),
            _ => assert!(pages.contains(path), "{path} is updated, and not there"),
        }
    }
    pages
}

#[test]
fn no_reported_change_is_forgotten_or_doubled_by_a_power_cut() {
    let cuts = std::env::var("TIDINGS_POWER_CUTS").ok();
    let cuts: usize = cuts.map_or(2, |cuts| cuts.parse().unwrap());
    let seed = std::env::var("TIDINGS_SEED").map_or(1, |seed| seed.parse().unwrap());
    println!("seed {seed}");
    for kind in ["ext4", "xfs"] {
        let root = Root::new();
        let Some(disk) = Disk::new(kind, root.folder()) else {
            println!("skipped: no disk with {kind} can be made and mounted here");
            continue;
        };
        fs::create_dir_all(root.path("pages")).unwrap();
        for number in 0..10 {
            root.put(Layout::Plain, &Page::new(&format!("p{number}")));
        }
        assert!(is_done("sync", &[]));
        let mut site = root.serve_unsettled(&[]);
        let begin = site.listed_paths();
        let id = feed_id(&site);
        let mut chance = Chance(seed);
        let mut after: Vec<Change> = Vec::new();
        for cut in 0..cuts {
            let when = format!("{kind}, seed {seed}, cut {cut}");
            let mut edits = Edits::new();
            let first = replayed(&begin, &after);
            for step in 0..6 {
                let text = format!("Cut {cut}, step {step}");
                edit(&root, (cut * 7 + step * 3) % 14, &text, step % 3 == 2, &mut edits);
            }
            let before = reported(&site);
            let second = replayed(&begin, &before);
            assert_reported(&before[after.len()..], &edits, [&first, &second], &when);
            // While the server takes note of them: the power fails at any place of its transactions.
            let mut edits = Edits::new();
            for step in 0..chance.below(4) {
                let text = format!("During cut {cut}, step {step}");
                let is_removal = chance.below(4) == 0;
                edit(&root, chance.below(14), &text, is_removal, &mut edits);
            }
            std::thread::sleep(Duration::from_micros(chance.below(20_000) as u64));
            let id_of_process = site.child.id().to_string();
            assert!(is_done("kill", &["-STOP", &id_of_process]));
            disk.cut();
            drop(site);
            disk.unmount();
            assert!(disk.mount(), "{kind}");
            site = root.serve_unsettled(&[]);
            after = reported(&site);
            for (at, change) in before.iter().enumerate() {
                assert_eq!(after.get(at), Some(change), "{when}: forgotten");
            }
            let third = site.listed_paths();
            assert_reported(&after[before.len()..], &edits, [&second, &third], &when);
            let times: BTreeSet<&str> = after.iter().map(|(_, _, time)| &**time).collect();
            assert_eq!(times.len(), after.len(), "{when}: doubled");
            assert_eq!(replayed(&begin, &after), third, "{when}");
            assert_eq!(feed_id(&site), id, "{when}");
        }
        println!(
            "{kind}: {cuts} power cuts, {} changes: 0 forgotten, 0 doubled, none more than once for an edit",
            after.len()
        );
        drop(site);
        disk.unmount();
    }
}
