//! The programs and people that work on the files of the site.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::garden::{CANARY, Garden, STEADY, TAGS};

/// A kind of work on the files, and how often it was done.
pub(crate) struct Worked {
    pub(crate) rounds: usize,
    /// How often anything was done.
    pub(crate) pieces: usize,
    pub(crate) kinds: Vec<String>,
}

type Work = fn(&Garden, usize) -> bool;

const KINDS: [(&str, Work); 8] = [
    ("git checkout", checkout),
    ("rsync", rsync),
    ("vim", vim),
    ("saves by renaming aside", save_aside),
    ("emacs", emacs),
    ("in place", in_place),
    ("mv", rename_folders),
    ("full disk", fill_disk),
];

/// Works until the time is over. After each piece of work it waits until `see_all` has seen all of it.
pub(crate) fn work(garden: &Garden, time: Duration, see_all: impl Fn()) -> Worked {
    let begun = Instant::now();
    let mut counts = [0; KINDS.len()];
    let mut rounds = 0;
    while begun.elapsed() < time || rounds == 0 {
        for (number, (_, work)) in KINDS.iter().enumerate() {
            counts[number] += usize::from(work(garden, rounds));
            see_all();
        }
        rounds += 1;
    }
    let kinds = KINDS.iter().zip(counts).map(|((name, _), count)| match count {
        0 => format!("{name}: skipped"),
        count => format!("{name}: {count}"),
    });
    Worked { rounds, pieces: rounds * KINDS.len(), kinds: kinds.collect() }
}

/// What a file should have in it now.
fn content(garden: &Garden, name: &str) -> Vec<u8> {
    fs::read(garden.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn beside(path: &Path, name: impl Fn(&str) -> String) -> PathBuf {
    let own = path.file_name().unwrap().to_str().unwrap();
    path.with_file_name(name(own))
}

/// To the other branch, and back.
fn checkout(garden: &Garden, _: usize) -> bool {
    if !garden.has_git {
        return false;
    }
    for branch in ["two", "one"] {
        assert!(garden.while_gone(|| garden.git(&["checkout", "-q", "-f", branch])));
    }
    // The tag of the other branch ends with a file that is renamed, so that it is a new one the next time.
    let (tags, aside) = (garden.path("state/sys/tags.yaml"), garden.path("state/sys/aside.yaml"));
    fs::copy(&tags, &aside).unwrap();
    fs::rename(&aside, &tags).unwrap();
    true
}

/// All files from another folder: each is written beside, and renamed. With rsync if there is one.
fn rsync(garden: &Garden, round: usize) -> bool {
    let names = garden.guarded_files();
    let source = tempfile::tempdir().unwrap();
    let open = (0..STEADY).map(|number| format!("pages/open-{number}.md"));
    for name in names.into_iter().chain(open) {
        let to = source.path().join(&name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        let mut bytes = content(garden, &name);
        if name.starts_with("pages/open-") && round.is_multiple_of(2) {
            bytes.extend_from_slice(b"\nMore.\n");
        }
        fs::write(&to, bytes).unwrap();
        let target = garden.path(&name);
        let aside = beside(&target, |own| format!(".{own}.Xy12Ab"));
        if Command::new("rsync").arg("--version").output().is_err() {
            fs::copy(&to, &aside).unwrap();
            fs::rename(&aside, &target).unwrap();
        }
    }
    let mut rsync = Command::new("rsync");
    rsync.arg("-rI").arg(format!("{}/", source.path().display())).arg(garden.folder());
    if let Ok(output) = rsync.output() {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    true
}

/// Vim itself, on three of the files in turn.
fn vim(garden: &Garden, round: usize) -> bool {
    let names = garden.guarded_files();
    for turn in 0..3 {
        let name = &names[(round * 3 + turn) % names.len()];
        if name.ends_with(".ron") {
            continue;
        }
        let mut vim = Command::new("vim");
        vim.args(["-u", "NONE", "-i", "NONE", "-N", "-es", "-c"]);
        // Each of the ways in which it saves.
        vim.arg(
            ["set backup backupcopy=no", "set nobackup backupcopy=yes", "set nowritebackup"][turn],
        );
        vim.args(["-c", "write!", "-c", "quit!"]).arg(garden.path(name));
        if vim.output().is_err() {
            return false;
        }
        let _ = fs::remove_file(beside(&garden.path(name), |own| format!("{own}~")));
    }
    true
}

/// The old file is renamed to a backup, and the new one written where it was.
fn save_aside(garden: &Garden, _: usize) -> bool {
    for name in garden.guarded_files() {
        let (path, bytes) = (garden.path(&name), content(garden, &name));
        let backup = beside(&path, |own| format!("{own}~"));
        let mut file = garden.while_gone(|| {
            fs::rename(&path, &backup).unwrap();
            fs::File::create(&path).unwrap()
        });
        for piece in bytes.chunks(bytes.len().div_ceil(3).max(1)) {
            file.write_all(piece).unwrap();
            std::thread::sleep(Duration::from_millis(2));
        }
        drop(file);
        fs::remove_file(backup).unwrap();
    }
    true
}

/// A lock that leads nowhere, an automatic save, a backup, and the file written in place.
fn emacs(garden: &Garden, _: usize) -> bool {
    for name in garden.guarded_files() {
        let (path, bytes) = (garden.path(&name), content(garden, &name));
        let lock = beside(&path, |own| format!(".#{own}"));
        let automatic = beside(&path, |own| format!("#{own}#"));
        let backup = beside(&path, |own| format!("{own}~"));
        std::os::unix::fs::symlink("ada@example.1", &lock).unwrap();
        fs::write(&automatic, &bytes).unwrap();
        fs::copy(&path, &backup).unwrap();
        fs::write(&path, &bytes).unwrap();
        for file in [automatic, lock, backup] {
            fs::remove_file(file).unwrap();
        }
    }
    true
}

/// Emptied, left so for a moment, and written in pieces that are closed in between.
fn in_place(garden: &Garden, _: usize) -> bool {
    for name in garden.guarded_files() {
        let (path, bytes) = (garden.path(&name), content(garden, &name));
        fs::write(&path, "").unwrap();
        std::thread::sleep(Duration::from_millis(5));
        let half = bytes.len() / 2;
        fs::write(&path, &bytes[..half]).unwrap();
        std::thread::sleep(Duration::from_millis(5));
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&bytes[half..]).unwrap();
        // As some programs do it: removed, and made anew.
        garden.while_gone(|| {
            fs::remove_file(&path).unwrap();
            fs::write(&path, &bytes).unwrap();
        });
    }
    true
}

/// Folders are renamed, and come back: those of the rules, of a part, of a layout, and the root itself.
fn rename_folders(garden: &Garden, round: usize) -> bool {
    let outside = garden.root.outside();
    for name in ["state/sys", "pages/team", "pages/party", "pages", "content"] {
        let aside = if name.starts_with("state") { "state/aside" } else { "aside" };
        garden.while_gone(|| {
            fs::rename(garden.path(name), garden.path(aside)).unwrap();
            std::thread::sleep(Duration::from_millis(30));
            fs::rename(garden.path(aside), garden.path(name)).unwrap();
        });
    }
    // A page goes another way and back, as people sort their files.
    let page = garden.path(&format!("pages/{CANARY}-{}.md", round % 6));
    let other = garden.path("pages/team/moved.md");
    fs::rename(&page, &other).unwrap();
    std::thread::sleep(Duration::from_millis(10));
    fs::rename(&other, &page).unwrap();
    // A mount point cannot be renamed.
    if !garden.has_disk {
        fs::rename(garden.folder(), &outside).unwrap();
        std::thread::sleep(Duration::from_millis(30));
        fs::rename(&outside, garden.folder()).unwrap();
    }
    true
}

/// There is no room, and everything is saved again: some of it is empty afterwards. Then there is room.
fn fill_disk(garden: &Garden, round: usize) -> bool {
    if !garden.has_disk {
        return false;
    }
    let kept: Vec<(String, Vec<u8>)> = garden
        .guarded_files()
        .into_iter()
        .map(|name| {
            let bytes = content(garden, &name);
            (name, bytes)
        })
        .collect();
    let filler = garden.path("filler");
    let mut file = fs::File::create(&filler).unwrap();
    for size in [1 << 20, 4 << 10, 512, 1] {
        while file.write_all(&vec![0; size]).is_ok() {}
    }
    for (name, bytes) in &kept {
        let path = garden.path(name);
        if round.is_multiple_of(2) {
            let _ = fs::remove_file(&path);
        }
        // What was freed by that is taken again.
        while file.write_all(&[0; 512]).is_ok() {}
        let _ = fs::write(&path, bytes);
    }
    std::thread::sleep(Duration::from_millis(100));
    drop(file);
    fs::remove_file(&filler).unwrap();
    for (name, bytes) in kept {
        fs::write(garden.path(&name), bytes).unwrap();
    }
    assert_eq!(content(garden, "state/sys/tags.yaml"), TAGS.as_bytes());
    true
}
