//! D5: Change Lists that are rewritten, replayed, thrown away or not there, one after the other.

use crate::d_changes::{at, change};
use crate::support::documents::{
    Item, change_list, change_list_of, document, index, resource_list_at,
};
use crate::support::stage::{Case, Stage, case};

const FILES: &[(&str, &str)] = &[("a.txt", "one"), ("b.txt", "two")];

fn change_index(stage: &Stage, parts: &[(&str, &str, Option<&str>)]) {
    let items: Vec<Item> = parts
        .iter()
        .map(|(path, from, until)| {
            let item = stage.item(path).md("from", from);
            match until {
                Some(until) => item.md("until", until),
                None => item,
            }
        })
        .collect();
    let head = format!("<rs:md capability=\"changelist\" from=\"{}\"/>", parts[0].1);
    stage.changes(&index(&head, &items));
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        case("D4 a Change List that deletes all", || {
            let stage = Stage::new();
            let names: Vec<String> = (0..40).map(|number| format!("{number}.txt")).collect();
            let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
            stage.files(&files);
            stage.list(&stage.items(&files));
            stage.changes(&change_list(&[]));
            stage.sync(&[]).exits(0);
            let all: Vec<Item> =
                names.iter().map(|name| change(&stage, name, "deleted", &at("02-01"))).collect();
            stage.changes(&change_list(&all));
            stage.sync(&["--delete"]).exits(1).counts("held", 40).counts("deleted", 0);
            assert_eq!(stage.found().len(), 40);
        }),
        case("D5 an old list is replayed", || {
            let stage = Stage::followed(FILES);
            let old = vec![stage.item("a.txt").change("updated").at(&at("02-01")).of("newer")];
            let mut new = old.clone();
            new.push(stage.item("a.txt").change("updated").at(&at("02-02")).of("newest"));
            new.push(change(&stage, "b.txt", "deleted", &at("02-02")));
            stage.files(&[("a.txt", "newest")]);
            stage.changes(&change_list(&new));
            stage.sync(&["--delete"]).exits(0);
            stage.has(&[("a.txt", "newest")]);
            stage.files(&[("a.txt", "newer")]);
            stage.changes(&change_list(&old));
            // The Source was rolled back, and the copy is what its documents say now.
            stage.sync(&["--delete"]).exits(0).says("rewritten");
            stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
        }),
        case("D5 an open list is rewritten", || {
            let stage = Stage::followed(FILES);
            stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
            stage.changes(&change_list(&[change(&stage, "a.txt", "updated", &at("02-01"))]));
            stage.sync(&[]).exits(0);
            stage.changes(&change_list(&[change(&stage, "c.txt", "created", &at("02-02"))]));
            // Nothing tells of the change of a any more, and its bytes are not those of the list.
            stage.sync(&[]).exits(1).says("rewritten").says("a.txt");
            stage.has(&[("a.txt", "newer"), ("b.txt", "two"), ("c.txt", "three")]);
            stage.list_text(resource_list_at(
                &at("03-01"),
                &stage.items(&[("a.txt", "newer"), ("b.txt", "two"), ("c.txt", "three")]),
            ));
            stage.sync(&["--baseline"]).exits(0);
            stage.sync(&[]).exits(0);
        }),
        case("D5 a list that begins after the copy: everything is compared", || {
            let stage = Stage::followed(FILES);
            stage.files(&[("a.txt", "newer")]);
            let items = stage.items(&[("a.txt", "newer"), ("b.txt", "two")]);
            stage.list_text(resource_list_at(&at("03-01"), &items));
            stage.changes(&change_list_of(&at("03-01"), None, &[]));
            stage.sync(&[]).exits(0);
            stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
        }),
        case("D5 a list that begins after the Resource List, for good", || {
            let stage = Stage::with(FILES);
            stage.files(&[("c.txt", "three")]);
            // It begins with its first change, as some publishers think it should.
            let created = change(&stage, "c.txt", "created", &at("02-01")).of("three");
            stage.changes(&change_list_of(&at("02-01"), None, &[created]));
            // January is a gap, in each run, until a newer list closes it.
            for _ in 0..2 {
                stage.sync(&[]).exits(1).says("between 2026-01-01").says("and 2026-02-01");
                stage.has(&[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]);
            }
            let items = stage.items(&[("a.txt", "one"), ("b.txt", "two"), ("c.txt", "three")]);
            stage.list_text(resource_list_at(&at("02-02"), &items));
            stage.offer(&["resourcelist", "changelist"]);
            stage.sync(&[]).exits(0);
        }),
        case("D5 lists that lie over each other", || {
            let stage = Stage::followed(FILES);
            stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
            let shared = change(&stage, "a.txt", "updated", &at("02-02"));
            let (january, march) = (at("01-01"), at("03-01"));
            stage.text(
                "/1.xml",
                change_list_of(
                    &january,
                    Some(&march),
                    &[change(&stage, "c.txt", "created", &at("02-01")), shared.clone()],
                ),
            );
            stage.text(
                "/2.xml",
                change_list_of(
                    &at("02-01"),
                    None,
                    &[shared, change(&stage, "b.txt", "deleted", &at("02-03"))],
                ),
            );
            change_index(
                &stage,
                &[("1.xml", &january, Some(&march)), ("2.xml", &at("02-01"), None)],
            );
            stage.sync(&["--delete"]).exits(0);
            stage.has(&[("a.txt", "newer"), ("c.txt", "three")]);
        }),
        case("D5 closed lists are thrown away while nobody looks", || {
            let stage = Stage::followed(FILES);
            stage.files(&[("a.txt", "newer")]);
            let (january, february, march, april) =
                (at("01-01"), at("02-01"), at("03-01"), at("04-01"));
            let first = [change(&stage, "a.txt", "updated", &at("01-02"))];
            stage.text("/1.xml", change_list_of(&january, Some(&february), &first));
            stage.text("/2.xml", change_list_of(&february, None, &[]));
            change_index(
                &stage,
                &[("1.xml", &january, Some(&february)), ("2.xml", &february, None)],
            );
            stage.sync(&["--delete"]).exits(0);
            stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
            // In March b is deleted and c comes, and by April nothing tells of it but the list.
            stage.files(&[("c.txt", "three")]);
            let items = stage.items(&[("a.txt", "newer"), ("c.txt", "three")]);
            stage.list_text(resource_list_at(&april, &items));
            stage.text("/4.xml", change_list_of(&april, None, &[]));
            change_index(&stage, &[("4.xml", &april, None)]);
            assert!(march < april);
            stage.sync(&["--delete"]).exits(0);
            stage.has(&[("a.txt", "newer"), ("c.txt", "three")]);
        }),
        case("D5 an open list is closed under another name", || {
            let stage = Stage::followed(FILES);
            stage.files(&[("a.txt", "newer")]);
            let (january, february) = (at("01-01"), at("02-01"));
            let one = change(&stage, "a.txt", "updated", &at("01-02"));
            stage.text("/open.xml", change_list_of(&january, None, std::slice::from_ref(&one)));
            change_index(&stage, &[("open.xml", &january, None)]);
            stage.sync(&["--delete"]).exits(0);
            stage.files(&[("c.txt", "three")]);
            let two = change(&stage, "c.txt", "created", &at("01-03"));
            stage.text("/1.xml", change_list_of(&january, Some(&february), &[one, two]));
            let three = change(&stage, "b.txt", "deleted", &at("02-02"));
            stage.text("/open.xml", change_list_of(&february, None, &[three]));
            change_index(
                &stage,
                &[("1.xml", &january, Some(&february)), ("open.xml", &february, None)],
            );
            stage.sync(&["--delete"]).exits(0);
            stage.has(&[("a.txt", "newer"), ("c.txt", "three")]);
        }),
        case("D5 a part of the changes is missing", || {
            let stage = Stage::followed(FILES);
            stage.files(&[("a.txt", "newer"), ("c.txt", "three")]);
            let (january, february) = (at("01-01"), at("02-01"));
            let two = [change(&stage, "a.txt", "updated", &at("02-02"))];
            stage.text("/2.xml", change_list_of(&february, None, &two));
            change_index(
                &stage,
                &[("1.xml", &january, Some(&february)), ("2.xml", &february, None)],
            );
            stage.sync(&["--delete"]).exits(1).says("1.xml");
            let one = [change(&stage, "c.txt", "created", &at("01-02"))];
            stage.text("/1.xml", change_list_of(&january, Some(&february), &one));
            stage.sync(&["--delete"]).exits(0);
            stage.has(&[("a.txt", "newer"), ("b.txt", "two"), ("c.txt", "three")]);
        }),
        case("D5 a closed list is edited", || {
            let stage = Stage::followed(FILES);
            stage.files(&[("a.txt", "newer")]);
            let (january, february) = (at("01-01"), at("02-01"));
            let one = [change(&stage, "a.txt", "updated", &at("01-02"))];
            stage.text("/1.xml", change_list_of(&january, Some(&february), &one));
            stage.text("/2.xml", change_list_of(&february, None, &[]));
            change_index(
                &stage,
                &[("1.xml", &january, Some(&february)), ("2.xml", &february, None)],
            );
            stage.sync(&["--delete"]).exits(0);
            let edited = [change(&stage, "b.txt", "deleted", &at("01-03"))];
            stage.text("/1.xml", change_list_of(&january, Some(&february), &edited));
            stage.sync(&["--delete"]).exits(0);
            stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
        }),
        case("D5 the Change List is a page", || {
            let stage = Stage::followed(FILES);
            stage.text("/changelist.xml", "<html>Sign in</html>");
            stage.sync(&["--delete"]).exits(2);
            stage.has(FILES);
        }),
        case("D5 the Change List is a Resource List", || {
            let stage = Stage::followed(FILES);
            stage.text("/changelist.xml", document("<rs:md capability=\"resourcelist\"/>", &[]));
            stage.sync(&["--delete"]).exits(2);
            stage.has(FILES);
        }),
        case("D5 the Change List is not there", || {
            let stage = Stage::followed(FILES);
            stage.server.remove("/changelist.xml");
            stage.sync(&["--delete"]).exits(1).says("changelist.xml");
            stage.has(FILES);
        }),
        case("D5 the Change List is no longer offered", || {
            let stage = Stage::followed(FILES);
            stage.server.remove("/changelist.xml");
            stage.files(&[("a.txt", "newer")]);
            stage.list(&stage.items(&[("a.txt", "newer")]));
            stage.sync(&["--delete"]).exits(0);
            stage.has(&[("a.txt", "newer")]);
        }),
        case("D3 until before from", || {
            let stage = Stage::followed(FILES);
            stage.files(&[("a.txt", "newer")]);
            let one = [change(&stage, "a.txt", "updated", &at("02-01"))];
            stage.changes(&change_list_of(&at("01-01"), Some("2020-01-01T00:00:00Z"), &one));
            stage.sync(&[]).exits(0);
            stage.has(&[("a.txt", "newer"), ("b.txt", "two")]);
        }),
    ]
}
