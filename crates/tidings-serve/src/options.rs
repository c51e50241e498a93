//! What a server goes by.

use std::net::SocketAddr;

use tidings_http::connection_table::ConnectionLimits;

/// Who may do what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody may read, and whoever has a token may change something.
    Public,
    /// Whoever has a token may read, too.
    Private,
}

/// What a server goes by.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Where it listens.
    pub listen: SocketAddr,
    /// The URL at which others reach it; else where it listens.
    pub base: Option<String>,
    /// Who may do what. On a loopback address whoever is on this machine may change something without
    /// a token, unless it asks for one by [`always_token`](Self::always_token).
    pub access: Access,
    /// Ask for a token even on a loopback address.
    pub always_token: bool,
    /// How many requests that make us fetch something each address may make in a minute.
    pub fetches_per_minute: u32,
    /// How many connections there may be at once.
    pub connections: usize,
    /// The maximum number of connections of one network: an IPv4 address, or 64 bits of an IPv6 address.
    pub connections_per_network: usize,
    /// Let everybody check, explore and ask for robots rules, and not only those who are signed in.
    pub open_tools: bool,
    /// Where the copies of this machine are registered, if they are to be shown.
    pub copies: Option<std::path::PathBuf>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8420)),
            base: None,
            access: Access::Public,
            always_token: false,
            fetches_per_minute: 60,
            connections: 10_000,
            connections_per_network: ConnectionLimits::PER_NETWORK,
            open_tools: false,
            copies: None,
        }
    }
}
