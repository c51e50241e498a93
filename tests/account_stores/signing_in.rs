//! What signing in promises over any store.

use http::HeaderMap;
use http::header::COOKIE;
use tidings_http::account_store::AccountStore;
use tidings_http::authenticator::{Authenticator, Browser, SignInError, SignedIn};
use tidings_http::cookies::Jar;
use tidings_http::form::FormGuard;
use tidings_http::password::hash_password;
use tidings_http::secret::{MaskedToken, hash};
use tidings_http::session_cookies::SessionCookies;

use crate::ground::Ground;

const COOKIES: SessionCookies = SessionCookies { session: "session", forms: "forms" };
const JAR: Jar = Jar { is_secure: true };
const PASSWORD: &str = "correct horse battery";

type Done<G> = Result<
    SignedIn<<<G as Ground>::Store as AccountStore>::Account>,
    SignInError<<G as Ground>::Store>,
>;

fn authenticator<G: Ground>(ground: &G) -> Authenticator<G::Store> {
    Authenticator::new(ground.store(), COOKIES)
}

/// The headers that a browser sends which kept these cookies.
fn kept(cookies: &[String]) -> HeaderMap {
    let pairs = cookies.iter().map(|cookie| cookie.split(';').next().unwrap());
    let pairs = pairs.filter(|pair| !pair.ends_with('='));
    let mut headers = HeaderMap::new();
    headers.insert(COOKIE, pairs.collect::<Vec<_>>().join("; ").parse().unwrap());
    headers
}

/// A browser at an address, with these headers and no session.
fn browser<'a>(address: &str, headers: &'a HeaderMap) -> Browser<'a> {
    Browser { jar: JAR, headers, address: address.parse().unwrap(), session: None }
}

async fn sign_in<G: Ground>(
    by: &Authenticator<G::Store>,
    address: &str,
    name: &str,
    password: &str,
) -> Done<G> {
    by.sign_in(browser(address, &HeaderMap::new()), name, password).await
}

/// The cookies of somebody who signs in.
async fn signed_in<G: Ground>(by: &Authenticator<G::Store>, name: &str) -> Vec<String> {
    match sign_in::<G>(by, "192.0.2.1", name, PASSWORD).await {
        Ok(signed_in) => signed_in.cookies,
        Err(error) => panic!("{error}"),
    }
}

async fn owner<G: Ground>(by: &Authenticator<G::Store>, cookies: &[String]) -> Option<String> {
    let open = by.session(JAR, &kept(cookies)).await.unwrap();
    open.map(|open| G::owner(&open.session))
}

fn is_too_often<G: Ground>(done: &Done<G>) -> bool {
    matches!(done, Err(SignInError::TooOften(_)))
}

async fn with_ann<G: Ground>(ground: &G) -> Authenticator<G::Store> {
    ground.add("ann", &hash_password(PASSWORD, "ann").unwrap()).await;
    authenticator(ground)
}

pub(crate) async fn session_gets_a_secret_of_its_own_each_time<G: Ground>(ground: &G) {
    let by = with_ann(ground).await;
    let first = signed_in::<G>(&by, "ANN").await;
    assert_eq!(owner::<G>(&by, &first).await.as_deref(), Some("ann"));
    assert!(first[0].starts_with("__Host-session=") && first[0].contains("Max-Age=1209600"));
    assert!(first[1].starts_with("__Host-forms=;"), "{first:?}");
    // The session that the browser had, perhaps because somebody else put it there, has ended.
    let headers = kept(&first);
    let session = by.session(JAR, &headers).await.unwrap().unwrap();
    let here = Browser { session: Some(session.digest), ..browser("192.0.2.1", &headers) };
    let second = by.sign_in(here, "ann", PASSWORD).await.unwrap_or_else(|error| panic!("{error}"));
    assert_ne!(first[0], second.cookies[0]);
    assert_eq!(owner::<G>(&by, &first).await, None);
    let headers = kept(&second.cookies);
    let open = by.session(JAR, &headers).await.unwrap().unwrap();
    assert_ne!(open.token, session.token);
    // Who signs out tells the browser, and the server.
    let out = by.sign_out(JAR, Some(open.digest)).await.unwrap();
    assert!(out[0].starts_with("__Host-session=;") && out[0].contains("Max-Age=0"), "{out:?}");
    assert_eq!(owner::<G>(&by, &second.cookies).await, None);
}

pub(crate) async fn wrong_password_and_unknown_name_are_refused_alike<G: Ground>(ground: &G) {
    let by = with_ann(ground).await;
    for (name, password, is_known) in [
        ("ann", "correct horse batterx", true),
        ("ann", "", true),
        ("bob", PASSWORD, false),
        ("bob", "nobody's password, and nobody can have it", false),
        ("", "", false),
    ] {
        match sign_in::<G>(&by, "192.0.2.1", name, password).await {
            Err(error @ SignInError::Wrong(_)) => {
                assert_eq!(error.to_string(), "the name or the password is wrong");
                let SignInError::Wrong(account) = error else { unreachable!() };
                assert_eq!(account.is_some(), is_known, "{name}");
            }
            _ => panic!("{name} with {password:?} was not refused"),
        }
    }
}

pub(crate) async fn token_belongs_to_one_session<G: Ground>(ground: &G) {
    let by = with_ann(ground).await;
    let open = async |cookies: &[String]| by.session(JAR, &kept(cookies)).await.unwrap().unwrap();
    let one = open(&signed_in::<G>(&by, "ann").await).await;
    let other = open(&signed_in::<G>(&by, "ann").await).await;
    let guard = FormGuard { base: "https://site.example/", token: Some(&one.token) };
    assert_eq!(guard.verify_token(&MaskedToken::new(&one.token).to_string()), Ok(()));
    assert!(guard.verify_token(&MaskedToken::new(&other.token).to_string()).is_err());
    let visitor = COOKIES.new_form_token(JAR).unwrap();
    assert!(guard.verify_token(&MaskedToken::new(&visitor.token).to_string()).is_err());
    assert_eq!(COOKIES.form_token(JAR, &kept(&[visitor.cookie])), Some(visitor.token));
}

pub(crate) async fn cookie_of_another_server_is_no_session<G: Ground>(ground: &G) {
    let by = with_ann(ground).await;
    let cookies = signed_in::<G>(&by, "ann").await;
    let (_, secret) = cookies[0].split(';').next().unwrap().split_once('=').unwrap();
    for pair in [
        format!("session={secret}"),
        format!("__Host-tidings-session={secret}"),
        format!("__host-session={secret}"),
        "__Host-session=".to_owned(),
        format!("__Host-session={}", "A".repeat(43)),
        format!("__Host-session={}", "A".repeat(100_000)),
        format!("__Host-forms={secret}"),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, pair.parse().unwrap());
        assert!(by.session(JAR, &headers).await.unwrap().is_none(), "{pair}");
    }
    // A short secret for forms could be guessed, and is none.
    assert_eq!(COOKIES.form_token(JAR, &kept(&["__Host-forms=short".to_owned()])), None);
}

pub(crate) async fn weak_hash_is_replaced_and_other_sessions_go_on<G: Ground>(ground: &G) {
    // The same password with 64 KiB and one round.
    let weak = "$argon2id$v=19$m=64,t=1,p=1$c2l4dGVlbiBieXRlcyBvaw$\
        rogE7y4WCBLdD/gxvSy5xSnK225whQ0ppeJmnPSXZ3c";
    ground.add("ann", weak).await;
    ground.add_session("ann", hash("a secret that a browser has kept until now")).await;
    let by = authenticator(ground);
    let cookies = signed_in::<G>(&by, "ann").await;
    assert_eq!(owner::<G>(&by, &cookies).await.as_deref(), Some("ann"));
    let (_, stronger) = ground.store().find_account("ann").await.unwrap().unwrap();
    assert!(stronger.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stronger}");
    let before = ["__Host-session=a secret that a browser has kept until now".to_owned()];
    assert_eq!(owner::<G>(&by, &before).await.as_deref(), Some("ann"));
    // It is the same password, and is not replaced again.
    signed_in::<G>(&by, "ann").await;
    let (_, kept) = ground.store().find_account("ann").await.unwrap().unwrap();
    assert_eq!(kept, stronger);
}

pub(crate) async fn password_change_ends_all_other_sessions<G: Ground>(ground: &G) {
    let by = with_ann(ground).await;
    let (here, there) = (signed_in::<G>(&by, "ann").await, signed_in::<G>(&by, "ann").await);
    let headers = kept(&here);
    let browser = browser("192.0.2.1", &headers);
    let new = "staple battery horse";
    let refused = |done: Done<G>| done.err().unwrap().to_string();
    let wrong = by.change_password(browser, "ann", "not the old one", [new; 2]).await;
    assert_eq!(refused(wrong), "the name or the password is wrong");
    let differ = by.change_password(browser, "ann", PASSWORD, [new, "another"]).await;
    assert_eq!(refused(differ), "the two passwords are not the same");
    let short = by.change_password(browser, "ann", PASSWORD, ["short"; 2]).await;
    assert!(refused(short).contains("too short"));
    assert!(owner::<G>(&by, &there).await.is_some());
    let changed = by.change_password(browser, "ann", PASSWORD, [new; 2]).await;
    let changed = changed.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(owner::<G>(&by, &changed.cookies).await.as_deref(), Some("ann"));
    assert_eq!((owner::<G>(&by, &here).await, owner::<G>(&by, &there).await), (None, None));
    assert!(sign_in::<G>(&by, "192.0.2.2", "ann", PASSWORD).await.is_err());
    assert!(sign_in::<G>(&by, "192.0.2.2", "ann", new).await.is_ok());
}

pub(crate) async fn session_that_begins_after_a_password_change_is_refused<G: Ground>(ground: &G) {
    let by = with_ann(ground).await;
    let (ann, old) = ground.store().find_account("ann").await.unwrap().unwrap();
    let new = by.hash_new(["staple battery horse"; 2], "ann").await.unwrap();
    assert!(ground.store().change_password(&ann, &old, &new).await.unwrap());
    let begun = by.begin(browser("192.0.2.1", &HeaderMap::new()), ann, &old).await;
    assert!(matches!(begun, Err(SignInError::Wrong(Some(_)))));
}

pub(crate) async fn attempts_of_one_network_count_together<G: Ground>(ground: &G) {
    let by = authenticator(ground);
    let mut number = 0;
    loop {
        let address = format!("2001:db8:1:2:{number:x}::{number:x}");
        let done = sign_in::<G>(&by, &address, &format!("nobody{number}"), "guess").await;
        if is_too_often::<G>(&done) {
            break;
        }
        number += 1;
        assert!(number < 200, "neighbours can guess without end");
    }
    assert!(number >= 20, "{number}");
    for other in ["2001:db8:1:3::1", "192.0.2.1"] {
        let done = sign_in::<G>(&by, other, "nobody", "guess").await;
        assert!(matches!(done, Err(SignInError::Wrong(None))), "{other}");
    }
}

pub(crate) async fn attempts_at_one_name_count_in_any_spelling<G: Ground>(ground: &G) {
    ground.add("émile", &hash_password(PASSWORD, "émile").unwrap()).await;
    let by = authenticator(ground);
    for number in 0..10 {
        let name = ["émile", "ÉMILE", "Émile", "éMilE"][number % 4];
        let done = sign_in::<G>(&by, "192.0.2.1", name, "guess").await;
        assert!(matches!(done, Err(SignInError::Wrong(_))), "{name}");
    }
    for name in ["émile", "ÉMILE", "ÉmIlE"] {
        let done = sign_in::<G>(&by, "192.0.2.1", name, PASSWORD).await;
        assert!(is_too_often::<G>(&done), "{name}");
    }
    // The owner is somewhere else.
    assert!(sign_in::<G>(&by, "198.51.100.1", "émile", PASSWORD).await.is_ok());
}

pub(crate) async fn attempts_at_the_old_password_count_from_everywhere<G: Ground>(ground: &G) {
    let by = with_ann(ground).await;
    let headers = HeaderMap::new();
    let mut number = 0;
    loop {
        let address = format!("192.0.2.{number}");
        let browser = browser(&address, &headers);
        let done = by.change_password(browser, "ann", "guess", ["staple battery"; 2]).await;
        if is_too_often::<G>(&done) {
            break;
        }
        number += 1;
        assert!(number < 100, "the old password can be guessed without end");
    }
    assert!(number >= 10, "{number}");
    // Whoever has a stolen session keeps its owner from nothing.
    assert!(sign_in::<G>(&by, "192.0.2.1", "ann", PASSWORD).await.is_ok());
}

pub(crate) async fn passwords_are_compared_whole<G: Ground>(ground: &G) {
    let long = format!("{}é", "éa".repeat(66));
    ground.add("ann", &hash_password(&long, "ann").unwrap()).await;
    let by = authenticator(ground);
    let (more, huge) = (format!("{long}x"), "é".repeat(200_000));
    for password in [more.as_str(), &huge, &long[..198], &format!(" {long}"), "e\u{301}"] {
        assert!(sign_in::<G>(&by, "192.0.2.1", "ann", password).await.is_err());
    }
    assert!(sign_in::<G>(&by, "192.0.2.1", "ann", &long).await.is_ok());
    // A name may be as long as a form.
    let name = "n".repeat(200_000);
    let done = sign_in::<G>(&by, "192.0.2.1", &name, PASSWORD).await;
    assert!(matches!(done, Err(SignInError::Wrong(None))));
}

pub(crate) async fn account_of_an_earlier_version_signs_in<G: Ground>(ground: &G) {
    // As that version wrote them.
    let secret = "u8bJmshev5iiDO1YGZe0BXCSYgr4mBaukZgu_lVX-RA";
    let known = "$argon2id$v=19$m=19456,t=2,p=1$07IW/8SoP+TSqnR5GBU8HQ$\
        eVjTQwyg89enMXRTyTxC7oD+ho+oZcSgjBr6Rq/DOIA";
    ground.add("ann", known).await;
    ground.add_session("ann", hash(secret)).await;
    let by = authenticator(ground);
    let before = [format!("__Host-session={secret}")];
    assert_eq!(owner::<G>(&by, &before).await.as_deref(), Some("ann"));
    let cookies = signed_in::<G>(&by, "ann").await;
    assert_eq!(owner::<G>(&by, &cookies).await.as_deref(), Some("ann"));
    let (_, hash) = ground.store().find_account("ann").await.unwrap().unwrap();
    assert_eq!(hash, known, "it is as strong as those of today");
}
