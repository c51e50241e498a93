//! Who may do what.

use base64::Engine as _;
use serde_json::json;

use crate::stage::{
    COLLECTION, SITE, bearer, operations, problem, raw, reachable, token, with_batches,
};
use crate::support::follower::{Answer, Serving};

fn ask(server: &Serving, method: &str, path: &str, headers: &str) -> Answer {
    let host = if headers.contains("Host:") {
        String::new()
    } else {
        format!("Host: {}\r\n", reachable(server))
    };
    let head = format!(
        "{method} {path} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: 2\r\n{headers}\r\n{{}}"
    );
    raw(server, head.as_bytes())
}

/// All routes that change something, or show who may.
fn mutating(server: &Serving) -> Vec<(String, String)> {
    let wanted = operations(server).into_iter().filter(|(method, path, needs_token)| {
        assert_eq!(*needs_token, method != "GET" || path == "/api/tokens", "{method} {path}");
        *needs_token
    });
    wanted.map(|(method, path, _)| (method, path)).collect()
}

#[test]
fn on_this_machine_no_token_is_needed_except_by_pages_of_others() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let address = server.address.clone();
    let port = address.rsplit_once(':').unwrap().1.to_owned();
    for (method, path) in mutating(&server).into_iter().filter(|(method, _)| method != "DELETE") {
        let own = format!("Origin: http://{address}\r\nSec-Fetch-Site: same-origin\r\n");
        for headers in
            ["", &own, "Sec-Fetch-Site: none\r\n", &format!("Host: localhost:{port}\r\n")]
        {
            let status = ask(&server, &method, &path, headers).status;
            assert!(![401, 403, 405, 500].contains(&status), "{method} {path} {headers}: {status}");
        }
        for headers in [
            "Host: evil.example\r\n".to_owned(),
            format!("Host: evil.example:{port}\r\n"),
            format!("Host: 127.0.0.1.evil.example:{port}\r\n"),
            format!("Host: localhost.evil.example:{port}\r\n"),
            "Host: \r\n".to_owned(),
            "Origin: https://evil.example\r\n".to_owned(),
            "Origin: null\r\n".to_owned(),
            "Origin: http://127.0.0.1:1\r\n".to_owned(),
            format!("Origin: https://{address}\r\n"),
            "Sec-Fetch-Site: cross-site\r\n".to_owned(),
            "Sec-Fetch-Site: same-site\r\n".to_owned(),
        ] {
            let answer = ask(&server, &method, &path, &headers);
            assert_eq!(answer.status, 403, "{method} {path} {headers}");
            problem(&answer);
        }
    }
    // Forms of other pages cannot even name the type.
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    assert_eq!(ask(&server, "POST", "/api/tokens", form).status, 415);
    assert_eq!(server.get(&format!("/api/sites/{SITE}")).status, 200);
}

#[test]
fn beyond_this_machine_whatever_changes_something_needs_a_token() {
    let (follower, _store) = with_batches(1);
    let read = token(&follower, "reader", &["--read"]);
    let write = token(&follower, "writer", &["--admin"]);
    let server = follower.serve(&["--no-poll", "--listen", "0.0.0.0:0"]);
    let routes = mutating(&server);
    assert!(routes.len() >= 8, "{routes:?}");
    let basic = |token: &str| {
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("x:{token}"));
        format!("Authorization: Basic {pair}\r\n")
    };
    for (method, path) in &routes {
        for (headers, status) in [
            (String::new(), 401),
            (bearer("tidings_nonsense"), 401),
            (bearer(""), 401),
            (bearer(&write.to_uppercase()), 401),
            (format!("Authorization: {write}\r\n"), 401),
            (format!("Cookie: token={write}\r\n"), 401),
            ("Host: localhost\r\n".to_owned(), 401),
            ("X-Forwarded-For: 127.0.0.1\r\n".to_owned(), 401),
            (bearer(&read), 403),
            (basic(&read), 403),
        ] {
            let answer = ask(&server, method, path, &headers);
            assert_eq!(answer.status, status, "{method} {path} {headers}: {}", answer.text());
            assert_eq!(answer.header("www-authenticate").is_some(), status == 401);
            problem(&answer);
        }
        // One in a URL would end up in logs.
        let query = format!("{path}?token={write}&access_token={write}");
        assert_eq!(ask(&server, method, &query, "").status, 401);
    }
    // Nothing of all that had an effect.
    assert_eq!(ask(&server, "GET", &format!("/api/sites/{SITE}"), "").status, 200);
    for (method, path) in &routes {
        let status = ask(&server, method, path, &bearer(&write)).status;
        assert!(![401, 403, 405, 500].contains(&status), "{method} {path}: {status}");
    }
}

#[test]
fn a_token_that_was_taken_back_lets_nobody_in() {
    let (follower, _store) = with_batches(1);
    let (keep, lose) =
        (token(&follower, "keep", &["--admin"]), token(&follower, "lose", &["--admin"]));
    let server = follower.serve(&["--no-poll", "--listen", "0.0.0.0:0"]);
    let asked = |token: &str| ask(&server, "GET", "/api/tokens", &bearer(token)).status;
    assert_eq!((asked(&keep), asked(&lose)), (200, 200));
    assert_eq!(ask(&server, "DELETE", "/api/tokens/lose", &bearer(&keep)).status, 204);
    assert_eq!((asked(&keep), asked(&lose)), (200, 401));
    // By another process, too.
    assert_eq!(follower.run(&["token", "remove", "keep"]).status.code(), Some(0));
    assert_eq!(asked(&keep), 401);
}

#[test]
fn where_reading_is_not_public_it_takes_a_token() {
    let (follower, _store) = with_batches(1);
    let read = token(&follower, "reader", &["--read"]);
    let server = follower.serve(&["--no-poll", "--private"]);
    let mut paths: Vec<String> = operations(&server)
        .into_iter()
        .filter(|(method, path, _)| method == "GET" && path != "/api/openapi.json")
        .map(|(_, path, _)| path)
        .collect();
    paths.extend(["/", "/feeds.opml", "/metrics"].map(str::to_owned));
    paths.push(format!("/sites/{SITE}"));
    paths.push(format!("/sites/{SITE}.atom"));
    for form in ["atom", "rss", "json"] {
        paths.push(format!("/feeds/{COLLECTION}.{form}"));
        paths.push(format!("/feeds/{COLLECTION}/changes.{form}"));
    }
    let basic = base64::engine::general_purpose::STANDARD.encode(format!("anybody:{read}"));
    for path in &paths {
        for method in ["GET", "HEAD"] {
            let answer = ask(&server, method, path, "");
            assert_eq!(answer.status, 401, "{path}: {}", answer.text());
            assert!(answer.header("www-authenticate").unwrap().contains("Basic"));
        }
        assert_eq!(ask(&server, "GET", path, &bearer("tidings_wrong")).status, 401, "{path}");
        if path != "/api/tokens" {
            for headers in [bearer(&read), format!("Authorization: Basic {basic}\r\n")] {
                let answer = ask(&server, "GET", path, &headers);
                assert_eq!(answer.status, 200, "{path}");
                let cache = answer.header("cache-control").unwrap_or_default();
                assert!(!cache.contains("public"), "{path}: {cache}");
            }
        }
    }
    // What is not there is not told from what is.
    assert_eq!(ask(&server, "GET", "/feeds/none.atom", "").status, 401);
    assert_eq!(ask(&server, "GET", "/sites/none", "").status, 401);
    assert_eq!(server.get("/healthz").status, 200);
    assert_eq!(server.post("/api/sites", &json!({ "url": "https://a.example/" })).status, 401);
}
