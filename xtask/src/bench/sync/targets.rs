//! The targets of copying, and whether a run met them.

use super::data::{
    AGAIN, AUDIT, CHANGES, COPY_DISK, COPY_TMPFS, CP, CP_SYNC, CURL, DRY_RUN, DUMP, FAR, FULL,
    HTTP, INCREMENT, LIST, LIST_32, MEMORY, RSYNC, UNCHANGED,
};
use crate::bench::shown::thousands;
use crate::bench::verdict::{Aim, Comparison, Figure, Verdict};
use crate::bench::works::Run;

/// Entries a second that an audit is to see.
const AUDITED: f64 = 500_000.0;

/// All targets that `bench sync` can judge.
pub(super) fn verdicts(run: &Run) -> Vec<Verdict> {
    let compared = comparisons();
    let mut verdicts: Vec<_> =
        compared.iter().map(|comparison| comparison.judged(run, Figure::Wall)).collect();
    let side = |work: &str, side: &str| run.work(work)?.side(side);
    let requests = side(UNCHANGED, AGAIN).and_then(|side| side.requests);
    let wall = side(UNCHANGED, AGAIN).and_then(|side| Some(side.wall?.median));
    let audited = run.work(INCREMENT).and_then(|work| {
        let seconds = work.side(AUDIT)?.wall?.median;
        Some(work.resources as f64 / seconds)
    });
    verdicts.extend([
        Verdict::alone(
            (Some(9), "nothing changed: requests"),
            requests.map(|requests| requests as f64),
            thousands,
            ("1", |figure| figure <= 1.0),
        ),
        Verdict::alone(
            (Some(9), "nothing changed: wall time"),
            wall,
            |figure| format!("{:.1} ms", figure * 1e3),
            ("< 50 ms", |figure| figure < 0.05),
        ),
        Verdict::alone(
            (None, "audit: entries a second"),
            audited,
            thousands,
            (">= 500,000", |figure| figure >= AUDITED),
        ),
    ]);
    let peaks = [
        ((13, "first copy: peak"), (COPY_TMPFS, LIST)),
        ((13, "from a dump: peak"), (COPY_TMPFS, DUMP)),
        ((13, "first copy of many: peak"), (INCREMENT, FULL)),
        ((13, "few changes among many: peak"), (INCREMENT, CHANGES)),
        ((13, "audit of many: peak"), (INCREMENT, AUDIT)),
        ((13, "very many compared: peak"), (MEMORY, DRY_RUN)),
    ];
    let under = ("< 150 MiB", 150);
    verdicts.extend(peaks.map(|(what, side)| Verdict::peak(run, what, side, under)));
    verdicts
}

fn comparisons() -> Vec<Comparison> {
    let faster = Comparison {
        number: 7,
        what: "first copy, beside what speaks HTTP",
        work: COPY_TMPFS,
        ours: LIST,
        others: HTTP,
        target: "< 1x",
        aim: Aim::Under(1.0),
    };
    let rsync = Comparison {
        what: "first copy, beside rsync",
        others: &[RSYNC],
        target: "<= 1.2x",
        aim: Aim::AtMost(1.2),
        ..faster
    };
    let then = Comparison { target: "then < 1x", aim: Aim::Under(1.0), ..rsync };
    let dump = Comparison {
        number: 8,
        what: "from a dump",
        ours: DUMP,
        others: &[CP],
        target: "<= 1.5x",
        aim: Aim::AtMost(1.5),
        ..faster
    };
    let far = Comparison {
        what: "from a dump, 20 ms there and back, beside everyone",
        work: FAR,
        others: &[LIST, LIST_32, CURL, RSYNC],
        target: "< 1x",
        aim: Aim::Under(1.0),
        ..dump
    };
    let on_disk = |what, comparison| Comparison { what, work: COPY_DISK, ..comparison };
    let settled = on_disk("from a dump onto a disk, beside what is there, too, when it ends", dump);
    vec![
        faster,
        rsync,
        then,
        on_disk("first copy onto a disk, beside what speaks HTTP", faster),
        on_disk("first copy onto a disk, beside rsync", rsync),
        dump,
        on_disk("from a dump onto a disk", dump),
        Comparison { others: &[CP_SYNC], ..settled },
        far,
    ]
}

#[cfg(test)]
mod tests {
    use super::super::data::{RCLONE, WGET2};
    use super::*;
    use crate::bench::data::Spread;
    use crate::bench::machine::Machine;
    use crate::bench::works::{Side, Work};

    fn side(name: &str, wall: f64) -> Side {
        Side { name: name.to_owned(), wall: Spread::of(&[wall]), ..Side::default() }
    }

    fn found(id: &str, resources: u64, sides: Vec<Side>) -> Vec<Verdict> {
        let (title, about) = (String::new(), String::new());
        let work = Work { id: id.to_owned(), title, about, resources, bytes: 1, sides };
        let (command, machine) = (String::new(), Machine::default());
        verdicts(&Run { command, quick: false, machine, works: vec![work] })
    }

    fn met<'v>(verdicts: &'v [Verdict], work: &str) -> (&'v str, Option<bool>) {
        let verdict = verdicts.iter().find(|verdict| verdict.work == work).unwrap();
        (&verdict.ratio, verdict.met)
    }

    #[test]
    fn the_fastest_over_http_counts() {
        let sides = vec![side(LIST, 1.0), side(CURL, 2.0), side(WGET2, 0.8), side(RCLONE, 3.0)];
        let verdicts = found(COPY_TMPFS, 1, sides);
        assert_eq!(met(&verdicts, "first copy, beside what speaks HTTP"), ("1.25x", Some(false)));
        assert_eq!(met(&verdicts, "first copy, beside rsync"), ("–", None));
    }

    #[test]
    fn one_question_is_enough() {
        let again = |requests| Side { requests: Some(requests), ..side(AGAIN, 0.02) };
        let what = "nothing changed: requests";
        assert_eq!(met(&found(UNCHANGED, 1, vec![again(1)]), what), ("–", Some(true)));
        assert_eq!(met(&found(UNCHANGED, 1, vec![again(2)]), what), ("–", Some(false)));
        let verdicts = found(UNCHANGED, 1, vec![again(1)]);
        assert_eq!(met(&verdicts, "nothing changed: wall time"), ("–", Some(true)));
    }

    #[test]
    fn an_audit_is_judged_by_its_speed() {
        let what = "audit: entries a second";
        let verdicts = found(INCREMENT, 1_000_000, vec![side(AUDIT, 2.5)]);
        assert_eq!(met(&verdicts, what), ("–", Some(false)));
        let verdicts = found(INCREMENT, 1_000_000, vec![side(AUDIT, 2.0)]);
        assert_eq!(met(&verdicts, what), ("–", Some(true)));
    }
}
