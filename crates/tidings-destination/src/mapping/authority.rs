//! The first folder: scheme, host and port.

use super::escape::{self, Part};
use super::{segment, unescape};

/// Before an authority that is also the name of a folder of the user's choice.
pub(super) const MARK: &str = "%_@";

/// Scheme, host and port of a URI in its normal form.
pub(super) struct Authority<'u> {
    is_https: bool,
    host: &'u str,
    /// None where it is the default of the scheme.
    port: Option<&'u str>,
}

impl<'u> Authority<'u> {
    pub(super) fn new(is_https: bool, authority: &'u str) -> Self {
        // The colons of an IPv6 address are between brackets.
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            _ => (authority, None),
        };
        Self { is_https, host, port }
    }

    /// Adds the name of the folder: the host alone for `https`; else the port after a `+`, and after
    /// the port an `s` for `https`.
    pub(super) fn push_name(&self, path: &mut String) {
        let start = path.len();
        escape::push(path, self.host, Part::Host);
        match (self.is_https, self.port) {
            (true, None) => {}
            (true, Some(port)) => path.extend(["+", port, "s"]),
            (false, port) => path.extend(["+", port.unwrap_or("80")]),
        }
        segment::protect(path, start, true);
    }
}

/// The way back: scheme, host and port as a URI has them before its path.
pub(super) fn origin(name: &str) -> Option<String> {
    let (host, scheme, port) = match name.split_once('+') {
        None => (name, "https", None),
        Some((host, port)) => match port.strip_suffix('s') {
            Some(port) => (host, "https", Some(port)),
            None => (host, "http", Some(port)),
        },
    };
    let mut origin = format!("{scheme}://");
    unescape::push(&mut origin, host)?;
    if let Some(port) = port.filter(|port| (scheme, *port) != ("http", "80")) {
        origin.extend([":", port]);
    }
    Some(origin)
}
