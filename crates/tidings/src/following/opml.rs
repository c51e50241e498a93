//! `tidings opml`: lists of subscriptions.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context, Result};
use tidings_base::text::counted;
use tidings_feed::Opml;
use tidings_syndication::{ImportPlan, Imported, export_feeds, export_sites, import_outline};

use super::follow::wishes;
use super::{follower, place, runtime};
use crate::Outcome;
use crate::cli::{self, Global, OpmlVerb};
use crate::screen::Screen;

pub(crate) fn run(arguments: &cli::Opml, global: &Global, screen: &Screen) -> Result<Outcome> {
    runtime()?.block_on(async {
        match &arguments.verb {
            OpmlVerb::Import { file, place, wishes } => {
                import(file, place, wishes, global, screen).await
            }
            OpmlVerb::Export { feeds, base, place } => {
                let store = place::open_existing(place, global).await?;
                let opml = if *feeds {
                    let base = place::base(base.as_deref(), &store, global).await?;
                    export_feeds(&store, &base).await?
                } else {
                    export_sites(&store).await?
                };
                screen.print(&opml.write(None))?;
                Ok(Outcome::Well)
            }
        }
    })
}

/// Says what came of one line of the list.
fn tell(imported: &Imported, done: usize, screen: &Screen) {
    match &imported.result {
        Ok(_) => screen.progress(&format!("{done}: {}", imported.url)),
        Err(error) => screen.warning(&format!("{}: {error}", imported.url)),
    }
    if !imported.skipped_settings.is_empty() {
        let settings = imported.skipped_settings.join(", ");
        screen.warning(&format!("{}: not understood, and not set: {settings}", imported.url));
    }
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
    let plan = ImportPlan::from_opml(&opml);
    let given = wishes(given);
    let mut all = Vec::new();
    for outline in &plan.wanted {
        all.extend(import_outline(&follower, outline, &given, false).await);
        let Some(imported) = all.last() else { continue };
        tell(imported, all.len(), screen);
    }
    screen.clear();
    for skipped in &plan.skipped {
        screen.warning(&format!("{} is skipped: {}", skipped.text, skipped.reason));
    }
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
                    serde_json::json!({
                        "url": imported.url,
                        "site": site,
                        "is_new": is_new,
                        "skipped_settings": imported.skipped_settings,
                    })
                }
                Err(error) => {
                    serde_json::json!({ "url": imported.url, "error": error.to_string() })
                }
            })
            .collect();
        let skipped: Vec<_> = plan
            .skipped
            .iter()
            .map(|one| serde_json::json!({ "text": one.text, "reason": one.reason }))
            .collect();
        let object = serde_json::json!({ "imported": lines, "skipped": skipped });
        screen.print(&format!("{object:#}\n"))?;
    } else if !global.quiet {
        screen.print(&format!(
            "{} followed, {known} were already, {failed} cannot be, {} skipped; `tidings poll --due` or a server polls them\n",
            counted(new, "site is", "sites are"),
            counted(plan.skipped.len() as u64, "line is", "lines are")
        ))?;
    }
    Ok(if failed > 0 { Outcome::Differs } else { Outcome::Well })
}
