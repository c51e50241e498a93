//! A server with something to serve, and ways to ask it.
#![allow(unreachable_pub, reason = "a part of a test")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;
use tidings_store::{
    CollectionOutcome, Kind, Location, NewChange, NewCollection, NewSite, Outcome, Settings, State,
    Store, Via,
};

use crate::support::follower::{Answer, Follower, Serving};

pub const SITE: &str = "garden.example-1";
pub const COLLECTION: &str = "garden.example-beds-1";

/// Runs what waits for the store.
pub fn wait<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(work)
}

/// The state of a follower that follows one site with one collection, which is never due.
pub fn garden(follower: &Follower) -> Store {
    wait(async {
        let store = Store::open(&Location::Folder(follower.data()), None).await.unwrap();
        let collection = NewCollection {
            key: COLLECTION.to_owned(),
            identity: "https://garden.example/beds/".to_owned(),
            title: Some("Beds & borders".to_owned()),
            progress: "{}".to_owned(),
            ..NewCollection::default()
        };
        let site = NewSite {
            asked: String::new(),
            key: SITE.to_owned(),
            url: "https://garden.example/".to_owned(),
            host: "garden.example".to_owned(),
            via: Via::ResourceSync,
            title: Some("The garden".to_owned()),
            settings: Settings::default(),
            details: "{}".to_owned(),
            interval: 86_400_000,
            due: Some(i64::MAX / 4),
            collections: vec![collection],
        };
        store.follow(site).await.unwrap();
        store
    })
}

/// Adds batches of one change each, with the numbers of a range.
pub fn grow(store: &Store, numbers: std::ops::Range<u32>) {
    wait(async {
        for number in numbers {
            let lease = store.claim_site("test", SITE, 60_000).await.unwrap().unwrap();
            let mut key = [0; 16];
            key[..4].copy_from_slice(&number.to_be_bytes());
            let change = NewChange {
                key,
                uri: format!("https://garden.example/beds/{number}"),
                kind: Kind::Updated,
                time: 1_767_225_600_000 + i64::from(number) * 1_000,
                time_text: None,
                title: Some(format!("Bed {number}")),
                note: None,
            };
            let collection = NewCollection {
                identity: "https://garden.example/beds/".to_owned(),
                ..NewCollection::default()
            };
            let collections = vec![CollectionOutcome {
                collection,
                changes: vec![change],
                ..CollectionOutcome::default()
            }];
            let outcome = Outcome {
                site_id: lease.sites[0].id,
                state: State::Well,
                reason: None,
                failures: 0,
                interval: 86_400_000,
                wait: 86_400_000,
                title: None,
                details: None,
                collections,
                snapshot: None,
                moved: None,
                posts: None,
                requests: 1,
                took: 1,
            };
            store.finish(&lease, outcome).await.unwrap();
            store.release(&lease).await.unwrap();
        }
    });
}

/// A follower of the garden with so many batches.
pub fn with_batches(count: u32) -> (Follower, Store) {
    let follower = Follower::default();
    let store = garden(&follower);
    grow(&store, 0..count);
    (follower, store)
}

/// The answer to bytes as they are; nothing if the connection was closed without one.
pub fn raw(server: &Serving, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(reachable(server)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
    // Who was answered early may be hung up on in the middle.
    let _ = stream.write_all(request);
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    answer(&all)
}

pub fn answer(all: &[u8]) -> Answer {
    let at = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(all.len());
    let head = String::from_utf8_lossy(&all[..at]).into_owned();
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    Answer { status, head, body: all.get(at + 4..).unwrap_or_default().to_vec() }
}

/// Where a server can be reached that listens everywhere.
pub fn reachable(server: &Serving) -> String {
    server.address.replace("0.0.0.0", "127.0.0.1")
}

/// A token, made on the command line.
pub fn token(follower: &Follower, name: &str, options: &[&str]) -> String {
    let made = follower.json(&[&["token", "add", name], options].concat());
    made["token"].as_str().unwrap().to_owned()
}

pub fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n")
}

/// All that can be done by the API: method, path with names filled in, and whether it takes a token.
pub fn operations(server: &Serving) -> Vec<(String, String, bool)> {
    let document = raw(
        server,
        b"GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    )
    .json();
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let filled = path.replace("/sites/{key}", &format!("/sites/{SITE}"));
        let filled = filled.replace("/collections/{key}", &format!("/collections/{COLLECTION}"));
        let filled = filled.replace("{name}", "nobody");
        for (method, operation) in methods.as_object().unwrap() {
            let needs_token = operation.get("security").is_some();
            operations.push((method.to_ascii_uppercase(), filled.clone(), needs_token));
        }
    }
    assert!(operations.len() >= 16, "{operations:?}");
    operations
}

/// The message of a problem, which is always JSON.
#[track_caller]
pub fn problem(answer: &Answer) -> String {
    assert_eq!(
        answer.header("content-type").as_deref(),
        Some("application/json"),
        "{} {}",
        answer.head,
        answer.text()
    );
    let json: Value = answer.json();
    json["error"].as_str().unwrap_or_else(|| panic!("{json}")).to_owned()
}
