//! `kill -9` and a full disk at every call of a replacement, and of a commit of many files, that changes
//! something, by strace: the place has the old bytes or the new ones, as a whole, and the next one succeeds.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;

use tidings_base::{Access, Replacement};
use tidings_bytes::{ByteStore as _, ServedFolder};

/// The calls that change something on the disk.
const CALLS: [&str; 8] =
    ["write", "fsync", "syncfs", "rename", "renameat", "renameat2", "fchmod", "unlinkat"];

/// Names the folder in the process that is interrupted.
const FOLDER: &str = "TIDINGS_BASE_INTERRUPTED";

const LENGTH: usize = 100_000;

/// So many that the whole file system is synced at once.
const FILES: usize = 16;

fn replace(folder: &Path, byte: u8) -> io::Result<()> {
    let mut one = Replacement::new(&folder.join("one"), Access::Everybody)?;
    one.write_all(&vec![byte; LENGTH])?;
    one.commit()?;
    let mut store = ServedFolder::new(folder, ".own");
    let mut area = store.staging_area().map_err(io::Error::other)?;
    let mut files = Vec::new();
    for number in 0..FILES {
        let (staged, mut file) = area.create()?;
        file.write_all(&vec![byte; LENGTH])?;
        files.push((staged, format!("f{number}")));
    }
    store.commit_all(files).map_err(io::Error::other)
}

/// Runs what is to be interrupted, in a process of its own.
#[test]
#[ignore = "run by the other tests"]
fn interrupted() {
    if let Some(folder) = std::env::var_os(FOLDER)
        && replace(Path::new(&folder), b'n').is_err()
    {
        std::process::exit(3);
    }
}

/// Replaces all files in a process of its own; the answer is what strace says of it.
fn traced(folder: &Path, log: &Path, expression: &str) -> String {
    Command::new("strace")
        .args(["-f", "-o", log.to_str().unwrap(), "-e", expression])
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "interrupted", "--test-threads=1"])
        .env(FOLDER, folder)
        .output()
        .expect("strace; `cargo xtask setup` installs it");
    fs::read_to_string(log).unwrap()
}

/// Every file of the folder has bytes of one kind, and all of them; the answer is how many are new.
#[track_caller]
fn assert_whole(folder: &Path, point: &str) -> usize {
    let mut new = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let bytes = fs::read(entry.path()).unwrap();
        assert_eq!(bytes.len(), LENGTH, "{point}: {}", entry.path().display());
        assert!(bytes.iter().all(|byte| *byte == bytes[0]), "{point}");
        new += usize::from(bytes[0] == b'n');
    }
    new
}

fn interrupt_each(fault: &str) -> usize {
    let mut points = 0;
    for call in CALLS {
        for number in 1.. {
            let place = tempfile::tempdir().unwrap();
            let folder = place.path().join("folder");
            fs::create_dir(&folder).unwrap();
            replace(&folder, b'o').unwrap();
            let point = format!("{fault} at {call} {number}");
            let log = place.path().join("log");
            let expression = format!("inject={call}:{fault}:when={number}");
            let log = traced(&folder, &log, &expression);
            let new = assert_whole(&folder, &point);
            if !log.contains("(INJECTED)") && !log.contains("+++ killed by SIGKILL") {
                assert_eq!(new, FILES + 1, "{point}");
                break;
            }
            points += 1;
            replace(&folder, b'x').unwrap();
            assert_eq!(assert_whole(&folder, &point), 0, "{point}");
        }
    }
    points
}

#[test]
fn a_killed_process_leaves_whole_files() {
    assert!(interrupt_each("signal=KILL") > 40);
}

#[test]
fn a_full_disk_leaves_whole_files() {
    assert!(interrupt_each("error=ENOSPC") > 40);
}

/// A power cut, which no test here can bring about, asks for this order.
#[test]
fn bytes_are_on_the_disk_before_names_and_names_before_the_end() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("folder");
    fs::create_dir(&folder).unwrap();
    let calls = "trace=write,fsync,syncfs,rename,renameat";
    let log = traced(&folder, &place.path().join("log"), calls);
    let calls: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("= 0") || line.contains(&format!("= {LENGTH}")))
        .filter_map(|line| line.split_whitespace().nth(1)?.split('(').next())
        .collect();
    let renames = ["renameat"; FILES];
    let writes = ["write"; FILES];
    let expected =
        [&["write", "fsync", "renameat", "fsync"][..], &writes, &["syncfs"], &renames, &["fsync"]];
    assert_eq!(calls, expected.concat(), "{log}");
}
