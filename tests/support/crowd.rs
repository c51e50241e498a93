//! Very many sites of a farm, followed at once in a database of its own.

use tidings_store::{Change, Followed, Store};
use tidings_syndication::{Follower, FollowerOptions, Wishes};
use tokio::task::JoinSet;

use crate::alike::alike;
use crate::support::farm::Farm;

/// How many are put down together.
const AT_ONCE: usize = 64;

/// Sites that are followed.
pub(crate) struct Crowd {
    pub(crate) count: u32,
    /// The first of them; the others differ from it by their addresses.
    model: Followed,
    addresses: Vec<String>,
}

impl Crowd {
    /// Follows the first sites of a farm: one as a person would, the others as that one. All are due.
    pub(crate) async fn follow(store: &Store, farm: &Farm, count: u32) -> Self {
        let address = |number: u32| {
            let url = farm.url(u64::from(number));
            url.trim_start_matches("http://").split(':').next().unwrap().to_owned()
        };
        let options = FollowerOptions { allow_private: true, ..FollowerOptions::default() };
        let follower = Follower::new(store.clone(), options).unwrap();
        let wishes = Wishes { titles: Some(0), ..Wishes::default() };
        let model = follower.follow(&farm.url(0), &wishes, false).await.unwrap();
        let crowd = Self { count, model, addresses: (0..count).map(address).collect() };
        each(1..count, |number| {
            let [first, address] = [0, number].map(|number| &*crowd.addresses[number as usize]);
            let (store, site) = (store.clone(), alike(&crowd.model, first, address));
            async move { drop(store.follow(site).await.unwrap()) }
        })
        .await;
        crowd
    }

    fn moved(&self, text: &str, number: u32) -> String {
        text.replace(&self.addresses[0], &self.addresses[number as usize])
    }

    /// The key of the feed of a site.
    pub(crate) fn feed(&self, number: u32) -> String {
        self.moved(&self.model.collections[0].key, number)
    }

    pub(crate) async fn make_due(&self, store: &Store) {
        each(0..self.count, |number| {
            let (store, key) = (store.clone(), self.moved(&self.model.site.key, number));
            async move { assert!(store.make_due(&key).await.unwrap()) }
        })
        .await;
    }

    /// All recorded changes of each site.
    pub(crate) async fn changes(&self, store: &Store) -> Vec<(u32, Vec<Change>)> {
        let mut all = Vec::new();
        for number in 0..self.count {
            let collection = store.collection(&self.feed(number)).await.unwrap().unwrap();
            all.push((number, store.changes(collection.id, 0, 1_000).await.unwrap()));
        }
        all
    }
}

/// Does something for each number, some of them at once.
async fn each<F>(numbers: std::ops::Range<u32>, work: impl Fn(u32) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut under_way = JoinSet::new();
    for number in numbers {
        under_way.spawn(work(number));
        if under_way.len() >= AT_ONCE {
            under_way.join_next().await.unwrap().unwrap();
        }
    }
    while let Some(done) = under_way.join_next().await {
        done.unwrap();
    }
}
