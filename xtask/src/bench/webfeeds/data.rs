//! The names of works and sides in the data file of `bench webfeeds`.

pub(crate) use crate::bench::follow::data::SERVE;

pub(crate) const POLLS: &str = "webfeed-polls";
pub(crate) const SAFE: &str = "made safe";
pub(crate) const POST: &str = "post";
pub(crate) const CSS: &str = "css";
pub(crate) const GRID: &str = "grid";

pub(crate) const WHOLE: &str = "Tidings, a post";
pub(crate) const SHEET: &str = "Tidings, a style sheet";
pub(crate) const AMMONIA: &str = "ammonia";
pub(crate) const TOKENIZER: &str = "html5gum, tags only";
pub(crate) const PAINT: &str = "Tidings, first paint";
pub(crate) const LEADS: &str = "Tidings, leads in sight";
/// Frames while somebody scrolls through the grid.
pub(crate) const SCROLL: &str = "scroll";
pub(crate) const MEDIAN_SECOND: &str = "Tidings, the median second";
pub(crate) const SLOWEST_SECOND: &str = "Tidings, the slowest second";
