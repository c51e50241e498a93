//! Long work: begun by one request, looked at by others.

use std::collections::HashMap;
use std::error::Error;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use serde::Serialize;
use tidings_http::secret::random;
use tokio::sync::watch;

use crate::api::Problem;

/// How many are remembered.
const MOST_KEPT: usize = 200;
/// How many may be under way at once.
const MOST_RUNNING: usize = 12;
/// For how long what came of one is shown to whoever asks for the same.
const FRESH: Duration = Duration::from_secs(10 * 60);
/// For how long it is remembered at all.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// How long one may take, as a rule.
const LONGEST: Duration = Duration::from_secs(15 * 60);

/// How far a job is.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Told {
    pub(crate) line: String,
    pub(crate) done: u64,
    pub(crate) total: u64,
    #[serde(skip)]
    pub(crate) is_done: bool,
}

/// By this a job says how far it is.
#[derive(Debug, Clone)]
pub(crate) struct Teller(watch::Sender<Told>);

impl Teller {
    /// This is being done now.
    pub(crate) fn say(&self, line: impl Into<String>) {
        let line = line.into();
        self.0.send_modify(|told| told.line = line);
    }

    /// So much of it is done.
    pub(crate) fn count(&self, done: u64, total: u64) {
        self.0.send_modify(|told| (told.done, told.total) = (done, total));
    }
}

/// Why a job has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JobError {
    /// Its task panicked.
    #[error("it broke off: this is a fault of tidings")]
    Broken,
    /// It took too long.
    #[error("not done after {minutes} minutes, and given up")]
    TimedOut {
        /// How long it could take.
        minutes: u64,
    },
    /// What it was to do could not be done.
    #[error(transparent)]
    Work(Box<dyn Error + Send + Sync>),
}

/// A piece of long work, and what came of it.
#[derive(Debug)]
pub(crate) struct Job<T> {
    pub(crate) id: String,
    /// What it is about, such as a URL.
    pub(crate) about: String,
    /// When it was begun.
    pub(crate) at: i64,
    begun: Instant,
    told: watch::Sender<Told>,
    outcome: OnceLock<Result<T, JobError>>,
}

impl<T> Job<T> {
    /// What came of it; none while it is under way.
    pub(crate) fn outcome(&self) -> Option<Result<&T, &JobError>> {
        self.outcome.get().map(Result::as_ref)
    }

    /// Whether it is worth while to do it again: it failed, or was begun longer ago than that.
    pub(crate) fn is_old(&self, soon: i64) -> bool {
        match self.outcome.get() {
            Some(Ok(_)) => tidings_http::text_format::now() - self.at > soon,
            Some(Err(_)) => true,
            None => false,
        }
    }

    /// How far it is, now and from now on.
    pub(crate) fn told(&self) -> watch::Receiver<Told> {
        self.told.subscribe()
    }
}

/// All jobs of one kind.
#[derive(Debug)]
pub(crate) struct Jobs<T> {
    jobs: Mutex<HashMap<String, Arc<Job<T>>>>,
    longest: Duration,
}

impl<T> Default for Jobs<T> {
    fn default() -> Self {
        Self { jobs: Mutex::default(), longest: LONGEST }
    }
}

impl<T> Jobs<T> {
    /// Such that may take so long.
    pub(crate) fn lasting(longest: Duration) -> Self {
        Self { jobs: Mutex::default(), longest }
    }
}

impl<T: Send + Sync + 'static> Jobs<T> {
    /// One by its id.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Job<T>>> {
        self.lock().get(id).cloned()
    }

    /// The newest about the same, if it is not too old or under way.
    pub(crate) fn about(&self, about: &str) -> Option<Arc<Job<T>>> {
        let jobs = self.lock();
        let same = jobs.values().filter(|job| job.about == about);
        let fresh = same.filter(|job| job.outcome.get().is_none() || job.begun.elapsed() < FRESH);
        fresh.max_by_key(|job| job.begun).cloned()
    }

    /// Begins one. It goes on whether or not somebody waits for it.
    pub(crate) fn begin<F, E>(
        &self,
        about: impl Into<String>,
        work: impl FnOnce(Teller) -> F,
    ) -> Result<Arc<Job<T>>, Problem>
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
        E: Error + Send + Sync + 'static,
    {
        let mut jobs = self.lock();
        jobs.retain(|_, job| job.begun.elapsed() < KEPT);
        let running = jobs.values().filter(|job| job.outcome.get().is_none()).count();
        if running >= MOST_RUNNING {
            let message = "too much is under way already: try again in a moment";
            return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, message));
        }
        if jobs.len() >= MOST_KEPT {
            let done = jobs.values().filter(|job| job.outcome.get().is_some());
            let oldest = done.min_by_key(|job| job.begun).map(|job| job.id.clone());
            oldest.and_then(|id| jobs.remove(&id));
        }
        let (told, outcome) = (watch::Sender::new(Told::default()), OnceLock::new());
        let id = random(16).map_err(Problem::ours)?;
        let begun = Instant::now();
        let job = Arc::new(Job {
            id,
            about: about.into(),
            at: tidings_http::text_format::now(),
            begun,
            told: told.clone(),
            outcome,
        });
        jobs.insert(job.id.clone(), Arc::clone(&job));
        drop(jobs);
        let work = work(Teller(told));
        let (done, longest) = (Arc::clone(&job), self.longest);
        tokio::spawn(async move {
            // In a task of its own, so that one that breaks off is over, too.
            let mut working = tokio::spawn(work);
            let worked = tokio::time::timeout(longest, &mut working).await;
            let outcome = match worked {
                Ok(Ok(outcome)) => outcome.map_err(|error| JobError::Work(Box::new(error))),
                Ok(Err(_)) => Err(JobError::Broken),
                Err(_) => {
                    working.abort();
                    Err(JobError::TimedOut { minutes: longest.as_secs() / 60 })
                }
            };
            let _ = done.outcome.set(outcome);
            done.told.send_modify(|told| told.is_done = true);
        });
        Ok(job)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Job<T>>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
