//! A web server that does what a test says: right, wrong, or not at all.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// What a path answers with.
#[derive(Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub way: Way,
    /// A header that a request must have, or else it is refused with 401.
    needs: Option<(String, String)>,
    /// Ranges are served to those who ask for them with the right `If-Range`.
    ranges: bool,
    /// `HEAD` is refused with 405, or the connection is closed.
    headless: Option<Headless>,
}

/// How the body is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Whole, with its length.
    Plain,
    /// So many bytes of it, with the length of all of it, and then nothing.
    Cut(usize),
    /// Whole, with another length.
    Says(usize),
    /// Whole and chunked.
    Chunked,
    /// So many bytes of it, chunked, without the last chunk.
    ChunkedCut(usize),
    /// Again and again, without an end.
    Endless,
    /// One byte at a time, with a pause after each.
    Drip(Duration),
    /// The body is all that is sent, head and all.
    Raw,
    /// Not even a head, until the other side gives up.
    Silent,
    /// The head, and then nothing.
    Stalled,
    /// So many bytes of it, and then nothing, until the other side gives up.
    Paused(usize),
    /// The connection is closed.
    Closed,
}

/// What becomes of `HEAD`.
#[derive(Clone, Copy)]
enum Headless {
    Refuses,
    Closes,
}

impl Reply {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let (headers, body) = (Vec::new(), body.into());
        Self { status, headers, body, way: Way::Plain, needs: None, ranges: false, headless: None }
    }

    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, body)
    }

    pub fn raw(answer: impl Into<Vec<u8>>) -> Self {
        Self::ok(answer).by(Way::Raw)
    }

    pub fn redirect(to: impl Into<String>) -> Self {
        Self::new(302, "").with("Location", to)
    }

    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub fn etag(self, value: &str) -> Self {
        self.with("ETag", format!("\"{value}\""))
    }

    pub fn by(mut self, way: Way) -> Self {
        self.way = way;
        self
    }

    pub fn needs(mut self, name: &str, value: &str) -> Self {
        self.needs = Some((name.to_owned(), value.to_owned()));
        self
    }

    pub fn without_head(mut self) -> Self {
        self.headless = Some(Headless::Refuses);
        self
    }

    pub fn breaking_at_head(mut self) -> Self {
        self.headless = Some(Headless::Closes);
        self
    }

    pub fn with_ranges(mut self) -> Self {
        self.ranges = true;
        self
    }

    fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }
}

/// A request that came.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }
}

fn find<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    let found = headers.iter().find(|(one, _)| one.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

#[derive(Default)]
struct Shared {
    /// What the first, second … request for a path is answered with; the last stays.
    routes: Mutex<HashMap<String, Vec<Reply>>>,
    counts: Mutex<HashMap<String, usize>>,
    log: Mutex<Vec<Request>>,
    streams: Mutex<Vec<TcpStream>>,
    stopped: AtomicBool,
}

/// The server, on a free port, until it is dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start() -> Self {
        Self::at("127.0.0.1:0")
    }

    pub fn at(address: &str) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = std::thread::spawn(move || accept(&listener, &theirs));
        Self { address, shared, thread: Some(thread) }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The URL of a path, which begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn put(&self, path: &str, reply: Reply) {
        self.put_all(path, vec![reply]);
    }

    /// Another answer for each request; the last stays.
    pub fn put_all(&self, path: &str, replies: Vec<Reply>) {
        self.shared.routes.lock().unwrap().insert(path.to_owned(), replies);
        self.shared.counts.lock().unwrap().remove(path);
    }

    /// From now on there is nothing at this path.
    pub fn remove(&self, path: &str) {
        self.shared.routes.lock().unwrap().remove(path);
    }

    /// All paths at which there is something, in their order.
    pub fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.shared.routes.lock().unwrap().keys().cloned().collect();
        paths.sort();
        paths
    }

    /// What a path is answered with from now on.
    pub fn reply(&self, path: &str) -> Option<Reply> {
        self.shared.routes.lock().unwrap().get(path)?.last().cloned()
    }

    pub fn log(&self) -> Vec<Request> {
        self.shared.log.lock().unwrap().clone()
    }

    pub fn forget_log(&self) {
        self.shared.log.lock().unwrap().clear();
    }

    /// How many connections there were, with or without a request.
    pub fn connections(&self) -> usize {
        self.shared.streams.lock().unwrap().len()
    }

    /// How often a path was asked for.
    pub fn count(&self, path: &str) -> usize {
        self.shared.log.lock().unwrap().iter().filter(|request| request.path == path).count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        for stream in self.shared.streams.lock().unwrap().iter() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming().flatten() {
        if shared.stopped.load(Ordering::SeqCst) {
            return;
        }
        let _ = stream.set_nodelay(true);
        shared.streams.lock().unwrap().extend(stream.try_clone());
        let shared = Arc::clone(shared);
        std::thread::spawn(move || {
            let _ = serve(&stream, &shared);
            let _ = stream.shutdown(Shutdown::Both);
        });
    }
}

/// One connection, request after request.
fn serve(stream: &TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader)? {
        shared.log.lock().unwrap().push(request.clone());
        let reply = {
            let routes = shared.routes.lock().unwrap();
            let mut counts = shared.counts.lock().unwrap();
            let count = counts.entry(request.path.clone()).or_default();
            let replies = routes.get(&request.path);
            let reply = replies.and_then(|replies| replies.get(*count).or(replies.last()).cloned());
            *count += 1;
            reply.unwrap_or_else(|| Reply::new(404, "there is nothing"))
        };
        if !answer(stream, &request, &reply)? {
            // Whoever was answered with silence or half of a body closes in their own time, or not
            // at all: a server that hangs up is another case than one that is silent.
            if matches!(reply.way, Way::Silent | Way::Stalled | Way::Paused(_)) {
                let _ = read(&mut reader);
            }
            return Ok(());
        }
    }
    Ok(())
}

fn read(reader: &mut impl BufRead) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_owned(), value.trim().to_owned())),
            None => return Ok(Some(Request { method, path, headers })),
        }
    }
}

/// False if the connection is of no more use.
fn answer(mut stream: &TcpStream, request: &Request, reply: &Reply) -> std::io::Result<bool> {
    if let Some((name, value)) = &reply.needs
        && request.header(name) != Some(value)
    {
        stream.write_all(b"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")?;
        return Ok(true);
    }
    let mut headers = String::new();
    for (name, value) in &reply.headers {
        headers += &format!("{name}: {value}\r\n");
    }
    let is_same = |name: &str, condition: &str| {
        reply.header(name).is_some() && reply.header(name) == request.header(condition)
    };
    if reply.status == 200
        && (is_same("ETag", "If-None-Match")
            || request.header("If-None-Match").is_none()
                && is_same("Last-Modified", "If-Modified-Since"))
    {
        stream.write_all(format!("HTTP/1.1 304 Same\r\n{headers}\r\n").as_bytes())?;
        return Ok(true);
    }
    let is_head = request.method == "HEAD";
    match reply.headless.filter(|_| is_head) {
        Some(Headless::Refuses) => {
            stream.write_all(b"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n")?;
            return Ok(true);
        }
        Some(Headless::Closes) => return Ok(false),
        None => {}
    }
    let body = &reply.body;
    let range = request.header("Range").filter(|_| reply.ranges && is_same("ETag", "If-Range"));
    if let Some(from) = range.and_then(|range| range.strip_prefix("bytes=")) {
        let from: usize = from.trim_end_matches('-').parse().unwrap_or_default();
        let rest = &body[from.min(body.len())..];
        let all = body.len();
        let head = format!(
            "HTTP/1.1 206 Part\r\n{headers}Content-Range: bytes {from}-{}/{all}\r\n\
             Content-Length: {}\r\n\r\n",
            all - 1,
            rest.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(rest)?;
        return Ok(true);
    }
    let head = |more: &str| format!("HTTP/1.1 {} Answer\r\n{headers}{more}\r\n", reply.status);
    let with_length = |length: usize| head(&format!("Content-Length: {length}\r\n"));
    let chunked = head("Transfer-Encoding: chunked\r\n");
    let mut send = |head: &str, body: &[u8]| {
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)
    };
    let chunk =
        |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
    match reply.way {
        Way::Plain | Way::Cut(_) if is_head => send(&with_length(body.len()), b"").map(|()| true),
        Way::Says(length) if is_head => send(&with_length(length), b"").map(|()| true),
        Way::Chunked | Way::Endless if is_head => send(&chunked, b"").map(|()| true),
        Way::Plain => send(&with_length(body.len()), body).map(|()| true),
        Way::Cut(at) | Way::Paused(at) => {
            send(&with_length(body.len()), &body[..at]).map(|()| false)
        }
        Way::Says(length) => send(&with_length(length), body).map(|()| false),
        Way::Chunked => {
            let chunks: Vec<u8> = body.chunks(7).flat_map(chunk).collect();
            send(&chunked, &[&chunks[..], b"0\r\n\r\n"].concat()).map(|()| true)
        }
        Way::ChunkedCut(at) => send(&chunked, &chunk(&body[..at])).map(|()| false),
        Way::Endless => {
            send(&chunked, &[])?;
            let piece = chunk(&body.repeat((64 << 10) / body.len().max(1) + 1));
            loop {
                stream.write_all(&piece)?;
            }
        }
        Way::Drip(pause) => {
            send(&with_length(body.len()), &[])?;
            for byte in body {
                stream.write_all(&[*byte])?;
                std::thread::sleep(pause);
            }
            Ok(true)
        }
        Way::Raw => send("", body).map(|()| false),
        Way::Stalled => send(&with_length(body.len() + 1), &[]).map(|()| false),
        Way::Silent | Way::Closed => Ok(false),
    }
}
