//! The targets of the live site, and whether a run met them.

use super::data::{
    EDIT, FILE, FIRST_INDEX, FIRST_LIST, FIRST_PAGE, FIRST_PART, HELLO, LISTED, LIVE, MANY, OBJECT,
    PAGE, SEEN, SITEMAP, START, STARTED_PLAIN, STARTED_VERSIONED, VIEWS,
};
use crate::bench::shown::{milliseconds, seconds};
use crate::bench::verdict::{Aim, Comparison, Figure, Verdict};
use crate::bench::works::Run;

/// All targets that `bench site` can judge.
pub(super) fn verdicts(run: &Run) -> Vec<Verdict> {
    let sitemap = Comparison {
        number: 10,
        what: "a live sitemap, requests a second",
        work: SITEMAP,
        ours: LIVE,
        others: &[FILE],
        target: ">= 50 %",
        aim: Aim::Speed(50.0),
    };
    let view = |what, ours| {
        let comparison = Comparison {
            number: 10,
            what,
            work: VIEWS,
            ours,
            others: &[HELLO],
            target: ">= 50 %",
            aim: Aim::Speed(50.0),
        };
        Verdict { number: None, ..comparison.judged(run, Figure::Wall) }
    };
    let wall = |work: &str, side: &str| Some(run.work(work)?.side(side)?.wall?.median);
    let soon = |what, work, side| {
        let shown = |figure: f64| format!("{} ms", milliseconds(figure));
        Verdict::alone((None, what), wall(work, side), shown, ("< 10 ms", |figure| figure < 0.01))
    };
    let ready = |what, side| {
        let shown = |figure: f64| format!("{} s", seconds(figure));
        Verdict::alone((None, what), wall(START, side), shown, ("< 2 s", |figure| figure < 2.0))
    };
    let edit = |what, side| {
        let shown = |figure: f64| format!("{} ms", milliseconds(figure));
        Verdict::alone((None, what), wall(EDIT, side), shown, ("< 100 ms", |figure| figure < 0.1))
    };
    vec![
        sitemap.judged(run, Figure::Wall),
        Comparison { target: ">= 80 %", aim: Aim::Speed(80.0), ..sitemap }
            .judged(run, Figure::Wall),
        view("page views, requests a second", PAGE),
        view("page views of objects, requests a second", OBJECT),
        ready("start with 100,000 files", STARTED_PLAIN),
        ready("start with 100,000 objects", STARTED_VERSIONED),
        soon("a million pages: first byte of the sitemap", MANY, FIRST_INDEX),
        soon("a million pages: first byte of a part", MANY, FIRST_PART),
        soon("a million pages: first byte of the Resource List", MANY, FIRST_LIST),
        soon("a million pages: first byte of a page", MANY, FIRST_PAGE),
        edit("an edit is in the next page", SEEN),
        edit("a new page is in the next sitemap", LISTED),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::data::Spread;
    use crate::bench::machine::Machine;
    use crate::bench::works::{Side, Work};

    #[test]
    fn a_sitemap_is_held_against_a_file() {
        let side = |name: &str, wall: f64| Side {
            name: name.to_owned(),
            wall: Spread::of(&[wall]),
            ..Side::default()
        };
        let met = |ours: f64| {
            let sides = vec![side(LIVE, ours), side(FILE, 1.0)];
            let (title, about) = (String::new(), String::new());
            let work = Work { id: SITEMAP.to_owned(), title, about, resources: 1, bytes: 0, sides };
            let (command, machine) = (String::new(), Machine::default());
            let found = verdicts(&Run { command, quick: false, machine, works: vec![work] });
            [found[0].met, found[1].met, found[2].met]
        };
        assert_eq!(met(1.1), [Some(true), Some(true), None]);
        assert_eq!(met(1.9), [Some(true), Some(false), None]);
        assert_eq!(met(2.1), [Some(false), Some(false), None]);
    }
}
