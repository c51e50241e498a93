//! Very many sites, followed at once.
//!
//! The first is followed as a person would. The others are like it but for their addresses, so nobody
//! has to be asked for what is known, and they are put down as fast as the store takes them.

use std::net::Ipv4Addr;
use std::path::Path;

use tidings_store::{Followed, Location, Millis, NewSite, Store};
use tidings_syndication::{Follower, FollowerOptions, Wishes};
use tokio::task::JoinSet;

use crate::Result;
use crate::alike::alike;

/// How many are put down together.
const AT_ONCE: usize = 256;
/// Of how many the feeds are told.
const TOLD: u32 = 1_000;

/// Which sites, and when each is due. Times are in milliseconds.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) port: u16,
    pub(crate) count: u32,
    pub(crate) every: Millis,
    pub(crate) lead: Millis,
    pub(crate) spread: Millis,
    /// They are webfeeds.
    pub(crate) webfeeds: bool,
}

pub(crate) async fn follow(data: &Path, plan: Plan) -> Result<()> {
    let store = Store::open(&Location::Folder(data.to_owned()), None).await?;
    let first = store.now().await? + plan.lead;
    println!("{first}");
    let model = model(&store, plan).await?;
    let mut under_way = JoinSet::new();
    for number in 0..plan.count {
        let site = like(&model, plan, number, due(first, number, plan.count, plan.spread));
        if let Some(collection) = site.collections.first().filter(|_| number < TOLD) {
            println!("{}", collection.key);
        }
        let store = store.clone();
        under_way.spawn(async move { store.follow(site).await });
        if under_way.len() >= AT_ONCE {
            under_way.join_next().await.transpose()?.transpose()?;
        }
    }
    while let Some(followed) = under_way.join_next().await {
        followed??;
    }
    if plan.lead > 0 && store.now().await? > first {
        return Err("to follow them took longer than until the first was due".into());
    }
    Ok(())
}

/// When a site is due.
pub(crate) fn due(first: Millis, number: u32, count: u32, spread: Millis) -> Millis {
    first + spread * i64::from(number) / i64::from(count.max(1))
}

/// Where a site is.
pub(crate) fn address(number: u32) -> Ipv4Addr {
    Ipv4Addr::from_bits(Ipv4Addr::new(127, 1, 0, 0).to_bits() + number)
}

/// The first site, as it is found. It is forgotten again: it is to be due like the others.
async fn model(store: &Store, plan: Plan) -> Result<Followed> {
    let options = FollowerOptions { allow_private: true, ..FollowerOptions::default() };
    let follower = Follower::new(store.clone(), options)?;
    let wishes = Wishes {
        titles: Some(0),
        every: Some(Some(plan.every)),
        webfeed: plan.webfeeds,
        ..Wishes::default()
    };
    let name = if plan.webfeeds { "index.txt" } else { "" };
    let url = format!("http://{}:{}/{name}", address(0), plan.port);
    let followed = follower.follow(&url, &wishes, false).await?;
    store.unfollow(&followed.site.key).await?;
    Ok(followed)
}

fn like(model: &Followed, plan: Plan, number: u32, due: Millis) -> NewSite {
    let site = alike(model, &address(0).to_string(), &address(number).to_string());
    NewSite { interval: plan.every, due: Some(due), ..site }
}
