//! How often somebody may make us fetch something, or try to sign in.

use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::secret::hash;

/// How often an address may try to sign in, in a minute.
const SIGN_INS: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// How often a name may be tried from one network, until it takes a minute for each try more. Who tries
/// from elsewhere keeps nobody waiting.
const TRIES: NonZeroU32 = NonZeroU32::new(10).unwrap();
/// How often a name may be tried from all of them together, in a minute: many addresses are no way
/// around it, and it takes many to keep its owner waiting.
const ALL_TRIES: NonZeroU32 = NonZeroU32::new(60).unwrap();

/// Counts the fetches that each network asks for.
#[derive(Debug)]
pub struct Limits {
    fetches: DefaultKeyedRateLimiter<IpAddr>,
}

impl Limits {
    /// Limits of that many fetches of each network.
    pub fn new(fetches_per_minute: u32) -> Self {
        let most = NonZeroU32::new(fetches_per_minute).unwrap_or(NonZeroU32::MIN);
        Self { fetches: RateLimiter::keyed(Quota::per_minute(most)) }
    }

    /// Takes one fetch, or says how long to wait for the next.
    pub fn take(&self, address: IpAddr) -> Result<(), Duration> {
        taken(&self.fetches, &network(address))
    }
}

/// Counts the attempts to sign in, and to change a password.
#[derive(Debug)]
pub(crate) struct SignInLimits {
    networks: DefaultKeyedRateLimiter<IpAddr>,
    names: DefaultKeyedRateLimiter<[u8; 32]>,
    all: DefaultKeyedRateLimiter<[u8; 32]>,
}

impl SignInLimits {
    pub(crate) fn new() -> Self {
        let names = Quota::per_minute(NonZeroU32::MIN).allow_burst(TRIES);
        Self {
            networks: RateLimiter::keyed(Quota::per_minute(SIGN_INS)),
            names: RateLimiter::keyed(names),
            all: RateLimiter::keyed(Quota::per_minute(ALL_TRIES)),
        }
    }

    /// Takes one attempt to sign in, or says how long to wait for the next.
    pub(crate) fn take(&self, address: IpAddr, name: &str) -> Result<(), Duration> {
        let network = network(address);
        taken(&self.networks, &network)?;
        let name = name.to_lowercase();
        taken(&self.names, &hash(&format!("{network} {name}")))?;
        taken(&self.all, &hash(&name))
    }

    /// Takes one attempt at the old password of somebody who is signed in: such attempts do not keep anybody from
    /// signing in, and another network does not give more of them.
    pub(crate) fn take_change(&self, address: IpAddr, name: &str) -> Result<(), Duration> {
        taken(&self.networks, &network(address))?;
        taken(&self.names, &hash(&format!("user {}", name.to_lowercase())))
    }
}

/// Takes one, or says how long to wait for the next.
fn taken<K: Clone + Eq + Hash>(
    limiter: &DefaultKeyedRateLimiter<K>,
    key: &K,
) -> Result<(), Duration> {
    if limiter.len() > 10_000 {
        limiter.retain_recent();
    }
    limiter.check_key(key).map_err(|not_yet| not_yet.wait_time_from(DefaultClock::default().now()))
}

/// The network that an address is in: each address of the new kind has as many neighbours as it likes.
pub fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => IpAddr::V4(v4),
            None => {
                let [a, b, c, d, ..] = v6.segments();
                IpAddr::from([a, b, c, d, 0, 0, 0, 0])
            }
        },
        v4 @ IpAddr::V4(_) => v4,
    }
}
