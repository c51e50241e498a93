//! Posts of webfeeds, and the grid of their tiles.

use tidings_store::{
    FetchedPost, GridFilter, Lease, NewPost, Outcome, PostFailure, PostStyle, PostText,
    PostValidators, PostsOutcome, ReadPost, Settings, State, Store, Tile,
};

use crate::sample::{leased, outcome};

cases! {
    discovered,
    fetched,
    gone,
    shared,
    read_by,
    a_shared_tile_is_read_when_all_of_it_is,
    the_oldest_make_room,
    many_pages_of_a_grid,
    corrected,
    found_by_address,
    posts_of_the_first_reading_have_tiles_of_their_own,
}

fn new(number: i64) -> NewPost {
    let url = format!("https://a.example/{number}");
    NewPost { url, place: number, is_repost: number == 7 }
}

fn posts(site_id: i64, posts: PostsOutcome) -> Outcome {
    Outcome { posts: Some(Box::new(posts)), ..outcome(site_id) }
}

async fn add(store: &Store, lease: &Lease, numbers: std::ops::Range<i64>) {
    let added = PostsOutcome { added: numbers.map(new).collect(), ..PostsOutcome::default() };
    store.finish(lease, posts(lease.sites[0].id, added)).await.unwrap();
}

async fn grid(store: &Store, filter: GridFilter) -> Vec<Tile> {
    store.grid(&GridFilter { limit: 100, ..filter }).await.unwrap()
}

fn places(tiles: &[Tile]) -> Vec<(i64, i64)> {
    tiles.iter().map(|tile| (tile.post.place, tile.posts)).collect()
}

fn read(text: PostText, title: Option<&str>) -> ReadPost {
    ReadPost {
        text,
        title: title.map(str::to_owned),
        author: None,
        sections: 1,
        validators: PostValidators::default(),
        is_edited: false,
    }
}

async fn found_by_address(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    add(&store, &lease, 0..5).await;
    let urls = [3, 9, 1].map(|number| new(number).url);
    let urls = urls.each_ref().map(String::as_str);
    let mut found = store.posts_at(followed.site.id, &urls).await.unwrap();
    found.sort_by_key(|post| post.place);
    assert_eq!(found.iter().map(|post| post.place).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(store.posts_at(followed.site.id + 1, &urls).await.unwrap(), []);
    assert_eq!(store.posts_at(followed.site.id, &[]).await.unwrap(), []);
}

async fn corrected(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let site = followed.site.id;
    add(&store, &lease, 0..3).await;
    let known = |etag: &str| PostValidators { etag: Some(etag.to_owned()), length: Some(9) };
    let says = |number: i64, text: &str, is_edited| {
        let text = PostText { at: new(number).url, text: text.to_owned() };
        let post = ReadPost { validators: known("x"), is_edited, ..read(text, None) };
        FetchedPost { url: new(number).url, result: Ok(post) }
    };
    let fetched = vec![says(0, "a", false), says(1, "b", false)];
    let outcome = PostsOutcome { fetched, ..PostsOutcome::default() };
    store.finish(&lease, posts(site, outcome)).await.unwrap();
    let far = i64::MAX;
    let due = store.posts_to_check(site, far, 9).await.unwrap();
    assert_eq!(due.len(), 2, "what was not fetched is not looked after");
    assert_eq!((&due[0].validators, &due[0].at), (&known("x"), &due[0].url));
    assert_eq!(store.posts_to_check(site, 1, 9).await.unwrap(), []);
    // One is as it was, and comes last the next time; the other one says something else.
    let [first, second] = &due[..] else { panic!("{due:?}") };
    let number = if second.url == new(0).url { 0 } else { 1 };
    let outcome = PostsOutcome {
        checked: vec![(first.id, known("y"))],
        fetched: vec![says(number, "c", true)],
        ..PostsOutcome::default()
    };
    store.finish(&lease, posts(site, outcome)).await.unwrap();
    let one = store.post(first.id).await.unwrap().unwrap();
    let other = store.post(second.id).await.unwrap().unwrap();
    assert!(one.edited_at.is_none() && other.edited_at >= Some(other.seen_at));
    assert_eq!(store.post_text(second.id).await.unwrap().unwrap().text, "c");
    let due = store.posts_to_check(site, far, 9).await.unwrap();
    assert_eq!(due.iter().find(|it| it.id == first.id).unwrap().validators, known("y"));
}

async fn posts_of_the_first_reading_have_tiles_of_their_own(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let site = followed.site.id;
    let added = (0..6).map(new).collect();
    let first = PostsOutcome { added, is_first: true, ..PostsOutcome::default() };
    store.finish(&lease, posts(site, first)).await.unwrap();
    assert_eq!(grid(&store, GridFilter::default()).await.len(), 6);
    // Of those that come later three have a tile each, and the others share one.
    add(&store, &lease, 10..16).await;
    let tiles = places(&grid(&store, GridFilter::default()).await);
    assert_eq!(tiles[..4], [(15, 1), (14, 1), (13, 1), (12, 3)]);
    assert_eq!(tiles.len(), 10);
}

async fn discovered(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let before = store.now().await.unwrap();
    add(&store, &lease, 6..8).await;
    let tiles = grid(&store, GridFilter::default()).await;
    assert_eq!(places(&tiles), [(7, 1), (6, 1)], "the last line is the newest");
    let first = &tiles[0];
    assert!(first.post.is_repost && !tiles[1].post.is_repost && !first.is_read);
    assert_eq!((first.post.state, first.post.sections), (State::New, 0));
    assert!(first.post.seen_at >= before);
    assert_eq!(first.site_key, "a");
    assert_eq!(store.post(first.post.id).await.unwrap().as_ref(), Some(&first.post));
    assert_eq!(store.post(-1).await.unwrap(), None);
    // The same once more adds nothing.
    add(&store, &lease, 6..8).await;
    assert_eq!(grid(&store, GridFilter::default()).await, tiles);
    assert_eq!(store.count_posts(followed.site.id).await.unwrap(), 2);
    assert_eq!(store.post_urls(followed.site.id).await.unwrap().len(), 2);
}

async fn fetched(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let site = followed.site.id;
    add(&store, &lease, 0..3).await;
    let now = store.now().await.unwrap();
    let waiting = store.posts_waiting(site, now, 2).await.unwrap();
    assert_eq!(waiting.iter().map(|post| post.place).collect::<Vec<_>>(), [2, 1]);
    let text =
        PostText { at: "https://a.example/moved".to_owned(), text: "<section>é".to_owned() };
    let well = ReadPost {
        author: Some("Somebody".to_owned()),
        sections: 4,
        ..read(text.clone(), Some("A title"))
    };
    let failure = PostFailure { reason: "it hangs".to_owned(), wait: 60_000 };
    let style = PostStyle { url: "https://a.example/style.css".to_owned(), text: "p{}".to_owned() };
    let outcome = PostsOutcome {
        fetched: vec![
            FetchedPost { url: new(2).url, result: Ok(well) },
            FetchedPost { url: new(1).url, result: Err(failure) },
            FetchedPost {
                url: "https://a.example/never-heard-of".to_owned(),
                result: Err(PostFailure { reason: String::new(), wait: 0 }),
            },
        ],
        styles: vec![style.clone()],
        ..PostsOutcome::default()
    };
    store.finish(&lease, posts(site, outcome)).await.unwrap();
    let tiles = grid(&store, GridFilter::default()).await;
    let [well, failing, new] = &tiles[..] else { panic!("{tiles:?}") };
    assert_eq!((well.post.state, well.post.sections), (State::Well, 4));
    assert_eq!(well.post.title.as_deref(), Some("A title"));
    assert_eq!(store.post_text(well.post.id).await.unwrap().as_ref(), Some(&text));
    let ids = [new.post.id, well.post.id, -1];
    assert_eq!(store.post_texts(&ids).await.unwrap(), [(well.post.id, text)]);
    assert_eq!(store.post_texts(&[]).await.unwrap(), []);
    assert_eq!((failing.post.state, failing.post.failures), (State::Failing, 1));
    assert_eq!(failing.post.reason.as_deref(), Some("it hangs"));
    assert_eq!(store.post_text(new.post.id).await.unwrap(), None);
    assert_eq!(store.post_style(site, &style.url).await.unwrap(), Some(style));
    assert_eq!(store.post_style(site, "https://b.example/").await.unwrap(), None);
    // One that failed is tried again in a while, or when somebody says so.
    let waiting = async || {
        let waiting = store.posts_waiting(site, now, 9).await.unwrap();
        waiting.iter().map(|post| post.place).collect::<Vec<_>>()
    };
    assert_eq!(waiting().await, [0]);
    assert!(store.retry_post(failing.post.id).await.unwrap());
    assert!(!store.retry_post(-1).await.unwrap());
    assert_eq!(waiting().await, [1, 0]);
}

async fn gone(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let site = followed.site.id;
    add(&store, &lease, 0..3).await;
    let tiles = grid(&store, GridFilter::default()).await;
    store.mark_posts(0, &[tiles[1].post.id], true).await.unwrap();
    let removed = PostsOutcome { removed: vec![tiles[1].post.id, -1], ..PostsOutcome::default() };
    store.finish(&lease, posts(site, removed)).await.unwrap();
    assert_eq!(places(&grid(&store, GridFilter::default()).await), [(2, 1), (0, 1)]);
    // One that comes back is discovered anew, and nobody has read it.
    add(&store, &lease, 1..2).await;
    let tiles = grid(&store, GridFilter::default()).await;
    assert!(tiles.iter().all(|tile| !tile.is_read), "{tiles:?}");
    store.unfollow("a").await.unwrap();
    assert_eq!(grid(&store, GridFilter::default()).await, []);
}

async fn shared(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let site = followed.site.id;
    add(&store, &lease, 0..10).await;
    // Three have tiles of their own, and the fourth stands for all others.
    let tiles = grid(&store, GridFilter::default()).await;
    assert_eq!(places(&tiles), [(9, 1), (8, 1), (7, 1), (6, 7)]);
    // Those that come later on the same day are the newest.
    add(&store, &lease, 10..12).await;
    let tiles = grid(&store, GridFilter::default()).await;
    assert_eq!(places(&tiles), [(11, 1), (10, 1), (9, 1), (8, 9)]);
    // Among its own, each has a tile.
    let own = grid(&store, GridFilter { site_id: Some(site), ..GridFilter::default() }).await;
    assert_eq!((own.len(), own[0].post.place), (12, 11));
    // When the one that stands for the others is gone, another does.
    let removed = PostsOutcome { removed: vec![tiles[3].post.id], ..PostsOutcome::default() };
    store.finish(&lease, posts(site, removed)).await.unwrap();
    let tiles = grid(&store, GridFilter::default()).await;
    assert_eq!(places(&tiles), [(11, 1), (10, 1), (9, 1), (7, 8)]);
    // A person decides how many.
    for (most, expected) in [(0, 1), (1, 2), (100, 11)] {
        assert!(store.set_tiles("a", most).await.unwrap());
        assert_eq!(grid(&store, GridFilter::default()).await.len(), expected);
    }
    assert_eq!(store.site("a").await.unwrap().unwrap().settings.tiles, 100);
    assert!(!store.set_tiles("b", 1).await.unwrap());
    // Also among all else that they decide.
    let settings = Settings { tiles: 2, diff: true, ..Settings::default() };
    assert!(store.set_settings("a", settings).await.unwrap());
    assert_eq!(grid(&store, GridFilter::default()).await.len(), 3);
}

async fn read_by(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let site = followed.site.id;
    add(&store, &lease, 0..3).await;
    let ids: Vec<_> =
        grid(&store, GridFilter::default()).await.iter().map(|tile| tile.post.id).collect();
    let unread = async |reader| {
        let filter = GridFilter { reader, unread: true, ..GridFilter::default() };
        grid(&store, filter).await.len()
    };
    store.mark_posts(1, &[ids[0], -1], true).await.unwrap();
    store.mark_posts(1, &[ids[0]], true).await.unwrap();
    assert_eq!((unread(1).await, unread(2).await), (2, 3));
    let tiles = grid(&store, GridFilter { reader: 1, ..GridFilter::default() }).await;
    assert_eq!(tiles.iter().map(|tile| tile.is_read).collect::<Vec<_>>(), [true, false, false]);
    store.mark_posts(1, &ids[..1], false).await.unwrap();
    assert_eq!(unread(1).await, 3);
    let now = store.now().await.unwrap();
    store.mark_all_posts(1, Some(site + 1), now).await.unwrap();
    store.mark_all_posts(1, None, now - 60_000).await.unwrap();
    assert_eq!(unread(1).await, 3);
    store.mark_all_posts(1, Some(site), now).await.unwrap();
    store.mark_all_posts(2, None, now).await.unwrap();
    assert_eq!((unread(1).await, unread(2).await, unread(3).await), (0, 0, 3));
}

async fn a_shared_tile_is_read_when_all_of_it_is(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    add(&store, &lease, 0..6).await;
    let own = GridFilter { site_id: Some(followed.site.id), ..GridFilter::default() };
    let shared: Vec<i64> = grid(&store, own).await[3..].iter().map(|tile| tile.post.id).collect();
    let unread = async |posts| {
        let filter = GridFilter { unread: true, ..GridFilter::default() };
        grid(&store, filter).await[3..].iter().any(|tile| tile.posts == posts)
    };
    // The first of them stands for the others.
    assert!(unread(3).await);
    store.mark_posts(0, &shared[..1], true).await.unwrap();
    assert!(unread(2).await && !unread(3).await, "what is read is not counted");
    store.mark_posts(0, &shared[1..], true).await.unwrap();
    assert!(!unread(0).await && !unread(2).await);
    assert!(grid(&store, GridFilter::default()).await[3].is_read);
}

async fn the_oldest_make_room(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let site = followed.site.id;
    add(&store, &lease, 0..4).await;
    let fetched = |number: i64| {
        let text = PostText { at: new(number).url, text: "x".repeat(24 << 20) };
        let post = read(text, None);
        let fetched = vec![FetchedPost { url: new(number).url, result: Ok(post) }];
        posts(site, PostsOutcome { fetched, ..PostsOutcome::default() })
    };
    let shown = async || {
        let filter = GridFilter { site_id: Some(site), ..GridFilter::default() };
        let tiles = grid(&store, filter).await;
        let forgotten = |tile: &Tile| (tile.post.state == State::New, tile.post.is_forgotten);
        tiles.iter().map(forgotten).map(|(one, other)| one && other).collect::<Vec<_>>()
    };
    // The newest are fetched first.
    for number in (0..4).rev() {
        store.finish(&lease, fetched(number)).await.unwrap();
    }
    assert_eq!(shown().await, [false, false, true, true]);
    let own = GridFilter { site_id: Some(site), ..GridFilter::default() };
    let oldest = grid(&store, own).await[3].post.id;
    assert_eq!(store.post_text(oldest).await.unwrap(), None);
    let now = store.now().await.unwrap();
    assert_eq!(store.posts_waiting(site, now, 9).await.unwrap(), [], "not by itself");
    // What somebody asks for is there when they look.
    store.retry_post(oldest).await.unwrap();
    assert_eq!(store.posts_waiting(site, now, 9).await.unwrap().len(), 1);
    store.finish(&lease, fetched(0)).await.unwrap();
    assert_eq!(shown().await, [false, true, true, false]);
    assert!(store.post_text(oldest).await.unwrap().is_some());
}

async fn many_pages_of_a_grid(store: Store) {
    let (_, lease) = leased(&store, "a").await;
    add(&store, &lease, 0..50).await;
    store.set_tiles("a", 100).await.unwrap();
    let mut filter = GridFilter { limit: 7, ..GridFilter::default() };
    let mut seen = Vec::new();
    loop {
        let tiles = store.grid(&filter).await.unwrap();
        let Some(last) = tiles.last() else { break };
        filter.after = Some(last.cursor());
        seen.extend(tiles.iter().map(|tile| tile.post.place));
    }
    assert_eq!(seen, (0..50).rev().collect::<Vec<_>>());
}
