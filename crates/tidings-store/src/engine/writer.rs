//! The one who writes to a SQLite file.
//!
//! Making something durable takes a SQLite file as long for one operation as for a hundred. So one
//! thread writes, takes up all operations that wait when it begins, and makes them durable at once:
//! nobody is answered before. Each is kept apart from the others by a savepoint of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;

use super::Operation;
use super::lite::Lite;
use crate::StoreError;
use crate::error::Result;

/// The most operations that are made durable at once.
const MOST: usize = 256;

/// An operation that waits. It is run where there is a transaction for it, and refused otherwise.
type Job = Box<dyn FnOnce(Result<&mut Lite>) -> Answer + Send>;

/// Tells who waits what came of it, once that is known of all.
type Answer = Box<dyn FnOnce(&Result<()>) + Send>;

/// The thread that writes. It ends, and the file is closed, when this is dropped.
#[derive(Debug)]
pub(super) struct Writer {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    place: String,
}

impl Writer {
    /// Hands the connection over to a thread.
    pub(super) fn start(lite: Lite) -> Result<Self> {
        let place = lite.place.to_string();
        let (sender, receiver) = mpsc::channel();
        let thread = thread::Builder::new().name("store-writer".to_owned());
        let thread =
            thread.spawn(move || write(lite, &receiver)).map_err(|error| StoreError::Failed {
                place: place.clone(),
                detail: format!("no thread could be started to write: {error}"),
            })?;
        Ok(Self { jobs: Some(sender), thread: Some(thread), place })
    }

    /// Runs an operation together with those that wait, and returns when it is durable.
    pub(super) async fn run<O: Operation>(&self, operation: O) -> Result<O::Output> {
        let (sender, receiver) = oneshot::channel();
        let job = Box::new(move |lite: Result<&mut Lite>| {
            let done = lite.and_then(|lite| apart(lite, &operation));
            let answer = move |all: &Result<()>| {
                let answer = all.clone().and(done);
                // Who asked may have gone away.
                drop(sender.send(answer));
            };
            Box::new(answer) as Answer
        });
        let stopped = || StoreError::Stopped { place: self.place.clone() };
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(job).map_err(|_| stopped())?;
        receiver.await.map_err(|_| stopped())?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn write(mut lite: Lite, jobs: &Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        let begun = lite.plain("BEGIN IMMEDIATE");
        // Whoever came while the file was locked by others is taken along.
        let group = std::iter::once(first).chain(jobs.try_iter()).take(MOST);
        let answers: Vec<Answer> = match &begun {
            Ok(()) => group.map(|job| job(within(&mut lite))).collect(),
            Err(error) => group.map(|job| job(Err(error.clone()))).collect(),
        };
        let done = begun.and_then(|()| end(&lite));
        for answer in answers {
            answer(&done);
        }
    }
}

/// The connection, if its transaction is still there: SQLite gives one up as a whole when, for
/// example, the disk is full.
fn within(lite: &mut Lite) -> Result<&mut Lite> {
    if lite.is_idle() { Err(given_up(lite)) } else { Ok(lite) }
}

fn given_up(lite: &Lite) -> StoreError {
    StoreError::Failed {
        place: lite.place.to_string(),
        detail: "the transaction was given up, nothing was written".to_owned(),
    }
}

fn end(lite: &Lite) -> Result<()> {
    if lite.is_idle() {
        return Err(given_up(lite));
    }
    lite.plain("COMMIT").inspect_err(|error| {
        tracing::error!(%error, "what was to be written could not be made durable");
        if !lite.is_idle() {
            drop(lite.plain("ROLLBACK"));
        }
    })
}

/// Runs an operation such that its failure undoes nothing but itself.
fn apart<O: Operation>(lite: &mut Lite, operation: &O) -> Result<O::Output> {
    lite.plain("SAVEPOINT one")?;
    // The others who wait must not suffer from a mistake in one operation.
    let done = catch_unwind(AssertUnwindSafe(|| lite.run(operation)))
        .unwrap_or_else(|_| Err(StoreError::Stopped { place: lite.place.to_string() }));
    if done.is_err() && !lite.is_idle() {
        lite.plain("ROLLBACK TO one")?;
    }
    if !lite.is_idle() {
        lite.plain("RELEASE one")?;
    }
    done
}
