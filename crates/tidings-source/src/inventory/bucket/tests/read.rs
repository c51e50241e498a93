//! Objects that are read.

use super::*;

#[test]
fn what_is_read_has_its_digests_and_stays_in_order() {
    let keys: Vec<String> = (0..600).map(|number| format!("a b/{number:04}")).collect();
    let store = memory(&keys.iter().map(String::as_str).collect::<Vec<_>>());
    put(&*store, "abc", "abc");
    let (_scratch, mut bucket) = bucket(store, "");
    bucket.digests = Digests::Read(vec![Algorithm::Md5, Algorithm::Sha1]);
    let (all, passed) = shown(&bucket);
    assert_eq!(passed, []);
    let expected: Vec<String> = (0..600).map(|number| format!("a%20b/{number:04}")).collect();
    assert_eq!(uris(&all)[..600], expected);
    assert_eq!(
        all[600].as_ref().unwrap().hash.as_ref().unwrap().as_str(),
        "md5:900150983cd24fb0d6963f7d28e17f72 sha-1:a9993e364706816aba3e25717850c26c9cd0d89d"
    );
}

#[test]
fn what_is_deleted_or_replaced_after_the_listing_is_told_as_it_is() {
    let keys: Vec<String> = (0..300).map(|number| format!("in/{number:04}")).collect();
    let store = memory(&keys.iter().map(String::as_str).collect::<Vec<_>>());
    let (_scratch, mut bucket) = bucket(Arc::clone(&store) as _, "in");
    bucket.digests = Digests::Read(vec![Algorithm::Sha256]);
    let (mut seen, mut passed) = (Vec::new(), Vec::new());
    bucket
        .visit(&mut |item| {
            // The first batch is shown before the second is read.
            if seen.is_empty() {
                wait(store.delete(&Key::parse("in/0298").unwrap())).unwrap();
                put(&*store, "in/0299", "longer than it was");
            }
            match item {
                InventoryItem::Resource(one) => seen.push(Ok(one)),
                InventoryItem::Unknown(uri) => seen.push(Err(uri)),
                InventoryItem::Passed(one) => passed.push(one),
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(seen.len(), 300);
    assert_eq!(seen[298], Err(format!("{BASE}0298")));
    let replaced = seen[299].as_ref().unwrap();
    assert_eq!(replaced.length, Some(18));
    let reason = "it was deleted after it was listed".to_owned();
    assert_eq!(passed, [Passed { path: "in/0298".into(), reason }]);
}
