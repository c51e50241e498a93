//! The section on publishing in `benchmarks.md`.

use super::data::{DUMP_OF_NOISE, MANY_FOLDERS, SMALL_FILES};
use super::targets::verdicts;
use crate::bench::chart::Scale;
use crate::bench::section::{Plot, Section};

pub(super) const SECTION: Section = Section {
    name: "publish",
    heading: "Publishing",
    about: "publishing",
    notes: "Times are medians over the runs that count, after one that does not; CPU time is the \
            user's and the system's, of all processes; the peak is the highest of all runs. The \
            last columns: how much the first line takes for each second of that line.",
    plots: &[
        Plot { name: "small", title: "Small files", work: SMALL_FILES, scale: Scale::Logarithmic },
        Plot {
            name: "unchanged",
            title: "Nothing changed",
            work: MANY_FOLDERS,
            scale: Scale::Linear,
        },
        Plot {
            name: "dump",
            title: "Dump of what cannot be compressed",
            work: DUMP_OF_NOISE,
            scale: Scale::Linear,
        },
    ],
    verdicts,
};
