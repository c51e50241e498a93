//! The targets of pages, and whether a run met them.

use super::data::{COLLECTION, HOME, ON_POSTGRES, ON_SQLITE};
use crate::bench::shown::{milliseconds, thousands};
use crate::bench::verdict::Verdict;
use crate::bench::works::{Run, Side};

/// All targets that `bench pages` can judge.
pub(super) fn verdicts(run: &Run) -> Vec<Verdict> {
    let side = |work: &str, page: &str| run.work(work)?.side(page);
    let soon = |what, page: Option<&Side>| {
        let shown = |figure: f64| format!("{} ms", milliseconds(figure));
        let figure = page.and_then(|page| Some(page.wall?.median));
        Verdict::alone((None, what), figure, shown, ("< 50 ms", |figure| figure < 0.05))
    };
    let small = |what, page: Option<&Side>| {
        let shown = |figure: f64| format!("{} bytes", thousands(figure));
        let figure = page.and_then(|page| Some(page.sent? as f64));
        Verdict::alone((None, what), figure, shown, ("< 100 kB", |figure| figure < 100_000.0))
    };
    vec![
        soon("home of many sites", side(ON_SQLITE, HOME)),
        small("home of many sites, sent", side(ON_SQLITE, HOME)),
        soon("a collection with very many changes", side(ON_SQLITE, COLLECTION)),
        small("a collection with very many changes, sent", side(ON_SQLITE, COLLECTION)),
        soon("home of many sites, from PostgreSQL", side(ON_POSTGRES, HOME)),
        soon("a collection with very many changes, from PostgreSQL", side(ON_POSTGRES, COLLECTION)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::data::Spread;
    use crate::bench::machine::Machine;
    use crate::bench::works::Work;

    fn met(wall: f64, sent: u64) -> Vec<Option<bool>> {
        let wall = Spread::of(&[wall]);
        let side = Side { name: HOME.to_owned(), wall, sent: Some(sent), ..Side::default() };
        let work = Work {
            id: ON_SQLITE.to_owned(),
            title: String::new(),
            about: String::new(),
            resources: 1,
            bytes: 0,
            sides: vec![side],
        };
        let (command, machine) = (String::new(), Machine::default());
        let found = verdicts(&Run { command, quick: false, machine, works: vec![work] });
        found.iter().map(|verdict| verdict.met).take(3).collect()
    }

    #[test]
    fn a_page_is_to_be_soon_and_small() {
        assert_eq!(met(0.049, 99_999), [Some(true), Some(true), None]);
        assert_eq!(met(0.05, 100_000), [Some(false), Some(false), None]);
    }
}
