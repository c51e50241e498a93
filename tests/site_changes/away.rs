//! Folders that are away for a while, two servers, a full disk, and a program that is killed.

use std::fs;
use std::process::Command;

use crate::content_root::{LAYOUTS, Layout, Page, Root};
use crate::support::{stderr, tidings};
use crate::{reported, wait_until};

/// A root with two objects of each layout.
fn both() -> Root {
    let root = Root::new();
    for layout in LAYOUTS {
        let name = format!("{layout:?}").to_lowercase();
        root.put(layout, &Page::new(&name));
        root.put(layout, &Page::new(&format!("{name}-too")));
    }
    root
}

#[test]
fn a_layout_that_is_not_mounted_deletes_nothing() {
    for (folder, page, other) in
        [("pages", "/plain", "/versioned"), ("content", "/versioned", "/plain")]
    {
        for is_empty in [false, true] {
            let root = both();
            let site = root.serve_unsettled(&[]);
            fs::rename(root.path(folder), root.path("aside")).unwrap();
            if is_empty {
                // The mount point without its disk.
                fs::create_dir(root.path(folder)).unwrap();
            }
            let when = format!("{folder}, {is_empty}");
            assert_eq!(site.status(page), 503, "{when}");
            assert_eq!(site.status(other), 200, "{when}");
            for list in ["/sitemap.xml", "/resourcesync/changelist.xml", "/feed.atom"] {
                assert_eq!(site.status(list), 503, "{when} {list}");
            }
            site.stop();
            // Not after a start without it, either.
            let site = root.serve_unsettled(&[]);
            assert_eq!(site.status("/sitemap.xml"), 503, "{when}");
            if is_empty {
                fs::remove_dir(root.path(folder)).unwrap();
            }
            fs::rename(root.path("aside"), root.path(folder)).unwrap();
            assert_eq!(site.status(page), 200, "{when}");
            assert_eq!(site.listed().len(), 4, "{when}");
            assert!(reported(&site).is_empty(), "{when}: {:?}", reported(&site));
            // What is deleted then is deleted.
            let file = if folder == "pages" { Layout::Plain } else { Layout::Versioned };
            root.remove(file, &page[1..]);
            assert_eq!(site.status(page), 404, "{when}");
            wait_until("it is reported", || reported(&site).len() == 1);
        }
    }
}

#[test]
fn a_layout_whose_disk_is_unmounted_deletes_nothing() {
    for (folder, page, other) in
        [("pages", "/plain", "/versioned"), ("content", "/versioned", "/plain")]
    {
        let root = both();
        let disk = root.outside();
        fs::rename(root.path(folder), &disk).unwrap();
        fs::create_dir(root.path(folder)).unwrap();
        let is_done =
            |mut command: Command| command.output().is_ok_and(|output| output.status.success());
        let mount = || {
            let mut command = Command::new("mount");
            command.arg("--bind").arg(&disk).arg(root.path(folder));
            is_done(command)
        };
        let unmount = || {
            // The server may be reading a page.
            wait_until("it is unmounted", || {
                let mut command = Command::new("umount");
                command.arg(root.path(folder));
                is_done(command)
            });
        };
        if !mount() {
            println!("skipped: who runs this may not mount");
            return;
        }
        let site = root.serve_unsettled(&[]);
        assert_eq!(site.listed().len(), 4);
        for _ in 0..3 {
            unmount();
            assert_eq!((site.status(page), site.status(other)), (503, 200), "{folder}");
            assert_eq!(site.status("/resourcesync/changelist.xml"), 503, "{folder}");
            assert!(mount());
            // The kernel does not tell of this.
            wait_until("it is noticed", || site.status("/resourcesync/changelist.xml") == 200);
            assert_eq!(site.status(page), 200, "{folder}");
            assert!(reported(&site).is_empty(), "{folder}: {:?}", reported(&site));
        }
        unmount();
        site.stop();
        let site = root.serve_unsettled(&[]);
        assert_eq!(site.status(page), 503, "{folder}, after a restart");
        assert!(mount());
        wait_until("it is noticed", || site.status("/resourcesync/changelist.xml") == 200);
        assert_eq!(site.status(page), 200, "{folder}, after a restart");
        assert!(reported(&site).is_empty(), "{folder}: {:?}", reported(&site));
        drop(site);
        unmount();
    }
}

#[test]
fn a_folder_that_is_emptied_is_empty() {
    let root = both();
    let site = root.serve_unsettled(&[]);
    for name in ["plain", "plain-too"] {
        root.remove(Layout::Plain, name);
    }
    assert_eq!(site.listed().len(), 2);
    site.stop();
    let site = root.serve_unsettled(&[]);
    assert_eq!(reported(&site).len(), 2);
}

#[test]
fn a_root_that_is_moved_to_and_fro_deletes_nothing() {
    // Whenever it is moved, also in the middle of a look at all files, which this provokes.
    for layout in LAYOUTS {
        let root = Root::new();
        for number in 0..40 {
            root.put(layout, &Page::new(&format!("p{number}")));
        }
        let site = root.serve_unsettled(&[]);
        let aside = root.folder().with_file_name("aside");
        std::thread::scope(|scope| {
            let mover = scope.spawn(|| {
                for _ in 0..300 {
                    fs::rename(root.folder(), &aside).unwrap();
                    std::thread::yield_now();
                    fs::rename(&aside, root.folder()).unwrap();
                }
            });
            while !mover.is_finished() {
                let status = site.status("/p1");
                assert!(matches!(status, 200 | 503), "{layout:?}: {status}");
            }
        });
        assert_eq!(site.listed().len(), 40, "{layout:?}");
        assert!(reported(&site).is_empty(), "{layout:?}: {:?}", reported(&site));
    }
}

#[test]
fn a_layout_that_is_moved_to_and_fro_deletes_nothing() {
    // For longer than it takes until all files are looked at twice, which is done in steps. Nobody asks for
    // anything meanwhile, which would be a look as well.
    for folder in ["pages", "content"] {
        let root = both();
        let site = root.serve_unsettled(&[]);
        let aside = root.path("aside");
        let begun = std::time::Instant::now();
        while begun.elapsed().as_secs() < 22 {
            fs::rename(root.path(folder), &aside).unwrap();
            std::thread::yield_now();
            fs::rename(&aside, root.path(folder)).unwrap();
            std::thread::yield_now();
        }
        assert_eq!(site.listed().len(), 4, "{folder}");
        assert!(reported(&site).is_empty(), "{folder}: {:?}", reported(&site));
    }
}

#[test]
fn pages_that_are_replaced_while_their_folder_is_listed_are_not_deleted() {
    // A file system may leave out of a listing what is renamed while it is listed, also if there is a file
    // of that name all the time.
    for layout in LAYOUTS {
        let root = Root::in_memory();
        for number in 0..40 {
            root.put(layout, &Page::new(&format!("p{number}")));
        }
        let site = root.serve_unsettled(&[]);
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let names = (0..40).map(|number| format!("p{number}"));
                let files: Vec<_> = names.flat_map(|name| root.files(layout, &name)).collect();
                let bytes: Vec<_> = files.iter().map(|file| fs::read(file).unwrap()).collect();
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    for (file, bytes) in files.iter().zip(&bytes) {
                        let aside = file.with_file_name(".aside");
                        fs::write(&aside, bytes).unwrap();
                        fs::rename(&aside, file).unwrap();
                    }
                }
            });
            for number in 0..150 {
                // All files are looked at because of this.
                root.write("state/sys/roles.yaml", format!("- role-{number}\n"));
                let status = site.status("/p1");
                // It may be replaced again and again while it is read.
                let is_there = matches!(status, 200 | 503);
                if !is_there {
                    is_over.store(true, std::sync::atomic::Ordering::Relaxed);
                }
                assert!(is_there, "{layout:?} {number}: {status}");
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(site.listed().len(), 40, "{layout:?}");
        assert!(reported(&site).is_empty(), "{layout:?}: {:?}", reported(&site));
    }
}

#[test]
fn a_second_server_of_the_same_root_refuses_to_start() {
    let root = both();
    let site = root.serve(&[]);
    let mut second = tidings();
    second.arg("site").arg(root.folder()).args(["--listen", "127.0.0.1:0"]);
    let output = second.output().unwrap();
    assert_ne!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("another server serves"), "{}", stderr(&output));
    assert_eq!(site.status("/plain"), 200);
    // A check reads, and disturbs nobody.
    assert_eq!(root.check(&[]).status.code(), Some(0));
    site.stop();
    assert_eq!(root.serve(&[]).status("/plain"), 200);
}

#[test]
fn the_feed_keeps_its_id_when_the_program_is_killed() {
    let root = both();
    let id = |text: &str| text.split("<id>").nth(1).unwrap().split('<').next().unwrap().to_owned();
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..5 {
        // Dropped is killed.
        ids.insert(id(&root.serve(&[]).text("/feed.atom")));
    }
    assert_eq!(ids.len(), 1, "{ids:?}");
}

#[test]
fn a_change_that_finds_no_room_is_reported_when_there_is_room() {
    let root = Root::new();
    fs::create_dir_all(root.path("state")).unwrap();
    let mount = |arguments: &[&str]| {
        let mut command = Command::new(arguments[0]);
        command.args(&arguments[1..]).arg(root.path("state"));
        command.output().is_ok_and(|output| output.status.success())
    };
    if !mount(&["mount", "-t", "tmpfs", "-o", "size=1M", "tmpfs"]) {
        println!("skipped: who runs this may not mount");
        return;
    }
    for layout in LAYOUTS {
        for name in ["edited", "gone", "kept"] {
            root.put(layout, &Page::new(&format!("{name}-{layout:?}").to_lowercase()));
        }
    }
    let site = root.serve_unsettled(&[]);
    // Nothing is left, not even a page.
    let full = |name: &str| {
        let file = root.path(&format!("state/{name}"));
        while let Ok(mut open) = fs::OpenOptions::new().append(true).create(true).open(&file) {
            if std::io::Write::write_all(&mut open, &[0; 512]).is_err() {
                break;
            }
        }
    };
    full("filler");
    for layout in LAYOUTS {
        let name = |name: &str| format!("{name}-{layout:?}").to_lowercase();
        root.put(layout, &Page::new(&name("edited")).says(&"Other words.\n".repeat(90)));
        root.put(layout, &Page::new(&name("new")));
        root.remove(layout, &name("gone"));
        // The files are served whatever the journal can hold.
        assert!(site.text(&format!("/{}", name("edited"))).contains("Other words."));
    }
    for number in 0..400 {
        root.put(Layout::Plain, &Page::new(&format!("more-{number}")));
        assert_eq!(site.status(&format!("/more-{number}")), 200);
    }
    let reported_then = reported(&site).len();
    assert!(reported_then < 406, "the disk was not full");
    fs::remove_file(root.path("state/filler")).unwrap();
    let size = mount(&["mount", "-o", "remount,size=16M"]);
    wait_until("all is reported", || reported(&site).len() == 406);
    let all = reported(&site);
    for layout in LAYOUTS {
        let one = |name: &str| all[&format!("/{name}-{layout:?}").to_lowercase()].clone();
        let word = |change: &str| vec![change.to_owned()];
        assert_eq!(
            [one("edited"), one("new"), one("gone")],
            ["updated", "created", "deleted"].map(word)
        );
    }
    assert!(all.values().all(|changes| changes.len() == 1), "{all:?}");
    drop(site);
    assert!(size && mount(&["umount", "-l"]));
}
