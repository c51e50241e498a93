//! A server that does what a test tells it to, byte for byte.

use std::future::pending;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tidings_web::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// One thing to do with a connection once a request is in. After the last the connection closes.
#[derive(Clone)]
pub(crate) enum Act {
    /// Send these bytes.
    Send(Vec<u8>),
    /// Send these bytes again and again, until the client goes.
    Repeat(Vec<u8>),
    /// The same, with a pause before each.
    Drip(Vec<u8>),
    /// Do nothing, for ever.
    Stall,
}

pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// A server on 127.0.0.1 whose answer depends on the path of the request.
    pub(crate) async fn start(answer: impl Fn(&str) -> Vec<Act> + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1", answer).await
    }

    pub(crate) async fn start_at(
        ip: &str,
        answer: impl Fn(&str) -> Vec<Act> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((ip, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&requests);
        let answer = Arc::new(answer);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, Arc::clone(&log), Arc::clone(&answer)));
            }
        });
        Self { address, requests }
    }

    /// A server that gives every request the same bytes.
    pub(crate) async fn always(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::start(move |_| vec![Act::Send(bytes.clone())]).await
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.address)).unwrap()
    }

    /// The heads of the requests so far, in lower case.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(
    mut socket: TcpStream,
    log: Arc<Mutex<Vec<String>>>,
    answer: Arc<impl Fn(&str) -> Vec<Act>>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match socket.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    log.lock().unwrap().push(head.to_lowercase());
    for act in answer(&path) {
        // A client that has gone is what most of these tests are about.
        if perform(&mut socket, act).await.is_err() {
            return;
        }
    }
    let _ = socket.shutdown().await;
}

async fn perform(socket: &mut TcpStream, act: Act) -> std::io::Result<()> {
    match act {
        Act::Send(bytes) => socket.write_all(&bytes).await,
        Act::Repeat(bytes) => loop {
            socket.write_all(&bytes).await?;
        },
        Act::Drip(bytes) => loop {
            tokio::time::sleep(Duration::from_millis(1)).await;
            socket.write_all(&bytes).await?;
        },
        Act::Stall => pending().await,
    }
}

/// A URL at which nobody listens any more.
pub(crate) async fn nobody() -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap()
}

/// A whole answer with this status line, these header lines and this body.
pub(crate) fn answer(status: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status}\r\n");
    for header in headers {
        head.push_str(header);
        head.push_str("\r\n");
    }
    head.push_str(&format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len()));
    [head.as_bytes(), body].concat()
}

pub(crate) fn redirect(location: &str) -> Vec<Act> {
    vec![Act::Send(answer("302 Found", &[&format!("location: {location}")], b""))]
}

pub(crate) fn ok(body: &[u8]) -> Vec<Act> {
    vec![Act::Send(answer("200 OK", &[], body))]
}
