//! Sites with a past, for pages to show.
//!
//! Nobody is asked for it: what polls would have found is made up and recorded as they record it, so
//! that all of it was found just now, and happened over a year.

use tidings_store::{
    CollectionOutcome, Kind, Location, Millis, NewChange, NewCollection, NewSite, Outcome,
    Settings, State, Store, Via,
};
use tokio::task::JoinSet;

use crate::Result;

/// How many sites are filled together.
const AT_ONCE: usize = 64;
const HOUR: Millis = 60 * 60 * 1000;
const DAY: Millis = 24 * HOUR;
const YEAR: Millis = 365 * DAY;
const WORKER: &str = "pages";

/// What titles and addresses are made of. The first is in all of them.
const WORDS: [&str; 24] = [
    "report", "harbour", "museum", "budget", "letter", "river", "archive", "council", "lecture",
    "survey", "orchard", "station", "record", "weather", "bridge", "garden", "journal", "census",
    "library", "festival", "railway", "minutes", "castle", "school",
];
const FAILURES: [&str; 4] = [
    "its host could not be reached: connection refused",
    "https://example.org/.well-known/resourcesync was answered with 503 Service Unavailable",
    "the Change List is no XML: line 17, column 4: a tag is not closed",
    "its host took longer than 30 seconds to answer",
];

/// How much there is.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) sites: u32,
    /// The changes of the first site, and the batches that they came in.
    pub(crate) changes: u32,
    pub(crate) batches: u32,
    /// The same of each of the others.
    pub(crate) few: u32,
    pub(crate) few_batches: u32,
}

pub(crate) async fn fill(location: Location, plan: Plan) -> Result<()> {
    let store = Store::open(&location, None).await?;
    let now = store.now().await?;
    let first = Past { number: 0, changes: plan.changes, batches: plan.batches, now };
    let mut under_way = JoinSet::new();
    under_way.spawn(recorded(store.clone(), first));
    for number in 1..plan.sites {
        let past = Past { number, changes: plan.few, batches: plan.few_batches, now };
        under_way.spawn(recorded(store.clone(), past));
        if under_way.len() >= AT_ONCE {
            under_way.join_next().await.transpose()?.transpose()?;
        }
    }
    while let Some(recorded) = under_way.join_next().await {
        recorded??;
    }
    println!("{}", first.key());
    Ok(())
}

/// What happened on one site.
#[derive(Clone, Copy)]
struct Past {
    number: u32,
    changes: u32,
    batches: u32,
    now: Millis,
}

async fn recorded(store: Store, past: Past) -> Result<(), String> {
    past.record(&store).await.map_err(|error| error.to_string())
}

impl Past {
    /// Of the site, and of its collection.
    fn key(&self) -> String {
        format!("site-{}", self.number)
    }

    fn host(&self) -> String {
        format!("www.{}-{}.example", word(u64::from(self.number) * 7 + 1), self.number)
    }

    fn url(&self) -> String {
        format!("https://{}/", self.host())
    }

    fn title(&self) -> String {
        let number = u64::from(self.number);
        format!("The {} of the {}", word(number * 5 + 2), word(number * 11 + 3))
    }

    fn collection(&self) -> NewCollection {
        NewCollection {
            key: self.key(),
            identity: format!("{}capabilitylist.xml", self.url()),
            title: Some(self.title()),
            about: Some("All that is published here".to_owned()),
            progress: "{}".to_owned(),
            ..NewCollection::default()
        }
    }

    async fn record(&self, store: &Store) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let followed = store.follow(self.site()).await?;
        let key = &followed.site.key;
        let lease = store.claim_site(WORKER, key, HOUR).await?.ok_or("a site is taken")?;
        for batch in 0..self.batches {
            let changes = self.batch(batch);
            let count = changes.len() as u64;
            let found = CollectionOutcome {
                collection: self.collection(),
                changes,
                ..CollectionOutcome::default()
            };
            let outcome = outcome(followed.site.id, None, vec![found]);
            if store.finish(&lease, outcome).await?.changes != count {
                return Err("a change is there twice".into());
            }
        }
        // One in ten fails, and one in twenty is paused, of which every second failed before.
        if self.number % 10 == 3 {
            let reason = FAILURES[self.number as usize / 10 % FAILURES.len()];
            let outcome = outcome(followed.site.id, Some(reason), Vec::new());
            store.finish(&lease, outcome).await?;
        }
        if matches!(self.number % 40, 3 | 7) {
            store.set_paused(key, true).await?;
        }
        store.release(&lease).await?;
        Ok(())
    }

    fn site(&self) -> NewSite {
        NewSite {
            key: self.key(),
            url: self.url(),
            asked: self.url(),
            host: self.host(),
            via: Via::ResourceSync,
            title: Some(self.title()),
            settings: Settings::default(),
            details: "{}".to_owned(),
            interval: HOUR,
            due: Some(self.now + DAY),
            collections: vec![self.collection()],
        }
    }

    /// The changes of a batch, the oldest batch first, with as many days between all of them.
    fn batch(&self, batch: u32) -> Vec<NewChange> {
        let [first, end] = [batch, batch + 1].map(|batch| {
            u64::from(self.changes) * u64::from(batch) / u64::from(self.batches.max(1))
        });
        (first..end).map(|change| self.change(change)).collect()
    }

    fn change(&self, change: u64) -> NewChange {
        let mixed = mix(u64::from(self.number) << 32 | change);
        let kind = match mixed % 10 {
            0..4 => Kind::Created,
            4..9 => Kind::Updated,
            _ => Kind::Deleted,
        };
        let left = u64::from(self.changes) - change;
        let time = self.now - YEAR * left as Millis / Millis::from(self.changes.max(1));
        let words = [8, 16, 24, 32].map(|shift| word(mixed >> shift));
        let mut key = [0; 16];
        key[..8].copy_from_slice(&mixed.to_be_bytes());
        key[8..].copy_from_slice(&change.to_be_bytes());
        // A part of the updates says what is different.
        let note = (kind == Kind::Updated && mixed.is_multiple_of(3)).then(|| {
            format!(
                "@@ -{at},2 +{at},2 @@\n The {} and the {}\n-were {} before\n+are {} now\n",
                words[0],
                words[1],
                words[2],
                words[3],
                at = 1 + mixed % 90
            )
        });
        NewChange {
            key,
            uri: format!("{}{}s/{}-{change}.html", self.url(), WORDS[0], words.join("-")),
            kind,
            time,
            time_text: None,
            title: (kind != Kind::Deleted).then(|| format!("{}: {}", WORDS[0], words.join(" "))),
            note,
        }
    }
}

fn outcome(site_id: i64, problem: Option<&str>, collections: Vec<CollectionOutcome>) -> Outcome {
    Outcome {
        site_id,
        state: if problem.is_some() { State::Failing } else { State::Well },
        reason: problem.map(str::to_owned),
        failures: i64::from(problem.is_some()),
        interval: HOUR,
        wait: DAY,
        title: None,
        details: None,
        collections,
        snapshot: None,
        moved: None,
        posts: None,
        requests: 2,
        took: 120,
    }
}

fn word(number: u64) -> &'static str {
    WORDS[1 + (number % (WORDS.len() as u64 - 1)) as usize]
}

/// The same number always becomes the same other one, and its neighbours become quite others.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9), (27, 0x94d0_49bb_1331_11eb)] {
        mixed = (mixed ^ (mixed >> shift)).wrapping_mul(factor);
    }
    mixed ^ (mixed >> 31)
}
