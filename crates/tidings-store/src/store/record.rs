//! Recording the changes of a collection as a batch.

use std::collections::{BTreeMap, HashSet};

use sha2::{Digest as _, Sha256};

use super::collections::Known;
use super::{activity, changes, collections, short};
use crate::engine::{Session, params};
use crate::error::Result;
use crate::{CollectionOutcome, Finished, Kind, Millis, NewChange};

/// A poll that is being recorded.
#[derive(Debug)]
pub(super) struct Poll {
    pub(super) site_id: i64,
    pub(super) now: Millis,
    /// How many batches the site has.
    pub(super) batches: i64,
    pub(super) finished: Finished,
}

/// Records what was found out about one collection. Only who has the lock of the host does so, so
/// that nobody else adds to the collection in the meantime.
pub(super) async fn collection(
    session: &mut Session<'_>,
    poll: &mut Poll,
    outcome: &CollectionOutcome,
) -> Result<()> {
    let known = collections::find(session, poll.site_id, &outcome.collection.identity).await?;
    let known = match known {
        Some(known) => known,
        None => collections::insert(session, poll.site_id, &outcome.collection).await?,
    };
    changes::insert_told(session, known.id, &outcome.told).await?;
    let batch = if known.is_muted { None } else { batch(session, poll, &known, outcome).await? };
    update(session, &known, outcome, batch.as_ref()).await
}

/// Records what is new as a batch; none if nothing is.
async fn batch(
    session: &mut Session<'_>,
    poll: &mut Poll,
    known: &Known,
    outcome: &CollectionOutcome,
) -> Result<Option<Batch>> {
    let new = unknown(session, known, &outcome.changes).await?;
    let Some(batch) = Batch::of(&new, outcome, known.batches + 1, poll.now) else {
        return Ok(None);
    };
    poll.batches += 1;
    batch.insert(session, poll, known.id).await?;
    changes::insert(session, known.id, batch.sequence, &new).await?;
    activity::add(session, poll.site_id, known.id, &batch.days).await?;
    poll.finished.batches += 1;
    poll.finished.changes += u64::try_from(batch.changes()).unwrap_or(0);
    if !poll.finished.changed.contains(&known.key) {
        poll.finished.changed.push(known.key.clone());
    }
    Ok(Some(batch))
}

/// Those changes that are not recorded yet, each once. What happened before all that is remembered was told
/// already, and is forgotten.
async fn unknown<'a>(
    session: &mut Session<'_>,
    collection: &Known,
    given: &'a [NewChange],
) -> Result<Vec<&'a NewChange>> {
    let keys: Vec<_> = given.iter().map(|change| change.key).collect();
    let known = changes::known(session, collection.id, &keys).await?;
    let mut seen: HashSet<_> = known.into_iter().collect();
    let is_remembered =
        |change: &&NewChange| collection.forgotten_until.is_none_or(|until| change.time > until);
    let unknown = given.iter().filter(is_remembered).filter(|change| seen.insert(change.key));
    Ok(unknown.collect())
}

struct Batch {
    sequence: i64,
    key: String,
    /// Created, updated, deleted.
    counts: [i64; 3],
    recorded: i64,
    oldest: Millis,
    newest: Millis,
    /// The same counts by day.
    days: BTreeMap<i64, [i64; 3]>,
}

impl Batch {
    /// The batch that changes become; none if there is nothing new.
    ///
    /// Changes of which only the number is kept cannot be told from the same ones once more. They
    /// are counted unless all that came with them is recorded already: then they are, too.
    fn of(
        new: &[&NewChange],
        outcome: &CollectionOutcome,
        sequence: i64,
        now: Millis,
    ) -> Option<Self> {
        let has_more = outcome.more != [0; 3];
        if new.is_empty() && (!has_more || !outcome.changes.is_empty()) {
            return None;
        }
        let of_kind = |kind| new.iter().filter(|change| change.kind == kind).count() as i64;
        let [created, updated, deleted] = outcome.more;
        let times = || new.iter().map(|change| change.time);
        let newest = times().max().unwrap_or(now);
        Some(Self {
            sequence,
            key: key(new, outcome.more, sequence),
            counts: [
                created + of_kind(Kind::Created),
                updated + of_kind(Kind::Updated),
                deleted + of_kind(Kind::Deleted),
            ],
            recorded: new.len() as i64,
            oldest: times().min().unwrap_or(now),
            newest,
            days: activity::days(new, outcome.more, newest, now),
        })
    }

    fn changes(&self) -> i64 {
        self.counts.iter().sum()
    }

    async fn insert(
        &self,
        session: &mut Session<'_>,
        poll: &Poll,
        collection_id: i64,
    ) -> Result<()> {
        const INSERT: &str = "INSERT INTO batches (collection_id, sequence, site_id, \
            site_sequence, key, created, updated, deleted, recorded, oldest, newest, seen_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
        let [created, updated, deleted] = self.counts;
        let params = params![
            collection_id,
            self.sequence,
            poll.site_id,
            poll.batches,
            &self.key,
            created,
            updated,
            deleted,
            self.recorded,
            self.oldest,
            self.newest,
            poll.now,
        ];
        session.execute(INSERT, &params).await.map(drop)
    }
}

/// What a batch is known by: its changes, in whatever order they came. One that has none is known by
/// its number, so that it is not taken for another one as large.
fn key(new: &[&NewChange], more: [i64; 3], sequence: i64) -> String {
    let mut keys: Vec<_> = new.iter().map(|change| change.key).collect();
    keys.sort_unstable();
    let mut hasher = Sha256::new();
    for key in &keys {
        hasher.update(key);
    }
    if more != [0; 3] {
        for number in more {
            hasher.update(number.to_be_bytes());
        }
    }
    if keys.is_empty() {
        hasher.update(sequence.to_be_bytes());
    }
    let digest = short(hasher.finalize().into());
    tidings_base::to_hex(&digest)
}

async fn update(
    session: &mut Session<'_>,
    known: &Known,
    outcome: &CollectionOutcome,
    batch: Option<&Batch>,
) -> Result<()> {
    // What was not found out this time stays as it was.
    const UPDATE: &str = "UPDATE collections SET title = COALESCE($2, title), \
        author = COALESCE($3, author), language = COALESCE($4, language), \
        about = COALESCE($5, about), progress = COALESCE($6, progress), reason = $7, \
        is_gone = $8, ignored = COALESCE($9, ignored), changes = changes + $10, \
        batches = batches + $11, \
        changed_at = CASE WHEN changed_at > $12 THEN changed_at ELSE COALESCE($12, changed_at) END
        WHERE id = $1";
    let new = &outcome.collection;
    // What is passed over now is told when the collection is followed again, if its site still has it.
    let progress = Some(&new.progress).filter(|text| !text.is_empty() && !known.is_muted);
    let params = params![
        known.id,
        new.title.as_ref(),
        new.author.as_ref(),
        new.language.as_ref(),
        new.about.as_ref(),
        progress,
        outcome.reason.as_ref(),
        outcome.is_gone,
        outcome.ignored,
        batch.map_or(0, Batch::changes),
        i64::from(batch.is_some()),
        batch.map(|batch| batch.newest),
    ];
    session.execute(UPDATE, &params).await.map(drop)
}
