//! Searches and packages that many ask for at once.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::content_root::{Layout, Page, Root};
use crate::crowd::{ATTACKER, VISITOR, connect, get, longest_wait, waits_for_cores};
use crate::slow_bodies::run;

const SEARCHES: usize = 60;

#[test]
fn sixty_searches_at_once_are_all_answered() {
    let root = Root::new();
    for number in 0..1_500 {
        let (name, title) = (format!("page-{number}"), format!("Fog number {number}"));
        root.put(Layout::Plain, &Page::new(&name).titled(&title));
    }
    let site = root.serve(&[]);
    let to: SocketAddr = site.address.parse().unwrap();
    run(async {
        let one = || tokio::spawn(get(VISITOR, to, "/builtin/search?q=number+14"));
        let all: Vec<_> = (0..SEARCHES).map(|_| one()).collect();
        let mut slowest = Duration::ZERO;
        for search in all {
            let (status, duration) = search.await.unwrap();
            assert_eq!(status, 200);
            slowest = slowest.max(duration);
        }
        println!("{SEARCHES} searches at once: the slowest took {slowest:?}");
    });
}

const PACKAGE: &str = "/resourcesync/resourcedump-part.zip";
const BLOB_BYTES: usize = 16 << 20;

/// Asks for a package, and reads only the status. None if the server is busy.
async fn stall(to: SocketAddr) -> Option<TcpStream> {
    let mut stream = connect(ATTACKER, to).await.unwrap();
    let request = format!("GET {PACKAGE} HTTP/1.1\r\nHost: {to}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut line = [0; 12];
    stream.read_exact(&mut line).await.unwrap();
    line.ends_with(b"200").then_some(stream)
}

/// The number of bytes of the rest of a response, or the error that ends it.
async fn rest(mut stream: TcpStream) -> std::io::Result<Vec<u8>> {
    let mut all = Vec::new();
    stream.read_to_end(&mut all).await?;
    Ok(all)
}

/// Four packages are made at once; eight readers ask for one and read nothing.
#[test]
fn readers_that_stall_give_their_place_to_others() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let mut state = 1_u64;
    let noise = (0..BLOB_BYTES / 8).flat_map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    root.write("pages/noise.bin", noise.collect::<Vec<u8>>());
    let site = root.serve(&[]);
    let to: SocketAddr = site.address.parse().unwrap();
    run(async {
        let begun = Instant::now();
        let mut stalled = Vec::new();
        while stalled.len() < 8 {
            match stall(to).await {
                Some(stream) => stalled.push(stream),
                None => tokio::time::sleep(Duration::from_millis(20)).await,
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{} were admitted", stalled.len());
        }
        let asked = Instant::now();
        let package = loop {
            let mut stream = connect(VISITOR, to).await.unwrap();
            let request =
                format!("GET {PACKAGE} HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            let all = rest(stream).await.unwrap();
            if all.starts_with(b"HTTP/1.1 200") {
                break all;
            }
            // A reader that stalls is given up after 30 s in any case.
            assert!(asked.elapsed() < Duration::from_secs(20), "the server stays busy");
        };
        assert!(package.len() > BLOB_BYTES && package.ends_with(b"\r\n0\r\n\r\n"));
        // A response that was broken off is not taken for a whole one.
        let first = rest(stalled.remove(0)).await.unwrap_or_default();
        assert!(!first.ends_with(b"\r\n0\r\n\r\n"), "{} bytes", first.len());
    });
}

const LIST: &str = "/resourcesync/resourcelist.xml";
/// More than the documents that are written at once.
const STALLED_LISTS: usize = 160;

/// A connection that takes little at a time, so that what is sent to it waits at the server.
async fn narrow(from: std::net::Ipv4Addr, to: SocketAddr) -> TcpStream {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4 << 10).unwrap();
    socket.bind((from, 0).into()).unwrap();
    socket.connect(to).await.unwrap()
}

/// 128 documents are written at once; more readers than that ask for a list and read nothing.
#[test]
fn readers_of_lists_that_stall_block_no_others() {
    let root = Root::new();
    let folder = "long".repeat(50);
    for number in 0..6_000 {
        let name = format!("{folder}/{folder}-{number}");
        root.put(Layout::Plain, &Page::new(&name));
    }
    let site = root.serve(&[]);
    let to: SocketAddr = site.address.parse().unwrap();
    let processes = [site.child.id(), std::process::id()];
    run(async {
        let request = format!("GET {LIST} HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\n\r\n");
        let mut stalled = Vec::new();
        for _ in 0..STALLED_LISTS {
            let mut stream = narrow(ATTACKER, to).await;
            stream.write_all(request.as_bytes()).await.unwrap();
            stalled.push(stream);
        }
        for number in 0..5 {
            let before = processes.map(waits_for_cores);
            let begun = Instant::now();
            // Readers that have just begun are not known to stall yet: until they are, the server is busy.
            let all = loop {
                let mut stream = connect(VISITOR, to).await.unwrap();
                stream.write_all(request.as_bytes()).await.unwrap();
                let all = rest(stream).await.unwrap();
                if !all.starts_with(b"HTTP/1.1 503") {
                    break all;
                }
                assert!(begun.elapsed() < Duration::from_secs(20), "the server stays busy");
            };
            let status = String::from_utf8_lossy(&all[..12]).into_owned();
            assert_eq!(status, "HTTP/1.1 200", "{number}");
            assert!(all.len() > 2 << 20 && all.ends_with(b"\r\n0\r\n\r\n"), "{}", all.len());
            // Whoever has to wait for those that stall waits for 30 s; what is waited for a core does not count.
            let duration = begun.elapsed();
            let waits = processes.iter().zip(&before);
            let waited: Duration =
                waits.map(|(process, before)| longest_wait(*process, before)).sum();
            println!("list {number} took {duration:?}, of which {waited:?} without a core");
            let own = duration.saturating_sub(waited);
            assert!(own < Duration::from_secs(15), "{own:?} of {duration:?}");
        }
        // Some had to give way, and none of them takes its part for the whole.
        let mut broken_off = 0;
        for stream in stalled {
            let all = rest(stream).await.unwrap_or_default();
            broken_off += usize::from(!all.ends_with(b"\r\n0\r\n\r\n"));
        }
        assert!(broken_off > STALLED_LISTS - 128, "{broken_off} were broken off");
    });
}
