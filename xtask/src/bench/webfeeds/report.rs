//! The section on webfeeds in `benchmarks.md`.

use super::data::{POLLS, POST};
use super::targets::verdicts;
use crate::bench::chart::Scale;
use crate::bench::section::{Plot, Section};

pub(super) const SECTION: Section = Section {
    name: "webfeeds",
    heading: "Webfeeds",
    about: "webfeeds",
    notes: "Whoever asks is on the same cores as the server, and so is whoever else used the machine \
            during the run. Times are medians over the rounds that count. The last columns: how much the \
            first line takes for each second of that line.",
    plots: &[
        Plot { name: "webfeed-polls", title: "Polls", work: POLLS, scale: Scale::Linear },
        Plot { name: "safe", title: "Posts made safe", work: POST, scale: Scale::Linear },
    ],
    verdicts,
};
