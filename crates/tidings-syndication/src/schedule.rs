//! When to poll again.

use std::time::Duration;

use tidings_store::{Millis, Settings, Site};

const MINUTE: Millis = 60_000;
const HOUR: Millis = 60 * MINUTE;
const DAY: Millis = 24 * HOUR;

/// How often sites are polled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pacing {
    /// How often at first. Default: once a day.
    pub usual: Millis,
    /// How often at the most, however fast a site changes. Default: every 5 minutes.
    pub shortest: Millis,
    /// How often at the least, however seldom it does. Default: once a week.
    pub longest: Millis,
    /// How long to wait at the most for a site that fails. Default: two days.
    pub longest_wait: Millis,
    /// How long it is doubted that so many posts of a webfeed are gone. Default: an hour.
    pub doubt: Millis,
}

impl Default for Pacing {
    fn default() -> Self {
        let (longest, longest_wait) = (7 * DAY, 2 * DAY);
        Self { usual: DAY, shortest: 5 * MINUTE, longest, longest_wait, doubt: 60 * MINUTE }
    }
}

impl Pacing {
    /// The interval at which a new site is polled.
    #[must_use]
    pub fn first(&self, settings: &Settings) -> Millis {
        self.held(settings.every.unwrap_or(self.usual))
    }

    /// The interval after a poll that went well and found so many times at which something changed.
    ///
    /// A site that changed `moments` times since the last poll is likely to change again within a
    /// `moments`th of that time, and half of it is often enough. The old interval has half of the say,
    /// so that one busy day does not make a busy site.
    #[must_use]
    pub fn after(&self, site: &Site, moments: u64, now: Millis) -> Millis {
        if let Some(every) = site.settings.every {
            return self.held(every);
        }
        // The first poll shows the past, and not how often something happens.
        let Some(before) = site.succeeded_at else { return self.held(site.interval) };
        if moments == 0 {
            // Who looks ahead of time and finds nothing has learned nothing about how often there is
            // something. Polls that are due come a tenth early at the most.
            let is_early = now - before < site.interval - site.interval / 10;
            let longer = if is_early { 0 } else { site.interval / 4 };
            return self.held(site.interval.saturating_add(longer));
        }
        let since = (now - before).max(MINUTE);
        let expected = since / i64::try_from(moments).unwrap_or(i64::MAX) / 2;
        self.held(site.interval.midpoint(expected))
    }

    /// How long to wait after so many failures in a row.
    #[must_use]
    pub fn back_off(&self, failures: i64) -> Millis {
        let doublings = u32::try_from(failures.clamp(1, 20)).unwrap_or(20) - 1;
        self.shortest.saturating_mul(1 << doublings).min(self.longest_wait)
    }

    /// How long to wait because a server asked for it, within reason.
    #[must_use]
    pub fn asked(&self, time: Option<Duration>) -> Millis {
        let time = time.map_or(0, |time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
        time.min(self.longest)
    }

    fn held(&self, interval: Millis) -> Millis {
        interval.clamp(self.shortest, self.longest.max(self.shortest))
    }
}

/// A time around that one, so that sites that were followed together are not polled together for
/// ever: a tenth less at the most, and never more than was asked for.
pub(crate) fn spread(wait: Millis) -> Millis {
    let tenth = Duration::from_millis(u64::try_from(wait / 10).unwrap_or(0));
    wait - i64::try_from(tidings_web::jitter(tenth).as_millis()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use tidings_store::{State, Via};

    use super::*;

    fn site(interval: Millis, succeeded_at: Option<Millis>) -> Site {
        Site {
            id: 1,
            key: String::new(),
            url: String::new(),
            host: String::new(),
            via: Via::Sitemap,
            title: None,
            state: State::Well,
            reason: None,
            failures: 0,
            created_at: 0,
            polled_at: succeeded_at,
            succeeded_at,
            changed_at: None,
            next_due: 0,
            interval,
            settings: Settings::default(),
            details: String::new(),
            forgotten: 0,
            batches: 0,
        }
    }

    #[test]
    fn busy_sites_are_polled_often_and_quiet_ones_seldom() {
        let pacing = Pacing::default();
        assert_eq!(pacing.first(&Settings::default()), DAY);
        assert_eq!(pacing.after(&site(DAY, None), 500, DAY), DAY, "the first poll shows the past");
        let mut busy = site(DAY, Some(0));
        for _ in 0..40 {
            busy.interval = pacing.after(&busy, 1_000, DAY);
        }
        assert_eq!(busy.interval, pacing.shortest);
        let mut quiet = site(DAY, Some(0));
        for _ in 0..40 {
            quiet.interval = pacing.after(&quiet, 0, 30 * DAY);
        }
        assert_eq!(quiet.interval, pacing.longest);
        // Somebody polls by hand, again and again.
        assert_eq!(pacing.after(&site(DAY, Some(0)), 0, HOUR), DAY);
        assert!(pacing.after(&site(DAY, Some(0)), 0, DAY - 2 * HOUR) > DAY);
        let daily = pacing.after(&site(DAY, Some(0)), 1, DAY);
        assert!((12 * HOUR..=DAY).contains(&daily), "{daily}");
    }

    #[test]
    fn what_a_person_set_stands_but_for_the_floor() {
        let pacing = Pacing::default();
        let mut set = site(DAY, Some(0));
        set.settings.every = Some(HOUR);
        assert_eq!(pacing.after(&set, 1_000, DAY), HOUR);
        set.settings.every = Some(1);
        assert_eq!(pacing.after(&set, 0, DAY), pacing.shortest);
    }

    #[test]
    fn failures_wait_longer_and_longer_but_never_for_ever() {
        let pacing = Pacing::default();
        let waits: Vec<_> = (1..100).map(|failures| pacing.back_off(failures)).collect();
        assert_eq!(waits[0], pacing.shortest);
        assert!(waits.is_sorted() && waits.iter().all(|wait| *wait <= pacing.longest_wait));
        let asked = Some(Duration::from_secs(3 * 3600));
        assert_eq!(pacing.asked(asked), 3 * HOUR);
        assert_eq!(pacing.asked(Some(Duration::from_secs(u64::MAX))), pacing.longest);
    }

    #[test]
    fn a_spread_time_is_never_later() {
        for _ in 0..100 {
            assert!((9 * HOUR..=10 * HOUR).contains(&spread(10 * HOUR)));
        }
        assert_eq!(spread(0), 0);
    }
}
