//! The section on copying in `benchmarks.md`.

use super::data::{COPY_DISK, COPY_TMPFS, FAR, UNCHANGED};
use super::targets::verdicts;
use crate::bench::chart::Scale;
use crate::bench::section::{Plot, Section};

pub(super) const SECTION: Section = Section {
    name: "sync",
    heading: "Copying",
    about: "copying",
    notes: "Times are medians over the runs that count, after one that does not; CPU time is the \
            user's and the system's, of all processes of the client; the peak is the highest of \
            all runs. The server runs on the same cores. Each run begins without a copy, unless \
            it says otherwise, and is looked at afterwards: all files are there. The last columns: \
            how much the first line takes for each second of that line.",
    plots: &[
        Plot { name: "tmpfs", title: "First copy", work: COPY_TMPFS, scale: Scale::Linear },
        Plot {
            name: "disk",
            title: "First copy, onto a disk",
            work: COPY_DISK,
            scale: Scale::Linear,
        },
        Plot {
            name: "far",
            title: "First copy over a slow network",
            work: FAR,
            scale: Scale::Linear,
        },
        Plot {
            name: "unchanged",
            title: "Nothing changed",
            work: UNCHANGED,
            scale: Scale::Logarithmic,
        },
    ],
    verdicts,
};
