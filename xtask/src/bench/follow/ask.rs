//! Short questions to servers on this machine.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use anyhow::{Context as _, Result, ensure};

/// What a server answered.
pub(crate) struct Answer {
    head: String,
    pub(crate) body: Vec<u8>,
}

/// Asks for a path with these headers, each with the end of its line.
pub(crate) fn get(address: &str, path: &str, headers: &str) -> Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes())?;
    let mut said = Vec::new();
    stream.read_to_end(&mut said)?;
    let end = said.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let end = end.with_context(|| format!("{path}: no answer"))?;
    let head = String::from_utf8_lossy(&said[..end]).into_owned();
    ensure!(head.starts_with("HTTP/1.1 200"), "{path}: {}", head.lines().next().unwrap_or(""));
    Ok(Answer { head, body: said.split_off(end + 4) })
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let headers = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        let mut found = headers.filter(|(one, _)| one.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim())
    }

    /// The sum of the samples that begin so, of what Prometheus is told.
    pub(crate) fn metric(&self, prefix: &str) -> f64 {
        let text = String::from_utf8_lossy(&self.body);
        let samples = text.lines().filter(|line| line.starts_with(prefix));
        samples.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Answer;

    #[test]
    fn samples_of_all_labels_are_summed_up() {
        let body = "# TYPE tidings_polls_total counter\n\
                    tidings_polls_total{result=\"well\"} 40\n\
                    tidings_polls_total{result=\"failed\"} 2\ntidings_polls_under_way 7\n";
        let head = "HTTP/1.1 200 OK\r\nETag: \"x\"".to_owned();
        let answer = Answer { head, body: body.into() };
        assert_eq!(answer.metric("tidings_polls_total"), 42.0);
        assert_eq!(answer.metric("tidings_polls_total{result=\"well\"}"), 40.0);
        assert_eq!(answer.header("etag"), Some("\"x\""));
    }
}
