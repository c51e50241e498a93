//! The bare walk over a folder and all below it, on some threads: under everything that looks at
//! every file, there is at least this.
//!
//! Names come from the kernel in large pieces and are handed on in batches, files are found from
//! their folder and not from the root, and nothing is put in order.

use std::env;
use std::error::Error;
use std::ffi::{CStr, CString, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::process::ExitCode;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use rustix::fs::{CWD, FileType, Mode, OFlags, RawDir, openat};

/// Names handed on together.
const BATCH: usize = 128;

/// What was seen of files.
#[derive(Default)]
pub struct Seen {
    /// How many.
    pub files: u64,
    /// Of how many bytes in all.
    pub bytes: u64,
    /// Kept from file to file.
    pub buffer: Vec<u8>,
}

/// Looks at one file of a folder.
pub type Look = fn(BorrowedFd<'_>, &CStr, &mut Seen) -> io::Result<()>;

/// Walks the folder and on as many threads as the command line says; prints files and bytes seen.
pub fn run(look: Look) -> ExitCode {
    match seen(look) {
        Ok((files, bytes)) => {
            println!("{files} {bytes}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn seen(look: Look) -> Result<(u64, u64), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let (Some(folder), Some(threads), None) =
        (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err("usage: NAME FOLDER THREADS".into());
    };
    let threads: usize =
        threads.to_str().and_then(|text| text.parse().ok()).ok_or("THREADS: not a number")?;
    Ok(walk(folder, threads, look)?)
}

enum Work {
    Folder(CString),
    /// Names in a folder, each with a zero behind it.
    Files(Arc<OwnedFd>, Vec<u8>),
}

#[derive(Default)]
struct State {
    work: Vec<Work>,
    /// Threads that may still find more.
    busy: usize,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

impl Queue {
    fn push(&self, work: Work) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).work.push(work);
        self.changed.notify_one();
    }

    /// None when there is no more, nor can be.
    fn next(&self, was_busy: bool) -> Option<Work> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.busy -= usize::from(was_busy);
        loop {
            if let Some(work) = state.work.pop() {
                state.busy += 1;
                return Some(work);
            }
            if state.busy == 0 {
                self.changed.notify_all();
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn walk(folder: OsString, threads: usize, look: Look) -> io::Result<(u64, u64)> {
    let queue = Queue::default();
    queue.push(Work::Folder(CString::new(folder.into_vec())?));
    let seen = thread::scope(|scope| {
        let workers: Vec<_> =
            (0..threads.max(1)).map(|_| scope.spawn(|| worker(&queue, look))).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, io::Result<Seen>>| {
            worker.join().unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))
        };
        workers.into_iter().map(join).collect::<io::Result<Vec<Seen>>>()
    })?;
    Ok(seen.iter().fold((0, 0), |(files, bytes), one| (files + one.files, bytes + one.bytes)))
}

fn worker(queue: &Queue, look: Look) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let mut names = vec![MaybeUninit::uninit(); 64 << 10];
    let mut busy = false;
    // A failure must not leave the others waiting: the work is done to its end first.
    let mut failure = None;
    while let Some(work) = queue.next(busy) {
        busy = true;
        let done = match work {
            Work::Folder(path) => list(&path, &mut names, queue),
            Work::Files(folder, names) => look_at_each(&folder, &names, look, &mut seen),
        };
        failure = failure.or(done.err());
    }
    failure.map_or(Ok(seen), Err)
}

fn look_at_each(folder: &OwnedFd, names: &[u8], look: Look, seen: &mut Seen) -> io::Result<()> {
    let mut rest = names;
    while let Ok(name) = CStr::from_bytes_until_nul(rest) {
        look(folder.as_fd(), name, seen)?;
        rest = &rest[name.count_bytes() + 1..];
    }
    Ok(())
}

fn list(path: &CStr, names: &mut [MaybeUninit<u8>], queue: &Queue) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = Arc::new(openat(CWD, path, flags, Mode::empty())?);
    let (mut batch, mut count) = (Vec::new(), 0);
    let mut entries = RawDir::new(&folder, names);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name();
        match entry.file_type() {
            FileType::RegularFile => {
                batch.extend_from_slice(name.to_bytes_with_nul());
                count += 1;
            }
            FileType::Directory if !matches!(name.to_bytes(), b"." | b"..") => {
                let path = [path.to_bytes(), b"/", name.to_bytes()].concat();
                queue.push(Work::Folder(CString::new(path)?));
            }
            _ => {}
        }
        if count == BATCH {
            let full = std::mem::take(&mut batch);
            queue.push(Work::Files(Arc::clone(&folder), full));
            count = 0;
        }
    }
    if count > 0 {
        queue.push(Work::Files(folder, batch));
    }
    Ok(())
}
