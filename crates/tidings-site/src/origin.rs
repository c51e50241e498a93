//! The scheme and the host that a request came by: all absolute URLs of its answer begin with them.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

/// `http` or `https`, and a host with its port, if that is not the usual one.
///
/// Only what the grammar of an authority allows gets here, so that nothing in it needs escaping anywhere.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin(Box<str>);

/// The host is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the host of the request is not one")]
pub struct HostError;

impl Origin {
    /// Reads the host and port that a client sent (RFC 3986, section 3.2.2, without user information and
    /// without encoded letters, which no host that is looked up has).
    pub fn new(is_secure: bool, authority: &str) -> Result<Self, HostError> {
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (address, rest) = rest.split_once(']').ok_or(HostError)?;
                let address: Ipv6Addr = address.parse().map_err(|_| HostError)?;
                (format!("[{address}]"), rest)
            }
            None => {
                let end = authority.find(':').unwrap_or(authority.len());
                let (host, port) = authority.split_at(end);
                (name(host)?, port)
            }
        };
        let port = match port.strip_prefix(':') {
            Some("") => None,
            Some(digits)
                if digits.len() <= 5 && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                Some(digits.parse::<u16>().map_err(|_| HostError)?)
            }
            None if port.is_empty() => None,
            _ => return Err(HostError),
        };
        let (scheme, usual) = if is_secure { ("https", 443) } else { ("http", 80) };
        Ok(Self(match port {
            Some(port) if port != usual => format!("{scheme}://{host}:{port}").into(),
            _ => format!("{scheme}://{host}").into(),
        }))
    }

    /// Without a slash at its end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host, without its port.
    #[must_use]
    pub fn host(&self) -> &str {
        let authority = self.0.split_once("://").map_or("", |(_, authority)| authority);
        if authority.starts_with('[') {
            return authority
                .split_once(']')
                .map_or(authority, |(host, _)| &authority[..=host.len()]);
        }
        authority.split_once(':').map_or(authority, |(host, _)| host)
    }

    /// Whether it was come by over TLS.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.0.starts_with("https:")
    }
}

fn name(host: &str) -> Result<String, HostError> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let labels = host.strip_suffix('.').unwrap_or(host);
    let is_label = |label: &str| (1..=63).contains(&label.len()) && label.bytes().all(is_letter);
    if host.len() > 253 || !labels.split('.').all(is_label) {
        return Err(HostError);
    }
    // What ends in a number is an IPv4 address, or nothing that could be looked up.
    let is_number = labels
        .rsplit('.')
        .next()
        .is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    if is_number && labels.parse::<Ipv4Addr>().is_err() {
        return Err(HostError);
    }
    Ok(host.to_ascii_lowercase())
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_are_hosts() {
        for (host, origin) in [
            ("Example.COM", "http://example.com"),
            ("example.com:80", "http://example.com"),
            ("example.com:8430", "http://example.com:8430"),
            ("127.0.0.1:8430", "http://127.0.0.1:8430"),
            ("[::1]:8430", "http://[::1]:8430"),
            ("[0:0:0:0:0:0:0:1]", "http://[::1]"),
            ("localhost", "http://localhost"),
            ("my_host", "http://my_host"),
        ] {
            let made = Origin::new(false, host).unwrap();
            assert_eq!(made.as_str(), origin);
            assert!(origin.contains(made.host()));
        }
        for wrong in [
            "",
            " ",
            "a b",
            "\"><script>",
            "a/b",
            "user@example.com",
            "user:pass@example.com",
            "a:b",
            "a:99999",
            "a:-1",
            "a:80:80",
            "[::1",
            "::1",
            "[::1]x",
            "[fe80::1%eth0]",
            "a..b",
            "a%62",
            "a\r\nb",
            "1.2.3.4.5",
            "ex\u{e4}mple.com",
            "a?b",
            "a#b",
            "a,b",
        ] {
            assert!(Origin::new(false, wrong).is_err(), "{wrong:?}");
        }
        assert!(Origin::new(false, &"a.".repeat(200)).is_err());
        assert_eq!(Origin::new(true, "a.example:443").unwrap().as_str(), "https://a.example");
    }
}
