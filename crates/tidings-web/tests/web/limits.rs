//! Servers that send too much, too little, or too slowly. Each test sets only the limit that it is
//! about to something small and leaves the others at their defaults, so that no other can come
//! first, however slow the machine.

use std::time::Duration;

use tidings_web::{Client, ClientOptions, FetchError, Fetched, GetOptions, Phase, TimeOuts, Url};

use crate::server::{Act, Server, ok};

const SHORT: Duration = Duration::from_millis(50);

async fn get(url: &Url, options: ClientOptions) -> Result<Fetched, FetchError> {
    Client::new(options).unwrap().get(url, &GetOptions::trusting(url)).await
}

async fn get_within(url: &Url, time_outs: TimeOuts) -> Result<Fetched, FetchError> {
    get(url, ClientOptions { time_outs, ..ClientOptions::default() }).await
}

async fn get_up_to(limit: u64, url: &Url) -> Result<Fetched, FetchError> {
    get(url, ClientOptions { max_body_bytes: Some(limit), ..ClientOptions::default() }).await
}

#[track_caller]
fn assert_timed_out(result: Result<Fetched, FetchError>, expected: Phase) {
    match result.unwrap_err() {
        FetchError::TimedOut { phase, limit, .. } => {
            assert_eq!((phase, limit), (expected, SHORT));
        }
        other => panic!("{other:?}"),
    }
}

fn send(text: &str) -> Act {
    Act::Send(text.as_bytes().to_vec())
}

#[tokio::test]
async fn s9_a_server_that_never_answers_times_out() {
    let server = Server::start(|_| vec![Act::Stall]).await;
    let result =
        get_within(&server.url("/"), TimeOuts { headers: SHORT, ..TimeOuts::default() }).await;
    let message = result.as_ref().unwrap_err().to_string();
    assert_eq!(message, format!("{} timed out: no answer within 50ms", server.url("/")));
    assert_timed_out(result, Phase::Headers);
}

#[tokio::test]
async fn s9_headers_that_come_for_ever_time_out() {
    for drip in ["x", "HTTP/1.1 100 Continue\r\n\r\n"] {
        let server = Server::start(move |_| vec![Act::Drip(drip.as_bytes().to_vec())]).await;
        let head = TimeOuts { headers: SHORT, ..TimeOuts::default() };
        // Not HTTP at all may be noticed before the time is up.
        match get_within(&server.url("/"), head).await {
            Err(FetchError::Unreachable { .. }) if drip == "x" => {}
            result => assert_timed_out(result, Phase::Headers),
        }
    }
}

#[tokio::test]
async fn s9_a_tls_handshake_that_stalls_times_out_as_a_connection() {
    // Accepts by its backlog alone, and never says a word.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = Url::parse(&format!("https://127.0.0.1:{port}/")).unwrap();
    let result = get_within(&url, TimeOuts { connect: SHORT, ..TimeOuts::default() }).await;
    assert_timed_out(result, Phase::Connect);
}

#[tokio::test]
async fn s9_a_body_that_falls_silent_times_out() {
    let server = Server::start(|_| {
        vec![send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf"), Act::Stall]
    })
    .await;
    let result =
        get_within(&server.url("/"), TimeOuts { idle: SHORT, ..TimeOuts::default() }).await;
    assert_timed_out(result, Phase::Idle);
}

#[tokio::test]
async fn s9_a_body_that_drips_for_ever_times_out_as_a_whole() {
    let server = Server::start(|_| {
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        vec![send(head), Act::Drip(b"1\r\nx\r\n".to_vec())]
    })
    .await;
    let result =
        get_within(&server.url("/"), TimeOuts { whole: SHORT, ..TimeOuts::default() }).await;
    assert_timed_out(result, Phase::Whole);
}

#[tokio::test]
async fn s9_interim_answers_are_skipped() {
    let server = Server::start(|_| {
        let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n";
        [vec![send(interim)], ok(b"done")].concat()
    })
    .await;
    let fetched = get(&server.url("/"), ClientOptions::default()).await.unwrap();
    assert_eq!(fetched.body.len(), 4);
}

#[tokio::test]
async fn s9_a_megabyte_of_headers_is_not_taken() {
    let long = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(1 << 20));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(10_000));
    for head in [long, many] {
        let server = Server::always(head).await;
        let error = get(&server.url("/"), ClientOptions::default()).await.unwrap_err();
        assert!(matches!(error, FetchError::Unreachable { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn c1_an_endless_body_stops_at_the_limit() {
    for head in [
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n",
    ] {
        let server = Server::start(move |_| {
            let mut chunk = b"1000\r\n".to_vec();
            chunk.extend([b'x'; 0x1000]);
            chunk.extend(b"\r\n");
            vec![send(head), Act::Repeat(chunk)]
        })
        .await;
        let error = get_up_to(100_000, &server.url("/")).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{} is larger than the limit of 100000 bytes", server.url("/"))
        );
    }
}

#[tokio::test]
async fn c1_a_body_announced_as_too_large_is_not_waited_for() {
    let server = Server::start(|_| {
        vec![send("HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n"), Act::Stall]
    })
    .await;
    let error = get_up_to(10, &server.url("/")).await.unwrap_err();
    assert!(matches!(error, FetchError::TooLarge { limit: 10, .. }), "{error:?}");
}

#[tokio::test]
async fn c1_a_body_of_exactly_the_limit_is_taken() {
    let server = Server::start(|_| ok(b"0123456789")).await;
    assert_eq!(get_up_to(10, &server.url("/")).await.unwrap().body.len(), 10);
    assert!(get_up_to(9, &server.url("/")).await.is_err());
    let unlimited = ClientOptions { max_body_bytes: None, ..ClientOptions::default() };
    assert_eq!(get(&server.url("/"), unlimited).await.unwrap().body.len(), 10);
}

#[tokio::test]
async fn s10_a_body_that_breaks_off_is_an_error_that_counts() {
    for (reply, received, expected) in [
        ("content-length: 10\r\n\r\nhalf", 4, Some(10)),
        ("content-length: 10\r\n\r\n", 0, Some(10)),
        ("transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n", 4, None),
        ("transfer-encoding: chunked\r\n\r\nnonsense", 0, None),
    ] {
        let server = Server::always(format!("HTTP/1.1 200 OK\r\n{reply}")).await;
        match get(&server.url("/"), ClientOptions::default()).await.unwrap_err() {
            FetchError::Truncated { received: r, expected: e, .. } => {
                assert_eq!((r, e), (received, expected), "{reply:?}");
            }
            other => panic!("{reply:?}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn s10_a_truncated_body_says_how_far_it_came() {
    let server = Server::always("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf").await;
    let error = get(&server.url("/"), ClientOptions::default()).await.unwrap_err();
    let expected = format!("{} broke off after 4 of 10 bytes; try again", server.url("/"));
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn s10_only_the_announced_bytes_are_the_body() {
    for (reply, length, announced) in [
        ("content-length: 4\r\n\r\nbodyjunk", 4, Some(4)),
        ("content-length: 0\r\n\r\njunk", 0, Some(0)),
        ("content-length: 4\r\ncontent-length: 4\r\n\r\nbody", 4, Some(4)),
        ("content-length: 99\r\ntransfer-encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", 4, None),
        ("connection: close\r\n\r\nall of it", 9, None),
    ] {
        let server = Server::always(format!("HTTP/1.1 200 OK\r\n{reply}")).await;
        let fetched = get(&server.url("/"), ClientOptions::default()).await.unwrap();
        assert_eq!((fetched.body.len(), fetched.content_length), (length, announced), "{reply:?}");
    }
}

#[tokio::test]
async fn s10_a_length_that_is_none_is_refused() {
    for lengths in [
        "content-length: -1",
        "content-length: 4\r\ncontent-length: 5",
        "content-length: four",
        "content-length: 18446744073709551616",
    ] {
        let server = Server::always(format!("HTTP/1.1 200 OK\r\n{lengths}\r\n\r\nbody")).await;
        let error = get(&server.url("/"), ClientOptions::default()).await.unwrap_err();
        assert!(matches!(error, FetchError::Unreachable { .. }), "{lengths}: {error:?}");
    }
}
