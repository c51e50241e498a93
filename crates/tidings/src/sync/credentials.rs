//! Who we are to the Source.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use tidings_web::{HeaderMap, HeaderValue};
use url::Url;

/// Takes a user name and password out of the URL, so that they are shown and stored nowhere, and adds
/// them as a header: those of the URL, else with `netrc` those of the user's `.netrc`.
///
/// Headers go to the origin of the URL only.
pub(super) fn take(url: &mut Url, headers: &mut HeaderMap, netrc: bool) -> Result<()> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let mut login = match (url.username(), url.password()) {
        ("", None) => None,
        (user, password) => Some((decoded(user), decoded(password.unwrap_or_default()))),
    };
    // A URL that has these can lose them.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    if login.is_none() && netrc && !headers.contains_key("authorization") {
        login = of_netrc(url.host_str().unwrap_or_default())?;
    }
    if let Some((user, password)) = login {
        let text = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
        headers.insert("authorization", HeaderValue::from_str(&text)?);
    }
    Ok(())
}

/// What the file says of a host. Others may not read it: a password that everybody knows is none.
fn of_netrc(host: &str) -> Result<Option<(String, String)>> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".netrc"));
    let path = std::env::var_os("NETRC").map(PathBuf::from).or_else(home);
    let path = path.context("--netrc: there is no home folder; NETRC can name the file")?;
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("--netrc: could not read {}", path.display()))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        if std::fs::metadata(&path).is_ok_and(|metadata| metadata.mode() & 0o077 != 0) {
            bail!("--netrc: others can read {}; chmod 600 it first", path.display());
        }
    }
    Ok(parse_netrc(&text, host))
}

/// The login of the first `machine` of that name, else of `default`.
fn parse_netrc(text: &str, host: &str) -> Option<(String, String)> {
    let mut words = text.split_whitespace();
    let (mut applies, mut login, mut password) = (false, None, None);
    while let Some(word) = words.next() {
        match word {
            "machine" | "default" => {
                if applies && login.is_some() {
                    break;
                }
                applies = word == "default" || words.next() == Some(host);
            }
            "login" | "password" | "account" => {
                let value = words.next();
                match word {
                    "login" if applies => login = value,
                    "password" if applies => password = value,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    Some((login?.to_owned(), password.unwrap_or_default().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_leaves_the_url_and_becomes_a_header() {
        let mut url = Url::parse("https://me:p%40ss@a.example/x").unwrap();
        let mut headers = HeaderMap::new();
        take(&mut url, &mut headers, false).unwrap();
        assert_eq!(url.as_str(), "https://a.example/x");
        assert_eq!(headers["authorization"], "Basic bWU6cEBzcw==");
    }

    #[test]
    fn a_netrc_is_read_by_its_words() {
        let text = "machine b.example login other password no\n\
                    machine a.example\n  login me\n  password secret\ndefault login anonymous";
        let found = |host| parse_netrc(text, host);
        assert_eq!(found("a.example"), Some(("me".into(), "secret".into())));
        assert_eq!(found("b.example"), Some(("other".into(), "no".into())));
        assert_eq!(found("c.example"), Some(("anonymous".into(), String::new())));
        assert_eq!(parse_netrc("machine x login y", "z"), None);
    }
}
