//! The planner against examples, and against a search through all chains.

use proptest::prelude::*;
use tidings_document::{Moment, Precision};

use super::*;
use crate::coverage::Baseline;

fn day(number: i64) -> Moment {
    Moment::from_unix(number * 86_400, 0, Precision::Second).unwrap()
}

fn list(at: i64, cost: u64) -> Baseline {
    Baseline { kind: BaselineKind::ResourceList, at: Some(day(at)), cost }
}

fn dump(at: i64, cost: u64) -> Baseline {
    Baseline { kind: BaselineKind::ResourceDump, at: Some(day(at)), cost }
}

fn changes(from: i64, until: Option<i64>) -> Interval {
    Interval {
        kind: IntervalKind::ChangeList,
        from: Some(day(from)),
        until: until.map(day),
        follows_on: false,
        is_lossy: false,
        cost: 1,
    }
}

fn package(from: i64, until: Option<i64>) -> Interval {
    Interval { kind: IntervalKind::ChangeDump, ..changes(from, until) }
}

fn at(reached: i64) -> Position {
    Position {
        reached: Some(day(reached)),
        is_complete: true,
        is_past_baseline: true,
        is_sound: true,
        unsettled_until: None,
    }
}

const NEW: Position = Position {
    reached: None,
    is_complete: false,
    is_past_baseline: false,
    is_sound: true,
    unsettled_until: None,
};
const AUTO: Request =
    Request { via: Via::Auto, compares_all: false, known_newest: Edge::BEGINNING };

fn planned(position: Position, baselines: &[Baseline], intervals: &[Interval]) -> Plan {
    let coverage = Coverage { baselines: baselines.to_vec(), changes: intervals.to_vec() };
    plan(position, &coverage, AUTO)
}

fn whole(start: Start, changes: &[usize]) -> Plan {
    Plan { start, changes: changes.to_vec(), gap: None }
}

#[test]
fn a_lossy_interval_is_a_gap_when_nothing_else_covers_it() {
    let lossy = |from, until| Interval { is_lossy: true, ..changes(from, until) };
    let gap = |after: i64, before: Option<i64>| {
        Some(Gap { after: Some(day(after)), before: before.map(day) })
    };
    // Its changes are applied all the same, and so are those after it.
    let intervals = [lossy(1, Some(9)), changes(9, None)];
    let found = planned(at(5), &[list(1, 10)], &intervals);
    assert_eq!(found, Plan { gap: gap(5, Some(9)), ..whole(Start::Copy, &[0, 1]) });
    // A newer list covers it.
    let found = planned(at(5), &[list(9, 10)], &intervals);
    assert_eq!(found, whole(Start::Baseline(0), &[1]));
    // Packages do.
    let found = planned(at(5), &[list(1, 10)], &[lossy(1, Some(9)), package(1, Some(9))]);
    assert_eq!(found, whole(Start::Copy, &[1]));
    // It is past.
    let found = planned(at(9), &[list(1, 10)], &intervals);
    assert_eq!(found, whole(Start::Copy, &[1]));
    // Nothing else tells of the set, or of when the copy is.
    let found = planned(NEW, &[], &[lossy(1, None)]);
    assert_eq!(found, Plan { gap: gap(1, None), ..whole(Start::Nothing, &[0]) });
    let unknown = Position { reached: None, ..at(0) };
    assert!(planned(unknown, &[], &[lossy(1, None)]).gap.is_some());
    let timeless = Baseline { at: None, ..list(1, 10) };
    assert!(planned(NEW, &[timeless], &[lossy(1, None)]).gap.is_some());
}

#[test]
fn a_stale_dump_is_left_for_the_current_list() {
    let planned = planned(NEW, &[list(9, 1_000), dump(2, 1)], &[changes(5, None)]);
    assert_eq!(planned, whole(Start::Baseline(0), &[0]));
}

#[test]
fn a_dump_that_the_changes_reach_is_taken_if_it_is_cheaper() {
    let planned = planned(NEW, &[list(9, 1_000), dump(6, 1)], &[changes(5, None)]);
    assert_eq!(planned, whole(Start::Baseline(1), &[0]));
}

#[test]
fn beside_a_gap_packages_tell_what_no_list_does() {
    let intervals = [changes(5, None), package(1, Some(3)), package(6, Some(7))];
    let planned = planned(NEW, &[list(1, 1)], &intervals);
    let gap = Some(Gap { after: Some(day(3)), before: Some(day(5)) });
    assert_eq!(planned, Plan { start: Start::Baseline(0), changes: vec![1, 0], gap });
}

#[test]
fn changes_that_begin_after_the_list_leave_a_gap() {
    let planned = planned(NEW, &[list(1, 1)], &[changes(5, None)]);
    let gap = Some(Gap { after: Some(day(1)), before: Some(day(5)) });
    assert_eq!(planned, Plan { start: Start::Baseline(0), changes: vec![0], gap });
}

#[test]
fn closed_lists_lead_from_one_to_the_next() {
    let lists = [changes(0, Some(3)), changes(3, Some(5)), changes(5, None)];
    assert_eq!(planned(at(4), &[list(1, 9)], &lists), whole(Start::Copy, &[1, 2]));
    assert_eq!(planned(at(5), &[list(1, 9)], &lists), whole(Start::Copy, &[2]));
    assert_eq!(planned(NEW, &[list(1, 9)], &lists), whole(Start::Baseline(0), &[0, 1, 2]));
}

#[test]
fn a_newer_list_counts_where_the_changes_end_before_it() {
    let planned = planned(at(5), &[list(9, 9)], &[changes(0, Some(7))]);
    assert_eq!(planned, whole(Start::Baseline(0), &[]));
}

#[test]
fn an_older_baseline_never_takes_back_what_the_copy_has() {
    assert_eq!(planned(at(5), &[list(2, 9), dump(1, 1)], &[]), whole(Start::Copy, &[]));
    let planned = planned(at(5), &[list(2, 9)], &[changes(7, None)]);
    let gap = Some(Gap { after: Some(day(5)), before: Some(day(7)) });
    assert_eq!(planned, Plan { start: Start::Copy, changes: vec![0], gap });
}

#[test]
fn a_list_that_stands_alone_is_compared_whenever_it_is_asked_for() {
    let position = Position { is_past_baseline: false, ..at(5) };
    for time in [2, 5, 9] {
        assert_eq!(planned(position, &[list(time, 9)], &[]), whole(Start::Baseline(0), &[]));
    }
}

#[test]
fn a_copy_in_doubt_is_compared_with_the_baseline() {
    let doubtful = Position { is_sound: false, ..at(5) };
    let planned = planned(doubtful, &[list(2, 9)], &[changes(1, None)]);
    assert_eq!(planned, whole(Start::Baseline(0), &[0]));
}

#[test]
fn a_copy_with_changes_from_after_a_gap_is_no_state_until_a_document_reaches_as_far() {
    let unsettled = Position { unsettled_until: Some(Edge::at(day(8))), ..at(2) };
    let gap = Some(Gap { after: Some(day(2)), before: None });
    let left = Plan { start: Start::Copy, changes: vec![], gap };
    assert_eq!(planned(unsettled, &[dump(1, 9)], &[]), left);
    assert_eq!(planned(unsettled, &[list(5, 9)], &[]), whole(Start::Baseline(0), &[]));
    let reaching = [changes(1, Some(6)), changes(6, Some(8))];
    assert_eq!(planned(unsettled, &[list(1, 9)], &reaching), whole(Start::Copy, &[0, 1]));
    let open = Position { unsettled_until: Some(Edge::NOW), ..at(2) };
    assert_eq!(planned(open, &[dump(1, 9)], &reaching), whole(Start::Baseline(0), &[0, 1]));
    assert!(planned(open, &[], &reaching).gap.is_some());
    assert_eq!(planned(open, &[], &[changes(1, None)]), whole(Start::Copy, &[0]));
}

#[test]
fn a_document_that_goes_on_where_the_copy_is_needs_no_time() {
    let follows = Interval { follows_on: true, ..changes(8, None) };
    assert_eq!(planned(at(5), &[list(2, 9)], &[follows]), whole(Start::Copy, &[0]));
}

#[test]
fn changes_alone_are_copied_as_far_as_they_reach() {
    assert_eq!(planned(NEW, &[], &[changes(3, None)]), whole(Start::Nothing, &[0]));
}

#[test]
fn packages_do_without_a_change_list() {
    let dumps = [package(0, Some(4)), package(4, Some(8))];
    assert_eq!(planned(at(4), &[dump(0, 1)], &dumps), whole(Start::Copy, &[1]));
    assert_eq!(planned(at(8), &[dump(0, 1)], &dumps), whole(Start::Copy, &[]));
    assert_eq!(planned(NEW, &[dump(0, 1)], &dumps), whole(Start::Baseline(0), &[0, 1]));
}

/// The least cost of any chain, found by trying all.
fn least(start: Edge, target: Edge, coverage: &Coverage) -> Option<u64> {
    if start >= target && target != Edge::NOW {
        return Some(0);
    }
    let reaching = |mask: u32| {
        let mut edge = start;
        let mut cost = 0;
        let mut left: Vec<&Interval> = coverage
            .changes
            .iter()
            .enumerate()
            .filter(|(index, _)| mask & (1 << index) != 0)
            .map(|(_, interval)| interval)
            .collect();
        left.sort_by_key(|interval| interval.end());
        for interval in left {
            cost += interval.cost.max(1);
            if interval.start() > edge {
                return None;
            }
            edge = edge.max(interval.end());
        }
        (edge >= target && (target != Edge::NOW || mask != 0)).then_some(cost)
    };
    (0..1_u32 << coverage.changes.len()).filter_map(reaching).min()
}

proptest! {
    #[test]
    fn the_chain_is_whole_and_the_cheapest(
        start in 0_i64..12,
        intervals in prop::collection::vec((0_i64..12, prop::option::of(1_i64..6), 1_u64..9), 0..8),
    ) {
        let changes: Vec<Interval> = intervals
            .iter()
            .map(|(from, length, cost)| Interval {
                cost: *cost,
                ..changes(*from, length.map(|length| from + length))
            })
            .collect();
        let coverage = Coverage { baselines: Vec::new(), changes };
        let target = newest(at(start), &coverage);
        let edge = Edge::at(day(start));
        let found = chain(edge, false, target, &coverage, AUTO);
        prop_assert_eq!(found.as_ref().map(|(cost, _)| *cost), least(edge, target, &coverage));
        if let Some((_, chosen)) = found {
            let mut reached = edge;
            for index in chosen {
                prop_assert!(coverage.changes[index].start() <= reached);
                reached = reached.max(coverage.changes[index].end());
            }
            prop_assert!(reached >= target);
        }
    }
}
