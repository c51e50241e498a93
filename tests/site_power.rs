//! Power cuts of a disk that a live site is served from: no reported change is forgotten or reported twice.
//!
//! `TIDINGS_POWER_CUTS` says how many there are for each file system, 2 unless told otherwise.
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

/// Each reported change: its path, its kind and its time.
fn reported(site: &Site) -> Vec<(String, String, String)> {
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

/// The pages that remain if all changes are applied in their order.
fn replayed(begin: &BTreeSet<String>, changes: &[(String, String, String)]) -> BTreeSet<String> {
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
        let mut count = 0;
        for cut in 0..cuts {
            for step in 0..6 {
                let page = root.path(&format!("pages/p{}.md", (cut * 7 + step * 3) % 14));
                if step % 3 == 2 && page.exists() {
                    fs::remove_file(&page).unwrap();
                    fs::File::open(page.parent().unwrap()).unwrap().sync_all().unwrap();
                } else {
                    write_durably(&page, &format!("# Cut {cut}, step {step}\n"));
                }
            }
            let before = reported(&site);
            // Now and then while the server is at work.
            if cut % 2 == 1 {
                write_durably(&root.path("pages/p0.md"), &format!("# During cut {cut}\n"));
            }
            let id_of_process = site.child.id().to_string();
            assert!(is_done("kill", &["-STOP", &id_of_process]));
            disk.cut();
            drop(site);
            disk.unmount();
            assert!(disk.mount(), "{kind}");
            site = root.serve_unsettled(&[]);
            let after = reported(&site);
            for (at, change) in before.iter().enumerate() {
                assert_eq!(after.get(at), Some(change), "{kind} {cut}: forgotten");
            }
            let mut times: BTreeMap<&str, usize> = BTreeMap::new();
            after.iter().for_each(|(_, _, time)| *times.entry(time).or_default() += 1);
            assert!(times.values().all(|count| *count == 1), "{kind} {cut}: doubled");
            assert_eq!(replayed(&begin, &after), site.listed_paths(), "{kind} {cut}");
            assert_eq!(feed_id(&site), id, "{kind} {cut}");
            count = after.len();
        }
        println!("{kind}: {cuts} power cuts, {count} changes: 0 forgotten, 0 doubled");
        drop(site);
        disk.unmount();
    }
}
