//! Following on the command line: the verbs work on the state, whether or not a server runs.

pub(crate) mod follow;
pub(crate) mod log;
pub(crate) mod opml;
pub(crate) mod place;
pub(crate) mod poll;
pub(crate) mod serve;
pub(crate) mod sites;
pub(crate) mod token;
pub(crate) mod unfollow;
pub(crate) mod user;

use anyhow::Result;
use tidings_store::Store;
use tidings_syndication::{Follower, FollowerOptions, Pacing};

use crate::cli::Global;
use crate::config::{self, FollowConfig};

/// A runtime for a verb, which waits more than it works.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

/// A follower as the configuration has it.
pub(crate) fn follower(store: Store, global: &Global) -> Result<Follower> {
    let found = config::read(global.config.as_deref())?;
    let options = options(&found.config.follow, global)?;
    Ok(Follower::new(store, options)?)
}

/// What a follower goes by.
pub(crate) fn options(config: &FollowConfig, global: &Global) -> Result<FollowerOptions> {
    let usual = Pacing::default();
    let time = |text: &Option<String>, usual| match text {
        Some(text) => crate::cli::time(text).map_err(anyhow::Error::msg),
        None => Ok(usual),
    };
    let pacing = Pacing {
        usual: time(&config.every, usual.usual)?,
        shortest: time(&config.shortest, usual.shortest)?,
        longest: time(&config.longest, usual.longest)?,
        longest_wait: time(&config.longest_wait, usual.longest_wait)?,
        doubt: match config.doubt.as_deref() {
            Some("0s") => 0,
            _ => time(&config.doubt, usual.doubt)?,
        },
    };
    Ok(FollowerOptions {
        allow_private: global.allow_private || config.allow_private,
        heed_robots: config.robots.unwrap_or(true),
        pacing,
        ..FollowerOptions::default()
    })
}
