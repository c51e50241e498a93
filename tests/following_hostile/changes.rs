//! Change Lists that say things twice, out of order, too late, too early, or too often.

use std::time::{Duration, Instant};

use crate::stage::{CHANGES, Stage};
use crate::support::documents::Item;

fn reason(stage: &Stage) -> String {
    stage.collection()["reason"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_same_change_is_told_once_in_one_list_and_across_polls() {
    let stage = Stage::garden(&[]);
    let a = stage.change("a", "updated", "2026-01-02T00:00:00Z");
    let b = stage.change("b", "created", "2026-01-02T00:00:01Z");
    stage.put_changes(&[a.clone(), a.clone(), b.clone(), a.clone()]);
    stage.follow(&[]).exits(0);
    assert_eq!(stage.told(), ["updated a", "created b"]);
    stage.put_changes(&[b.clone(), a.clone(), b.clone(), b, a.clone()]);
    stage.brings(0);
    // The same page at another time, and another kind at the same time, are other changes.
    stage.put_changes(&[
        a,
        stage.change("a", "deleted", "2026-01-02T00:00:00Z"),
        stage.change("a", "updated", "2026-01-02T00:00:02Z"),
    ]);
    stage.brings(2);
}

#[test]
fn changes_come_in_the_order_of_their_times_whatever_that_of_the_list_is() {
    let stage = Stage::garden(&[]);
    let at = |page: &str, day: u32| stage.change(page, "created", &format!("2026-01-{day:02}"));
    stage.put_changes(&[at("c", 3), at("a", 1), at("d", 4), at("b", 2)]);
    stage.follow(&[]).exits(0);
    assert_eq!(stage.told(), ["created a", "created b", "created c", "created d"]);
    // What is added is told, wherever in the list it stands.
    stage.put_changes(&[at("e", 5), at("c", 3), at("f", 6), at("a", 1), at("d", 4), at("b", 2)]);
    stage.brings(2);
    assert_eq!(stage.told()[4..], ["created e", "created f"]);
}

#[test]
fn a_change_that_comes_a_little_late_is_told() {
    let stage = Stage::garden(&[]);
    stage.put_changes(&[stage.change("a", "created", "2026-01-02T12:00:00Z")]);
    stage.follow(&[]).exits(0);
    stage.put_changes(&[
        stage.change("late", "created", "2026-01-02T11:30:00Z"),
        stage.change("a", "created", "2026-01-02T12:00:00Z"),
    ]);
    stage.brings(1);
}

#[test]
fn an_older_list_is_noticed_tells_nothing_and_hides_nothing() {
    let stage = Stage::garden(&[]);
    let at = |page: &str, day: u32| {
        stage.change(page, "updated", &format!("2026-01-{day:02}T00:00:00Z"))
    };
    let all = [at("a", 1), at("b", 10), at("c", 20)];
    stage.put_changes(&all);
    stage.follow(&[]).exits(0);
    let until = stage.collection()["processed_until"].clone();
    // Yesterday's backup; a list of the past that nobody had; none of it is news.
    for older in [vec![at("a", 1)], vec![at("x", 2), at("y", 3)], all[..2].to_vec()] {
        stage.put_changes(&older);
        stage.brings(0);
        assert!(reason(&stage).contains("an older Change List than before"), "{}", reason(&stage));
        assert_eq!(stage.collection()["processed_until"], until);
    }
    stage.put_changes(&[]);
    stage.brings(0);
    assert_eq!(stage.collection()["processed_until"], until);
    stage.put_changes(&[at("a", 1), at("b", 10), at("c", 20), at("d", 21)]);
    stage.brings(1);
    assert_eq!(reason(&stage), "");
}

/// What lies in the future is told once, now, and does not hide what follows.
#[test]
fn a_clock_a_year_ahead_hides_nothing() {
    let stage = Stage::garden(&[]);
    let now = jiff::Timestamp::now();
    let in_hours = |hours: i64| (now + jiff::SignedDuration::from_hours(hours)).to_string();
    let (year, more) = (in_hours(365 * 24), in_hours(366 * 24));
    let future = stage.change("future", "updated", &year);
    stage.put_changes(std::slice::from_ref(&future));
    stage.follow(&[]).exits(0);
    stage.is_settled();
    assert_eq!(stage.told(), ["updated future"]);
    assert!(reason(&stage).contains("in the future"), "{}", reason(&stage));
    // No entry lies in the future, either.
    let newest = stage.collection()["changed_at"].as_str().unwrap().to_owned();
    assert!(newest.parse::<jiff::Timestamp>().unwrap() <= jiff::Timestamp::now());
    // The clock is put right, and changes have the time of now again.
    let right = stage.change("now", "updated", &jiff::Timestamp::now().to_string());
    stage.put_changes(&[future.clone(), right.clone()]);
    stage.brings(1);
    // Or it is not.
    let other = stage.change("other", "updated", &more);
    stage.put_changes(&[future, right, other]);
    stage.brings(1);
    assert_eq!(stage.told().len(), 3);
}

/// Of more changes than are kept only the number is, and that is told once, too.
#[test]
fn many_changes_of_the_future_are_told_once() {
    let stage = Stage::garden(&[]);
    let changes: Vec<Item> = (0..10_500)
        .map(|number| stage.change(&number.to_string(), "updated", "2099-01-01T00:00:00Z"))
        .collect();
    stage.put_changes(&changes);
    stage.follow(&[]).exits(0);
    assert_eq!(stage.collection()["changes"], 10_500);
    stage.brings(0);
}

/// Of more changes than are kept the newest are, whatever the order of the list is.
#[test]
fn of_too_many_changes_the_newest_are_kept() {
    let stage = Stage::garden(&[]);
    let changes: Vec<Item> = (0..10_500)
        .rev()
        .map(|number| {
            let time = format!("2026-01-02T{:02}:{:02}:00Z", number / 1_000, number / 20 % 50);
            stage.change(&number.to_string(), "updated", &time)
        })
        .collect();
    stage.put_changes(&changes);
    stage.follow(&[]).exits(0);
    assert_eq!(stage.collection()["changes"], 10_500);
    assert!(stage.told().contains(&"updated 10499".to_owned()));
}

#[test]
fn changes_that_only_have_lastmod_count_where_nobody_is_strict() {
    for (describes, options, taken) in [
        (true, &[][..], false),
        (true, &["--strict"], false),
        (false, &["--strict"], false),
        (false, &[], true),
    ] {
        let stage = Stage::empty();
        stage.put_source(describes);
        let old = Item::new(stage.url("/garden/old")).lastmod("2026-01-02").change("updated");
        let new = stage.change("new", "updated", "2026-01-03");
        let none = Item::new(stage.url("/garden/none")).change("updated");
        stage.put_changes(&[old, new, none]);
        stage.follow(options).exits(0);
        stage.is_settled();
        let collection = stage.collection();
        let (changes, ignored) = if taken { (2, 1) } else { (1, 2) };
        assert_eq!(
            (collection["changes"].as_i64(), collection["ignored"].as_i64()),
            (Some(changes), Some(ignored)),
            "describes: {describes}, {options:?}"
        );
        assert!(reason(&stage).contains(&format!("{ignored} of its changes are ignored")));
    }
}

/// Times may be as rough as W3C allows; what happened later on the same day or in the same year is told.
#[test]
fn rough_times_hide_nothing() {
    for time in ["2026-01-02", "2026-01", "2026", "2026-01-02T10:00Z", "2026-01-02T10:00:00.5Z"] {
        let stage = Stage::garden(&[]);
        let a = stage.change("a", "created", time);
        let b = stage.change("b", "created", time);
        stage.put_changes(std::slice::from_ref(&a));
        stage.follow(&[]).exits(0);
        assert_eq!(stage.told(), ["created a"], "{time}");
        stage.put_changes(&[a.clone(), b.clone()]);
        stage.brings(1);
        // Exact times in between, and then rough ones again.
        let exact = stage.change("c", "created", "2026-01-02T10:30:00Z");
        stage.put_changes(&[a.clone(), b.clone(), exact.clone()]);
        stage.brings(1);
        let last = stage.change("d", "created", "2026-01-03");
        stage.put_changes(&[a, b, exact, last]);
        stage.brings(1);
        assert_eq!(stage.told(), ["created a", "created b", "created c", "created d"], "{time}");
    }
}

#[test]
fn times_that_are_none_are_ignored_and_counted() {
    let stage = Stage::garden(&[]);
    let times =
        ["yesterday", "", "2026-13-01", "2026-02-30", "99999-01-01", "2026-01-02T25:00:00Z"];
    let mut changes: Vec<Item> =
        times.iter().map(|time| stage.change("x", "updated", time)).collect();
    changes.push(stage.change("good", "updated", "2026-01-02T00:00:00Z"));
    changes.push(stage.change("odd", "renamed", "2026-01-02T00:00:00Z"));
    stage.put_changes(&changes);
    let followed = stage.follow(&[]);
    followed.exits(0);
    assert_eq!(stage.told(), ["updated good"]);
    assert_eq!(stage.collection()["ignored"], 7);
    stage.is_settled();
}

/// More than the protocol allows in one document.
#[test]
fn sixty_thousand_changes_are_one_entry_of_bounded_size() {
    let stage = Stage::garden(&[]);
    let mut changes: Vec<Item> = (0..60_000)
        .map(|number: u32| {
            let time = format!("2026-01-{:02}T00:00:00Z", 1 + number / 3_000);
            stage.change(&number.to_string(), "updated", &time)
        })
        .collect();
    stage.put_changes(&changes);
    let begun = Instant::now();
    let followed = stage.follow(&[]);
    let took = begun.elapsed();
    // A document may be too long, and is then refused as a whole; half of it is never taken for all.
    if followed.code == Some(0) {
        assert_eq!(stage.collection()["changes"], 60_000);
        assert_eq!(stage.ids().len(), 1);
        changes.push(stage.change("last", "created", "2026-01-20T00:00:00Z"));
        stage.put_changes(&changes);
        assert_eq!(stage.poll().changes(), 1);
        let server = stage.follower.serve(&["--no-poll"]);
        for feed in stage.feeds() {
            let answer = server.get(&feed);
            assert_eq!(answer.status, 200);
            assert!(answer.body.len() < 1 << 20, "{feed} has {} bytes", answer.body.len());
        }
    } else {
        stage.is_failing(&[CHANGES]);
        assert!(stage.told().is_empty());
    }
    assert!(took < Duration::from_secs(15), "{took:?}");
}

/// Whatever order polls come in, and whatever of it is served when: the union is told, each once.
#[test]
fn lists_that_shrink_and_grow_tell_each_change_once() {
    let stage = Stage::garden(&[]);
    let all: Vec<Item> = (0..12)
        .map(|number| {
            let time = format!("2026-01-02T00:{:02}:00Z", number * 2);
            stage.change(&format!("p{}", number % 4), "updated", &time)
        })
        .collect();
    stage.put_changes(&all[..1]);
    stage.follow(&[]).exits(0);
    for (from, to) in [(0, 3), (2, 5), (0, 2), (4, 6), (0, 6), (5, 12), (1, 9), (0, 12)] {
        stage.put_changes(&all[from..to]);
        stage.poll().exits(0);
    }
    let mut told = stage.rows("SELECT uri || time_text FROM changes ORDER BY 1");
    assert_eq!(told.len(), 12);
    told.dedup();
    assert_eq!(told.len(), 12);
    stage.is_settled();
}
