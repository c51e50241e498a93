//! Fetching: some threads, each with its own connections, that bring what is wanted into temporary
//! files.
//!
//! Each thread has a runtime and a client of its own, so that no request waits for another thread.
//! What they bring is verified when it arrives at the other end; it is in its place when
//! [`Desk`](crate::desk::Desk) has put it there.

mod body;
mod candidates;
mod one;
mod partial;
mod patches;
mod resume;
mod unverified;

use std::cell::{Cell, RefCell};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use futures_util::FutureExt as _;
use tidings_bytes::{ByteReader, ByteStore, FileStamp, StagedFile, StagingArea};
use tidings_web::{Client, ClientOptions, GetOptions, RobotsCache};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::LocalSet;

use crate::SyncError;
use crate::bytes::Measured;
use crate::mapping::Mapping;
use crate::state::Validator;
use crate::wanted::Wanted;
use body::Finished;
use one::Fetcher;
pub(crate) use one::measure;

/// How many small things go from thread to thread together, and what is not small.
const TOGETHER: usize = 32;
const LARGE: u64 = 1 << 20;

/// How what is wanted is to be fetched.
#[derive(Clone)]
pub(crate) struct FetchOptions {
    pub(crate) client: ClientOptions,
    pub(crate) get: GetOptions,
    /// How many requests there may be at once, in all.
    pub(crate) jobs: usize,
    pub(crate) folder: PathBuf,
    pub(crate) tries: u32,
    /// The rules of the hosts, if they are kept to.
    pub(crate) robots: Option<Arc<RobotsCache>>,
    /// The media type of the representation that is wanted, if there are several.
    pub(crate) prefer: Option<String>,
    /// Look whether a file that is not in the state is already what is wanted.
    pub(crate) adopt: bool,
    pub(crate) mapping: Arc<Mapping>,
}

/// What came of something that was wanted.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) wanted: Wanted,
    pub(crate) brought: Result<Brought, Failure>,
    /// How many bytes came over the network for it.
    pub(crate) bytes: u64,
}

/// What was brought.
#[derive(Debug)]
pub(crate) enum Brought {
    /// Verified bytes in a temporary file.
    File(Landed),
    /// The copy has it already, by the server's word or by its digest.
    Unchanged,
    /// A file that was not in the state has the right bytes.
    Adopted(Measured, FileStamp, String),
}

/// A file that is ready to be put into its place.
#[derive(Debug)]
pub(crate) struct Landed {
    pub(crate) file: StagedFile,
    pub(crate) measured: Measured,
    pub(crate) stamp: FileStamp,
    pub(crate) validator: Validator,
    pub(crate) media_type: Option<String>,
    pub(crate) how: How,
}

impl Landed {
    fn new(finished: Finished, validator: Validator, media_type: Option<String>, how: How) -> Self {
        let Finished { file, measured, stamp } = finished;
        Self { file, measured, stamp, validator, media_type, how }
    }
}

/// The way something came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Whole,
    Mirror,
    Patch,
    Memento,
    Package,
}

/// Why something did not come.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) reason: String,
    /// True if the bytes came, and are others than the Source says: it may have changed meanwhile.
    pub(crate) moved_on: bool,
    /// True if the server says that there is no such thing (404, 410).
    pub(crate) missing: bool,
    /// True if it is this machine that cannot take it: then it can take nothing.
    pub(crate) is_disk: bool,
}

impl Failure {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), moved_on: false, missing: false, is_disk: false }
    }

    fn moved_on(reason: impl Into<String>) -> Self {
        Self { moved_on: true, ..Self::new(reason) }
    }
}

/// What came of waiting.
pub(crate) enum Taken {
    Outcome(Box<Outcome>),
    /// Not yet.
    Late,
    /// Nothing is outstanding.
    Nothing,
}

/// Threads that fetch.
pub(crate) struct Fetchers {
    queues: Vec<UnboundedSender<Vec<Wanted>>>,
    next: usize,
    /// What was asked for and is not in a queue yet.
    asked: Vec<Wanted>,
    outcomes: Receiver<Vec<Outcome>>,
    /// What has come back and was not taken yet.
    came: std::vec::IntoIter<Outcome>,
    threads: Vec<JoinHandle<()>>,
    /// How many were asked for and have not come back.
    pub(crate) outstanding: usize,
    /// How many may be.
    pub(crate) depth: usize,
}

impl Fetchers {
    pub(crate) fn start(options: &FetchOptions, files: &dyn ByteStore) -> Result<Self, SyncError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.min(options.jobs).max(1);
        let (sender, outcomes) = channel();
        let mut fetchers = Self {
            queues: Vec::new(),
            next: 0,
            asked: Vec::with_capacity(TOGETHER),
            outcomes,
            came: Vec::new().into_iter(),
            threads: Vec::new(),
            outstanding: 0,
            // Enough that the threads have work while a batch is put into its place.
            depth: (options.jobs * 8).max(1_024),
        };
        let options_folder = options.folder.clone();
        partial::remove_stale(&options.folder);
        let options = Arc::new(options.clone());
        for thread in 0..threads {
            let (queue, wanted) = unbounded_channel();
            let temporary = files.staging_area()?;
            let reader = files.reader()?;
            let client = Client::new(options.client.clone())?;
            let jobs = options.jobs.div_ceil(threads);
            let (options, sender) = (Arc::clone(&options), sender.clone());
            let work = move || serve(&options, client, temporary, reader, jobs, wanted, sender);
            let spawned = std::thread::Builder::new().name(format!("fetch-{thread}")).spawn(work);
            let failed = SyncError::io("could not start a thread for", &options_folder);
            fetchers.threads.push(spawned.map_err(failed)?);
            fetchers.queues.push(queue);
        }
        Ok(fetchers)
    }

    /// Asks for something.
    pub(crate) fn ask(&mut self, wanted: Wanted) {
        self.outstanding += 1;
        self.asked.push(wanted);
        if self.asked.len() == TOGETHER {
            self.send();
        }
    }

    fn send(&mut self) {
        if self.asked.is_empty() {
            return;
        }
        let asked = std::mem::replace(&mut self.asked, Vec::with_capacity(TOGETHER));
        self.next = (self.next + 1) % self.queues.len();
        if let Err(unsent) = self.queues[self.next].send(asked) {
            let failed = |wanted| Outcome {
                wanted,
                brought: Err(Failure::new("a thread that fetches could not be started")),
                bytes: 0,
            };
            let lost: Vec<Outcome> = unsent.0.into_iter().map(failed).collect();
            let came = std::mem::replace(&mut self.came, Vec::new().into_iter());
            self.came = came.chain(lost).collect::<Vec<_>>().into_iter();
        }
    }

    /// Waits for the next outcome; none if nothing is outstanding.
    pub(crate) fn take(&mut self) -> Result<Option<Outcome>, SyncError> {
        loop {
            match self.take_within(Duration::from_secs(3600))? {
                Taken::Late => {}
                Taken::Outcome(outcome) => return Ok(Some(*outcome)),
                Taken::Nothing => return Ok(None),
            }
        }
    }

    /// Waits no longer than that for the next outcome.
    pub(crate) fn take_within(&mut self, limit: Duration) -> Result<Taken, SyncError> {
        if self.outstanding == 0 {
            return Ok(Taken::Nothing);
        }
        if self.came.len() == 0 {
            self.send();
        }
        if self.came.len() == 0 {
            match self.outcomes.recv_timeout(limit) {
                Ok(came) => self.came = came.into_iter(),
                Err(RecvTimeoutError::Timeout) => return Ok(Taken::Late),
                Err(RecvTimeoutError::Disconnected) => {
                    let reason = "the threads that fetch have ended".to_owned();
                    return Err(SyncError::Disk { reason });
                }
            }
        }
        self.outstanding -= 1;
        Ok(self.came.next().map_or(Taken::Late, |outcome| Taken::Outcome(Box::new(outcome))))
    }

    /// An outcome that is there already.
    pub(crate) fn try_take(&mut self) -> Option<Outcome> {
        if self.came.len() == 0 {
            self.came = self.outcomes.try_recv().ok()?.into_iter();
        }
        let outcome = self.came.next()?;
        self.outstanding -= 1;
        Some(outcome)
    }
}

impl Drop for Fetchers {
    fn drop(&mut self) {
        self.queues.clear();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// One thread: takes what is wanted from its queue, as much at once as it may.
fn serve(
    options: &Arc<FetchOptions>,
    client: Client,
    temporary: StagingArea,
    files: Box<dyn ByteReader>,
    jobs: usize,
    mut queue: UnboundedReceiver<Vec<Wanted>>,
    outcomes: Sender<Vec<Outcome>>,
) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return;
    };
    let fetcher = Rc::new(Fetcher::new(Arc::clone(options), client, temporary, files));
    let basket = Rc::new(Basket { outcomes, under_way: Cell::new(0), full: RefCell::default() });
    let permits = Arc::new(tokio::sync::Semaphore::new(jobs));
    let tasks = LocalSet::new();
    let idle = Rc::clone(&basket);
    tasks.spawn_local(async move {
        // What is there is not to wait for what is slow.
        let mut seconds = tokio::time::interval(Duration::from_secs(1));
        loop {
            seconds.tick().await;
            idle.hand_over();
        }
    });
    tasks.block_on(&runtime, async {
        while let Some(batch) = queue.recv().await {
            basket.under_way.set(basket.under_way.get() + batch.len());
            for wanted in batch {
                let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
                let (fetcher, basket) = (Rc::clone(&fetcher), Rc::clone(&basket));
                tokio::task::spawn_local(async move {
                    // Whatever happens, somebody waits for an outcome.
                    let fetch = AssertUnwindSafe(fetcher.fetch(&wanted)).catch_unwind();
                    let (brought, bytes) = fetch
                        .await
                        .unwrap_or_else(|_| (Err(Failure::new("a fault in the program")), 0));
                    basket.put(Outcome { wanted, brought, bytes });
                    drop(permit);
                });
            }
        }
    });
    // What is under way is dropped: nobody waits for it any more.
}

/// Outcomes of one thread that are handed over together: to wake somebody up for each of many small
/// files takes longer than to fetch it.
struct Basket {
    outcomes: Sender<Vec<Outcome>>,
    under_way: Cell<usize>,
    full: RefCell<Vec<Outcome>>,
}

impl Basket {
    fn put(&self, outcome: Outcome) {
        let is_large = outcome.bytes > LARGE;
        self.under_way.set(self.under_way.get() - 1);
        let mut full = self.full.borrow_mut();
        full.push(outcome);
        let is_full = full.len() >= TOGETHER;
        drop(full);
        if is_full || is_large || self.under_way.get() == 0 {
            self.hand_over();
        }
    }

    fn hand_over(&self) {
        let mut full = self.full.borrow_mut();
        if !full.is_empty() {
            let batch = std::mem::replace(&mut *full, Vec::with_capacity(TOGETHER));
            // Whoever asked may have stopped waiting.
            let _ = self.outcomes.send(batch);
        }
    }
}
