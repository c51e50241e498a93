//! Reads the Change Lists of a collection, from where they were last processed.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io;

use tidings_document::{Capability, Form, ReadError, Reader};
use tidings_store::Millis;
use tidings_web::{Fetched, Url, Validators};

use crate::PollError;
use crate::collector::{Collector, instant};
use crate::details::{Known, Progress};
use crate::fetch::{Fetch, read_options};

/// How many Change Lists of one collection are read in one poll.
const MOST_LISTS: usize = 2_000;
/// How deep indexes may be nested; the standard has one level.
const MOST_LEVELS: usize = 2;

/// What came of reading the Change Lists of a collection.
pub(crate) struct Lists {
    pub(crate) collector: Collector,
    /// What to remember instead of what was handed in.
    pub(crate) progress: Progress,
    /// False if all that was fetched is as it was.
    pub(crate) is_new: bool,
}

/// Reads what is new. All lists have to be read to their ends, or none counts: the next poll would
/// begin after what was missed.
pub(crate) async fn read(
    fetch: &Fetch<'_>,
    progress: &Progress,
    change_list: &Url,
    strict: bool,
    room: usize,
    now: Millis,
) -> Result<Lists, PollError> {
    let is_first = progress.cursor.is_none() && progress.documents.is_empty();
    let mut collector =
        Collector::new(progress.cursor, now, strict, is_first, progress.floor, room);
    let mut documents = BTreeMap::new();
    let mut queue = VecDeque::from([(change_list.clone(), 0)]);
    let mut met = HashSet::from([change_list.clone()]);
    let mut is_new = false;
    while let Some((url, level)) = queue.pop_front() {
        let known = progress.documents.get(url.as_str());
        let validators = known.map(Validators::from).unwrap_or_default();
        let fetched = fetch.get(&url, validators).await?;
        if fetched.is_unchanged() {
            if let Some(known) = known {
                collector.ignored += known.ignored;
                documents.insert(url.to_string(), known.clone());
            }
            continue;
        }
        is_new = true;
        let mut known = Known::of(&fetched);
        let ignored = collector.ignored;
        let cursor = progress.cursor;
        let work = move || {
            let members = read_one(fetched, &mut collector, level, cursor);
            (collector, members)
        };
        let members;
        (collector, members) = off_the_road(work).await;
        let members = members.map_err(|reason| PollError::Document { url: url.clone(), reason })?;
        match members {
            // An index is asked for again at each poll: its members may have changed while it has not.
            Some(members) => {
                for member in members {
                    if met.insert(member.clone()) {
                        queue.push_back((member, level + 1));
                    }
                }
            }
            None => {
                known.ignored = collector.ignored - ignored;
                documents.insert(url.to_string(), known);
            }
        }
        if met.len() > MOST_LISTS {
            let reason =
                format!("leads to more than {MOST_LISTS} Change Lists that were not read yet");
            return Err(PollError::Document { url: change_list.clone(), reason });
        }
    }
    let progress = Progress { cursor: collector.cursor(), documents, ..progress.clone() };
    Ok(Lists { collector, progress, is_new })
}

/// Reading takes time that others on this thread may need.
pub(crate) async fn off_the_road<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// Takes the changes out of a list, or out of an index the lists that have to be read. The error ends a sentence that begins
/// with the URL.
pub(crate) fn read_one(
    fetched: Fetched,
    collector: &mut Collector,
    level: usize,
    cursor: Option<Millis>,
) -> Result<Option<Vec<Url>>, String> {
    let options = read_options(&fetched);
    let base = fetched.url;
    let mut reader = Reader::with_options(fetched.body.into_reader(), options);
    let head = reader.head().map_err(told)?;
    match head.capability() {
        Some(Capability::ChangeList) => {}
        _ => return Err(format!("is a {}, not a Change List", head.title())),
    }
    if head.form == Form::List {
        while let Some(entry) = reader.next_entry().map_err(told)? {
            collector.take(&entry, &base);
        }
        return Ok(None);
    }
    if level >= MOST_LEVELS {
        return Err("is an index in an index in an index".to_owned());
    }
    let cursor = cursor.map(instant);
    let mut members = Vec::new();
    while let Some(entry) = reader.next_entry().map_err(told)? {
        let is_over = matches!((entry.metadata.until, cursor),
            (Some(until), Some(cursor)) if until.is_before(cursor));
        match base.join(entry.loc.trim()) {
            Ok(_) if is_over => {}
            Ok(url) => members.push(url),
            Err(error) => return Err(format!("names {:?}, which is no URL: {error}", entry.loc)),
        }
    }
    Ok(Some(members))
}

/// Why a document cannot be read, as the rest of a sentence, without what could do harm on a screen.
pub(crate) fn told(error: ReadError) -> String {
    match error {
        ReadError::Document(finding) => {
            let detail = finding.detail.replace(char::is_control, "\u{FFFD}");
            format!("cannot be read, line {}: {detail}", finding.place.line)
        }
        ReadError::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
            format!("cannot be read: {error}")
        }
        error => format!("cannot be read: {error}"),
    }
}
