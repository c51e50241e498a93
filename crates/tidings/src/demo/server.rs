//! A folder behind HTTP, for as long as the tour takes: no more than the tour needs.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use tidings_source::path_of;

/// A server on a free port of this machine. Its thread ends with the program.
pub(super) struct Server {
    port: u16,
}

impl Server {
    pub(super) fn start(folder: &Path) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let folder = folder.to_owned();
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let folder = folder.clone();
                std::thread::spawn(move || {
                    // Whoever asked may have gone.
                    let _ = serve(&connection, &folder);
                });
            }
        });
        Ok(Self { port })
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }
}

/// Answers one request after another.
fn serve(connection: &TcpStream, folder: &Path) -> io::Result<()> {
    let mut lines = BufReader::new(connection).lines();
    while let Some(request) = lines.next() {
        let request = request?;
        let is_head = request.starts_with("HEAD ");
        let file = request.split(' ').nth(1).and_then(|path| file_of(folder, path));
        // None of the headers matters here; the last one is empty.
        for header in lines.by_ref() {
            if header?.is_empty() {
                break;
            }
        }
        let extension =
            file.as_ref().and_then(|file| file.extension()?.to_str().map(str::to_owned));
        let kind = match extension.as_deref() {
            Some("html") => "content-type: text/html; charset=utf-8\r\n",
            Some("txt") => "content-type: text/plain; charset=utf-8\r\n",
            Some("css") => "content-type: text/css; charset=utf-8\r\n",
            _ => "",
        };
        let body = file.and_then(|file| std::fs::read(file).ok());
        let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
        let body = body.unwrap_or_default();
        let mut answer = connection;
        write!(answer, "HTTP/1.1 {status}\r\n{kind}content-length: {}\r\n\r\n", body.len())?;
        if !is_head {
            answer.write_all(&body)?;
        }
    }
    Ok(())
}

/// The file of a request, if it asks for one inside the folder; of the folder itself, its first page.
fn file_of(folder: &Path, path: &str) -> Option<PathBuf> {
    let first = if path.ends_with('/') { "index.html" } else { "" };
    Some(folder.join(path_of(&format!("{}{first}", path.strip_prefix('/')?))?))
}
