//! What is listed, under which URI, in which order.

use object_store::local::LocalFileSystem;

use super::*;

#[test]
fn objects_come_in_the_order_of_their_uris() {
    let keys = [
        "a/b.html",
        "a.html",
        "a-1",
        "a/c/d",
        "a b",
        "z",
        ".hidden",
        "x/.git/config",
        "☃/ü",
        "a%20b",
        "a\\b",
        "robots.txt",
        "resourcesync/x/y.xml",
        "sitemap.xml",
        "robots.txt.html",
    ];
    let (_scratch, mut bucket) = bucket(memory(&keys), "");
    bucket.leave_out = ["robots.txt", "resourcesync/", "sitemap.xml"].map(str::to_owned).to_vec();
    let (all, passed) = shown(&bucket);
    assert_eq!(
        uris(&all),
        [
            "%E2%98%83/%C3%BC",
            "a%20b",
            "a%2520b",
            "a%5Cb",
            "a-1",
            "a.html",
            "a/b.html",
            "a/c/d",
            "robots.txt.html",
            "z",
        ]
    );
    assert_eq!(passed, []);
    let page = all[6].as_ref().unwrap();
    assert_eq!(page.length, Some(8));
    assert_eq!(page.media_type.as_deref(), Some("text/html"));
    assert_eq!(page.hash, None);
    let lastmod = page.lastmod.unwrap();
    assert_eq!(lastmod.nanos(), 0);
    // It is shown the same a second time.
    assert_eq!(shown(&bucket), (all, passed));
}

#[test]
fn only_what_is_below_the_prefix_is_there() {
    let store = memory(&["new/a", "new/b/c", "new", "news", "old", "new/resourcesync/d"]);
    let (_scratch, mut bucket) = bucket(store, "new");
    bucket.leave_out.push("resourcesync/".into());
    assert_eq!(uris(&shown(&bucket).0), ["a", "b/c"]);
}

#[test]
fn any_keys_are_sorted_as_their_uris_are() {
    // A generator of our own, so that every run sees the same keys.
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    let alphabet: Vec<char> = "a b/%é☃~!-_.😀Z0&'+".chars().collect();
    let mut keys = std::collections::BTreeSet::new();
    while keys.len() < 3_000 {
        let length = 1 + random(12);
        let key: String =
            (0..length).map(|_| alphabet[random(alphabet.len() as u64) as usize]).collect();
        let parses = Key::parse(&key).is_ok_and(|path| path.as_ref() == key);
        if parses && !key.split('/').any(|segment| segment.starts_with('.')) {
            keys.insert(key);
        }
    }
    let listed: Vec<&str> = keys.iter().map(String::as_str).collect();
    let (_scratch, bucket) = bucket(memory(&listed), "");
    let (all, passed) = shown(&bucket);
    assert_eq!(passed, []);
    assert_eq!(all.len(), keys.len());
    assert!(uris(&all).windows(2).all(|pair| pair[0] < pair[1]));
    let back: std::collections::BTreeSet<String> =
        uris(&all).iter().map(|uri| bucket.store.key(uri).unwrap().into()).collect();
    assert_eq!(back, keys);
}

#[test]
fn a_key_too_long_for_a_list_is_passed_over() {
    let (long, longer) = ("ü".repeat(600), "ü".repeat(2_000));
    let (_scratch, bucket) = bucket(memory(&["a", &long, &longer]), "");
    let (all, passed) = shown(&bucket);
    assert_eq!(all.len(), 2);
    assert_eq!(passed.len(), 1);
    assert_eq!(passed[0].0, longer);
}

#[test]
fn a_folder_can_be_a_bucket() {
    let root = tempfile::tempdir().unwrap();
    let store = LocalFileSystem::new_with_prefix(root.path()).unwrap();
    for key in ["b c", "a/ü.html", "a.html", ".git/x"] {
        put(&store, key, key);
    }
    let url = url::Url::from_directory_path(root.path()).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let mut bucket =
        Bucket::over(Store::open(url.as_str()).unwrap(), BASE, scratch.path(), 1 << 20);
    bucket.digests = Digests::ETag;
    let (all, passed) = shown(&bucket);
    assert_eq!(uris(&all), ["a.html", "a/%C3%BC.html", "b%20c"]);
    assert_eq!(passed, []);
    assert!(all.iter().all(|one| one.as_ref().unwrap().hash.is_none()));
    bucket.digests = Digests::Read(vec![Algorithm::Md5]);
    assert!(shown(&bucket).0.iter().all(|one| one.as_ref().unwrap().hash.is_some()));
}
