//! One connection to a server, which stays open.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

/// After which a server is taken to hang.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Line {
    stream: TcpStream,
    address: String,
    buffer: Vec<u8>,
}

/// What was seen of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heard {
    /// From the request to the last byte.
    pub(super) seconds: f64,
    /// Its headers among them.
    pub(super) bytes: u64,
}

impl Line {
    pub(super) fn to(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { stream, address: address.to_owned(), buffer: vec![0; 1 << 20] })
    }

    /// Another one to the same server.
    pub(super) fn again(&self) -> Result<Self> {
        Self::to(&self.address)
    }

    /// Asks for a path with these headers.
    pub(super) fn ask(&mut self, path: &str, headers: &[&str]) -> Result<Heard> {
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", self.address);
        let begun = Instant::now();
        self.stream.write_all(request.as_bytes())?;
        let (mut read, mut end) = (0, None);
        while end.is_none_or(|end| read < end) {
            let more = self.stream.read(&mut self.buffer[read..])?;
            ensure!(more > 0, "{path}: the answer ends early");
            read += more;
            if end.is_none() {
                end = length(&self.buffer[..read]).with_context(|| path.to_owned())?;
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        ensure!(end == Some(read), "{path}: more is sent than was said");
        Ok(Heard { seconds, bytes: read as u64 })
    }
}

/// Of all of an answer, once its headers are there.
fn length(said: &[u8]) -> Result<Option<usize>> {
    let Some(end) = said.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = String::from_utf8_lossy(&said[..end]).to_lowercase();
    ensure!(head.starts_with("http/1.1 200"), "{}", head.lines().next().unwrap_or_default());
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.context("its length is not said")?.trim().parse()?;
    Ok(Some(end + 4 + length))
}

#[cfg(test)]
mod tests {
    use super::length;

    #[test]
    fn an_answer_is_as_long_as_it_says() {
        assert_eq!(length(b"HTTP/1.1 200 OK\r\nContent-Le").unwrap(), None);
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nabc";
        assert_eq!(length(head).unwrap(), Some(head.len() - 3 + 12));
        assert!(length(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").is_err());
        assert!(length(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
