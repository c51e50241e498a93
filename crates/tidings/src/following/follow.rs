//! `tidings follow`: what is at a site, and how good it is.

use std::fmt::Write as _;

use anyhow::Result;
use tidings_base::text::counted;
use tidings_store::{State, Via};
use tidings_syndication::{SiteReport, Wishes, WorkerOptions, report};

use super::{follower, place, runtime};
use crate::Outcome;
use crate::cli::{self, Global};
use crate::screen::Screen;

/// What a person wants of a site.
pub(crate) fn wishes(given: &cli::Wishes) -> Wishes {
    Wishes {
        split: given.split.then_some(true),
        strict: given.strict.then_some(true),
        titles: given.titles,
        diff: given.diff.then_some(true),
        every: given.every.map(Some),
        tiles: given.tiles,
        pages: given.pages,
        webfeed: given.webfeed,
    }
}

pub(crate) fn run(arguments: &cli::Follow, global: &Global, screen: &Screen) -> Result<Outcome> {
    runtime()?.block_on(async {
        let store = place::open(&arguments.place, global).await?;
        let base = place::base(None, &store, global).await?;
        let follower = follower(store.clone(), global)?;
        let mut outcome = Outcome::Well;
        let mut reports = Vec::new();
        for url in &arguments.urls {
            screen.progress(&format!("looking at {url}"));
            let followed = match follower.follow(url, &wishes(&arguments.wishes), true).await {
                Ok(followed) => followed,
                Err(error) if arguments.urls.len() == 1 => return Err(error.into()),
                Err(error) => {
                    screen.error(&error.to_string());
                    outcome = Outcome::NotDone;
                    continue;
                }
            };
            let mut site = followed.site;
            if !arguments.no_poll {
                screen.progress(&format!("polling {}", site.url));
                match follower.poll(&WorkerOptions::new().name, &site.key).await {
                    Ok(polled) => site = polled.site,
                    Err(error) => {
                        screen.warning(&error.to_string());
                        if outcome == Outcome::Well {
                            outcome = Outcome::Differs;
                        }
                    }
                }
            }
            screen.clear();
            if site.state == State::Failing && outcome == Outcome::Well {
                outcome = Outcome::Differs;
            }
            let collections = store.collections(site.id).await?;
            let told = report(&site, &collections, &base);
            if !global.json && !global.quiet {
                screen.print(&shown(&told, followed.is_new, screen))?;
            }
            reports.push(told);
        }
        if global.json {
            let text = match &reports[..] {
                [one] if arguments.urls.len() == 1 => serde_json::to_string_pretty(one)?,
                all => serde_json::to_string_pretty(&serde_json::json!({ "sites": all }))?,
            };
            screen.print(&(text + "\n"))?;
        }
        Ok(outcome)
    })
}

/// What was found, how good it is, and where the feeds are.
fn shown(told: &SiteReport, is_new: bool, screen: &Screen) -> String {
    let mut text = String::new();
    let name = told.title.as_deref().unwrap_or(&told.url);
    let verb = if is_new { "follows" } else { "already follows" };
    let via = match told.via {
        Via::ResourceSync => "ResourceSync",
        Via::Sitemap => "Sitemap",
        Via::Feed => "feed",
        Via::Webfeed => "webfeed",
        Via::Pages => "pages",
    };
    // Writing into a string does not fail.
    let _ = writeln!(
        text,
        "tidings {verb} {} by its {via}, found by {}",
        screen.bold(name),
        told.found_by
    );
    let quality = &told.quality;
    if quality.errors + quality.warnings + quality.notes > 0 {
        let count = |number, one: &str| counted(number, one, &format!("{one}s"));
        let _ = writeln!(
            text,
            "  its documents: {}, {}, {}",
            count(quality.errors, "error"),
            count(quality.warnings, "warning"),
            count(quality.notes, "note")
        );
        for finding in quality.findings.iter().take(3) {
            let _ = writeln!(
                text,
                "    {}, line {}: {} ({})",
                finding.document, finding.line, finding.message, finding.rule
            );
        }
    }
    if let Some(reason) = &told.reason {
        let _ = writeln!(
            text,
            "  {}: {reason}",
            match told.state {
                State::Failing => "failing",
                State::PartlyFailing => "partly failing",
                State::New | State::Well | State::Paused => "note",
            }
        );
    }
    if told.left_out > 0 {
        let _ = writeln!(text, "  {} more of its collections are not followed", told.left_out);
    }
    text.push_str(&collections(told, screen));
    text
}

/// The collections of a site, with their feeds.
pub(crate) fn collections(told: &SiteReport, screen: &Screen) -> String {
    let mut text = String::new();
    for collection in &told.collections {
        let name = collection.title.as_deref().unwrap_or(&collection.identity);
        let changes = u64::try_from(collection.changes).unwrap_or(0);
        let changes = counted(changes, "change", "changes");
        let _ =
            writeln!(text, "  {} {}", screen.bold(name), screen.dim(&format!("{changes} so far")));
        if collection.title.is_some() {
            let _ = writeln!(text, "    {}", collection.identity);
        }
        if let Some(reason) = &collection.reason {
            let _ = writeln!(text, "    note: {reason}");
        }
        let _ = writeln!(text, "    feed: {}", collection.feeds.atom);
    }
    if told.collections.len() != 1 {
        let _ = writeln!(text, "  all of it: {}", told.feeds.atom);
    }
    text
}
