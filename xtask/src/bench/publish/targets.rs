//! The targets of publishing, and whether a run met them.

use super::data::{
    AGAIN, DUMP, DUMP_OF_NOISE, DUMP_OF_TEXT, EMPTY_CACHE, FIND, FIRST, HASH, LARGE_FILES,
    LARGEST_FILE, MANY_FOLDERS, NO_CACHE, OPENSSL, RECORDS, RESYNC, Run, SMALL_FILES, STAT,
    STAT_ONE, Side, ZIP_0,
};
use crate::bench::shown::{mebibytes, seconds};

/// One line of the table of targets.
pub(super) struct Verdict {
    /// In the list of targets.
    pub(super) number: u32,
    pub(super) work: &'static str,
    pub(super) measured: String,
    /// Whom it is held against, and that one's figure.
    pub(super) against: String,
    pub(super) ratio: String,
    pub(super) target: &'static str,
    /// Unknown when it could not be measured.
    pub(super) met: Option<bool>,
}

/// What is compared.
#[derive(Clone, Copy)]
enum Figure {
    Wall,
    Cpu,
}

impl Figure {
    fn of(self, side: &Side) -> Option<f64> {
        let spread = match self {
            Self::Wall => side.wall,
            Self::Cpu => side.cpu,
        };
        Some(spread?.median)
    }

    fn shown(self, figure: f64) -> String {
        let what = match self {
            Self::Wall => "wall",
            Self::Cpu => "CPU",
        };
        format!("{} s {what}", seconds(figure))
    }
}

/// How the ratio is given, and what it has to be.
#[derive(Clone, Copy)]
enum Aim {
    /// Ours to theirs.
    AtMost(f64),
    /// Theirs to ours.
    TimesFaster(f64),
    /// Our speed in per cent of theirs.
    Speed(f64),
}

impl Aim {
    fn judged(self, ours: f64, theirs: f64) -> (String, bool) {
        match self {
            Self::AtMost(most) => (format!("{:.2}x", ours / theirs), ours / theirs <= most),
            Self::TimesFaster(least) => (format!("{:.1}x", theirs / ours), theirs / ours >= least),
            Self::Speed(least) => {
                let speed = theirs / ours * 100.0;
                (format!("{speed:.0} %"), speed >= least)
            }
        }
    }
}

/// A target that compares: its number, its words, the work, our side, and the others, of whom the
/// best counts.
struct Comparison {
    number: u32,
    what: &'static str,
    work: &'static str,
    ours: &'static str,
    others: &'static [&'static str],
    target: &'static str,
    aim: Aim,
}

impl Comparison {
    fn judged(&self, run: &Run, figure: Figure) -> Verdict {
        let work = run.work(self.work);
        let of = |name: &'static str| figure.of(work?.side(name)?);
        let ours = of(self.ours);
        let best = self.others.iter().filter_map(|name| Some((*name, of(name)?)));
        let best = best.min_by(|one, other| one.1.total_cmp(&other.1));
        let judged = ours.zip(best).map(|(ours, (_, theirs))| self.aim.judged(ours, theirs));
        Verdict {
            number: self.number,
            work: self.what,
            measured: ours.map_or_else(not_measured, |ours| figure.shown(ours)),
            against: best.map_or_else(not_measured, |(name, theirs)| {
                format!("{name}: {}", figure.shown(theirs))
            }),
            ratio: judged.as_ref().map_or_else(|| "–".to_owned(), |(ratio, _)| ratio.clone()),
            target: self.target,
            met: judged.map(|(_, met)| met),
        }
    }
}

fn not_measured() -> String {
    "not measured".to_owned()
}

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
    let at = verdicts.iter().position(|verdict| verdict.number > 5).unwrap_or(verdicts.len());
    verdicts.insert(at, peak(run, (5, "nothing changed: peak"), MANY_FOLDERS, AGAIN));
    verdicts.extend([
        peak(run, (13, "first publication of files: peak"), MANY_FOLDERS, FIRST),
        peak(run, (13, "records, first publication: peak"), RECORDS, FIRST),
        peak(run, (13, "records, nothing changed: peak"), RECORDS, AGAIN),
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

/// Whether memory stays under 100 MiB.
fn peak(run: &Run, (number, what): (u32, &'static str), work: &str, side: &str) -> Verdict {
    let peak = run.work(work).and_then(|work| work.side(side)?.peak_kib);
    Verdict {
        number,
        work: what,
        measured: peak.map_or_else(not_measured, |kib| format!("{} MiB", mebibytes(kib))),
        against: "–".to_owned(),
        ratio: "–".to_owned(),
        target: "< 100 MiB",
        met: peak.map(|kib| kib < 100 << 10),
    }
}

#[cfg(test)]
mod tests {
    use super::super::data::Work;
    use super::*;
    use crate::bench::data::Spread;
    use crate::bench::machine::Machine;

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
