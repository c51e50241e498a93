//! Searching changes, compared with a search that looks at everything.

use tidings_store::{ChangeCursor, ChangeFilter, FoundChange, Kind, NewChange, Store};

use crate::ground::Ground;
use crate::sample::{change, changes, collection, found, leased};

mod one {
    use super::{bounded, empty, in_a_large_batch, not_patterns, too_much};
    cases! { bounded, empty, in_a_large_batch, not_patterns, too_much }
}

mod several {
    use super::as_the_model_says;
    grounds! { as_the_model_says }
}

/// The next of some numbers that look random, below that one.
fn next(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

fn random(state: &mut u64, number: u64) -> NewChange {
    const WORDS: [&str; 8] = ["Apple", "bär", "BÄR", "100%", "a_b", "wow!", "pear", "PEARL"];
    let mut word = || WORDS[next(state, 8) as usize];
    NewChange {
        uri: format!("https://a.example/{}/{number}", word()),
        title: Some(format!("{} {}", word(), word())).filter(|_| !number.is_multiple_of(3)),
        note: Some(word().to_owned()).filter(|_| !number.is_multiple_of(4)),
        time: 1_000 + (number as i64 * 7) % 600,
        ..change(number)
    }
}

/// Two sites with two collections each, and many batches, of which some are seen at the same time
/// and some before those with lower numbers.
async fn fill(ground: &Ground, store: &Store) {
    let mut state = 42;
    let mut number = 0;
    for key in ["a", "b"] {
        let (followed, lease) = leased(store, key).await;
        for _ in 0..30 {
            let mut poll = found(followed.site.id, key, Vec::new());
            let mut other = poll.collections[0].clone();
            other.collection = collection(&format!("{key}-other"));
            poll.collections.push(other);
            for collection in &mut poll.collections {
                let count = next(&mut state, 25);
                collection.changes =
                    (number..number + count).map(|number| random(&mut state, number)).collect();
                // Batches that are nothing but numbers are among them.
                collection.more = [i64::from(count == 0), 0, 0];
                number += count;
            }
            store.finish(&lease, poll).await.unwrap();
        }
    }
    ground.run("UPDATE batches SET seen_at = 1000 + (sequence * 7) % 10 * 60").await;
}

/// All changes with the places that they are at, the newest first.
async fn everything(store: &Store) -> Vec<(ChangeCursor, NewChange)> {
    let mut all = Vec::new();
    for key in ["a", "a-other", "b", "b-other"] {
        let id = store.collection(key).await.unwrap().unwrap().id;
        for batch in store.batches(id, 1, i64::MAX, u32::MAX).await.unwrap() {
            for (position, change) in (0..).zip(batch.changes) {
                let cursor = ChangeCursor {
                    seen_at: batch.seen_at,
                    collection_id: id,
                    batch: batch.sequence,
                    position,
                };
                all.push((cursor, change));
            }
        }
    }
    all.sort_by_key(|(at, _)| (-at.seen_at, -at.collection_id, -at.batch, -at.position));
    all
}

fn contains(text: &str, part: &str) -> bool {
    text.to_ascii_lowercase().contains(&part.to_ascii_lowercase())
}

fn matches(filter: &ChangeFilter, at: &ChangeCursor, change: &NewChange) -> bool {
    // What is said to lie in the future happened when it was found.
    let time = change.time.min(at.seen_at);
    let texts = [change.title.as_deref(), Some(change.uri.as_str()), change.note.as_deref()];
    (filter.kinds.is_empty() || filter.kinds.contains(&change.kind))
        && filter.path.as_ref().is_none_or(|path| contains(&change.uri, path))
        && filter.words.iter().all(|word| texts.iter().flatten().any(|text| contains(text, word)))
        && filter.from.is_none_or(|from| time >= from)
        && filter.to.is_none_or(|to| time < to)
}

/// All that a search finds, so many at a time, and how many changes it looked at.
async fn all(
    store: &Store,
    filter: &ChangeFilter,
    limit: u32,
    look_at: u32,
) -> (Vec<FoundChange>, u64) {
    let (mut found, mut looked_at) = (Vec::new(), 0);
    let mut before = None;
    loop {
        let search = store.search(filter, before, limit, look_at).await.unwrap();
        assert!(search.found.len() <= limit as usize);
        assert!(search.looked_at <= u64::from(look_at));
        assert!(search.found.len() as u64 <= search.looked_at);
        if search.found.len() == limit as usize && search.next.is_some() {
            assert_eq!(search.next, search.found.last().map(FoundChange::cursor));
        }
        looked_at += search.looked_at;
        found.extend(search.found);
        before = search.next;
        if before.is_none() {
            return (found, looked_at);
        }
    }
}

fn filters() -> Vec<ChangeFilter> {
    let words = |words: &[&str]| ChangeFilter {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        ..ChangeFilter::default()
    };
    vec![
        ChangeFilter::default(),
        words(&["pear"]),
        words(&["PEARL", "apple"]),
        words(&["%"]),
        words(&["_", "!"]),
        words(&["bär"]),
        words(&["nowhere"]),
        words(&["", "a.example"]),
        ChangeFilter { path: Some("/PEAR".to_owned()), ..ChangeFilter::default() },
        ChangeFilter { kinds: vec![Kind::Deleted, Kind::Created], ..words(&["wow"]) },
        ChangeFilter { kinds: vec![Kind::Updated; 5], from: Some(1_100), ..words(&[]) },
        ChangeFilter { from: Some(1_100), to: Some(1_107), ..ChangeFilter::default() },
        ChangeFilter { to: Some(i64::MIN), ..ChangeFilter::default() },
    ]
}

async fn as_the_model_says(ground: &Ground) {
    let store = ground.open().await;
    fill(ground, &store).await;
    let everything = everything(&store).await;
    assert!(everything.len() > 1_000);
    let site = store.site("b").await.unwrap().unwrap();
    let collection = store.collection("b-other").await.unwrap().unwrap().id;
    for filter in filters() {
        let scopes = [
            (None, None),
            (Some(site.id), None),
            (None, Some(collection)),
            (Some(site.id), Some(collection)),
            (Some(site.id + 1), Some(collection)),
        ];
        for (site_id, collection_id) in scopes {
            let filter = ChangeFilter { site_id, collection_id, ..filter.clone() };
            let of_site: Vec<_> =
                store.collections(site.id).await.unwrap().into_iter().map(|one| one.id).collect();
            let mut scope = everything.clone();
            scope.retain(|(at, _)| {
                collection_id.is_none_or(|id| at.collection_id == id)
                    && site_id.is_none_or(|id| id == site.id && of_site.contains(&at.collection_id))
            });
            if collection_id.is_some() {
                scope.sort_by_key(|(at, _)| (-at.batch, -at.position));
            }
            let expected: Vec<_> =
                scope.iter().filter(|(at, change)| matches(&filter, at, change)).cloned().collect();
            for (limit, look_at) in [(2, 170), (50, 41), (7, 501), (1_000, 100_000), (90, 90)] {
                let (found, looked_at) = all(&store, &filter, limit, look_at).await;
                let found: Vec<_> =
                    found.into_iter().map(|found| (found.cursor(), found.change.change)).collect();
                assert_eq!(found, expected, "{filter:?} {limit} {look_at}");
                // Of a time that is searched for, batches of other times are passed over.
                let is_timed = filter.from.is_some() || filter.to.is_some();
                let all = scope.len() as u64;
                assert!(looked_at == all || is_timed && looked_at <= all, "{filter:?} {limit}");
            }
        }
    }
}

async fn bounded(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    for round in 0..10 {
        let poll = found(followed.site.id, "a", changes(round * 10..round * 10 + 10));
        store.finish(&lease, poll).await.unwrap();
    }
    let filter = ChangeFilter { words: vec!["/3".to_owned()], ..ChangeFilter::default() };
    let search = store.search(&filter, None, 5, 25).await.unwrap();
    assert!(search.found.is_empty());
    assert_eq!(search.looked_at, 25);
    let next = search.next.unwrap();
    assert_eq!((next.batch, next.position), (8, 5));
    let search = store.search(&filter, Some(next), 5, 60).await.unwrap();
    assert_eq!(search.found.len(), 5);
    // 35 that are none, and five that are.
    assert_eq!(search.looked_at, 40);
    let first = &search.found[0];
    assert_eq!(first.change.change, change(39));
    assert_eq!((first.collection_key.as_str(), first.site_key.as_str()), ("a", "a"));
    assert_eq!(first.collection_title.as_deref(), Some("All of a"));
    assert_eq!(first.site_title.as_deref(), Some("The site a"));
    assert_eq!(first.site_url, "https://a.example/sitemap.xml");
    assert_eq!(
        Some(first.seen_at),
        store.batch(first.change.collection_id, 4).await.unwrap().map(|batch| batch.seen_at)
    );
    // All that there is, exactly: nothing is left to look at.
    let search = store.search(&filter, None, 12, 100).await.unwrap();
    assert_eq!((search.found.len(), search.next, search.looked_at), (11, None, 100));
    let search = store.search(&ChangeFilter::default(), None, 100, 1_000).await.unwrap();
    assert_eq!((search.found.len(), search.next, search.looked_at), (100, None, 100));
    let search = store.search(&ChangeFilter::default(), None, 0, 0).await.unwrap();
    assert_eq!((search.found.len(), search.looked_at), (1, 1));
}

async fn empty(store: Store) {
    let search = store.search(&ChangeFilter::default(), None, 5, 5).await.unwrap();
    assert_eq!(search, tidings_store::Search::default());
    let nowhere = ChangeFilter { collection_id: Some(7), ..ChangeFilter::default() };
    assert_eq!(store.search(&nowhere, None, 5, 5).await.unwrap(), search);
}

async fn in_a_large_batch(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let id = followed.collections[0].id;
    store.finish(&lease, found(followed.site.id, "a", changes(0..3_000))).await.unwrap();
    let scopes = [
        ChangeFilter::default(),
        ChangeFilter { site_id: Some(followed.site.id), ..ChangeFilter::default() },
        ChangeFilter { collection_id: Some(id), ..ChangeFilter::default() },
    ];
    for scope in scopes {
        let filter = ChangeFilter { words: vec!["99".to_owned()], ..scope };
        let (found, looked_at) = all(&store, &filter, 7, 640).await;
        assert_eq!(looked_at, 3_000);
        let expected: Vec<_> =
            (0..3_000_u64).rev().filter(|number| number.to_string().contains("99")).collect();
        let found: Vec<_> = found.into_iter().map(|found| found.change.change).collect();
        assert_eq!(found, changes(expected));
    }
}

async fn not_patterns(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let titled =
        |number, title: &str| NewChange { title: Some(title.to_owned()), ..change(number) };
    let poll = vec![titled(1, "100% sure"), titled(2, "snake_case"), titled(3, "oh! \\ 'quoted'")];
    store.finish(&lease, found(followed.site.id, "a", poll)).await.unwrap();
    for (word, expected) in
        [("%", 1), ("e_c", 1), ("!", 1), ("\\", 1), ("'", 1), ("e%c", 0), ("$1", 0), ("\0", 0)]
    {
        for filter in [
            ChangeFilter { words: vec![word.to_owned()], ..ChangeFilter::default() },
            ChangeFilter { words: vec![word.to_owned(); 3], ..ChangeFilter::default() },
        ] {
            let search = store.search(&filter, None, 9, 9).await.unwrap();
            assert_eq!(search.found.len(), expected, "{word}");
        }
        let filter = ChangeFilter { path: Some(word.to_owned()), ..ChangeFilter::default() };
        assert!(store.search(&filter, None, 9, 9).await.unwrap().found.is_empty(), "{word}");
    }
}

async fn too_much(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let long = NewChange { note: Some("x".repeat(200)), ..change(1) };
    store.finish(&lease, found(followed.site.id, "a", vec![long])).await.unwrap();
    // What comes after so many letters and words is not looked for.
    let mut words = vec!["x".repeat(100_000)];
    words.extend(vec!["example".to_owned(); 7]);
    words.extend(vec!["nowhere".to_owned(); 10_000]);
    let filter = ChangeFilter { words, ..ChangeFilter::default() };
    assert_eq!(store.search(&filter, None, 9, 9).await.unwrap().found.len(), 1);
    let filter = ChangeFilter { words: vec!["x".repeat(199) + "y"], ..ChangeFilter::default() };
    assert!(store.search(&filter, None, 9, 9).await.unwrap().found.is_empty());
}
