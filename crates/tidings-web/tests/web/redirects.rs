//! The way from one URL to another.

use tidings_web::{Client, ClientOptions, FetchError, Fetched, GetOptions, HeaderMap, Url};

use crate::server::{Act, Server, answer, ok, redirect};

async fn get(url: &Url) -> Result<Fetched, FetchError> {
    Client::new(ClientOptions::default()).unwrap().get(url, &GetOptions::trusting(url)).await
}

#[tokio::test]
async fn s5_each_kind_of_redirect_is_followed_and_remembered() {
    let server = Server::start(|path| {
        let hop =
            |status, to| vec![Act::Send(answer(status, &[&format!("location: {to}")], b"moved"))];
        match path {
            "/a/1" => hop("301 Moved Permanently", "2"),
            "/a/2" => hop("302 Found", "/3"),
            "/3" => hop("303 See Other", "?4"),
            "/3?4" => hop("307 Temporary Redirect", "/5#part"),
            "/5" => hop("308 Permanent Redirect", "./6"),
            _ => ok(b"there"),
        }
    })
    .await;
    let fetched = get(&server.url("/a/1")).await.unwrap();
    assert_eq!(fetched.url, server.url("/6"));
    let passed = ["/a/1", "/a/2", "/3", "/3?4", "/5"].map(|path| server.url(path));
    assert_eq!(fetched.redirects, passed);
}

#[tokio::test]
async fn s5_the_sixth_hop_is_not_made() {
    let server = Server::start(|path| {
        let next = path[1..].parse::<u32>().unwrap() + 1;
        redirect(&format!("/{next}"))
    })
    .await;
    let error = get(&server.url("/0")).await.unwrap_err();
    assert!(matches!(error, FetchError::TooManyRedirects { limit: 5, .. }), "{error:?}");
    assert_eq!(server.requests().len(), 6, "the first request and five redirects");
}

#[tokio::test]
async fn s5_a_circle_ends_at_its_second_round() {
    let server = Server::start(|path| redirect(if path == "/a" { "/b" } else { "/a" })).await;
    let error = get(&server.url("/a")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the redirects run in a circle: {} comes up twice", server.url("/a"))
    );
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn s5_a_redirect_to_itself_is_a_circle() {
    let server = Server::start(redirect).await;
    let error = get(&server.url("/a")).await.unwrap_err();
    assert!(matches!(error, FetchError::RedirectLoop { .. }), "{error:?}");
}

#[tokio::test]
async fn s5_a_location_that_is_no_url_is_an_error_that_names_it() {
    for location in [&b"http://["[..], b"http://a:99999/", b"/\xff\xfe"] {
        let reply = [b"HTTP/1.1 302 Found\r\nlocation: ", location, b"\r\n\r\n"].concat();
        let server = Server::always(reply).await;
        let error = get(&server.url("/")).await.unwrap_err();
        assert!(matches!(error, FetchError::InvalidUrl { .. }), "{error:?}");
        assert!(error.to_string().contains(server.url("/").as_str()), "{error}");
    }
}

#[tokio::test]
async fn s5_a_redirect_without_a_location_is_an_answer() {
    let server = Server::always(answer("302 Found", &[], b"")).await;
    let error = get(&server.url("/")).await.unwrap_err();
    assert!(matches!(error, FetchError::Status { .. }), "{error:?}");
}

/// A client with a secret header, and both ends of a redirect reachable.
fn client_with_secret() -> Client {
    let mut headers = HeaderMap::new();
    headers.insert("x-secret", "sesame".parse().unwrap());
    let options = ClientOptions { headers, allow_private: true, ..ClientOptions::default() };
    Client::new(options).unwrap()
}

fn with_credentials(mut url: Url) -> Url {
    url.set_username("me").unwrap();
    url.set_password(Some("p%40ss")).unwrap();
    url
}

/// Base64 of `me:p@ss`, in the lower case of the log.
const BASIC: &str = "authorization: basic bwu6cebzcw==";

fn secrets(request: &str) -> (bool, bool) {
    (request.contains("x-secret: sesame"), request.contains(BASIC))
}

#[tokio::test]
async fn s3_headers_and_credentials_go_along_within_an_origin() {
    let server =
        Server::start(|path| if path == "/a" { redirect("/b") } else { ok(b"there") }).await;
    let url = with_credentials(server.url("/a"));
    let fetched = client_with_secret().get(&url, &GetOptions::trusting(&url)).await.unwrap();
    assert_eq!(fetched.url, server.url("/b"), "without credentials");
    let seen: Vec<_> = server.requests().iter().map(|request| secrets(request)).collect();
    assert_eq!(seen, [(true, true), (true, true)]);
}

#[tokio::test]
async fn s3_headers_and_credentials_are_dropped_when_the_origin_changes_and_stay_dropped() {
    let home = Server::start(|path| match path.strip_prefix("/to?") {
        Some(location) => redirect(location),
        None => ok(b"home again"),
    })
    .await;
    let back = home.url("/back").to_string();
    let stranger = Server::start(move |_| redirect(&back)).await;
    let url = with_credentials(home.url(&format!("/to?{}", stranger.url("/"))));
    client_with_secret().get(&url, &GetOptions::trusting(&url)).await.unwrap();
    let seen: Vec<_> = home.requests().iter().map(|request| secrets(request)).collect();
    assert_eq!(seen, [(true, true), (false, false)]);
    assert_eq!(secrets(&stranger.requests()[0]), (false, false));
}

#[tokio::test]
async fn s3_headers_do_not_go_to_a_link_from_the_trusted_origin() {
    let stranger = Server::start(|_| ok(b"hello")).await;
    let typed = Url::parse("http://typed.example/").unwrap();
    let client = client_with_secret();
    client.get(&stranger.url("/"), &GetOptions::trusting(&typed)).await.unwrap();
    client.get(&stranger.url("/"), &GetOptions::default()).await.unwrap();
    for request in stranger.requests() {
        assert_eq!(secrets(&request), (false, false));
    }
}
