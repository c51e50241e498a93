//! The targets of publishing, and whether a run met them.

use super::data::{
    AGAIN, DUMP, DUMP_OF_NOISE, DUMP_OF_TEXT, EMPTY_CACHE, FIND, FIRST, HASH, LARGE_FILES,
    LARGEST_FILE, MANY_FOLDERS, NO_CACHE, OPENSSL, RECORDS, RESYNC, SMALL_FILES, STAT, STAT_ONE,
    ZIP_0,
};
use crate::bench::verdict::{Aim, Comparison, Figure, Verdict};
use crate::bench::works::Run;

/// All targets that `bench publish` can judge.
pub(super) fn verdicts(run: &Run) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for comparison in comparisons() {
        verdicts.push(comparison.judged(run, Figure::Wall));
        // Speed is that of all cores at once: a matter of wall time.
        if !matches!(comparison.aim, Aim::Speed(_)) {
            verdicts.push(comparison.judged(run, Figure::Cpu));
        }
    }
    let under = ("< 100 MiB", 100);
    let at = verdicts.iter().position(|verdict| verdict.number > Some(5)).unwrap_or(verdicts.len());
    verdicts
        .insert(at, Verdict::peak(run, (5, "nothing changed: peak"), (MANY_FOLDERS, AGAIN), under));
    verdicts.extend([
        Verdict::peak(run, (13, "first publication of files: peak"), (MANY_FOLDERS, FIRST), under),
        Verdict::peak(run, (13, "records, first publication: peak"), (RECORDS, FIRST), under),
        Verdict::peak(run, (13, "records, nothing changed: peak"), (RECORDS, AGAIN), under),
    ]);
    verdicts
}

fn comparisons() -> Vec<Comparison> {
    let first = Comparison {
        number: 3,
        what: "small files, every file read",
        work: SMALL_FILES,
        ours: NO_CACHE,
        others: &[HASH],
        target: "<= 1.3x",
        aim: Aim::AtMost(1.3),
    };
    let large = Comparison {
        number: 4,
        what: "large files",
        work: LARGE_FILES,
        others: &[HASH, OPENSSL],
        target: ">= 85 % of the speed",
        aim: Aim::Speed(85.0),
        ..first
    };
    let dump = Comparison {
        number: 6,
        what: "dump of what cannot be compressed",
        work: DUMP_OF_NOISE,
        ours: DUMP,
        others: &[ZIP_0],
        target: "<= 0.5x",
        aim: Aim::AtMost(0.5),
    };
    let mut all = vec![
        Comparison { what: "small files, empty cache", ours: EMPTY_CACHE, ..first },
        Comparison {
            others: &[RESYNC],
            target: ">= 8x faster",
            aim: Aim::TimesFaster(8.0),
            ..first
        },
        Comparison { what: "one very large file", work: LARGEST_FILE, ..large },
        Comparison {
            number: 5,
            what: "nothing changed",
            work: MANY_FOLDERS,
            ours: AGAIN,
            others: &[STAT, STAT_ONE, FIND],
            target: "<= 2x",
            aim: Aim::AtMost(2.0),
        },
        Comparison { what: "dump of text", work: DUMP_OF_TEXT, ..dump },
        first,
        large,
        dump,
    ];
    all.sort_by_key(|comparison| (comparison.number, comparison.what));
    all
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

    fn verdict(sides: Vec<Side>) -> Verdict {
        let work = Work {
            id: LARGE_FILES.to_owned(),
            title: String::new(),
            about: String::new(),
            resources: 1,
            bytes: 1,
            sides,
        };
        let (command, machine) = (String::new(), Machine::default());
        let run = Run { command, quick: false, machine, works: vec![work] };
        let mut found = verdicts(&run).into_iter();
        found.find(|verdict| verdict.work == "large files").unwrap()
    }

    #[test]
    fn the_fastest_of_the_others_counts() {
        let found = verdict(vec![side(NO_CACHE, 1.0), side(HASH, 0.9), side(OPENSSL, 0.8)]);
        assert_eq!((found.ratio.as_str(), found.met), ("80 %", Some(false)));
        assert_eq!(found.against, "openssl dgst: 0.8000 s wall");
    }

    #[test]
    fn without_a_figure_there_is_no_verdict() {
        let found = verdict(vec![side(HASH, 0.9)]);
        assert_eq!((found.measured.as_str(), found.met), ("not measured", None));
    }
}
