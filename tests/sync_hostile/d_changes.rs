//! D5: changes in any order and number, against what the copy must be then.

use std::collections::BTreeMap;

use crate::support::documents::{Item, change_list};
use crate::support::stage::{Case, Stage, case};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];

/// A change that the Source tells of. Each content is served under a path of its own name.
pub(crate) fn change(stage: &Stage, path: &str, change: &str, time: &str) -> Item {
    stage.item(path).change(change).at(time)
}

/// A time in 2026: the month, the day and so on as they stand there.
pub(crate) fn at(rest: &str) -> String {
    format!("2026-{rest}T00:00:00Z")
}

/// Copied and followed; then these are served, this Change List comes, and the copy is this.
fn after(
    name: &str,
    serve: &'static [(&'static str, &'static str)],
    changes: fn(&Stage) -> Vec<Item>,
    expected: &'static [(&'static str, &'static str)],
) -> Case {
    case(format!("D5 {name}"), move || {
        let stage = Stage::followed(FILES);
        stage.files(serve);
        stage.changes(&change_list(&changes(&stage)));
        stage.sync(&["--delete"]).exits(0);
        stage.has(expected);
        // The same list once more changes nothing.
        stage.sync(&["--delete"]).exits(0);
        stage.has(expected);
    })
}

/// After a change that has this, and no more, the audit agrees.
fn audited(name: &str, item: fn(&Stage) -> Item) -> Case {
    case(format!("D5 audit after a change with {name}"), move || {
        let stage = Stage::followed(FILES);
        stage.files(&[("a.txt", "newer")]);
        stage.changes(&change_list(&[item(&stage)]));
        stage.sync(&[]).exits(0);
        stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
        stage.in_sync("/capabilitylist.xml", &[]);
    })
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = orders();
    cases.extend((0..8).map(random));
    cases
}

fn orders() -> Vec<Case> {
    vec![
        audited("the time of a change", |stage| change(stage, "a.txt", "updated", &at("02-01"))),
        audited("the time of a change, and that of the resource", |stage| {
            change(stage, "a.txt", "updated", &at("02-01")).lastmod("2026-01-31T00:00:00Z")
        }),
        audited("no time", |stage| stage.item("a.txt").change("updated")),
        audited("the time of the resource", |stage| {
            stage.item("a.txt").change("updated").lastmod("2026-02-01T00:00:00Z")
        }),
        audited("a digest", |stage| change(stage, "a.txt", "updated", &at("02-01")).of("newer")),
        after(
            "the same change twice",
            &[("a.txt", "newer")],
            |stage| vec![change(stage, "a.txt", "updated", &at("02-01")); 2],
            &[("a.txt", "newer"), ("b.txt", "two")],
        ),
        after(
            "shuffled",
            &[("c.txt", "three")],
            |stage| {
                vec![
                    change(stage, "a.txt", "deleted", &at("02-03")),
                    change(stage, "c.txt", "created", &at("02-04")),
                    change(stage, "a.txt", "updated", &at("02-01")),
                    change(stage, "c.txt", "deleted", &at("02-02")),
                ]
            },
            &[("b.txt", "two"), ("c.txt", "three")],
        ),
        after(
            "an update after a delete",
            &[("a.txt", "newer")],
            |stage| {
                vec![
                    change(stage, "a.txt", "deleted", &at("02-01")),
                    change(stage, "a.txt", "updated", &at("02-02")),
                ]
            },
            &[("a.txt", "newer"), ("b.txt", "two")],
        ),
        after(
            "created twice",
            &[("a.txt", "newer")],
            |stage| {
                vec![
                    change(stage, "a.txt", "created", &at("02-01")),
                    change(stage, "a.txt", "created", &at("02-02")),
                ]
            },
            &[("a.txt", "newer"), ("b.txt", "two")],
        ),
        after(
            "a delete of what nobody knows",
            &[],
            |stage| vec![change(stage, "x.txt", "deleted", &at("02-01"))],
            FILES,
        ),
        after(
            "the same second: their order decides",
            &[],
            |stage| {
                vec![
                    change(stage, "a.txt", "updated", &at("02-01")),
                    change(stage, "a.txt", "deleted", &at("02-01")),
                ]
            },
            &[("b.txt", "two")],
        ),
        after(
            "the same second, the other way",
            &[("a.txt", "newer")],
            |stage| {
                vec![
                    change(stage, "a.txt", "deleted", &at("02-01")),
                    change(stage, "a.txt", "created", &at("02-01")),
                ]
            },
            &[("a.txt", "newer"), ("b.txt", "two")],
        ),
        after(
            "before the time that the list begins at",
            &[("a.txt", "newer")],
            |stage| vec![change(stage, "a.txt", "updated", "2025-06-01T00:00:00Z")],
            &[("a.txt", "newer"), ("b.txt", "two")],
        ),
        after(
            "without any time",
            &[("a.txt", "newer")],
            |stage| {
                vec![stage.item("a.txt").change("updated"), stage.item("b.txt").change("deleted")]
            },
            &[("a.txt", "newer")],
        ),
        after(
            "in the future",
            &[("a.txt", "newer")],
            |stage| vec![change(stage, "a.txt", "updated", "2199-01-01T00:00:00Z")],
            &[("a.txt", "newer"), ("b.txt", "two")],
        ),
        after(
            "the time of the change is not that of the resource",
            &[("a.txt", "newer")],
            |stage| {
                vec![
                    change(stage, "a.txt", "updated", &at("02-01")).lastmod("2020-01-01T00:00:00Z"),
                ]
            },
            &[("a.txt", "newer"), ("b.txt", "two")],
        ),
        after(
            "a change of an unknown kind",
            &[("a.txt", "newer")],
            |stage| vec![change(stage, "a.txt", "moved", &at("02-01"))],
            &[("a.txt", "newer"), ("b.txt", "two")],
        ),
    ]
}

/// Random changes, told in random portions and random order, twice, and all over again: in the end
/// the copy is what the model is.
fn random(seed: u64) -> Case {
    case(format!("D5 history {seed}"), move || {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = move |most: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as usize % most
        };
        let stage = Stage::followed(FILES);
        let mut model: BTreeMap<String, String> =
            FILES.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let mut told: Vec<Item> = Vec::new();
        for step in 0..5 {
            for number in 0..1 + below(4) {
                let path = format!("{}.txt", ["a", "b", "c", "d"][below(4)]);
                let time = format!("2026-02-{:02}T00:00:{number:02}Z", step + 1);
                if below(3) == 0 {
                    told.push(change(&stage, &path, "deleted", &time));
                    stage.server.remove(&format!("/{path}"));
                    model.remove(&path);
                } else {
                    let text = format!("{path} of {time}");
                    told.push(change(&stage, &path, "updated", &time).of(&text));
                    stage.text(&format!("/{path}"), text.as_bytes());
                    model.insert(path, text);
                }
            }
            let mut list = told.clone();
            match below(4) {
                0 => list.reverse(),
                1 => list.extend(told.clone()),
                2 => (0..list.len()).for_each(|place| list.swap(place, below(place + 1))),
                _ => {}
            }
            stage.changes(&change_list(&list));
            // It may be that nothing is left.
            stage.sync(&["--delete", "--force-delete"]).exits(0);
            let found: BTreeMap<String, String> = stage
                .found()
                .into_iter()
                .map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap()))
                .collect();
            assert_eq!(found, model, "after step {step}");
        }
        stage.in_sync("/capabilitylist.xml", &[]);
    })
}
