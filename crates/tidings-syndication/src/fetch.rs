//! The requests of one poll: allowed, counted, not too fast.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tidings_document::ReadOptions;
use tidings_store::{Millis, Site, Store};
use tidings_web::{
    Client, Fetched, GetOptions, Glance, Head, Robots, Url, Validators, Whole, charset,
};
use tokio::sync::Mutex;

use crate::PollError;
use crate::details::Details;
use crate::robots::{Found, objection, robots};
use crate::watch::Polling;

/// The longest `Crawl-delay` that is kept to; a longer one would be a way to say no.
const LONGEST_DELAY: Duration = Duration::from_secs(10);

/// How much of a page or description is looked at.
const MOST_GLANCED: u64 = 1 << 20;

/// All that one poll fetches.
pub(crate) struct Fetch<'a> {
    store: &'a Store,
    client: &'a Client,
    options: GetOptions,
    /// Whether robots.txt is heeded.
    heeds: bool,
    now: Millis,
    rules: Mutex<Option<(tidings_web::Origin, Found)>>,
    requests: AtomicI64,
    /// Who wants to know what is being asked for.
    told: Told<'a>,
    /// True if a person asked for this poll.
    is_by_hand: bool,
}

/// Who wants to know what is being asked for.
enum Told<'a> {
    Nobody,
    One(&'a (dyn Fn(&str) + Send + Sync)),
    All(Polling),
}

impl<'a> Fetch<'a> {
    /// For a site: its own origin may lie at a private address if somebody on this machine named it.
    pub(crate) fn new(
        store: &'a Store,
        client: &'a Client,
        trusted: Option<&Url>,
        heeds: bool,
        now: Millis,
    ) -> Self {
        let options = trusted.map(GetOptions::trusting).unwrap_or_default();
        let (rules, requests) = (Mutex::new(None), AtomicI64::new(0));
        Self {
            store,
            client,
            options,
            heeds,
            now,
            rules,
            requests,
            told: Told::Nobody,
            is_by_hand: false,
        }
    }

    /// Tells somebody what is being asked for.
    pub(crate) fn telling(self, told: &'a (dyn Fn(&str) + Send + Sync)) -> Self {
        Self { told: Told::One(told), ..self }
    }

    /// Tells whoever looks at the site.
    pub(crate) fn watched(self, polling: Polling) -> Self {
        Self { told: Told::All(polling), ..self }
    }

    /// A poll that a person asked for, or one that was due.
    pub(crate) fn by_hand(self, is_by_hand: bool) -> Self {
        Self { is_by_hand, ..self }
    }

    pub(crate) fn is_by_hand(&self) -> bool {
        self.is_by_hand
    }

    fn tell(&self, url: &Url) {
        match &self.told {
            Told::Nobody => {}
            Told::One(told) => told(&format!("asking for {url}")),
            Told::All(polling) => polling.asks(self.requests(), url.as_str()),
        }
    }

    /// For a site that is known.
    pub(crate) fn of(
        store: &'a Store,
        client: &'a Client,
        site: &Site,
        heeds: bool,
        now: Millis,
    ) -> Self {
        // What documents lead to was not typed by anybody.
        let url = Url::parse(&Details::read(&site.details).asked).ok();
        let url = url.filter(|_| site.settings.private);
        Self::new(store, client, url.as_ref(), heeds, now)
    }

    pub(crate) fn client(&self) -> &Client {
        self.client
    }

    pub(crate) fn options(&self) -> &GetOptions {
        &self.options
    }

    /// How many requests there were.
    pub(crate) fn requests(&self) -> i64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Counts requests that were made elsewhere.
    pub(crate) fn count(&self, requests: i64) {
        self.requests.fetch_add(requests, Ordering::Relaxed);
    }

    /// Gets a document, if it is another one than it was.
    pub(crate) async fn get(&self, url: &Url, known: Validators) -> Result<Fetched, PollError> {
        self.may(url).await?;
        self.count(1);
        self.tell(url);
        Ok(self.client.get(url, &self.options.unless_unchanged(known)).await?)
    }

    /// Asks what is said about a document.
    pub(crate) async fn head(&self, url: &Url) -> Result<Head, PollError> {
        self.may(url).await?;
        self.count(1);
        self.tell(url);
        let options = GetOptions { identity: true, ..self.options.clone() };
        Ok(self.client.head(url, &options).await?)
    }

    /// Gets all of something that has so many bytes at the most, if it is another one than it was, and as
    /// it is if `identity`.
    pub(crate) async fn whole(
        &self,
        url: &Url,
        known: Validators,
        most: u64,
        identity: bool,
    ) -> Result<Option<Whole>, PollError> {
        self.may(url).await?;
        self.count(1);
        self.tell(url);
        let options = GetOptions { identity, ..self.options.unless_unchanged(known) };
        Ok(self.client.whole(url, &options, most).await?)
    }

    /// Gets the beginning of something, if it is of a kind that is wanted.
    pub(crate) async fn glance(
        &self,
        url: &Url,
        wanted: impl Fn(Option<&str>) -> bool,
    ) -> Result<Glance, PollError> {
        self.may(url).await?;
        self.count(1);
        self.tell(url);
        Ok(self.client.glance(url, &self.options, MOST_GLANCED, wanted).await?)
    }

    /// Whether the server that was asked last for its robots.txt did not answer at all.
    pub(crate) async fn is_silent(&self) -> bool {
        self.rules.lock().await.as_ref().is_some_and(|(_, found)| found.is_silent)
    }

    /// Whether a URL may be fetched; waits if the site wants some time between requests.
    pub(crate) async fn may(&self, url: &Url) -> Result<(), PollError> {
        if !self.heeds {
            return Ok(());
        }
        let origin = url.origin();
        let mut rules = self.rules.lock().await;
        let known = matches!(&*rules, Some((of, _)) if *of == origin);
        if !known {
            let found = robots(self.store, self.client, url, &self.options, self.now).await?;
            self.count(i64::from(found.asked));
            *rules = Some((origin, found));
        }
        let Some((_, found)) = &*rules else { return Ok(()) };
        if let Some(reason) = objection(&found.robots, url) {
            let retry_after = found.retry_after;
            return Err(PollError::Disallowed { url: Box::new(url.clone()), reason, retry_after });
        }
        let delay = found.robots.crawl_delay(Robots::PRODUCT).filter(|_| known);
        drop(rules);
        if let Some(delay) = delay {
            tokio::time::sleep(delay.min(LONGEST_DELAY)).await;
        }
        Ok(())
    }
}

/// How to read what was fetched.
pub(crate) fn read_options(fetched: &Fetched) -> ReadOptions {
    let charset = fetched.content_type.as_deref().and_then(charset);
    ReadOptions { charset, ..ReadOptions::default() }
}
