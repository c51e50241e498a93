//! What Prometheus is told (text exposition format 0.0.4).

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::api::Problem;
use crate::state::State;

/// All figures of this process and of what it shares.
pub(crate) async fn metrics(state: &State) -> Result<String, Problem> {
    let counts = state.store.counts().await?;
    let (work, cache) = (&state.worker.work, &state.cache);
    let mut text = Text(String::new());
    for (index, name) in
        ["new", "well", "failing", "paused", "partly-failing"].into_iter().enumerate()
    {
        let help = "Sites that are followed, by state.";
        text.one("sites", "gauge", help, &format!("{{state=\"{name}\"}}"), counts.by_state[index]);
    }
    text.one("collections", "gauge", "Collections of these sites.", "", counts.collections);
    text.one("sites_due", "gauge", "Sites that wait for their poll.", "", counts.due);
    let lag = counts.lag as f64 / 1000.0;
    text.one("poll_lag_seconds", "gauge", "For how long the first site has been due.", "", lag);
    let polls = "Polls of this process, by how they ended.";
    for (name, counter) in
        [("well", &work.well), ("failed", &work.failed), ("fenced", &work.fenced)]
    {
        text.one("polls_total", "counter", polls, &format!("{{result=\"{name}\"}}"), read(counter));
    }
    text.one("polls_under_way", "gauge", "Polls under way.", "", read(&work.under_way));
    text.one(
        "changes_total",
        "counter",
        "Changes that this process recorded.",
        "",
        read(&work.changes),
    );
    text.one(
        "batches_total",
        "counter",
        "Batches that this process recorded.",
        "",
        read(&work.batches),
    );
    for (index, counter) in state.requests.0.iter().enumerate().skip(1) {
        let help = "Requests, by the class of their answers.";
        let label = format!("{{status=\"{index}xx\"}}");
        text.one("http_requests_total", "counter", help, &label, read(counter));
    }
    let help = "Feeds that were ready to be sent, or had to be made.";
    for (name, counter) in [("hit", &cache.hits), ("miss", &cache.misses)] {
        text.one(
            "feed_cache_total",
            "counter",
            help,
            &format!("{{result=\"{name}\"}}"),
            read(counter),
        );
    }
    Ok(text.0)
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

struct Text(String);

impl Text {
    /// One sample; what it is about is said before the first of its name.
    fn one(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        label: &str,
        value: impl std::fmt::Display,
    ) {
        let head = format!("# HELP tidings_{name} {help}\n# TYPE tidings_{name} {kind}\n");
        if !self.0.contains(&head) {
            self.0.push_str(&head);
        }
        // Writing into a string does not fail.
        let _ = writeln!(self.0, "tidings_{name}{label} {value}");
    }
}
