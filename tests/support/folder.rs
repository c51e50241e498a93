//! A folder behind HTTP, on a free port of loopback, until it is dropped.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

#[derive(Default)]
struct Shared {
    folder: PathBuf,
    stopped: AtomicBool,
    /// Every request is answered with 503.
    broken: AtomicBool,
    /// Milliseconds before each answer.
    pause: AtomicU64,
    streams: Mutex<Vec<TcpStream>>,
}

pub struct Folder {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Folder {
    pub fn serve(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared { folder: folder.to_owned(), ..Shared::default() });
        let theirs = Arc::clone(&shared);
        let thread = std::thread::spawn(move || accept(&listener, &theirs));
        Self { address, shared, thread: Some(thread) }
    }

    /// Its own URL, with a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    pub fn path(&self) -> &Path {
        &self.shared.folder
    }

    /// From now on, or not any more, there is nothing but trouble.
    pub fn set_broken(&self, is_broken: bool) {
        self.shared.broken.store(is_broken, Ordering::SeqCst);
    }

    /// Whoever asks waits that long.
    pub fn set_pause(&self, pause: Duration) {
        self.shared.pause.store(pause.as_millis() as u64, Ordering::SeqCst);
    }

    /// Writes a file.
    pub fn put(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

impl Drop for Folder {
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

/// One request after another.
fn serve(mut stream: &TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    while let Some(request) = lines.next() {
        let request = request?;
        for header in lines.by_ref() {
            if header?.is_empty() {
                break;
            }
        }
        std::thread::sleep(Duration::from_millis(shared.pause.load(Ordering::SeqCst)));
        let path = request.split(' ').nth(1).unwrap_or_default();
        let file = file_of(&shared.folder, path);
        let body = file.as_ref().and_then(|file| std::fs::read(file).ok());
        let (status, body) = match body {
            _ if shared.broken.load(Ordering::SeqCst) => {
                ("503 Service Unavailable", b"<h1>Closed for repairs</h1>".to_vec())
            }
            Some(body) => ("200 OK", body),
            None => ("404 Not Found", b"<h1>Not here</h1>".to_vec()),
        };
        let kind = match file.as_ref().and_then(|file| file.extension()?.to_str()) {
            Some("xml") => "application/xml",
            Some("atom") => "application/atom+xml",
            Some("txt") => "text/plain",
            None if path.contains(".well-known") => "application/xml",
            _ => "text/html; charset=utf-8",
        };
        let is_head = request.starts_with("HEAD ");
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
        );
        let sent = if is_head { Vec::new() } else { body };
        stream.write_all(&[head.as_bytes(), &sent].concat())?;
    }
    Ok(())
}

/// The file that is asked for, if it is inside the folder.
fn file_of(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = path.split(['?', '#']).next()?.strip_prefix('/')?;
    if path.split('/').any(|part| part == "..") {
        return None;
    }
    let name = if path.is_empty() || path.ends_with('/') {
        format!("{path}index.html")
    } else {
        path.to_owned()
    };
    Some(folder.join(name))
}
