//! Clients of many addresses of this machine.
#![allow(unreachable_pub, reason = "a part of a test")]

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// The address that attacks.
pub const ATTACKER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 1);
/// The address of good clients.
pub const VISITOR: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// A connection from one of the addresses of this machine.
pub async fn connect(from: Ipv4Addr, to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    socket.connect(to).await
}

/// Status and duration of one request on a connection of its own.
pub async fn get(from: Ipv4Addr, to: SocketAddr, path: &str) -> (u16, Duration) {
    let begun = Instant::now();
    let asked = async {
        let mut stream = connect(from, to).await?;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut all = Vec::new();
        stream.read_to_end(&mut all).await?;
        Ok::<_, std::io::Error>(all)
    };
    let all = asked.await.unwrap_or_default();
    let head = String::from_utf8_lossy(&all[..all.len().min(64)]).into_owned();
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    (status, begun.elapsed())
}

/// Raises the limit of open files of this process as far as possible, and returns it.
pub fn raise_file_limit() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Connections that send the head of a request and then a byte of its body every second.
pub struct SlowBodies {
    stop: Arc<AtomicBool>,
    pub opened: Arc<AtomicUsize>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl SlowBodies {
    /// Keeps `count` such connections: one that is closed is opened again after a second.
    pub fn start(count: usize, to: SocketAddr, path: &'static str) -> Self {
        let (stop, opened) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let one = |_| {
            let (stop, opened) = (Arc::clone(&stop), Arc::clone(&opened));
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    if let Ok(stream) = connect(ATTACKER, to).await {
                        opened.fetch_add(1, Ordering::Relaxed);
                        let _ = drip(stream, to, path, &stop).await;
                    }
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            })
        };
        let tasks = (0..count).map(one).collect();
        Self { stop, opened, tasks }
    }

    pub async fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        for task in self.tasks {
            task.abort();
            let _ = task.await;
        }
    }
}

async fn drip(
    mut stream: TcpStream,
    to: SocketAddr,
    path: &str,
    stop: &AtomicBool,
) -> std::io::Result<()> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {to}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: 60000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    while !stop.load(Ordering::Relaxed) {
        stream.write_all(b"a").await?;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

/// The memory of a process that is not a mapped file, in KiB.
pub fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// For how long each thread of a process had work to do and no core to do it on.
pub fn waits_for_cores(process: u32) -> HashMap<u32, Duration> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let wait = |thread: &std::fs::DirEntry| {
        let statistics = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        let nanoseconds = statistics.split(' ').nth(1)?.parse().ok()?;
        let number = thread.file_name().to_string_lossy().parse().ok()?;
        Some((number, Duration::from_nanos(nanoseconds)))
    };
    threads.filter_map(|thread| wait(&thread.ok()?)).collect()
}

/// For how long one of the threads of a process had to wait for a core since then.
pub fn longest_wait(process: u32, before: &HashMap<u32, Duration>) -> Duration {
    let waits = waits_for_cores(process).into_iter();
    let earlier = |thread: u32| before.get(&thread).copied().unwrap_or_default();
    waits.map(|(thread, now)| now.saturating_sub(earlier(thread))).max().unwrap_or_default()
}

/// The number of sockets that a process has open.
pub fn sockets(process: u32) -> usize {
    let files = std::fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    let links = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
    links.filter(|link| link.to_string_lossy().starts_with("socket:")).count()
}
