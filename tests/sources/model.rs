//! What the documents of a set tell, by plain reasoning over what they cover. It shares no code with the
//! program: two ways to the same answer.

use super::habits::{Habits, Times};
use super::publisher::Covers;
use super::world::World;

/// What a client knows of a set after a run that ended well.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// All changes up to that time are in the copy, as far as documents have said.
    reached: Option<i64>,
    /// Open Change Lists that were read: their URLs, since when they are, and their events.
    open: Vec<(String, i64, (usize, usize))>,
    /// The end of the last package without times.
    packages_until: Option<i64>,
    /// The newest time of which a run that did not end well may have applied something.
    attempted: Option<i64>,
    /// True if the Source was rolled back after something of it was read.
    is_contradicted: bool,
    /// What the client may know after runs that did not end well: all that the documents told then.
    best: Option<Box<Known>>,
}

/// What the documents tell a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// The state at that time.
    StateAt(i64),
    /// Something is left open: this is the newest time that any document covers.
    Open(i64),
}

/// The documents that a way of copying may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Auto,
    List,
    Dump,
}

fn is_usable(covers: &Covers, way: Way) -> bool {
    match covers {
        Covers::State { is_package, .. } | Covers::Changes { is_package, .. } => {
            !*is_package || way != Way::List
        }
    }
}

impl Known {
    /// What the documents tell a client that knows this.
    pub fn told(&self, all: &[Covers], way: Way, now: i64) -> Told {
        let documents: Vec<&Covers> = all.iter().filter(|one| is_usable(one, way)).collect();
        // Packages tell how far the Source has come, also to who does without them.
        let newest = all.iter().map(end).max().unwrap_or(i64::MIN);
        let target = newest.max(self.reached.unwrap_or(i64::MIN));
        let time = if target == i64::MAX { now } else { target };
        let states = documents.iter().filter_map(|one| match one {
            Covers::State { at, .. } => Some(*at),
            Covers::Changes { .. } => None,
        });
        let has_states = states.clone().next().is_some();
        let from_scratch = states.clone().any(|at| reach(at, &documents, |_| false) >= newest);
        // Without a baseline the changes from the beginning are the whole state.
        let from_nothing = !has_states
            && reach(World::beginning(), &documents, |_| false) >= newest
            && !documents.is_empty();
        let from_copy = self
            .reached
            .is_some_and(|reached| reach(reached, &documents, |one| self.follows(one)) >= target);
        match from_scratch && newest >= target || from_nothing || from_copy {
            true => Told::StateAt(time),
            false => Told::Open(time),
        }
    }

    /// The Source was rolled back: what was read of its documents counts no more.
    pub fn contradict(&mut self) {
        let was_read = self.reached.or(self.attempted).is_some();
        let is_contradicted = was_read || self.is_contradicted;
        *self = Self { is_contradicted, ..Self::default() };
    }

    /// A run did not end well. Where a gap was named, it knows no more than before. Packages without times
    /// (`spare`) may have stood in for lists that could not be read.
    pub fn doubt(
        &mut self,
        (all, spare): (&[Covers], Option<&Covers>),
        way: Way,
        habits: &Habits,
        (world, set): (&World, usize),
    ) {
        let states = all.iter().filter(|one| matches!(one, Covers::State { .. }));
        let without_lists: Vec<Covers> = states.chain(spare).cloned().collect();
        for documents in [all, without_lists.as_slice()] {
            let known = self.best.as_deref().unwrap_or(self);
            if let Told::StateAt(_) = known.told(documents, way, world.now()) {
                let mut best = known.after(documents, way, habits, world, set);
                if !std::ptr::eq(documents, all) && spare.is_some() {
                    // Their manifests say how far they reach.
                    best.reached = best.reached.max(Some(world.now()));
                }
                self.best = Some(Box::new(best));
            }
        }
        self.attempted = all.iter().map(end).chain(self.attempted).max();
    }

    /// True if the documents leave something open also to a client that knows all it may know.
    pub fn is_open_at_best(&self, all: &[Covers], way: Way, now: i64) -> bool {
        let is_open = |known: &Self| matches!(known.told(all, way, now), Told::Open(_));
        is_open(self) && self.best.as_deref().is_none_or(is_open)
    }

    /// True if the copy may have a part of what happened after the time that it has reached, and the
    /// documents of today tell neither of the rest nor of a whole newer state.
    pub fn is_in_between(&self, all: &[Covers], way: Way) -> bool {
        let documents: Vec<&Covers> = all.iter().filter(|one| is_usable(one, way)).collect();
        let is_state = |one: &&Covers| matches!(one, Covers::State { .. });
        if self.is_contradicted && !documents.iter().any(is_state) {
            // Changes do not tell what to take back.
            return true;
        }
        let (Some(attempted), Some(reached)) = (self.attempted, self.reached) else { return false };
        let has_newer_state =
            documents.iter().any(|one| matches!(one, Covers::State { at, .. } if *at >= reached));
        !has_newer_state && reach(reached, &documents, |one| self.follows(one)) < attempted
    }

    /// True if a document goes on with the very changes that were read before.
    fn follows(&self, covers: &Covers) -> bool {
        let Covers::Changes { from, until, is_package, events, url } = covers else { return false };
        if *is_package {
            // The manifest of the last one that was read says until when it is: another that begins at that
            // very time leaves nothing out.
            return until.is_none() && self.packages_until.is_some_and(|read| *from <= read);
        }
        self.open.iter().any(|(read_url, read_from, read)| {
            if read.0 == read.1 {
                return read_url == url && read_from == from;
            }
            read.0 == events.0 && read.1 <= events.1
        })
    }

    /// What a client knows after a run that ended well.
    pub fn after(
        &self,
        all: &[Covers],
        way: Way,
        habits: &Habits,
        world: &World,
        set: usize,
    ) -> Self {
        let documents: Vec<&Covers> = all.iter().filter(|one| is_usable(one, way)).collect();
        let best = self.best.as_ref();
        let best = best.map(|best| Box::new(best.after(all, way, habits, world, set)));
        let mut next = Self { attempted: None, is_contradicted: false, best, ..self.clone() };
        let mut open = Vec::new();
        for covers in &documents {
            if let Covers::Changes { from, until: None, is_package, events, url } = covers {
                // A time in the future tells nobody how far the changes reach.
                let dated =
                    matches!(habits.times, Times::Datetime | Times::Both) && !habits.is_clock_ahead;
                let last = world.events[set][events.0..events.1].last().filter(|_| dated);
                let reached = last.map_or(*from, |event| event.time.max(*from));
                open.push((reached, *is_package, url.clone(), *from, *events));
            }
        }
        let Some(least) = open.iter().map(|one| one.0).min() else {
            if let Told::StateAt(time) = self.told(all, way, world.now()) {
                next.reached = Some(time);
            }
            return next;
        };
        // Which of the open documents was read, only the program knows.
        next.reached = Some(least.max(self.reached.unwrap_or(i64::MIN)));
        if open.len() == 1 {
            let (_, is_package, url, from, events) = open.remove(0);
            if is_package {
                next.packages_until = Some(world.now());
            } else {
                next.open = vec![(url, from, events)];
            }
        } else {
            next.open.clear();
            next.packages_until = None;
        }
        next
    }
}

/// The newest time that a document covers.
fn end(covers: &Covers) -> i64 {
    match covers {
        Covers::State { at, .. } => *at,
        Covers::Changes { until, .. } => until.unwrap_or(i64::MAX),
    }
}

/// How far the changes lead from a time.
fn reach(start: i64, documents: &[&Covers], follows: impl Fn(&Covers) -> bool) -> i64 {
    let mut reached = start;
    loop {
        let further = documents.iter().filter_map(|covers| match covers {
            Covers::Changes { from, until, .. } if *from <= reached || follows(covers) => {
                Some(until.unwrap_or(i64::MAX))
            }
            _ => None,
        });
        match further.max() {
            Some(further) if further > reached => reached = further,
            _ => return reached,
        }
    }
}
