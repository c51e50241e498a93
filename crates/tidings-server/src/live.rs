//! Progress as it comes: server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use bytes::Bytes;
use futures_util::stream;
use serde::Serialize;
use tokio::sync::mpsc;

use crate::api::Problem;
use crate::jobs::{Job, Told};
use crate::state::Shared;

/// How many may listen at once: each keeps a connection.
const MOST: usize = 500;
/// How often something is sent though there is nothing to say, so that nobody in between hangs up.
const STILL: Duration = Duration::from_secs(15);
/// How often there may be something to say.
const PACE: Duration = Duration::from_millis(100);

/// By this a page is told what happens.
pub(crate) struct Line(mpsc::Sender<Bytes>);

impl Line {
    /// Sends an event; false if nobody listens any more.
    pub(crate) async fn send(&self, event: &str, data: &impl Serialize) -> bool {
        let data = serde_json::to_string(data).unwrap_or_default();
        self.0.send(format!("event: {event}\ndata: {data}\n\n").into()).await.is_ok()
    }

    async fn still(&self) -> bool {
        self.0.send(Bytes::from_static(b": still here\n\n")).await.is_ok()
    }
}

/// A stream of events, for as long as `tell` has something to say, somebody listens, and the server
/// runs.
pub(crate) fn events<F>(
    state: &Shared,
    tell: impl FnOnce(Line) -> F,
) -> Result<Response<Body>, Problem>
where
    F: Future<Output = ()> + Send + 'static,
{
    let Ok(permit) = std::sync::Arc::clone(&state.listeners).try_acquire_owned() else {
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too many listen already"));
    };
    let (sender, receiver) = mpsc::channel(8);
    let mut stop = state.stop.clone();
    let telling = tell(Line(sender.clone()));
    tokio::spawn(async move {
        let _permit = permit;
        let still = async {
            let line = Line(sender);
            while line.still().await {
                tokio::time::sleep(STILL).await;
            }
        };
        tokio::select! {
            () = telling => {}
            () = still => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    });
    let body = stream::unfold(receiver, async |mut receiver| {
        let bytes = receiver.recv().await?;
        Some((Ok::<_, Infallible>(bytes), receiver))
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    Ok((headers, Body::from_stream(body)).into_response())
}

/// The events of a job: its lines, then that it is done.
pub(crate) fn of_job<T>(state: &Shared, job: &Job<T>) -> Result<Response<Body>, Problem> {
    let mut told = job.told();
    events(state, async move |line| {
        loop {
            let now: Told = told.borrow_and_update().clone();
            if now.is_done {
                line.send("done", &()).await;
                return;
            }
            if !line.send("progress", &now).await {
                return;
            }
            tokio::time::sleep(PACE).await;
            if told.changed().await.is_err() {
                return;
            }
        }
    })
}

/// Room for those who listen.
pub(crate) fn room() -> std::sync::Arc<tokio::sync::Semaphore> {
    std::sync::Arc::new(tokio::sync::Semaphore::new(MOST))
}
