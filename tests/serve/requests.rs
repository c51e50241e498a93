//! Requests that nobody should send.

use crate::stage::{COLLECTION, SITE, raw, reachable, with_batches};

/// One head, one meaning: what two readers could read differently is refused.
#[test]
fn requests_that_could_be_read_in_two_ways_are_refused() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    for (what, head) in [
        ("two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
        ("lengths in a list", "Content-Length: 5, 6\r\n\r\nhello"),
        ("a length that is none", "Content-Length: five\r\n\r\nhello"),
        ("a negative length", "Content-Length: -5\r\n\r\nhello"),
        ("a length with a sign", "Content-Length: +5\r\n\r\nhello"),
        ("a coding that is none", "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        ("chunked not last", "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
        ("a chunk of a bad length", "Transfer-Encoding: chunked\r\n\r\nxyz\r\n0\r\n\r\n"),
        ("a chunk of a huge length", "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx"),
        ("a space before the colon", "Content-Length : 5\r\n\r\nhello"),
        ("a header without a colon", "nonsense\r\n\r\n"),
        ("a NUL in a header", "X: a\0b\r\n\r\n"),
        ("a folded header", "X: a\r\n b\r\nContent-Length: 0\r\n\r\n"),
    ] {
        let request = format!(
            "POST /api/opml HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{head}{smuggled}",
            server.address
        );
        let answer = raw(&server, request.as_bytes());
        assert!(matches!(answer.status, 0 | 400..=499), "{what}: {}", answer.head);
        let all = answer.head.clone() + &String::from_utf8_lossy(&answer.body);
        assert!(all.matches("HTTP/1.1").count() <= 1, "{what}: {all}");
    }
    // Both: the coding counts (RFC 9112, 6.3), and what comes after it is not taken for a request.
    let both = format!(
        "POST /api/opml HTTP/1.1\r\nHost: {}\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG{smuggled}",
        server.address
    );
    let answer = raw(&server, both.as_bytes());
    let all = answer.head.clone() + &String::from_utf8_lossy(&answer.body);
    assert!(matches!(answer.status, 0 | 400..=499), "{all}");
    assert!(!all.contains("smuggled") && !all.contains(" 200 "), "{all}");
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn heads_that_are_too_large_are_refused() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let ask = |extra: &str, path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{extra}\r\n");
        raw(&server, request.as_bytes())
    };
    assert_eq!(ask(&format!("X: {}\r\n", "a".repeat(8 << 10)), "/healthz").status, 200);
    for (what, extra, path) in [
        ("one header", format!("X: {}\r\n", "a".repeat(20 << 10)), "/".to_owned()),
        ("a megabyte", format!("X: {}\r\n", "a".repeat(1 << 20)), "/".to_owned()),
        ("many headers", "X: a\r\n".repeat(200), "/".to_owned()),
        ("ten thousand headers", "X: a\r\n".repeat(10_000), "/".to_owned()),
        ("a path", String::new(), format!("/{}", "a".repeat(20 << 10))),
        ("a path of a megabyte", String::new(), format!("/{}", "a".repeat(1 << 20))),
    ] {
        let answer = ask(&extra, &path);
        assert!(matches!(answer.status, 0 | 400..=499), "{what}: {}", answer.head);
    }
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn bodies_that_are_too_large_are_refused() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let body = "x".repeat(5 << 20);
    for path in ["/api/opml", "/api/sites", "/api/tokens"] {
        let answer = server.request("POST", path, "Content-Type: application/json\r\n", &body);
        assert_eq!(answer.status, 413, "{path}: {}", answer.head);
        // Without a length it is noticed on the way.
        let chunk = format!("{:x}\r\n{body}\r\n", body.len());
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Transfer-Encoding: chunked\r\n\r\n{chunk}0\r\n\r\n",
            server.address
        );
        let answer = raw(&server, request.as_bytes());
        assert!(matches!(answer.status, 0 | 413), "{path}: {}", answer.head);
    }
    assert_eq!(server.get("/healthz").status, 200);
}

/// Else anybody could have the server keep megabytes for them, for as long as they like.
#[test]
fn who_may_not_send_anything_is_told_before_it_has_come() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll", "--listen", "0.0.0.0:0"]);
    for path in ["/api/opml", "/api/sites", "/api/tokens"] {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
             Content-Length: 4000000\r\n\r\n{{"
        );
        let mut stream = std::net::TcpStream::connect(reachable(&server)).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(3))).unwrap();
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        let mut begin = [0; 12];
        let read = std::io::Read::read(&mut stream, &mut begin);
        assert!(read.is_ok() && begin.ends_with(b"401"), "{path}: {read:?}");
    }
}

#[test]
fn a_body_that_says_it_is_too_large_is_refused_at_once() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let request = format!(
        "POST /api/opml HTTP/1.1\r\nHost: {}\r\nContent-Length: 99999999999\r\n\r\n",
        server.address
    );
    let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(3))).unwrap();
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    let mut begin = [0; 12];
    let read = std::io::Read::read(&mut stream, &mut begin);
    assert!(read.is_ok() && begin.ends_with(b"413"), "{read:?}");
}

#[test]
fn hosts_in_all_spellings_get_the_same_feed() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let path = format!("/feeds/{COLLECTION}.atom");
    let feed = server.get(&path).text();
    for head in [
        format!("GET http://{}{path} HTTP/1.1\r\nHost: {}\r\n", server.address, server.address),
        format!("GET http://evil.example{path} HTTP/1.1\r\nHost: {}\r\n", server.address),
        format!("GET {path} HTTP/1.1\r\n"),
        format!("GET {path} HTTP/1.0\r\n"),
        format!("GET {path} HTTP/1.1\r\nHost: \"><script>\r\n"),
        format!("GET {path} HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n"),
        format!("GET {path} HTTP/1.1\r\nHost: user@a.example:port\r\n"),
    ] {
        let answer = raw(&server, format!("{head}Connection: close\r\n\r\n").as_bytes());
        assert!(matches!(answer.status, 200 | 400 | 403), "{head}: {}", answer.head);
        if answer.status == 200 {
            assert_eq!(answer.text(), feed, "{head}");
        }
    }
    // And change nothing without a name of this machine.
    for head in [
        "POST /api/tokens HTTP/1.1\r\n".to_owned(),
        "POST /api/tokens HTTP/1.0\r\n".to_owned(),
        format!("POST http://{}/api/tokens HTTP/1.1\r\nHost: evil.example\r\n", server.address),
    ] {
        let body = "{\"name\": \"x\", \"scope\": \"write\"}";
        let request = format!(
            "{head}Connection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let answer = raw(&server, request.as_bytes());
        assert!(matches!(answer.status, 400 | 403), "{head}: {}", answer.head);
    }
    assert_eq!(server.get("/api/tokens").text(), "[]");
}

#[test]
fn paths_lead_nowhere_but_to_what_is_served() {
    let (follower, _store) = with_batches(1);
    std::fs::write(follower.folder.path().join("secret.atom"), "secret").unwrap();
    let server = follower.serve(&["--no-poll"]);
    let spellings = [
        "../tidings.db",
        "..%2Ftidings.db",
        "%2e%2e/tidings.db",
        "%2e%2e%2ftidings.db",
        "..%5Ctidings.db",
        "..\\tidings.db",
        "..%c0%aftidings.db",
        "..%252ftidings.db",
        "....//tidings.db",
        "./../tidings.db",
        "/etc/passwd",
        "%2Fetc%2Fpasswd",
        "../../secret.atom",
        "..%2F..%2Fsecret.atom",
        "%00.atom",
        "x%00.atom",
        "%FF.atom",
        ".atom",
        "..atom",
        "...atom",
        "%0d%0aSet-Cookie:x.atom",
        ";x.atom",
        "'OR'1'='1.atom",
        "%25.atom",
        "_.atom",
        "x/archive/99999999999999999999.atom",
        "x/archive/-1.atom",
        "x/archive/1/2.atom",
        "x/changes/changes.atom",
        "x/../y.atom",
    ];
    for folder in ["/feeds/", "/sites/", "/api/sites/", "/api/collections/", "/"] {
        for spelling in spellings {
            let path = format!("{folder}{spelling}");
            let answer = raw(
                &server,
                format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    .as_bytes(),
            );
            assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.head);
            let body = String::from_utf8_lossy(&answer.body);
            assert!(
                !body.contains("SQLite") && !body.contains("root:") && !body.contains("secret\n")
            );
            assert!(!answer.head.contains("Set-Cookie"), "{}", answer.head);
        }
    }
    for number in ["0", "01", "+1", "-1", "x", "9223372036854775807", "184467440737095516"] {
        for folder in [format!("/feeds/{COLLECTION}"), format!("/sites/{SITE}")] {
            let path = format!("{folder}/archive/{number}.atom");
            assert_eq!(server.get(&path).status, 404, "{path}");
        }
    }
    assert_eq!(server.get("/healthz").status, 200);
}

/// What is not understood is refused, and the server goes on.
#[test]
fn bytes_that_are_no_request_are_survived() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\r\n\r\n\r\n\r\nGET / FTP/1.1\r\n\r\n",
        b"\0\0\0\0\0\0\0\0\r\n\r\n",
        b"GET / HTTP/1.1\nHost: x\n\n\0",
        b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ] {
        let mut bytes = bytes.to_vec();
        bytes.extend(b"Connection: close\r\n\r\n");
        let answer = raw(&server, &bytes);
        assert!(answer.status < 500, "{:?}: {}", String::from_utf8_lossy(&bytes), answer.head);
    }
    assert_eq!(server.get("/healthz").status, 200);
}
