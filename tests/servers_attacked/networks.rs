//! The limit of connections of one network: an IPv4 address, or 64 bits of an IPv6 address.
//!
//! This machine has one IPv6 address for tests, so the test of several runs in a network namespace of its own.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::process::Command;
use std::time::Duration;

use tokio::net::TcpSocket;

use crate::slow_bodies::run;
use crate::support::follower::{Follower, Serving};

/// Set in the namespace.
const IN_NAMESPACE: &str = "TIDINGS_TEST_IN_NAMESPACE";
const LIMIT: usize = 4;

fn connect(from: IpAddr, to: SocketAddr) -> TcpStream {
    run(async {
        let socket =
            if from.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }.unwrap();
        socket.bind((from, 0).into()).unwrap();
        let stream = socket.connect(to).await.unwrap().into_std().unwrap();
        stream.set_nonblocking(false).unwrap();
        stream
    })
}

/// How many of these connections are answered. The server accepts them in order, so all have their place, or have
/// lost it, when the last one is answered.
fn answered(connections: &mut [TcpStream]) -> usize {
    let is_answered = |stream: &mut TcpStream| {
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let sent = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        let mut line = [0; 12];
        sent.is_ok() && stream.read_exact(&mut line).is_ok() && line.ends_with(b"200")
    };
    connections.iter_mut().rev().filter_map(|stream| is_answered(stream).then_some(())).count()
}

fn serve(follower: &Follower, listen: &str) -> (Serving, u16) {
    follower.configure(&format!("[serve]\nconnections-per-network = {LIMIT}\n"));
    let server = follower.serve(&["--no-poll", "--listen", listen]);
    let port = server.address.rsplit(':').next().unwrap().parse().unwrap();
    (server, port)
}

#[test]
fn each_ipv4_address_has_its_own_limit() {
    let follower = Follower::default();
    let (_server, port) = serve(&follower, "127.0.0.1:0");
    let to = SocketAddr::from(([127, 0, 0, 1], port));
    let open = |last: u8| connect(Ipv4Addr::new(127, 0, 0, last).into(), to);
    let mut bystander = vec![open(200)];
    let mut one: Vec<_> = (0..20).map(|_| open(9)).collect();
    assert_eq!(answered(&mut one), LIMIT);
    let mut many: Vec<_> = (10..30).map(open).collect();
    assert_eq!(answered(&mut many), 20);
    assert_eq!(answered(&mut bystander), 1, "who was there before keeps their place");
}

#[test]
fn addresses_of_one_ipv6_network_share_a_limit() {
    const NAME: &str = "networks::addresses_of_one_ipv6_network_share_a_limit";
    if std::env::var_os(IN_NAMESPACE).is_none() {
        let addresses: String = (1..=2)
            .flat_map(|network| (1..=9).map(move |host| (network, host)))
            .map(|(network, host)| {
                format!("ip -6 addr add fd00:0:0:{network}::{host}/64 dev lo nodad && ")
            })
            .collect();
        let script =
            format!("ip link set lo up && {addresses} exec \"$0\" --exact {NAME} --nocapture");
        let output = Command::new("unshare")
            .args(["--user", "--map-root-user", "--net", "sh", "-c", &script])
            .arg(std::env::current_exe().unwrap())
            .env(IN_NAMESPACE, "1")
            .output();
        let Ok(output) = output else {
            println!("skipped: there is no unshare");
            return;
        };
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        if !told.contains("running 1 test") {
            println!("skipped: no network namespace could be made: {errors}");
            return;
        }
        assert!(output.status.success(), "{told}{errors}");
        return;
    }
    let follower = Follower::default();
    let (_server, port) = serve(&follower, "[::]:0");
    let open = |network: u16, host: u16| {
        let to = SocketAddr::from(([0xfd00, 0, 0, 1, 0, 0, 0, 1], port));
        connect(IpAddr::from([0xfd00, 0, 0, network, 0, 0, 0, host]), to)
    };
    let mut bystander = vec![open(2, 9)];
    let mut one: Vec<_> = (0..20).map(|number| open(1, 1 + number % 9)).collect();
    assert_eq!(answered(&mut one), LIMIT, "nine addresses of one network");
    assert_eq!(answered(&mut bystander), 1, "of another network");
}
