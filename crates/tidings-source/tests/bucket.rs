//! A bucket on a server that speaks S3: moto, if there is one.
//!
//! `TIDINGS_TEST_MOTO` names its program, `moto_server` (`pip install 'moto[server]'`); without it the
//! tests say that they are skipped. What is said of the store is said by the environment, so each test
//! runs itself once more as a process that has one.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

use std::error::Error;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tidings_document::Algorithm;
use tidings_source::{
    BucketInventory, Digests, Inventory, InventoryItem, Passed, PublishError, Resource,
};

const BASE: &str = "https://e.example/";
const ENDPOINT: &str = "AWS_ENDPOINT_URL";

/// A server that is stopped at the end.
struct Moto {
    child: Child,
    address: String,
}

impl Moto {
    fn start() -> Option<Self> {
        let Ok(program) = std::env::var("TIDINGS_TEST_MOTO") else {
            println!("skipped: TIDINGS_TEST_MOTO does not name a moto_server");
            return None;
        };
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{port}");
        let child = Command::new(program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let moto = Self { child, address };
        let start = Instant::now();
        while let Err(error) = TcpStream::connect(&moto.address) {
            assert!(start.elapsed() < Duration::from_secs(60), "moto does not listen: {error}");
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(moto)
    }

    /// Puts an object; a bucket, if the key is empty. By hand, as no client has every key.
    fn put(&self, key: &str, content: &str) {
        let path = key.bytes().fold(String::new(), |mut path, byte| {
            if byte == b'/' || byte.is_ascii_alphanumeric() {
                path.push(char::from(byte));
            } else {
                write!(path, "%{byte:02X}").unwrap();
            }
            path
        });
        let (address, length) = (&self.address, content.len());
        let mut stream = TcpStream::connect(address).unwrap();
        let head =
            format!("PUT /bucket/{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
        write!(stream, "{head}Content-Length: {length}\r\n\r\n{content}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{key:?}: {answer}");
    }

    /// Runs this very test with the environment of the store.
    fn run(&self, test: &str) {
        let status = Command::new(std::env::current_exe().unwrap())
            .args([test, "--exact", "--nocapture"])
            .env(ENDPOINT, format!("http://{}", self.address))
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "test")
            .env("AWS_REGION", "us-east-1")
            .status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

type Shown = (Vec<Result<Resource, String>>, Vec<Passed>);

fn shown(url: &str, digests: Digests) -> Result<Shown, PublishError> {
    let bucket = BucketInventory { url: url.to_owned(), digests };
    let (mut all, mut passed) = (Vec::new(), Vec::new());
    bucket.visit(BASE, &mut |item| {
        match item {
            InventoryItem::Resource(one) => all.push(Ok(one)),
            InventoryItem::Unknown(uri) => all.push(Err(uri)),
            InventoryItem::Passed(one) => passed.push(one),
        }
        Ok(())
    })?;
    Ok((all, passed))
}

fn uris(all: &[Result<Resource, String>]) -> Vec<&str> {
    all.iter().map(|one| &one.as_ref().unwrap().uri[BASE.len()..]).collect()
}

#[test]
fn many_objects_are_listed_and_read() {
    const COUNT: usize = 2_500;
    let key = |number: usize| match number % 3 {
        0 => format!("data/a b/{number:05}.html"),
        1 => format!("data/ü%20{number:05}"),
        _ => format!("data/{number:05}+~*'()"),
    };
    if std::env::var_os(ENDPOINT).is_none() {
        let Some(moto) = Moto::start() else { return };
        moto.put("", "");
        (0..COUNT).for_each(|number| moto.put(&key(number), &key(number)));
        moto.put("database", "it is not below the prefix");
        return moto.run("many_objects_are_listed_and_read");
    }
    let (all, passed) = shown("s3://bucket/data", Digests::ETag).unwrap();
    assert_eq!(passed, []);
    assert_eq!(all.len(), COUNT);
    assert!(uris(&all).windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(uris(&all)[0], "%C3%BC%252000001");
    let page = all.iter().flatten().find(|one| one.uri.ends_with("a%20b/00000.html")).unwrap();
    assert_eq!(page.length, Some(key(0).len() as u64));
    assert_eq!(page.media_type.as_deref(), Some("text/html"));
    // What is read is what was listed, and the ETag of these is the MD5.
    let read = shown("s3://bucket/data/", Digests::Read(vec![Algorithm::Md5])).unwrap();
    assert_eq!(read, (all, passed));
}

#[test]
fn odd_keys_do_not_stop_a_listing() {
    if std::env::var_os(ENDPOINT).is_none() {
        let Some(moto) = Moto::start() else { return };
        moto.put("", "");
        for key in ["a", "a//b", "/a", "c/", " d ", "e\u{7f}", "f/../g", "h/.i", "z"] {
            moto.put(key, key);
        }
        moto.put("folder/", "");
        return moto.run("odd_keys_do_not_stop_a_listing");
    }
    let (all, passed) = shown("s3://bucket", Digests::Read(vec![Algorithm::Sha256])).unwrap();
    assert_eq!(uris(&all), ["%20d%20", "a", "z"]);
    let mut keys: Vec<&str> = passed.iter().map(|one| one.path.to_str().unwrap()).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["/a", "a//b", "c/", "e\u{7f}", "f/../g"]);
}

#[test]
fn a_bucket_that_is_not_there_is_said_with_a_remedy() {
    if std::env::var_os(ENDPOINT).is_none() {
        let Some(moto) = Moto::start() else { return };
        return moto.run("a_bucket_that_is_not_there_is_said_with_a_remedy");
    }
    let error = shown("s3://nowhere/data", Digests::None).unwrap_err();
    assert_eq!(error.to_string(), "could not list s3://nowhere/data");
    let cause = error.source().unwrap().to_string();
    assert!(cause.starts_with("NoSuchBucket: "), "{cause}");
    assert!(cause.ends_with("check the name of the bucket, AWS_REGION and AWS_ENDPOINT_URL"));
}
