//! Several servers on one database: they share the work, and whatever becomes of one of them, each
//! change is in its feed exactly once.
//!
//! Needs PostgreSQL: `TIDINGS_POSTGRES` is the URL of a database to start from.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

#[path = "support/alike.rs"]
mod alike;
#[path = "support/crowd.rs"]
mod crowd;
#[path = "support/database.rs"]
mod database;
mod support;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crowd::Crowd;
use database::Database;
use support::farm::{Farm, FarmOptions};
use support::follower::Serving;
use support::tidings;
use tidings_store::Store;

const SITES: u32 = 2_000;
/// The changes of each site at first.
const CHANGES: u64 = 3;
/// Sites whose feeds are asked for at another server than the one that recorded them.
const SAMPLE: u32 = 40;
/// How long anything here may take.
const PATIENCE: Duration = Duration::from_secs(50);
/// How often it is looked whether it is done.
const LOOK: Duration = Duration::from_millis(50);

const CONFIG: &str = "\
[serve]
lease = \"5s\"

[follow]
every = \"1h\"
shortest = \"1s\"
";

/// Servers on one database, and what they follow.
struct Stage {
    database: Database,
    store: Store,
    runtime: tokio::runtime::Runtime,
    farm: Farm,
    crowd: Crowd,
    folder: tempfile::TempDir,
}

impl Stage {
    /// None if there is no PostgreSQL.
    fn new(sites: u32, delay: Duration) -> Option<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let Some(database) = runtime.block_on(Database::new()) else {
            println!("skipped: TIDINGS_POSTGRES names no database to start from");
            return None;
        };
        let farm =
            Farm::start(FarmOptions { changes: CHANGES, delay, ..FarmOptions::default() }).unwrap();
        let store = runtime.block_on(database.open());
        let crowd = runtime.block_on(Crowd::follow(&store, &farm, sites));
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tidings.toml"), CONFIG).unwrap();
        Some(Self { database, store, runtime, farm, crowd, folder })
    }

    fn serve(&self) -> Serving {
        let mut command = tidings();
        command.args(["serve", "--listen", "127.0.0.1:0", "--allow-private", "--json"]);
        command.args(["--database", self.database.url()]).current_dir(self.folder.path());
        Serving::start(command)
    }

    /// How many changes are recorded of all sites.
    fn recorded(&self) -> u64 {
        self.runtime.block_on(self.database.number("SELECT count(*) FROM changes"))
    }

    /// How many there are to be recorded.
    fn expected(&self) -> u64 {
        (0..self.crowd.count).map(|site| self.farm.changes(u64::from(site))).sum()
    }

    /// How many hosts are due that somebody could poll: all but those of which a server that sleeps is
    /// just about to write something.
    fn left(&self) -> u64 {
        const LEFT: &str = "SELECT count(*) FROM (SELECT 1 FROM hosts
            WHERE next_due <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            FOR UPDATE SKIP LOCKED) AS hosts";
        self.runtime.block_on(self.database.number(LEFT))
    }

    fn wait_for(&self, changes: u64) {
        wait(&format!("{changes} changes"), || self.recorded() >= changes);
    }

    /// Makes all sites due again, whoever polls them.
    fn make_due(&self) {
        self.runtime.block_on(self.crowd.make_due(&self.store));
    }

    /// Asserts that each change of each site is recorded once, and shown once by that server.
    fn assert_once(&self, server: &Serving) {
        let sites = self.runtime.block_on(self.crowd.changes(&self.store));
        assert_eq!(sites.len(), self.crowd.count as usize);
        for (number, changes) in sites {
            let told: HashSet<_> = changes.iter().map(|one| &one.change.key).collect();
            assert_eq!(told.len(), changes.len(), "site {number} has one change twice");
            let expected = self.farm.changes(u64::from(number));
            assert_eq!(changes.len() as u64, expected, "site {number}");
            let places: HashSet<_> = changes.iter().map(|one| (one.batch, one.position)).collect();
            assert_eq!(places.len(), changes.len(), "site {number} has two changes in one place");
        }
        assert_eq!(self.recorded(), self.expected());
        for number in (0..self.crowd.count).step_by((self.crowd.count / SAMPLE) as usize) {
            let feed = server.get(&format!("/feeds/{}/changes.atom", self.crowd.feed(number)));
            assert_eq!(feed.status, 200, "{}", feed.head);
            let feed = String::from_utf8(feed.body).unwrap();
            let ids: Vec<&str> =
                feed.split("<entry>").skip(1).filter_map(|entry| between(entry, "id")).collect();
            let different: HashSet<_> = ids.iter().collect();
            assert_eq!(ids.len(), different.len(), "site {number}");
            assert_eq!(ids.len() as u64, self.farm.changes(u64::from(number)), "site {number}");
        }
    }

    fn end(self) {
        drop(self.store);
        self.runtime.block_on(self.database.remove());
    }
}

/// What is in the first element of that name.
fn between<'x>(text: &'x str, name: &str) -> Option<&'x str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(inside, _)| inside)
}

fn wait(what: &str, is_done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_done() {
        assert!(begun.elapsed() < PATIENCE, "{what}: not after {PATIENCE:?}");
        std::thread::sleep(LOOK);
    }
}

fn metric(server: &Serving, name: &str) -> u64 {
    let metrics = String::from_utf8(server.get("/metrics").body).unwrap();
    let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is not among the metrics")).parse().unwrap()
}

fn polls(server: &Serving) -> u64 {
    metric(server, "tidings_polls_total{result=\"well\"}")
}

#[test]
fn one_of_three_is_killed_and_nothing_is_lost_or_doubled() {
    let Some(stage) = Stage::new(SITES, Duration::ZERO) else { return };
    let begun = Instant::now();
    let mut servers = [stage.serve(), stage.serve(), stage.serve()];
    // In the middle of it: all work, and none is done.
    wait("the first polls", || servers.iter().all(|server| polls(server) > 0));
    let recorded = stage.recorded();
    assert!(recorded < stage.expected(), "too fast to be killed in the middle");
    let [killed, others @ ..] = &mut servers;
    killed.signal("-KILL");
    killed.child.wait().unwrap();
    println!("killed after {recorded} of {} changes", stage.expected());
    stage.wait_for(stage.expected());
    println!("all recorded after {:?}", begun.elapsed());
    wait("all sites to be polled", || {
        others.iter().map(|one| metric(one, "tidings_polls_under_way")).sum::<u64>() == 0
    });
    stage.assert_once(&others[0]);

    stage.farm.add_changes_to_all(2);
    stage.make_due();
    stage.wait_for(stage.expected());
    stage.assert_once(&others[1]);
    println!("all recorded again after {:?}", begun.elapsed());
    let shares: Vec<u64> = others.iter().map(polls).collect();
    assert!(shares.iter().all(|share| *share > u64::from(SITES) / 10), "{shares:?}");
    drop(servers);
    stage.end();
}

#[test]
fn one_that_wakes_up_after_its_lease_doubles_nothing() {
    // Polls take a while, so that those which are seen to be under way still are when it falls asleep.
    let Some(stage) = Stage::new(SITES / 20, Duration::from_secs(1)) else { return };
    let sleeper = stage.serve();
    wait("the first polls", || metric(&sleeper, "tidings_polls_under_way") > 0);
    sleeper.signal("-STOP");
    let asleep = stage.recorded();
    assert!(asleep < stage.expected(), "too fast to be stopped in the middle");
    let other = stage.serve();
    // What it has in its hands is older than what the other one finds.
    stage.farm.add_changes_to_all(1);
    wait("the leases to be over", || stage.left() == 0);
    println!("asleep after {asleep} changes, awake after {}", stage.recorded());
    sleeper.signal("-CONT");
    wait("the sleeper to be done", || metric(&sleeper, "tidings_polls_under_way") == 0);
    let lost = metric(&sleeper, "tidings_polls_total{result=\"fenced\"}");
    println!("lost leases: {lost}");
    assert!(lost > 0, "it was not doing anything when it fell asleep");
    stage.wait_for(stage.expected());
    stage.assert_once(&other);
    // What it lost did not harm it: it can do all alone.
    drop(other);
    stage.farm.add_changes_to_all(1);
    stage.make_due();
    stage.wait_for(stage.expected());
    stage.assert_once(&sleeper);
    drop(sleeper);
    stage.end();
}
