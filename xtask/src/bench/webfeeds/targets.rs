//! The targets of webfeeds, and whether a run met them.

use super::data::{
    AMMONIA, GRID, LEADS, MEDIAN_SECOND, PAINT, POLLS, POST, SCROLL, SERVE, SLOWEST_SECOND, WHOLE,
};
use crate::bench::shown::{seconds, thousands};
use crate::bench::verdict::Verdict;
use crate::bench::works::Run;

/// All targets that `bench webfeeds` can judge.
pub(super) fn verdicts(run: &Run) -> Vec<Verdict> {
    let wall = |work: &str, side: &str| Some(run.work(work)?.side(side)?.wall?.median);
    let polls = run.work(POLLS).map(|work| work.resources as f64);
    let polls = polls.zip(wall(POLLS, SERVE)).map(|(polls, wall)| polls / wall);
    let speed = |side: &str| {
        let bytes = run.work(POST)?.bytes as f64;
        Some(bytes / wall(POST, side)? / 1e6)
    };
    let frames = |side: &str| wall(SCROLL, side).map(|seconds| 1.0 / seconds);
    let megabytes = |figure: f64| format!("{figure:.0} MB/s");
    let mut safe = Verdict::alone(
        (None, "posts made safe, on one core"),
        speed(WHOLE),
        megabytes,
        (">= 50 MB/s", |figure| figure >= 50.0),
    );
    if let (Some(ours), Some(theirs)) = (speed(WHOLE), speed(AMMONIA)) {
        safe.against = format!("{AMMONIA}: {}", megabytes(theirs));
        safe.ratio = format!("{:.1}x as fast", ours / theirs);
    }
    vec![
        Verdict::alone(
            (None, "polls of webfeeds that have nothing new, a second"),
            polls,
            thousands,
            (">= 2,000", |figure| figure >= 2_000.0),
        ),
        safe,
        Verdict::alone(
            (None, "a grid of 1,000 leads: first paint"),
            wall(GRID, PAINT),
            |figure| format!("{} s", seconds(figure)),
            ("< 1 s", |figure| figure < 1.0),
        ),
        Verdict::alone(
            (None, "a grid of 1,000 leads: all leads in sight"),
            wall(GRID, LEADS),
            |figure| format!("{} s", seconds(figure)),
            ("< 2 s", |figure| figure < 2.0),
        ),
        Verdict::alone(
            (None, "scrolling through 1,000 leads: frames of the median second"),
            frames(MEDIAN_SECOND),
            thousands,
            ("> 30", |figure| figure > 30.0),
        ),
        Verdict::alone(
            (None, "scrolling through 1,000 leads: frames of the slowest second"),
            frames(SLOWEST_SECOND),
            thousands,
            ("> 30", |figure| figure > 30.0),
        ),
    ]
}
