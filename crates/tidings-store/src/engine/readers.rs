//! Those who read a SQLite file, beside its writer.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::Operation;
use super::lite::Lite;
use crate::StoreError;
use crate::error::Result;

/// How many read at the same time.
const MOST: usize = 4;

/// Connections for reading, opened when they are first needed.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    place: Arc<str>,
    turns: Semaphore,
    idle: Arc<Mutex<Vec<Lite>>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, place: Arc<str>) -> Self {
        Self { path, place, turns: Semaphore::new(MOST), idle: Arc::default() }
    }

    /// Runs an operation that reads, on a thread that may take its time.
    pub(super) async fn run<O: Operation>(&self, operation: O) -> Result<O::Output> {
        let stopped = || StoreError::Stopped { place: self.place.to_string() };
        let _turn = self.turns.acquire().await.map_err(|_| stopped())?;
        let idle = Arc::clone(&self.idle);
        let (path, place) = (self.path.clone(), Arc::clone(&self.place));
        let work = move || {
            let known = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut lite = match known {
                Some(lite) => lite,
                None => {
                    let lite = Lite::open(&path, &place)?;
                    lite.script("PRAGMA query_only = ON")?;
                    lite
                }
            };
            let read = lite.run(&operation);
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(lite);
            read
        };
        spawn_blocking(work).await.map_err(|_| stopped())?
    }
}
