use super::*;

fn policy(limits: WalkLimits) -> WalkPolicy {
    WalkPolicy { limits, ..WalkPolicy::default() }
}

/// Walks over a tree, and gives the documents in the order in which they are opened.
fn walked(
    walk: &mut SourceWalk<&'static str, ()>,
    children: fn(&str) -> &'static [&'static str],
) -> Vec<&'static str> {
    let mut opened = Vec::new();
    while let Some(request) = walk.next_request() {
        opened.push(request.url);
        walk.list(request.depth, children(request.url).iter().map(|url| (*url, ())));
    }
    opened
}

/// `a` lists `b` and `c`; `b` lists `d`, `a` and `c`; `c` lists `e`.
fn children(url: &str) -> &'static [&'static str] {
    match url {
        "a" => &["b", "c"],
        "b" => &["d", "a", "c"],
        "c" => &["e"],
        _ => &[],
    }
}

#[test]
fn documents_are_opened_once_in_the_order_asked_for() {
    for (order, expected) in [
        (WalkOrder::DepthFirst, ["a", "b", "d", "c", "e"]),
        (WalkOrder::BreadthFirst, ["a", "b", "c", "d", "e"]),
    ] {
        let mut walk = SourceWalk::new(WalkPolicy { order, ..WalkPolicy::default() });
        walk.start("a", ());
        assert_eq!(walked(&mut walk, children), expected);
        assert_eq!((walk.opened(), walk.listed(), walk.left_out()), (5, 5, 0));
    }
}

#[test]
fn limits_leave_documents_out_and_count_each_once() {
    let mut walk = SourceWalk::new(policy(WalkLimits { max_levels: 1, ..WalkLimits::DEFAULT }));
    walk.start("a", ());
    assert_eq!(walked(&mut walk, children), ["a", "b", "c"]);
    assert_eq!(walk.left_out(), 2);
    let mut walk = SourceWalk::new(policy(WalkLimits { max_opened: 2, ..WalkLimits::DEFAULT }));
    walk.start("a", ());
    assert_eq!(walked(&mut walk, children), ["a", "b"]);
    assert_eq!((walk.waiting(), walk.left_out(), walk.unopened()), (2, 0, 2));
    let mut walk = SourceWalk::new(policy(WalkLimits { max_listed: 3, ..WalkLimits::DEFAULT }));
    walk.start("a", ());
    assert_eq!(walked(&mut walk, children), ["a", "b", "c"]);
    assert_eq!(walk.left_out(), 2);
}

#[test]
fn a_document_that_was_too_deep_is_opened_where_it_is_listed_higher_up() {
    let children = |url: &str| -> &'static [&'static str] {
        match url {
            "a" => &["b", "c"],
            "b" => &["d"],
            "d" => &["e"],
            "c" => &["e"],
            _ => &[],
        }
    };
    let mut walk = SourceWalk::new(policy(WalkLimits { max_levels: 2, ..WalkLimits::DEFAULT }));
    walk.start("a", ());
    assert_eq!(walked(&mut walk, children), ["a", "b", "d", "c", "e"]);
    assert_eq!(walk.left_out(), 0);
}

#[test]
fn fallbacks_are_opened_last_and_only_if_nothing_led_to_them() {
    let mut walk = SourceWalk::new(WalkPolicy::default());
    for url in ["c", "x", "x"] {
        walk.start_last(url, ());
    }
    walk.start("a", ());
    assert_eq!(walked(&mut walk, children), ["a", "b", "d", "c", "e", "x"]);
    let mut walk = SourceWalk::new(policy(WalkLimits { max_opened: 1, ..WalkLimits::DEFAULT }));
    for url in ["c", "x", "x"] {
        walk.start_last(url, ());
    }
    walk.start("a", ());
    assert_eq!(walked(&mut walk, children), ["a"]);
    assert_eq!(walk.unopened(), 3, "b, c and x");
}

#[test]
fn climbing_ends_in_a_circle_and_at_the_limit() {
    let limits = WalkLimits { max_climbs: 3, ..WalkLimits::DEFAULT };
    let mut walk = SourceWalk::new(policy(limits));
    walk.start(1, ());
    for number in 1..=3 {
        assert_eq!(walk.next_request().map(|request| request.url), Some(number));
        assert!(walk.climb(&number, number + 1, ()));
    }
    assert_eq!(walk.next_request().map(|request| request.url), Some(4));
    assert!(!walk.climb(&4, 5, ()), "too far up");
    // What was climbed from may be listed again; the top is what is left.
    assert_eq!(walk.listed(), 1);
    assert_eq!(walk.list(0, [(1, ()), (2, ())]), 0);
    let mut walk = SourceWalk::new(policy(limits));
    walk.start(1, ());
    assert!(walk.climb(&1, 2, ()));
    assert!(!walk.climb(&2, 1, ()), "a circle");
    assert!(!walk.climb(&2, 2, ()), "a document above itself");
}

#[test]
fn failures_end_the_walk_as_the_policy_has_it() {
    for (on_failure, expected) in [
        (FailurePolicy::Continue, [true, true, true]),
        (FailurePolicy::EndWithLastStart, [true, true, false]),
        (FailurePolicy::EndWithAnyStart, [true, false, false]),
        (FailurePolicy::End, [false, false, false]),
    ] {
        let mut walk = SourceWalk::new(WalkPolicy { on_failure, ..WalkPolicy::default() });
        walk.start("a", ());
        walk.start("b", ());
        let goes_on = [1, 0, 0].map(|depth| walk.fail(depth, false));
        assert_eq!(goes_on, expected, "{on_failure:?}");
    }
    let limits = WalkLimits { max_server_failures: 2, ..WalkLimits::DEFAULT };
    let mut walk: SourceWalk<&str, ()> = SourceWalk::new(policy(limits));
    assert_eq!([true, false, true].map(|is_server| walk.fail(1, is_server)), [true, true, false]);
}

#[test]
fn scopes_open_what_their_names_say() {
    use crate::Capability as C;
    let part = EntryTarget::Part(Some(C::ChangeList));
    let set = EntryTarget::Document(Some(C::CapabilityList));
    let unknown = EntryTarget::Document(None);
    let list = EntryTarget::Document(Some(C::ResourceList));
    let targets = [part, set, unknown, list, EntryTarget::Package, EntryTarget::Channel];
    for (scope, expected) in [
        (WalkScope::Parts, [true, false, false, false, false, false]),
        (WalkScope::Sets, [false, true, true, false, false, false]),
        (WalkScope::Documents, [true, true, true, true, false, false]),
        (WalkScope::Packages, [true, true, true, true, true, false]),
    ] {
        assert_eq!(targets.map(|target| scope.opens(target)), expected, "{scope:?}");
    }
}
