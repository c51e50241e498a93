//! Follows sites: finds them, polls them, forgets them.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tidings_store::{
    Finished, Followed, Lease, Millis, NewSite, Outcome, Retention, Settings, Site, State, Store,
    StoreError,
};
use tidings_web::{Client, ClientOptions, FetchError, GetOptions, TimeOuts, Url};

use crate::fetch::Fetch;
use crate::find::{Found, find};
use crate::key::key;
use crate::schedule::Pacing;
use crate::watch::Watched;
use crate::{FollowError, Wishes, now, poll};

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
    /// For how long changes are kept.
    pub retention: Retention,
    /// Where the owners of sites can say something about our requests: a URL for the `User-Agent`.
    pub contact: Option<String>,
}

impl Default for FollowerOptions {
    fn default() -> Self {
        let time_outs = TimeOuts {
            idle: Duration::from_secs(20),
            whole: Duration::from_secs(3 * 60),
            ..TimeOuts::default()
        };
        Self {
            allow_private: false,
            heed_robots: true,
            pacing: Pacing::default(),
            time_outs,
            retention: Retention::default(),
            contact: None,
        }
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
    watched: Arc<Watched>,
}

impl Follower {
    /// How long one poll may take, whatever a site does.
    pub const LONGEST_POLL: Duration = Duration::from_secs(60 * 60);

    /// A follower with that memory. It fails only if no HTTP client can be made on this machine.
    pub fn new(store: Store, options: FollowerOptions) -> Result<Self, FetchError> {
        let client = Client::new(ClientOptions {
            allow_private: options.allow_private,
            time_outs: options.time_outs,
            // Hosts are many, and each is asked for little.
            keep_alive: Duration::from_secs(1),
            ..ClientOptions::with_contact(options.contact.as_deref())
        })?;
        Ok(Self { store, client, options, watched: Arc::default() })
    }

    /// What is known.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The polls that are under way in this process.
    #[must_use]
    pub fn watched(&self) -> &Watched {
        &self.watched
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// What it goes by.
    #[must_use]
    pub fn options(&self) -> &FollowerOptions {
        &self.options
    }

    /// Follows the site that a URL is on. If it is followed already, only its settings are changed, and
    /// of those only what is wished for.
    ///
    /// With `trusted`, a person on this machine named it, and it may lie at a private address.
    pub async fn follow(
        &self,
        text: &str,
        wishes: &Wishes,
        trusted: bool,
    ) -> Result<Followed, FollowError> {
        let asked = parse(text)?;
        let now = now();
        if let Some(site) = self.known(text).await? {
            return self.follow_again(site, wishes, false).await;
        }
        let private = trusted && self.is_private(&asked).await;
        let settings = Settings { private, ..wishes.applied(&Settings::default()) };
        let origin = private.then_some(&asked);
        let fetch = Fetch::new(&self.store, &self.client, origin, self.options.heed_robots, now);
        let Found { via, url, title, details, collections, .. } =
            find(&fetch, &asked, &settings, wishes, now).await?;
        if let Some(site) = self.store.site_by_url(url.as_str()).await? {
            return self.follow_again(site, wishes, private).await;
        }
        let followed = self.store.follow(NewSite {
            key: key(&url, None),
            asked: asked.into(),
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

    async fn follow_again(
        &self,
        site: Site,
        wishes: &Wishes,
        private: bool,
    ) -> Result<Followed, FollowError> {
        let mut settings = wishes.applied(&site.settings);
        settings.private |= private;
        if settings != site.settings {
            self.store.set_settings(&site.key, settings).await?;
        }
        let site = self.store.site_by_id(site.id).await?.unwrap_or(site);
        let collections = self.store.collections(site.id).await?;
        Ok(Followed { site, collections, is_new: false })
    }

    /// Whether a URL can be had only by one who is trusted: itself, and not what it redirects to.
    pub(crate) async fn is_private(&self, url: &Url) -> bool {
        let options = ClientOptions {
            time_outs: self.options.time_outs,
            ..ClientOptions::with_contact(self.options.contact.as_deref())
        };
        let Ok(guarded) = Client::new(options) else { return false };
        let refused = guarded.glance(url, &GetOptions::default(), 0, |_| false).await;
        matches!(refused, Err(FetchError::Refused { url: at, .. }) if at.origin() == url.origin())
    }

    /// Forgets a site that is named by its URL, a URL on it, or its key.
    pub async fn unfollow(&self, text: &str) -> Result<Site, FollowError> {
        let site = self.named(text).await?;
        self.store.unfollow(&site.key).await?;
        Ok(site)
    }

    /// The site that somebody means.
    pub async fn named(&self, text: &str) -> Result<Site, FollowError> {
        self.known(text).await?.ok_or_else(|| FollowError::Unknown(hidden(text)))
    }

    async fn known(&self, text: &str) -> Result<Option<Site>, FollowError> {
        if let Some(site) = self.store.site(text).await? {
            return Ok(Some(site));
        }
        let Ok(url) = parse(text) else { return Ok(None) };
        if let Some(site) = self.store.site_by_url(url.as_str()).await? {
            return Ok(Some(site));
        }
        Ok(None)
    }

    /// Polls a site now, whatever its state, if nobody else does.
    pub async fn poll(&self, worker: &str, key: &str) -> Result<Polled, FollowError> {
        let unknown = || FollowError::Unknown(key.to_owned());
        let mut lease = self.store.claim_site(worker, key, SHORT_LEASE).await?;
        for _ in 0..100 {
            if lease.is_some() || self.store.site(key).await?.is_none() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
            lease = self.store.claim_site(worker, key, SHORT_LEASE).await?;
        }
        let Some(lease) = lease else {
            let site = self.store.site(key).await?.ok_or_else(unknown)?;
            return Err(FollowError::Busy(site.url));
        };
        let mut done = Ok(Done::default());
        for site in &lease.sites {
            done = tokio::select! {
                done = self.poll_leased(&lease, site, true) => done,
                () = self.renewing(&lease) => unreachable!("it never ends"),
            };
        }
        self.store.release(&lease).await?;
        let finished = done?.finished;
        let site = self.store.site(key).await?.ok_or_else(unknown)?;
        Ok(Polled { site, finished })
    }

    async fn renewing(&self, lease: &Lease) {
        let host = [lease.host.clone()];
        loop {
            tokio::time::sleep(Duration::from_millis(SHORT_LEASE.unsigned_abs() / 3)).await;
            // If it fails now, it may not the next time; if it never does, the lease is lost, and that
            // is said when the poll is done.
            let _ = self.store.renew_hosts(&lease.worker, &host, SHORT_LEASE).await;
        }
    }

    /// Polls a site of a lease, and records what came of it. A poll `by_hand` looks for more.
    pub(crate) async fn poll_leased(
        &self,
        lease: &Lease,
        site: &Site,
        by_hand: bool,
    ) -> Result<Done, StoreError> {
        let now = now();
        let fetch = Fetch::of(&self.store, &self.client, site, self.options.heed_robots, now);
        let fetch = fetch.watched(self.watched.begin(&site.key)).by_hand(by_hand);
        let polling = poll::poll(&self.store, &fetch, lease, site, &self.options.pacing, now);
        let polling = AssertUnwindSafe(polling).catch_unwind();
        let outcome = match tokio::time::timeout(Self::LONGEST_POLL, polling).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => {
                tracing::error!(site = site.key, "a poll broke off: this is a fault of tidings");
                self.given_up(
                    site,
                    fetch.requests(),
                    "the poll broke off: this is a fault of tidings",
                )
            }
            Err(_) => {
                let minutes = Self::LONGEST_POLL.as_secs() / 60;
                let reason = format!("the poll was not done after {minutes} minutes, and given up");
                self.given_up(site, fetch.requests(), &reason)
            }
        };
        let is_well = outcome.state != State::Failing;
        log_trouble(site, &outcome);
        let finished = self.store.finish(lease, outcome).await?;
        // Whoever looks is told that it is over when there is something to be seen.
        drop(fetch);
        Ok(Done { finished, is_well })
    }

    fn given_up(&self, site: &Site, requests: i64, reason: &str) -> Outcome {
        let failures = site.failures + 1;
        Outcome {
            site_id: site.id,
            state: State::Failing,
            reason: Some(reason.to_owned()),
            failures,
            interval: site.interval,
            wait: self.options.pacing.back_off(failures),
            title: None,
            details: None,
            collections: Vec::new(),
            snapshot: None,
            moved: None,
            posts: None,
            requests,
            took: i64::try_from(Self::LONGEST_POLL.as_millis()).unwrap_or(i64::MAX),
        }
    }
}

/// Says in the log that a poll failed, or a part of it, and why.
fn log_trouble(site: &Site, outcome: &Outcome) {
    let reason = outcome.reason.as_deref().unwrap_or_default();
    match outcome.state {
        State::Failing => {
            let failures = outcome.failures;
            tracing::warn!(site = site.key, url = site.url, failures, reason, "a poll failed");
        }
        State::PartlyFailing => {
            tracing::warn!(site = site.key, url = site.url, reason, "a poll failed in part");
        }
        State::New | State::Well | State::Paused => {}
    }
}

/// How long the lease of a manual poll lasts: whoever began it may have gone away in the middle.
const SHORT_LEASE: Millis = 10_000;
/// How long a lease lasts that nobody renews.
pub(crate) const LEASE: Millis = 60_000;

/// The URL that a person means. Without a scheme it is https.
pub(crate) fn parse(text: &str) -> Result<Url, FollowError> {
    let text = text.trim();
    let refused = |reason: &str| FollowError::Url { text: hidden(text), reason: reason.to_owned() };
    let has_scheme = text.contains("://");
    if !has_scheme && text.contains('@') {
        return Err(refused("it is no URL, and may have a password in it"));
    }
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

/// What somebody typed, without a user name or password in it, however wrong it is.
pub(crate) fn hidden(text: &str) -> String {
    // With one slash it is no URL, and what is before the @ may be anything.
    if !text.contains("//") && text.contains('@') {
        return "…".to_owned();
    }
    let begin = text.find("//").map_or(0, |at| at + 2);
    let rest = &text[begin..];
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{}…@{}", &text[..begin], &rest[at + 1..]),
        None => text.to_owned(),
    }
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
        for text in
            ["ftp://u:secret@a.example/", "https://u:secret@a.exa mple/", "u:secret@a.example"]
        {
            let error = parse(text).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
        assert_eq!(hidden("https://a.example/@x"), "https://a.example/@x");
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
