//! The section on following in `benchmarks.md`.

use super::data::{FEED, HANGING, HANGING_SPREAD, UNCHANGED_FEED};
use super::targets::verdicts;
use crate::bench::chart::Scale;
use crate::bench::section::{Plot, Section};

pub(super) const SECTION: Section = Section {
    name: "follow",
    heading: "Following",
    about: "following",
    notes: "The sites are not there: one process plays them all, each at a loopback address of its \
            own, on the same cores as what is measured. Times are medians over the runs that count; \
            CPU time and peak are those of the program named. The last columns: how much the first \
            line takes for each second of that line.",
    plots: &[
        Plot {
            name: "unchanged",
            title: "A feed that is as it was",
            work: UNCHANGED_FEED,
            scale: Scale::Linear,
        },
        Plot { name: "feed", title: "A feed that is sent", work: FEED, scale: Scale::Linear },
        Plot {
            name: "hanging",
            title: "Sites that hang, all due at once",
            work: HANGING,
            scale: Scale::Linear,
        },
        Plot {
            name: "hanging-spread",
            title: "Sites that hang, due in turn",
            work: HANGING_SPREAD,
            scale: Scale::Linear,
        },
    ],
    verdicts,
};
