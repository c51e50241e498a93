//! What the kernel says about changes on disk.
//!
//! Events are queued by the kernel while a file is being changed, so that whoever takes what is queued
//! before an answer is made has all that happened before. That is why this speaks with the kernel
//! itself: a watcher with a thread of its own says so some time later.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

use crate::root::ContentRoot;

/// Folders under watch.
#[derive(Debug)]
pub(crate) struct Watch {
    queue: OwnedFd,
    /// By the number that the kernel gave each: its path from the content root.
    folders: HashMap<i32, String>,
    /// Folders that could not be watched.
    unwatched: BTreeSet<String>,
}

/// What happened since it was asked last.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Touched {
    /// Paths from the content root that are other than before, or gone.
    pub(crate) paths: BTreeSet<String>,
    /// Those of them that somebody is still writing, as far as is known.
    pub(crate) open: BTreeSet<String>,
    /// Those of them that were written elsewhere and then renamed.
    pub(crate) moved: BTreeSet<String>,
    /// There was more than the kernel could keep, or a folder that others are in went away.
    pub(crate) is_all: bool,
}

impl Touched {
    /// Adds what happened later.
    pub(crate) fn add(&mut self, later: Self) {
        self.is_all |= later.is_all;
        self.open.retain(|path| !later.paths.contains(path));
        self.moved.retain(|path| !later.paths.contains(path));
        self.open.extend(later.open);
        self.moved.extend(later.moved);
        self.paths.extend(later.paths);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.is_all
    }
}

impl Watch {
    pub(crate) fn new() -> io::Result<Self> {
        let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        Ok(Self { queue, folders: HashMap::new(), unwatched: BTreeSet::new() })
    }

    /// Another handle on the same queue, to wait on.
    pub(crate) fn waiter(&self) -> io::Result<Waiter> {
        Ok(Waiter(self.queue.try_clone()?))
    }

    /// Watches a folder, by its path from the root, if it is there.
    pub(crate) fn add(&mut self, root: &ContentRoot, folder: &str) {
        let flags = WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        match inotify::add_watch(&self.queue, root.path_to_watch(folder), flags) {
            Ok(number) => {
                self.unwatched.remove(folder);
                self.folders.insert(number, folder.to_owned());
            }
            Err(Errno::NOENT | Errno::NOTDIR) => {}
            Err(error) => {
                self.unwatched.insert(folder.to_owned());
                tracing::debug!(folder, %error, "a folder is not watched");
            }
        }
    }

    /// Stops watching what is below a folder that is gone.
    pub(crate) fn forget(&mut self, folder: &str) {
        let below = format!("{folder}/");
        let is_gone = |path: &String| path == folder || path.starts_with(&below);
        let gone: Vec<i32> = self
            .folders
            .iter()
            .filter(|(_, path)| is_gone(path))
            .map(|(number, _)| *number)
            .collect();
        for number in gone {
            self.folders.remove(&number);
            // The kernel may have done so already.
            let _ = inotify::remove_watch(&self.queue, number);
        }
    }

    /// How many folders could not be watched since it began.
    pub(crate) fn unwatched(&self) -> usize {
        self.unwatched.len()
    }

    /// Takes all that is queued, without waiting.
    pub(crate) fn take(&mut self) -> Touched {
        let mut touched = Touched::default();
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut gone = Vec::new();
        let mut reader = inotify::Reader::new(&self.queue, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::WOULDBLOCK) => break,
                Err(Errno::INTR) => continue,
                Err(error) => {
                    tracing::warn!(%error, "changes on disk could not be taken");
                    touched.is_all = true;
                    break;
                }
            };
            let flags = event.events();
            if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                touched.is_all = true;
                continue;
            }
            if flags.contains(ReadFlags::UNMOUNT) {
                touched.is_all = true;
                continue;
            }
            if flags.contains(ReadFlags::IGNORED) {
                gone.push(event.wd());
                continue;
            }
            let Some(folder) = self.folders.get(&event.wd()) else { continue };
            if flags.intersects(ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF) {
                // Its parent says so, too, unless there is none that is watched.
                touched.is_all |= folder.is_empty();
                continue;
            }
            let Some(name) = event.file_name() else { continue };
            let name = name.to_string_lossy();
            let path =
                if folder.is_empty() { name.into_owned() } else { format!("{folder}/{name}") };
            if flags.intersects(ReadFlags::CREATE | ReadFlags::MODIFY) {
                touched.open.insert(path.clone());
            } else {
                touched.open.remove(&path);
            }
            if flags.contains(ReadFlags::MOVED_TO) {
                touched.moved.insert(path.clone());
            } else if flags.intersects(ReadFlags::CREATE | ReadFlags::MODIFY) {
                touched.moved.remove(&path);
            }
            touched.paths.insert(path);
        }
        for number in gone {
            self.folders.remove(&number);
        }
        touched
    }
}

/// Waits for changes.
#[derive(Debug)]
pub(crate) struct Waiter(OwnedFd);

impl Waiter {
    /// True as soon as there is something, false if nothing comes for so long.
    pub(crate) fn wait(&self, patience: Duration) -> bool {
        let timeout = Timespec {
            tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(patience.subsec_nanos()),
        };
        let mut handles = [PollFd::new(&self.0, PollFlags::IN)];
        poll(&mut handles, Some(&timeout)).is_ok_and(|ready| ready > 0)
    }
}
