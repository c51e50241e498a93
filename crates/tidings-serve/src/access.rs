//! Who may do what.

use std::net::IpAddr;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tidings_http::listener::Peer;
use tidings_http::same_origin::is_cross_site;
use tidings_http::secret::hash;
use tidings_store::{Role, Scope};

use crate::api::Problem;
use crate::options::Access;
use crate::state::State;
use crate::visitor::Visitor;

/// Lets those read who may.
///
/// On a loopback address also those who read are asked whether they know where they are: a page whose
/// name was made to lead here could else read what only this machine should.
pub(crate) async fn reading(state: &State, headers: &HeaderMap) -> Result<(), Problem> {
    match state.options.access {
        Access::Public if state.is_local && !state.is_proxied && !is_expected(headers) => {
            Err(Problem::forbidden("the Host of the request is not this server's"))
        }
        Access::Public => Ok(()),
        Access::Private => allowed(state, headers, Scope::Read).await.map(drop),
    }
}

/// Lets those change something who may, and says who they are.
pub(crate) async fn writing(state: &State, headers: &HeaderMap) -> Result<Actor, Problem> {
    allowed(state, headers, Scope::Write).await
}

/// Lets those manage tokens who may, and says who they are.
pub(crate) async fn managing(state: &State, headers: &HeaderMap) -> Result<Actor, Problem> {
    allowed(state, headers, Scope::Admin).await
}

/// Lets those make us fetch something who may, if they have not done so too often.
pub(crate) async fn fetching(
    state: &State,
    headers: &HeaderMap,
    peer: Peer,
) -> Result<Actor, Problem> {
    let actor = writing(state, headers).await?;
    fetched(state, address_of(state, headers, peer))?;
    Ok(actor)
}

/// Takes one more fetch of somebody who was let in.
pub(crate) fn fetched(state: &State, address: IpAddr) -> Result<(), Problem> {
    state.limits.take(address).map_err(Problem::too_often)
}

/// Who did something by the API, as it is written down.
pub(crate) struct Actor(pub(crate) String);

async fn allowed(state: &State, headers: &HeaderMap, wanted: Scope) -> Result<Actor, Problem> {
    if let Some(token) = token(headers) {
        let token = state.store.token(hash(&token)).await?;
        return match token {
            Some(token) if token.scope >= wanted => Ok(Actor(format!("token {}", token.name))),
            Some(_) if wanted == Scope::Admin => {
                Err(Problem::forbidden("this token does not let you manage tokens"))
            }
            Some(_) => Err(Problem::forbidden("this token lets you read, and no more")),
            None => Err(Problem::unauthorized("this token is not known")),
        };
    }
    // A browser that is signed in may read here what it may read elsewhere, and change nothing: what
    // changes something by a session alone could be a page of another site.
    if wanted == Scope::Read
        && let Some(open) = state.authenticator.session(state.jar, headers).await?
    {
        return Ok(Actor(open.session.user.name));
    }
    if state.is_local && !state.options.always_token && !state.is_proxied {
        if state.has_accounts().await? {
            return Err(Problem::unauthorized(
                "there are accounts, so a token is needed on this machine, too: `tidings token add NAME` \
                 makes one; send it as `Authorization: Bearer TOKEN`",
            ));
        }
        return is_from_here(headers).map(|()| Actor("(this machine)".to_owned()));
    }
    Err(Problem::unauthorized(
        "a token is needed: `tidings token add NAME` makes one; send it as `Authorization: Bearer TOKEN`",
    ))
}

/// Whether a request comes from this machine, and not from a page whose name was made to lead here, nor
/// through a proxy, which speaks for others. What a page of another site sends is found out elsewhere.
pub(crate) fn is_here(state: &State, headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    state.is_local
        && !state.is_proxied
        && !is_forwarded(headers)
        && host.is_some_and(is_loopback_name)
}

/// Somebody at this machine may name what only this machine can reach, as on its command line.
pub(crate) fn is_trusted(visitor: &Visitor) -> bool {
    visitor.role() == Some(Role::Admin) && visitor.is_here
}

/// Whether a proxy passed it on.
fn is_forwarded(headers: &HeaderMap) -> bool {
    ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"]
        .iter()
        .any(|name| headers.contains_key(*name))
}

/// The address that a request comes from: that of the last one before our own proxy, if there is one.
/// Whoever else says so is not believed.
pub(crate) fn address_of(state: &State, headers: &HeaderMap, peer: Peer) -> IpAddr {
    let told = headers.get_all("x-forwarded-for").iter().next_back();
    let told = told.and_then(|value| value.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
    match told {
        Some(address) if state.is_proxied && peer.0.ip().is_loopback() => address,
        _ => peer.0.ip(),
    }
}

/// A token, as programs send it (`Bearer`), or as the password of feed readers that know nothing else
/// (`Basic`). One in a URL would end up in logs, and is not looked at.
pub(crate) fn token(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, rest) = value.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().to_owned());
    }
    if scheme.eq_ignore_ascii_case("basic") {
        let pair = String::from_utf8(STANDARD.decode(rest.trim()).ok()?).ok()?;
        return Some(pair.split_once(':')?.1.to_owned());
    }
    None
}

/// Without a token, only what comes from this machine, and not from a page that a browser on it shows:
/// a page of another site names itself (`Origin`, `Sec-Fetch-Site`), and one whose name was made to lead
/// here has another `Host`.
fn is_from_here(headers: &HeaderMap) -> Result<(), Problem> {
    let text =
        |name| headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok());
    let host = text(HOST).unwrap_or_default();
    // A proxy speaks for others, who may be anywhere.
    if is_forwarded(headers) {
        return Err(Problem::unauthorized("a token is needed by whoever comes through a proxy"));
    }
    if !is_loopback_name(host) {
        return Err(Problem::forbidden("the Host of the request is not this machine"));
    }
    let is_own = text(ORIGIN).is_none_or(|origin| origin.strip_prefix("http://") == Some(host));
    if !is_own || is_cross_site(headers) {
        return Err(Problem::forbidden("the request comes from a page of another site"));
    }
    Ok(())
}

/// Whether the `Host` is one that this machine is known by. Only programs leave it out, never browsers.
pub(crate) fn is_expected(headers: &HeaderMap) -> bool {
    match headers.get(HOST) {
        Some(host) => host.to_str().is_ok_and(is_loopback_name),
        None => true,
    }
}

pub(crate) fn is_loopback_name(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pairs =
            pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        pairs.collect()
    }

    #[test]
    fn what_a_page_of_another_site_asks_for_is_not_done() {
        for (pairs, allowed) in [
            (&[("host", "127.0.0.1:8420")][..], true),
            (&[("host", "localhost:8420")], true),
            (&[("host", "[::1]:8420")], true),
            (&[("host", "rebound.example:8420")], false),
            (&[("host", "127.0.0.1.evil.example")], false),
            (&[("host", "127.0.0.1:8420"), ("x-forwarded-for", "192.0.2.1")], false),
            (&[], false),
            (&[("host", "127.0.0.1:8420"), ("origin", "https://evil.example")], false),
            (&[("host", "127.0.0.1:8420"), ("origin", "null")], false),
            (&[("host", "127.0.0.1:8420"), ("origin", "http://127.0.0.1:8420")], true),
            (&[("host", "127.0.0.1:8420"), ("origin", "http://127.0.0.1:9999")], false),
            (&[("host", "127.0.0.1:8420"), ("sec-fetch-site", "cross-site")], false),
            (&[("host", "127.0.0.1:8420"), ("sec-fetch-site", "same-site")], false),
            (&[("host", "127.0.0.1:8420"), ("sec-fetch-site", "same-origin")], true),
        ] {
            assert_eq!(is_from_here(&headers(pairs)).is_ok(), allowed, "{pairs:?}");
        }
    }

    #[test]
    fn tokens_come_as_bearers_or_as_passwords() {
        let of = |value: &str| token(&headers(&[("authorization", value)]));
        assert_eq!(of("Bearer abc").as_deref(), Some("abc"));
        assert_eq!(of("bearer  abc ").as_deref(), Some("abc"));
        assert_eq!(of("Basic dXNlcjphYmM=").as_deref(), Some("abc"));
        assert_eq!(of("Digest x"), None);
        assert_eq!(of("Basic !"), None);
    }
}
