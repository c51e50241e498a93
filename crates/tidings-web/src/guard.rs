//! Where the client does not go, and why.
//!
//! A document or a redirect may name any URL, also one that only this machine can reach: the
//! operator's router, a database, the metadata service of a cloud. So each hop is checked three
//! times: its URL here before anything else happens (a host that is already an address never meets
//! the resolver), the answers of the name lookup that the connection uses (in
//! [`resolver`](crate::resolver)), and the address that answered.

use std::net::IpAddr;

use url::{Host, Url};

use crate::special;

/// The rule that the guard refused a URL by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The host is, or its name leads to, an address that is not on the public internet.
    #[error("it leads to {address}, {}", kind(*.address))]
    Address {
        /// The address.
        address: IpAddr,
    },
    /// The host name stands for this machine, whatever the resolver says (RFC 6761, 6.3).
    #[error("{host} is this machine")]
    LocalName {
        /// The name.
        host: String,
    },
    /// The port belongs to another protocol, which a request could be made to speak.
    #[error("port {port} belongs to another protocol and is blocked (WHATWG Fetch, port blocking)")]
    Port {
        /// The port.
        port: u16,
    },
    /// Only the web is fetched.
    #[error("only http and https can be fetched, not {scheme}")]
    Scheme {
        /// The scheme, without its colon.
        scheme: String,
    },
}

impl Refusal {
    /// Whether [`allow_private`](crate::ClientOptions::allow_private) would have allowed it.
    pub(crate) fn is_of_private_address(&self) -> bool {
        matches!(self, Self::Address { .. } | Self::LocalName { .. })
    }
}

/// The "bad ports" of the WHATWG Fetch Standard (2.9), ascending, and 6379: Redis, not in that list,
/// answers whatever line it understands.
const BLOCKED_PORTS: &[u16] = &[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666,
    6667, 6668, 6669, 6679, 6697, 10080,
];

/// What holds for every hop, trusted or not: the scheme and the port.
pub(crate) fn check_url(url: &Url) -> Result<(), Refusal> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Refusal::Scheme { scheme: url.scheme().to_owned() });
    }
    match url.port_or_known_default() {
        Some(port) if BLOCKED_PORTS.binary_search(&port).is_ok() => Err(Refusal::Port { port }),
        _ => Ok(()),
    }
}

/// What can be said of a stranger's host before any lookup. The `url` crate has already brought
/// decimal, octal, hexadecimal, short and full-width spellings of an address into one form.
pub(crate) fn check_host(url: &Url) -> Result<(), Refusal> {
    match url.host() {
        Some(Host::Ipv4(address)) => check_address(address.into()),
        Some(Host::Ipv6(address)) => check_address(address.into()),
        Some(Host::Domain(host)) if is_local_name(host) => {
            Err(Refusal::LocalName { host: host.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Whether a stranger may be at this address.
pub(crate) fn check_address(address: IpAddr) -> Result<(), Refusal> {
    match special::kind(address) {
        Some(_) => Err(Refusal::Address { address }),
        None => Ok(()),
    }
}

fn kind(address: IpAddr) -> &'static str {
    special::kind(address).unwrap_or("a special-purpose address")
}

fn is_local_name(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    host == "localhost" || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn s2_odd_spellings_of_an_address_are_still_that_address() {
        for (spelling, address) in [
            ("http://2130706433/", "127.0.0.1"),
            ("http://017700000001/", "127.0.0.1"),
            ("http://0x7f000001/", "127.0.0.1"),
            ("http://0177.0.0.1/", "127.0.0.1"),
            ("http://0x7F.0.0.1/", "127.0.0.1"),
            ("http://127.1/", "127.0.0.1"),
            ("http://127.0.1/", "127.0.0.1"),
            ("http://127.0.0.1./", "127.0.0.1"),
            ("http://%31%32%37.0.0.1/", "127.0.0.1"),
            ("http://①②⑦.⓪.⓪.①/", "127.0.0.1"),
            ("http://127。0。0。1/", "127.0.0.1"),
            ("http://0/", "0.0.0.0"),
            ("http://0xA9FEA9FE/", "169.254.169.254"),
            ("http://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1"),
            ("http://[0:0:0:0:0:ffff:7f00:1]/", "::ffff:127.0.0.1"),
            ("http://[0:0:0:0:0:0:0:1]/", "::1"),
        ] {
            match check_host(&url(spelling)) {
                Err(Refusal::Address { address: found }) => {
                    assert_eq!(found, address.parse::<IpAddr>().unwrap(), "{spelling}");
                }
                other => panic!("{spelling}: {other:?}"),
            }
        }
    }

    #[test]
    fn s2_names_of_this_machine_are_refused_without_a_lookup() {
        for host in ["localhost", "localhost.", "LOCALHOST", "a.localhost", "a.b.localhost."] {
            let refused = check_host(&url(&format!("http://{host}/")));
            assert!(matches!(refused, Err(Refusal::LocalName { .. })), "{host}: {refused:?}");
        }
        for host in ["localhost.example", "notlocalhost", "example.org"] {
            assert_eq!(check_host(&url(&format!("http://{host}/"))), Ok(()), "{host}");
        }
    }

    #[test]
    fn s3_schemes_other_than_http_and_https_are_refused() {
        for text in ["file:///etc/passwd", "gopher://h/", "ftp://h/", "data:,x", "ws://h/"] {
            let refused = check_url(&url(text));
            assert!(matches!(refused, Err(Refusal::Scheme { .. })), "{text}: {refused:?}");
        }
    }

    #[test]
    fn s7_blocked_ports_are_refused_and_others_are_not() {
        assert!(BLOCKED_PORTS.is_sorted(), "binary search needs order");
        for &port in BLOCKED_PORTS {
            let refused = check_url(&url(&format!("https://example.org:{port}/")));
            assert_eq!(refused, Err(Refusal::Port { port }));
        }
        for port in [22, 25, 6379] {
            assert!(BLOCKED_PORTS.contains(&port), "{port}");
        }
        for port in [80, 443, 8000, 8080, 8443, 49152] {
            assert_eq!(check_url(&url(&format!("http://example.org:{port}/"))), Ok(()));
        }
    }
}
