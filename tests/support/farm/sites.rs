//! The sites: which is of what kind, and how much has changed on each.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{FarmOptions, FarmRequests};

/// Where the first site is; all before it is the farm's own.
const FIRST: u32 = 0x7f01_0000;
/// So long before the farm was started the first change of each site happened, in seconds. One more
/// happens each second, and none of them in the future, as long as there are not too many.
const SINCE: u64 = 24 * 60 * 60;

/// How a site behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    ResourceSync,
    Sitemap,
    Hanging,
    Erring,
}

#[derive(Debug)]
pub(super) struct Sites {
    options: FarmOptions,
    port: u16,
    /// When the first change of each site happened, in seconds since 1970.
    begun: u64,
    /// Changes beyond those that all have, by site.
    added: Mutex<HashMap<u64, u64>>,
    /// Changes that all sites got later.
    pub(super) more: AtomicU64,
    pub(super) counters: Counters,
}

/// See [`FarmRequests`].
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) robots: AtomicU64,
    pub(super) lists: AtomicU64,
    pub(super) unchanged: AtomicU64,
    pub(super) others: AtomicU64,
    pub(super) hanging: AtomicU64,
}

impl Sites {
    pub(super) fn new(options: FarmOptions, port: u16) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Self {
            options,
            port,
            begun: now.saturating_sub(SINCE),
            added: Mutex::default(),
            more: AtomicU64::new(0),
            counters: Counters::default(),
        }
    }

    /// The site at an address; none if that is not one of a site.
    pub(super) fn at(address: Ipv4Addr) -> Option<u64> {
        address.to_bits().checked_sub(FIRST).map(u64::from)
    }

    pub(super) fn url(&self, site: u64) -> String {
        let number = u32::try_from(site).expect("there are not so many addresses");
        format!("http://{}:{}/", Ipv4Addr::from_bits(FIRST + number), self.port)
    }

    pub(super) fn kind(&self, site: u64) -> Kind {
        let last_of = |every: u64| every > 0 && site % every == every - 1;
        if last_of(self.options.hanging_every) {
            Kind::Hanging
        } else if last_of(self.options.erring_every) {
            Kind::Erring
        } else if last_of(self.options.sitemap_every) {
            Kind::Sitemap
        } else {
            Kind::ResourceSync
        }
    }

    pub(super) fn delay(&self) -> Duration {
        self.options.delay
    }

    pub(super) fn robots(&self) -> Option<&str> {
        self.options.robots.as_deref()
    }

    pub(super) fn add(&self, site: u64, changes: u64) {
        *self.added().entry(site).or_default() += changes;
    }

    pub(super) fn changes(&self, site: u64) -> u64 {
        let added = self.added().get(&site).copied().unwrap_or_default();
        self.options.changes + self.more.load(Ordering::SeqCst) + added
    }

    fn added(&self) -> std::sync::MutexGuard<'_, HashMap<u64, u64>> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When a change happened, by its number from 0; that of none is when all began.
    pub(super) fn time(&self, change: u64) -> String {
        written(self.begun + change)
    }
}

impl Counters {
    pub(super) fn read(&self) -> FarmRequests {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        FarmRequests {
            robots: of(&self.robots),
            lists: of(&self.lists),
            unchanged: of(&self.unchanged),
            others: of(&self.others),
            hanging: of(&self.hanging),
        }
    }
}

/// Seconds since 1970 as a W3C datetime (the civil calendar, counted in eras of 400 years).
fn written(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hours, minutes) = (rest / 3_600, rest / 60 % 60);
    format!("{year:04}-{month:02}-{of_month:02}T{hours:02}:{minutes:02}:{:02}Z", rest % 60)
}
