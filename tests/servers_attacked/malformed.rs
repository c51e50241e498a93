//! Requests that HTTP/1.1 does not allow.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::content_root::{Layout, Page, Root};
use crate::support::follower::Follower;

/// The status of the response to these bytes, and whether the connection is closed after it.
fn status(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("the server closes the connection");
    let text = String::from_utf8_lossy(&all);
    assert_eq!(text.matches("HTTP/1.1 ").count(), 1, "{request:?} has one response: {text}");
    text.split(' ').nth(1).unwrap_or_default().to_owned()
}

fn on_both_servers(check: impl Fn(&str, &str, &str)) {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let (site, follower) = (root.serve(&[]), Follower::default());
    let server = follower.serve(&["--no-poll"]);
    check(&site.address, "/a", "/login/");
    check(&server.address, "/healthz", "/add");
}

#[test]
fn a_request_without_a_host_or_with_two_is_answered_with_400() {
    on_both_servers(|address, page, _| {
        let close = "Connection: close\r\n";
        for hosts in [
            String::new(),
            format!("Host: {address}\r\nHost: {address}\r\n"),
            "Host: a\r\nHost: b\r\n".into(),
        ] {
            let request = format!("GET {page} HTTP/1.1\r\n{hosts}\r\n");
            assert_eq!(status(address, &request), "400", "{request:?}");
        }
        let request = format!("GET {page} HTTP/1.1\r\nHost: {address}\r\n{close}\r\n");
        assert_eq!(status(address, &request), "200");
    });
}

#[test]
fn a_malformed_chunk_is_answered_with_400() {
    on_both_servers(|address, _, form| {
        let head = format!(
            "POST {form} HTTP/1.1\r\nHost: {address}\r\nTransfer-Encoding: chunked\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        );
        for body in
            ["zz\r\nab\r\n0\r\n\r\n", "-1\r\na\r\n", "2\r\nabXX0\r\n\r\n", "fffffffffffffffff\r\n"]
        {
            assert_eq!(status(address, &format!("{head}{body}")), "400", "{body:?}");
        }
    });
}
