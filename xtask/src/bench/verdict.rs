//! Targets, and whether a run met them.

use super::shown::{mebibytes, seconds};
use super::works::{Run, Side};

/// One line of the table of targets.
pub(crate) struct Verdict {
    /// In the list of targets, if it is there.
    pub(crate) number: Option<u32>,
    pub(crate) work: &'static str,
    pub(crate) measured: String,
    /// Whom it is held against, and that one's figure.
    pub(crate) against: String,
    pub(crate) ratio: String,
    pub(crate) target: &'static str,
    /// Unknown when it could not be measured.
    pub(crate) met: Option<bool>,
}

/// What is compared.
#[derive(Clone, Copy)]
pub(crate) enum Figure {
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
pub(crate) enum Aim {
    /// Ours to theirs, and less than this.
    Under(f64),
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
            Self::Under(limit) => (format!("{:.2}x", ours / theirs), ours / theirs < limit),
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
#[derive(Clone, Copy)]
pub(crate) struct Comparison {
    pub(crate) number: u32,
    pub(crate) what: &'static str,
    pub(crate) work: &'static str,
    pub(crate) ours: &'static str,
    pub(crate) others: &'static [&'static str],
    pub(crate) target: &'static str,
    pub(crate) aim: Aim,
}

impl Comparison {
    pub(crate) fn judged(&self, run: &Run, figure: Figure) -> Verdict {
        let work = run.work(self.work);
        let of = |name: &'static str| figure.of(work?.side(name)?);
        let ours = of(self.ours);
        let best = self.others.iter().filter_map(|name| Some((*name, of(name)?)));
        let best = best.min_by(|one, other| one.1.total_cmp(&other.1));
        let judged = ours.zip(best).map(|(ours, (_, theirs))| self.aim.judged(ours, theirs));
        Verdict {
            number: Some(self.number),
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

impl Verdict {
    /// Of a figure that is held against nobody's.
    pub(crate) fn alone(
        (number, work): (Option<u32>, &'static str),
        figure: Option<f64>,
        shown: impl Fn(f64) -> String,
        (target, met): (&'static str, impl Fn(f64) -> bool),
    ) -> Self {
        Self {
            number,
            work,
            measured: figure.map_or_else(not_measured, shown),
            against: "–".to_owned(),
            ratio: "–".to_owned(),
            target,
            met: figure.map(met),
        }
    }

    /// Whether memory stays under so many MiB.
    pub(crate) fn peak(
        run: &Run,
        (number, what): (u32, &'static str),
        (work, side): (&str, &str),
        (target, limit): (&'static str, u64),
    ) -> Self {
        let peak = run.work(work).and_then(|work| work.side(side)?.peak_kib);
        let shown = |kib: f64| format!("{} MiB", mebibytes(kib as u64));
        let met = |kib: f64| kib < (limit << 10) as f64;
        Self::alone((Some(number), what), peak.map(|kib| kib as f64), shown, (target, met))
    }
}
