//! The open connections, by the network that each comes from.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ipnet::IpNet;
use tokio::sync::Notify;

use crate::limits::network;

/// Limits of the connections that a server holds.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// The maximum number of all connections.
    pub total: usize,
    /// The maximum number of connections of one network: an IPv4 address, or 64 bits of an IPv6 address.
    pub per_network: usize,
    /// Proxies, which speak for many clients and are not limited as one.
    pub proxies: Vec<IpNet>,
}

impl ConnectionLimits {
    /// The default of [`per_network`](Self::per_network).
    pub const PER_NETWORK: usize = 512;
}

/// Counts connections by network.
///
/// A new connection of a network that is at its limit takes the place of the oldest one that waits for its
/// client; if all connections are taken, the network that has most of them gives one up. So a client that
/// opens many connections and sends nothing only displaces itself.
#[derive(Debug)]
pub(crate) struct ConnectionTable {
    limits: ConnectionLimits,
    open: Mutex<Open>,
}

/// None stands for the proxies.
type Network = Option<IpAddr>;

#[derive(Debug, Default)]
struct Open {
    next: u64,
    total: usize,
    networks: HashMap<Network, BTreeMap<u64, Arc<Connection>>>,
}

/// The state of one connection.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    /// True while the server waits for bytes of the client.
    awaits_bytes: AtomicBool,
    /// True while the client does not take what the server sends.
    awaits_reader: AtomicBool,
    displaced: Notify,
}

impl Connection {
    pub(crate) fn set_awaits_bytes(&self, is_true: bool) {
        self.awaits_bytes.store(is_true, Ordering::Relaxed);
    }

    pub(crate) fn set_awaits_reader(&self, is_true: bool) {
        self.awaits_reader.store(is_true, Ordering::Relaxed);
    }

    /// Returns when another connection has taken the place of this one.
    pub(crate) async fn displaced(&self) {
        self.displaced.notified().await;
    }
}

/// The place of a connection in the table, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    table: Arc<ConnectionTable>,
    network: Network,
    number: u64,
    connection: Arc<Connection>,
}

impl Place {
    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.table.open().remove(self.network, self.number);
    }
}

impl ConnectionTable {
    pub(crate) fn new(limits: ConnectionLimits) -> Arc<Self> {
        Arc::new(Self { limits, open: Mutex::default() })
    }

    /// Admits a connection, in the place of another one if need be. None if no other waits for its client.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let address = address.to_canonical();
        let is_proxy = self.limits.proxies.iter().any(|proxy| proxy.contains(&address));
        let network = (!is_proxy).then(|| network(address));
        let mut open = self.open();
        if !is_proxy && open.count(network) >= self.limits.per_network.max(1) {
            open.displace_in(network)?;
        }
        if open.total >= self.limits.total.max(1) {
            open.displace_any()?;
        }
        let connection = Arc::new(Connection::default());
        connection.set_awaits_bytes(true);
        let number = open.insert(network, Arc::clone(&connection));
        drop(open);
        Some(Place { table: Arc::clone(self), network, number, connection })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn count(&self, network: Network) -> usize {
        self.networks.get(&network).map_or(0, BTreeMap::len)
    }

    fn insert(&mut self, network: Network, connection: Arc<Connection>) -> u64 {
        self.next += 1;
        self.total += 1;
        self.networks.entry(network).or_default().insert(self.next, connection);
        self.next
    }

    /// Removes a connection, unless it was displaced before.
    fn remove(&mut self, network: Network, number: u64) -> Option<Arc<Connection>> {
        let connections = self.networks.get_mut(&network)?;
        let removed = connections.remove(&number)?;
        if connections.is_empty() {
            self.networks.remove(&network);
        }
        self.total -= 1;
        Some(removed)
    }

    /// Closes the oldest connection of a network that waits for its client: first for bytes, then for a
    /// reader.
    fn displace_in(&mut self, network: Network) -> Option<()> {
        let connections = self.networks.get(&network)?;
        let oldest = |waits: fn(&Connection) -> &AtomicBool| {
            let mut all = connections.iter();
            all.find(|(_, one)| waits(one).load(Ordering::Relaxed)).map(|(number, _)| *number)
        };
        let number =
            oldest(|one| &one.awaits_bytes).or_else(|| oldest(|one| &one.awaits_reader))?;
        self.remove(network, number)?.displaced.notify_one();
        Some(())
    }

    /// Closes a connection of the network that has most of them; those of proxies come last.
    fn displace_any(&mut self) -> Option<()> {
        let all = self.networks.iter().filter(|(network, _)| network.is_some());
        let largest = all.max_by_key(|(_, connections)| connections.len()).map(|(key, _)| *key);
        if let Some(largest) = largest
            && self.displace_in(largest).is_some()
        {
            return Some(());
        }
        let others: Vec<Network> = self.networks.keys().copied().collect();
        let (proxies, clients): (Vec<_>, Vec<_>) = others.into_iter().partition(Option::is_none);
        clients.into_iter().chain(proxies).find_map(|network| self.displace_in(network))
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future as _;
    use std::task::{Context, Waker};

    use super::*;

    fn table(total: usize, per_network: usize) -> Arc<ConnectionTable> {
        let proxies = vec!["192.0.2.9/32".parse().unwrap()];
        ConnectionTable::new(ConnectionLimits { total, per_network, proxies })
    }

    fn is_displaced(place: &Place) -> bool {
        let displaced = std::pin::pin!(place.connection().displaced());
        displaced.poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    fn admit(table: &Arc<ConnectionTable>, address: &str) -> Option<Place> {
        table.admit(address.parse().unwrap())
    }

    #[test]
    fn a_network_at_its_limit_displaces_its_own_oldest_waiting_connection() {
        let table = table(100, 2);
        let busy = admit(&table, "2001:db8::1").unwrap();
        busy.connection().set_awaits_bytes(false);
        let waiting = admit(&table, "2001:db8::2").unwrap();
        let other = admit(&table, "2001:db8:0:1::1").unwrap();
        let newest = admit(&table, "2001:db8::3").unwrap();
        assert!(is_displaced(&waiting) && !is_displaced(&busy) && !is_displaced(&other));
        drop(waiting);
        newest.connection().set_awaits_bytes(false);
        assert!(admit(&table, "2001:db8::4").is_none());
        drop(busy);
        assert!(admit(&table, "2001:db8::4").is_some());
    }

    #[test]
    fn a_full_table_displaces_a_connection_of_the_largest_network() {
        let table = table(4, 3);
        let many: Vec<_> = (0..3).map(|_| admit(&table, "192.0.2.1").unwrap()).collect();
        let single = admit(&table, "192.0.2.2").unwrap();
        let newcomer = admit(&table, "::ffff:192.0.2.3").unwrap();
        assert!(is_displaced(&many[0]) && !is_displaced(&single) && !is_displaced(&newcomer));
        drop((many, single, newcomer));
        assert_eq!(table.open().total, 0);
        assert!(table.open().networks.is_empty());
    }

    #[test]
    fn a_proxy_is_not_limited_as_one_client_and_gives_way_last() {
        let table = table(6, 2);
        let proxied: Vec<_> = (0..5).map(|_| admit(&table, "192.0.2.9").unwrap()).collect();
        let single = admit(&table, "192.0.2.1").unwrap();
        assert!(proxied.iter().all(|place| !is_displaced(place)));
        let newcomer = admit(&table, "192.0.2.9").unwrap();
        assert!(is_displaced(&single) && proxied.iter().all(|place| !is_displaced(place)));
        drop(newcomer);
    }
}
