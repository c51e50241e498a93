//! Sessions: begun by whoever knows a password, and by nobody else's doing.

use crate::stage::{FORM, Session, Site, encoded, hidden};

/// The sign-in form, sent with these cookies: the answer.
fn sign_in_with(site: &Site, cookies: &str, password: &str) -> crate::support::follower::Answer {
    let page = site.serving.request("GET", "/login/", &format!("Cookie: {cookies}\r\n"), "");
    let guard = hidden(&page.text(), "guard");
    let body = encoded(&[("guard", &guard), ("name", "admin"), ("password", password)]);
    site.serving.request("POST", "/login/", &format!("{FORM}Cookie: {cookies}\r\n"), &body)
}

fn is_open(session: &Session<'_>) -> bool {
    session.get(&session.site.admin).status == 200
}

#[test]
fn signing_in_again_ends_the_session_that_the_browser_had() {
    let site = Site::plain();
    let (first, elsewhere) = (site.admin(), site.admin());
    let cookies = first.cookie();
    let cookies = cookies.trim().strip_prefix("Cookie: ").unwrap();
    let answer = sign_in_with(&site, cookies, site.password());
    assert_eq!(answer.status, 303, "{}", answer.text());
    let set = answer.head.matches("tidings-site-session=").count();
    assert_eq!(set, 1, "{}", answer.head);
    assert!(!answer.head.contains(cookies), "the secret is another");
    assert!(!is_open(&first), "the session of before has ended");
    assert!(is_open(&elsewhere), "that of another browser has not");
}

#[test]
fn planted_session_is_never_taken_over() {
    let site = Site::plain();
    let planted = "A".repeat(43);
    let forms = "B".repeat(43);
    let cookies = format!("tidings-site-session={planted}; tidings-site-forms={forms}");
    let answer = sign_in_with(&site, &cookies, site.password());
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert!(!answer.head.contains(&planted), "{}", answer.head);
    let headers = format!("Cookie: tidings-site-session={planted}\r\n");
    assert_eq!(site.serving.request("GET", &site.admin, &headers, "").status, 404);
}

/// Cookies are the same on all ports of a host, so both servers see those of each other.
#[test]
fn cookies_of_the_followers_server_mean_nothing() {
    let site = Site::plain();
    let admin = site.admin();
    let secret = admin.cookie();
    let secret = secret.trim().split_once('=').unwrap().1;
    for cookies in [
        format!("tidings-session={secret}"),
        format!("__Host-tidings-site-session={secret}"),
        format!("tidings-session={secret}; tidings-site-session={}", "C".repeat(43)),
    ] {
        let headers = format!("Cookie: {cookies}\r\n");
        let answer = site.serving.request("GET", &site.admin, &headers, "");
        assert_eq!(answer.status, 404, "{cookies}");
    }
    let both =
        format!("Cookie: tidings-session={}; tidings-site-session={secret}\r\n", "D".repeat(43));
    assert_eq!(site.serving.request("GET", &site.admin, &both, "").status, 200);
}

/// The form of a tab that was loaded before another tab signed in belongs to nobody any more.
#[test]
fn form_of_before_the_sign_in_is_refused_after_it() {
    let site = Site::plain();
    let page = site.get("/login/");
    let guard = hidden(&page.text(), "guard");
    let admin = site.admin();
    let body = encoded(&[("guard", &guard), ("name", "admin"), ("password", site.password())]);
    let answer =
        site.serving.request("POST", "/login/", &format!("{FORM}{}", admin.cookie()), &body);
    assert_eq!(answer.status, 403, "{}", answer.text());
    assert!(answer.text().contains("load the page again"), "{}", answer.text());
    assert!(is_open(&admin));
}

#[test]
fn guessing_is_slow_and_says_when_to_go_on() {
    let site = Site::plain();
    let refused = (0..30).map(|_| site.try_sign_in("Admin", "a guess of mine").1);
    let refused = refused.into_iter().find(|answer| answer.status == 429);
    let refused = refused.expect("it can be guessed without end");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=61).contains(&wait), "{wait}");
    assert!(refused.text().contains("too often"));
    let long = site.try_sign_in(&"n".repeat(30_000), "x").1;
    assert!(long.body.len() < 20_000, "the name is not shown again as a whole");
}

/// A form may come in pieces, and without an `Origin`, which older browsers leave out.
#[test]
fn chunked_form_is_taken_like_any_other() {
    use std::io::{Read as _, Write as _};
    let site = Site::plain();
    let page = site.get("/login/");
    let guard = hidden(&page.text(), "guard");
    let forms = page.header("set-cookie").unwrap();
    let forms = forms.split(';').next().unwrap();
    let post = |guard: &str| {
        let body = encoded(&[("guard", guard), ("name", "admin"), ("password", site.password())]);
        let mut stream = std::net::TcpStream::connect(&site.serving.address).unwrap();
        let head = format!(
            "POST /login/ HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\
             {FORM}Cookie: {forms}\r\n\r\n",
            site.serving.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        for piece in body.as_bytes().chunks(7) {
            let piece = String::from_utf8_lossy(piece);
            stream.write_all(format!("{:x}\r\n{piece}\r\n", piece.len()).as_bytes()).unwrap();
        }
        stream.write_all(b"0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    assert!(post(&guard).starts_with("HTTP/1.1 303 "));
    assert!(post("").starts_with("HTTP/1.1 403 "));
}
