//! The section on the live site in `benchmarks.md`.

use super::data::{SITEMAP, VIEWS};
use super::targets::verdicts;
use crate::bench::chart::Scale;
use crate::bench::section::{Plot, Section};

pub(super) const SECTION: Section = Section {
    name: "site",
    heading: "A live site",
    about: "a live site",
    notes: "Whoever asks is on the same cores as the server, and so is whoever else used the machine \
            during the run. Times are medians over the rounds that count. The last columns: how much the \
            first line takes for each second of that line.",
    plots: &[
        Plot { name: "sitemap", title: "The sitemap", work: SITEMAP, scale: Scale::Linear },
        Plot { name: "views", title: "Page views", work: VIEWS, scale: Scale::Linear },
    ],
    verdicts,
};
