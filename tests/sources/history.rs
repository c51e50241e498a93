//! One Source from its first publication on, and a client that copies it now and then.

use std::collections::BTreeSet;
use std::fmt;
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tidings_destination::{MaxDelete, Report, Sets, SyncOptions, Via};

use super::habits::{ChangeHabit, ChangeKind, Digests, Habits};
use super::model::{Known, Told, Way};
use super::publisher::Publisher;
use super::random::Random;
use super::wider::Revision;
use super::world::{Event, World};
use crate::support::documents::{description, md5};
use crate::support::keep_apart;
use crate::support::server::{Reply, Server, Way as Sending};
use crate::support::stage::sync_here;

/// How long a server waits after each byte when it is to be slow.
const BYTE_DELAY: Duration = Duration::from_micros(300);

/// What became of the runs.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    pub syncs: u64,
    pub well: u64,
    /// The documents did not tell, and the program said so.
    pub open: u64,
    /// The Source had moved on from its documents, and the program said so.
    pub moved_on: u64,
    pub faulty: u64,
    pub killed: u64,
    pub rollbacks: u64,
    pub audits: u64,
    /// Dry runs whose counts were held against those of the run after it.
    pub forecasts: u64,
    /// A document was gone for good, and the program said so.
    pub missing: u64,
    /// Resources that came by patch, and from mirrors.
    pub patched: u64,
    pub mirrored: u64,
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        self.syncs += other.syncs;
        self.well += other.well;
        self.open += other.open;
        self.moved_on += other.moved_on;
        self.faulty += other.faulty;
        self.killed += other.killed;
        self.rollbacks += other.rollbacks;
        self.audits += other.audits;
        self.forecasts += other.forecasts;
        self.missing += other.missing;
        self.patched += other.patched;
        self.mirrored += other.mirrored;
    }

    fn count(&mut self, report: &Result<Report, String>) {
        if let Ok(report) = report {
            self.patched += report.patched;
            self.mirrored += report.mirrored;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} syncs: {} well, {} named a gap, {} met a Source ahead of its documents, {} met \
             faults, {} missed a document, {} were killed; {} Sources revised their past; {} audits, {} dry runs; {} patches, {} from mirrors",
            self.syncs,
            self.well,
            self.open,
            self.moved_on,
            self.faulty,
            self.missing,
            self.killed,
            self.rollbacks,
            self.audits,
            self.forecasts,
            self.patched,
            self.mirrored
        )
    }
}

pub struct History {
    random: Random,
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
    log: Vec<String>,
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
        Ok(self.tally)
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
            publisher.start_again();
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
            self.judge_forecast(&dry?, &report)?;
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
    fn doubt(&mut self) {
        for (known, one) in self.known.iter_mut().zip(&self.publishers) {
            known.doubt(&one.covers);
        }
    }

    /// All that a run met was gaps: it went the whole way in the sets that have none.
    fn remember_but_for_gaps(&mut self, report: &Report) {
        for (known, one) in self.known.iter_mut().zip(&self.publishers) {
            match report.gaps.iter().any(|gap| gap.set == one.set.to_string()) {
                true => known.doubt(&one.covers),
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
    fn remember(&mut self) {
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

    /// A run that meets one fault.
    fn meet_a_fault(&mut self) -> Result<(), String> {
        let paths = self.server.paths();
        let path = paths[self.random.below(paths.len() as u64) as usize].clone();
        let Some(right) = self.server.reply(&path) else { return Ok(()) };
        let half = right.body.len() / 2;
        let is_verified = path.starts_with("/r/")
            && self.publishers.iter().all(|one| {
                one.habits.digests_at(self.world.tick).is_checkable()
                    && one.habits.digests.is_checkable()
            });
        let fault = match self.random.below(6) {
            0 => Reply::new(404, "no"),
            1 => right.clone().by(Sending::Cut(half)),
            2 if is_verified => Reply::ok("other bytes"),
            2 => Reply::new(410, "gone"),
            3 => Reply::new(503, "later"),
            4 => right.clone().by(Sending::Drip(BYTE_DELAY)),
            _ => right.clone().by(Sending::Closed),
        };
        self.server.put(&path, fault);
        let way = self.way;
        let report = sync_here(&self.options(way));
        self.server.put(&path, right);
        self.tally.syncs += 1;
        self.tally.faulty += 1;
        let is_well = report.as_ref().is_ok_and(Report::is_well);
        self.log.push(format!("tick {}, fault at {path}: {}", self.world.tick, shown(&report)));
        if !is_well {
            self.doubt();
            let judged = self.judge_bytes();
            return judged.map_err(|wrong| format!("{wrong}, after a fault at {path}"));
        }
        let told: Vec<Told> = (self.known.iter().zip(&self.publishers))
            .map(|(known, one)| known.told(&one.covers, way, self.world.now()))
            .collect();
        match self.difference(&told) {
            Some(wrong) => Err(format!("silently wrong after a fault at {path}: {wrong}")),
            None => {
                self.remember();
                Ok(())
            }
        }
    }

    /// A run of the program that is killed at some moment.
    fn kill_one(&mut self) {
        // Another build must not take the program away from a long run.
        let program = std::env::var_os("TIDINGS_PROGRAM");
        let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_tidings").into());
        let mut command = Command::new(program);
        command.arg("sync").arg(self.server.url("/")).arg(self.folder.path().join("copy"));
        command.args(["--all", "--force-delete", "--no-robots", "--quiet"]);
        command.args(self.deletes.then_some("--delete"));
        command.arg("--via").arg(match self.way {
            Way::Auto => "auto",
            Way::List => "list",
            Way::Dump => "dump",
        });
        keep_apart(&mut command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(self.random.within(1, 60)));
        let _ = child.kill();
        let _ = child.wait();
        self.tally.syncs += 1;
        self.tally.killed += 1;
        self.doubt();
        self.log.push(format!("tick {}: a run was killed", self.world.tick));
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
