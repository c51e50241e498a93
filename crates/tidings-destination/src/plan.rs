//! Chooses the documents that lead a copy of a set to the newest state that the Source tells of.
//!
//! Pure: it reads nothing and knows no clock. A plan is the cheapest chain without a gap: from where
//! the copy is, or from a baseline, through intervals of changes that touch each other, to the newest
//! time that any document covers. Where there is no such chain, the plan uses what there is and names
//! the gap.

#[cfg(test)]
mod tests;

use tidings_document::Moment;

use crate::coverage::{BaselineKind, Coverage, Edge, Gap, Interval, IntervalKind, Position};
use crate::moments::later;
use crate::options::Via;

/// The documents to read, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) start: Start,
    /// Indexes into [`Coverage::changes`].
    pub(crate) changes: Vec<usize>,
    /// Set if changes may be missing after the plan was carried out.
    pub(crate) gap: Option<Gap>,
}

/// The state that the changes are applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// The copy as it is.
    Copy,
    /// The state that a baseline gives: an index into [`Coverage::baselines`].
    Baseline(usize),
    /// Nothing: the set has no baseline, and is copied as far as its changes reach.
    Nothing,
}

/// What the caller asks of a plan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    pub(crate) via: Via,
    /// True if everything has to be compared, wherever the copy is.
    pub(crate) compares_all: bool,
    /// The newest time that a document of an earlier survey covers. A baseline that was compared with is
    /// surveyed no more, and one that may not be used tells of changes all the same.
    pub(crate) known_newest: Edge,
}

impl Request {
    /// Whether the caller lets the plan use packages.
    fn takes_packages(self) -> bool {
        !matches!(self.via, Via::List | Via::Sitemap)
    }

    /// A document's cost, which decides only between documents that the caller likes the same.
    fn interval_cost(self, interval: &Interval) -> u64 {
        match (self.via, interval.kind) {
            (Via::Dump, IntervalKind::ChangeList) => interval.cost.saturating_add(DISLIKED),
            _ => interval.cost,
        }
    }
}

/// What is added to the cost of a document of the kind that was not asked for. It leaves room for sums.
const DISLIKED: u64 = 1 << 50;

/// Plans how a copy at `position` is brought up to date.
pub(crate) fn plan(position: Position, coverage: &Coverage, request: Request) -> Plan {
    let target = newest(position, coverage).max(request.known_newest);
    let mut best: Option<(u64, Plan)> = None;
    let mut offer = |cost: u64, plan: Plan| {
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, plan));
        }
    };
    let whole = |start, changes| Plan { start, changes, gap: None };
    if position.is_complete
        && position.is_sound
        && !request.compares_all
        && !is_retold(position, coverage)
    {
        // A copy of an unknown time cannot be held against intervals: all changes come after it.
        let target = target_from_copy(position, target);
        let ends = coverage.changes.iter().map(Interval::end);
        let found = match position.reached {
            Some(reached) => chain(Edge::at(reached), true, target, coverage, request),
            None if ends.max() >= position.unsettled_until => whole_of_every(coverage, request),
            None => None,
        };
        if let Some((cost, changes)) = found {
            offer(cost, whole(Start::Copy, changes));
        }
    }
    for (index, baseline) in coverage.baselines.iter().enumerate() {
        if baseline.kind == BaselineKind::ResourceDump && !request.takes_packages() {
            continue;
        }
        let disliked = request.via == Via::Dump && baseline.kind == BaselineKind::ResourceList;
        let cost = baseline.cost.saturating_add(if disliked { 2 * DISLIKED } else { 0 });
        // A baseline without a time cannot be held against intervals: all changes come after it.
        let Some(at) = baseline.at else {
            if let Some((extra, changes)) = whole_of_every(coverage, request) {
                offer(cost.saturating_add(extra), whole(Start::Baseline(index), changes));
            }
            continue;
        };
        if let Some((extra, changes)) = chain(Edge::at(at), false, target, coverage, request) {
            offer(cost.saturating_add(extra), whole(Start::Baseline(index), changes));
        }
    }
    match best {
        Some((_, plan)) => plan,
        None => plan_with_gap(position, coverage, target, request),
    }
}

/// True if a baseline is all that tells of the set, and may say something else by now: it is then compared,
/// also if it is older than the one before.
fn is_retold(position: Position, coverage: &Coverage) -> bool {
    let is_older = |at| position.reached.is_some_and(|reached| Edge::at(at) < Edge::at(reached));
    coverage.changes.is_empty()
        && coverage
            .baselines
            .iter()
            .any(|baseline| !(position.is_past_baseline && baseline.at.is_some_and(is_older)))
}

/// The newest time that the copy or any document covers.
pub(crate) fn newest(position: Position, coverage: &Coverage) -> Edge {
    let baselines = coverage.baselines.iter().filter_map(|baseline| baseline.at).map(Edge::at);
    let counts = position.is_complete && position.is_sound && !is_retold(position, coverage);
    let reached = position.reached.filter(|_| counts).map(Edge::at);
    let ends = coverage.changes.iter().map(Interval::end);
    ends.chain(baselines).chain(reached).max().unwrap_or(Edge::BEGINNING)
}

/// The time that a chain from the copy has to lead to: no document may be left of which the copy has a
/// part. A baseline needs no such chain, as it replaces that part, too.
fn target_from_copy(position: Position, target: Edge) -> Edge {
    position.unsettled_until.map_or(target, |unsettled| unsettled.max(target))
}

/// The intervals that together cover all from `start` to `target`: the cheapest ones, or packages as far
/// as they reach if those were asked for.
fn chain(
    start: Edge,
    from_copy: bool,
    target: Edge,
    coverage: &Coverage,
    request: Request,
) -> Option<(u64, Vec<usize>)> {
    if request.via == Via::Dump {
        let (edge, packages) = packages_from(start, coverage);
        let rest = cheapest_chain(edge, from_copy, target, coverage, request);
        if let Some((cost, rest)) = rest.filter(|_| !packages.is_empty()) {
            let own = packages.iter().map(|index| coverage.changes[*index].cost);
            let cost = own.fold(cost, u64::saturating_add);
            return Some((cost, packages.into_iter().chain(rest).collect()));
        }
    }
    cheapest_chain(start, from_copy, target, coverage, request)
}

/// The packages that lead on from `start`, and how far.
fn packages_from(start: Edge, coverage: &Coverage) -> (Edge, Vec<usize>) {
    let (mut edge, mut packages) = (start, Vec::new());
    let mut order: Vec<usize> = (0..coverage.changes.len())
        .filter(|index| {
            let interval = &coverage.changes[*index];
            interval.kind == IntervalKind::ChangeDump && !interval.is_lossy
        })
        .collect();
    order.sort_by_key(|index| (coverage.changes[*index].start(), coverage.changes[*index].end()));
    for index in order {
        let interval = &coverage.changes[index];
        if interval.start() <= edge && interval.end() > edge {
            edge = interval.end();
            packages.push(index);
        }
    }
    (edge, packages)
}

/// The cheapest intervals that together cover all from `start` to `target`.
///
/// Sorted by their ends, the least cost to reach the end of an interval is its own cost and the least
/// cost to reach any time at or after its start. Of two times reached, the earlier one is of no use
/// unless it is cheaper: so those that are of use lie in the order of both, and one binary search finds
/// the best.
fn cheapest_chain(
    start: Edge,
    from_copy: bool,
    target: Edge,
    coverage: &Coverage,
    request: Request,
) -> Option<(u64, Vec<usize>)> {
    if start >= target && target != Edge::NOW {
        return Some((0, Vec::new()));
    }
    let mut order: Vec<usize> = (0..coverage.changes.len())
        .filter(|index| {
            let interval = &coverage.changes[*index];
            is_allowed(interval, request) && !interval.is_lossy
        })
        .collect();
    order.sort_by_key(|index| coverage.changes[*index].end());
    // (end, cost to reach it, the interval, what was reached before)
    let mut reached: Vec<(Edge, u64, Option<usize>, Option<usize>)> = vec![(start, 0, None, None)];
    let mut useful: Vec<usize> = vec![0];
    for index in order {
        let interval = &coverage.changes[index];
        let begins = match interval.follows_on && from_copy {
            true => Edge::BEGINNING,
            false => interval.start(),
        };
        if interval.end() <= start && interval.end() != Edge::NOW {
            continue;
        }
        let place = useful.partition_point(|one| reached[*one].0 < begins);
        let Some(before) = useful.get(place).copied() else { continue };
        let cost = reached[before].1.saturating_add(request.interval_cost(interval).max(1));
        while let Some(last) = useful.last()
            && *last != 0
            && reached[*last].1 >= cost
        {
            useful.pop();
        }
        // One that ends no later than what was reached for less is of no use.
        if useful.last().is_some_and(|last| reached[*last].0 >= interval.end())
            && interval.end() != Edge::NOW
        {
            continue;
        }
        useful.push(reached.len());
        reached.push((interval.end(), cost, Some(index), Some(before)));
    }
    let ends = reached.iter().enumerate().skip(1).filter(|(_, one)| one.0 >= target);
    let (mut step, (_, cost, ..)) = ends.min_by_key(|(_, one)| one.1)?;
    let (cost, mut changes) = (*cost, Vec::new());
    while let (_, _, Some(index), Some(before)) = reached[step] {
        changes.push(index);
        step = before;
    }
    changes.reverse();
    Some((cost, changes))
}

fn is_allowed(interval: &Interval, request: Request) -> bool {
    interval.kind == IntervalKind::ChangeList || request.takes_packages()
}

/// Every interval that ends after `start`, in the order of time, but for packages that tell of the same as a
/// list beside them.
fn every(coverage: &Coverage, start: Edge, request: Request) -> (u64, Vec<usize>) {
    let changes = &coverage.changes;
    let is_list = |index: usize| changes[index].kind == IntervalKind::ChangeList;
    let mut all: Vec<usize> = (0..changes.len())
        .filter(|index| is_allowed(&changes[*index], request) && changes[*index].end() > start)
        .collect();
    all.sort_by_key(|index| (changes[*index].start(), !is_list(*index)));
    // How far the lists reach that begin no later.
    let mut lists_end = Edge::BEGINNING;
    all.retain(|index| {
        let end = changes[*index].end();
        if is_list(*index) && !changes[*index].is_lossy {
            lists_end = lists_end.max(end);
        }
        is_list(*index) || end > lists_end
    });
    all.sort_by_key(|index| (changes[*index].start(), changes[*index].end()));
    let cost = all.iter().map(|index| request.interval_cost(&changes[*index]));
    (cost.fold(0, u64::saturating_add), all)
}

/// Every interval, if none of them is lossy.
fn whole_of_every(coverage: &Coverage, request: Request) -> Option<(u64, Vec<usize>)> {
    let (cost, changes) = every(coverage, Edge::BEGINNING, request);
    lossy_gap(None, &changes, coverage).is_none().then_some((cost, changes))
}

/// The span of the first of these intervals that is lossy.
fn lossy_gap(after: Option<Moment>, changes: &[usize], coverage: &Coverage) -> Option<Gap> {
    let lossy = changes.iter().map(|index| &coverage.changes[*index]).find(|one| one.is_lossy)?;
    Some(Gap { after: later(after, lossy.from), before: lossy.until })
}

/// The plan where no chain is whole: from the newest state that is known, with every change after it.
fn plan_with_gap(position: Position, coverage: &Coverage, target: Edge, request: Request) -> Plan {
    let reached = position.reached.filter(|_| position.is_complete);
    let usable = coverage.baselines.iter().enumerate().filter(|(_, baseline)| {
        baseline.kind == BaselineKind::ResourceList || request.takes_packages()
    });
    let newest = usable.max_by_key(|(_, baseline)| {
        let liked = (request.via == Via::Dump) == (baseline.kind == BaselineKind::ResourceDump);
        (baseline.at.map(Edge::at), liked)
    });
    let is_newer = |at| reached.is_none_or(|reached| Edge::at(at) >= Edge::at(reached));
    // A baseline that is older than the copy would take back what was copied since, unless the copy
    // itself is in doubt.
    let doubtful = !position.is_sound || request.compares_all;
    let baseline = newest.filter(|(_, baseline)| {
        !position.is_complete || doubtful || baseline.at.is_none_or(is_newer)
    });
    let (start, known) = match baseline {
        Some((index, baseline)) => (Start::Baseline(index), baseline.at),
        None if position.is_complete && !request.compares_all => (Start::Copy, reached),
        None => {
            // Without any baseline the changes are all there is: that is a note, and not a gap.
            let (_, changes) = every(coverage, Edge::BEGINNING, request);
            let is_new = !position.is_complete || request.compares_all;
            let gap = (!is_new).then_some(Gap { after: None, before: None });
            let gap = gap.or_else(|| lossy_gap(None, &changes, coverage));
            return Plan { start: Start::Nothing, changes, gap };
        }
    };
    let edge = known.map_or(Edge::BEGINNING, Edge::at);
    let (_, changes) = every(coverage, edge, request);
    let is_copy = start == Start::Copy;
    let target = if is_copy { target_from_copy(position, target) } else { target };
    let gap = first_gap(known, is_copy, &changes, coverage, target);
    let gap = gap.or((is_copy && !position.is_sound).then_some(Gap { after: None, before: None }));
    Plan { start, changes, gap }
}

/// The first span after `known` that none of these intervals covers.
fn first_gap(
    known: Option<Moment>,
    from_copy: bool,
    changes: &[usize],
    coverage: &Coverage,
    target: Edge,
) -> Option<Gap> {
    let (mut edge, mut after) = (known.map_or(Edge::BEGINNING, Edge::at), known);
    for index in changes {
        let interval = &coverage.changes[*index];
        if interval.start() > edge && !(interval.follows_on && from_copy) {
            return Some(Gap { after, before: interval.from });
        }
        if interval.end() > edge {
            if interval.is_lossy {
                return lossy_gap(after, &[*index], coverage);
            }
            edge = interval.end();
            after = interval.until;
        }
    }
    (edge < target).then_some(Gap { after, before: None })
}
