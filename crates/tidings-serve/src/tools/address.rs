//! An address, as people type it.

use tidings_web::Url;

/// How many characters it may have.
const MOST: usize = 2_000;

/// Reads an address. What is wrong with it is said without repeating it: there may be a password in it.
pub(super) fn parse(text: &str) -> Result<Url, &'static str> {
    const WRONG: &str = "This is no address; give it as https://example.com/page.";
    const SCHEME: &str = "Only addresses that begin with http:// or https:// can be looked at.";
    let text = text.trim();
    if text.chars().count() > MOST {
        return Err("The address is too long: 2,000 characters are enough.");
    }
    if text.is_empty() {
        return Err("Name an address, such as https://example.com/sitemap.xml.");
    }
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(WRONG);
    }
    let whole = match scheme(text) {
        Some(scheme) if is_web(scheme) => text.to_owned(),
        Some(_) => return Err(SCHEME),
        None => format!("https://{}", text.trim_start_matches('/')),
    };
    let mut url = Url::parse(&whole).map_err(|_| WRONG)?;
    if !is_web(url.scheme()) {
        return Err(SCHEME);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("Leave out user name and password: what is behind them is not looked at here.");
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(WRONG);
    }
    url.set_fragment(None);
    Ok(url)
}

/// What may be shown in a field again. With an `@` there may be a password in it.
pub(super) fn shown(text: &str) -> String {
    let is_short = text.chars().count() <= MOST;
    if is_short && !text.contains('@') { text.trim().to_owned() } else { String::new() }
}

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// What stands before the first colon, unless that is a host with its port.
fn scheme(text: &str) -> Option<&str> {
    let (before, behind) = text.split_once(':')?;
    let is_name = before.starts_with(|c: char| c.is_ascii_alphabetic())
        && before.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let port = behind.split(['/', '?', '#']).next().unwrap_or_default();
    let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    // A colon in a path or behind a user name is none of a scheme either.
    (is_name && !is_port && (behind.starts_with("//") || !behind.contains('@'))).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_type_them() {
        for (text, expected) in [
            ("https://example.com/a?b#c", "https://example.com/a?b"),
            ("  example.com ", "https://example.com/"),
            ("//example.com/x", "https://example.com/x"),
            ("localhost:8080/x", "https://localhost:8080/x"),
            ("example.com/a:b", "https://example.com/a:b"),
            ("[::1]:80/", "https://[::1]:80/"),
            ("HTTP://EXAMPLE.com", "http://example.com/"),
            ("bücher.example", "https://xn--bcher-kva.example/"),
        ] {
            assert_eq!(parse(text).map(String::from).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_of_the_web_is_refused_and_not_repeated() {
        let long = format!("https://example.com/{}", "a".repeat(2_000));
        for text in [
            "",
            " ",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "mailto:secret@example.com",
            "https://",
            "https://me:secret@example.com/",
            "me:secret@example.com",
            "secret@example.com",
            "a b",
            "http://example.com/\nx",
            "http:///",
            "::",
            &long,
        ] {
            let reason = parse(text).unwrap_err();
            assert!(!reason.contains("secret"), "{text}: {reason}");
        }
        assert_eq!(shown("https://me:secret@example.com/"), "");
        assert_eq!(shown(&long), "");
        assert_eq!(shown(" example.com "), "example.com");
    }
}
