//! One Source from its first publication on, and a client that copies it now and then.

use std::collections::BTreeMap;
use std::fmt;
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tidings_destination::{AuditOptions, MaxDelete, Report, Sets, SyncOptions, Via, audit};

use super::habits::{ChangeHabit, ChangeKind, Digests, Habits};
use super::model::{Known, Told, Way};
use super::publisher::Publisher;
use super::random::Random;
use super::world::{Event, State, World};
use crate::support::documents::{description, md5};
use crate::support::keep_apart;
use crate::support::server::{Reply, Server, Way as Sending};
use crate::support::stage::{files_of, sync_here};

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
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} syncs: {} well, {} named a gap, {} met a Source ahead of its documents, {} met \
             faults, {} were killed; {} Sources were rolled back; {} audits",
            self.syncs,
            self.well,
            self.open,
            self.moved_on,
            self.faulty,
            self.killed,
            self.rollbacks,
            self.audits
        )
    }
}

pub struct History {
    random: Random,
    world: World,
    publishers: Vec<Publisher>,
    server: Server,
    folder: TempDir,
    known: Vec<Known>,
    resource_etags: bool,
    /// The way of copying of all runs: a copy made by lists alone may know less than one with packages.
    way: Way,
    /// The tick before which the Source is restored from a backup of an earlier one.
    rollback: Option<(u64, u64)>,
    tally: Tally,
    log: Vec<String>,
}

impl History {
    pub fn draw(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let sets = random.pick(&[1, 1, 1, 2, 2, 3]);
        let rollback = (sets == 1 && random.chance(25)).then(|| {
            let tick = random.within(2, 5);
            (tick, random.below(tick - 1))
        });
        let mut publishers = Vec::new();
        for set in 0..sets {
            let mut habits = Habits::draw(&mut random);
            if rollback.is_some() {
                habits.tell_of_rollbacks(&mut random);
            }
            if habits.list.is_none() && habits.dump.is_none() {
                // Changes alone are the whole state only from the beginning on.
                let kind = ChangeKind::Open;
                habits.changes =
                    Some(ChangeHabit { kind, keeps: 1_000, has_archive: false, index: None });
            }
            publishers.push(Publisher::new(set, habits));
        }
        let resource_etags = random.chance(60);
        let way = draw_way(&mut random, &publishers);
        Self {
            random,
            world: World::new(sets),
            server: Server::start(),
            folder: tempfile::tempdir().unwrap(),
            known: vec![Known::default(); sets],
            publishers,
            resource_etags,
            way,
            rollback,
            tally: Tally::default(),
            log: Vec::new(),
        }
    }

    pub fn run(mut self) -> Result<Tally, String> {
        let ticks = self.random.within(3, 9);
        for tick in 0..ticks {
            self.world.tick = tick;
            if let Some((at, to)) = self.rollback
                && at == tick
            {
                self.roll_back(to);
            }
            self.world.change(&mut self.random);
            self.publish();
            if self.random.chance(55) || tick + 1 == ticks {
                self.visit().map_err(|wrong| self.explain(&wrong))?;
            }
        }
        Ok(self.tally)
    }

    /// The Source is restored from a backup: what the client knew of its documents counts no more.
    fn roll_back(&mut self, to: u64) {
        self.world.roll_back(to);
        for publisher in &mut self.publishers {
            publisher.start_again();
        }
        for known in &mut self.known {
            known.contradict();
        }
        self.tally.rollbacks += 1;
        self.log.push(format!("tick {}: the Source is as it was at tick {to}", self.world.tick));
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
                    let reply = if self.resource_etags { reply.etag(&etag) } else { reply };
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
        let covers: Vec<_> = self.publishers.iter().map(|one| one.covers.clone()).collect();
        self.log.push(format!("tick {}: {covers:?}", self.world.tick));
    }

    /// The client comes: perhaps with faults on the way, perhaps to be killed, and then undisturbed.
    fn visit(&mut self) -> Result<(), String> {
        if self.random.chance(10) {
            self.kill_one();
        }
        if self.random.chance(25) {
            self.meet_a_fault()?;
        }
        let way = self.way;
        let report = sync_here(&self.options(way));
        self.tally.syncs += 1;
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

    fn options(&self, way: Way) -> SyncOptions {
        let source = url::Url::parse(&self.server.url("/")).unwrap();
        let mut options = SyncOptions::new(source, self.folder.path().join("copy"));
        options.sets = Sets::All;
        options.via = match way {
            Way::Auto => Via::Auto,
            Way::List => Via::List,
            Way::Dump => Via::Dump,
        };
        options.delete = true;
        options.max_delete = MaxDelete::Any;
        options.robots = false;
        options
    }

    /// The state of all sets together at the times that their documents tell of.
    fn expected(&self, told: &[Told]) -> State {
        let mut expected = State::new();
        for (set, told) in told.iter().enumerate() {
            let (Told::StateAt(time) | Told::Open(time)) = told;
            for (resource, version) in self.world.state_at(set, *time) {
                let newer = expected.get(&resource).is_none_or(|one| one.number < version.number);
                if newer {
                    expected.insert(resource, version);
                }
            }
        }
        expected
    }

    /// Why the copy is not what is expected.
    fn difference(&self, expected: &State) -> Option<String> {
        let home = format!("127.0.0.1+{}/r/", self.server.port());
        let copy = files_of(&self.folder.path().join("copy"));
        let found: BTreeMap<u64, String> = copy
            .into_iter()
            .filter_map(|(path, bytes)| {
                let resource = path.strip_prefix(&home)?.parse().ok()?;
                Some((resource, String::from_utf8_lossy(&bytes).into_owned()))
            })
            .collect();
        for (resource, version) in expected {
            let live = self.world.live.get(resource).map(|live| live.content.as_str());
            // What one set told of before it let the resource go is newer than what another one still says.
            // And without a digest, whatever the server had when it was asked is what the list means.
            let may_be_newer = self.publishers.len() > 1
                || self.publishers.iter().any(|one| {
                    one.habits.digests == Digests::None
                        || one.habits.digests_at(self.world.tick) == Digests::None
                });
            let is_newer = |content: &String| {
                may_be_newer && number_of(content, *resource) > Some(version.number)
            };
            let is_right = |content: &String| {
                *content == version.content || Some(content.as_str()) == live || is_newer(content)
            };
            if !found.get(resource).is_some_and(is_right) {
                let found = found.get(resource);
                return Some(format!("{resource} is {found:?}, and should be {version:?}"));
            }
        }
        let extra = found.keys().find(|resource| !expected.contains_key(resource))?;
        Some(format!("{extra} is there, and should not be: {:?}", found[extra]))
    }

    /// True if what the documents say can still be fetched.
    fn is_current(&self, expected: &State) -> bool {
        expected.iter().all(|(resource, version)| self.world.live.get(resource) == Some(version))
    }

    fn judge(
        &mut self,
        told: &[Told],
        is_well: bool,
        report: &Result<Report, String>,
    ) -> Result<(), String> {
        let expected = self.expected(told);
        if is_well {
            self.tally.well += 1;
            return match self.difference(&expected) {
                Some(wrong) => Err(format!("silently wrong: {wrong} ({told:?})")),
                None => Ok(()),
            };
        }
        if told.iter().any(|told| matches!(told, Told::Open(_))) || self.is_in_between() {
            self.tally.open += 1;
            return Ok(());
        }
        if !self.is_current(&expected) {
            self.tally.moved_on += 1;
            return Ok(());
        }
        Err(format!("refused although the documents tell ({told:?}): {}", shown(report)))
    }

    fn judge_audit(&mut self, told: &[Told], was_well: bool) -> Result<(), String> {
        let mut options = AuditOptions::of(&self.options(Way::Auto));
        options.deep = true;
        self.tally.audits += 1;
        let result = audit(&options, &mut ());
        let expected = self.expected(told);
        let in_sync = result.as_ref().is_ok_and(|report| report.in_sync);
        if in_sync {
            return match self.difference(&expected) {
                Some(wrong) => Err(format!("a wrong copy was called in sync: {wrong}")),
                None => Ok(()),
            };
        }
        // An audit knows no position: it has to have a whole chain from a baseline.
        let fresh = Known::default();
        let newest: Vec<Told> = (self.publishers.iter())
            .map(|one| fresh.told(&one.covers, Way::Auto, self.world.now()))
            .collect();
        // Nor does it leave packages out, as a run by lists alone does.
        let tells = newest.iter().all(|told| matches!(told, Told::StateAt(_)))
            && self.expected(&newest) == expected;
        if was_well && tells && self.is_current(&expected) {
            return Err(format!("a false alarm: {result:?}"));
        }
        Ok(())
    }

    /// A run that meets one fault.
    fn meet_a_fault(&mut self) -> Result<(), String> {
        let paths = self.server.paths();
        let path = paths[self.random.below(paths.len() as u64) as usize].clone();
        let Some(right) = self.server.reply(&path) else { return Ok(()) };
        let half = right.body.len() / 2;
        let is_verified = path.starts_with("/r/")
            && self.publishers.iter().all(|one| {
                one.habits.digests_at(self.world.tick) != Digests::None
                    && one.habits.digests != Digests::None
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
            return Ok(());
        }
        let told: Vec<Told> = (self.known.iter().zip(&self.publishers))
            .map(|(known, one)| known.told(&one.covers, way, self.world.now()))
            .collect();
        match self.difference(&self.expected(&told)) {
            Some(wrong) => Err(format!("silently wrong after a fault at {path}: {wrong}")),
            None => {
                self.remember();
                Ok(())
            }
        }
    }

    /// A run of the program that is killed at some moment.
    fn kill_one(&mut self) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidings"));
        command.arg("sync").arg(self.server.url("/")).arg(self.folder.path().join("copy"));
        command.args(["--all", "--delete", "--force-delete", "--no-robots", "--quiet"]);
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

/// The number of the version that some content is.
fn number_of(content: &str, resource: u64) -> Option<u64> {
    let rest = content.strip_prefix(&format!("resource {resource} version "))?;
    rest.split(' ').next()?.parse().ok()
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

fn shown(report: &Result<Report, String>) -> String {
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
