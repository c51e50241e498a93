//! URIs in their normal form.

use std::borrow::Cow;
use std::fmt;
use std::net::Ipv4Addr;

use url::{Position, Url};

use super::UriError;
use super::authority::Authority;

/// The URI of a resource, of the scheme `http` or `https`, in the form in which equal URIs are equal:
/// that of the URL standard (<https://url.spec.whatwg.org/#concept-url-serializer>), without the
/// fragment, which is no part of what a server is asked for. All of it is ASCII.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uri<'a>(Cow<'a, str>);

impl<'a> Uri<'a> {
    /// Brings a URI into its normal form. One that has it already, as most have, is only looked at.
    pub fn parse(text: &'a str) -> Result<Self, UriError> {
        match normal(text) {
            Some(text) => Ok(Self(Cow::Borrowed(text))),
            None => parse(text).map(|uri| Self(Cow::Owned(uri))),
        }
    }

    /// What an entry of the document at `base` means; some give references.
    pub(crate) fn resolve(text: &'a str, base: &Url) -> Result<Self, UriError> {
        let text = text.trim();
        Self::parse(text).or_else(|error| {
            let url = base.join(text).map_err(|_| error)?;
            Uri::parse(url.as_str()).map(Uri::into_owned)
        })
    }

    /// One that is known to be in its normal form, as those in the state are.
    pub(crate) fn known(text: &'a str) -> Self {
        debug_assert!(Self::parse(text).is_ok_and(|uri| uri.as_str() == text), "{text}");
        Self(Cow::Borrowed(text))
    }

    /// The URI.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same, borrowed from nobody.
    pub fn into_owned(self) -> Uri<'static> {
        Uri(Cow::Owned(self.0.into_owned()))
    }

    /// What is before the path, and what is after its first slash.
    pub(super) fn split(&self) -> (Authority<'_>, &str) {
        let (is_https, rest) = match self.0.strip_prefix("https://") {
            Some(rest) => (true, rest),
            None => (false, self.0.strip_prefix("http://").unwrap_or(&self.0)),
        };
        let (authority, rest) = rest.split_once('/').unwrap_or((rest, ""));
        (Authority::new(is_https, authority), rest)
    }
}

impl fmt::Display for Uri<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn parse(text: &str) -> Result<String, UriError> {
    let mut url =
        Url::parse(text).map_err(|source| UriError::Invalid { text: text.to_owned(), source })?;
    if !matches!(url.scheme(), "http" | "https") {
        let scheme = url.scheme().to_owned();
        return Err(UriError::Scheme { text: text.to_owned(), scheme });
    }
    url.set_fragment(None);
    if !url.username().is_empty() || url.password().is_some() {
        let text = format!("{}://{}", url.scheme(), &url[Position::BeforeHost..]);
        return Err(UriError::Credentials { text });
    }
    Ok(url.into())
}

/// The text up to its fragment, if that is certainly what the parser would make of it. To be sure,
/// hosts that are internationalized, or numbers in any form but the usual one, are left to the parser.
fn normal(text: &str) -> Option<&str> {
    let (rest, default) = match text.strip_prefix("https://") {
        Some(rest) => (rest, "443"),
        None => (text.strip_prefix("http://")?, "80"),
    };
    let path = rest.find('/')?;
    let (host, port) = match rest[..path].split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (&rest[..path], None),
    };
    // An address that this reads is written as the parser would write it.
    let is_host = is_name(host) || host.parse::<Ipv4Addr>().is_ok();
    if !is_host || port.is_some_and(|port| port == default || !is_port(port)) {
        return None;
    }
    let rest = &rest.as_bytes()[path + 1..];
    let end = path_end(rest)?;
    let end = match rest.get(end) {
        Some(b'?') => {
            let query = &rest[end + 1..];
            let length = query.iter().position(|&byte| byte == b'#').unwrap_or(query.len());
            let is_literal = |&byte: &u8| byte.is_ascii_graphic() && !b"\"<>'".contains(&byte);
            if !query[..length].iter().all(is_literal) {
                return None;
            }
            end + 1 + length
        }
        _ => end,
    };
    Some(&text[..text.len() - (rest.len() - end)])
}

/// Where the path ends, if each of its characters may stand there and no segment of it is a dot or
/// two.
fn path_end(bytes: &[u8]) -> Option<usize> {
    let mut start = 0;
    for (place, byte) in bytes.iter().enumerate() {
        match byte {
            b'/' | b'?' | b'#' => {
                if is_dots(&bytes[start..place]) {
                    return None;
                }
                if *byte != b'/' {
                    return Some(place);
                }
                start = place + 1;
            }
            b'"' | b'<' | b'>' | b'`' | b'{' | b'}' | b'\\' | b'^' => return None,
            byte if !byte.is_ascii_graphic() => return None,
            _ => {}
        }
    }
    (!is_dots(&bytes[start..])).then_some(bytes.len())
}

/// True of `.` and `..`, and of what is percent-encoded so: the parser takes them out.
fn is_dots(segment: &[u8]) -> bool {
    fn dot(segment: &[u8]) -> Option<&[u8]> {
        match segment {
            [b'.', rest @ ..] | [b'%', b'2', b'e' | b'E', rest @ ..] => Some(rest),
            _ => None,
        }
    }
    dot(segment).is_some_and(|rest| rest.is_empty() || dot(rest).is_some_and(<[u8]>::is_empty))
}

/// True of a name of a host in small letters, of labels that are neither numbers nor encoded ones.
fn is_name(host: &str) -> bool {
    let is_label = |label: &str| {
        label.starts_with(|first: char| first.is_ascii_lowercase())
            && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !label.starts_with("xn--")
    };
    host.split('.').all(is_label)
}

fn is_port(port: &str) -> bool {
    !port.starts_with('0')
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && port.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn usual_uris_are_only_looked_at() {
        for text in [
            "https://example.org/",
            "http://example.org:8080/a/b.html?c=d/e&f",
            "https://a.example/%41%e2//x;y=1,2/?",
            "https://a.example/.well-known/...",
        ] {
            assert!(matches!(Uri::parse(text), Ok(Uri(Cow::Borrowed(same))) if same == text));
        }
        let uri = Uri::parse("https://a.example/b#c").unwrap();
        assert!(matches!(uri, Uri(Cow::Borrowed("https://a.example/b"))));
    }

    #[test]
    fn credentials_are_refused_and_not_repeated() {
        let error = Uri::parse("https://user:secret@a.example:8443/b?c").unwrap_err();
        let text = "https://a.example:8443/b?c".to_owned();
        assert_eq!(error, UriError::Credentials { text });
        assert!(Uri::parse("https://@a.example/").is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8_000))]

        /// What is borrowed is what the parser would have made.
        #[test]
        fn the_short_way_and_the_long_way_meet(
            text in "(http|https|HTTP)://([a-z]{1,3}|[a-z]\\.[0-9a-fx-]{1,4}|[a-zA-Z0-9.:@%-]{1,12})(:[0-9]{0,5}|)(/|)([a-z.%2eE/?#\\\\ -~é\t\"'`{}^|]|%2e|/\\.|xn--){0,12}",
        ) {
            if let Some(short) = normal(&text) {
                prop_assert_eq!(Ok(short.to_owned()), parse(&text));
            }
        }

        #[test]
        fn a_normal_form_is_its_own(text in "https?://[a-z0-9.:\\[\\]-]{1,9}/([ -~]|%2e|é){0,12}") {
            if let Ok(uri) = Uri::parse(&text) {
                let again = Uri::parse(uri.as_str()).map(Uri::into_owned);
                prop_assert_eq!(again, Ok(uri.clone().into_owned()));
                prop_assert!(uri.as_str().is_ascii());
            }
        }
    }
}
