//! How fast it is, with as many sites as one machine follows. Run by hand, built for release:
//! `cargo test --release -p tidings-store --test conformance -- --ignored --nocapture speed`.

use std::time::Instant;

use tidings_store::{ChangeFilter, Lease, NewChange, SiteFilter, SiteOrder, Store};

use crate::ground::Ground;
use crate::sample::{MINUTE, change, found, leased, outcome, site};

const CALLERS: usize = 256;

async fn measure(ground: &Ground, sites: usize) {
    let store = ground.open().await;
    let begun = Instant::now();
    each(&store, (0..sites).collect(), async |store, number| {
        let mut new = site(&format!("s{number}"));
        new.host = format!("h{number}.example");
        store.follow(new).await.unwrap();
    })
    .await;
    println!("follow: {:.0}/s", sites as f64 / begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    let mut leases: Vec<Lease> = Vec::new();
    while leases.len() < sites.min(20_000) {
        leases.extend(store.claim("worker", 200, MINUTE).await.unwrap());
    }
    println!("claim: {:.0} hosts/s", leases.len() as f64 / begun.elapsed().as_secs_f64());
    let count = leases.len();
    let begun = Instant::now();
    each(&store, leases.clone(), async |store, lease: Lease| {
        store.finish(&lease, outcome(lease.sites[0].id)).await.unwrap();
    })
    .await;
    println!("finish: {:.0}/s", count as f64 / begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    each(&store, leases, async |store, lease: Lease| store.release(&lease).await.unwrap()).await;
    println!("release: {:.0}/s", count as f64 / begun.elapsed().as_secs_f64());
    for _ in 0..2 {
        let begun = Instant::now();
        store.counts().await.unwrap();
        println!("counts: {:?}", begun.elapsed());
    }
    let begun = Instant::now();
    store.next_due().await.unwrap();
    println!("next_due: {:?}", begun.elapsed());
    let begun = Instant::now();
    let filter = SiteFilter { text: Some("nowhere".to_owned()), ..SiteFilter::default() };
    store.sites(filter).await.unwrap();
    println!("sites by text: {:?}", begun.elapsed());
    let begun = Instant::now();
    let after_news = Some((0, sites as i64 / 2));
    let filter = SiteFilter { order: SiteOrder::News, after_news, ..SiteFilter::default() };
    store.sites(filter).await.unwrap();
    println!("sites by news: {:?}", begun.elapsed());
    drop(store);
    let begun = Instant::now();
    ground.open().await;
    println!("open: {:?}", begun.elapsed());
}

/// Does something for each, by so many at once.
async fn each<T: Send + 'static>(store: &Store, all: Vec<T>, work: impl AsyncFn(Store, T)) {
    let all = std::cell::RefCell::new(all);
    let callers = (0..CALLERS).map(|_| async {
        loop {
            let Some(next) = all.borrow_mut().pop() else { break };
            work(store.clone(), next).await;
        }
    });
    let mut callers: Vec<_> = callers.map(Box::pin).collect();
    std::future::poll_fn(|context| {
        callers.retain_mut(|caller| caller.as_mut().poll(context).is_pending());
        if callers.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

/// Searches among half a million changes, looking at twenty thousand at a time.
async fn measure_search(ground: &Ground) {
    let store = ground.open().await;
    let mut number = 0;
    let mut of_one = ChangeFilter::default();
    let mut of_site = ChangeFilter::default();
    for site in 0..25_u64 {
        let key = format!("s{site}");
        let (followed, lease) = leased(&store, &key).await;
        for batch in 0..100 {
            // Half of them in a few large batches, as a first poll brings them.
            let count = if batch % 50 == 0 { 5_000 } else { 100 };
            let changes = (number..number + count).map(titled).collect();
            number += count;
            store.finish(&lease, found(followed.site.id, &key, changes)).await.unwrap();
        }
        of_one.collection_id = Some(followed.collections[0].id);
        of_site.site_id = Some(followed.site.id);
    }
    println!("{number} changes");
    for (name, scope) in
        [("all", ChangeFilter::default()), ("one site", of_site), ("one collection", of_one)]
    {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        for words in [words(&[]), words(&["nowhere"]), words(&["https", "title", "nowhere"])] {
            let filter = ChangeFilter { words, ..scope.clone() };
            let mut before = None;
            let mut took = Vec::new();
            for _ in 0..8 {
                let begun = Instant::now();
                let search = store.search(&filter, before, 50, 20_000).await.unwrap();
                took.push((search.looked_at, begun.elapsed()));
                before = search.next;
            }
            println!("search {name} for {:?}: {took:?}", filter.words);
        }
    }
}

fn titled(number: u64) -> NewChange {
    NewChange {
        title: Some(format!("The title of the page with the number {number}")),
        note: Some(
            format!("A line about the page {number}, as long as most of them are. ").repeat(2),
        ),
        ..change(number)
    }
}

#[tokio::test]
#[ignore = "measures"]
async fn sqlite_search() {
    measure_search(&Ground::sqlite()).await;
}

#[tokio::test]
#[ignore = "measures"]
async fn postgres_search() {
    let Some(ground) = Ground::postgres().await else { return };
    measure_search(&ground).await;
    ground.clear().await;
}

#[tokio::test]
#[ignore = "measures"]
async fn sqlite() {
    measure(&Ground::sqlite(), 100_000).await;
}

#[tokio::test]
#[ignore = "measures"]
async fn postgres() {
    let Some(ground) = Ground::postgres().await else { return };
    measure(&ground, 20_000).await;
    ground.clear().await;
}
