//! One line of a robots.txt, and what it may have been meant to be.

/// A longer line is cut there: eight of the longest URLs that browsers once took. Nobody means to
/// write it, and this is what others do with it.
const LONGEST: usize = 8 * 2083 - 1;

/// What a line says; its value is as it was written, without the blanks around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'a> {
    UserAgent(&'a [u8]),
    Allow(&'a [u8]),
    Disallow(&'a [u8]),
    CrawlDelay(&'a [u8]),
    Sitemap(&'a [u8]),
    /// A comment, nothing, or something that is not for us.
    Other,
}

impl<'a> Line<'a> {
    pub(super) fn parse(line: &'a [u8]) -> Self {
        let Some((key, value)) = split(line) else { return Self::Other };
        // Only the beginning counts, so that `Disallowed:` is understood. What is misspelled often
        // enough is understood, too.
        let is = |names: &[&str]| {
            names.iter().any(|name| {
                key.get(..name.len())
                    .is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
            })
        };
        if is(&["user-agent", "useragent", "user agent"]) {
            Self::UserAgent(value)
        } else if is(&["allow"]) {
            Self::Allow(value)
        } else if is(&["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
            Self::Disallow(value)
        } else if is(&["crawl-delay", "crawldelay"]) {
            Self::CrawlDelay(value)
        } else if is(&["sitemap", "site-map"]) {
            Self::Sitemap(value)
        } else {
            Self::Other
        }
    }
}

/// The key and the value of a line. Without a colon they may be set apart by blanks, if these are two
/// words and no more.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = &line[..line.len().min(LONGEST)];
    let end = memchr::memchr2(b'#', 0, line).unwrap_or(line.len());
    let line = line[..end].trim_ascii();
    let (key, value) = match memchr::memchr(b':', line) {
        Some(colon) => (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()),
        None => {
            let blank = memchr::memchr2(b' ', b'\t', line)?;
            let (key, value) = (&line[..blank], line[blank..].trim_ascii_start());
            if memchr::memchr2(b' ', b'\t', value).is_some() {
                return None;
            }
            (key, value)
        }
    };
    (!key.is_empty()).then_some((key, value))
}

/// Whom a `User-agent` line names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Agent {
    /// `*`: everybody who is not named elsewhere.
    Anybody,
    /// A product token.
    Product(String),
}

impl Agent {
    pub(super) fn parse(value: &[u8]) -> Self {
        match value {
            [b'*'] => Self::Anybody,
            [b'*', next, ..] if next.is_ascii_whitespace() => Self::Anybody,
            _ => Self::Product(product(value)),
        }
    }
}

/// The product token that a name begins with: letters, `-` and `_` (RFC 9309, section 2.2.1), so that
/// `FooBot/1.2` is `FooBot`. Case does not count, so it is in lower case.
pub(super) fn product(name: &[u8]) -> String {
    name.iter()
        .take_while(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'))
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood_as_they_are_meant() {
        for (line, expected) in [
            ("User-agent: a", Line::UserAgent(b"a")),
            ("user agent:a b # c", Line::UserAgent(b"a b")),
            ("USERAGENT a", Line::UserAgent(b"a")),
            ("  Disallow :  /a:b ", Line::Disallow(b"/a:b")),
            ("disallowed: /", Line::Disallow(b"/")),
            ("Dissalow /a", Line::Disallow(b"/a")),
            ("disallow\t \t/a", Line::Disallow(b"/a")),
            ("Disallow:", Line::Disallow(b"")),
            ("Disallow /a /b", Line::Other),
            ("Disallow", Line::Other),
            (": /a", Line::Other),
            ("# Disallow: /", Line::Other),
            ("Disallow # : /", Line::Other),
            ("Allow: /a\0b", Line::Allow(b"/a")),
            ("Site-map: http://a.example/", Line::Sitemap(b"http://a.example/")),
            ("Crawl-delay: 2", Line::CrawlDelay(b"2")),
            ("Noindex: /", Line::Other),
            ("", Line::Other),
        ] {
            assert_eq!(Line::parse(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn a_line_is_cut_where_others_cut_it() {
        let path = format!("/{}", "a".repeat(20_000));
        let line = format!("Disallow: {path}");
        let Line::Disallow(kept) = Line::parse(line.as_bytes()) else { panic!("not a rule") };
        assert_eq!(kept.len(), LONGEST - "Disallow: ".len());
    }

    #[test]
    fn agents_are_product_tokens() {
        let product = |name: &str| Agent::Product(name.to_owned());
        for (value, expected) in [
            ("*", Agent::Anybody),
            ("* and more", Agent::Anybody),
            ("*bot", product("")),
            ("FooBot", product("foobot")),
            ("FooBot/1.2", product("foobot")),
            ("Foo Bot", product("foo")),
            ("Foo-Bot_x", product("foo-bot_x")),
        ] {
            assert_eq!(Agent::parse(value.as_bytes()), expected, "{value}");
        }
    }
}
