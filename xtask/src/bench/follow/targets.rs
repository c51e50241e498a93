//! The targets of following, and whether a run met them.

use super::data::{
    ALL_ANSWER, CHANGES, EMPTY, FEED, HANGING, HANGING_SPREAD, HELLO, KNOWN, POLL, POLLS, SERVE,
    SITEMAP, SOME_HANG, START, UNCHANGED_FEED,
};
use crate::bench::shown::{seconds, thousands};
use crate::bench::verdict::{Aim, Comparison, Figure, Verdict};
use crate::bench::works::Run;

/// All targets that `bench follow` can judge.
pub(super) fn verdicts(run: &Run) -> Vec<Verdict> {
    let mut verdicts: Vec<_> =
        comparisons().iter().map(|comparison| comparison.judged(run, Figure::Wall)).collect();
    let wall = |work: &str, side: &str| Some(run.work(work)?.side(side)?.wall?.median);
    let rate = |work: &str, side: &str| Some(run.work(work)?.resources as f64 / wall(work, side)?);
    let shown = |figure: f64| format!("{} s", seconds(figure));
    verdicts.extend([
        Verdict::alone(
            (Some(12), "polls of sites that have nothing new, a second"),
            rate(POLLS, SERVE),
            thousands,
            (">= 2,000", |figure| figure >= 2_000.0),
        ),
        Verdict::alone(
            (None, "changes into feeds, a second"),
            rate(CHANGES, SERVE),
            thousands,
            (">= 5,000", |figure| figure >= 5_000.0),
        ),
        Verdict::alone(
            (Some(14), "ready, nothing followed"),
            wall(START, EMPTY),
            shown,
            ("< 0.3 s", |figure| figure < 0.3),
        ),
        Verdict::alone(
            (Some(14), "ready, many sites followed"),
            wall(START, KNOWN),
            shown,
            ("< 1 s", |figure| figure < 1.0),
        ),
        Verdict::alone(
            (None, "a large Sitemap compared"),
            wall(SITEMAP, POLL),
            shown,
            ("< 5 s", |figure| figure < 5.0),
        ),
    ]);
    let peak = |what, side, target| Verdict::peak(run, what, side, target);
    verdicts.extend([
        peak((13, "many sites followed: peak"), (START, KNOWN), ("< 200 MiB", 200)),
        peak((13, "a large Sitemap compared: peak"), (SITEMAP, POLL), ("< 100 MiB", 100)),
    ]);
    verdicts
}

fn comparisons() -> Vec<Comparison> {
    let feed = Comparison {
        number: 11,
        what: "a feed that is as it was: requests a second",
        work: UNCHANGED_FEED,
        ours: SERVE,
        others: &[HELLO],
        target: ">= 60 %",
        aim: Aim::Speed(60.0),
    };
    let lag = Comparison {
        number: 12,
        what: "one site in ten hangs, all due at once: lag of the others",
        work: HANGING,
        ours: SOME_HANG,
        others: &[ALL_ANSWER],
        target: "< 1.05x",
        aim: Aim::Under(1.05),
    };
    vec![
        feed,
        Comparison { what: "a feed that is sent: requests a second", work: FEED, ..feed },
        lag,
        Comparison {
            what: "one site in ten hangs, due in turn: lag of the others",
            work: HANGING_SPREAD,
            ..lag
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::data::Spread;
    use crate::bench::machine::Machine;
    use crate::bench::works::{Side, Work};

    fn side(name: &str, wall: f64) -> Side {
        Side { name: name.to_owned(), wall: Spread::of(&[wall]), ..Side::default() }
    }

    fn met(id: &str, resources: u64, sides: Vec<Side>, what: &str) -> Option<bool> {
        let (title, about) = (String::new(), String::new());
        let work = Work { id: id.to_owned(), title, about, resources, bytes: 0, sides };
        let (command, machine) = (String::new(), Machine::default());
        let found = verdicts(&Run { command, quick: false, machine, works: vec![work] });
        found.iter().find(|verdict| verdict.work == what).unwrap().met
    }

    #[test]
    fn requests_are_held_against_hello() {
        let sides = |ours| vec![side(SERVE, ours), side(HELLO, 3.0)];
        let what = "a feed that is as it was: requests a second";
        assert_eq!(met(UNCHANGED_FEED, 1, sides(4.9), what), Some(true));
        assert_eq!(met(UNCHANGED_FEED, 1, sides(5.1), what), Some(false));
    }

    #[test]
    fn polls_are_judged_by_their_number() {
        let what = "polls of sites that have nothing new, a second";
        assert_eq!(met(POLLS, 10_000, vec![side(SERVE, 5.0)], what), Some(true));
        assert_eq!(met(POLLS, 10_000, vec![side(SERVE, 5.1)], what), Some(false));
    }

    #[test]
    fn lags_are_held_against_those_without_hanging_sites() {
        let sides = |lag| vec![side(ALL_ANSWER, 1.0), side(SOME_HANG, lag)];
        let what = "one site in ten hangs, all due at once: lag of the others";
        assert_eq!(met(HANGING, 1, sides(1.04), what), Some(true));
        assert_eq!(met(HANGING, 1, sides(1.06), what), Some(false));
    }
}
