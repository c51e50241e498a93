//! Addresses that are not on the public internet.

use std::net::IpAddr;
use std::sync::LazyLock;

use ipnet::IpNet;

/// The IANA special-purpose registries (RFC 6890) without the few ranges that anybody may reach,
/// plus multicast and what clouds use. The first match names the kind, so the narrower goes first.
const RANGES: &[(&str, &str)] = &[
    ("0.0.0.0/8", "an address of \"this network\" (RFC 791)"),
    ("10.0.0.0/8", "a private address (RFC 1918)"),
    ("100.64.0.0/10", "a carrier's shared address (RFC 6598)"),
    ("127.0.0.0/8", "a loopback address (RFC 1122)"),
    ("169.254.0.0/16", "a link-local or cloud metadata address (RFC 3927)"),
    ("172.16.0.0/12", "a private address (RFC 1918)"),
    ("192.0.0.0/24", "a protocol assignment (RFC 6890)"),
    ("192.0.2.0/24", "a documentation address (RFC 5737)"),
    ("192.88.99.0/24", "a 6to4 relay (RFC 7526)"),
    ("192.168.0.0/16", "a private address (RFC 1918)"),
    ("198.18.0.0/15", "a benchmarking address (RFC 2544)"),
    ("198.51.100.0/24", "a documentation address (RFC 5737)"),
    ("203.0.113.0/24", "a documentation address (RFC 5737)"),
    ("224.0.0.0/4", "a multicast address (RFC 5771)"),
    ("240.0.0.0/4", "a reserved address (RFC 1112)"),
    // Public by its number, but Azure answers it inside each virtual machine.
    ("168.63.129.16/32", "a cloud metadata address"),
    ("::/128", "the unspecified address (RFC 4291)"),
    ("::1/128", "the loopback address (RFC 4291)"),
    ("::ffff:0:0/96", "an IPv4-mapped address (RFC 4291)"),
    ("::/96", "an IPv4-compatible address (RFC 4291)"),
    ("64:ff9b::/96", "a NAT64 address (RFC 6052)"),
    ("64:ff9b:1::/48", "a local NAT64 address (RFC 8215)"),
    ("100::/64", "a discard-only address (RFC 6666)"),
    ("2001::/32", "a Teredo address (RFC 4380)"),
    ("2001::/23", "a protocol assignment (RFC 2928)"),
    ("2001:db8::/32", "a documentation address (RFC 3849)"),
    ("2002::/16", "a 6to4 address (RFC 3056)"),
    ("3fff::/20", "a documentation address (RFC 9637)"),
    ("fc00::/7", "a private address (RFC 4193)"),
    ("fe80::/10", "a link-local address (RFC 4291)"),
    ("fec0::/10", "a site-local address (RFC 3879)"),
    ("ff00::/8", "a multicast address (RFC 4291)"),
];

static NETS: LazyLock<Vec<(IpNet, &str)>> = LazyLock::new(|| {
    RANGES.iter().map(|&(net, kind)| (net.parse().expect("a constant network"), kind)).collect()
});

/// All that IANA has given out for global unicast (RFC 4291, 2.4). What lies outside and has no
/// name above is nobody's, and refused so that a range reserved tomorrow is refused today.
static GLOBAL_V6: LazyLock<IpNet> =
    LazyLock::new(|| "2000::/3".parse().expect("a constant network"));

/// What makes `address` special, or `None` if it is an ordinary public one.
pub(crate) fn kind(address: IpAddr) -> Option<&'static str> {
    let named = NETS.iter().find(|(net, _)| net.contains(&address)).map(|&(_, kind)| kind);
    let unassigned = || {
        let outside = address.is_ipv6() && !GLOBAL_V6.contains(&address);
        outside.then_some("an unassigned address (RFC 4291)")
    };
    named.or_else(unassigned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Option<&'static str> {
        kind(text.parse().unwrap())
    }

    #[test]
    fn s1_each_special_range_is_refused_from_its_first_to_its_last_address() {
        for (net, _) in RANGES {
            let net: IpNet = net.parse().unwrap();
            assert!(kind(net.network()).is_some(), "first of {net}");
            assert!(kind(net.broadcast()).is_some(), "last of {net}");
        }
    }

    #[test]
    fn s1_well_known_targets_are_named() {
        for (address, word) in [
            ("0.0.0.0", "this network"),
            ("10.0.0.1", "private"),
            ("172.31.255.255", "private"),
            ("192.168.1.1", "private"),
            ("100.64.0.1", "shared"),
            ("100.100.100.200", "shared"), // Alibaba Cloud metadata
            ("127.0.0.1", "loopback"),
            ("127.255.255.254", "loopback"),
            ("169.254.169.254", "metadata"), // AWS, Azure, Google
            ("168.63.129.16", "metadata"),   // Azure
            ("192.0.0.192", "protocol"),     // Oracle Cloud metadata
            ("192.0.2.1", "documentation"),
            ("198.18.0.1", "benchmarking"),
            ("198.51.100.1", "documentation"),
            ("203.0.113.1", "documentation"),
            ("192.88.99.1", "6to4"),
            ("224.0.0.1", "multicast"),
            ("240.0.0.1", "reserved"),
            ("255.255.255.255", "reserved"),
            ("::", "unspecified"),
            ("::1", "loopback"),
            ("::127.0.0.1", "compatible"),
            ("::ffff:127.0.0.1", "mapped"),
            ("::ffff:8.8.8.8", "mapped"),
            ("64:ff9b::7f00:1", "NAT64"),
            ("64:ff9b:1::1", "NAT64"),
            ("100::1", "discard"),
            ("2001::1", "Teredo"),
            ("2001:2::1", "protocol"),
            ("2001:20::1", "protocol"),
            ("2001:db8::1", "documentation"),
            ("2002:7f00:1::", "6to4"),
            ("3fff::1", "documentation"),
            ("fd00:ec2::254", "private"), // AWS metadata
            ("fe80::1", "link-local"),
            ("fec0::1", "site-local"),
            ("ff02::1", "multicast"),
            ("5f00::1", "unassigned"), // segment routing, RFC 9602
            ("4000::1", "unassigned"),
        ] {
            let kind = check(address).unwrap_or_default();
            assert!(kind.contains(word), "{address} is {kind:?}, not {word:?}");
        }
    }

    #[test]
    fn s1_public_neighbours_are_allowed() {
        for address in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "168.63.129.17",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2003::1",
            "2606:4700:4700::1111",
            "3ffe::1",
        ] {
            assert_eq!(check(address), None, "{address}");
        }
    }
}
