//! Follows sites: finds them, polls them, forgets them.

use std::time::Duration;

use tidings_store::{
    Finished, Followed, Lease, Millis, NewSite, Outcome, Settings, Site, SiteFilter, State, Store,
    StoreError,
};
use tidings_web::{Client, ClientOptions, FetchError, GetOptions, TimeOuts, Url};

use crate::fetch::Fetch;
use crate::find::{Found, find};
use crate::key::key;
use crate::schedule::Pacing;
use crate::{FollowError, now, poll};

/// How long one poll may take, whatever a site does.
const LONGEST_POLL: Duration = Duration::from_secs(15 * 60);

/// What a follower goes by.
#[derive(Debug, Clone)]
pub struct FollowerOptions {
    /// Fetch from private, loopback and link-local addresses, whoever names them.
    pub allow_private: bool,
    /// Heed robots.txt.
    pub heed_robots: bool,
    /// How often sites are polled.
    pub pacing: Pacing,
    /// How long to wait for what.
    pub time_outs: TimeOuts,
}

impl Default for FollowerOptions {
    fn default() -> Self {
        let time_outs = TimeOuts {
            idle: Duration::from_secs(20),
            whole: Duration::from_secs(3 * 60),
            ..TimeOuts::default()
        };
        Self { allow_private: false, heed_robots: true, pacing: Pacing::default(), time_outs }
    }
}

/// What came of a poll.
#[derive(Debug, Clone)]
pub struct Polled {
    /// The site, as it is now.
    pub site: Site,
    /// What was recorded.
    pub finished: Finished,
}

/// What came of a poll, for those who count.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) finished: Finished,
    pub(crate) is_well: bool,
}

/// Follows sites. A clone shares everything with it.
#[derive(Debug, Clone)]
pub struct Follower {
    store: Store,
    client: Client,
    options: FollowerOptions,
}

impl Follower {
    /// A follower with that memory. It fails only if no HTTP client can be made on this machine.
    pub fn new(store: Store, options: FollowerOptions) -> Result<Self, FetchError> {
        let client = Client::new(ClientOptions {
            allow_private: options.allow_private,
            time_outs: options.time_outs,
            // Hosts are many, and each is asked for little.
            keep_alive: Duration::from_secs(1),
            ..ClientOptions::default()
        })?;
        Ok(Self { store, client, options })
    }

    /// What is known.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What it goes by.
    #[must_use]
    pub fn options(&self) -> &FollowerOptions {
        &self.options
    }

    /// Follows the site that a URL is on. If it is followed already, only its settings are changed.
    ///
    /// With `trusted`, a person on this machine named it, and it may lie at a private address.
    pub async fn follow(
        &self,
        text: &str,
        mut settings: Settings,
        trusted: bool,
    ) -> Result<Followed, FollowError> {
        let asked = parse(text)?;
        let now = now();
        settings.private = trusted && self.is_private(&asked).await;
        if let Some(site) = self.known(text).await? {
            settings.private |= site.settings.private && trusted;
            self.store.set_settings(&site.key, settings).await?;
            let site = self.store.site_by_id(site.id).await?.unwrap_or(site);
            let collections = self.store.collections(site.id).await?;
            return Ok(Followed { site, collections, is_new: false });
        }
        let origin = settings.private.then_some(&asked);
        let fetch = Fetch::new(&self.store, &self.client, origin, self.options.heed_robots, now);
        let Found { via, url, title, details, collections } =
            find(&fetch, &asked, &settings, now).await?;
        let followed = self.store.follow(NewSite {
            key: key(&url, None),
            host: host_of(&url),
            via,
            title,
            interval: self.options.pacing.first(&settings),
            settings,
            details: details.write(),
            due: None,
            collections,
            url: url.into(),
        });
        Ok(followed.await?)
    }

    /// Whether a URL can be had only by one who is trusted.
    async fn is_private(&self, url: &Url) -> bool {
        let refused = self.client.get(url, &GetOptions::default()).await;
        matches!(refused, Err(FetchError::Refused { .. }))
    }

    /// Forgets a site that is named by its URL, a URL on it, or its key.
    pub async fn unfollow(&self, text: &str) -> Result<Site, FollowError> {
        let site = self.named(text).await?;
        self.store.unfollow(&site.key).await?;
        Ok(site)
    }

    /// The site that somebody means.
    pub async fn named(&self, text: &str) -> Result<Site, FollowError> {
        self.known(text).await?.ok_or_else(|| FollowError::Unknown(text.to_owned()))
    }

    async fn known(&self, text: &str) -> Result<Option<Site>, FollowError> {
        if let Some(site) = self.store.site(text).await? {
            return Ok(Some(site));
        }
        let Ok(url) = parse(text) else { return Ok(None) };
        if let Some(site) = self.store.site_by_url(url.as_str()).await? {
            return Ok(Some(site));
        }
        // By another URL than the one that the site is known by.
        let host = host_of(&url);
        let filter = SiteFilter { text: Some(host.clone()), limit: 1_000, ..SiteFilter::default() };
        let sites = self.store.sites(filter).await?;
        let asked = |site: &&Site| crate::Details::read(&site.details).asked == url.as_str();
        Ok(sites.iter().find(asked).cloned())
    }

    /// Polls a site now, whatever its state, if nobody else does.
    pub async fn poll(&self, worker: &str, key: &str) -> Result<Polled, FollowError> {
        let unknown = || FollowError::Unknown(key.to_owned());
        let mut lease = self.store.claim_site(worker, key, LEASE).await?;
        for _ in 0..50 {
            if lease.is_some() || self.store.site(key).await?.is_none() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
            lease = self.store.claim_site(worker, key, LEASE).await?;
        }
        let Some(lease) = lease else {
            let site = self.store.site(key).await?.ok_or_else(unknown)?;
            return Err(FollowError::Busy(site.url));
        };
        let mut done = Done::default();
        for site in &lease.sites {
            let renewing = self.renewing(worker);
            done = tokio::select! {
                done = self.poll_leased(&lease, site) => done,
                () = renewing => unreachable!("it never ends"),
            }?;
        }
        self.store.release(&lease).await?;
        let site = self.store.site(key).await?.ok_or_else(unknown)?;
        Ok(Polled { site, finished: done.finished })
    }

    async fn renewing(&self, worker: &str) {
        loop {
            tokio::time::sleep(Duration::from_millis(LEASE.unsigned_abs() / 3)).await;
            // If it fails now, it may not the next time; if it never does, the lease is lost, and that
            // is said when the poll is done.
            let _ = self.store.renew(worker, LEASE).await;
        }
    }

    /// Polls a site of a lease, and records what came of it.
    pub(crate) async fn poll_leased(&self, lease: &Lease, site: &Site) -> Result<Done, StoreError> {
        let now = now();
        let fetch = Fetch::of(&self.store, &self.client, site, self.options.heed_robots, now);
        let polling = poll::poll(&self.store, &fetch, lease, site, &self.options.pacing, now);
        let outcome = match tokio::time::timeout(LONGEST_POLL, polling).await {
            Ok(outcome) => outcome,
            Err(_) => self.overdue(site, fetch.requests()),
        };
        let is_well = outcome.state == State::Well;
        Ok(Done { finished: self.store.finish(lease, outcome).await?, is_well })
    }

    fn overdue(&self, site: &Site, requests: i64) -> Outcome {
        let failures = site.failures + 1;
        let minutes = LONGEST_POLL.as_secs() / 60;
        Outcome {
            site_id: site.id,
            state: State::Failing,
            reason: Some(format!("the poll was not done after {minutes} minutes, and given up")),
            failures,
            interval: site.interval,
            wait: self.options.pacing.back_off(failures, None),
            title: None,
            details: None,
            collections: Vec::new(),
            snapshot: None,
            requests,
            took: i64::try_from(LONGEST_POLL.as_millis()).unwrap_or(i64::MAX),
        }
    }
}

/// How long a lease lasts that nobody renews.
pub(crate) const LEASE: Millis = 60_000;

/// The URL that a person means. Without a scheme it is https.
fn parse(text: &str) -> Result<Url, FollowError> {
    let text = text.trim();
    let refused =
        |reason: &str| FollowError::Url { text: text.to_owned(), reason: reason.to_owned() };
    let has_scheme = text.contains("://");
    let url = if has_scheme { Url::parse(text) } else { Url::parse(&format!("https://{text}")) };
    let mut url = url.map_err(|error| refused(&format!("it is no URL ({error})")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused("only http and https URLs can be followed"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        let error = "a user name or password would have to be kept, and is not; name it without";
        let _ = (url.set_username(""), url.set_password(None));
        return Err(FollowError::Url { text: url.to_string(), reason: error.to_owned() });
    }
    url.set_fragment(None);
    Ok(url)
}

/// The host of a URL, with its port if that is not the usual one.
pub(crate) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type_becomes_a_url() {
        assert_eq!(parse("example.com").unwrap().as_str(), "https://example.com/");
        assert_eq!(
            parse(" http://a.example:8080/x#y ").unwrap().as_str(),
            "http://a.example:8080/x"
        );
        for bad in ["", "ftp://a.example/", "javascript://x", "http://", "https://exa mple.com/"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        let error = parse("https://user:secret@a.example/").unwrap_err().to_string();
        assert!(!error.contains("secret") && error.contains("a.example"), "{error}");
    }

    #[test]
    fn a_host_has_its_port_if_that_is_unusual() {
        for (url, host) in [
            ("https://A.example/x", "a.example"),
            ("https://a.example:443/", "a.example"),
            ("http://a.example:8080/", "a.example:8080"),
        ] {
            assert_eq!(host_of(&Url::parse(url).unwrap()), host);
        }
    }
}
