//! Those who ask for too much, too slowly, or not at all; and those who do not notice.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::crowd::{longest_wait, waits_for_cores};
use crate::stage::{COLLECTION, with_batches};
use crate::support::follower::Serving;

/// How long anything may take that nothing but a busy machine delays.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the slowest of some requests takes, without the time in which the server or this process waited for a
/// core of the machine.
fn slowest(server: &Serving, requests: usize) -> Duration {
    let processes = [server.child.id(), std::process::id()];
    let one = || {
        let before = processes.map(waits_for_cores);
        let begun = Instant::now();
        assert_eq!(server.get(&format!("/feeds/{COLLECTION}.atom")).status, 200);
        let duration = begun.elapsed();
        let waits = processes.iter().zip(&before);
        let waited: Duration = waits.map(|(process, before)| longest_wait(*process, before)).sum();
        duration.saturating_sub(waited)
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
    for (number, stream) in slow.iter_mut().enumerate() {
        // Some say nothing, some begin, some go on a byte at a time.
        if number % 2 > 0 || is_dripping(stream) {
            stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nX-").unwrap();
        }
    }
    let (begun, mut worst) = (Instant::now(), Duration::ZERO);
    // Those that go on do so until they are cut off: a byte gives them no more time.
    while !slow.is_empty() {
        for stream in slow.iter_mut().filter(|stream| is_dripping(stream)) {
            let _ = stream.write_all(b"a");
        }
        worst = worst.max(slowest(&server, 5));
        std::thread::sleep(Duration::from_millis(300));
        slow.retain_mut(|stream| !is_closed(stream));
        assert!(begun.elapsed() < PATIENCE, "{} are still open", slow.len());
    }
    assert!(begun.elapsed() > Duration::from_secs(8), "those who are slow have some time");
    assert!(worst < Duration::from_secs(1), "{worst:?}");
}

/// Whether a connection is one of those that go on: a third of them, by their ports.
fn is_dripping(stream: &TcpStream) -> bool {
    stream.local_addr().unwrap().port().is_multiple_of(3)
}

/// Whether the server has closed a connection, after what it had to say.
fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let mut buffer = [0; 1024];
    let read = loop {
        match stream.read(&mut buffer) {
            Ok(1..) => {}
            read => break read,
        }
    };
    stream.set_nonblocking(false).unwrap();
    match read {
        Ok(_) => true,
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    }
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
    more.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut rest = Vec::new();
    let closed = more.read_to_end(&mut rest);
    let is_late = closed.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
    assert!(rest.is_empty() && !is_late);
    drop(idle);
    let begun = Instant::now();
    loop {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let mut answer = String::new();
        if stream.read_to_string(&mut answer).is_ok() && answer.contains(" 200 ") {
            break;
        }
        assert!(begun.elapsed() < PATIENCE);
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
