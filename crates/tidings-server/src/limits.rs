//! How often somebody may make us fetch something.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// Counts the fetches that each address asks for.
#[derive(Debug)]
pub(crate) struct Limits {
    fetches: DefaultKeyedRateLimiter<IpAddr>,
}

impl Limits {
    pub(crate) fn new(fetches_per_minute: u32) -> Self {
        let most = NonZeroU32::new(fetches_per_minute).unwrap_or(NonZeroU32::MIN);
        Self { fetches: RateLimiter::keyed(Quota::per_minute(most)) }
    }

    /// Takes one fetch, or says how long to wait for the next.
    pub(crate) fn take(&self, address: IpAddr) -> Result<(), Duration> {
        // Each address of a network of the new kind has as many neighbours as it likes.
        let address = match address {
            IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
                Some(v4) => IpAddr::V4(v4),
                None => {
                    let [a, b, c, d, ..] = v6.segments();
                    IpAddr::from([a, b, c, d, 0, 0, 0, 0])
                }
            },
            v4 @ IpAddr::V4(_) => v4,
        };
        if self.fetches.len() > 10_000 {
            self.fetches.retain_recent();
        }
        self.fetches
            .check_key(&address)
            .map_err(|not_yet| not_yet.wait_time_from(DefaultClock::default().now()))
    }
}
