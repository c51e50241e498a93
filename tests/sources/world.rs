//! The resources of a Source and their history.

use std::collections::BTreeMap;

use super::random::Random;

/// 2024-01-01T00:00:00Z.
const BEGINNING: i64 = 1_704_067_200;

/// The resources of a set, by their numbers: contents.
pub type State = BTreeMap<u64, Version>;

/// One version of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    pub content: String,
    /// When it became this, and a number that no other version has.
    pub changed: i64,
    pub number: u64,
}

/// A change of a resource in one set.
#[derive(Debug, Clone)]
pub struct Event {
    pub time: i64,
    pub resource: u64,
    pub kind: &'static str,
    pub version: Option<Version>,
}

/// A Source: what it serves, and what happened in each of its sets.
pub struct World {
    pub tick: u64,
    pub live: State,
    pub events: Vec<Vec<Event>>,
    /// The contents of all versions that ever were, by their numbers.
    pub written: BTreeMap<u64, String>,
    /// The sets of each resource.
    memberships: BTreeMap<u64, Vec<usize>>,
    next: u64,
    time: i64,
}

impl World {
    pub fn new(sets: usize) -> Self {
        Self {
            tick: 0,
            live: State::new(),
            events: vec![Vec::new(); sets],
            written: BTreeMap::new(),
            memberships: BTreeMap::new(),
            next: 1,
            time: BEGINNING,
        }
    }

    /// The end of the current tick, at which the publisher publishes.
    pub fn now(&self) -> i64 {
        Self::end_of(self.tick)
    }

    pub fn end_of(tick: u64) -> i64 {
        BEGINNING + (tick as i64 + 1) * 3_600
    }

    pub fn beginning() -> i64 {
        BEGINNING
    }

    /// The state of a set at a time.
    pub fn state_at(&self, set: usize, time: i64) -> State {
        let mut state = State::new();
        for event in self.events[set].iter().filter(|event| event.time <= time) {
            match &event.version {
                Some(version) => drop(state.insert(event.resource, version.clone())),
                None => drop(state.remove(&event.resource)),
            }
        }
        state
    }

    /// Undoes all that happened after a tick, as a Source does that is restored from a backup.
    pub fn roll_back(&mut self, tick: u64) {
        let end = Self::end_of(tick);
        for events in &mut self.events {
            events.retain(|event| event.time <= end);
        }
        self.live.clear();
        self.memberships.clear();
        for set in 0..self.events.len() {
            for (resource, version) in self.state_at(set, end) {
                self.memberships.entry(resource).or_default().push(set);
                self.live.insert(resource, version);
            }
        }
    }

    /// Makes a resource one that never was, if there is one whose changes are all after a time.
    pub fn purge(&mut self, after: i64, random: &mut Random) -> Option<u64> {
        let is_late = |resource: &u64| {
            let mut events = self.events.iter().flatten();
            events.all(|event| event.resource != *resource || event.time > after)
        };
        let late: Vec<u64> = self.live.keys().copied().filter(is_late).collect();
        let resource = *late.get(random.below(late.len() as u64) as usize)?;
        self.live.remove(&resource);
        self.memberships.remove(&resource);
        for events in &mut self.events {
            events.retain(|event| event.resource != resource);
        }
        Some(resource)
    }

    /// Changes some resources within the current tick.
    pub fn change(&mut self, random: &mut Random) {
        self.time = Self::end_of(self.tick) - 3_600;
        let changes = if self.tick == 0 { random.within(2, 8) } else { random.below(6) };
        for _ in 0..changes {
            self.time += random.within(1, 400) as i64;
            self.change_one(random);
        }
    }

    fn change_one(&mut self, random: &mut Random) {
        let resource = random.below(12);
        let exists = self.live.contains_key(&resource);
        if exists && self.tick > 0 && random.chance(25) {
            self.delete(resource);
        } else if exists && self.memberships[&resource].len() > 1 && random.chance(15) {
            // It leaves one of its sets.
            let sets = self.memberships.get_mut(&resource).unwrap();
            let set = sets.remove(random.below(sets.len() as u64) as usize);
            self.event(set, resource, "deleted", None);
        } else {
            self.write(resource, exists, random);
        }
    }

    fn delete(&mut self, resource: u64) {
        self.live.remove(&resource);
        for set in self.memberships.remove(&resource).unwrap_or_default() {
            self.event(set, resource, "deleted", None);
        }
    }

    fn write(&mut self, resource: u64, exists: bool, random: &mut Random) {
        let number = self.next;
        self.next += 1;
        let filler = "x".repeat(random.below(30) as usize);
        let version = Version {
            content: format!("resource {resource} version {number} {filler}"),
            changed: self.time,
            number,
        };
        self.written.insert(number, version.content.clone());
        self.live.insert(resource, version.clone());
        if !exists {
            let mut sets: Vec<usize> =
                (0..self.events.len()).filter(|_| random.chance(60)).collect();
            if sets.is_empty() {
                sets.push(random.below(self.events.len() as u64) as usize);
            }
            self.memberships.insert(resource, sets);
        }
        let kind = if exists { "updated" } else { "created" };
        for set in self.memberships[&resource].clone() {
            self.event(set, resource, kind, Some(version.clone()));
        }
    }

    fn event(&mut self, set: usize, resource: u64, kind: &'static str, version: Option<Version>) {
        let time = self.time;
        self.events[set].push(Event { time, resource, kind, version });
    }
}
