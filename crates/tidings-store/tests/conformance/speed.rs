//! How fast it is, with as many sites as one machine follows. Run by hand, built for release:
//! `cargo test --release -p tidings-store --test conformance -- --ignored --nocapture speed`.

use std::time::Instant;

use tidings_store::{Lease, SiteFilter, Store};

use crate::ground::Ground;
use crate::sample::{MINUTE, outcome, site};

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
