//! Those who ask for too much, too slowly, or not at all; and those who do not notice.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::stage::{COLLECTION, with_batches};
use crate::support::follower::Serving;

/// How long the slowest of some requests takes.
fn slowest(server: &Serving, requests: usize) -> Duration {
    let one = || {
        let begun = Instant::now();
        assert_eq!(server.get(&format!("/feeds/{COLLECTION}.atom")).status, 200);
        begun.elapsed()
    };
    (0..requests).map(|_| one()).max().unwrap()
}

fn connect(server: &Serving, count: usize) -> Vec<TcpStream> {
    (0..count).map(|_| TcpStream::connect(&server.address).unwrap()).collect()
}

#[test]
fn slow_heads_are_cut_off_and_hold_up_nobody() {
    let (follower, _store) = with_batches(20);
    let server = follower.serve(&["--no-poll"]);
    slowest(&server, 5);
    let mut slow = connect(&server, 200);
    let begun = Instant::now();
    for (number, stream) in slow.iter_mut().enumerate() {
        // Some say nothing, some begin, some go on a byte at a time.
        if number % 3 > 0 {
            stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nX-").unwrap();
        }
    }
    let mut worst = Duration::ZERO;
    while begun.elapsed() < Duration::from_secs(9) {
        for stream in slow.iter_mut().skip(2).step_by(3) {
            stream.write_all(b"a").unwrap();
        }
        worst = worst.max(slowest(&server, 5));
        std::thread::sleep(Duration::from_millis(300));
    }
    assert!(worst < Duration::from_secs(1), "{worst:?}");
    for mut stream in slow {
        stream.set_read_timeout(Some(Duration::from_secs(6))).unwrap();
        let mut rest = Vec::new();
        match stream.read_to_end(&mut rest) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(16), "{:?}", begun.elapsed());
}

#[test]
fn two_thousand_idle_connections_hold_up_nobody() {
    let (follower, _store) = with_batches(20);
    let server = follower.serve(&["--no-poll"]);
    slowest(&server, 5);
    let idle = connect(&server, 2_000);
    let worst = slowest(&server, 50);
    assert!(worst < Duration::from_secs(1), "{worst:?}");
    drop(idle);
    assert_eq!(server.get("/healthz").status, 200);
}

/// Beyond what there is room for nobody is kept waiting, and there is room again afterwards.
#[test]
fn there_is_room_again_when_connections_are_closed() {
    let (follower, _store) = with_batches(1);
    follower.configure("[serve]\nconnections = 8\n");
    let server = follower.serve(&["--no-poll"]);
    let idle = connect(&server, 8);
    // The one too many is closed, and not left hanging.
    let mut more = TcpStream::connect(&server.address).unwrap();
    more.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut rest = Vec::new();
    let _ = more.read_to_end(&mut rest);
    assert!(rest.is_empty());
    drop(idle);
    let begun = Instant::now();
    loop {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let mut answer = String::new();
        if stream.read_to_string(&mut answer).is_ok() && answer.contains(" 200 ") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A reader that goes away in the middle, or never takes what it asked for, takes nothing from others.
#[test]
fn readers_that_do_not_read_hold_up_nobody() {
    let (follower, _store) = with_batches(60);
    let server = follower.serve(&["--no-poll"]);
    slowest(&server, 1);
    let mut deaf = connect(&server, 40);
    for stream in &mut deaf {
        let ask = format!("GET /feeds/{COLLECTION}.atom HTTP/1.1\r\nHost: x\r\n\r\n").repeat(20);
        let _ = stream.set_write_timeout(Some(Duration::from_millis(200)));
        let _ = stream.write_all(ask.as_bytes());
    }
    for stream in deaf.iter().step_by(2) {
        let _ = stream.shutdown(std::net::Shutdown::Both);
    }
    let worst = slowest(&server, 20);
    assert!(worst < Duration::from_secs(1), "{worst:?}");
}
