//! One address opens many connections, and sends the body of a form on each, a byte a second.
//!
//! There are 1,000 of them, or as many as the variable `TIDINGS_ATTACK_CONNECTIONS` says; `cargo xtask prove
//! servers` sets it to 10,060.
#![allow(unreachable_pub, reason = "a part of a test")]

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::content_root::{Layout, Page, Root};
use crate::crowd::{
    ATTACKER, SlowBodies, VISITOR, get, longest_wait, memory, raise_file_limit, sockets,
    waits_for_cores,
};
use crate::support::follower::Follower;

/// The time for which an attack goes on after all connections were opened once.
const ATTACK: Duration = Duration::from_secs(6);
/// The memory that the allocator may keep afterwards: what all places of one network took, however many connections
/// were opened. It is free, but lies between what is in use. Measured with `tidings serve` and three waves of 500
/// connections: 5.8 MB before, 29.0 MB afterwards, and 8.0 MB after a call of `malloc_trim(0)` from a debugger. With one
/// arena instead of one for each thread (`MALLOC_ARENA_MAX=1`) it is 32 MB instead of 37 MB in this test, and with a lower
/// threshold for pages of their own (`MALLOC_MMAP_THRESHOLD_=8192`) the same. So it is neither a leak nor a buffer of
/// ours, and the next attack uses it again.
const KEPT_KIB: u64 = PLACES_PER_NETWORK * 96;
/// The default of `connections-per-network`.
const PLACES_PER_NETWORK: u64 = 512;
/// The memory by which a second attack may differ from the first: what the allocator keeps varies.
const MEMORY_VARIANCE_KIB: u64 = 12 << 10;

fn connections() -> usize {
    let chosen = std::env::var("TIDINGS_ATTACK_CONNECTIONS").ok();
    chosen.map_or(1_000, |number| number.parse().unwrap())
}

pub fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
        .block_on(work)
}

/// One request of a good client.
struct Visit {
    duration: Duration,
    /// The part of it in which neither the server nor this process waited for a core of the machine.
    own: Duration,
}

/// The requests of one client that asks for one path after the other, until `until`.
async fn visit(target: Target<'_>, until: impl Fn() -> bool) -> Vec<Visit> {
    let to = target.socket_address();
    let processes = [target.process, std::process::id()];
    let mut visits = Vec::new();
    for path in target.paths.iter().cycle() {
        if until() {
            break;
        }
        let before = processes.map(waits_for_cores);
        let (status, duration) = get(VISITOR, to, path).await;
        assert_eq!(status, 200, "{path} after {} requests", visits.len());
        let waited: Duration = processes
            .iter()
            .zip(&before)
            .map(|(process, before)| longest_wait(*process, before))
            .sum();
        visits.push(Visit { duration, own: duration.saturating_sub(waited) });
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    visits
}

/// A server that is visited, and what it is asked for.
#[derive(Clone, Copy)]
struct Target<'a> {
    address: &'a str,
    process: u32,
    form: &'static str,
    /// What a good client asks for: pages, feeds, and whether the server is well.
    paths: &'static [&'static str],
}

impl Target<'_> {
    fn socket_address(&self) -> SocketAddr {
        self.address.parse().unwrap()
    }
}

/// One attack as others notice it.
struct Attack {
    visits: Vec<Visit>,
    /// The most memory of the server during the attack, and what it has afterwards, in KiB.
    peak: u64,
    after: u64,
}

/// The most memory of a process, until `until`.
async fn watch_memory(process: u32, until: impl Fn() -> bool) -> u64 {
    let mut peak = 0;
    while !until() {
        peak = peak.max(memory(process));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    peak
}

async fn attack_once(target: Target<'_>) -> Attack {
    let Target { process, form, .. } = target;
    let to = target.socket_address();
    let connections = connections();
    let bodies = SlowBodies::start(connections, to, form);
    let opened = Arc::clone(&bodies.opened);
    let end = Mutex::new(None);
    let is_over = || {
        let mut end = end.lock().unwrap();
        if end.is_none() && opened.load(Ordering::Relaxed) >= connections {
            *end = Some(Instant::now() + ATTACK);
        }
        end.is_some_and(|end| Instant::now() > end)
    };
    let (visits, peak) =
        futures_util::join!(visit(target, &is_over), watch_memory(process, &is_over));
    bodies.end().await;
    // The server has closed its side when it has no more sockets than before.
    let begun = Instant::now();
    while sockets(process) > 20 && begun.elapsed() < Duration::from_secs(20) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(sockets(process) <= 20, "{} sockets are still open", sockets(process));
    Attack { visits, peak, after: memory(process) }
}

/// Attacks a server twice. On a machine with many other things to do, answers take longer because nobody has a core: at
/// a load of 37 on two cores the 99th percentile was 1.4 s, and 0.2 s of a server that nobody attacked. So the time for
/// which a thread waited for a core does not count, and nothing else is allowed for.
fn attack(name: &str, target: Target<'_>) {
    let connections = connections();
    if raise_file_limit() < connections as u64 + 500 {
        println!("skipped: this process may open too few files for {connections} connections");
        return;
    }
    let (to, process, paths) = (target.socket_address(), target.process, target.paths);
    run(async {
        for path in paths.iter().cycle().take(50) {
            assert_eq!(get(VISITOR, to, path).await.0, 200);
        }
        let before = memory(process);
        let first = attack_once(target).await;
        let second = attack_once(target).await;
        let visits = || first.visits.iter().chain(&second.visits);
        let sorted = |of: fn(&Visit) -> Duration| {
            let mut durations: Vec<Duration> = visits().map(of).collect();
            durations.sort();
            durations
        };
        let (all, own) = (sorted(|visit| visit.duration), sorted(|visit| visit.own));
        let p99 = all.len() * 99 / 100;
        let worst = own[own.len() - 1];
        println!(
            "{name}: {connections} slow bodies from one address, twice; {} requests of another: p99 {:?}, slowest {:?} \
             (while there was a core: p99 {:?}, slowest {worst:?}); memory {before} KiB before, {} at the most and {} \
             after the first attack, {} at the most and {} after the second",
            all.len(),
            all[p99],
            all[all.len() - 1],
            own[p99],
            first.peak,
            first.after,
            second.peak,
            second.after,
        );
        let (first, second) = (first.after, second.after);
        assert!(worst < Duration::from_secs(1), "{worst:?}");
        // The allocator keeps some pages after the first attack; a leak would show in the second.
        assert!(second <= first + MEMORY_VARIANCE_KIB, "{first} KiB, then {second}");
        assert!(second <= before + KEPT_KIB, "{before} KiB before, {second} KiB afterwards");
        // The attacker itself is served, too, as soon as it behaves.
        assert_eq!(get(ATTACKER, to, paths[0]).await.0, 200);
    });
}

#[test]
fn slow_bodies_from_one_address_do_not_stop_tidings_serve() {
    let follower = Follower::default();
    let server = follower.serve(&["--no-poll"]);
    let target = Target {
        address: &server.address,
        process: server.child.id(),
        form: "/add",
        paths: &["/", "/feeds/all.atom", "/healthz"],
    };
    attack("tidings serve", target);
}

#[test]
fn slow_bodies_from_one_address_do_not_stop_tidings_site() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let site = root.serve(&[]);
    let target = Target {
        address: &site.address,
        process: site.child.id(),
        form: "/login/",
        paths: &["/a", "/feed.atom", "/sitemap.xml"],
    };
    attack("tidings site", target);
}

/// The time until a connection that sends a byte of its body every second is answered.
fn given_up(address: &str, path: &str) -> (String, Duration) {
    use std::io::{Read as _, Write as _};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let begun = Instant::now();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: 60000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let mut line = [0; 12];
    while begun.elapsed() < Duration::from_secs(40) {
        let _ = stream.write_all(b"a");
        if stream.read_exact(&mut line).is_ok() {
            break;
        }
    }
    (String::from_utf8_lossy(&line).into_owned(), begun.elapsed())
}

#[test]
fn a_body_below_the_minimum_rate_is_answered_with_408() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let (site, follower) = (root.serve(&[]), Follower::default());
    let server = follower.serve(&["--no-poll"]);
    for (address, path) in [(&site.address, "/login/"), (&server.address, "/add")] {
        let (line, duration) = given_up(address, path);
        assert_eq!(line, "HTTP/1.1 408", "{address} {path} after {duration:?}");
        assert!(duration < Duration::from_secs(20), "{duration:?}");
    }
}

/// The bytes that a steady sender begins with, and those of each second after that: more than the minimum rate.
const STEADY_BYTES: (usize, usize) = (20 << 10, 1 << 10);
/// The time that a steady sender takes for its body.
const STEADY_SECONDS: u64 = 25;

/// The answer to a body that comes steadily, and the time until it is there.
fn steady_body(address: &str, request: &str) -> (String, Duration) {
    use std::io::{Read as _, Write as _};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let length = STEADY_BYTES.0 + STEADY_BYTES.1 * STEADY_SECONDS as usize;
    let begun = Instant::now();
    let head = format!("{request}Host: {address}\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(&[head.as_bytes(), &[b'a'; STEADY_BYTES.0]].concat()).unwrap();
    let mut line = [0; 12];
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    for _ in 0..STEADY_SECONDS {
        if stream.read_exact(&mut line).is_ok() {
            return (String::from_utf8_lossy(&line).into_owned(), begun.elapsed());
        }
        let _ = stream.write_all(&[b'a'; STEADY_BYTES.1]);
    }
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.read_exact(&mut line).unwrap();
    (String::from_utf8_lossy(&line).into_owned(), begun.elapsed())
}

/// The limits to the second are tests of `tidings-http`, which have a clock of their own.
#[test]
fn a_steady_body_of_a_stranger_is_given_up_and_that_of_a_known_sender_is_read() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let (site, follower) = (root.serve(&[]), Follower::default());
    let token = follower.json(&["token", "add", "steady", "--admin"]);
    let token = token["token"].as_str().unwrap().to_owned();
    let server = follower.serve(&["--no-poll"]);
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let (stranger, known) = std::thread::scope(|scope| {
        let stranger =
            scope.spawn(|| steady_body(&site.address, &format!("POST /login/ HTTP/1.1\r\n{form}")));
        let request = format!(
            "POST /api/opml HTTP/1.1\r\nAuthorization: Bearer {token}\r\nContent-Type: text/x-opml\r\n"
        );
        let known = scope.spawn(move || steady_body(&server.address, &request));
        (stranger.join().unwrap(), known.join().unwrap())
    });
    assert_eq!(stranger.0, "HTTP/1.1 408", "{stranger:?}");
    assert!(stranger.1 >= Duration::from_secs(20), "{stranger:?}");
    // It is no OPML; but all of it was read.
    assert!(known.0.starts_with("HTTP/1.1 4") && !known.0.ends_with("408"), "{known:?}");
    assert!(known.1 >= Duration::from_secs(STEADY_SECONDS), "{known:?}");
}

/// A proxy speaks for many: more connections than one network may have all stay.
#[test]
fn a_trusted_proxy_is_not_limited_as_one_client() {
    use std::io::{Read as _, Write as _};
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let config = root.path("tidings.toml");
    std::fs::write(&config, "[site]\nconnections-per-network = 4\n").unwrap();
    let config = config.to_str().unwrap().to_owned();
    for (is_trusted, expected) in [(true, 20), (false, 4)] {
        let mut arguments = vec!["--config", &config];
        if is_trusted {
            arguments.extend(["--trust-proxy", "127.0.0.1"]);
        }
        let site = root.serve(&arguments);
        let mut all: Vec<_> =
            (0..20).map(|_| std::net::TcpStream::connect(&site.address).unwrap()).collect();
        let head = format!("GET /a HTTP/1.1\r\nHost: {}\r\n\r\n", site.address);
        // The server accepts in order: when the last one is answered, all others have been accepted.
        let answered = all.iter_mut().rev().filter_map(|stream| {
            stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
            stream.write_all(head.as_bytes()).ok()?;
            let mut line = [0; 12];
            stream.read_exact(&mut line).ok().filter(|()| line.ends_with(b"200"))
        });
        assert_eq!(answered.count(), expected, "trusted: {is_trusted}");
        site.stop();
    }
}

/// The connections that send a body byte by byte, fast enough to be taken.
const DRIPPING: usize = 100;
/// The bytes that each of them sends, one after the other.
const BYTES_EACH: usize = 1_500;

/// A byte that is sent by itself must not keep the buffer that it was read into: a body of 1,500 bytes would take
/// 12 MB.
#[test]
fn bodies_that_come_byte_by_byte_take_no_more_memory_than_others() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let (site, follower) = (root.serve(&[]), Follower::default());
    let server = follower.serve(&["--no-poll"]);
    for (address, process, path) in
        [(&site.address, site.child.id(), "/login/"), (&server.address, server.child.id(), "/add")]
    {
        let to: SocketAddr = address.parse().unwrap();
        let (before, most) = run(async {
            let before = memory(process);
            let one = || tokio::spawn(drip_fast(to, path));
            let all: Vec<_> = (0..DRIPPING).map(|_| one()).collect();
            let mut most = before;
            while !all.iter().all(tokio::task::JoinHandle::is_finished) {
                most = most.max(memory(process));
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            (before, most)
        });
        println!("{path}: {before} KiB before, {most} KiB at the most");
        assert!(most < before + (40 << 10), "{path}: {before} KiB before, {most} KiB then");
    }
}

async fn drip_fast(to: SocketAddr, path: &str) -> std::io::Result<()> {
    use tokio::io::AsyncWriteExt as _;
    let mut stream = crate::crowd::connect(ATTACKER, to).await?;
    stream.set_nodelay(true)?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {to}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: 60000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    for _ in 0..BYTES_EACH {
        stream.write_all(b"a").await?;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}
