//! Tools for those who make sites, and those who copy them: check, explore, look at a document, ask
//! what robots may, and see how copies are.

mod address;
mod asked;
mod check;
mod check_error;
mod check_webfeed;
mod checked;
mod copies;
mod document;
mod explore;
mod explored;
mod highlight;
mod robots;
mod upload;
mod window;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use checked::Checked;
use copies::Listed;
use explored::Explored;
use tidings_web::{Client, ClientOptions, FetchError};
use tokio::sync::Semaphore;

use crate::api::Problem;
use crate::jobs::{Job, Jobs};
use crate::state::Shared;

/// How many bytes of a document are had, or taken.
const MOST_BYTES: u64 = 64 << 20;
/// How long a page waits for what is done quickly, before it shows that it waits.
const SOON: Duration = Duration::from_millis(1_500);

/// What the tools go by.
#[derive(Debug)]
pub(crate) struct Tools {
    client: Result<Client, FetchError>,
    checks: Jobs<Checked>,
    explorations: Jobs<Explored>,
    /// Room for files that are coming in.
    uploads: Semaphore,
    /// Room for documents that are in memory to be shown.
    documents: Arc<Semaphore>,
    /// The copies as they were a moment ago.
    copies: Mutex<Option<Listed>>,
}

impl Tools {
    /// With private addresses, if they are not refused to anybody.
    pub(crate) fn new(allow_private: bool, contact: Option<&str>) -> Self {
        let options = ClientOptions {
            allow_private,
            max_body_bytes: Some(MOST_BYTES),
            keep_alive: Duration::from_secs(5),
            ..ClientOptions::with_contact(contact)
        };
        Self {
            client: Client::new(options),
            checks: Jobs::default(),
            explorations: Jobs::default(),
            uploads: Semaphore::new(8),
            documents: Arc::new(Semaphore::new(2)),
            copies: Mutex::default(),
        }
    }

    fn client(&self) -> Result<&Client, Problem> {
        self.client.as_ref().map_err(Problem::ours)
    }
}

/// The pages of all tools.
pub(crate) fn router() -> Router<Shared> {
    let most = usize::try_from(upload::MOST_FORM).unwrap_or(usize::MAX);
    let uploads = Router::new()
        .route("/check", get(check::page).post(upload::take))
        .layer(DefaultBodyLimit::max(most));
    Router::new()
        .route("/check/{id}", get(upload::page))
        .route("/check/{id}/events", get(check::events))
        .route("/explore", get(explore::page))
        .route("/explore/{id}/events", get(explore::events))
        .route("/document", get(document::page))
        .route("/robots", get(robots::page).post(robots::pasted))
        .route("/copies", get(copies::page))
        .route("/copies/events", get(copies::events))
        .route("/copies/forget", post(copies::forget))
        .merge(uploads)
}

/// Waits a moment for what may be done soon.
async fn settle<T>(job: &Job<T>) {
    let mut told = job.told();
    // Whether it is done, its outcome says.
    let _ = tokio::time::timeout(SOON, told.wait_for(|told| told.is_done)).await;
}

/// What a page shows while a job is under way.
struct Working {
    /// Where its events are, below the root.
    events: String,
    line: String,
    done: u64,
    total: u64,
}

impl Working {
    fn of<T>(job: &Job<T>, events: String) -> Self {
        let told = job.told().borrow().clone();
        let line = if told.line.is_empty() { "Beginning".to_owned() } else { told.line };
        Self { events, line, done: told.done, total: told.total }
    }
}
