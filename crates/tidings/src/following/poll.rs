//! `tidings poll`: looks for changes now.

use std::collections::BTreeMap;

use anyhow::Result;
use futures_util::StreamExt as _;
use tidings_base::text::{counted, grouped};
use tidings_store::{Site, SiteFilter, State, Store};
use tidings_syndication::{FollowError, Follower, Polled, WorkerOptions, report};

use super::{follower, place, runtime};
use crate::Outcome;
use crate::cli::{self, Global};
use crate::screen::Screen;

/// How many sites are polled at once.
const AT_ONCE: usize = 16;

pub(crate) fn run(arguments: &cli::Poll, global: &Global, screen: &Screen) -> Result<Outcome> {
    runtime()?.block_on(async {
        let store = place::open_existing(&arguments.place, global).await?;
        let base = place::base(None, &store, global).await?;
        let follower = follower(store.clone(), global)?;
        let mut outcome = Outcome::Well;
        let mut results = Vec::new();
        let (mut sites, mut changes) = (0, 0);
        let mut after = None;
        loop {
            let page = if arguments.sites.is_empty() {
                all(&store, arguments.due, &mut after).await?
            } else {
                named(&follower, &arguments.sites, screen, &mut outcome).await
            };
            if page.is_empty() {
                break;
            }
            // The sites of one host take turns.
            let mut hosts: BTreeMap<String, Vec<Site>> = BTreeMap::new();
            for site in page {
                hosts.entry(site.host.clone()).or_default().push(site);
            }
            let mut polls = futures_util::stream::iter(hosts.into_values())
                .map(|sites| one_by_one(&follower, sites))
                .buffer_unordered(AT_ONCE)
                .flat_map(futures_util::stream::iter);
            while let Some((site, polled)) = polls.next().await {
                sites += 1;
                match polled {
                    Ok(polled) => {
                        changes += polled.finished.changes;
                        if polled.site.state == State::Failing && outcome == Outcome::Well {
                            outcome = Outcome::Differs;
                        }
                        screen.clear();
                        tell(&polled, global, screen)?;
                        if global.json {
                            let collections = store.collections(polled.site.id).await?;
                            results.push(serde_json::json!({
                                "changes": polled.finished.changes,
                                "site": report(&polled.site, &collections, &base),
                            }));
                        }
                    }
                    Err(error) => {
                        screen.error(&format!("{}: {error}", site.url));
                        outcome = Outcome::NotDone;
                    }
                }
                screen.progress(&format!("{} polled", grouped(sites)));
            }
            if !arguments.sites.is_empty() || after.is_none() {
                break;
            }
        }
        screen.progress("forgetting what is too old");
        follower.forget_old().await?;
        screen.clear();
        if global.json {
            let all = serde_json::json!({ "polled": results });
            screen.print(&(serde_json::to_string_pretty(&all)? + "\n"))?;
        } else if !global.quiet && sites != 1 {
            let summary = format!(
                "{} polled, {}\n",
                counted(sites, "site", "sites"),
                counted(changes, "change", "changes")
            );
            screen.print(&summary)?;
        }
        Ok(outcome)
    })
}

async fn one_by_one(
    follower: &Follower,
    sites: Vec<Site>,
) -> Vec<(Site, Result<Polled, FollowError>)> {
    let mut all = Vec::with_capacity(sites.len());
    for site in sites {
        let polled = follower.poll(&WorkerOptions::new().name, &site.key).await;
        all.push((site, polled));
    }
    all
}

fn tell(polled: &Polled, global: &Global, screen: &Screen) -> Result<()> {
    let site = &polled.site;
    if site.state == State::Failing {
        let reason = site.reason.as_deref().unwrap_or("the poll failed");
        screen.warning(&format!("{}: {reason}", site.url));
        return Ok(());
    }
    if global.json || global.quiet {
        return Ok(());
    }
    let changes = counted(polled.finished.changes, "change", "changes");
    screen.print(&format!("{}: {changes}\n", site.url))?;
    if let Some(reason) = &site.reason {
        screen.warning(&format!("{}: {reason}", site.url));
    }
    Ok(())
}

/// The next sites of all, or of those that are due.
async fn all(store: &Store, due: bool, after: &mut Option<String>) -> Result<Vec<Site>> {
    let now = store.now().await?;
    loop {
        let filter = SiteFilter { after: after.take(), limit: 500, ..SiteFilter::default() };
        let sites = store.sites(filter).await?;
        *after = sites.last().map(|site| site.key.clone());
        if after.is_none() {
            return Ok(Vec::new());
        }
        let is_due = |site: &Site| site.next_due <= now && site.state != State::Paused;
        let wanted: Vec<Site> = sites.into_iter().filter(|site| !due || is_due(site)).collect();
        if !wanted.is_empty() {
            return Ok(wanted);
        }
    }
}

async fn named(
    follower: &Follower,
    names: &[String],
    screen: &Screen,
    outcome: &mut Outcome,
) -> Vec<Site> {
    let mut sites = Vec::new();
    for name in names {
        match follower.named(name).await {
            Ok(site) => sites.push(site),
            Err(error) => {
                screen.error(&error.to_string());
                *outcome = Outcome::NotDone;
            }
        }
    }
    sites
}
