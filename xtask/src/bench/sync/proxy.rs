//! A network with a longer way, on loopback: whatever passes arrives later, and as fast as ever.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use anyhow::Result;

/// Passes connections on to a port, until it is dropped.
pub(super) struct Proxy {
    pub(super) port: u16,
    ended: Arc<AtomicBool>,
}

/// Bytes, and when they arrive.
type Chunk = (Instant, Vec<u8>);

impl Proxy {
    /// Each direction takes `delay`.
    pub(super) fn start(delay: Duration, to: u16) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let ended = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&ended);
        spawn(move || {
            for client in listener.incoming() {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                // A connection that fails is the client's to notice.
                let _ = client.and_then(|client| connect(client, to, delay));
            }
        });
        Ok(Self { port, ended })
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn connect(client: TcpStream, to: u16, delay: Duration) -> std::io::Result<()> {
    let server = TcpStream::connect(("127.0.0.1", to))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    // The handshake has gone there and back before the first bytes can be sent.
    let open = Instant::now() + 2 * delay;
    pump(client.try_clone()?, server.try_clone()?, delay, open + delay);
    pump(server, client, delay, open);
    Ok(())
}

fn pump(from: TcpStream, to: TcpStream, delay: Duration, earliest: Instant) {
    let (sender, receiver) = channel();
    spawn(move || read(from, delay, earliest, &sender));
    spawn(move || write(to, &receiver));
}

fn read(mut from: TcpStream, delay: Duration, earliest: Instant, sender: &Sender<Chunk>) {
    let mut buffer = vec![0; 256 << 10];
    loop {
        let length = match from.read(&mut buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) | Ok(0) => return,
            Ok(length) => length,
        };
        let due = (Instant::now() + delay).max(earliest);
        if sender.send((due, buffer[..length].to_vec())).is_err() {
            return;
        }
    }
}

fn write(mut to: TcpStream, receiver: &Receiver<Chunk>) {
    for (due, bytes) in receiver {
        sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_the_same_and_later() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let echo = spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut back = stream.try_clone().unwrap();
            std::io::copy(&mut stream, &mut back).unwrap();
        });
        let proxy = Proxy::start(Duration::from_millis(10), port).unwrap();
        let sent: Vec<u8> = (0..1_000_000u32).map(|number| number as u8).collect();
        let begin = Instant::now();
        let mut client = TcpStream::connect(("127.0.0.1", proxy.port)).unwrap();
        let mut writer = client.try_clone().unwrap();
        let copy = sent.clone();
        spawn(move || {
            writer.write_all(&copy).unwrap();
            writer.shutdown(Shutdown::Write).unwrap();
        });
        let mut received = Vec::new();
        client.read_to_end(&mut received).unwrap();
        assert!(received == sent, "{} bytes of {}", received.len(), sent.len());
        // To open, there, and back.
        assert!(begin.elapsed() >= Duration::from_millis(40), "{:?}", begin.elapsed());
        echo.join().unwrap();
    }
}
