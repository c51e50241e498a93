//! One Source from its first publication on, and a client that copies it now and then.

use std::collections::BTreeSet;

use tempfile::TempDir;
use tidings_destination::{MaxDelete, Report, Sets, SyncOptions, Via};

use super::habits::{ChangeHabit, ChangeKind, Digests, Habits};
use super::model::{Known, Told, Way};
use super::publisher::Publisher;
use super::random::Random;
use super::tally::Tally;
use super::wider::Revision;
use super::world::{Event, World};
use crate::support::documents::{description, md5};
use crate::support::server::{Reply, Server};
use crate::support::stage::sync_here;

pub struct History {
    pub(super) random: Random,
    /// Draws what was added later: what was there before is drawn as it was.
    more: Random,
    pub(super) world: World,
    pub(super) publishers: Vec<Publisher>,
    pub(super) server: Server,
    pub(super) folder: TempDir,
    pub(super) known: Vec<Known>,
    /// The numbers of all versions that the server had while the client came.
    pub(super) served: BTreeSet<u64>,
    resource_validators: Validators,
    /// False if the client keeps what the Source has no more.
    pub(super) deletes: bool,
    /// The tick from which on a document is gone for good, and which one, as soon as that is drawn.
    loss: Option<(u64, Option<String>)>,
    /// The way of copying of all runs: a copy made by lists alone may know less than one with packages.
    pub(super) way: Way,
    /// What the Source does to its past, before which tick.
    revision: Option<(u64, Revision)>,
    /// Draws what was added last.
    wider: Random,
    pub(super) tally: Tally,
    /// The first dry run that did not count what the run after it did.
    miscount: Option<String>,
    pub(super) log: Vec<String>,
}

/// What the server says of a resource besides its bytes.
#[derive(Debug, Clone, Copy)]
enum Validators {
    None,
    ETag,
    Modified,
}

impl History {
    pub fn draw(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut more = Random::new(seed ^ 0x6D6F_7265);
        let sets = random.pick(&[1, 1, 1, 2, 2, 3]);
        let rollback = (sets == 1 && random.chance(25)).then(|| {
            let tick = random.within(2, 5);
            (tick, random.below(tick - 1))
        });
        let mut wider = Random::new(seed ^ 0x7769_6465);
        let revision = match rollback {
            Some((tick, to)) => Some((tick, Revision::Restore(to))),
            None => draw_revision(sets, &mut wider),
        };
        let mut publishers = Vec::new();
        // What a digest has verified is not given up for one that cannot be: all sets give such, or none.
        let is_uncheckable = rollback.is_none() && more.chance(8);
        for set in 0..sets {
            let mut habits = Habits::draw(&mut random, &mut more);
            if is_uncheckable {
                (habits.digests, habits.new_digests) = (Digests::Unknown, None);
            }
            if rollback.is_some() {
                habits.tell_of_rollbacks(&mut random);
            }
            if habits.list.is_none() && habits.dump.is_none() {
                // Changes alone are the whole state only from the beginning on.
                let kind = ChangeKind::Open;
                habits.changes =
                    Some(ChangeHabit { kind, keeps: 1_000, has_archive: false, index: None });
            }
            habits.widen(&mut wider, revision.is_some());
            if let Some((_, revision)) = revision.filter(|_| rollback.is_none()) {
                habits.tell_of_revision(revision, &mut wider);
            }
            publishers.push(Publisher::new(set, habits));
        }
        let resource_validators = match random.chance(60) {
            true => Validators::ETag,
            false => more.pick(&[Validators::None, Validators::Modified]),
        };
        let way = draw_way(&mut random, &publishers);
        let deletes = more.chance(85);
        let loss = (rollback.is_none() && more.chance(12)).then(|| (more.within(0, 5), None));
        Self {
            random,
            world: World::new(sets),
            server: Server::start(),
            folder: tempfile::tempdir().unwrap(),
            known: vec![Known::default(); sets],
            publishers,
            served: BTreeSet::new(),
            resource_validators,
            deletes,
            loss: loss.filter(|_| revision.is_none()),
            more,
            way,
            revision,
            wider,
            tally: Tally::default(),
            miscount: None,
            log: Vec::new(),
        }
    }

    pub fn run(mut self) -> Result<Tally, String> {
        let ticks = self.random.within(3, 9);
        for tick in 0..ticks {
            self.world.tick = tick;
            if let Some((_, revision)) = self.revision.filter(|(at, _)| *at == tick) {
                self.revise(revision);
            }
            self.world.change(&mut self.random);
            self.publish();
            if self.random.chance(55) || tick + 1 == ticks {
                self.visit().map_err(|wrong| self.explain(&wrong))?;
            }
        }
        self.miscount.map_or(Ok(self.tally), Err)
    }

    /// The Source revises its past: what the client knew of its documents counts no more.
    fn revise(&mut self, revision: Revision) {
        let words = match revision {
            Revision::Restore(to) => {
                self.world.roll_back(to);
                format!("the Source is as it was at tick {to}")
            }
            Revision::Purge => {
                let from = self.publishers[0].changes_from();
                let Some(purged) = self.world.purge(from, &mut self.wider) else { return };
                format!("r/{purged} never was")
            }
        };
        for publisher in &mut self.publishers {
            match revision {
                Revision::Restore(to) => publisher.restore(to, &self.server),
                Revision::Purge => publisher.start_again(),
            }
        }
        for known in &mut self.known {
            known.contradict();
        }
        self.tally.rollbacks += 1;
        self.log.push(format!("tick {}: {words}", self.world.tick));
    }

    fn explain(&self, wrong: &str) -> String {
        let habits: Vec<String> =
            self.publishers.iter().map(|publisher| format!("{:?}", publisher.habits)).collect();
        let events: Vec<String> = (self.world.events.iter().enumerate())
            .map(|(set, events)| format!("set {set}: {}", events_text(events)))
            .collect();
        let (log, habits) = (self.log.join("\n  "), habits.join("\n  "));
        format!("{wrong}\n  {log}\n  {habits}\n  {}", events.join("\n  "))
    }

    fn publish(&mut self) {
        for resource in 0..12 {
            let path = format!("/r/{resource}");
            match self.world.live.get(&resource) {
                Some(version) => {
                    let etag = md5(version.content.as_bytes());
                    let reply = Reply::ok(version.content.clone());
                    let reply = match self.resource_validators {
                        Validators::None => reply,
                        Validators::ETag => reply.etag(&etag),
                        Validators::Modified => {
                            reply.with("Last-Modified", http_date(version.changed))
                        }
                    };
                    self.server.put(&path, reply);
                }
                None => self.server.remove(&path),
            }
        }
        self.server.put("/mirror", Reply::ok("not what was asked for"));
        for publisher in &mut self.publishers {
            publisher.publish(&self.world, &self.server);
        }
        let lists: Vec<String> = self
            .publishers
            .iter()
            .map(|publisher| self.server.url(&publisher.capability_list()))
            .collect();
        self.server.put("/.well-known/resourcesync", Reply::ok(description(&lists)));
        self.lose();
        let covers: Vec<_> = self.publishers.iter().map(|one| one.covers.clone()).collect();
        self.log.push(format!("tick {}: {covers:?}", self.world.tick));
    }

    /// Takes the document away that is gone for good.
    fn lose(&mut self) {
        let Some((tick, path)) = &mut self.loss else { return };
        if path.is_none() && *tick <= self.world.tick {
            let is_document = |path: &String| {
                !path.starts_with("/r/")
                    && !path.starts_with("/mirror")
                    && !path.starts_with("/patch")
                    && !path.starts_with("/.well-known")
            };
            let paths: Vec<String> = self.server.paths().into_iter().filter(is_document).collect();
            *path = Some(paths[self.more.below(paths.len() as u64) as usize].clone());
        }
        if let Some(path) = path {
            self.server.remove(path);
        }
    }

    /// The document that is gone for good.
    pub(super) fn lost(&self) -> Option<&str> {
        self.loss.as_ref().and_then(|(_, path)| path.as_deref())
    }

    /// The client comes: perhaps with faults on the way, perhaps to be killed, and then undisturbed.
    fn visit(&mut self) -> Result<(), String> {
        self.served.extend(self.world.live.values().map(|version| version.number));
        if self.random.chance(10) {
            self.kill_one();
        }
        if self.random.chance(25) {
            self.meet_a_fault()?;
        }
        let way = self.way;
        let dry = self.more.chance(35).then(|| self.dry_run());
        let report = sync_here(&self.options(way));
        self.tally.syncs += 1;
        self.tally.count(&report);
        if let Some(dry) = dry {
            // A wrong count spoils nothing that comes after it.
            if let Err(wrong) = self.judge_forecast(&dry?, &report) {
                let told = self.explain(&wrong);
                self.miscount.get_or_insert(told);
            }
        }
        let is_well = report.as_ref().is_ok_and(Report::is_well);
        self.log.push(format!("tick {}, {way:?}: {}", self.world.tick, shown(&report)));
        let told: Vec<Told> = (self.known.iter().zip(&self.publishers))
            .map(|(known, one)| known.told(&one.covers, way, self.world.now()))
            .collect();
        self.judge(&told, is_well, &report)?;
        self.judge_audit(&told, is_well)?;
        match (is_well, &report) {
            (true, _) => self.remember(),
            (false, Ok(report)) if report.failures.is_empty() => self.remember_but_for_gaps(report),
            (false, _) => self.doubt(),
        }
        Ok(())
    }

    /// A run did not end well: it may have applied any part of what the documents tell.
    pub(super) fn doubt(&mut self) {
        for (known, one) in self.known.iter_mut().zip(&self.publishers) {
            known.doubt(one.documents(), self.way, &one.habits, (&self.world, one.set));
        }
    }

    /// All that a run met was gaps: it went the whole way in the sets that have none.
    fn remember_but_for_gaps(&mut self, report: &Report) {
        for (known, one) in self.known.iter_mut().zip(&self.publishers) {
            match report.gaps.iter().any(|gap| gap.set == one.set.to_string()) {
                true => known.doubt(one.documents(), self.way, &one.habits, (&self.world, one.set)),
                false => {
                    *known = known.after(&one.covers, self.way, &one.habits, &self.world, one.set);
                }
            }
        }
    }

    /// True if the copy may lie between two states, and nothing tells of the rest of the way.
    fn is_in_between(&self) -> bool {
        let mut sets = self.known.iter().zip(&self.publishers);
        sets.any(|(known, one)| known.is_in_between(&one.covers, self.way))
    }

    /// The client knows more after a run that ended well.
    pub(super) fn remember(&mut self) {
        for (known, one) in self.known.iter_mut().zip(&self.publishers) {
            *known = known.after(&one.covers, self.way, &one.habits, &self.world, one.set);
        }
    }

    pub(super) fn options(&self, way: Way) -> SyncOptions {
        let source = url::Url::parse(&self.server.url("/")).unwrap();
        let mut options = SyncOptions::new(source, self.folder.path().join("copy"));
        options.sets = Sets::All;
        options.via = match way {
            Way::Auto => Via::Auto,
            Way::List => Via::List,
            Way::Dump => Via::Dump,
        };
        options.delete = self.deletes;
        options.max_delete = MaxDelete::Any;
        options.robots = false;
        options
    }
}

/// What happened in a set: when, to which resource, and which version that made.
fn events_text(events: &[Event]) -> String {
    let one = |event: &Event| {
        let version = event.version.as_ref().map_or("-".to_owned(), |one| one.number.to_string());
        format!("{} r/{} {} {version}", event.time, event.resource, event.kind)
    };
    events.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn draw_revision(sets: usize, wider: &mut Random) -> Option<(u64, Revision)> {
    let is_revised = wider.chance(15) && sets == 1;
    let tick = wider.within(2, 5);
    let (to, is_purge) = (wider.below(tick - 1), wider.chance(40));
    let revision = if is_purge { Revision::Purge } else { Revision::Restore(to) };
    is_revised.then_some((tick, revision))
}

fn draw_way(random: &mut Random, publishers: &[Publisher]) -> Way {
    let all = |has: fn(&Habits) -> bool| publishers.iter().all(|one| has(&one.habits));
    let (lists, dumps) = (all(|one| one.list.is_some()), all(|one| one.dump.is_some()));
    match random.below(6) {
        0 if lists => Way::List,
        1 if dumps => Way::Dump,
        _ => Way::Auto,
    }
}

/// A time as HTTP gives it.
fn http_date(seconds: i64) -> String {
    let time = jiff::Timestamp::from_second(seconds).unwrap();
    time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

pub(super) fn shown(report: &Result<Report, String>) -> String {
    match report {
        Ok(report) => format!(
            "{} {:?} gaps {:?} failures {:?} notes {:?}",
            if report.is_well() { "well" } else { "not well" },
            report.ways,
            report.gaps,
            report.failures,
            report.notes,
        ),
        Err(error) => format!("error: {error}"),
    }
}
