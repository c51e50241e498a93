//! Reads the Change Lists of a collection, from where they were last processed.

use std::collections::BTreeMap;

use tidings_document::{
    Capability, DocumentRequest, FailurePolicy, Form, Reader, SourceWalk, WalkLimits, WalkOrder,
    WalkPolicy, WalkScope,
};
use tidings_store::Millis;
use tidings_web::{Fetched, Url, Validators};

use crate::PollError;
use crate::collector::{Collector, instant};
use crate::details::{Known, Progress};
use crate::document_fault::DocumentFault;
use crate::fetch::{Fetch, read_options};

/// The Change Lists of one collection that one poll reads: all of them, or none counts.
pub(crate) const CHANGE_LIST_POLICY: WalkPolicy = WalkPolicy {
    limits: WalkLimits { max_levels: 2, max_listed: 2_000, ..WalkLimits::DEFAULT },
    order: WalkOrder::BreadthFirst,
    scope: WalkScope::Parts,
    on_failure: FailurePolicy::End,
};

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
    let mut walk = SourceWalk::new(CHANGE_LIST_POLICY);
    walk.start(change_list.clone(), ());
    let mut is_new = false;
    while let Some(DocumentRequest { url, depth, .. }) = walk.next_request() {
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
            let members = read_one(fetched, &mut collector, depth, cursor);
            (collector, members)
        };
        let members;
        (collector, members) = off_the_road(work).await;
        let members = members.map_err(|fault| fault.at(&url))?;
        match members {
            // An index is asked for again at each poll: its members may have changed while it has not.
            Some(members) => {
                if walk.list(depth, members.into_iter().map(|member| (member, ()))) > 0 {
                    let limit = CHANGE_LIST_POLICY.limits.max_listed;
                    return Err(DocumentFault::TooMany { limit }.at(change_list));
                }
            }
            None => {
                known.ignored = collector.ignored - ignored;
                documents.insert(url.to_string(), known);
            }
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

/// Takes the changes out of a list, or out of an index the lists that have to be read.
pub(crate) fn read_one(
    fetched: Fetched,
    collector: &mut Collector,
    depth: usize,
    cursor: Option<Millis>,
) -> Result<Option<Vec<Url>>, DocumentFault> {
    let options = read_options(&fetched);
    let base = fetched.url;
    let mut reader = Reader::with_options(fetched.body.into_reader(), options);
    let head = reader.head()?.clone();
    if head.capability() != Some(Capability::ChangeList) {
        return Err(DocumentFault::Kind { found: head.title(), expected: "Change List" });
    }
    if head.form == Form::List {
        while let Some(entry) = reader.next_entry()? {
            collector.take(&entry, &base);
        }
        return Ok(None);
    }
    if !CHANGE_LIST_POLICY.allows_below(depth) {
        return Err(DocumentFault::TooDeep);
    }
    let cursor = cursor.map(instant);
    let mut members = Vec::new();
    while let Some(entry) = reader.next_entry()? {
        let is_over = matches!((entry.metadata.until, cursor),
            (Some(until), Some(cursor)) if until.is_before(cursor));
        match base.join(entry.loc.trim()) {
            Ok(_) if is_over => {}
            Ok(url) => members.push(url),
            Err(error) => {
                return Err(DocumentFault::Url { text: entry.loc.into_owned(), error });
            }
        }
    }
    Ok(Some(members))
}
