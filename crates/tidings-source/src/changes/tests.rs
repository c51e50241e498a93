use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::cache::{CacheReader, CacheWriter, Totals};
use crate::previous::{Prior, PriorStream};

/// URIs in sets, in none to all of them, with a length each.
type State = BTreeMap<(String, usize), u64>;

fn resources(state: &State) -> Vec<InventoryResource> {
    let resource = |((uri, set), length): (&(String, usize), &u64)| {
        let (uri, length) = (uri.clone(), Some(*length));
        let resource = Resource { uri, length, ..Resource::default() };
        InventoryResource { set: *set, resource, stamp: None }
    };
    state.iter().map(resource).collect()
}

fn published(state: &State) -> Vec<PublishedResource> {
    let published = |InventoryResource { set, resource, .. }| PublishedResource {
        set,
        agreement: ListAgreement::Agrees,
        resource,
        cached: None,
    };
    resources(state).into_iter().map(published).collect()
}

fn stream(published: Vec<PublishedResource>) -> PriorStream {
    PriorStream::new(Box::new(published.into_iter().map(Ok)))
}

/// The same, by a cache that is of the documents that are there.
fn cached(state: &State, folder: &std::path::Path) -> PriorStream {
    let path = folder.join("cache");
    let mut writer = CacheWriter::new(path.clone(), false).unwrap();
    for InventoryResource { set, resource, .. } in resources(state) {
        writer.add(set, &resource, None, None).unwrap();
    }
    writer.finish(&[0; 32], Totals::default()).unwrap();
    let reader = CacheReader::open(&path).unwrap();
    stream(Vec::new()).with_cache(reader, path, true).unwrap()
}

/// What became of all that was published, and of all that is there.
fn differences(mut prior: PriorStream, after: &State) -> Vec<InventoryDiff> {
    let mut found: BTreeMap<String, Vec<InventoryResource>> = BTreeMap::new();
    for current in resources(after) {
        found.entry(current.resource.uri.clone()).or_default().push(current);
    }
    let mut differences = Vec::new();
    for (uri, current) in found {
        let mut published = loop {
            match prior.advance(|prior| prior.cmp(&uri)).unwrap() {
                Prior::Before(gone) => differences.push(InventoryDiff::Gone(gone)),
                Prior::Here(published) => break published,
            }
        };
        if let Some(file) = prior.cached() {
            published.push(PublishedResource::from_cache(&file).unwrap());
        }
        let keep = |diff| {
            differences.push(diff);
            Ok::<_, ()>(())
        };
        for_each_diff(published, current, keep).unwrap();
    }
    while let Prior::Before(gone) = prior.advance(|_| Ordering::Less).unwrap() {
        differences.push(InventoryDiff::Gone(gone));
    }
    differences
}

fn states() -> impl Strategy<Value = State> {
    proptest::collection::btree_map(("[a-c]{1,3}", 0_usize..3), 0_u64..3, 0..20)
}

/// At most one set has each URI, as in a cache.
fn states_of_one_set() -> impl Strategy<Value = State> {
    states().prop_map(|state| {
        let one: BTreeMap<String, (usize, u64)> =
            state.into_iter().map(|((uri, set), length)| (uri, (set, length))).collect();
        one.into_iter().map(|(uri, (set, length))| ((uri, set), length)).collect()
    })
}

#[test]
fn a_resource_that_went_and_came_back_is_new() {
    let resource = Resource { uri: "b".into(), ..Resource::default() };
    let agreement = ListAgreement::Outlives;
    let before = PublishedResource { set: 0, agreement, resource: resource.clone(), cached: None };
    let current = InventoryResource { set: 0, resource, stamp: None };
    let mut differences = Vec::new();
    for_each_diff(vec![before.clone()], vec![current.clone()], |diff| {
        differences.push(diff);
        Ok::<_, ()>(())
    })
    .unwrap();
    let created = InventoryDiff::Changed { change: Change::Created, current, published: None };
    assert_eq!(differences, [InventoryDiff::Gone(before), created]);
}

proptest! {
    #[test]
    fn applied_to_what_was_there_it_gives_what_is_there(before in states(), after in states()) {
        let mut state = before.clone();
        let mut kept = 0;
        for diff in differences(stream(published(&before)), &after) {
            match diff {
                InventoryDiff::Kept { .. } => kept += 1,
                InventoryDiff::Changed { change, current, published } => {
                    let InventoryResource { set, resource, .. } = current;
                    let was = state.insert((resource.uri, set), resource.length.unwrap());
                    assert_eq!(was.is_some(), change == Change::Updated);
                    assert_eq!(was, published.and_then(|was| was.length));
                }
                InventoryDiff::Gone(gone) => {
                    assert!(state.remove(&(gone.resource.uri, gone.set)).is_some());
                }
            }
        }
        prop_assert_eq!(&state, &after);
        let same = after.iter().filter(|(uri, now)| before.get(*uri) == Some(*now)).count();
        prop_assert_eq!(kept, same);
    }

    #[test]
    fn a_current_cache_stands_for_the_documents(
        before in states_of_one_set(),
        after in states(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut by_cache = differences(cached(&before, folder.path()), &after);
        for diff in &mut by_cache {
            match diff {
                InventoryDiff::Kept { published, .. } | InventoryDiff::Gone(published) => {
                    assert!(published.cached.take().is_some());
                }
                InventoryDiff::Changed { .. } => {}
            }
        }
        prop_assert_eq!(by_cache, differences(stream(published(&before)), &after));
    }
}
