//! How long after they were due sites were polled.

use std::path::Path;

use tidings_store::{Location, Millis, SiteFilter, State, Store};

use crate::Result;
use crate::crowd::{address, due};

/// Of those sites that answer, after each was polled once.
pub(crate) async fn tell(data: &Path, first: Millis, count: u32, spread: Millis) -> Result<()> {
    let store = Store::open_existing(&Location::Folder(data.to_owned())).await?;
    let mut lags = Vec::new();
    let mut after = None;
    loop {
        let filter =
            SiteFilter { after, limit: 1_000, state: Some(State::Well), ..SiteFilter::default() };
        let sites = store.sites(filter).await?;
        for site in &sites {
            let number = number(&site.host).ok_or("a site of another farm is followed")?;
            let polled = site.polled_at.ok_or("a site is well and was not polled")?;
            lags.push(polled - due(first, number, count, spread));
        }
        after = match sites.last() {
            Some(site) => Some(site.key.clone()),
            None => break,
        };
    }
    lags.sort_unstable();
    let last = lags.len().saturating_sub(1);
    let part = |percent: usize| lags.get((lags.len() * percent / 100).min(last));
    let figures = [50, 95, 100].map(|percent| part(percent).copied().unwrap_or_default());
    let [median, most, all] = figures;
    println!("{} {median} {most} {all}", lags.len());
    Ok(())
}

fn number(host: &str) -> Option<u32> {
    let (ip, _) = host.split_once(':')?;
    let ip: std::net::Ipv4Addr = ip.parse().ok()?;
    ip.to_bits().checked_sub(address(0).to_bits())
}
