//! Where rules come from, and what holds where they cannot be had.

use std::io::Write;

use tidings_web::{
    Absence, Client, ClientOptions, GetOptions, Obstacle, Reason, Robots, RobotsCache, robots_of,
};

use crate::server::{Act, Server, answer, nobody, ok, redirect};

fn client() -> Client {
    Client::new(ClientOptions::default()).unwrap()
}

/// The reason for which `/page` may be fetched or not.
async fn reason(server: &Server) -> (bool, Reason) {
    let url = server.url("/page?query#part");
    let robots = robots_of(&client(), &url, &GetOptions::trusting(&url)).await;
    let verdict = robots.verdict(Robots::PRODUCT, &url);
    (verdict.allowed, verdict.reason)
}

#[tokio::test]
async fn rfc9309_2_3_1_what_the_status_means() {
    for (status, allowed) in [
        ("404 Not Found", true),
        ("401 Unauthorized", true),
        ("410 Gone", true),
        ("429 Too Many Requests", false),
        ("500 Internal Server Error", false),
        ("503 Service Unavailable", false),
    ] {
        let server = Server::always(answer(status, &[], b"User-agent: *\nAllow: /")).await;
        let (found, reason) = reason(&server).await;
        assert_eq!(found, allowed, "{status}");
        match reason {
            Reason::Absent(Absence::Status(code)) | Reason::Unreachable(Obstacle::Status(code)) => {
                assert!(status.starts_with(code.as_str()));
            }
            other => panic!("{status}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn rules_are_asked_for_at_their_one_place() {
    let server = Server::always(answer("200 OK", &[], b"User-agent: tidings\nDisallow: /")).await;
    let (allowed, reason) = reason(&server).await;
    assert!(!allowed);
    assert_eq!(reason.to_string(), "robots.txt line 2: Disallow: /");
    assert!(server.requests()[0].starts_with("get /robots.txt http/1.1"));
}

#[tokio::test]
async fn rules_may_lie_elsewhere_and_be_compressed() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"User-agent: *\nDisallow: /page").unwrap();
    let bytes = encoder.finish().unwrap();
    let server = Server::start(move |path| match path {
        "/robots.txt" => redirect("elsewhere/rules"),
        "/elsewhere/rules" => ok(&bytes),
        _ => panic!("nobody should ask for {path}"),
    })
    .await;
    assert!(!reason(&server).await.0);
}

#[tokio::test]
async fn redirects_without_end_are_no_rules() {
    let server = Server::start(|path| redirect(&format!("{path}x"))).await;
    assert_eq!(reason(&server).await, (true, Reason::Absent(Absence::Redirects)));
}

#[tokio::test]
async fn a_server_that_is_gone_or_breaks_off_allows_nothing() {
    let short = b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\nUser-agent: *".to_vec();
    let server = Server::start(move |_| vec![Act::Send(short.clone())]).await;
    let (allowed, found) = reason(&server).await;
    assert!(!allowed);
    assert!(found.to_string().contains("broke off after"), "{found}");

    let gone = nobody().await;
    let robots = robots_of(&client(), &gone, &GetOptions::trusting(&gone)).await;
    let verdict = robots.verdict(Robots::PRODUCT, &gone);
    assert!(!verdict.allowed);
    assert!(matches!(verdict.reason, Reason::Unreachable(Obstacle::NoAnswer(_))), "{verdict:?}");
}

#[tokio::test]
async fn rules_are_asked_for_once_by_however_many() {
    let server = Server::always(answer("200 OK", &[], b"User-agent: *\nDisallow: /a")).await;
    let (cache, client) = (RobotsCache::new(), client());
    let (one, other) = (server.url("/a"), server.url("/b"));
    let options = GetOptions::trusting(&one);
    let (first, second) =
        tokio::join!(cache.of(&client, &one, &options), cache.of(&client, &other, &options));
    assert!(!first.is_allowed(Robots::PRODUCT, &one));
    assert!(second.is_allowed(Robots::PRODUCT, &other));
    assert_eq!(server.requests().len(), 1);
}
