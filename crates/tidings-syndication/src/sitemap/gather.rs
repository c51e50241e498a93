//! Fetches the Sitemaps of a site, as far as they are other ones than before.

use std::collections::{BTreeMap, HashMap};

use tidings_document::{
    Capability, DocumentRequest, EntryTarget, FailurePolicy, Limits, Reader, SourceWalk,
    WalkLimits, WalkOrder, WalkPolicy, WalkScope,
};
use tidings_store::{Lease, Run, Store};
use tidings_web::{Fetched, Url, Validators};
use tokio::sync::mpsc;

use crate::PollError;
use crate::change_list::off_the_road;
use crate::details::{Details, Index, Known};
use crate::document_fault::DocumentFault;
use crate::fetch::{Fetch, read_options};
use crate::snapshot::{Page, RunBuilder, SortedRun};

/// The Sitemaps of one site: the poll fails if none that the site names itself is left, or its server has
/// fallen silent.
const SITEMAP_POLICY: WalkPolicy = WalkPolicy {
    limits: WalkLimits {
        max_listed: 2_000,
        max_children: 2_000,
        max_server_failures: 3,
        ..WalkLimits::DEFAULT
    },
    order: WalkOrder::BreadthFirst,
    scope: WalkScope::Parts,
    on_failure: FailurePolicy::EndWithLastStart,
};
/// How many pages one Sitemap may have: a hundred times what the protocol allows.
const MOST_PAGES: u64 = 5_000_000;
const MOST_BYTES: u64 = 2 << 30;
/// How many runs all of them may make: of each one piece is in memory while they are compared.
const MOST_RUNS: usize = 2_500;

/// All Sitemaps of a site.
pub(super) struct Gathered {
    pub(super) runs: Vec<Run>,
    /// False if it is all as it was.
    pub(super) is_new: bool,
    pub(super) indexes: BTreeMap<String, Index>,
    /// Sitemaps of which nothing is known yet.
    pub(super) unread: Vec<String>,
    /// What a person should know.
    pub(super) reason: Option<String>,
    /// True if some of the Sitemaps could not be had.
    pub(super) is_partial: bool,
    /// How many pages these had when they were read last.
    pub(super) carried: u64,
}

/// Fetches what is new. A Sitemap in an index that is missing or broken is taken to be as it was, so
/// that nothing in it counts as deleted; if all are that the site names itself, the poll has failed.
pub(super) async fn gather(
    store: &Store,
    fetch: &Fetch<'_>,
    site_id: i64,
    details: &Details,
    mut known: HashMap<String, Vec<Run>>,
    lease: &Lease,
) -> Result<Gathered, PollError> {
    // What a poll that failed put down is of no use to anybody.
    store.unstage(lease, site_id).await?;
    let mut gathered = Gathered {
        runs: Vec::new(),
        is_new: false,
        indexes: BTreeMap::new(),
        unread: Vec::new(),
        reason: None,
        is_partial: false,
        carried: 0,
    };
    let mut walk = SourceWalk::new(SITEMAP_POLICY);
    for url in details.sitemaps.iter().filter_map(|url| Url::parse(url).ok()) {
        walk.start(url, ());
    }
    let (mut missing, mut left_out, mut number) = (Vec::new(), 0_u64, 0_u64);
    while let Some(DocumentRequest { url, depth, .. }) = walk.next_request() {
        let index = details.indexes.get(url.as_str());
        let runs = known.remove(url.as_str()).unwrap_or_default();
        let validators = match (index, runs.first()) {
            (Some(index), _) => Validators::from(&index.known),
            (None, Some(run)) => {
                Validators { etag: run.etag.clone(), last_modified: run.last_modified.clone() }
            }
            (None, None) => Validators::default(),
        };
        let id = |number: u64| format!("{}-{number}", lease.generation);
        let children = match read(store, fetch, site_id, &url, validators, id(number)).await {
            Ok(None) => {
                gathered.runs.extend(runs);
                index.cloned()
            }
            Ok(Some(Contents::Pages(new))) => {
                gathered.is_new = true;
                gathered.runs.extend(new);
                None
            }
            Ok(Some(Contents::Index(index))) => {
                gathered.is_new = true;
                Some(index)
            }
            Err(error) if error.is_refusal() => return Err(error),
            Err(error) => {
                if !walk.fail(depth, error.is_of_the_host()) {
                    return Err(error);
                }
                missing.push(error.to_string());
                if runs.is_empty() && index.is_none() {
                    gathered.unread.push(url.to_string());
                }
                gathered.carried += runs.iter().map(|run| run.entries.unsigned_abs()).sum::<u64>();
                gathered.runs.extend(runs);
                index.cloned()
            }
        };
        number += 1;
        if gathered.runs.len() > MOST_RUNS {
            let most = MOST_RUNS;
            return Err(PollError::Site(format!(
                "its Sitemaps are too large: more than {most} parts"
            )));
        }
        let Some(index) = children else { continue };
        left_out += index.left_out;
        let children = index.children.iter().filter_map(|child| Url::parse(child).ok());
        walk.list(depth, children.map(|child| (child, ())));
        gathered.indexes.insert(url.into(), index);
    }
    // Sitemaps that are not named any more took their pages with them.
    gathered.is_new |= !known.is_empty();
    left_out += walk.left_out() as u64;
    gathered.is_partial = !missing.is_empty();
    gathered.reason = match (missing.first(), left_out) {
        (None, 0) => None,
        (Some(first), _) => Some(format!(
            "{} of its {} Sitemaps could not be had, the first because {first}",
            missing.len(),
            walk.listed()
        )),
        (None, more) => {
            let limit = SITEMAP_POLICY.limits.max_listed;
            Some(format!("{more} of its Sitemaps are not read: {limit} are enough"))
        }
    };
    Ok(gathered)
}

/// What a Sitemap has.
enum Contents {
    Pages(Vec<Run>),
    Index(Index),
}

/// Reads one Sitemap, and puts its pages down as runs; none if it is as it was.
async fn read(
    store: &Store,
    fetch: &Fetch<'_>,
    site_id: i64,
    url: &Url,
    validators: Validators,
    id: String,
) -> Result<Option<Contents>, PollError> {
    let fetched = fetch.get(url, validators).await?;
    if fetched.is_unchanged() {
        return Ok(None);
    }
    let known = Known::of(&fetched);
    let (sender, mut receiver) = mpsc::channel(1);
    let reading = off_the_road(move || sort(fetched, &sender));
    let mut runs = Vec::new();
    let staging = async {
        while let Some(SortedRun { entries, pieces }) = receiver.recv().await {
            let run = Run {
                id: format!("{id}-{}", runs.len()),
                document: url.to_string(),
                etag: known.etag.clone(),
                last_modified: known.last_modified.clone(),
                entries,
                pieces: i64::try_from(pieces.len()).unwrap_or(i64::MAX),
            };
            for (number, piece) in (0..).zip(pieces) {
                store.stage(site_id, &run.id, number, piece).await?;
            }
            runs.push(run);
        }
        Ok::<_, PollError>(())
    };
    // On an error of the one the other ends by itself: the channel is closed.
    let (children, staged) = tokio::join!(reading, staging);
    staged?;
    let children = children.map_err(|fault| fault.at(url))?;
    Ok(Some(match children {
        Some((children, left_out)) => Contents::Index(Index { known, children, left_out }),
        None => Contents::Pages(runs),
    }))
}

/// Sorts the pages of a Sitemap into runs; of an index, answers with what it lists.
fn sort(
    fetched: Fetched,
    runs: &mpsc::Sender<SortedRun>,
) -> Result<Option<(Vec<String>, u64)>, DocumentFault> {
    let mut options = read_options(&fetched);
    options.limits = Limits { entries: MOST_PAGES, bytes: MOST_BYTES, ..options.limits };
    let base = fetched.url;
    let mut reader = Reader::with_options(fetched.body.into_reader(), options);
    let head = reader.head()?.clone();
    if !matches!(head.capability(), None | Some(Capability::ResourceList)) {
        return Err(DocumentFault::Kind { found: head.title(), expected: "Sitemap" });
    }
    let is_index = matches!(EntryTarget::from_capability(&head, None), EntryTarget::Part(_));
    let (mut children, mut left_out) = (Vec::new(), 0);
    let mut builder = RunBuilder::default();
    while let Some(entry) = reader.next_entry()? {
        let uri = match Url::parse(&entry.loc) {
            Ok(_) => entry.loc.clone().into_owned(),
            Err(_) => match base.join(entry.loc.trim()) {
                Ok(url) => url.into(),
                Err(_) => continue,
            },
        };
        if is_index {
            if children.len() < SITEMAP_POLICY.limits.max_children {
                children.push(uri);
            } else {
                left_out += 1;
            }
            continue;
        }
        let stamp = entry.lastmod.map(|time| time.to_string());
        let digest = || Some(entry.metadata.hash.as_ref()?.tokens().next()?.to_owned());
        let stamp = stamp.or_else(digest).unwrap_or_default();
        // Nobody listens any more: what is put down failed, and says so itself.
        if builder.push(Page { uri, stamp }) && runs.blocking_send(builder.finish()).is_err() {
            return Ok(None);
        }
    }
    if is_index {
        return Ok(Some((children, left_out)));
    }
    // A document without pages has a run, too: by it the document is known again.
    let _ = runs.blocking_send(builder.finish());
    Ok(None)
}
