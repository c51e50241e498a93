//! Progress as it comes: server-sent events.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use bytes::Bytes;
use futures_util::stream;
use serde::Serialize;
use tidings_http::limits::network;
use tokio::sync::mpsc;

use crate::api::Problem;
use crate::jobs::{Job, Told};
use crate::state::Shared;
use crate::visitor::Visitor;

/// How many may listen at once: each keeps a connection.
const MOST: usize = 500;
/// How many of one network.
const MOST_OF_ONE: usize = 12;
/// For how long: browsers come again by themselves.
const LONGEST: Duration = Duration::from_secs(10 * 60);
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
    visitor: &Visitor,
    tell: impl FnOnce(Line) -> F,
) -> Result<Response<Body>, Problem>
where
    F: Future<Output = ()> + Send + 'static,
{
    let full = || Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too many listen already");
    let seat = Seat::take(&state.listeners, network(visitor.address)).ok_or_else(full)?;
    let (sender, receiver) = mpsc::channel(8);
    let mut stop = state.stop.clone();
    let telling = tell(Line(sender.clone()));
    tokio::spawn(async move {
        let _seat = seat;
        let gone = sender.clone();
        let still = async {
            let line = Line(sender);
            while line.still().await {
                tokio::time::sleep(STILL).await;
            }
        };
        tokio::select! {
            () = telling => {}
            () = still => {}
            () = gone.closed() => {}
            () = tokio::time::sleep(LONGEST) => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    });
    let body = stream::unfold(receiver, async |mut receiver| {
        let bytes = receiver.recv().await?;
        Some((Ok::<_, Infallible>(bytes), receiver))
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    // Else nginx waits until there is more of it.
    let at_once = [("x-accel-buffering", "no")];
    Ok((headers, at_once, Body::from_stream(body)).into_response())
}

/// The events of a job: its lines, then that it is done.
pub(crate) fn of_job<T>(
    state: &Shared,
    visitor: &Visitor,
    job: &Job<T>,
) -> Result<Response<Body>, Problem> {
    let mut told = job.told();
    events(state, visitor, async move |line| {
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

/// Those who listen, by their networks.
#[derive(Debug, Default)]
pub(crate) struct Listeners(Mutex<HashMap<IpAddr, usize>>);

impl Listeners {
    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one of them, until it is dropped.
struct Seat {
    listeners: Arc<Listeners>,
    network: IpAddr,
}

impl Seat {
    fn take(listeners: &Arc<Listeners>, network: IpAddr) -> Option<Self> {
        let mut seats = listeners.lock();
        let all: usize = seats.values().sum();
        let own = seats.get(&network).copied().unwrap_or(0);
        if all >= MOST || own >= MOST_OF_ONE {
            return None;
        }
        seats.insert(network, own + 1);
        Some(Self { listeners: Arc::clone(listeners), network })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut seats = self.listeners.lock();
        if let Some(own) = seats.get_mut(&self.network) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                seats.remove(&self.network);
            }
        }
    }
}
