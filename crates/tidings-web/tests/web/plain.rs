//! When nothing goes wrong, or only what the server says itself.

use std::io::{Read, Write};
use std::time::Duration;

use tidings_web::{Client, ClientOptions, FetchError, Fetched, GetOptions, StatusCode, Url};
use tokio::net::TcpSocket;

use crate::server::{Act, Server, answer, redirect};

async fn get(url: &Url) -> Result<Fetched, FetchError> {
    Client::new(ClientOptions::default()).unwrap().get(url, &GetOptions::trusting(url)).await
}

fn bytes(fetched: Fetched) -> Vec<u8> {
    let mut bytes = Vec::new();
    fetched.body.into_reader().read_to_end(&mut bytes).unwrap();
    bytes
}

#[tokio::test]
async fn a_document_comes_with_what_its_headers_say() {
    let headers = [
        "Content-Type: application/xml; charset=utf-8",
        "ETag: W/\"1\"",
        "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT",
    ];
    let server = Server::always(answer("200 OK", &headers, b"<urlset/>")).await;
    let url = server.url("/sitemap.xml#top");
    let fetched = get(&url).await.unwrap();
    assert_eq!(fetched.url, server.url("/sitemap.xml"));
    assert_eq!(fetched.redirects, []);
    assert_eq!(fetched.status, StatusCode::OK);
    assert_eq!(fetched.content_type.as_deref(), Some("application/xml; charset=utf-8"));
    assert_eq!(fetched.content_encoding, None);
    assert_eq!(fetched.content_length, Some(9));
    assert_eq!(fetched.etag.as_deref(), Some("W/\"1\""));
    assert_eq!(fetched.last_modified.as_deref(), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
    assert_eq!(fetched.body.len(), 9);
    assert_eq!(bytes(fetched), b"<urlset/>");

    let request = &server.requests()[0];
    assert!(request.starts_with("get /sitemap.xml http/1.1\r\n"), "{request}");
    assert!(request.contains("\r\naccept-encoding: gzip\r\n"), "{request}");
    let agent = concat!("\r\nuser-agent: tidings/", env!("CARGO_PKG_VERSION"), "\r\n");
    assert!(request.contains(agent), "{request}");
}

#[tokio::test]
async fn f1_a_head_says_the_length_of_what_is_not_sent() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\netag: \"a\"\r\n\
                content-type: text/plain\r\nlast-modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n";
    let server = Server::start(move |path| match path {
        "/old" => redirect("/index.txt"),
        "/pieces" => {
            vec![Act::Send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec())]
        }
        "/none" => vec![Act::Send(answer("405 Method Not Allowed", &[], b""))],
        _ => vec![Act::Send(head.as_bytes().to_vec())],
    })
    .await;
    let client = Client::new(ClientOptions::default()).unwrap();
    let at = server.url("/old");
    let options = GetOptions { identity: true, ..GetOptions::trusting(&at) };
    let head = client.head(&at, &options).await.unwrap();
    assert_eq!((head.url, head.length), (server.url("/index.txt"), Some(99_999_999_999)));
    assert_eq!(head.validators.etag.as_deref(), Some("\"a\""));
    assert_eq!(head.content_type.as_deref(), Some("text/plain"));
    let request = server.requests().pop().unwrap();
    assert!(request.starts_with("head /index.txt "), "{request}");
    assert!(request.contains("\r\naccept-encoding: identity\r\n"), "{request}");
    let pieces = client.head(&server.url("/pieces"), &options).await.unwrap();
    assert_eq!(pieces.length, None);
    let error = client.head(&server.url("/none"), &options).await.unwrap_err();
    assert!(matches!(error, FetchError::Status { status, .. } if status.as_u16() == 405));
}

#[tokio::test]
async fn c1_a_compressed_body_is_handed_on_as_it_came() {
    let body = b"\x1f\x8b\x08 whatever this inflates to";
    let server = Server::always(answer("200 OK", &["Content-Encoding: gzip"], body)).await;
    let fetched = get(&server.url("/")).await.unwrap();
    assert_eq!(fetched.content_encoding.as_deref(), Some("gzip"));
    assert_eq!(fetched.content_length, Some(body.len() as u64));
    assert_eq!(bytes(fetched), body);
}

#[tokio::test]
async fn a_large_body_is_the_same_after_its_way_through_a_file() {
    let body: Vec<u8> = (0..3_000_000_u32).map(|i| (i / 7) as u8).collect();
    let server = Server::always(answer("200 OK", &[], &body)).await;
    assert!(bytes(get(&server.url("/")).await.unwrap()) == body);
}

#[tokio::test]
async fn an_answer_that_is_no_success_is_an_error_with_its_status() {
    for (status, line) in [
        (304, "304 Not Modified"),
        (404, "404 Not Found"),
        (206, "206 Partial Content"),
        (300, "300 Multiple Choices"),
    ] {
        let server = Server::always(answer(line, &[], b"")).await;
        let error = get(&server.url("/x")).await.unwrap_err();
        assert_eq!(error.to_string(), format!("{} answered {line}", server.url("/x")));
        assert!(matches!(error, FetchError::Status { status: s, .. } if s == status));
    }
}

#[tokio::test]
async fn a_busy_server_says_when_to_come_back() {
    let busy = answer("503 Service Unavailable", &["Retry-After: 120"], b"busy");
    let server = Server::always(busy).await;
    let error = get(&server.url("/")).await.unwrap_err();
    assert!(error.to_string().ends_with("; it asks to be tried again in 120s"), "{error}");
    match error {
        FetchError::Status { retry_after, .. } => {
            assert_eq!(retry_after, Some(Duration::from_secs(120)));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable_in_plain_words() {
    // Bound, so that nobody else has the port, but not listening.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = socket.local_addr().unwrap().port();
    let url = Url::parse(&format!("http://me:secret@127.0.0.1:{port}/")).unwrap();
    let error = get(&url).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "could not reach http://127.0.0.1:{port}/: the connection was refused; is the server \
             up, and the port right?"
        )
    );
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_unreachable_in_plain_words() {
    // A label of 64 letters cannot be asked for (RFC 1035, 2.3.4), so no network is needed.
    let host = format!("{}.invalid", "x".repeat(64));
    let error = get(&Url::parse(&format!("http://{host}/")).unwrap()).await.unwrap_err();
    let start =
        format!("could not reach http://{host}/: no address was found for the host {host}: ");
    assert!(error.to_string().starts_with(&start), "{error}");
}

#[tokio::test]
async fn a_server_that_closes_without_an_answer_is_unreachable_in_plain_words() {
    let server = Server::start(|_| vec![]).await;
    let error = get(&server.url("/")).await.unwrap_err();
    let start = format!("could not reach {}: no usable answer came (", server.url("/"));
    assert!(error.to_string().starts_with(&start), "{error}");
}

#[tokio::test]
async fn s11_https_to_a_server_without_it_is_said_plainly() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = Url::parse(&format!("https://{}/", listener.local_addr().unwrap())).unwrap();
    std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let _ = socket.read(&mut [0; 4096]).unwrap();
        socket.write_all(&answer("400 Bad Request", &[], b"")).unwrap();
    });
    let error = get(&url).await.unwrap_err();
    assert!(error.to_string().ends_with("does not speak TLS on this port; is it an http URL?"));
}

#[tokio::test]
async fn a_url_too_long_for_http_is_invalid() {
    let server = Server::always(answer("200 OK", &[], b"")).await;
    let error = get(&server.url(&format!("/{}", "x".repeat(70_000)))).await.unwrap_err();
    assert!(matches!(error, FetchError::InvalidUrl { .. }), "{error:?}");
}
