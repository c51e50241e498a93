//! `tidings sites`: what is followed, how it is, and where its feeds are.

use std::fmt::Write as _;

use anyhow::Result;
use tidings_store::{SiteFilter, State};
use tidings_syndication::{SiteReport, report};

use super::follow::collections;
use super::{place, runtime};
use crate::Outcome;
use crate::cli::{self, Global, StateChoice};
use crate::screen::Screen;

pub(crate) fn run(arguments: &cli::Sites, global: &Global, screen: &Screen) -> Result<Outcome> {
    runtime()?.block_on(async {
        let store = place::open_existing(&arguments.place, global).await?;
        let base = place::base(arguments.base.as_deref(), &store, global).await?;
        let state = arguments.state.map(|state| match state {
            StateChoice::New => State::New,
            StateChoice::Well => State::Well,
            StateChoice::PartlyFailing => State::PartlyFailing,
            StateChoice::Failing => State::Failing,
            StateChoice::Paused => State::Paused,
        });
        let mut after = None;
        let mut is_first = true;
        // One by one: there may be very many.
        screen.print(if global.json { "{\"sites\": [" } else { "" })?;
        loop {
            let (after_key, text) = (after.take(), arguments.text.clone());
            let filter =
                SiteFilter { after: after_key, limit: 500, state, text, ..SiteFilter::default() };
            let sites = store.sites(filter).await?;
            let Some(last) = sites.last() else { break };
            after = Some(last.key.clone());
            for site in &sites {
                let all = store.collections(site.id).await?;
                let told = report(site, &all, &base);
                if global.json {
                    let comma = if is_first { "\n" } else { ",\n" };
                    screen.print(&format!("{comma}{}", serde_json::to_string(&told)?))?;
                } else {
                    screen.print(&shown(&told, screen))?;
                }
                is_first = false;
            }
        }
        if global.json {
            screen.print("\n]}\n")?;
        } else if is_first && !global.quiet {
            screen.print(match (&arguments.text, state) {
                (None, None) => "nothing is followed yet: tidings follow https://example.com/\n",
                _ => "no such site is followed\n",
            })?;
        }
        Ok(Outcome::Well)
    })
}

fn shown(told: &SiteReport, screen: &Screen) -> String {
    let name = told.title.as_deref().unwrap_or(&told.url);
    let state = match told.state {
        State::New => "not polled yet",
        State::Well => "well",
        State::PartlyFailing => "partly failing",
        State::Failing => "failing",
        State::Paused => "paused",
    };
    let mut text = format!("{} {} {state}\n", screen.bold(name), screen.dim(&told.url));
    if let Some(reason) = &told.reason {
        // Writing into a string does not fail.
        let _ = writeln!(text, "  {reason}");
    }
    text.push_str(&collections(told, screen));
    text
}
