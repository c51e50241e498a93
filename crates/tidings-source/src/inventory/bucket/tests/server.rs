//! Stores that say what no client would: a server that plays S3.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

use object_store::RetryConfig;
use object_store::aws::AmazonS3Builder;

use super::super::connect::Connector;
use super::*;

const SOME_TAG: &str = "&quot;900150983cd24fb0d6963f7d28e17f72&quot;";

fn contents(key: &str, size: u64) -> String {
    format!(
        "<Contents><Key>{key}</Key><LastModified>2026-11-15T10:00:00.999Z</LastModified>\
         <ETag>{SOME_TAG}</ETag><Size>{size}</Size></Contents>"
    )
}

/// Answers each request with what `answer` makes of its target: a status and a body.
fn serve(answer: impl Fn(&str) -> (u16, String) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = exchange(stream.unwrap(), &answer);
        }
    });
    format!("http://{address}")
}

fn exchange(mut stream: TcpStream, answer: &impl Fn(&str) -> (u16, String)) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().unwrap()?;
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let (status, body) = answer(request.split(' ').nth(1).unwrap());
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} Said\r\nConnection: close\r\nETag: \"x\"\r\n\
         Last-Modified: Sun, 15 Nov 2026 10:00:00 GMT\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

fn bucket_at(endpoint: &str) -> (tempfile::TempDir, Bucket) {
    let store = AmazonS3Builder::new()
        .with_endpoint(endpoint)
        .with_bucket_name("b")
        .with_allow_http(true)
        .with_skip_signature(true)
        .with_retry(RetryConfig { max_retries: 0, ..RetryConfig::default() })
        .with_http_connector(Connector::default())
        .build()
        .unwrap();
    bucket(Arc::new(store), "")
}

fn page(contents: &str, next: Option<&str>) -> String {
    let next = next.map(|next| format!("<NextContinuationToken>{next}</NextContinuationToken>"));
    let next = next.unwrap_or_default();
    format!("<?xml version=\"1.0\"?><ListBucketResult>{contents}{next}</ListBucketResult>")
}

#[test]
fn odd_keys_are_told_apart_and_do_not_stop_the_listing() {
    let endpoint = serve(|target| {
        let first = [
            ("/lead", 1),
            (" blank ", 1),
            ("a", 1),
            ("a/", 0),
            ("a/../b", 1),
            ("a//b", 1),
            ("b/", 3),
            ("c&#x1;d", 1),
        ];
        let second = [("d&amp;e", 1), ("f", 1)];
        let all = |keys: &[(&str, u64)]| -> String {
            keys.iter().map(|(key, size)| contents(key, *size)).collect()
        };
        (
            200,
            match target.contains("continuation-token=two") {
                false => page(&all(&first), Some("two")),
                true => page(&all(&second), None),
            },
        )
    });
    let (_scratch, mut bucket) = bucket_at(&endpoint);
    bucket.digests = Digests::ETag;
    let (all, passed) = shown(&bucket);
    assert_eq!(uris(&all), ["%20blank%20", "a", "d&e", "f"]);
    let keys: Vec<&str> = passed.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["/lead", "a/../b", "a//b", "b/", "c\u{1}d"]);
    let first = all[0].as_ref().unwrap();
    assert_eq!(first.hash.as_ref().unwrap().as_str(), "md5:900150983cd24fb0d6963f7d28e17f72");
    assert_eq!(first.lastmod.unwrap().to_string(), "2026-11-15T10:00:00Z");
}

#[test]
fn a_blank_in_a_key_is_asked_for() {
    let endpoint = serve(|target| match target {
        "/b/%20blank%20" => (200, "abc".into()),
        listing if listing.contains("list-type=2") => (200, page(&contents(" blank ", 3), None)),
        _ => (404, String::new()),
    });
    let (_scratch, mut bucket) = bucket_at(&endpoint);
    bucket.digests = Digests::Read(vec![Algorithm::Md5]);
    let (all, passed) = shown(&bucket);
    assert_eq!(passed, []);
    let hash = all[0].as_ref().unwrap().hash.clone().unwrap();
    assert_eq!(hash.as_str(), "md5:900150983cd24fb0d6963f7d28e17f72");
}

#[test]
fn a_listing_that_breaks_off_shows_nothing() {
    let endpoint = serve(|target| match target.contains("continuation-token=two") {
        false => (200, page(&contents("a", 1), Some("two"))),
        true => (403, "<Error><Code>AccessDenied</Code><Message>No</Message></Error>".into()),
    });
    let (_scratch, bucket) = bucket_at(&endpoint);
    let error = bucket.visit(&mut |_| panic!("nothing is shown"));
    let error = error.unwrap_err();
    assert_eq!(error.to_string(), "could not list s3://bucket/");
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.starts_with("AccessDenied: No; the credentials need the right"), "{cause}");
}

#[test]
fn a_store_that_is_gone_ends_the_reading() {
    let endpoint = serve(|target| match target.contains("list-type=2") {
        true => {
            let all: String = (0..100).map(|number| contents(&format!("{number:03}"), 1)).collect();
            (200, page(&all, None))
        }
        false => (500, String::new()),
    });
    let (_scratch, mut bucket) = bucket_at(&endpoint);
    bucket.digests = Digests::Read(vec![Algorithm::Md5]);
    let error = bucket.visit(&mut |_| Ok(())).unwrap_err();
    assert_eq!(error.to_string(), "could not read the objects of s3://bucket/");
}
