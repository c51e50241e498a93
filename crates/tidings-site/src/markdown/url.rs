//! Which addresses a page may lead to.

/// What an address is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Somebody follows it.
    Link,
    /// It is shown in its place.
    Image,
}

/// A list of what is let through, and not of what is kept out: nobody knows all schemes that run
/// something.
const SCHEMES: [&str; 25] = [
    "https", "http", "mailto", "tel", "ftp", "ftps", "sftp", "sms", "geo", "feed", "webcal", "irc",
    "ircs", "xmpp", "matrix", "sip", "sips", "magnet", "news", "nntp", "gopher", "gemini", "ssh",
    "git", "urn",
];

/// Pictures within the page. Not SVG, which can hold scripts.
const PICTURES: [&str; 4] = ["image/png", "image/gif", "image/jpeg", "image/webp"];

/// Whether an address, as it is after all escapes were undone, leads nowhere that runs.
pub(super) fn is_safe(url: &str, usage: Use) -> bool {
    let Some((scheme, rest)) = scheme(url) else { return true };
    SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known))
        || usage == Use::Image && scheme.eq_ignore_ascii_case("data") && is_picture(rest)
}

fn is_picture(rest: &str) -> bool {
    PICTURES.iter().any(|kind| {
        rest.get(..kind.len()).is_some_and(|start| start.eq_ignore_ascii_case(kind))
            && rest[kind.len()..].starts_with([';', ','])
    })
}

/// Whether it is on another host, as far as can be told without knowing ours.
pub(super) fn is_elsewhere(url: &str) -> bool {
    match scheme(url) {
        Some((scheme, _)) => {
            scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
        }
        None => url.starts_with("//"),
    }
}

/// The scheme, if there is one, and what is behind it.
///
/// Browsers take away tabs and line breaks within it. Here they stay, and make it a scheme that
/// nobody knows; so does all else that might vanish on its way.
fn scheme(url: &str) -> Option<(&str, &str)> {
    let url = url.trim_start_matches(|c| c <= ' ');
    // A scheme begins with a letter: `10:30.md` is a file.
    if url.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let end = url.find([':', '/', '?', '#'])?;
    url[end..].strip_prefix(':').map(|rest| (&url[..end], rest))
}
