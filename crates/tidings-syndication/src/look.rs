//! What following a site would bring, before it is followed.

mod sample;

use tidings_store::{Followed, NewChange, NewSite, Settings, Via};
use tidings_web::{DiscoveryFailure, Url};

use crate::details::Quality;
use crate::fetch::Fetch;
use crate::find::{Found, find};
use crate::follower::{host_of, parse};
use crate::key::key;
use crate::{FollowError, Follower, PollError, Wishes, now};

/// Of how many collections the newest changes are shown.
const MOST_SAMPLED: usize = 12;

/// What following a site would bring. It can be followed as it was seen ([`Follower::follow_look`]).
#[derive(Debug)]
pub struct Look {
    /// What the site would be known by.
    pub url: String,
    /// What it calls itself.
    pub title: Option<String>,
    /// By what its changes would be known.
    pub via: Via,
    /// How that was found, in words that end a sentence.
    pub found_by: String,
    /// Where it was looked, and what was there, or why it was of no use.
    pub tried: Vec<Tried>,
    /// How good its documents are.
    pub quality: Quality,
    /// How many collections it has beyond those that would be followed.
    pub left_out: u64,
    /// Its collections; of a Sitemap that is split, they come up later.
    pub collections: Vec<LookedAt>,
    /// The key of the site, if it is followed already.
    pub known: Option<String>,
    found: Found,
    asked: Url,
    private: bool,
}

/// A place where it was looked.
#[derive(Debug, Clone)]
pub struct Tried {
    /// What place it is, in words.
    pub what: String,
    /// Where.
    pub url: String,
    /// What was there; or why it was of no use.
    pub result: Result<String, DiscoveryFailure>,
}

/// A collection that would be followed.
#[derive(Debug)]
pub struct LookedAt {
    /// What identifies it.
    pub identity: String,
    /// What it calls itself.
    pub title: Option<String>,
    /// A line about it.
    pub about: Option<String>,
    /// Its newest changes, the newest first; or why they are not known. None if it was not looked for
    /// them: there are many collections.
    pub changes: Option<Result<Vec<NewChange>, PollError>>,
}

impl Follower {
    /// Looks at a site without following it, and says by `tell` what it is doing.
    ///
    /// With `trusted`, a person on this machine named it, and it may lie at a private address.
    pub async fn look(
        &self,
        text: &str,
        wishes: &Wishes,
        trusted: bool,
        tell: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Look, FollowError> {
        let asked = parse(text)?;
        let now = now();
        let private = trusted && self.is_private(&asked).await;
        let origin = private.then_some(&asked);
        let fetch =
            Fetch::new(self.store(), self.client(), origin, self.options().heed_robots, now);
        let fetch = fetch.telling(tell);
        let settings = Settings { private, ..Settings::default() };
        tell(&format!("asking {} for what it offers", host_of(&asked)));
        let mut found = find(&fetch, &asked, &settings, wishes, now).await?;
        let known = match self.store().site_by_url(found.url.as_str()).await? {
            Some(site) => Some(site),
            None => self.store().site_by_url(asked.as_str()).await?,
        };
        tell("reading its newest changes");
        let mut collections = Vec::with_capacity(found.collections.len());
        for (index, collection) in found.collections.iter().enumerate() {
            let changes = if index < MOST_SAMPLED {
                Some(sample::newest(&fetch, found.via, &found.details, collection, now).await)
            } else {
                None
            };
            collections.push(LookedAt {
                identity: collection.identity.clone(),
                title: collection.title.clone(),
                about: collection.about.clone(),
                changes,
            });
        }
        Ok(Look {
            url: found.url.to_string(),
            title: found.title.clone(),
            via: found.via,
            found_by: found.details.found_by.clone(),
            tried: std::mem::take(&mut found.tried),
            quality: found.details.quality.clone(),
            left_out: found.details.left_out,
            collections,
            known: known.map(|site| site.key),
            found,
            asked,
            private,
        })
    }

    /// Follows a site as it was seen. Of its collections, those that `wanted` does not want are muted:
    /// they are known, and nothing is recorded of them.
    pub async fn follow_look(
        &self,
        look: &Look,
        wishes: &Wishes,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Followed, FollowError> {
        let settings = Settings { private: look.private, ..wishes.applied(&Settings::default()) };
        let Found { via, url, title, details, collections, .. } = &look.found;
        // A Sitemap that is split has other collections, which come up as their pages do.
        let mut collections =
            if settings.split && *via == Via::Sitemap { Vec::new() } else { collections.clone() };
        for collection in &mut collections {
            collection.is_muted = !wanted(&collection.identity);
        }
        let followed = self.store().follow(NewSite {
            key: key(url, None),
            asked: look.asked.to_string(),
            host: host_of(url),
            via: *via,
            title: title.clone(),
            interval: self.options().pacing.first(&settings),
            settings,
            details: details.write(),
            due: None,
            collections,
            url: url.to_string(),
        });
        Ok(followed.await?)
    }
}
