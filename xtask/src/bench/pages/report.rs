//! The section on pages in `benchmarks.md`.

use super::data::{COLLECTION_LOAD, HOME_LOAD, ON_POSTGRES, ON_SQLITE};
use super::targets::verdicts;
use crate::bench::chart::Scale;
use crate::bench::section::{Plot, Section};

pub(super) const SECTION: Section = Section {
    name: "pages",
    heading: "Pages",
    about: "pages",
    notes: "Whoever asks is on the same cores as the server, and so is whoever else used the machine \
            during the run: times are upper bounds. Times are medians over the requests that count, \
            after twenty that do not; CPU time is the server's mean for one. The last columns: how \
            much the first line takes for each second of that line.",
    plots: &[
        Plot {
            name: "sqlite",
            title: "One page at a time",
            work: ON_SQLITE,
            scale: Scale::Logarithmic,
        },
        Plot {
            name: "postgres",
            title: "One page at a time, from PostgreSQL",
            work: ON_POSTGRES,
            scale: Scale::Logarithmic,
        },
        Plot {
            name: "home",
            title: "Home, for several",
            work: HOME_LOAD,
            scale: Scale::Logarithmic,
        },
        Plot {
            name: "collection",
            title: "A collection, for several",
            work: COLLECTION_LOAD,
            scale: Scale::Logarithmic,
        },
    ],
    verdicts,
};
