//! A feed with entries in it.

use std::path::Path;

use tidings_store::{Location, State, Store};
use tidings_syndication::{Follower, FollowerOptions, Wishes, WorkerOptions};

use crate::Result;
use crate::farm::{Farm, FarmOptions};

pub(crate) async fn fill(data: &Path, batches: u64, changes: u64) -> Result<()> {
    let farm = Farm::start(FarmOptions::default())?;
    let store = Store::open(&Location::Folder(data.to_owned()), None).await?;
    let options = FollowerOptions { allow_private: true, ..FollowerOptions::default() };
    let follower = Follower::new(store, options)?;
    let wishes = Wishes { titles: Some(0), ..Wishes::default() };
    let followed = follower.follow(&farm.url(0), &wishes, false).await?;
    let worker = WorkerOptions::new().name;
    for _ in 0..batches {
        farm.add_changes(0, changes);
        let polled = follower.poll(&worker, &followed.site.key).await?;
        if polled.site.state != State::Well || polled.finished.changes != changes {
            return Err(format!("{:?}: {:?}", polled.finished, polled.site.reason).into());
        }
    }
    let collection = followed.collections.first().ok_or("the site has no collection")?;
    println!("{}", collection.key);
    Ok(())
}
