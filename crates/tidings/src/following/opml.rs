//! `tidings opml`: lists of subscriptions.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context, Result};
use tidings_feed::Opml;

use super::follow::wishes;
use super::{follower, place, runtime};
use crate::Outcome;
use crate::cli::{self, Global, OpmlVerb};
use crate::screen::{Screen, counted};

pub(crate) fn run(arguments: &cli::Opml, global: &Global, screen: &Screen) -> Result<Outcome> {
    runtime()?.block_on(async {
        match &arguments.verb {
            OpmlVerb::Import { file, place, wishes } => {
                import(file, place, wishes, global, screen).await
            }
            OpmlVerb::Export { base, place } => {
                let store = place::open_existing(place, global).await?;
                let base = place::base(base.as_deref(), &store, global).await?;
                let opml = tidings_syndication::export(&store, &base).await?;
                screen.print(&opml.write(None))?;
                Ok(Outcome::Well)
            }
        }
    })
}

async fn import(
    file: &Path,
    place: &cli::Place,
    given: &cli::Wishes,
    global: &Global,
    screen: &Screen,
) -> Result<Outcome> {
    let bytes = if file == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("standard input could not be read")?;
        bytes
    } else {
        std::fs::read(file).with_context(|| format!("could not read {}", file.display()))?
    };
    let opml = Opml::read(&bytes).with_context(|| file.display().to_string())?;
    let store = place::open(place, global).await?;
    let follower = follower(store, global)?;
    let mut done = 0;
    let each = |imported: &tidings_syndication::Imported| {
        done += 1;
        match &imported.result {
            Ok(_) => screen.progress(&format!("{done}: {}", imported.url)),
            Err(error) => screen.warning(&format!("{}: {error}", imported.url)),
        }
    };
    let all = tidings_syndication::import(&follower, &opml, &wishes(given), false, each).await;
    screen.clear();
    let count = |wanted: fn(&Result<(String, bool), tidings_syndication::FollowError>) -> bool| {
        all.iter().filter(|imported| wanted(&imported.result)).count() as u64
    };
    let new = count(|result| matches!(result, Ok((_, true))));
    let known = count(|result| matches!(result, Ok((_, false))));
    let failed = count(Result::is_err);
    if global.json {
        let lines: Vec<_> = all
            .iter()
            .map(|imported| match &imported.result {
                Ok((site, is_new)) => {
                    serde_json::json!({ "url": imported.url, "site": site, "is_new": is_new })
                }
                Err(error) => {
                    serde_json::json!({ "url": imported.url, "error": error.to_string() })
                }
            })
            .collect();
        screen.print(&format!("{:#}\n", serde_json::json!({ "imported": lines })))?;
    } else if !global.quiet {
        screen.print(&format!(
            "{} followed, {known} were already, {failed} cannot be; `tidings poll --due` or a server polls them\n",
            counted(new, "site is", "sites are")
        ))?;
    }
    Ok(if failed > 0 { Outcome::Differs } else { Outcome::Well })
}
