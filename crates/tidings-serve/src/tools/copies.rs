//! Copies: how those of this machine are, and what is being done with them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use askama::Template;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{Response, StatusCode};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tidings_base::text::{counted, grouped, size, visible_on_page};
use tidings_destination::{
    AuditRecord, CopyReport, CountLabel, Register, RunOutcome, Running, SyncRecord, Work,
};
use tidings_http::secret::hash;
use tidings_http::text_format::{Time, now};
use tidings_store::{Millis, Role};

use crate::api::Problem;
use crate::frame::{Frame, go, show};
use crate::live;
use crate::pages::Asking;
use crate::parts::{lasting, short, web};
use crate::posted::Posted;
use crate::state::{Shared, State as Server};

/// How often the register is looked at for those who listen.
const PACE: Duration = Duration::from_secs(1);

/// The copies, and when they were looked at.
#[derive(Debug)]
pub(super) struct Listed {
    at: Instant,
    copies: Arc<Vec<CopyReport>>,
}

#[derive(Template)]
#[template(path = "copies.html")]
struct Page {
    f: Frame,
    /// Whether it is known where copies are registered.
    is_known: bool,
    cards: Vec<Card>,
    /// What listeners compare with what is there now.
    seen: String,
}

/// A copy.
struct Card {
    key: String,
    folder: String,
    is_there: bool,
    source: String,
    href: Option<String>,
    sets: String,
    resources: Option<String>,
    since: Option<Time>,
    sync: Option<Run>,
    audit: Option<Run>,
    now: Option<AtWork>,
}

/// A run that ended.
struct Run {
    /// A class and a word.
    outcome: (&'static str, &'static str),
    time: Time,
    took: String,
    counts: String,
    /// Why it failed: a sentence, and the rest of it.
    error: Option<String>,
    more: Vec<String>,
}

/// A run that is at work.
struct AtWork {
    name: &'static str,
    doing: String,
    done: u64,
    total: u64,
    counts: String,
    since: Time,
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Admin)?;
    let f = Frame::new(&state, &visitor, "copies", "Copies");
    let Some(folder) = state.options.copies.clone() else {
        return show(&Page { f, is_known: false, cards: Vec::new(), seen: String::new() });
    };
    let copies = look(&state, folder, Duration::ZERO).await?;
    let now = now();
    let cards = copies.iter().map(|copy| card(copy, now)).collect();
    show(&Page { f, is_known: true, cards, seen: seen(&copies) })
}

/// The copies, as they were not longer ago than that.
async fn look(
    state: &Server,
    folder: PathBuf,
    age: Duration,
) -> Result<Arc<Vec<CopyReport>>, Problem> {
    let known = {
        let listed = state.tools.copies.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = listed.as_ref().filter(|listed| listed.at.elapsed() < age);
        fresh.map(|listed| Arc::clone(&listed.copies))
    };
    if let Some(copies) = known {
        return Ok(copies);
    }
    let at = Instant::now();
    let copies = tokio::task::spawn_blocking(move || Register::at(folder).list())
        .await
        .map_err(Problem::ours)?
        .map_err(Problem::ours)?;
    let copies = Arc::new(copies);
    let listed = Listed { at, copies: Arc::clone(&copies) };
    *state.tools.copies.lock().unwrap_or_else(PoisonError::into_inner) = Some(listed);
    Ok(copies)
}

/// What a page has to be loaded again for: a run that begins or ends.
fn seen(copies: &[CopyReport]) -> String {
    let line = |copy: &CopyReport| {
        let what = copy.running.as_ref().map_or("", |running| running.what.name());
        let sync = copy.last_sync.as_ref().map_or(0, |run| run.ended);
        let audit = copy.last_audit.as_ref().map_or(0, |run| run.ended);
        format!("{} {what} {sync} {audit}\n", copy.key)
    };
    let all: String = copies.iter().map(line).collect();
    tidings_base::to_hex(&hash(&all)[..6])
}

fn card(copy: &CopyReport, now: Millis) -> Card {
    let sets: Vec<String> = copy.sets.iter().map(|set| visible_on_page(set)).collect();
    let source = visible_on_page(&copy.source);
    Card {
        key: copy.key.clone(),
        folder: visible_on_page(&copy.folder),
        is_there: copy.is_there,
        href: web(&source).map(str::to_owned),
        source,
        sets: short(&sets.join(", "), 300),
        resources: copy.resources.map(grouped),
        since: copy.since.map(|since| Time::of(since, now)),
        sync: copy.last_sync.as_ref().map(|run| synced(run, now)),
        audit: copy.last_audit.as_ref().map(|run| audited(run, now)),
        now: copy.running.as_ref().map(|running| AtWork {
            name: match running.what {
                Work::Sync => "A sync is at work",
                Work::Audit => "An audit is at work",
            },
            doing: doing(running),
            done: running.done,
            total: running.total,
            counts: counts(running),
            since: Time::of(running.began, now),
        }),
    }
}

fn doing(running: &Running) -> String {
    let doing = running.doing.trim();
    if doing.is_empty() { "beginning".to_owned() } else { short(&visible_on_page(doing), 300) }
}

fn counts(running: &Running) -> String {
    let done = match running.total {
        0 => counted(running.done, "resource", "resources"),
        total => {
            format!("{} of {}", grouped(running.done), counted(total, "resource", "resources"))
        }
    };
    format!("{done}, {}", size(running.bytes))
}

fn outcome(
    outcome: RunOutcome,
    well: &'static str,
    differs: &'static str,
) -> (&'static str, &'static str) {
    match outcome {
        RunOutcome::Well => ("good", well),
        RunOutcome::Differs => ("updated", differs),
        RunOutcome::Failed => ("bad", "failed"),
    }
}

fn synced(run: &SyncRecord, now: Millis) -> Run {
    let mut error = lines(run.error.as_deref());
    Run {
        outcome: outcome(run.outcome, "well", "not all could be had"),
        time: Time::of(run.ended, now),
        took: took(run.seconds),
        counts: joined(&run.counts().labels(), run.error.is_some(), run.bytes),
        error: error.next(),
        more: error.collect(),
    }
}

fn audited(run: &AuditRecord, now: Millis) -> Run {
    let mut error = lines(run.error.as_deref());
    Run {
        outcome: outcome(run.outcome, "in step", "not in step"),
        time: Time::of(run.ended, now),
        took: took(run.seconds),
        counts: joined(&run.counts().labels(), run.error.is_some(), run.bytes),
        error: error.next(),
        more: error.collect(),
    }
}

/// The lines of an error.
fn lines(error: Option<&str>) -> impl Iterator<Item = String> {
    let lines = error.unwrap_or_default().lines().filter(|line| !line.trim().is_empty());
    lines.take(20).map(|line| short(&visible_on_page(line.trim()), 500))
}

/// What is not nothing.
fn joined(labels: &[CountLabel], is_failed: bool, bytes: u64) -> String {
    if is_failed {
        return String::new();
    }
    let mut some: Vec<String> = labels.iter().map(ToString::to_string).collect();
    if some.is_empty() {
        some.push("nothing to do".to_owned());
    }
    if bytes > 0 {
        some.push(size(bytes));
    }
    some.join(", ")
}

fn took(seconds: f64) -> String {
    lasting((seconds.clamp(0.0, 1e9) * 1_000.0) as Millis)
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    /// What the page that listens has seen.
    #[serde(default)]
    seen: String,
}

pub(super) async fn events(
    State(state): State<Shared>,
    visitor: Asking,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Admin)?;
    let Query(wanted) = wanted?;
    let unknown = || Problem::not_found("no copies are registered here");
    let folder = state.options.copies.clone().ok_or_else(unknown)?;
    let server = Arc::clone(&state);
    live::events(&state, &visitor, async move |line| {
        loop {
            // A moment in which it cannot be read is no news.
            if let Ok(copies) = look(&server, folder.clone(), PACE).await {
                if seen(&copies) != wanted.seen {
                    line.send("done", &()).await;
                    return;
                }
                let told = told(&copies);
                if !told.is_empty() && !line.send("part", &told).await {
                    return;
                }
            }
            tokio::time::sleep(PACE).await;
        }
    })
}

/// What is to be shown of runs at work, by the ids of elements.
fn told(copies: &[CopyReport]) -> Map<String, Value> {
    let mut told = Map::new();
    for copy in copies {
        let Some(running) = &copy.running else { continue };
        let done = if running.total > 0 { [running.done, running.total] } else { [0, 1] };
        told.insert(format!("doing-{}", copy.key), Value::String(doing(running)));
        told.insert(format!("counts-{}", copy.key), Value::String(counts(running)));
        told.insert(format!("bar-{}", copy.key), json!(done));
    }
    told
}

/// Takes a copy out of the register.
pub(super) async fn forget(
    State(state): State<Shared>,
    visitor: Asking,
    posted: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Admin)?;
    let unknown = || Problem::not_found("there is no such copy in the register");
    let folder = state.options.copies.clone().ok_or_else(unknown)?;
    let key = posted.get("key").to_owned();
    let known = find(&folder, &key).await?.ok_or_else(unknown)?;
    let forgotten = tokio::task::spawn_blocking(move || Register::at(folder).forget(&key))
        .await
        .map_err(Problem::ours)?;
    match forgotten {
        Ok(true) => {
            state.did(&visitor, "forget copy", &known.folder, &known.source).await;
            Ok(go(&state, "copies?said=copy-forgotten"))
        }
        Ok(false) => Err(unknown()),
        Err(error) if error.kind() == std::io::ErrorKind::ResourceBusy => {
            let message =
                format!("a run is at work on {}: forget it when that has ended", known.folder);
            Err(Problem::new(StatusCode::CONFLICT, message))
        }
        Err(error) => Err(Problem::ours(error)),
    }
}

async fn find(folder: &Path, key: &str) -> Result<Option<CopyReport>, Problem> {
    let (register, key) = (Register::at(folder.to_owned()), key.to_owned());
    tokio::task::spawn_blocking(move || register.find(&key)).await.map_err(Problem::ours)
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use tidings_destination::Differences;

    use super::*;

    fn copy(running: Option<Running>) -> CopyReport {
        CopyReport {
            key: "0".repeat(32),
            folder: "/copy".to_owned(),
            source: "javascript:alert(1)".to_owned(),
            sets: Vec::new(),
            resources: None,
            since: None,
            last_sync: None,
            last_audit: None,
            running,
            is_there: true,
        }
    }

    fn running(done: u64, total: u64) -> Running {
        let (doing, bytes) = (String::new(), 12);
        Running { what: Work::Sync, doing, done, total, bytes, began: 0, at: 0 }
    }

    #[test]
    fn only_runs_that_begin_or_end_are_news() {
        let (still, one, two) = (copy(None), copy(Some(running(1, 9))), copy(Some(running(2, 9))));
        assert_ne!(seen(from_ref(&still)), seen(from_ref(&one)));
        assert_eq!(seen(from_ref(&one)), seen(&[two]));
        let ended = SyncRecord { ended: 7, ..SyncRecord::default() };
        let after = CopyReport { last_sync: Some(ended), ..still.clone() };
        assert_ne!(seen(&[still]), seen(&[after]));
        let told = told(&[one]);
        assert_eq!(told[&format!("bar-{}", "0".repeat(32))], json!([1, 9]));
        assert_eq!(told[&format!("counts-{}", "0".repeat(32))], "1 of 9 resources, 12 bytes");
    }

    #[test]
    fn what_is_no_address_of_the_web_is_no_link() {
        let card = card(&copy(Some(running(0, 0))), 0);
        assert_eq!(card.href, None);
        assert_eq!(card.now.unwrap().doing, "beginning");
        assert_eq!(joined(&[], false, 0), "nothing to do");
    }

    #[test]
    fn an_audit_with_only_stray_files_names_them() {
        let differences = Differences { stray: 2, ..Differences::default() };
        let outcome = RunOutcome::Differs;
        let audit = AuditRecord { outcome, checked: 3, differences, ..AuditRecord::default() };
        let copy = CopyReport { last_audit: Some(audit), ..copy(None) };
        let run = card(&copy, 0).audit.unwrap();
        assert_eq!((run.outcome.1, run.counts.as_str()), ("not in step", "2 stray, 3 checked"));
        let sync = SyncRecord { outcome, gaps: 1, unchanged: 3, ..SyncRecord::default() };
        assert_eq!(synced(&sync, 0).counts, "3 unchanged, 1 gap");
    }
}
