//! The plots of publishing.

use super::data::{DUMP_OF_NOISE, MANY_FOLDERS, Run, SMALL_FILES};
use crate::bench::chart::{Bar, Scale, bars};
use crate::bench::shown::{median, seconds};

/// Each with the name of its file.
pub(super) fn plots(run: &Run) -> [(&'static str, String); 3] {
    [
        ("publish-small.svg", plot(run, SMALL_FILES, Scale::Logarithmic)),
        ("publish-unchanged.svg", plot(run, MANY_FOLDERS, Scale::Linear)),
        ("publish-dump.svg", plot(run, DUMP_OF_NOISE, Scale::Linear)),
    ]
}

fn plot(run: &Run, id: &str, scale: Scale) -> String {
    let work = run.work(id);
    let sides = work.map_or(&[][..], |work| &work.sides);
    let bar = |side: &super::data::Side| {
        let value = median(side.wall)?;
        Some(Bar { label: side.name.clone(), value, shown: seconds(value), ours: side.ours })
    };
    let title = work.map_or(id, |work| &work.title);
    let shown: Vec<Bar> = sides.iter().filter_map(bar).collect();
    bars(&format!("{title}: wall time"), "seconds", scale, &shown)
}
