//! `tidings unfollow`.

use anyhow::Result;

use super::{follower, place, runtime};
use crate::Outcome;
use crate::cli::{self, Global};
use crate::screen::Screen;

pub(crate) fn run(arguments: &cli::Unfollow, global: &Global, screen: &Screen) -> Result<Outcome> {
    runtime()?.block_on(async {
        let store = place::open_existing(&arguments.place, global).await?;
        let follower = follower(store, global)?;
        let mut outcome = Outcome::Well;
        let mut gone = Vec::new();
        for name in &arguments.sites {
            match follower.unfollow(name).await {
                Ok(site) => {
                    if !global.json && !global.quiet {
                        screen.print(&format!("{} is not followed any more\n", site.url))?;
                    }
                    gone.push(site.key);
                }
                Err(error) => {
                    screen.error(&error.to_string());
                    outcome = Outcome::NotDone;
                }
            }
        }
        if global.json {
            screen.print(&format!("{:#}\n", serde_json::json!({ "unfollowed": gone })))?;
        }
        Ok(outcome)
    })
}
