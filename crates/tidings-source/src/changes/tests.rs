use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// URIs in sets, in none to all of them, with a length each.
type State = BTreeMap<(String, usize), u64>;

fn resources(state: &State) -> Vec<Current> {
    let resource = |((uri, set), length): (&(String, usize), &u64)| {
        let (uri, length) = (uri.clone(), Some(*length));
        let resource = Resource { uri, length, ..Resource::default() };
        Current { set: *set, resource, stamp: None }
    };
    state.iter().map(resource).collect()
}

fn published(state: &State) -> impl Iterator<Item = Result<Published, ()>> {
    let published = |Current { set, resource, .. }| {
        Ok(Published { set, standing: Standing::Listed, resource, cached: None })
    };
    resources(state).into_iter().map(published)
}

fn said(step: &Step) -> String {
    match step {
        Step::Kept { published, .. } => format!("kept {}", published.resource.uri),
        Step::Changed { change, current, .. } => format!("{change} {}", current.resource.uri),
        Step::Gone(published) => format!("gone {}", published.resource.uri),
        Step::Left(published) => format!("left {}", published.resource.uri),
    }
}

#[test]
fn what_cannot_be_read_stays() {
    let state: State = ["a", "b", "d/1", "d/2", "e"].map(|uri| ((uri.to_owned(), 0), 1)).into();
    let mut join = Join::new(published(&state));
    let mut steps = Vec::new();
    let mut step = |step: Step| {
        steps.push(said(&step));
        Ok(())
    };
    join.keep("b", &mut step).unwrap();
    join.keep("d/", &mut step).unwrap();
    join.take(None, &mut step).unwrap();
    assert_eq!(steps, ["gone a", "kept b", "kept d/1", "kept d/2", "gone e"]);
}

#[test]
fn what_is_gone_already_does_not_go_again() {
    let left = |uri: &str| {
        let resource = Resource { uri: uri.into(), ..Resource::default() };
        Ok::<_, ()>(Published { set: 0, standing: Standing::Left, resource, cached: None })
    };
    let mut join = Join::new([left("a"), left("b"), left("c")].into_iter());
    let mut steps = Vec::new();
    let mut step = |step: Step| {
        steps.push(said(&step));
        Ok(())
    };
    let resource = Resource { uri: "b".into(), ..Resource::default() };
    join.take(Some(Current { set: 0, resource, stamp: None }), &mut step).unwrap();
    join.keep("c", &mut step).unwrap();
    join.take(None, &mut step).unwrap();
    assert_eq!(steps, ["left a", "left b", "created b", "left c"]);
}

fn states() -> impl Strategy<Value = State> {
    proptest::collection::btree_map(("[a-c]{1,3}", 0_usize..3), 0_u64..3, 0..20)
}

proptest! {
    #[test]
    fn applied_to_what_was_there_it_gives_what_is_there(before in states(), after in states()) {
        let mut join = Join::new(published(&before));
        let mut state = before.clone();
        let mut kept = 0;
        let mut step = |step: Step| {
            match step {
                Step::Kept { .. } => kept += 1,
                Step::Changed { change, current, published } => {
                    let Current { set, resource, .. } = current;
                    let was = state.insert((resource.uri, set), resource.length.unwrap());
                    assert_eq!(was.is_some(), change == Change::Updated);
                    assert_eq!(was, published.and_then(|was| was.length));
                }
                Step::Gone(gone) => {
                    assert!(state.remove(&(gone.resource.uri, gone.set)).is_some());
                }
                Step::Left(_) => unreachable!(),
            }
            Ok(())
        };
        for resource in resources(&after) {
            join.take(Some(resource), &mut step).unwrap();
        }
        join.take(None, &mut step).unwrap();
        prop_assert_eq!(&state, &after);
        let same = after.iter().filter(|(uri, now)| before.get(*uri) == Some(*now)).count();
        prop_assert_eq!(kept, same);
    }
}
