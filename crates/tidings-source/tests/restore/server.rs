//! A host that serves a folder, and does to it what a test tells it to.

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// What a request is answered with.
pub(crate) enum Answer {
    /// The file of that name, or 404.
    File,
    /// The file of that name in another folder.
    From(PathBuf),
    /// These bytes, with that status and these further header lines.
    Bytes(u16, &'static str, Vec<u8>),
    /// The first half of the file, and then the end of the connection.
    Half,
}

type Script = dyn Fn(&str, usize) -> Answer + Send + Sync;

pub(crate) struct Server {
    url: String,
    script: Arc<Mutex<Arc<Script>>>,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Serves a folder on a free port of loopback.
    pub(crate) fn new(root: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let script: Arc<Script> = Arc::new(|_, _| Answer::File);
        let script = Arc::new(Mutex::new(script));
        let heads = Arc::new(Mutex::new(Vec::new()));
        let server = Self { url, script, heads };
        let (script, heads) = (Arc::clone(&server.script), Arc::clone(&server.heads));
        let (root, times) = (root.to_owned(), Arc::new(Mutex::new(HashMap::new())));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, heads) = (script.lock().unwrap().clone(), Arc::clone(&heads));
                let (root, times) = (root.clone(), Arc::clone(&times));
                std::thread::spawn(move || {
                    // A client that has gone is what some of the tests are about.
                    let _ = exchange(stream, &root, |head, name| {
                        heads.lock().unwrap().push(head.to_lowercase());
                        let mut times = times.lock().unwrap();
                        let time = times.entry(name.to_owned()).or_insert(0);
                        *time += 1;
                        script(name, *time)
                    });
                });
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        self.url.clone()
    }

    /// From now on, answers depend on the name and on how many times it was asked for.
    pub(crate) fn script(&self, script: impl Fn(&str, usize) -> Answer + Send + Sync + 'static) {
        *self.script.lock().unwrap() = Arc::new(script);
    }

    /// The heads of all requests so far, in lower case.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

fn exchange(
    mut stream: TcpStream,
    root: &Path,
    answer: impl FnOnce(&str, &str) -> Answer,
) -> io::Result<()> {
    let mut head = String::new();
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?;
        if line.is_empty() {
            break;
        }
        head.push_str(&line);
        head.push('\n');
    }
    let name = head.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
    let file = |root: &Path| match fs::read(root.join(&name)) {
        Ok(bytes) => (200, "", bytes),
        Err(_) => (404, "", b"no such file".to_vec()),
    };
    let mut half = false;
    let (status, headers, body) = match answer(&head, &name) {
        Answer::File => file(root),
        Answer::From(root) => file(&root),
        Answer::Bytes(status, headers, body) => (status, headers, body),
        Answer::Half => {
            half = true;
            file(root)
        }
    };
    let length = body.len();
    let sent = if half { length / 2 } else { length };
    write!(
        stream,
        "HTTP/1.1 {status} Said\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
    )?;
    stream.write_all(&body[..sent])
}
